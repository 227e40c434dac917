/*
 * related.h
 *	  The condition "related": chains of steps as semi-joins and anti-joins
 *	  with a set of nodes.
 *
 * A chain is true for a node if its steps lead from the node to an end that
 * passes the tests. If the chain has a minimum or maximum count, the number of
 * such ends must be within these limits. Nodes and edges that the caller may
 * not see do not count.
 */
#ifndef KG_RELATED_H
#define KG_RELATED_H

#include "query/graph/traverse.h"

typedef struct KgChain
{
	KgStepSpec *specs;
	int nsteps;
	/*
	 * number of alternatives, which are chains. If it is not 0, the chain has
	 * no steps of its own, and at least one alternative must be true
	 */
	int nany;
	struct KgChain *any;
	/* minimum number of distinct ends of the last step, at least 1 */
	int64 min_count;
	/* maximum number of distinct ends; 0: no maximum */
	int64 max_count;
	bool negated; /* the chain must not be true */
	const char *path;
	bool array;	  /* path leads to an array of steps */
	bool missing; /* an id of one type was not found */
	bool walked;  /* the chain was walked from some nodes */
	/* the chain leads from at least one of the tested nodes to an end */
	bool met;
	/*
	 * the chain is true for all tested nodes, because they were found by a
	 * walk from its ends
	 */
	bool holds;
} KgChain;

typedef struct KgRelated
{
	int n;
	KgChain *chains;
	int nany;
	/* if nany > 0, a node must also pass at least one of these tests */
	KgNodeTest *any;
} KgRelated;

/*
 * Reduces the array to the visible nodes for which all chains and at least one
 * alternative are true. Returns the number of these nodes. Checks the
 * estimated cost of each chain first.
 */
extern uint32 kg_related_keep(KgGraph *graph, const KgRelated *related,
							  int64 *nodes, uint32 n);

/*
 * A chain whose ends are known, so that a walk back from these ends finds the
 * nodes for which the chain is true.
 */
typedef struct KgAnchor
{
	KgChain *chain;
	KgStepSpec *specs; /* reversed */
	int64 *ends;
	uint32 n;
} KgAnchor;

/*
 * Finds the chain with the fewest known ends, among the chains of "related" and
 * the chain "follows". All these chains must be true for the wanted nodes,
 * which are of "type". "related" and "follows" may be NULL. Ends are known if
 * the chain names their ids, or if an index finds at most "most" of them.
 * Returns false if no chain has known ends.
 */
extern bool kg_related_anchor(KgGraph *graph, const KgRelated *related,
							  KgChain *follows, const KgType *type, uint32 most,
							  KgAnchor *anchor);
/*
 * Reduces nodes that kg_anchor_walk() has found to those for which the other
 * chains with known ends are true. Returns the number of the remaining nodes.
 * kg_related_keep() does not walk these chains again.
 */
extern uint32 kg_related_narrow(KgGraph *graph, const KgRelated *related,
								KgChain *follows, int64 *nodes, uint32 n);
/* Returns the estimated cost of the walk, in edges read. */
extern double kg_anchor_cost(KgGraph *graph, const KgAnchor *anchor);
/* Adds the nodes of the type that the walk finds. */
extern void kg_anchor_walk(KgGraph *graph, const KgAnchor *anchor,
						   KgNodeSet *nodes);

#endif /* KG_RELATED_H */
