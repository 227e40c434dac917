/*
 * probe.h
 *	  Density of the graph around some nodes and as a whole, for estimates
 *	  of searches (query/graph/cost.c).
 */
#ifndef KG_PROBE_H
#define KG_PROBE_H

#include "query/graph/frontier.h"
#include "query/graph/nodes.h"

#define KG_SAMPLE 16
#define KG_DEGREE_SAMPLE 512

/* A walk from a sample of nodes. */
typedef struct KgProbe
{
	KgGraph *graph;
	int nsample;
	int64 sample[KG_SAMPLE];
	/* mean number of edges of a node that the last hop read */
	double read;
	/* state of the hop that is being read */
	int64 next[2 * KG_SAMPLE]; /* a sample: every stride-th neighbour */
	int nnext;
	uint64 stride;
	/* number of visible neighbours to which the walk leads */
	uint64 seen;
	/* only set if each neighbour is checked */
	/* number of visible neighbours, whether the walk leads to them or not */
	uint64 visible;
	const KgFollow *walk;
	int64 *unchecked;
	bool *walked;
	uint32 nunchecked;
} KgProbe;

/* Starts with a sample of the nodes: every n-th node. */
extern void kg_probe_start(KgProbe *probe, KgGraph *graph, const int64 *nodes,
						   uint32 n);
/*
 * Replaces the sample by these nodes, without duplicates. There may be at most
 * KG_SAMPLE nodes.
 */
extern void kg_probe_go_on(KgProbe *probe, const int64 *nodes, int n);
/*
 * Reads the edges of the sample's nodes. Replaces the sample by a sample of
 * the nodes at the other ends of these edges. Returns the mean number of
 * walked edges of a node.
 */
extern double kg_probe_hop(KgProbe *probe, const KgFollow *walk);

/* The number of nodes that the caller can see, and a sample. */
typedef struct KgBound
{
	double nodes; /* number of nodes; INFINITY: not counted */
	/* a random sample: nodes with the lowest hashes */
	uint64 seen;
	int nsample;
	int64 sample[KG_DEGREE_SAMPLE];
	uint64 hashes[KG_DEGREE_SAMPLE];
	int highest; /* index of the node with the highest hash */
} KgBound;

extern void kg_bound_count(KgGraph *graph, KgBound *bound);
/* Returns the estimated number of edges that a walk from every node reads. */
extern double kg_bound_edges(KgGraph *graph, const KgBound *bound,
							 const KgFollow *walk);

#endif /* KG_PROBE_H */
