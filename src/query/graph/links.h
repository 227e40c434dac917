/*
 * links.h
 *	  A piece of the graph in memory: what a search walked, by node.
 *
 *	  Steps are noted while frontiers are expanded and then sorted by the node
 *	  they start from; kg_links_of() gives a node's steps as a slice.
 */
#ifndef KG_LINKS_H
#define KG_LINKS_H

#include "query/graph/frontier.h"
#include "query/graph/nodes.h"

/* One step of a walk; ends are indexes of a node set. */
typedef struct KgLink
{
	uint32 from;
	uint32 to;
	int32 relation_no;
	bool backward;	/* the stored edge runs from "to" to "from" */
	Numeric weight; /* where weights are read; else NULL */
} KgLink;

/* The steps of a node in one direction, as they are packed. */
typedef struct KgStepPiece
{
	uint32 node;
	bool backward;
	Size start; /* of its bytes */
	Size len;
} KgStepPiece;

typedef struct KgStepList
{
	KgStepPiece *pieces;
	uint32 n;
	uint32 capacity;
	uint8 *bytes; /* of all pieces, in their order */
	Size len;
	Size room;
	StringInfoData row;			/* one of kg_edge, packed */
	KgRelationSet relations[2]; /* that are followed: forward, backward */
} KgStepList;

/* Returns how many steps the piece has over the relations. */
typedef int64 (*KgStepFunction)(uint32 node, const KgPacked *packed,
								const KgRelationSet *relations, void *arg);

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
	KgStepFunction look;
	void *look_arg;
	uint8 *expanded; /* by node: its steps are noted */
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
 * The same in two: reading shows the steps of each node and keeps them packed,
 * but adds nothing to the set, so that whoever finds what he wants among them
 * notes these alone and goes without the others.
 */
extern void kg_links_read(KgLinks *links, const KgFollow *walk,
						  const uint32 *nodes, uint32 n, bool reversed,
						  KgStepFunction look, void *arg);
extern void kg_links_note(KgLinks *links);
/* Note one of the steps that are shown. */
extern void kg_links_note_step(KgLinks *links, uint32 node, uint32 neighbor,
							   int32 relation_no, bool backward);

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
