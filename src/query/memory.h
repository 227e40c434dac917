/*
 * memory.h
 *	  Reading the bundle "memory", as the caller: entities with what was observed
 *	  about them, and the relations around them.
 */
#ifndef KG_QUERY_MEMORY_H
#define KG_QUERY_MEMORY_H

#include "model/memory.h"

typedef struct KgRemembered
{
	int64 node;
	const char *name;
	const char *type;
	bool stub;
	int n;
	const char **observations; /* in their order */
} KgRemembered;

typedef struct KgRemembrance
{
	int n;
	int room;
	KgRemembered *entities; /* by name */
} KgRemembrance;

typedef struct KgRelated
{
	const char *from;
	const char *to;
	const char *type;
	int64 source;
	int64 target;
} KgRelated;

/* Add the entities of names, stubs not; or the next by name, stubs too. */
extern void kg_memory_by_names(const KgMemory *memory, const char *const *names,
							   int n, KgRemembrance *to);
extern void kg_memory_after(const KgMemory *memory, const char *name, int limit,
							KgRemembrance *to);
/* How many there are after a name, up to a bound. */
extern int64 kg_memory_count_after(const KgMemory *memory, const char *name,
								   int most);

/* Relations with an end among the entities, by from, type, to. */
extern KgRelated *kg_memory_relations(const KgMemory *memory,
									  const KgRemembrance *of, int *n);

/*
 * Who has a text in name, type or observations, whatever its case.  It is looked
 * for by that of its words which the fewest have.
 */
typedef struct KgMemorySearch KgMemorySearch;

extern KgMemorySearch *kg_memory_search(const KgMemory *memory,
										const char *query);

/*
 * Names of so many entities that were not told before, by name; false where
 * these are the last.
 */
extern bool kg_memory_candidates(KgMemorySearch *search, int most,
								 const char ***names, int *n);

#endif /* KG_QUERY_MEMORY_H */
