/*
 * paths.h
 *	  Paths between two sets of nodes.
 *
 * paths.c reads, from both ends, the piece of the graph that can contain the
 * paths. paths_list.c lists and counts them in the order of replies.
 * paths_weight.c finds the lightest paths.
 */
#ifndef KG_PATHS_H
#define KG_PATHS_H

#include "query/graph/traverse.h"
#include "query/graph/weight.h"

#define KG_MAX_PATH_HOPS 6

typedef enum KgPathMode
{
	KG_PATH_SHORTEST,
	KG_PATH_ALL_SHORTEST,
	KG_PATH_SIMPLE,
	KG_PATH_TRAILS,
	KG_PATH_WALKS
} KgPathMode;

typedef struct KgPath
{
	int length;
	KgWeight weight;
	uint32 nodes[KG_MAX_PATH_HOPS + 1];
	uint32 links[KG_MAX_PATH_HOPS]; /* indexes into links.links */
} KgPath;

typedef struct KgPathQuery
{
	KgFollow follow;
	const int64 *from;
	uint32 nfrom;
	const int64 *to;
	uint32 nto;
	int max_hops;
	KgPathMode mode;
	/*
	 * indexed by rank (number of a type): whether an inner node may have this
	 * type; NULL: any type
	 */
	const bool *inner;
	/* the test that inner nodes must pass, or NULL */
	KgNodeTest *test;
	const char *weight; /* property of edges, or NULL */
	uint32 limit;
} KgPathQuery;

typedef struct KgPaths
{
	KgGraph *graph;
	const KgPathQuery *query;
	/* the part of the graph that was read */
	KgNodeSet set;
	KgRanks ranks;
	/*
	 * indexed by node, if the query has a test: whether the node passes the
	 * test
	 */
	bool *passes;
	uint32 npasses;
	uint32 passes_room;
	KgLinks links;
	/* indexed by link: its weight, if the query has a weight */
	KgWeight *weights;
	/* indexes of links, sorted by the node at which the link ends */
	uint32 *incoming;
	uint32 *incoming_start;
	uint32 *from; /* starts of paths: nodes, in the order of replies */
	uint32 nfrom;
	uint32 *to;
	uint32 nto;
	bool *is_to; /* indexed by node */
	/* indexed by node; its id is NULL if no path uses the node */
	KgRef *refs;
	/* the result: the first "limit" paths, in order */
	uint32 n;
	KgPath *paths;
	double total;
	bool at_least; /* total is a lower bound */
} KgPaths;

extern void kg_paths_find(KgPaths *paths, KgGraph *graph,
						  const KgPathQuery *query);

/*
 * Returns whether the search may stop when the searches from both ends meet.
 * This is so for shortest paths between two nodes without weights.
 */
static inline bool
kg_paths_stop_when_met(const KgPathQuery *query)
{
	return query->nfrom == 1 && query->nto == 1 && query->weight == NULL &&
		   (query->mode == KG_PATH_SHORTEST ||
			query->mode == KG_PATH_ALL_SHORTEST);
}

/* Returns whether the node may be an inner node of a path. */
static inline bool
kg_path_inner(const KgPaths *paths, uint32 node)
{
	return (paths->query->inner == NULL ||
			paths->query->inner[paths->ranks.ranks[node]]) &&
		   (paths->passes == NULL || paths->passes[node]);
}

/* Returns the links of a node, in the order of replies. */
static inline const KgLink *
kg_path_links(const KgPaths *paths, uint32 node, uint32 *n)
{
	return kg_links_of(&paths->links, node, n);
}

/* Sets n, paths, total and at_least. In paths_list.c. */
extern void kg_paths_list(KgPaths *paths);
/*
 * Sets total and at_least for simple paths, trails or walks. In paths_list.c.
 */
extern void kg_paths_count(KgPaths *paths);
/*
 * Returns whether the mode allows the last link of a path after its previous
 * links. Defined in paths_list.c.
 */
extern bool kg_path_may_end(const KgPaths *paths, const KgPath *path);
/*
 * Sets n, paths, total and at_least for the lightest paths. In paths_weight.c.
 */
extern void kg_paths_list_lightest(KgPaths *paths);

/*
 * kg_paths_add() adds a path to the result; of all added paths, the first
 * "limit" paths in order remain. kg_paths_finish() completes the result.
 */
extern void kg_paths_add(KgPaths *paths, const KgPath *path);
extern void kg_paths_finish(KgPaths *paths);

#endif /* KG_PATHS_H */
