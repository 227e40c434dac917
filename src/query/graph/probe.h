/*
 * probe.h
 *	  How dense the graph is around some nodes, and as a whole: what estimates
 *	  of searches are made of (query/graph/cost.c).
 */
#ifndef KG_PROBE_H
#define KG_PROBE_H

#include "query/graph/frontier.h"
#include "query/graph/nodes.h"

#define KG_SAMPLE 16
#define KG_DEGREE_SAMPLE 512

/* A walk of a few nodes. */
typedef struct KgProbe
{
	KgGraph *graph;
	int nsample;
	int64 sample[KG_SAMPLE];
	double read; /* edges of a node that the last hop read */
	/* while a hop is read */
	int64 next[2 * KG_SAMPLE]; /* every so many neighbours, one */
	int nnext;
	uint64 stride;
	uint64 seen; /* visible neighbours that are walked to */
	/* where each neighbour is looked at: what was found, and if it is walked */
	uint64 visible; /* walked to or not */
	const KgFollow *walk;
	int64 *unchecked;
	bool *walked;
	uint32 nunchecked;
} KgProbe;

/* Some of the nodes, at even distances. */
extern void kg_probe_start(KgProbe *probe, KgGraph *graph, const int64 *nodes,
						   uint32 n);
/* Go on from these instead, at most KG_SAMPLE. */
extern void kg_probe_go_on(KgProbe *probe, const int64 *nodes, int n);
/*
 * Read the edges of the sample, which becomes a sample of their other ends;
 * returns the mean number of edges of a node that are walked.
 */
extern double kg_probe_hop(KgProbe *probe, const KgFollow *walk);

/* What the caller can see. */
typedef struct KgBound
{
	double nodes; /* or INFINITY: not counted */
	/* a random sample of them: those whose numbers hash lowest */
	uint64 seen;
	int nsample;
	int64 sample[KG_DEGREE_SAMPLE];
	uint64 hashes[KG_DEGREE_SAMPLE];
	int highest; /* place of the highest hash */
} KgBound;

extern void kg_bound_count(KgGraph *graph, KgBound *bound);
/* The edges that a walk from every node reads. */
extern double kg_bound_edges(KgGraph *graph, const KgBound *bound,
							 const KgFollow *walk);

#endif /* KG_PROBE_H */
