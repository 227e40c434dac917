/*
 * nodeset.h
 *	  Sets of node numbers.
 */
#ifndef KG_NODESET_H
#define KG_NODESET_H

#define KG_NO_NODE PG_UINT32_MAX /* 0 - 1 */

/*
 * A set of nodes in the order in which they were added: a frontier is a slice
 * of it and a depth is a boundary in it.
 *
 * If many nodes have near numbers, there is also a bitmap of the numbers from
 * "low" on. A search looks up most nodes repeatedly, and the bitmap stays in
 * the processor's cache. A node in the bitmap gets its slot in the hash table
 * only when its index is requested.
 */
typedef struct KgNodeSet
{
	MemoryContext context;
	int64 *nodes;
	uint32 *slots; /* hash table: index + 1, or 0 for an empty slot */
	uint32 n;
	/*
	 * at least this number of nodes, from the first on, have slots; the
	 * remaining nodes have bits
	 */
	uint32 placed;
	uint32 capacity; /* allocated length of nodes */
	uint32 mask;	 /* slots - 1 */
	int shift;
	uint64 *bits;
	int64 low;
	uint64 nbits; /* 0: no bitmap */
} KgNodeSet;

extern void kg_nodeset_init(KgNodeSet *set, MemoryContext context);
extern void kg_nodeset_grow(KgNodeSet *set);
extern void kg_nodeset_free(KgNodeSet *set);
/* Gives every node of the set its slot in the hash table. */
extern void kg_nodeset_place(KgNodeSet *set);

static inline uint32
kg_nodeset_slot(const KgNodeSet *set, int64 node)
{
	return (uint32) (((uint64) node * UINT64CONST(0x9E3779B97F4A7C15)) >>
					 set->shift);
}

/*
 * Returns the slot of the node, or the empty slot into which the node would be
 * put.
 */
static inline uint32
kg_nodeset_probe(const KgNodeSet *set, int64 node)
{
	uint32 slot = kg_nodeset_slot(set, node);

	while (set->slots[slot] != 0 && set->nodes[set->slots[slot] - 1] != node)
		slot = (slot + 1) & set->mask;
	return slot;
}

/* Returns whether the bitmap covers the number, and sets *bit. */
static inline bool
kg_nodeset_has_bit(const KgNodeSet *set, int64 node, uint64 *bit)
{
	*bit = (uint64) node - (uint64) set->low;
	return *bit < set->nbits;
}

static inline bool
kg_nodeset_bit_is_set(const KgNodeSet *set, uint64 bit)
{
	return (set->bits[bit >> 6] >> (bit & 63) & 1) != 0;
}

/* Returns the index of a node, or KG_NO_NODE. */
static inline uint32
kg_nodeset_find(const KgNodeSet *set, int64 node)
{
	uint32 entry = set->slots[kg_nodeset_probe(set, node)];
	uint64 bit;

	if (entry == 0 && set->placed < set->n &&
		kg_nodeset_has_bit(set, node, &bit) && kg_nodeset_bit_is_set(set, bit))
	{
		/*
		 * kg_nodeset_place() adds slots only; the nodes of the set do not
		 * change.
		 */
		kg_nodeset_place((KgNodeSet *) set);
		entry = set->slots[kg_nodeset_probe(set, node)];
	}
	return entry - 1;
}

/*
 * Returns whether the set has the node. Looks up no slot if the bitmap covers
 * the number.
 */
static inline bool
kg_nodeset_has(const KgNodeSet *set, int64 node)
{
	uint64 bit;

	if (kg_nodeset_has_bit(set, node, &bit))
		return kg_nodeset_bit_is_set(set, bit);
	return kg_nodeset_find(set, node) != KG_NO_NODE;
}

/* Adds a node unless the set has it. Returns the index of the node. */
static inline uint32
kg_nodeset_add(KgNodeSet *set, int64 node)
{
	uint32 slot;
	uint64 bit;

	if (set->n == set->capacity)
		kg_nodeset_grow(set);
	if (kg_nodeset_has_bit(set, node, &bit))
	{
		if (kg_nodeset_bit_is_set(set, bit))
			return kg_nodeset_find(set, node);
		set->bits[bit >> 6] |= UINT64CONST(1) << (bit & 63);
		set->nodes[set->n] = node;
		return set->n++;
	}
	if (set->placed < set->n)
		kg_nodeset_place(set);
	slot = kg_nodeset_probe(set, node);
	if (set->slots[slot] != 0)
		return set->slots[slot] - 1;
	set->nodes[set->n] = node;
	set->slots[slot] = ++set->n;
	set->placed = set->n;
	return set->n - 1;
}

/*
 * Adds a node unless the set has it, for callers that do not need the node's
 * index.
 */
static inline void
kg_nodeset_include(KgNodeSet *set, int64 node)
{
	uint64 bit;

	if (!kg_nodeset_has_bit(set, node, &bit) ||
		!kg_nodeset_bit_is_set(set, bit))
		(void) kg_nodeset_add(set, node);
}

#endif /* KG_NODESET_H */
