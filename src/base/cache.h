/*
 * cache.h
 *	  What a backend keeps from call to call, where it is more than one thing.
 *
 * An entry is a struct whose first member is a KgCacheEntry.  It is the first
 * allocation in a memory context of its own, in which everything lives that it
 * points to; what is no memory of PostgreSQL's is released by a reset callback
 * of that context.  One rule each:
 *
 *	  bound		  the least recently used go while there are more than *most
 *	  staleness	  what the cache names in "stale" changed: all of them go
 *	  lifetime	  an entry lives until the cache is used again, or as long as a
 *				  memory context that it is pinned by
 *
 * Usage:
 *
 *	  static const int most = 16;
 *	  static KgCache things = {"kg_graph thing", &most, KG_STALE_BY_CATALOG};
 *
 *	  thing = kg_cache_find(&things, hash, is_thing, key);
 *	  if (thing == NULL)
 *	  {
 *		  thing = kg_cache_make(&things, sizeof(*thing));
 *		  ... fill it, in thing->entry.context; an error frees it ...
 *		  kg_cache_keep(&things, thing, hash);
 *	  }
 */
#ifndef KG_CACHE_H
#define KG_CACHE_H

#include "lib/ilist.h"

typedef enum KgCacheStale
{
	KG_STALE_NEVER,		  /* another content is another entry */
	KG_STALE_BY_CATALOG,  /* kg_generation() */
	KG_STALE_BY_ROLES,	  /* and kg_role_changes() */
	KG_STALE_BY_FUNCTIONS /* and kg_function_changes() */
} KgCacheStale;

typedef struct KgCacheEntry
{
	dlist_node link;
	uint64 hash;
	MemoryContext context;
	MemoryContext pinned_by; /* the last one */
	int pins;
	Size bytes;
	bool dropped;
} KgCacheEntry;

typedef struct KgCache
{
	const char *name;
	const int *most; /* entries, or kB; a setting or a constant */
	KgCacheStale stale;
	bool by_size; /* *most is kB */

	dlist_head entries; /* the last used one first */
	int n;
	Size bytes;
	uint64 generation;
	uint64 roles;
	uint64 functions;
} KgCache;

typedef bool (*KgCacheMatch)(const void *entry, const void *key);

/* The entry with this hash that matches (all do where match is NULL), or NULL. */
extern void *kg_cache_find(KgCache *cache, uint64 hash, KgCacheMatch match,
						   const void *key);

/* The last used entry where it matches, for hashes that cost something. */
extern void *kg_cache_latest(KgCache *cache, KgCacheMatch match,
							 const void *key);

/* A zeroed entry of this size below the current memory context. */
extern void *kg_cache_make(const KgCache *cache, Size size);

/*
 * Hand an entry over to the cache.  Raises nothing.  What it says is of the time of
 * the kg_cache_find() that found none, or newer.
 */
extern void kg_cache_keep(KgCache *cache, void *entry, uint64 hash);

/* The entry lives as long as this context, whatever becomes of the cache. */
extern void kg_cache_pin(void *entry, MemoryContext context);

#endif /* KG_CACHE_H */
