/*
 * related.h
 *	  The condition "related": chains of steps as semi-joins and anti-joins
 *	  with a set of nodes.
 *
 * A chain is true for a node if its steps lead from the node to an end that
 * passes the tests. With counts, the number of such ends must be within them.
 * Nodes and edges that the caller may not see do not count.
 */
#ifndef KG_RELATED_H
#define KG_RELATED_H

#include "query/graph/traverse.h"

typedef struct KgChain
{
	KgStepSpec *specs;
	int nsteps;
	/*
	 * alternatives, each a chain; if there are any, there are no steps, and one
	 * of them must be true
	 */
	int nany;
	struct KgChain *any;
	/* minimum number of distinct ends of the last step, at least 1 */
	int64 min_count;
	int64 max_count; /* maximum number of these; 0: no maximum */
	bool negated;	 /* the chain must not be true */
	const char *path;
	bool array;	  /* path is that of an array of steps */
	bool missing; /* an id of one type was not found */
	bool walked;  /* the chain was walked from some nodes */
	bool met;	  /* some of these nodes has an end of the chain */
	bool
		holds; /* true of all nodes: these were found by a walk from its ends */
} KgChain;

typedef struct KgRelated
{
	int n;
	KgChain *chains;
	int nany;
	KgNodeTest *any; /* if nany > 0, a node must pass one of these, too */
} KgRelated;

/*
 * Moves the visible nodes for which all chains, and an alternative, are true to
 * the front, and returns their number. Checks the estimated cost of each chain
 * first.
 */
extern uint32 kg_related_keep(KgGraph *graph, const KgRelated *related,
							  int64 *nodes, uint32 n);

/* A chain that finds nodes by a walk from its given ends. */
typedef struct KgAnchor
{
	KgChain *chain;
	KgStepSpec *specs; /* reversed */
	int64 *ends;
	uint32 n;
} KgAnchor;

/*
 * Finds the chain with the fewest given ends, of related and of another chain
 * that must be true of each node; either may be NULL. Ends that pass an indexed filter
 * are given if they are at most "most". Returns false if no chain has given
 * ends.
 */
extern bool kg_related_anchor(KgGraph *graph, const KgRelated *related,
							  KgChain *follows, const KgType *type, uint32 most,
							  KgAnchor *anchor);
/* Returns the estimated cost of the walk, in edges read. */
extern double kg_anchor_cost(KgGraph *graph, const KgAnchor *anchor);
/* Adds the nodes of the type that the walk finds. */
extern void kg_anchor_walk(KgGraph *graph, const KgAnchor *anchor,
						   KgNodeSet *nodes);

#endif /* KG_RELATED_H */
