/*
 * similar.h
 *	  The similarity of two nodes by their neighbours.
 */
#ifndef KG_SIMILAR_H
#define KG_SIMILAR_H

#include "query/graph/graph_search.h"

typedef struct KgSimilarity
{
	/* nodes that are neighbours of both, ascending */
	int64 *common;
	uint32 ncommon;
	/* number of nodes that are neighbours of at least one of the two nodes */
	uint32 either;
} KgSimilarity;

/*
 * Compares the visible neighbours of two nodes, of these types (by rank; NULL:
 * all). No node is a neighbour of itself. The result is allocated in the memory
 * context of the graph.
 */
extern void kg_measure_jaccard(KgGraph *graph, const KgFollow *follow,
							   const bool *types, const int64 nodes[2],
							   KgSimilarity *similarity);

#endif /* KG_SIMILAR_H */
