/*
 * published.c
 *	  Arguments against the input schema that the tool publishes.
 *
 * The compiled schemas are kept per type and operation until the catalog
 * changes; when there are too many, all are dropped and made again as needed.
 */
#include "postgres.h"

#include "base/error.h"
#include "common/hashfn.h"
#include "schema/schema.h"
#include "tools/catalog_tools.h"
#include "tools/published.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#define KG_PUBLISHED_SCHEMAS 256

typedef struct Key
{
	int32 type_no;
	int32 operation;
	uint64 hash; /* of tenant and schema */
} Key;

typedef struct Entry
{
	Key key;
	KgSchema *schema;
} Entry;

static MemoryContext cache_context = NULL;
static HTAB *cache = NULL;
static uint64 cache_generation = 0;

static void
reset_cache(void)
{
	HASHCTL ctl;

	if (cache_context)
		MemoryContextDelete(cache_context);
	cache = NULL;
	cache_context = AllocSetContextCreate(
		CacheMemoryContext, "kg_graph published", ALLOCSET_DEFAULT_SIZES);
	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(Key);
	ctl.entrysize = sizeof(Entry);
	ctl.hcxt = cache_context;
	cache = hash_create(
		"kg_graph published", 64, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	cache_generation = kg_catalog_generation();
}

static const KgSchema *
fetch_schema(const KgCatalog *catalog, const KgType *type, int operation)
{
	Key key;
	Entry *entry;
	bool found;
	Jsonb *schema;
	MemoryContext old;
	KgSchema *compiled;

	if (cache == NULL || cache_generation != kg_catalog_generation() ||
		hash_get_num_entries(cache) >= KG_PUBLISHED_SCHEMAS)
		reset_cache();
	memset(&key, 0, sizeof(key));
	key.type_no = type->type_no;
	key.operation = operation;
	key.hash = hash_bytes_extended((const unsigned char *) type->schema_hash,
								   strlen(type->schema_hash),
								   0) ^
			   hash_bytes_extended((const unsigned char *) catalog->tenant,
								   strlen(catalog->tenant),
								   1);
	entry = hash_search(cache, &key, HASH_FIND, NULL);
	if (entry)
		return entry->schema;
	schema = kg_tool_input_schema(type, operation);
	old = MemoryContextSwitchTo(cache_context);
	compiled = kg_schema_compile(schema, NULL);
	MemoryContextSwitchTo(old);
	entry = hash_search(cache, &key, HASH_ENTER, &found);
	entry->schema = compiled;
	return compiled;
}

bool
kg_published_accepts(const KgCatalog *catalog, const KgType *type,
					 int operation, const Jsonb *arguments)
{
	JsonbValue root;

	kg_json_root(arguments, &root);
	return kg_schema_is_valid(fetch_schema(catalog, type, operation), &root);
}

void
kg_published_refuse(const KgType *type, int operation, const Jsonb *arguments)
{
	KgSchema *schema = kg_schema_compile(kg_tool_input_schema(type, operation),
										 NULL);
	JsonbValue root;
	List *errors;
	KgSchemaError *first;
	KgError *err;

	kg_json_root(arguments, &root);
	errors = kg_schema_errors(schema, &root, 1);
	if (errors == NIL)
		return;
	first = linitial(errors);
	err = kg_error_new(KG_INVALID_INPUT,
					   "the arguments do not fit the tool's input schema");
	kg_error_path(err, "%s", first->instance_path);
	if (first->value)
	{
		JsonbValue value;

		kg_json_root(first->value, &value);
		kg_error_got(err, &value);
	}
	if (first->expected)
		kg_error_expected(err, "%s", first->expected);
	kg_error_throw(err);
}
