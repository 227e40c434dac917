/*
 * merged.h
 *	  Ids of entities that were merged into others (store/merge).
 */
#ifndef KG_MERGED_H
#define KG_MERGED_H

#include "model/catalog.h"

/* The entity into which another one was merged. */
typedef struct KgMerged
{
	const KgType *type;
	int64 node;
	char *id;
} KgMerged;

/*
 * Finds the entity into which the one with this id was merged, over several
 * merges if necessary. type NULL: of any type, if there is one only. Returns
 * false if there is no such entity, or the id was taken again, or the call is
 * about the past. The caller may not see the entity: its own rights decide when
 * it is read.
 */
extern bool kg_merged_find(const KgCatalog *catalog, const KgType *type,
						   const char *id, KgMerged *merged);

/*
 * Replaces the ids of merged entities by present ids. Returns whether there were
 * any. It looks up each id, so it is for ids that were not all found.
 */
extern bool kg_merged_replace(const KgCatalog *catalog, const KgType *type,
							  char **ids, int n);

#endif /* KG_MERGED_H */
