/*
 * links.h
 *	  A piece of the graph in memory: what a search walked, by node.
 *
 *	  Steps are noted while frontiers are expanded and then sorted by the node
 *	  they start from; kg_links_of() gives a node's steps as a slice.
 */
#ifndef KG_LINKS_H
#define KG_LINKS_H

#include "query/frontier.h"
#include "query/nodes.h"

/* One step of a walk; ends are indexes of a node set. */
typedef struct KgLink
{
	uint32 from;
	uint32 to;
	int32 relation_no;
	bool backward;	/* the stored edge runs from "to" to "from" */
	Numeric weight; /* where weights are read; else NULL */
} KgLink;

/* Steps as they were delivered: those of one node over one relation. */
typedef struct KgStepGroup
{
	uint32 node;
	int32 relation_no;
	bool backward;
	uint32 n;
} KgStepGroup;

typedef struct KgStepList
{
	KgStepGroup *groups;
	uint32 ngroups;
	uint32 room;	  /* of groups */
	int64 *neighbors; /* of all groups, in their order */
	uint64 n;
	uint64 capacity;
} KgStepList;

typedef struct KgLinks
{
	KgGraph *graph;
	KgNodeSet *set;
	KgLink *links;
	uint64 n;
	uint64 capacity;
	uint32 *start; /* by node, after kg_links_sort(): nodes + 1 */
	uint32 nodes;
	KgStepList steps; /* read and not noted */
	uint8 *expanded;  /* by node: its steps are noted */
	uint32 expanded_size;
	bool reversed; /* steps were expanded from their ends */
	/* NULL, or the weight of an edge; false where it has none */
	bool (*weigh)(int32 relation_no, const Jsonb *properties, Numeric *weight,
				  void *arg);
	void *weigh_arg;
} KgLinks;

extern void kg_links_init(KgLinks *links, KgGraph *graph, KgNodeSet *set);

/*
 * Expand those of the nodes (indexes) that were not yet, noting each step as
 * from -> to in the direction of the walk; with reversed the walk runs from
 * the neighbours to the nodes.  New neighbours are added to the set.
 */
extern void kg_links_expand(KgLinks *links, const KgFollow *walk,
							const uint32 *nodes, uint32 n, bool reversed);
/*
 * The same in two: reading leaves the steps in links->steps and adds nothing to
 * the set, so that whoever finds what he wants among them can go without.
 */
extern void kg_links_read(KgLinks *links, const KgFollow *walk,
						  const uint32 *nodes, uint32 n, bool reversed);
extern void kg_links_note(KgLinks *links);
/* Note one of the steps that were read. */
extern void kg_links_note_step(KgLinks *links, const KgStepGroup *group,
							   uint32 neighbor);

/* Sort by "from" and drop repeated steps; drop steps that touch hidden nodes,
 * for which ranks (by node; NULL: none is hidden) has 0. */
extern void kg_links_sort(KgLinks *links, const uint16 *ranks);

static inline const KgLink *
kg_links_of(const KgLinks *links, uint32 node, uint32 *n)
{
	if (node >= links->nodes)
	{
		*n = 0;
		return NULL;
	}
	*n = links->start[node + 1] - links->start[node];
	return links->links + links->start[node];
}

/*
 * The ranks of all nodes of a set, brought up to date as the set grows.
 */
typedef struct KgRanks
{
	uint16 *ranks;
	uint32 n;
	uint32 capacity;
	bool presumed; /* all are there, and nobody minds of which type */
} KgRanks;

extern void kg_ranks_update(KgRanks *ranks, KgGraph *graph,
							const KgNodeSet *set);
/* The same where it is known that those that are new are of a type, and there. */
extern void kg_ranks_of_type(KgRanks *ranks, KgGraph *graph,
							 const KgNodeSet *set, const KgType *type);

#endif /* KG_LINKS_H */
