/*
 * published.c
 *	  Arguments against the input schema that the tool publishes.
 *
 * What the published schema names in words instead of repeating it is written
 * out here, so that it binds too.
 *
 * The compiled schemas are kept per type and operation until the catalog
 * changes; when there are too many, all are dropped and made again as needed.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/invalidate.h"
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
	uint64 catalog; /* its id, of a fixed tool's */
	uint64 hash;	/* of tenant and schema */
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
	cache_generation = kg_generation();
}

static uint64
hash_text(const char *text, uint64 seed)
{
	return hash_bytes_extended(
		(const unsigned char *) text, strlen(text), seed);
}

/* The compiled schema under a key, or NULL where it has to be made. */
static const KgSchema *
cached_schema(const Key *key)
{
	Entry *entry;

	if (cache == NULL || cache_generation != kg_generation() ||
		hash_get_num_entries(cache) >= KG_PUBLISHED_SCHEMAS)
		reset_cache();
	entry = hash_search(cache, key, HASH_FIND, NULL);
	return entry ? entry->schema : NULL;
}

static const KgSchema *
keep_schema(const Key *key, const Jsonb *schema)
{
	MemoryContext old = MemoryContextSwitchTo(cache_context);
	KgSchema *compiled = kg_schema_compile(schema, NULL);
	Entry *entry;
	bool found;

	MemoryContextSwitchTo(old);
	entry = hash_search(cache, key, HASH_ENTER, &found);
	entry->schema = compiled;
	return compiled;
}

bool
kg_published_accepts(const KgCatalog *catalog, const KgType *type,
					 int operation, const Jsonb *arguments)
{
	Key key;
	const KgSchema *schema;
	JsonbValue root;

	memset(&key, 0, sizeof(key));
	key.type_no = type->type_no;
	key.operation = operation;
	key.hash = hash_text(type->schema_hash, 0) ^ hash_text(catalog->tenant, 1);
	schema = cached_schema(&key);
	if (schema == NULL)
		schema = keep_schema(&key, kg_tool_input_schema(type, operation, true));
	kg_json_root(arguments, &root);
	return kg_schema_is_valid(schema, &root);
}

/*
 * The names in the schema of a fixed tool are those that the tenant's catalog
 * has for the agent in force.
 */
bool
kg_published_accepts_fixed(const KgCatalog *catalog, const KgFixedTool *tool,
						   const Jsonb *arguments)
{
	Key key;
	const KgSchema *schema;
	JsonbValue root;

	memset(&key, 0, sizeof(key));
	key.catalog = catalog->id;
	key.hash = hash_text(tool->name, 2);
	schema = cached_schema(&key);
	if (schema == NULL)
		schema = keep_schema(&key, tool->input_schema(true));
	kg_json_root(arguments, &root);
	return kg_schema_is_valid(schema, &root);
}

/*
 * The schema is made anew: a bound that a setting moved since it was cached
 * counts as it is now.
 */
static void
refuse(const Jsonb *input_schema, const Jsonb *arguments)
{
	KgSchema *schema = kg_schema_compile(input_schema, NULL);
	JsonbValue root;
	List *errors;
	KgSchemaError *first;
	KgError *err;
	ListCell *lc;

	kg_json_root(arguments, &root);
	errors = kg_schema_errors(schema, &root, 1);
	if (errors == NIL)
		return;
	first = linitial(errors);
	/* In a branch, what is wrong in the nearest one says more. */
	while (first->nearest_count == 1)
		first = list_nth(first->causes, first->nearest);
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
	foreach(lc, first->allowed)
		kg_error_allow(err, lfirst(lc));
	if (first->did_you_mean)
		kg_error_did_you_mean(err, first->did_you_mean);
	kg_error_throw(err);
}

void
kg_published_refuse(const KgType *type, int operation, const Jsonb *arguments)
{
	refuse(kg_tool_input_schema(type, operation, true), arguments);
}

void
kg_published_refuse_fixed(const KgFixedTool *tool, const Jsonb *arguments)
{
	refuse(tool->input_schema(true), arguments);
}
