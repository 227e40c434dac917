/*
 * cost.h
 *	  Estimates of a search's cost, made before it runs.
 *
 * The unit is one edge read. An estimate samples the nodes from which the
 * search starts: it reads the edges of a few of these nodes, then of a few of
 * their neighbours, and so on, up to the number of hops. If the estimate is
 * above kg_graph.max_cost, the nodes that the caller can see are counted,
 * because no search reads more nodes than exist. If the estimate is still
 * above the maximum, the call is refused. Only data that the caller may see
 * counts.
 */
#ifndef KG_COST_H
#define KG_COST_H

#include "query/graph/paths.h"
#include "query/graph/traverse.h"

/*
 * Checks the cost of a breadth-first search from all starts together. If "each"
 * is true, the cost of one search from each start is counted. path names the
 * argument that the caller should make smaller.
 */
extern void kg_cost_reach(KgGraph *graph, const KgFollow *walk,
						  const int64 *starts, uint32 n, int hops, bool each,
						  const char *path);
/*
 * Checks the cost of a traversal, that is, of finding the rows of nodes that
 * match a chain of steps.
 */
extern void kg_cost_traverse(KgGraph *graph, const int64 *starts, uint32 n,
							 const KgStepSpec *specs, int nsteps,
							 const char *path);
/* Returns the estimated cost of a traversal, and checks nothing. */
extern double kg_cost_of(KgGraph *graph, const int64 *starts, uint32 n,
						 const KgStepSpec *specs, int nsteps);
/* Checks the cost of finding paths between two sets of nodes. */
extern void kg_cost_paths(KgGraph *graph, const KgPathQuery *query);

/*
 * Returns an estimate rounded up to two digits, which is the form in which it
 * is reported.
 */
extern double kg_cost_rounded(double cost);

#endif /* KG_COST_H */
