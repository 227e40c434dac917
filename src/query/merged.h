/*
 * merged.h
 *	  Ids of entities that were merged into others (store/merge).
 */
#ifndef KG_MERGED_H
#define KG_MERGED_H

#include "model/catalog.h"

/* The entity into which another entity was merged. */
typedef struct KgMerged
{
	const KgType *type;
	int64 node;
	char *id;
} KgMerged;

/*
 * Finds the entity into which the entity with this id was merged, over several
 * merges if necessary. If type is NULL, finds an entity of any type, unless
 * entities of several types had the id. Returns false if the caller sees no
 * such entity, or sees an entity that has the id now, or if the call reads the
 * past.
 */
extern bool kg_merged_find(const KgCatalog *catalog, const KgType *type,
						   const char *id, KgMerged *merged);

/*
 * Replaces the ids of merged entities by the ids of the entities into which
 * they were merged (see kg_merged_find()). Returns whether any id was
 * replaced.
 */
extern bool kg_merged_replace(const KgCatalog *catalog, const KgType *type,
							  char **ids, int n);

extern void kg_merged_init(void);

#endif /* KG_MERGED_H */
