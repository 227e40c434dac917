/*
 * related.h
 *	  The condition "related": chains of steps as semi-joins and anti-
 *	  joins of a set of nodes.
 *
 * A chain holds for a node if the steps lead from it to a node that passes
 * their tests; with counts, if the number of such nodes is within them.
 * Nodes and edges that the caller cannot see do not count.
 */
#ifndef KG_RELATED_H
#define KG_RELATED_H

#include "query/graph/traverse.h"

typedef struct KgChain
{
	KgStepSpec *specs; /* of one hop each */
	int nsteps;
	int64 min_count; /* distinct ends of the last step, at least 1, */
	int64 max_count; /* and at most; 0: any number */
	bool negated;	 /* it must not hold */
	const char *path;
	bool array;	  /* of steps, at the path */
	bool missing; /* an id of one type was not found */
	bool walked;  /* the chain was walked from some nodes, */
	bool met;	  /* and holds for at least one of them */
} KgChain;

typedef struct KgRelated
{
	int n;
	KgChain *chains;
} KgRelated;

/*
 * Moves the visible nodes for which all chains hold to the front; returns
 * their number. Checks the estimated cost of each chain first.
 */
extern uint32 kg_related_keep(KgGraph *graph, const KgRelated *related,
							  int64 *nodes, uint32 n);

/*
 * Finds the candidate nodes of a type by walking a chain with given ends from
 * these ends. Returns false if no chain has given ends.
 */
extern bool kg_related_anchor(KgGraph *graph, const KgRelated *related,
							  const KgType *type, KgNodeSet *nodes);

#endif /* KG_RELATED_H */
