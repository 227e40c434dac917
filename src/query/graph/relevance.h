/*
 * relevance.h
 *	  Nodes ranked by their relation to some seeds: personalised PageRank.
 *
 * A walker begins at a seed. With the probability "damping", the walker
 * follows one of the edges of its node; all these edges are equally likely.
 * Otherwise, or if the node has no edge, the walker begins again at a seed. A
 * node's score is the share of time that the walker is at this node. Scores
 * are computed by forward push (Andersen, Chung, Lang: Local Graph
 * Partitioning using PageRank Vectors, FOCS 2006). No score is wrong by more
 * than the shares that have not been passed on.
 *
 * Shares are integers, so the result does not depend on the order in which
 * edges are read.
 */
#ifndef KG_RELEVANCE_H
#define KG_RELEVANCE_H

#include "query/graph/neighbors.h"

/* The share 1, all of the walker's time, as an integer. */
#define KG_RANK_ALL (UINT64CONST(1) << 62)

#define KG_RANK_DAMPING 0.85
/*
 * The share of the walker's time that may remain undistributed. The second
 * value applies to a query of only the best few nodes, if more work would
 * hardly change these nodes.
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
	/* the search ends when at most this share is undistributed */
	double bound;
	/* number of best nodes needed (see relevance.c); 0: all nodes */
	uint32 best;
	/* maximum number of nodes whose edges are read */
	uint32 most;
	const KgRankSeed *seeds; /* visible; each once */
	uint32 nseeds;
} KgRankQuery;

/*
 * The "way" of a step is the number of its relation, with this flag if the
 * step is against the stored orientation. Ways are ordered: steps along the
 * stored orientation come first, and among these the lower relation number.
 */
#define KG_RANK_BACKWARD 0x80000000U
#define KG_RANK_RELATION(way) ((int32) ((way) & ~KG_RANK_BACKWARD))

/*
 * The scores of a ranking, allocated in the graph's context.
 *
 * A step is an edge that the walker can follow from a node to its other end. The
 * steps of a node have consecutive indexes in "ends" and "ways".
 */
typedef struct KgRanking
{
	KgGraph *graph;
	const KgRankQuery *query;
	KgNodeSet set;
	uint32 capacity; /* length of the arrays by node */
	uint64 *scores;
	/* by node: share of time that has not been passed on yet */
	uint64 *left;
	/* by node: index of its first step; undefined if its edges were not read */
	uint64 *first;
	/* by node: number of its steps; KG_NO_NODE: its edges were not read */
	uint32 *degree;
	/* by node: rank of its type; 0: hidden; NULL: all nodes are visible */
	uint16 *ranks;
	uint32 nranks; /* number of known ranks */
	/* number of the ranked nodes that are not hidden */
	uint32 seen;
	/* indexed by step: the node to which the step leads */
	uint32 *ends;
	/* indexed by step: the way (relation and direction) of the step */
	uint32 *ways;
	uint64 nsteps;
	uint64 capacity_steps;
	uint32 read;	  /* nodes whose edges were read */
	uint64 undecided; /* the sum of "left" */
} KgRanking;

/*
 * Returns a score, which must be at least 0, rounded to six significant digits.
 */
extern double kg_six_digits(double value);

extern void kg_rank(KgGraph *graph, const KgRankQuery *query,
					KgRanking *ranking);

/*
 * Returns the maximum by which a score may be too low. The value has six
 * digits, like scores.
 */
extern double kg_rank_residual(const KgRanking *ranking);

/*
 * Returns an order of the nodes of a search by their relation to the seeds,
 * over the relations that the search walks. Nodes that no walker reached are
 * last. Allocated in the graph's context.
 */
extern KgReachOrder *kg_rank_order(KgGraph *graph, const KgReach *reach);

typedef struct KgRanked
{
	uint32 node; /* index in the set */
	double score;
	KgRef ref;
	/* The strongest path from a seed to the node; NULL: no path. */
	int length;
	uint32 *nodes; /* length + 1 nodes */
	uint32 *ways;  /* length ways */
} KgRanked;

/*
 * Returns the best nodes, by score, type and id, and sets *n to their number,
 * which is at most limit. wanted has the types to return, by rank (NULL: all).
 * Sets *more to whether there are further nodes. Scores have six digits.
 */
extern KgRanked *kg_rank_best(const KgRanking *ranking, const bool *wanted,
							  uint32 limit, uint32 *n, bool *more);

/*
 * Finds the strongest path to each of the nodes. The strength of a path is the
 * product of its seed's weight and the probabilities of its steps. Paths go
 * only over nodes that have passed on a share of the walker's time.
 */
extern void kg_rank_paths(const KgRanking *ranking, KgRanked *ranked, uint32 n);

#endif /* KG_RELEVANCE_H */
