/*
 * item_names.c
 *	  Tables of names by which references can find items of the same call or
 *	  bundle.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "store/entity/item_names.h"
#include "utils/hsearch.h"

typedef struct Entry
{
	const KgField *field; /* field and value are the hash key */
	const char *value;
	const void *item;
} Entry;

struct KgItemNames
{
	HTAB *entries;
};

static uint32
entry_hash(const void *key, Size size)
{
	const Entry *entry = key;

	return hash_combine(
		hash_bytes((const unsigned char *) entry->value, strlen(entry->value)),
		hash_bytes((const unsigned char *) &entry->field,
				   sizeof(entry->field)));
}

static int
entry_match(const void *pa, const void *pb, Size size)
{
	const Entry *a = pa;
	const Entry *b = pb;

	return a->field != b->field || strcmp(a->value, b->value) != 0;
}

KgItemNames *
kg_item_names_make(int n)
{
	KgItemNames *names = palloc(sizeof(KgItemNames));
	HASHCTL ctl;

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = offsetof(Entry, item);
	ctl.entrysize = sizeof(Entry);
	ctl.hash = entry_hash;
	ctl.match = entry_match;
	ctl.hcxt = CurrentMemoryContext;
	names->entries = hash_create("kg_graph item names",
								 Max(16, n),
								 &ctl,
								 HASH_ELEM | HASH_FUNCTION | HASH_COMPARE |
									 HASH_CONTEXT);
	return names;
}

void
kg_item_names_free(KgItemNames *names)
{
	hash_destroy(names->entries);
	pfree(names);
}

const void *
kg_item_name_enter(KgItemNames *names, const KgField *field, const char *value,
				   const void *item)
{
	Entry key = {field, value};
	bool found;
	Entry *entry = hash_search(names->entries, &key, HASH_ENTER, &found);

	if (!found)
		entry->item = item;
	return entry->item;
}

const void *
kg_item_name_find(const KgItemNames *names, const KgField *field,
				  const char *value)
{
	Entry key = {field, value};
	const Entry *entry = hash_search(names->entries, &key, HASH_FIND, NULL);

	return entry ? entry->item : NULL;
}
