/*
 * memory.h
 *	  Reading the bundle "memory", as the caller: entities with what was observed
 *	  about them, and the relations around them.
 */
#ifndef KG_QUERY_MEMORY_H
#define KG_QUERY_MEMORY_H

#include "catalog/memory.h"

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
 * The text as it is compared: in lower case, of whatever script.
 */
extern char *kg_memory_lower(const char *text);

/*
 * What is to be looked at for a lowered query: who has a word with one of the
 * query's in it, that which the fewest have.  NULL: the query has no word of
 * three letters to look for.
 */
typedef struct KgMemorySearch KgMemorySearch;

extern KgMemorySearch *kg_memory_search(const KgMemory *memory,
										const char *query);

/*
 * Names of the next entities, each once, in no order, from so many rows; false
 * where there are no more.
 */
extern bool kg_memory_candidates(KgMemorySearch *search, int most,
								 const char ***names, int *n);

#endif /* KG_QUERY_MEMORY_H */
