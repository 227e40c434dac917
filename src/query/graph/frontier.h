/*
 * frontier.h
 *	  The expansion of a whole frontier by one statement for each
 *	  direction.
 */
#ifndef KG_FRONTIER_H
#define KG_FRONTIER_H

#include "query/graph/graph_search.h"

/*
 * Passes each neighbour of the nodes to found(). If an edge between two of the
 * nodes is followed in both directions, it is passed once from each of these
 * two nodes. Neighbours may be hidden; kg_graph_types() returns the rank 0 for
 * hidden nodes. Overwrites the array of nodes.
 */
extern void kg_graph_expand(KgGraph *graph, const KgFollow *walk, int64 *nodes,
							uint32 n, KgNeighborFunction found, void *arg);

/*
 * Expands a frontier for a caller that reads packed edges itself. packed()
 * receives the packed edges of a node in one direction, and the relations that
 * the walk follows in this direction. It returns the number of the edges over
 * these relations. Edges that are not packed are passed to found().
 */
typedef int64 (*KgPackedFunction)(const KgPacked *packed,
								  const KgRelationSet *relations, void *arg);
extern void kg_graph_expand_packed(KgGraph *graph, const KgFollow *walk,
								   int64 *nodes, uint32 n,
								   KgPackedFunction packed,
								   KgNeighborFunction found, void *arg);

/*
 * Sorts an array of nodes or other numbers in ascending order and removes
 * duplicates. The array has at least one element. Returns the number of the
 * remaining elements.
 */
extern uint32 kg_graph_sort_nodes(int64 *nodes, uint32 n);

/*
 * Makes the search cache blocks of packed edges in memory from now on. This is
 * useful if a search reaches the nodes of a block one after the other.
 */
extern void kg_graph_keep_blocks(KgGraph *graph);

#endif /* KG_FRONTIER_H */
