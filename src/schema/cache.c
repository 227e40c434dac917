/*
 * cache.c
 *	  The backend's cache of compiled schemas, keyed by content. The key is a
 *	  hash of schema, resources and options. If the hash is equal, the
 *	  contents are compared byte by byte. A compiled schema cannot be evicted
 *	  while the memory context in which it was requested exists.
 */
#include "postgres.h"

#include "base/cache.h"
#include "base/settings.h"
#include "common/hashfn.h"
#include "schema/program.h"

typedef struct CachedSchema
{
	KgCacheEntry entry;
	KgSchema *schema;
	Jsonb *source;
	KgSchemaOptions options;
} CachedSchema;

/* Entries never become stale, because changed content has another key. */
static KgCache schemas = {.name = "schema",
						  .stale = KG_STALE_NEVER,
						  .most_kb = &kg_setting_schema_cache_size};

typedef struct Wanted
{
	const Jsonb *source;
	const KgSchemaOptions *options;
} Wanted;

static bool
same_jsonb(const Jsonb *a, const Jsonb *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return VARSIZE(a) == VARSIZE(b) && memcmp(a, b, VARSIZE(a)) == 0;
}

static bool
is_wanted(const void *entry, const void *key)
{
	const CachedSchema *kept = entry;
	const Wanted *wanted = key;
	const char *dialect = kept->options.dialect;

	if (kept->options.annotate_format != wanted->options->annotate_format ||
		!same_jsonb(kept->source, wanted->source) ||
		!same_jsonb(kept->options.resources, wanted->options->resources))
		return false;
	if (dialect == NULL || wanted->options->dialect == NULL)
		return dialect == wanted->options->dialect;
	return strcmp(dialect, wanted->options->dialect) == 0;
}

static uint64
content_hash(const Jsonb *schema, const KgSchemaOptions *options)
{
	uint64 hash = hash_bytes_extended(
		(const unsigned char *) schema, VARSIZE(schema), 0);

	if (options->resources != NULL)
		hash = hash_bytes_extended((const unsigned char *) options->resources,
								   VARSIZE(options->resources),
								   hash);
	return hash + options->annotate_format;
}

static Jsonb *
copy_jsonb(const Jsonb *jsonb)
{
	Jsonb *copy;

	if (jsonb == NULL)
		return NULL;
	copy = palloc(VARSIZE(jsonb));
	memcpy(copy, jsonb, VARSIZE(jsonb));
	return copy;
}

static CachedSchema *
build(const Wanted *wanted, uint64 hash)
{
	CachedSchema *made = kg_cache_make(&schemas, sizeof(*made));
	MemoryContext caller = MemoryContextSwitchTo(made->entry.context);

	made->source = copy_jsonb(wanted->source);
	made->options.resources = copy_jsonb(wanted->options->resources);
	made->options.annotate_format = wanted->options->annotate_format;
	if (wanted->options->dialect)
		made->options.dialect = pstrdup(wanted->options->dialect);
	made->schema = kg_schema_compile(wanted->source, wanted->options);
	MemoryContextSwitchTo(caller);
	kg_cache_keep(&schemas, made, hash);
	return made;
}

const KgSchema *
kg_schema_fetch(const Jsonb *schema, const KgSchemaOptions *options)
{
	static const KgSchemaOptions defaults = {0};
	Wanted wanted = {schema, options ? options : &defaults};
	CachedSchema *found = kg_cache_latest(&schemas, is_wanted, &wanted);

	if (found == NULL)
	{
		uint64 hash = content_hash(schema, wanted.options);

		found = kg_cache_find(&schemas, hash, is_wanted, &wanted);
		if (found == NULL)
			found = build(&wanted, hash);
	}
	kg_cache_pin(found, CurrentMemoryContext);
	return found->schema;
}
