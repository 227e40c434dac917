/*
 * node_list.c
 *	  Lists of nodes.
 */
#include "postgres.h"

#include "lib/qunique.h"
#include "model/adjacency.h"
#include "store/entity/node_list.h"
#include "utils/memutils.h"

void
kg_node_add(KgNodeList *list, int64 node)
{
	if (list->n == list->capacity)
	{
		list->capacity = Max(64, list->capacity * 2);
		list->nodes = list->nodes
						  ? repalloc_huge(list->nodes,
										  (Size) list->capacity * sizeof(int64))
						  : MemoryContextAllocHuge(list->context,
												   (Size) list->capacity *
													   sizeof(int64));
	}
	list->nodes[list->n++] = node;
}

void
kg_nodes_sort(KgNodeList *list)
{
	if (list->n == 0)
		return;
	qsort_interruptible(
		list->nodes, list->n, sizeof(int64), kg_compare_nodes, NULL);
	list->n = qunique_arg(
		list->nodes, list->n, sizeof(int64), kg_compare_nodes, NULL);
}

bool
kg_nodes_have(const KgNodeList *sorted, int64 node)
{
	return sorted->n > 0 && bsearch_arg(&node,
										sorted->nodes,
										sorted->n,
										sizeof(int64),
										kg_compare_nodes,
										NULL) != NULL;
}
