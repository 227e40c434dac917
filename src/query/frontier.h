/*
 * frontier.h
 *	  The expansion of a whole frontier by one statement a direction.
 */
#ifndef KG_FRONTIER_H
#define KG_FRONTIER_H

#include "query/graph_search.h"

/* Neighbours of one node over one relation in one direction. */
typedef struct KgNeighbors
{
	int64 node;
	int32 relation_no;
	bool backward; /* the stored edges run from the neighbours to the node */
	const int64 *neighbors;
	int n;
	const Jsonb *properties; /* n is 1 where properties were asked for */
} KgNeighbors;

typedef void (*KgNeighborFunction)(const KgNeighbors *found, void *arg);

/*
 * Deliver the neighbours of the nodes.  An edge between two of the nodes that
 * is followed both ways is delivered from both.  Neighbours may be hidden:
 * kg_graph_types() says which.  The array of nodes is scratch afterwards.
 */
extern void kg_graph_expand(KgGraph *graph, const KgFollow *walk, int64 *nodes,
							uint32 n, KgNeighborFunction found, void *arg);

#endif /* KG_FRONTIER_H */
