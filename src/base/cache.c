/*
 * cache.c
 *	  Backend-local caches.
 *
 * A cache has few entries, so they are in a list, most recently used first.
 * Hashes are compared before the caller's match function is called.
 */
#include "postgres.h"

#include "base/cache.h"
#include "base/extension.h"
#include "base/invalidate.h"
#include "utils/memutils.h"

typedef struct Pin
{
	MemoryContextCallback callback;
	KgCacheEntry *entry;
	MemoryContext context;
} Pin;

/*
 * Removes an entry from the cache. The entry is freed when no memory context
 * pins it any more.
 */
static void
drop(KgCache *cache, void *entry)
{
	KgCacheEntry *dropped = entry;

	dlist_delete(&dropped->link);
	cache->n--;
	cache->bytes -= dropped->bytes;
	dropped->dropped = true;
	if (dropped->pins == 0)
		MemoryContextDelete(dropped->context);
}

static bool
is_stale(const KgCache *cache)
{
	return cache->stale != KG_STALE_NEVER &&
		   (cache->generation != kg_generation() ||
			(cache->stale >= KG_STALE_BY_ROLES &&
			 cache->roles != kg_role_changes()) ||
			(cache->stale >= KG_STALE_BY_FUNCTIONS &&
			 cache->functions != kg_function_changes()) ||
			(cache->stale >= KG_STALE_BY_TABLES &&
			 cache->tables != kg_table_changes()));
}

static void
drop_stale(KgCache *cache)
{
	/*
	 * Looking up the schema also watches the tables whose changes make caches
	 * stale. This must come before the tables are read.
	 */
	(void) kg_extension_schema();
	while (!dlist_is_empty(&cache->entries))
		drop(cache, dlist_head_node(&cache->entries));
	cache->generation = kg_generation();
	cache->roles = kg_role_changes();
	cache->functions = kg_function_changes();
	cache->tables = kg_table_changes();
}

void *
kg_cache_latest(KgCache *cache, KgCacheMatch match, const void *key)
{
	if (is_stale(cache))
		drop_stale(cache);
	if (dlist_is_empty(&cache->entries) ||
		!match(dlist_head_node(&cache->entries), key))
		return NULL;
	return dlist_head_node(&cache->entries);
}

void *
kg_cache_find(KgCache *cache, uint64 hash, KgCacheMatch match, const void *key)
{
	dlist_iter iter;

	if (is_stale(cache))
		drop_stale(cache);
	dlist_foreach(iter, &cache->entries)
	{
		KgCacheEntry *entry = dlist_container(KgCacheEntry, link, iter.cur);

		if (entry->hash != hash || (match && !match(entry, key)))
			continue;
		dlist_move_head(&cache->entries, &entry->link);
		return entry;
	}
	return NULL;
}

void *
kg_cache_make(const KgCache *cache, Size size)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "kg_graph cache entry",
												  ALLOCSET_START_SMALL_SIZES);
	KgCacheEntry *entry;

	MemoryContextSetIdentifier(context, cache->name);
	entry = MemoryContextAllocZero(context, size);
	entry->context = context;
	return entry;
}

static bool
is_full(const KgCache *cache)
{
	return (cache->most != NULL && cache->n > *cache->most) ||
		   (cache->most_kb != NULL &&
			cache->bytes > (Size) *cache->most_kb * 1024);
}

static void
measure(KgCache *cache, KgCacheEntry *entry)
{
	Size bytes = MemoryContextMemAllocated(entry->context, true);

	cache->bytes += bytes - entry->bytes;
	entry->bytes = bytes;
}

/* Evicts the least recently used entries while the cache exceeds its bounds. */
static void
evict(KgCache *cache)
{
	while (is_full(cache) &&
		   dlist_tail_node(&cache->entries) != dlist_head_node(&cache->entries))
		drop(cache, dlist_tail_node(&cache->entries));
}

/* Linked list of the caches that have had an entry. */
static KgCache *caches = NULL;

void
kg_cache_keep(KgCache *cache, void *entry, uint64 hash)
{
	KgCacheEntry *kept = entry;

	kept->hash = hash;
	kept->cache = cache;
	MemoryContextSetParent(kept->context, CacheMemoryContext);
	dlist_push_head(&cache->entries, &kept->link);
	cache->n++;
	if (!cache->listed)
	{
		cache->listed = true;
		cache->next = caches;
		caches = cache;
	}
	measure(cache, kept);
	evict(cache);
}

Size
kg_cache_bytes(void)
{
	Size bytes = 0;

	for (KgCache *cache = caches; cache != NULL; cache = cache->next)
	{
		dlist_iter iter;

		dlist_foreach(iter, &cache->entries)
		{
			measure(cache, dlist_container(KgCacheEntry, link, iter.cur));
			if (cache->elsewhere != NULL)
				bytes += cache->elsewhere(iter.cur);
		}
		bytes += cache->bytes;
	}
	return bytes;
}

static void
unpin(void *arg)
{
	Pin *pin = arg;
	KgCacheEntry *entry = pin->entry;

	if (entry->pinned_by == pin->context)
		entry->pinned_by = NULL;
	entry->pins--;
	if (entry->pins > 0)
		return;
	if (entry->dropped)
		MemoryContextDelete(entry->context);
	else if (entry->cache != NULL && entry->cache->most_kb != NULL)
	{
		measure(entry->cache, entry);
		evict(entry->cache);
	}
}

void
kg_cache_pin(void *entry, MemoryContext context)
{
	KgCacheEntry *pinned = entry;
	Pin *pin;

	if (pinned->pinned_by == context)
		return;
	pin = MemoryContextAlloc(context, sizeof(Pin));
	pin->entry = pinned;
	pin->context = context;
	pin->callback.func = unpin;
	pin->callback.arg = pin;
	MemoryContextRegisterResetCallback(context, &pin->callback);
	pinned->pins++;
	pinned->pinned_by = context;
}
