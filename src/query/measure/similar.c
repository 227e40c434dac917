/*
 * similar.c
 *	  The similarity of two nodes by their neighbours.
 *
 * Only the edges of the two nodes are read.
 */
#include "postgres.h"

#include "query/graph/frontier.h"
#include "query/graph/nodes.h"
#include "query/measure/similar.h"
#include "utils/memutils.h"

static void
found_neighbors(const KgNeighbors *found, void *arg)
{
	KgNodeSet *set = arg;

	for (int i = 0; i < found->n; i++)
		if (found->neighbors[i] != found->node)
			(void) kg_nodeset_add(set, found->neighbors[i]);
}

/* Returns the neighbours of a node, ascending, and sets *n to their number. */
static int64 *
neighbors_of(KgGraph *graph, const KgFollow *follow, const bool *types,
			 int64 node, uint32 *n)
{
	int64 start[] = {node};
	uint16 *ranks;
	KgNodeSet set;

	kg_nodeset_init(&set, graph->context);
	kg_graph_expand(graph, follow, start, 1, found_neighbors, &set);
	kg_graph_check_visited(graph, set.n);
	kg_graph_check_memory(graph);
	*n = 0;
	if (set.n == 0)
		return set.nodes;
	ranks = MemoryContextAllocHuge(graph->context, set.n * sizeof(uint16));
	kg_graph_types(graph, set.nodes, set.n, ranks);
	for (uint32 i = 0; i < set.n; i++)
		if (ranks[i] != 0 && (types == NULL || types[ranks[i]]))
			set.nodes[(*n)++] = set.nodes[i];
	pfree(ranks);
	if (*n > 0)
		*n = kg_graph_sort_nodes(set.nodes, *n);
	return set.nodes;
}

void
kg_measure_jaccard(KgGraph *graph, const KgFollow *follow, const bool *types,
				   const int64 nodes[2], KgSimilarity *similarity)
{
	uint32 n[2];
	int64 *of[2];
	uint32 other = 0;

	for (int i = 0; i < 2; i++)
		of[i] = neighbors_of(graph, follow, types, nodes[i], &n[i]);
	similarity->common = of[0];
	similarity->ncommon = 0;
	for (uint32 i = 0; i < n[0]; i++)
	{
		while (other < n[1] && of[1][other] < of[0][i])
			other++;
		if (other < n[1] && of[1][other] == of[0][i])
			similarity->common[similarity->ncommon++] = of[0][i];
	}
	similarity->either = n[0] + n[1] - similarity->ncommon;
}
