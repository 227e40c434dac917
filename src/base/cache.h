/*
 * cache.h
 *	  Backend-local caches of more than one entry.
 *
 * An entry is a struct whose first member is a KgCacheEntry.  It is the first
 * allocation in a memory context of its own, which also contains everything
 * that the entry points to.  A reset callback of that context releases memory
 * that PostgreSQL does not manage.
 *
 *	  bound		  the least recently used entries are evicted while the cache
 *				  is above *most or *most_kb. An entry may grow while it is
 *				  pinned; it is measured when its last pin ends. The entry used
 *				  last is never evicted
 *	  staleness	  a change of the kind named by "stale" evicts all entries
 *	  lifetime	  an entry lives until the next call with this cache, or as
 *				  long as the memory context that pins it
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
 *		  (fill it in thing->entry.context; an error frees it)
 *		  kg_cache_keep(&things, thing, hash);
 *	  }
 */
#ifndef KG_CACHE_H
#define KG_CACHE_H

#include "lib/ilist.h"

typedef enum KgCacheStale
{
	KG_STALE_NEVER,		   /* never; changed content has another key */
	KG_STALE_BY_CATALOG,   /* when kg_generation() changes */
	KG_STALE_BY_ROLES,	   /* also when kg_role_changes() changes */
	KG_STALE_BY_FUNCTIONS, /* also when kg_function_changes() changes */
	KG_STALE_BY_TABLES	   /* also when kg_table_changes() changes */
} KgCacheStale;

typedef struct KgCacheEntry
{
	dlist_node link;
	uint64 hash;
	MemoryContext context;
	/* context of the most recent kg_cache_pin() */
	MemoryContext pinned_by;
	int pins;
	Size bytes;
	struct KgCache *cache;
	bool dropped;
} KgCacheEntry;

typedef struct KgCache
{
	const char *name;
	/* maximum number of entries (a setting or constant); NULL: no limit */
	const int *most;
	KgCacheStale stale;
	/* maximum memory of all entries in kB, or NULL: no limit */
	const int *most_kb;
	/*
	 * Returns the bytes of an entry outside its context; NULL: no such bytes.
	 */
	Size (*elsewhere)(const void *entry);

	dlist_head entries; /* most recently used first */
	int n;
	Size bytes;
	uint64 generation;
	uint64 roles;
	uint64 functions;
	uint64 tables;
	/* the cache is in the list of caches that kg_cache_bytes() adds up */
	bool listed;
	struct KgCache *next;
} KgCache;

typedef bool (*KgCacheMatch)(const void *entry, const void *key);

/*
 * Returns the entry that has this hash and matches, or NULL.  A match of NULL
 * accepts each entry with the hash.
 */
extern void *kg_cache_find(KgCache *cache, uint64 hash, KgCacheMatch match,
						   const void *key);

/*
 * Returns the most recently used entry if it matches, or else NULL.  Saves the
 * caller the cost of a hash.
 */
extern void *kg_cache_latest(KgCache *cache, KgCacheMatch match,
							 const void *key);

/*
 * Returns a new zeroed entry of this size, in a context of its own below the
 * current memory context.
 */
extern void *kg_cache_make(const KgCache *cache, Size size);

/*
 * Adds an entry to the cache. Raises no error. The entry's content must not be
 * older than the kg_cache_find() call that returned NULL for it.
 */
extern void kg_cache_keep(KgCache *cache, void *entry, uint64 hash);

/*
 * Keeps the entry alive as long as this context, even if the cache evicts it.
 */
extern void kg_cache_pin(void *entry, MemoryContext context);

/* Returns the bytes of all entries of all caches of this backend. */
extern Size kg_cache_bytes(void);

#endif /* KG_CACHE_H */
