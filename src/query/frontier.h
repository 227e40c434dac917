/*
 * frontier.h
 *	  The search engine: sets of nodes, and the expansion of a whole frontier
 *	  by one statement a direction.
 *
 * A KgGraph lives as long as one call of a tool.  What a search keeps is in
 * its memory context, which outlives the executor's; kg_graph_end() frees it.
 * Nothing here reads a table but through query/plan.h, so that the caller's
 * privileges and row-level security decide at every hop.
 */
#ifndef KG_FRONTIER_H
#define KG_FRONTIER_H

#include "catalog/catalog.h"

#define KG_NO_NODE PG_UINT32_MAX

/*
 * A set of nodes in the order in which they were added, so that a frontier is
 * a slice of it and a depth is a boundary in it.
 */
typedef struct KgNodeSet
{
	MemoryContext context;
	int64 *nodes;
	uint32 *slots; /* index + 1, or 0 */
	uint32 n;
	uint32 capacity; /* of nodes */
	uint32 mask;	 /* slots - 1 */
	int shift;
} KgNodeSet;

extern void kg_nodeset_init(KgNodeSet *set, MemoryContext context);
extern void kg_nodeset_grow(KgNodeSet *set);
extern void kg_nodeset_free(KgNodeSet *set);

static inline uint32
kg_nodeset_slot(const KgNodeSet *set, int64 node)
{
	return (uint32) (((uint64) node * UINT64CONST(0x9E3779B97F4A7C15)) >>
					 set->shift);
}

/* The index of a node, or KG_NO_NODE. */
static inline uint32
kg_nodeset_find(const KgNodeSet *set, int64 node)
{
	uint32 slot = kg_nodeset_slot(set, node);

	for (;;)
	{
		uint32 entry = set->slots[slot];

		if (entry == 0)
			return KG_NO_NODE;
		if (set->nodes[entry - 1] == node)
			return entry - 1;
		slot = (slot + 1) & set->mask;
	}
}

/* Add a node unless it is there; its index either way. */
static inline uint32
kg_nodeset_add(KgNodeSet *set, int64 node)
{
	uint32 slot;

	if (set->n == set->capacity)
		kg_nodeset_grow(set);
	slot = kg_nodeset_slot(set, node);
	for (;;)
	{
		uint32 entry = set->slots[slot];

		if (entry == 0)
			break;
		if (set->nodes[entry - 1] == node)
			return entry - 1;
		slot = (slot + 1) & set->mask;
	}
	set->nodes[set->n] = node;
	set->slots[slot] = ++set->n;
	return set->n - 1;
}

/* Which relations are followed in one direction. */
typedef struct KgRelationSet
{
	bool all;
	int n;
	int32 *numbers; /* ascending */
} KgRelationSet;

/*
 * How a search walks.  "forward" is along the stored orientation; a symmetric
 * relation is in both whatever direction was asked for.
 */
typedef struct KgFollow
{
	KgRelationSet forward;
	KgRelationSet backward;
	bool properties; /* edges are delivered with their properties */
	/* NULL, or which edges are walked; implies properties */
	bool (*accept)(int32 relation_no, const Jsonb *properties, void *arg);
	void *accept_arg;
} KgFollow;

/* Neighbours of one node over one relation in one direction. */
typedef struct KgNeighbors
{
	int64 node;
	int32 relation_no;
	bool backward; /* the stored edges run from the neighbours to the node */
	const int64 *neighbors;
	int n;
	const Jsonb *properties; /* n is 1 where properties were asked for */
} KgNeighbors;

typedef void (*KgNeighborFunction)(const KgNeighbors *found, void *arg);

/* What the ends of a relation's edges are; 0 where its variants differ. */
typedef struct KgImplied
{
	int32 relation_no;
	bool known;
	uint16 ranks[2]; /* of the source, of the target */
} KgImplied;

#define KG_IMPLIED 64

/*
 * What the search read of a node by itself, which is mostly the start: edges
 * of the page and the page itself ask for it again.
 */
typedef struct KgKept
{
	const struct KgRef *ref;  /* its row; NULL: not read */
	int64 node;				  /* whose packed row was looked up; 0: none */
	bool packed;			  /* it has one */
	struct varlena *edges[2]; /* out, in; as stored; NULL: none */
} KgKept;

typedef struct KgGraph
{
	const KgCatalog *catalog;
	MemoryContext context;
	Datum tenant;
	bool check_nodes; /* kg_entity has policies of others: look at every hop */
	bool packed;	  /* kg_adjacency says what kg_edge says */
	int64 edges;	  /* read so far */
	double cost;	  /* estimated so far, see query/cost.h */
	int nranks;		  /* types in the order of replies; rank 0 is none */
	const KgType **ranked;
	/* relations met last, by the low bits of their number */
	KgImplied *implied;
	KgKept kept;
} KgGraph;

/* Begin a search as the current role; raises KG_NO_TENANT. */
extern KgGraph *kg_graph_begin(void);
extern void kg_graph_end(KgGraph *graph);

/* Raise KG_LIMIT_EXCEEDED where a search took more than its settings allow. */
extern void kg_graph_check_visited(KgGraph *graph, uint64 visited);
extern void kg_graph_check_memory(KgGraph *graph);
extern void kg_graph_charge_edges(KgGraph *graph, int64 edges);

/* Does the walk follow the relation both ways? */
extern bool kg_relation_set_has(const KgRelationSet *set, int32 relation_no);
extern bool kg_follow_both(const KgFollow *walk, int32 relation_no);
/* The same walk from the other end. */
extern void kg_follow_reverse(const KgFollow *walk, KgFollow *reversed);

/* Nodes a statement; 128 kB of array. */
#define KG_PIECE 16384

/*
 * Deliver the neighbours of the nodes.  An edge between two of the nodes that
 * is followed both ways is delivered from both.  Neighbours may be hidden:
 * kg_graph_types() says which.  The array of nodes is scratch afterwards.
 */
extern void kg_graph_expand(KgGraph *graph, const KgFollow *walk, int64 *nodes,
							uint32 n, KgNeighborFunction found, void *arg);

#endif /* KG_FRONTIER_H */
