/*
 * centrality.h
 *	  Measures that give each node of a network a number.
 *
 * Results are arrays by node, in the memory context of the graph.
 */
#ifndef KG_CENTRALITY_H
#define KG_CENTRALITY_H

#include "query/measure/network.h"

/*
 * Returns the sum of the weights of each node's edges in the directions of the
 * walk. If every edge is walked in both directions, a loop counts twice.
 */
extern double *kg_measure_degree(KgNetwork *net);

/*
 * Returns the share of time that a walker spends at each node. With probability
 * 0.85 the walker follows an arc, which is chosen with a probability
 * proportional to its weight. Otherwise, or if the node has no such arc, the
 * walker goes to a random node. The sum of the errors is at most 1e-8.
 */
extern double *kg_measure_pagerank(KgNetwork *net);

/*
 * Returns for each node the highest k of a k-core that has the node. A k-core
 * is a largest part of the graph in which each node has at least k neighbours.
 */
extern double *kg_measure_core(KgNetwork *net);

/*
 * Returns for each node the share of the ordered pairs of other nodes whose
 * shortest paths go through the node. If a pair has several shortest paths,
 * each path counts with an equal part. If there are more than KG_EXACT_EDGES
 * edges, only paths from *pivots random nodes are counted; otherwise *pivots is
 * 0.
 */
#define KG_EXACT_EDGES 20000
extern double *kg_measure_betweenness(KgNetwork *net, int64 seed,
									  uint32 *pivots);

#endif /* KG_CENTRALITY_H */
