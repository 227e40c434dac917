/*
 * related.h
 *	  Nodes that are connected as asked, or are not: chains of steps as semi-joins
 *	  and anti-joins of a set of nodes.
 *
 *	  A chain holds for a node where the steps lead from it to something that
 *	  passes their tests; with counts, to so many of it.  What the caller cannot
 *	  see is no end and no way.
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
	bool walked;  /* from some nodes, */
	bool met;	  /* one of which is connected so */
} KgChain;

typedef struct KgRelated
{
	int n;
	KgChain *chains;
} KgRelated;

/*
 * Those of the visible nodes for which all chains hold, moved to the front;
 * returns how many.  What a chain costs is estimated first.
 */
extern uint32 kg_related_keep(KgGraph *graph, const KgRelated *related,
							  int64 *nodes, uint32 n);

/*
 * The nodes of a type that a chain with given ends leads to, the chain walked
 * from these: what there is to choose from.  False where no chain has any.
 */
extern bool kg_related_anchor(KgGraph *graph, const KgRelated *related,
							  const KgType *type, KgNodeSet *nodes);

#endif /* KG_RELATED_H */
