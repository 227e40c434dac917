/*
 * published.c
 *	  Arguments against the input schema that the tool publishes.
 *
 * What the published schema names in words instead of repeating it is written
 * out here, so that it binds too.
 * The compiled schemas are kept per type and operation.
 */
#include "postgres.h"

#include "base/cache.h"
#include "base/error.h"
#include "common/hashfn.h"
#include "schema/schema.h"
#include "tools/catalog_tools.h"
#include "tools/schema_template.h"
#include "tools/published.h"

typedef struct Key
{
	const char *template; /* a constant */
	int32 type_no;		  /* 0: of a fixed tool */
	int32 padding;
	uint64 catalog; /* its id, of a fixed tool */
	uint64 hash;	/* of the tenant and the type's schema, else */
} Key;

typedef struct Entry
{
	KgCacheEntry entry;
	Key key;
	const KgSchema *schema;
} Entry;

static const int most = 256;
/* Stale when the catalog changes, from which the schemas are made. */
static KgCache published = {"published schema", &most, KG_STALE_BY_CATALOG};

static uint64
hash_text(const char *text, uint64 seed)
{
	return hash_bytes_extended(
		(const unsigned char *) text, strlen(text), seed);
}

static bool
is_key(const void *entry, const void *key)
{
	return memcmp(&((const Entry *) entry)->key, key, sizeof(Key)) == 0;
}

/* The compiled schema under a key, or NULL where it has to be made. */
static const KgSchema *
cached_schema(const Key *key)
{
	Entry *kept = kg_cache_find(&published, key->hash, is_key, key);

	return kept ? kept->schema : NULL;
}

static const KgSchema *
keep_schema(const Key *key, const Jsonb *schema)
{
	Entry *fresh = kg_cache_make(&published, sizeof(*fresh));
	MemoryContext old = MemoryContextSwitchTo(fresh->entry.context);

	fresh->key = *key;
	fresh->schema = kg_schema_compile(schema, NULL);
	MemoryContextSwitchTo(old);
	kg_cache_keep(&published, fresh, key->hash);
	return fresh->schema;
}

/*
 * The names in the schema of a fixed tool are those that the tenant's catalog
 * has for the agent in force.
 */
static const KgSchema *
published_schema(const KgCatalog *catalog, const KgType *type,
				 const char *template)
{
	const KgSchema *schema;
	Key key;

	memset(&key, 0, sizeof(key));
	key.template = template;
	if (type == NULL)
		key.catalog = catalog->id;
	else
	{
		key.type_no = type->type_no;
		key.hash = hash_text(type->schema_hash, 0) ^
				   hash_text(catalog->tenant, 1);
	}
	schema = cached_schema(&key);
	if (schema != NULL)
		return schema;
	return keep_schema(&key, kg_expand_schema(template, type, true));
}

/*
 * The schema is made anew: a bound that a setting moved since it was cached
 * counts as it is now.
 */
static void
refuse(const KgType *type, const char *template, const Jsonb *arguments)
{
	KgSchema *schema = kg_schema_compile(kg_expand_schema(template, type, true),
										 NULL);
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
kg_published_check(const KgCatalog *catalog, const KgType *type,
				   const char *template, const Jsonb *arguments)
{
	JsonbValue root;

	kg_json_root(arguments, &root);
	if (!kg_schema_is_valid(published_schema(catalog, type, template), &root))
		refuse(type, template, arguments);
}
