/*
 * memory.h
 *	  Writes of the toolset "memory". All functions write through
 *	  kg_put_entities() and similar functions, as the caller, inside
 *	  SPI_connect().
 */
#ifndef KG_STORE_MEMORY_H
#define KG_STORE_MEMORY_H

#include "model/memory.h"

typedef struct KgMemoryEntity
{
	const char *name;
	const char *type;
	int n;
	const char **observations; /* array without duplicates */
	/* the entity is stored, and not only as a stub (the end of a relation) */
	bool found;
} KgMemoryEntity;

typedef struct KgMemoryRelation
{
	const char *from;
	const char *to;
	const char *type;
} KgMemoryRelation;

/*
 * Locks the tenant's memory until the transaction ends. So there is one writer
 * at a time, and rows that it has looked up do not change before it writes.
 */
extern void kg_memory_lock(const KgMemory *memory);

/* Looks up the entities and sets the member "found" of each. */
extern void kg_memory_look(const KgMemory *memory, KgMemoryEntity *entities,
						   int n);
/* Writes the entities whose "found" is false, with their observations. */
extern void kg_memory_create(const KgMemory *memory,
							 const KgMemoryEntity *entities, int n);
/*
 * Writes the observations that are not stored yet. Removes the stored
 * observations from the list of each entity, so that the list has only new
 * observations.
 */
extern void kg_memory_observe(const KgMemory *memory, KgMemoryEntity *entities,
							  int n);
/*
 * Writes the relations that are not stored yet. If an entity at an end is not
 * stored, writes a stub for it. Moves the new relations to the front of the
 * array and returns their number.
 */
extern int kg_memory_relate(const KgMemory *memory, KgMemoryRelation *relations,
							int n);

/*
 * The next functions delete entities, observations and relations, and ignore
 * those that are not stored. Each returns the number of deleted objects.
 */
extern int kg_memory_forget_entities(const KgMemory *memory, const char **names,
									 int n);
extern int kg_memory_forget_observations(const KgMemory *memory,
										 const KgMemoryEntity *entities, int n);
extern int kg_memory_forget_relations(const KgMemory *memory,
									  const KgMemoryRelation *relations, int n);

#endif /* KG_STORE_MEMORY_H */
