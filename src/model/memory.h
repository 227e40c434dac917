/*
 * memory.h
 *	  The bundle "memory", which the toolset memory reads and writes.
 *
 * Like the reference MCP server of that name, it has entities of free types,
 * relations of free types between them, and observations about them.
 */
#ifndef KG_MEMORY_H
#define KG_MEMORY_H

#include "model/catalog.h"

#define KG_MEMORY_BUNDLE "memory"

/* Property that marks an entity that exists only as the end of a relation. */
#define KG_MEMORY_STUB "stub"

/* Characters of a word that a search compares; longer words are truncated. */
#define KG_MEMORY_WORD_CHARS 20

typedef struct KgMemory
{
	const KgCatalog *catalog;
	const KgType *entity;		/* with name, entityType, stub */
	const KgType *observation;	/* with id, entity, n, content, parts */
	const KgRelation *relates;	/* declared; its key is relationType */
	const KgRelation *observes; /* derived from observation.entity */
} KgMemory;

/*
 * Returns true if the caller sees a bundle of that name and form in the
 * tenant.
 */
extern bool kg_memory_find(const KgCatalog *catalog, KgMemory *memory);

#endif /* KG_MEMORY_H */
