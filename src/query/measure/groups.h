/*
 * groups.h
 *	  Measures that divide a network into groups of nodes.
 */
#ifndef KG_GROUPS_H
#define KG_GROUPS_H

#include "query/measure/network.h"

/*
 * Groups in descending order of their sizes. Groups of equal size are in the
 * order of their first nodes. Allocated in the memory context of the graph.
 */
typedef struct KgGroups
{
	uint32 n;
	uint32 *of;	   /* indexed by node: its group */
	uint32 *sizes; /* by group */
} KgGroups;

/*
 * Divides the network into connected components, whatever the directions of its
 * walk.
 */
extern void kg_measure_components(KgNetwork *net, KgGroups *groups);

/*
 * Divides the network into communities whose modularity is high, and returns
 * the modularity. Each community is connected. The seed determines the order in
 * which nodes are moved.
 */
extern double kg_measure_communities(KgNetwork *net, int64 seed,
									 KgGroups *groups);

/*
 * Makes a group of each node, and then, for each edge with a weight above 0,
 * joins the groups of its two nodes, if both nodes are in the same part (part
 * NULL: the network is one part).
 */
extern void kg_groups_connect(KgNetwork *net, const uint32 *part,
							  KgGroups *groups);

#endif /* KG_GROUPS_H */
