/*
 * nodeset.c
 *	  Sets of node numbers: an array in the order in which they were added, and
 *	  a hash table of places in it with linear probing.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "query/nodeset.h"
#include "utils/memutils.h"

#define KG_NODESET_START 64

void
kg_nodeset_init(KgNodeSet *set, MemoryContext context)
{
	set->context = context;
	set->n = 0;
	set->capacity = KG_NODESET_START / 2;
	set->mask = KG_NODESET_START - 1;
	set->shift = 64 - pg_leftmost_one_pos32(KG_NODESET_START);
	set->nodes = MemoryContextAlloc(context, set->capacity * sizeof(int64));
	set->slots = MemoryContextAllocZero(context,
										KG_NODESET_START * sizeof(uint32));
}

/* Room for twice as many: the slots stay at most half full. */
void
kg_nodeset_grow(KgNodeSet *set)
{
	uint64 nslots = ((uint64) set->mask + 1) * 2;

	if (nslots > ((uint64) 1 << 31))
		elog(ERROR, "too many nodes in one search");
	set->capacity = (uint32) (nslots / 2);
	set->nodes = repalloc_huge(set->nodes,
							   (Size) set->capacity * sizeof(int64));
	pfree(set->slots);
	set->slots = MemoryContextAllocExtended(set->context,
											nslots * sizeof(uint32),
											MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	set->mask = (uint32) (nslots - 1);
	set->shift--;
	for (uint32 i = 0; i < set->n; i++)
	{
		uint32 slot = kg_nodeset_slot(set, set->nodes[i]);

		while (set->slots[slot] != 0)
			slot = (slot + 1) & set->mask;
		set->slots[slot] = i + 1;
	}
}

void
kg_nodeset_free(KgNodeSet *set)
{
	pfree(set->nodes);
	pfree(set->slots);
	set->nodes = NULL;
	set->slots = NULL;
	set->n = 0;
}
