/*
 * published.c
 *	  Validates arguments against the input schema that the tool publishes.
 *
 *	  The published schema describes some repeated parts only in words. Here
 *	  these parts are written out, so that they are validated, too. Compiled
 *	  schemas are cached by template, type and catalog.
 */
#include "postgres.h"

#include "base/cache.h"
#include "base/error.h"
#include "common/hashfn.h"
#include "query/argument/arguments.h"
#include "schema/schema.h"
#include "tools/input/schema_template.h"
#include "tools/input/published.h"

typedef struct Key
{
	/* name of the template, a string constant that is compared by address */
	const char *template;
	uint64 catalog; /* id of the catalog */
	int64 type_no;	/* type for which the tool is generated, or 0 */
	/* hash of the numbers in the template that settings determine */
	uint64 numbers;
} Key;

typedef struct Entry
{
	KgCacheEntry entry;
	Key key;
	const KgSchema *schema;
} Entry;

/*
 * Maximum size of the cache in kilobytes. The compiled schema of a tool may
 * take half a megabyte.
 */
static const int most_kb = 16 * 1024;
/* The cached schemas, which a change of the catalog invalidates. */
static KgCache published = {.name = "published schema",
							.stale = KG_STALE_BY_CATALOG,
							.most_kb = &most_kb};

static bool
is_key(const void *entry, const void *key)
{
	return memcmp(&((const Entry *) entry)->key, key, sizeof(Key)) == 0;
}

/*
 * Returns the key of a compiled schema. It contains the id of the catalog,
 * because the schema lists names of the catalog's types and relations. Each
 * agent has a catalog of its own.
 */
static Key
make_key(const KgCatalog *catalog, const KgType *type, const char *template)
{
	Key key;

	memset(&key, 0, sizeof(key));
	key.template = template;
	key.numbers = kg_template_numbers();
	key.catalog = catalog->id;
	key.type_no = type ? type->type_no : 0;
	return key;
}

static const KgSchema *
published_schema(const KgCatalog *catalog, const KgType *type,
				 const char *template)
{
	Key key = make_key(catalog, type, template);
	uint64 hash = hash_bytes_extended(
		(const unsigned char *) &key, sizeof(key), 0);
	Entry *entry = kg_cache_find(&published, hash, is_key, &key);
	Jsonb *schema;
	MemoryContext old;

	if (entry != NULL)
		return entry->schema;
	schema = kg_expand_input(NULL, template, type, true, NULL);
	entry = kg_cache_make(&published, sizeof(*entry));
	old = MemoryContextSwitchTo(entry->entry.context);
	entry->key = key;
	entry->schema = kg_schema_compile(schema, NULL);
	MemoryContextSwitchTo(old);
	kg_cache_keep(&published, entry, hash);
	return entry->schema;
}

void
kg_published_refuse(const KgSchema *schema, const Jsonb *arguments)
{
	JsonbValue root;
	List *errors;
	KgSchemaError *first;
	KgError *err;
	ListCell *lc;

	kg_json_root(arguments, &root);
	errors = kg_schema_errors(schema, &root, 1);
	first = linitial(errors);
	/*
	 * If exactly one branch of a combinator is nearest to the value, the error
	 * in this branch is more specific.
	 */
	while (first->nearest_count == 1)
		first = list_nth(first->causes, first->nearest);
	err = kg_error_new(KG_INVALID_INPUT,
					   "the arguments do not fit the tool's input schema");
	kg_error_path(err, "%s", first->instance_path);
	/*
	 * If the error lists allowed names of members, it is about a wrong name,
	 * not about the value.
	 */
	if (first->allowed != NIL && strcmp(first->keyword, "enum") != 0)
		kg_error_got_string(err, kg_path_last(first->instance_path));
	else if (first->value)
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
	const KgSchema *schema = published_schema(catalog, type, template);
	JsonbValue root;

	kg_json_root(arguments, &root);
	if (!kg_schema_is_valid(schema, &root))
		kg_published_refuse(schema, arguments);
}
