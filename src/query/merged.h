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
 * Finds the entity into which the entity with this id was merged, through
 * several merges if necessary. If type is NULL, the entity may have any type,
 * but only one entity may match. Returns false if there is no such entity, if
 * a new entity has the id, or if the call reads a past state. The returned
 * entity may be hidden from the caller; the rights of the caller are checked
 * when the entity is read.
 */
extern bool kg_merged_find(const KgCatalog *catalog, const KgType *type,
						   const char *id, KgMerged *merged);

/*
 * Replaces the ids of merged entities by present ids. Returns whether any id
 * was replaced. The function looks up each id, so call it only if some of the
 * ids were not found.
 */
extern bool kg_merged_replace(const KgCatalog *catalog, const KgType *type,
							  char **ids, int n);

#endif /* KG_MERGED_H */
