/*
 * memory.h
 *	  Reading the bundle "memory" as the caller: entities, their
 *	  observations, and the relations around them.
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
	const char **observations; /* observations, in their order */
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

/*
 * Add entities to a set. A stub is an entity that exists only as the end of a
 * relation. kg_memory_by_names() adds the entities with these names, without
 * stubs. kg_memory_after() adds the entities that follow a name in the order of
 * names, at most "limit", with stubs.
 */
extern void kg_memory_by_names(const KgMemory *memory, const char *const *names,
							   int n, KgRemembrance *to);
extern void kg_memory_after(const KgMemory *memory, const char *name, int limit,
							KgRemembrance *to);
/*
 * Returns the number of entities whose names are after a name in order,
 * counted up to "most".
 */
extern int64 kg_memory_count_after(const KgMemory *memory, const char *name,
								   int most);

/*
 * Returns the relations with an end among the entities, ordered by from, type,
 * to.
 */
extern KgRelated *kg_memory_relations(const KgMemory *memory,
									  const KgRemembrance *of, int *n);

/*
 * A search for entities that have a text in name, type or observations,
 * without regard to case. The search reads the entities that have the rarest
 * word of the text.
 */
typedef struct KgMemorySearch KgMemorySearch;

extern KgMemorySearch *kg_memory_search(const KgMemory *memory,
										const char *query);

/*
 * Sets *names and *n to at most "most" names that the search has not returned
 * before, in order. Returns false if no further names follow.
 */
extern bool kg_memory_candidates(KgMemorySearch *search, int most,
								 const char ***names, int *n);

/* Returns the name of an entity that differs in case only, or NULL. */
extern const char *kg_memory_name_in_case(const KgMemory *memory,
										  const char *name);

#endif /* KG_QUERY_MEMORY_H */
