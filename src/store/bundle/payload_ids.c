/*
 * payload_ids.c
 *	  The items of a payload by their ids.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "store/bundle/payload_ids.h"
#include "utils/memutils.h"

typedef struct ItemSlot
{
	KgPayloadItem *item; /* NULL: the slot is free */
	uint32 hash;
} ItemSlot;

/*
 * A hash table with open addressing. A look-up reads one cache line of the
 * table, the item, and the item's id.
 */
struct KgItemTable
{
	/* number of slots (a power of two) minus 1; at most half are used */
	uint32 mask;
	ItemSlot *slots;
};

KgItemTable *
kg_payload_ids(const KgPayload *payload, const char *type)
{
	for (int i = 0; i < payload->nsets; i++)
		if (strcmp(payload->sets[i].type_name, type) == 0)
			return payload->sets[i].ids;
	return NULL;
}

static KgItemTable *
make_table(uint32 nitems)
{
	KgItemTable *table = palloc(sizeof(KgItemTable));

	table->mask = pg_nextpower2_32(16 + 2 * nitems) - 1;
	table->slots = MemoryContextAllocExtended(
		CurrentMemoryContext,
		((Size) table->mask + 1) * sizeof(ItemSlot),
		MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	return table;
}

static int
compare_sets(const void *a, const void *b)
{
	return strcmp((*(KgPayloadSet *const *) a)->type_name,
				  (*(KgPayloadSet *const *) b)->type_name);
}

/*
 * Creates the tables. Items of one type from several members of "entities"
 * share a table.
 */
void
kg_payload_ids_make(KgPayload *payload)
{
	KgPayloadSet **sets = palloc(Max(1, payload->nsets) *
								 sizeof(KgPayloadSet *));
	int end;

	for (int i = 0; i < payload->nsets; i++)
		sets[i] = &payload->sets[i];
	qsort(sets, payload->nsets, sizeof(KgPayloadSet *), compare_sets);
	for (int start = 0; start < payload->nsets; start = end)
	{
		uint32 nitems = 0;
		KgItemTable *table;

		CHECK_FOR_INTERRUPTS();
		for (end = start; end < payload->nsets &&
						  compare_sets(&sets[start], &sets[end]) == 0;
			 end++)
			nitems += sets[end]->nitems;
		table = make_table(nitems);
		for (int i = start; i < end; i++)
			sets[i]->ids = table;
	}
	pfree(sets);
}

static uint32
hash_of(const char *id)
{
	return hash_bytes((const unsigned char *) id, strlen(id));
}

/* Returns the slot that has the id, or the free slot for it. */
static ItemSlot *
slot_of(const KgItemTable *table, const char *id, uint32 hash)
{
	uint32 i = hash & table->mask;

	while (table->slots[i].item != NULL &&
		   (table->slots[i].hash != hash ||
			strcmp(table->slots[i].item->id, id) != 0))
		i = (i + 1) & table->mask;
	return &table->slots[i];
}

KgPayloadItem *
kg_item_enter(KgItemTable *table, KgPayloadItem *item)
{
	uint32 hash = hash_of(item->id);
	ItemSlot *slot = slot_of(table, item->id, hash);

	if (slot->item == NULL)
		*slot = (ItemSlot){item, hash};
	return slot->item;
}

KgPayloadItem *
kg_item_find(const KgItemTable *table, const char *id)
{
	return slot_of(table, id, hash_of(id))->item;
}

/*
 * Returns for each end the table of its type, or NULL if the type is not a type
 * of the payload's bundle. The ends on one side of the edges mostly have one
 * type.
 */
static const KgItemTable **
tables_of(const KgPayload *payload, const KgEdgeEnd *ends, int n)
{
	const KgItemTable **tables = palloc(n * sizeof(KgItemTable *));

	for (int i = 0; i < n; i++)
	{
		const KgType *type = ends[i].type;

		if (i >= 2 && type == ends[i - 2].type)
			tables[i] = tables[i - 2];
		else if (type && strcmp(type->bundle, payload->name) == 0)
			tables[i] = kg_payload_ids(payload, type->name);
		else
			tables[i] = NULL;
	}
	return tables;
}

/*
 * Number of look-ups ahead of the current look-up for which memory is
 * prefetched.
 */
#define KG_FETCH_AHEAD 8

void
kg_payload_nodes(const KgPayload *payload, KgEdgeEnd *ends, int n)
{
	const KgItemTable **tables = tables_of(payload, ends, n);
	uint32 *hashes = palloc(n * sizeof(uint32));

	for (int i = 0; i < n; i++)
		hashes[i] = tables[i] ? hash_of(ends[i].id) : 0;
	for (int i = 0; i < n; i++)
	{
		int slot = i + 2 * KG_FETCH_AHEAD;
		int item = i + KG_FETCH_AHEAD;
		const KgPayloadItem *found;

		if (slot < n && tables[slot])
			__builtin_prefetch(
				&tables[slot]->slots[hashes[slot] & tables[slot]->mask]);
		if (item < n && tables[item])
			__builtin_prefetch(
				tables[item]->slots[hashes[item] & tables[item]->mask].item);
		if (tables[i] == NULL)
			continue;
		found = slot_of(tables[i], ends[i].id, hashes[i])->item;
		if (found)
			ends[i].node = found->node;
	}
	pfree(hashes);
	pfree(tables);
}
