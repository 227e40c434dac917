/*
 * node_list.c
 *	  Lists of nodes.
 */
#include "postgres.h"

#include "lib/qunique.h"
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

static int
compare_nodes(const void *pa, const void *pb)
{
	int64 a = *(const int64 *) pa;
	int64 b = *(const int64 *) pb;

	return a < b ? -1 : a > b;
}

void
kg_nodes_sort(KgNodeList *list)
{
	if (list->n == 0)
		return;
	qsort(list->nodes, list->n, sizeof(int64), compare_nodes);
	list->n = qunique(list->nodes, list->n, sizeof(int64), compare_nodes);
}

bool
kg_nodes_have(const KgNodeList *sorted, int64 node)
{
	return sorted->n > 0 &&
		   bsearch(
			   &node, sorted->nodes, sorted->n, sizeof(int64), compare_nodes) !=
			   NULL;
}
