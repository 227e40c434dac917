/*
 * links.h
 *	  A piece of the graph in memory: the steps that a search walked, by
 *	  node.
 *
 * Steps are added while frontiers are expanded. They are then sorted by the
 * node from which they start. kg_links_of() returns the steps of a node as a
 * slice of the array.
 */
#ifndef KG_LINKS_H
#define KG_LINKS_H

#include "query/graph/frontier.h"
#include "query/graph/nodes.h"

/* One step of a walk. "from" and "to" are indexes of a node set. */
typedef struct KgLink
{
	uint32 from;
	uint32 to;
	int32 relation_no;
	bool backward; /* the stored edge runs from "to" to "from" */
	/* the weight of the edge, or NULL if the search reads no weights */
	Numeric weight;
} KgLink;

/* The steps of a node in one direction, in the form of packed edges. */
typedef struct KgStepPiece
{
	uint32 node;
	bool backward;
	Size start; /* offset in KgStepList.bytes */
	Size len;
} KgStepPiece;

typedef struct KgStepList
{
	KgStepPiece *pieces;
	uint32 n;
	uint32 capacity;
	/* the bytes of all pieces (KgStepPiece), one after the other */
	uint8 *bytes;
	Size len;
	Size room;
	StringInfoData row;			/* a row of kg_edge in packed form */
	KgRelationSet relations[2]; /* relations followed: forward, backward */
} KgStepList;

/*
 * Receives the packed steps of a node. Returns the number of these steps that
 * are over the relations.
 */
typedef int64 (*KgStepFunction)(uint32 node, const KgPacked *packed,
								const KgRelationSet *relations, void *arg);

typedef struct KgLinks
{
	KgGraph *graph;
	KgNodeSet *set;
	KgLink *links;
	uint64 n;
	uint64 capacity;
	/*
	 * set by kg_links_sort(): index of the first link of each node; nodes + 1
	 * members
	 */
	uint32 *start;
	uint32 nodes;
	/*
	 * steps that kg_links_read() has read, but that are not added to the links
	 * yet
	 */
	KgStepList steps;
	KgStepFunction look;
	void *look_arg;
	/* indexed by node: whether its steps have been added */
	uint8 *expanded;
	uint32 expanded_size;
	/* steps were read from the nodes at which they end */
	bool reversed;
	/*
	 * reads the weight of an edge; returns false if the edge has no weight.
	 * NULL: no weights are read
	 */
	bool (*weigh)(int32 relation_no, const Jsonb *properties, Numeric *weight,
				  void *arg);
	void *weigh_arg;
} KgLinks;

extern void kg_links_init(KgLinks *links, KgGraph *graph, KgNodeSet *set);

/*
 * Reads the steps of those nodes (given by index) whose steps have not been
 * read yet. Adds each step as from -> to in the direction of the walk. If
 * "reversed" is true, the walk runs from the neighbours to the nodes. Adds new
 * neighbours to the set.
 */
extern void kg_links_expand(KgLinks *links, const KgFollow *walk,
							const uint32 *nodes, uint32 n, bool reversed);
/*
 * Expand nodes in two phases. kg_links_read() passes the steps of each node to
 * look() and stores the steps packed, without adding their nodes to the set.
 * kg_links_note() then adds all these steps. A caller that needs only some of
 * the steps adds each of them by kg_links_note_step() instead.
 */
extern void kg_links_read(KgLinks *links, const KgFollow *walk,
						  const uint32 *nodes, uint32 n, bool reversed,
						  KgStepFunction look, void *arg);
extern void kg_links_note(KgLinks *links);
/* Adds one of the steps that kg_links_read() has passed to look(). */
extern void kg_links_note_step(KgLinks *links, uint32 node, uint32 neighbor,
							   int32 relation_no, bool backward);

/*
 * Sorts the steps by "from" and removes repeated steps and steps that touch
 * hidden nodes. ranks (by node) is 0 for hidden nodes; NULL: no node is
 * hidden.
 */
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
 * Returns whether both links are steps over the same stored edge. Parallel
 * edges of a relation with a key are one link.
 */
static inline bool
kg_link_same_edge(const KgLink *x, const KgLink *y)
{
	if (x->relation_no != y->relation_no)
		return false;
	if (x->backward == y->backward)
		return x->from == y->from && x->to == y->to;
	return x->from == y->to && x->to == y->from;
}

/* The ranks of all nodes of a set, updated when the set grows. */
typedef struct KgRanks
{
	uint16 *ranks;
	uint32 n;
	uint32 capacity;
	/* all nodes are known to exist, and their types are not needed */
	bool presumed;
} KgRanks;

extern void kg_ranks_update(KgRanks *ranks, KgGraph *graph,
							const KgNodeSet *set);
/*
 * Sets the ranks of the nodes that are new in the set without reading the
 * nodes, if the relations of the links from index "first" on determine all
 * these ranks. Otherwise leaves the ranks as they are. Each new node must be
 * the "to" of one of these links.
 */
extern void kg_ranks_imply(KgRanks *ranks, const KgLinks *links, uint64 first);
/*
 * Gives the rank of the type to all nodes that are new in the set, without
 * reading the nodes. The caller must know that they exist and are of this type.
 */
extern void kg_ranks_of_type(KgRanks *ranks, KgGraph *graph,
							 const KgNodeSet *set, const KgType *type);

#endif /* KG_LINKS_H */
