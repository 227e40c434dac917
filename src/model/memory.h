/*
 * memory.h
 *	  The bundle "memory", which the toolset memory reads and writes.
 *
 * Like the MCP reference server "memory", it has entities of free types,
 * relations of free types between them, and observations about them.
 */
#ifndef KG_MEMORY_H
#define KG_MEMORY_H

#include "model/catalog.h"

#define KG_MEMORY_BUNDLE "memory"

/*
 * Property that marks a stub: an entity that exists only because it is the end
 * of a relation.
 */
#define KG_MEMORY_STUB "stub"

/*
 * Number of characters of a word that a search compares. Longer words are
 * truncated.
 */
#define KG_MEMORY_WORD_CHARS 20

typedef struct KgMemory
{
	const KgCatalog *catalog;
	/* type with the properties name, entityType and stub */
	const KgType *entity;
	/* type with the properties id, entity, n, content and parts */
	const KgType *observation;
	/* declared relation, whose key is relationType */
	const KgRelation *relates;
	const KgRelation *observes; /* relation derived from observation.entity */
} KgMemory;

/*
 * Finds the bundle "memory". Returns true if the caller sees a bundle of this
 * name, with the types and relations of KgMemory, in the tenant.
 */
extern bool kg_memory_find(const KgCatalog *catalog, KgMemory *memory);

#endif /* KG_MEMORY_H */
