/*
 * frontier.h
 *	  The expansion of a whole frontier by one statement a direction.
 */
#ifndef KG_FRONTIER_H
#define KG_FRONTIER_H

#include "query/graph/graph_search.h"

/*
 * Deliver the neighbours of the nodes.  An edge between two of the nodes that
 * is followed both ways is delivered from both.  Neighbours may be hidden:
 * kg_graph_types() says which.  The array of nodes is scratch afterwards.
 */
extern void kg_graph_expand(KgGraph *graph, const KgFollow *walk, int64 *nodes,
							uint32 n, KgNeighborFunction found, void *arg);

/*
 * The same for whoever reads what is packed himself: packed delivers the groups
 * over these relations, and returns how many edges there are.  The rows of
 * kg_edge, of what is not packed, go to found.
 */
typedef int64 (*KgPackedFunction)(const KgPacked *packed,
								  const KgRelationSet *relations, void *arg);
extern void kg_graph_expand_packed(KgGraph *graph, const KgFollow *walk,
								   int64 *nodes, uint32 n,
								   KgPackedFunction packed,
								   KgNeighborFunction found, void *arg);

/* Ascending, each once; returns how many are left. */
extern uint32 kg_graph_sort_nodes(int64 *nodes, uint32 n);

/*
 * From now on, what is packed together is read once and stays in memory: for a
 * search that comes to the nodes of a block one after the other.
 */
extern void kg_graph_keep_blocks(KgGraph *graph);

#endif /* KG_FRONTIER_H */
