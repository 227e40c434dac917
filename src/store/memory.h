/*
 * memory.h
 *	  What the toolset memory writes: through kg_put_entities() and its like, as
 *	  the caller, inside SPI_connect().
 */
#ifndef KG_STORE_MEMORY_H
#define KG_STORE_MEMORY_H

#include "model/memory.h"

typedef struct KgMemoryEntity
{
	const char *name;
	const char *type;
	int n;
	const char **observations; /* each once */
	bool found;				   /* it is there, and no stub */
} KgMemoryEntity;

typedef struct KgMemoryRelation
{
	const char *from;
	const char *to;
	const char *type;
} KgMemoryRelation;

/*
 * One writer at a time, until the transaction ends: what is looked up is what
 * there is when it is written.
 */
extern void kg_memory_lock(const KgMemory *memory);

/* Fill in which of the entities are there. */
extern void kg_memory_look(const KgMemory *memory, KgMemoryEntity *entities,
						   int n);
/* Write those that are not, with their observations. */
extern void kg_memory_create(const KgMemory *memory,
							 const KgMemoryEntity *entities, int n);
/* Write observations that are not there; keeps these in each list. */
extern void kg_memory_observe(const KgMemory *memory, KgMemoryEntity *entities,
							  int n);
/* Write relations, and stubs for ends that are not there; keeps the new ones. */
extern int kg_memory_relate(const KgMemory *memory, KgMemoryRelation *relations,
							int n);

/* What is not there is passed over. */
extern void kg_memory_forget_entities(const KgMemory *memory,
									  const char **names, int n);
extern void kg_memory_forget_observations(const KgMemory *memory,
										  const KgMemoryEntity *entities,
										  int n);
extern void kg_memory_forget_relations(const KgMemory *memory,
									   const KgMemoryRelation *relations,
									   int n);

#endif /* KG_STORE_MEMORY_H */
