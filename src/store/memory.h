/*
 * memory.h
 *	  Writes of the toolset "memory". All functions write through
 *	  kg_put_entities() and the like, as the caller, inside SPI_connect().
 */
#ifndef KG_STORE_MEMORY_H
#define KG_STORE_MEMORY_H

#include "model/memory.h"

typedef struct KgMemoryEntity
{
	const char *name;
	const char *type;
	int n;
	const char **observations; /* without duplicates */
	bool found;				   /* stored, and not a stub */
} KgMemoryEntity;

typedef struct KgMemoryRelation
{
	const char *from;
	const char *to;
	const char *type;
} KgMemoryRelation;

/*
 * Locks the memory until the transaction ends. There is one writer at a time,
 * so rows that were looked up do not change before the write.
 */
extern void kg_memory_lock(const KgMemory *memory);

/* Sets the member "found" of each entity. */
extern void kg_memory_look(const KgMemory *memory, KgMemoryEntity *entities,
						   int n);
/* Writes the entities that are not found, with their observations. */
extern void kg_memory_create(const KgMemory *memory,
							 const KgMemoryEntity *entities, int n);
/*
 * Writes the observations that are not stored yet. Removes all other
 * observations from the list of each entity.
 */
extern void kg_memory_observe(const KgMemory *memory, KgMemoryEntity *entities,
							  int n);
/*
 * Writes the relations that are not stored yet, and stubs for ends that are not
 * stored. Moves the new relations to the front of the array and returns their
 * number.
 */
extern int kg_memory_relate(const KgMemory *memory, KgMemoryRelation *relations,
							int n);

/*
 * The following functions delete entities, observations and relations, and
 * ignore those that are not stored. They return the number of deleted ones.
 */
extern int kg_memory_forget_entities(const KgMemory *memory, const char **names,
									 int n);
extern int kg_memory_forget_observations(const KgMemory *memory,
										 const KgMemoryEntity *entities, int n);
extern int kg_memory_forget_relations(const KgMemory *memory,
									  const KgMemoryRelation *relations, int n);

#endif /* KG_STORE_MEMORY_H */
