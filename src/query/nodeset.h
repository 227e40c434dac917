/*
 * nodeset.h
 *	  Sets of node numbers.
 */
#ifndef KG_NODESET_H
#define KG_NODESET_H

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

#endif /* KG_NODESET_H */
