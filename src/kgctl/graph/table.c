/*
 * graph/table.c
 *	  A hash table whose keys are texts: open addressing, at most half full.
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/buf.h"
#include "kgctl/graph/table.h"

typedef struct Slot
{
	const char *key;
	void *value; /* NULL: the slot is empty */
} Slot;

struct KgTable
{
	Slot *slots;
	size_t size; /* number of slots, a power of 2 */
	size_t n;
};

KgTable *
kg_table_new(void)
{
	KgTable *table = kg_calloc(1, sizeof(KgTable));

	table->size = 1024;
	table->slots = kg_calloc(table->size, sizeof(Slot));
	return table;
}

void
kg_table_free(KgTable *table)
{
	free(table->slots);
	free(table);
}

static Slot *
find(const KgTable *table, const char *key)
{
	size_t i = (size_t) kg_hash(0, key, strlen(key)) & (table->size - 1);

	while (table->slots[i].value != NULL &&
		   strcmp(table->slots[i].key, key) != 0)
		i = (i + 1) & (table->size - 1);
	return &table->slots[i];
}

void *
kg_table_get(const KgTable *table, const char *key)
{
	return find(table, key)->value;
}

static void
grow(KgTable *table)
{
	Slot *old = table->slots;
	size_t size = table->size;

	table->size *= 2;
	table->slots = kg_calloc(table->size, sizeof(Slot));
	for (size_t i = 0; i < size; i++)
		if (old[i].value != NULL)
			*find(table, old[i].key) = old[i];
	free(old);
}

void
kg_table_put(KgTable *table, const char *key, void *value)
{
	Slot *slot = find(table, key);

	if (slot->value == NULL && ++table->n > table->size / 2)
	{
		grow(table);
		slot = find(table, key);
	}
	slot->key = key;
	slot->value = value;
}
