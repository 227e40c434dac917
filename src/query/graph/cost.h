/*
 * cost.h
 *	  What a search is likely to cost, told before it runs.
 *
 *	  The unit is an edge looked at.  An estimate is made of the nodes that the
 *	  search starts from: the edges of a few of them, of a few of their
 *	  neighbours, and so on for as many hops as the search may go.  Where that
 *	  is above kg_graph.max_cost, the nodes that the caller can see are counted,
 *	  because no search reads more than there is; where it still is, the call is
 *	  refused.  Only what the caller may see decides.
 */
#ifndef KG_COST_H
#define KG_COST_H

#include "query/graph/paths.h"
#include "query/graph/traverse.h"

/*
 * Breadth-first search from all starts together (rounds 1) or from each on its
 * own (rounds n).  path names the argument to make smaller.
 */
extern void kg_cost_reach(KgGraph *graph, const KgFollow *walk,
						  const int64 *starts, uint32 n, int hops, bool each,
						  const char *path);
/* Bindings of a chain of steps. */
extern void kg_cost_traverse(KgGraph *graph, const int64 *starts, uint32 n,
							 const KgStepSpec *specs, int nsteps,
							 const char *path);
/* Paths between two sets of nodes. */
extern void kg_cost_paths(KgGraph *graph, const KgPathQuery *query);

/* An estimate as it is told: of two digits. */
extern double kg_cost_rounded(double cost);

#endif /* KG_COST_H */
