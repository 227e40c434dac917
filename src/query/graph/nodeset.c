/*
 * nodeset.c
 *	  Sets of node numbers.
 *
 * A set has an array of nodes in the order in which they were added, and a
 * hash table with linear probing that finds the index of a node in the array.
 * A large set of near numbers also has a bitmap.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "query/graph/nodeset.h"
#include "utils/memutils.h"

#define KG_NODESET_START 64
/* A set with a lower capacity grows fourfold, as it takes little memory. */
#define KG_NODESET_SMALL 1024

/*
 * Minimum capacity of a set with a bitmap. Smaller sets fit into the
 * processor's cache.
 */
#define KG_NODESET_BITS 8192
/* Maximum number of bits for each node of the capacity. */
#define KG_BITS_A_NODE 16

void
kg_nodeset_init(KgNodeSet *set, MemoryContext context)
{
	memset(set, 0, sizeof(*set));
	set->context = context;
	set->capacity = KG_NODESET_START / 2;
	set->mask = KG_NODESET_START - 1;
	set->shift = 64 - pg_leftmost_one_pos32(KG_NODESET_START);
	set->nodes = MemoryContextAlloc(context, set->capacity * sizeof(int64));
	set->slots = MemoryContextAllocZero(context,
										KG_NODESET_START * sizeof(uint32));
}

/*
 * Allocates two slots for each node of the capacity, so at most half are used.
 */
static void
make_slots(KgNodeSet *set)
{
	Size nslots = (Size) set->capacity * 2;

	pfree(set->slots);
	set->slots = MemoryContextAllocExtended(set->context,
											nslots * sizeof(uint32),
											MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	set->mask = (uint32) (nslots - 1);
	set->shift = 64 - pg_leftmost_one_pos64(nslots);
	set->placed = 0;
}

void
kg_nodeset_place(KgNodeSet *set)
{
	if (set->mask + 1 < set->capacity * 2)
		make_slots(set);
	for (; set->placed < set->n; set->placed++)
		set->slots[kg_nodeset_probe(set, set->nodes[set->placed])] =
			set->placed + 1;
}

static void
free_bits(KgNodeSet *set)
{
	if (set->bits != NULL)
		pfree(set->bits);
	set->bits = NULL;
	set->nbits = 0;
}

/*
 * Allocates one bit for each number from the lowest node to the highest, and
 * half as many again on both sides, because most nodes that are added later
 * are in this range.
 */
static void
make_bits(KgNodeSet *set)
{
	uint64 most = (uint64) set->capacity * KG_BITS_A_NODE;
	int64 low = set->nodes[0];
	int64 high = set->nodes[0];
	uint64 span;
	uint64 bit;

	free_bits(set);
	for (uint32 i = 1; i < set->n; i++)
	{
		low = Min(low, set->nodes[i]);
		high = Max(high, set->nodes[i]);
	}
	span = (uint64) high - (uint64) low;
	if (span >= most)
		return;
	set->nbits = Min(most, TYPEALIGN64(64, span * 2 + 64));
	set->low = low - (int64) ((set->nbits - span) / 2);
	set->bits = MemoryContextAllocExtended(
		set->context, set->nbits / 8, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < set->n; i++)
	{
		(void) kg_nodeset_has_bit(set, set->nodes[i], &bit);
		set->bits[bit >> 6] |= UINT64CONST(1) << (bit & 63);
	}
}

void
kg_nodeset_grow(KgNodeSet *set)
{
	if (set->capacity >= (uint32) 1 << 30)
		elog(ERROR, "too many nodes in one search");
	set->capacity *= set->capacity < KG_NODESET_SMALL ? 4 : 2;
	set->nodes = repalloc_huge(set->nodes,
							   (Size) set->capacity * sizeof(int64));
	if (set->capacity >= KG_NODESET_BITS)
		make_bits(set);
	set->placed = 0;
	if (set->bits == NULL)
		kg_nodeset_place(set);
}

void
kg_nodeset_free(KgNodeSet *set)
{
	pfree(set->nodes);
	pfree(set->slots);
	free_bits(set);
	set->nodes = NULL;
	set->slots = NULL;
	set->n = 0;
}
