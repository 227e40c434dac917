/*
 * relevance.h
 *	  Nodes by how much they have to do with some others: personalised PageRank.
 *
 *	  A walker begins at a seed, goes on with the chance "damping" over one of
 *	  the edges at hand, each as likely as another, or begins anew; where there
 *	  is none it begins anew.  A node's score is the share of time it is there.
 *	  It is found by forward push (Andersen, Chung, Lang: Local Graph Partitioning
 *	  using PageRank Vectors, FOCS 2006): the shares that were not yet passed on
 *	  are what no score can be wrong by more than.
 *
 *	  Shares are integers, so that what comes out does not depend on the order in
 *	  which edges are read.
 */
#ifndef KG_RELEVANCE_H
#define KG_RELEVANCE_H

#include "query/graph/neighbors.h"

/* All of the walker's time. */
#define KG_RANK_ALL (UINT64CONST(1) << 62)

#define KG_RANK_DAMPING 0.85
/*
 * The share of the walker's time that may be missing; and where the best few
 * alone are asked for, and more would hardly make them others.
 */
#define KG_RANK_BOUND 0.01
#define KG_RANK_BOUND_OF_BEST 0.08

typedef struct KgRankSeed
{
	int64 node;
	double weight; /* above 0 */
} KgRankSeed;

typedef struct KgRankQuery
{
	KgFollow follow;
	double damping; /* 0 <= damping < 1 */
	double bound; /* push until no more than this share is left, if not less */
	uint32 best;  /* 0: whatever is asked; or so many are, see relevance.c */
	uint32 most;  /* but over the edges of no more nodes than these */
	const KgRankSeed *seeds; /* visible; each once */
	uint32 nseeds;
} KgRankQuery;

/*
 * How a step goes: over which relation, and whether against the stored
 * orientation.  Those along it are less, and then those of a lower number.
 */
#define KG_RANK_BACKWARD 0x80000000U
#define KG_RANK_RELATION(way) ((int32) ((way) & ~KG_RANK_BACKWARD))

/* All of it in the graph's context. */
typedef struct KgRanking
{
	KgGraph *graph;
	const KgRankQuery *query;
	KgNodeSet set;
	uint32 capacity; /* of what is by node: */
	uint64 *scores;
	uint64 *left;	/* not yet passed on */
	uint64 *first;	/* the place of its steps, where its edges were read */
	uint32 *degree; /* how many; KG_NO_NODE: its edges were not read */
	uint16 *ranks;	/* 0: hidden; NULL: all are visible */
	uint32 nranks;	/* so many are known */
	uint32 seen;	/* so many of these are not hidden */
	uint32 *ends;	/* by step: the node that it leads to, */
	uint32 *ways;	/* and how */
	uint64 nsteps;
	uint64 capacity_steps;
	uint32 read;	  /* nodes whose edges were read */
	uint64 undecided; /* the sum of left */
} KgRanking;

extern void kg_rank(KgGraph *graph, const KgRankQuery *query,
					KgRanking *ranking);

/* No score is more than this too low; six digits, as scores. */
extern double kg_rank_residual(const KgRanking *ranking);

/*
 * Orders what a search found by how much it has to do with the seeds, over what
 * the search walks; what no walker came to is last.  In the graph's context.
 */
extern KgReachOrder *kg_rank_order(KgGraph *graph, const KgReach *reach);

typedef struct KgRanked
{
	uint32 node; /* in the set */
	double score;
	KgRef ref;
	/* the strongest path from a seed to it */
	int length;
	uint32 *nodes; /* length + 1 */
	uint32 *ways;  /* length */
} KgRanked;

/*
 * The first n by score, type and id of those whose type is wanted (by rank;
 * NULL: any); *more: there are others.  Scores have six digits.
 */
extern KgRanked *kg_rank_best(const KgRanking *ranking, const bool *wanted,
							  uint32 limit, uint32 *n, bool *more);

/*
 * Finds for each the path over which most of the walker's time comes to it: the
 * one whose product of the chances of its steps and its seed's weight is highest,
 * of those over nodes that were passed on from: all whose score is above the
 * residual by the damping.
 */
extern void kg_rank_paths(const KgRanking *ranking, KgRanked *ranked, uint32 n);

#endif /* KG_RELEVANCE_H */
