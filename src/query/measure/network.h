/*
 * network.h
 *	  The part of the graph that a measure is of, as arrays.
 *
 * The network has the nodes that the caller sees, of the chosen types, and the
 * edges between them over the chosen relations. A hidden node and its edges are
 * not in the arrays, so no measure depends on them. Nodes are in the order of
 * their numbers and arcs in the order of their ends, so a measure does not
 * depend on the order in which rows are read.
 */
#ifndef KG_NETWORK_H
#define KG_NETWORK_H

#include "query/graph/graph_search.h"

typedef struct KgNetworkQuery
{
	/* The walk. An edge in both sets joins its nodes in both directions. */
	KgFollow follow;
	bool both; /* every edge is in both sets */
	/* indexed by rank: the types of the nodes; NULL: all */
	const bool *types;
	/*
	 * The property with an edge's weight. Edges without a number in this
	 * property are left out. NULL: each edge has the weight 1.
	 */
	const char *weight;
} KgNetworkQuery;

/* Directions of an edge of the network. */
#define KG_ALONG 1
#define KG_AGAINST 2

typedef struct KgNetwork
{
	KgGraph *graph;
	const KgNetworkQuery *query;
	KgNodeSet set; /* nodes in ascending order */
	uint64 nedges;
	/* indexed by edge: */
	uint32 *from;
	uint32 *to;
	uint8 *ways;	 /* KG_ALONG, KG_AGAINST */
	double *weights; /* NULL: all are 1 */
	uint64 capacity;
	uint64 done; /* work since the last check for interrupts */
} KgNetwork;

/*
 * Reads the network into the memory context of the graph. Raises
 * KG_LIMIT_EXCEEDED if it exceeds the limits of a search, and KG_INVALID_INPUT
 * if a weight is negative or above the maximum.
 */
extern void kg_network_read(KgNetwork *net, KgGraph *graph,
							const KgNetworkQuery *query);

/*
 * Returns an array in the memory context of the graph, after a check of the
 * limit of memory. Its content is undefined; kg_network_zeroed() returns
 * zeroes.
 */
extern void *kg_network_array(const KgNetwork *net, uint64 n, Size size);
extern void *kg_network_zeroed(const KgNetwork *net, uint64 n, Size size);

/* The arcs of each node. Node i has the arcs start[i] to start[i + 1] - 1. */
typedef struct KgArcs
{
	uint64 *start;
	uint32 *ends;	 /* ascending for each node */
	double *weights; /* NULL: all are 1 */
} KgArcs;

typedef enum KgArcKind
{
	KG_ARCS_OUT, /* in the directions of the walk */
	KG_ARCS_IN,	 /* against the directions of the walk */
	KG_ARCS_ALL	 /* from both ends, whatever the walk */
} KgArcKind;

/*
 * Makes the arcs. A loop is one arc. If simple is true, loops are left out, and
 * parallel arcs become one arc, whose weight is the sum of their weights.
 */
extern void kg_network_arcs(KgNetwork *net, KgArcKind kind, bool simple,
							KgArcs *arcs);
extern void kg_arcs_free(KgArcs *arcs);

/* A sequence of numbers that depends on its seed alone. */
typedef struct KgRandom
{
	uint64 state;
} KgRandom;

/* Returns the next pseudo-random number, which is below n. */
extern uint32 kg_random_below(KgRandom *random, uint32 n);

#endif /* KG_NETWORK_H */
