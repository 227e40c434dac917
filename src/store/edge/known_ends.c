/*
 * known_ends.c
 *	  A cache of the nodes of ends of edges.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "store/edge/known_ends.h"
#include "utils/memutils.h"

/* Maximum number of cached ids. If it is reached, the cache is emptied. */
#define KG_KNOWN_COPIES 200000

typedef struct KnownEnd
{
	const char *id; /* NULL: the slot is free */
	int64 node;
	int32 type_no;
	uint32 hash;
} KnownEnd;

/*
 * A hash table with open addressing. A look-up reads one cache line of the
 * table, and the id.
 */
struct KgKnownEnds
{
	MemoryContext context;
	KnownEnd *slots;
	/* number of slots: a power of two, at least twice the used slots */
	uint32 size;
	uint32 used;
	MemoryContext ids;
	int copied;
};

static void
allocate(KgKnownEnds *known, uint32 size)
{
	known->size = size;
	known->used = 0;
	known->slots = MemoryContextAllocExtended(known->context,
											  (Size) size * sizeof(KnownEnd),
											  MCXT_ALLOC_HUGE |
												  MCXT_ALLOC_ZERO);
}

KgKnownEnds *
kg_known_ends_make(void)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph known ends", ALLOCSET_DEFAULT_SIZES);
	KgKnownEnds *known = MemoryContextAllocZero(context, sizeof(KgKnownEnds));

	known->context = context;
	known->ids = AllocSetContextCreate(
		context, "kg_graph ids of ends", ALLOCSET_DEFAULT_SIZES);
	allocate(known, 1024);
	return known;
}

void
kg_known_ends_free(KgKnownEnds *known)
{
	MemoryContextDelete(known->context);
}

static uint32
hash_of(const KgType *type, const char *id)
{
	return hash_bytes((const unsigned char *) id, strlen(id)) ^
		   (uint32) type->type_no;
}

/* Returns the slot that has the end, or the free slot for it. */
static KnownEnd *
slot_of(const KgKnownEnds *known, int32 type_no, const char *id, uint32 hash)
{
	uint32 i = hash & (known->size - 1);

	while (known->slots[i].id != NULL && (known->slots[i].hash != hash ||
										  known->slots[i].type_no != type_no ||
										  strcmp(known->slots[i].id, id) != 0))
		i = (i + 1) & (known->size - 1);
	return &known->slots[i];
}

static void
insert(KgKnownEnds *known, const KnownEnd *end)
{
	KnownEnd *slot = slot_of(known, end->type_no, end->id, end->hash);

	known->used += slot->id == NULL;
	*slot = *end;
}

static void
grow(KgKnownEnds *known)
{
	KnownEnd *slots = known->slots;
	uint32 size = known->size;

	allocate(known, 2 * size);
	for (uint32 i = 0; i < size; i++)
		if (slots[i].id != NULL)
			insert(known, &slots[i]);
	pfree(slots);
}

void
kg_known_ends_remember(KgKnownEnds *known, const KgEdgeEnd *end)
{
	KnownEnd copy = {
		NULL, end->node, end->type->type_no, hash_of(end->type, end->id)};

	if (known->copied++ >= KG_KNOWN_COPIES)
	{
		memset(known->slots, 0, (Size) known->size * sizeof(KnownEnd));
		known->used = 0;
		MemoryContextReset(known->ids);
		known->copied = 0;
	}
	if (2 * known->used >= known->size)
		grow(known);
	copy.id = MemoryContextStrdup(known->ids, end->id);
	insert(known, &copy);
}

int
kg_known_ends_recall(const KgKnownEnds *known, KgEdgeEnd *ends, int n,
					 KgEdgeEnd **unknown)
{
	int nunknown = 0;

	for (int i = 0; i < n; i++)
	{
		const KgType *type = ends[i].type;
		const KnownEnd *entry;

		if (type == NULL || ends[i].node != 0)
			continue;
		entry = slot_of(
			known, type->type_no, ends[i].id, hash_of(type, ends[i].id));
		if (entry->id == NULL)
			unknown[nunknown++] = &ends[i];
		else
			ends[i].node = entry->node;
	}
	return nunknown;
}
