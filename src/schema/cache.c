/*
 * cache.c
 *	  Compiled schemas of this backend, by content.
 *
 * Keyed by a hash of schema, resources and options, and verified byte by byte.
 * Bounded by kg_graph.schema_cache_size: the least recently used go first.  An
 * entry that a running SQL call uses is pinned by a reset callback on the
 * memory context in which it was fetched, so that it outlives its eviction.
 * There is nothing to invalidate: another content is another entry.
 */
#include "postgres.h"

#include "base/settings.h"
#include "common/hashfn.h"
#include "lib/ilist.h"
#include "schema/program.h"
#include "utils/memutils.h"

typedef struct CacheEntry
{
	dlist_node lru;
	uint64 hash;
	KgSchema *schema;
	MemoryContext context; /* of this entry; the schema's is its child */
	Jsonb *source;
	Jsonb *resources;
	char *dialect;
	bool annotate_format;
	Size bytes;
	int pins;
	bool evicted;
	MemoryContext pinned_in; /* the context of the last pin */
} CacheEntry;

typedef struct Pin
{
	MemoryContextCallback callback;
	CacheEntry *entry;
	MemoryContext context;
} Pin;

/* Few enough schemas for a list; the last used one is its head. */
static dlist_head entries = DLIST_STATIC_INIT(entries);
static Size total_bytes;

static void
free_entry(CacheEntry *entry)
{
	MemoryContextDelete(entry->context);
}

static void
unpin(void *arg)
{
	Pin *pin = arg;
	CacheEntry *entry = pin->entry;

	if (entry->pinned_in == pin->context)
		entry->pinned_in = NULL;
	entry->pins--;
	if (entry->pins == 0 && entry->evicted)
		free_entry(entry);
}

static void
pin(CacheEntry *entry)
{
	Pin *pin;

	if (entry->pinned_in == CurrentMemoryContext)
		return;
	pin = palloc(sizeof(Pin));
	pin->entry = entry;
	pin->context = CurrentMemoryContext;
	pin->callback.func = unpin;
	pin->callback.arg = pin;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &pin->callback);
	entry->pins++;
	entry->pinned_in = CurrentMemoryContext;
}

static void
evict(CacheEntry *entry)
{
	dlist_delete(&entry->lru);
	total_bytes -= entry->bytes;
	entry->evicted = true;
	if (entry->pins == 0)
		free_entry(entry);
}

static bool
same_jsonb(const Jsonb *a, const Jsonb *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return VARSIZE(a) == VARSIZE(b) && memcmp(a, b, VARSIZE(a)) == 0;
}

static bool
matches(const CacheEntry *entry, const Jsonb *schema,
		const KgSchemaOptions *options)
{
	if (entry->annotate_format != options->annotate_format ||
		!same_jsonb(entry->source, schema) ||
		!same_jsonb(entry->resources, options->resources))
		return false;
	if (entry->dialect == NULL || options->dialect == NULL)
		return entry->dialect == options->dialect;
	return strcmp(entry->dialect, options->dialect) == 0;
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

static CacheEntry *
build(const Jsonb *schema, const KgSchemaOptions *options, uint64 hash)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "kg schema cache entry", ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	CacheEntry *entry = palloc0(sizeof(CacheEntry));

	entry->context = context;
	entry->hash = hash;
	entry->source = copy_jsonb(schema);
	entry->resources = copy_jsonb(options->resources);
	entry->dialect = options->dialect ? pstrdup(options->dialect) : NULL;
	entry->annotate_format = options->annotate_format;
	entry->schema = kg_schema_compile(schema, options);
	entry->bytes = MemoryContextMemAllocated(context, true);
	MemoryContextSwitchTo(caller);
	return entry;
}

const KgSchema *
kg_schema_fetch(const Jsonb *schema, const KgSchemaOptions *options)
{
	static const KgSchemaOptions defaults = {0};
	CacheEntry *entry;
	dlist_iter iter;
	uint64 hash;
	Size limit = (Size) kg_setting_schema_cache_size * 1024;

	if (options == NULL)
		options = &defaults;
	if (!dlist_is_empty(&entries))
	{
		entry = dlist_head_element(CacheEntry, lru, &entries);
		if (matches(entry, schema, options))
		{
			pin(entry);
			return entry->schema;
		}
	}
	hash = content_hash(schema, options);
	dlist_foreach(iter, &entries)
	{
		entry = dlist_container(CacheEntry, lru, iter.cur);
		if (entry->hash == hash && matches(entry, schema, options))
		{
			dlist_move_head(&entries, &entry->lru);
			pin(entry);
			return entry->schema;
		}
	}
	entry = build(schema, options, hash);
	/* Nothing can fail between here and the list owning it. */
	MemoryContextSetParent(entry->context, CacheMemoryContext);
	dlist_push_head(&entries, &entry->lru);
	total_bytes += entry->bytes;
	pin(entry);
	while (total_bytes > limit && dlist_tail_node(&entries) != &entry->lru)
		evict(dlist_tail_element(CacheEntry, lru, &entries));
	return entry->schema;
}
