/*
 * memory.h
 *	  The bundle "memory", whose data the toolset memory reads and writes as the
 *	  reference MCP server of that name does: entities of free types, relations
 *	  of free types between them, observations about them.
 */
#ifndef KG_MEMORY_H
#define KG_MEMORY_H

#include "model/catalog.h"

#define KG_MEMORY_BUNDLE "memory"

/* An end of a relation that nobody created is an entity with this property. */
#define KG_MEMORY_STUB "stub"

/* A longer word is searched by its first characters. */
#define KG_MEMORY_WORD_CHARS 20

typedef struct KgMemory
{
	const KgCatalog *catalog;
	const KgType *entity;		/* name, entityType, stub */
	const KgType *observation;	/* id, entity, n, content, parts */
	const KgRelation *relates;	/* declared; its key is relationType */
	const KgRelation *observes; /* derived from observation.entity */
} KgMemory;

/* Does the tenant have a bundle of that name and form, for the caller? */
extern bool kg_memory_find(const KgCatalog *catalog, KgMemory *memory);

#endif /* KG_MEMORY_H */
