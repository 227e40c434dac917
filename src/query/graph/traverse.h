/*
 * traverse.h
 *	  Bindings of a chain of steps (traverse_relationships).
 *
 * A row binds the start and the end of every step. The number of rows is
 * counted without listing them. A page of rows is listed in the order of
 * their nodes' types and ids.
 */
#ifndef KG_TRAVERSE_H
#define KG_TRAVERSE_H

#include "query/filter/filter.h"
#include "query/graph/links.h"

#define KG_MAX_STEPS 5
#define KG_MAX_STEP_HOPS 3

/* A test of a node. */
typedef struct KgNodeTest
{
	const KgType *type; /* NULL: any */
	uint16 rank;		/* rank of type in the graph */
	/*
	 * by rank - 1: the filter analysed against that type, or NULL if no node
	 * of the type can match. The array is NULL if there is no filter.
	 */
	KgFilter **filters;
	/* 0: any id; otherwise ids that kg_node_test_find() finds */
	int nids;
	char **ids;
	/* the nodes found by ids or filters, or NULL */
	const KgNodeSet *among;
	/* among has exactly the nodes that pass the filters */
	bool resolved;
	/* maximum number of nodes up to which "among" was searched for */
	uint32 sought;
	struct KgRelated *related; /* a condition on the node, or NULL */
} KgNodeTest;

typedef struct KgStepSpec
{
	KgFollow follow;
	bool incoming; /* the direction that the caller sent */
	int min_hops;
	int max_hops;
	int ntests;
	/* the test of the step, and the test of the whole query */
	KgNodeTest tests[2];
} KgStepSpec;

/* Returns whether the step follows exactly one edge. */
static inline bool
kg_step_is_one_edge(const KgStepSpec *step)
{
	return step->min_hops == 1 && step->max_hops == 1;
}

/*
 * The repetitions that are not allowed in the walks of a row: a repeated edge,
 * or a repeated node.
 */
typedef enum KgUnique
{
	KG_UNIQUE_NONE,
	KG_UNIQUE_EDGES,
	KG_UNIQUE_NODES
} KgUnique;

/*
 * A node at which a step ends, and the length of the walk to it from the start
 * of the step.
 */
typedef struct KgStepEnd
{
	uint32 node;
	uint8 depth;
} KgStepEnd;

typedef struct KgStepResult
{
	KgLinks links;
	uint32 nstarts;
	uint32 *starts; /* nodes */
	/* indexed by start: index of its first end; nstarts + 1 members */
	uint64 *first;
	uint64 found;	 /* number of ends before they were tested */
	KgStepEnd *ends; /* the ends that pass the tests */
	/* indexed by node: its index in starts, or KG_NO_NODE */
	uint32 *start_of;
	uint32 start_of_n; /* number of nodes of the set when start_of was made */
	/*
	 * indexed by start: the number of rows of this step and the following steps
	 */
	double *rows;
} KgStepResult;

typedef struct KgTraversal
{
	KgGraph *graph;
	KgNodeSet set;
	KgRanks ranks;
	int nsteps;
	const KgStepSpec *specs;
	KgStepResult steps[KG_MAX_STEPS];
	/*
	 * by node: whether the node was found not to exist; NULL: all nodes exist
	 */
	bool *gone;
	/* rows that kg_traverse_unique() listed, in no order; or NULL */
	struct KgBinding *listed;
	uint64 nlisted;
	double total; /* number of rows; exact below 2^53 */
} KgTraversal;

/*
 * Finds the bindings. starts must be visible nodes that pass the tests of the
 * start. type is the type of the starts if they are known to exist; otherwise
 * NULL.
 */
extern void kg_traverse_run(KgTraversal *t, KgGraph *graph, const KgType *type,
							const int64 *starts, uint32 nstarts,
							const KgStepSpec *specs, int nsteps);

/*
 * Finds the bindings like kg_traverse_run(), for a caller that does not call
 * kg_traverse_page(). If every node is visible and no step tests a type or a
 * filter, no node is read.
 */
extern void kg_traverse_reach(KgTraversal *t, KgGraph *graph,
							  const int64 *starts, uint32 nstarts,
							  const KgStepSpec *specs, int nsteps);

/* A row: nsteps + 1 nodes, and each step's depth. */
typedef struct KgBinding
{
	uint32 nodes[KG_MAX_STEPS + 1]; /* entries after the last step are 0 */
	uint8 depths[KG_MAX_STEPS];
} KgBinding;

/*
 * Retains the rows whose walks together repeat no edge, or no node. Parallel
 * edges of a relation with a key count as one edge. The depths of a row become
 * the lengths of its shortest such walks; the length of the first step is
 * minimized first. Defined in trails.c.
 */
extern void kg_traverse_unique(KgTraversal *t, KgUnique unique);

/*
 * Lists a page: the first "limit" rows after the row "after" (nsteps + 1 refs;
 * NULL: from the beginning). Returns the number of rows. Sets *rows to the rows
 * in order, and *refs, by node, to the refs of their nodes. Sets *more to
 * whether further rows follow.
 */
extern uint32 kg_traverse_page(KgTraversal *t, const KgRef *after, uint32 limit,
							   KgBinding **rows, KgRef **refs, bool *more);

/*
 * Returns the set of types, indexed by rank, that one hop can reach from the
 * types "at".
 */
extern bool *kg_follow_ends(const KgGraph *graph, const KgFollow *follow,
							const bool *at);

/*
 * Finds the nodes that have the test's ids, in the test's type or in all types.
 * If step is not NULL, types at which the step cannot end are left out.
 */
extern void kg_node_test_find(KgGraph *graph, KgNodeTest *test,
							  const KgStepSpec *step);

/*
 * Finds the nodes that pass the test's filters, if indexes can find them and
 * their number is at most "most". Returns whether the nodes were found.
 */
extern bool kg_node_test_resolve(KgGraph *graph, KgNodeTest *test, uint32 most);

/* Returns whether the nodes that pass the test are known as a set. */
static inline bool
kg_node_test_is_set(const KgNodeTest *test)
{
	return test->among != NULL && test->related == NULL &&
		   (test->filters == NULL || test->resolved);
}

/* Sets pass[i] to whether node i, which must be visible, passes the test. */
extern void kg_node_test(KgGraph *graph, const KgNodeTest *test,
						 const int64 *nodes, uint32 n, const uint16 *ranks,
						 bool *pass);

#endif /* KG_TRAVERSE_H */
