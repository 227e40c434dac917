/*
 * cost.h
 *	  Estimates of a search's cost, made before it runs.
 *
 * The unit is one edge read. An estimate samples the nodes that the search
 * starts from: the edges of a few of them, of a few of their neighbours, and
 * so on, up to the number of hops. If it is above kg_graph.max_cost, the
 * nodes that the caller can see are counted, because no search reads more
 * than exists. If it is still above, the call is refused. Only data that the
 * caller may see counts.
 */
#ifndef KG_COST_H
#define KG_COST_H

#include "query/graph/paths.h"
#include "query/graph/traverse.h"

/*
 * Checks the cost of a breadth-first search from all starts together, or from
 * each of them separately (each). path names the argument to make smaller.
 */
extern void kg_cost_reach(KgGraph *graph, const KgFollow *walk,
						  const int64 *starts, uint32 n, int hops, bool each,
						  const char *path);
/* Checks the cost of a traversal: bindings of a chain of steps. */
extern void kg_cost_traverse(KgGraph *graph, const int64 *starts, uint32 n,
							 const KgStepSpec *specs, int nsteps,
							 const char *path);
/* Returns the estimated cost of a traversal, and checks nothing. */
extern double kg_cost_of(KgGraph *graph, const int64 *starts, uint32 n,
						 const KgStepSpec *specs, int nsteps);
/* Checks the cost of finding paths between two sets of nodes. */
extern void kg_cost_paths(KgGraph *graph, const KgPathQuery *query);

/* Returns an estimate as it is reported: rounded to two digits. */
extern double kg_cost_rounded(double cost);

#endif /* KG_COST_H */
