/*
 * new_ids.h
 *	  Ids of new entities of a type with x-id-generate.
 */
#ifndef KG_NEW_IDS_H
#define KG_NEW_IDS_H

#include "model/catalog.h"

/* The ids that one call makes. Zeroed before the first. */
typedef struct KgNewIds
{
	int64 last; /* number of a sequence; 0: not read yet */
	int64 time; /* milliseconds since 1970 of the last uuid */
	int counter;
} KgNewIds;

/* Returns whether the type makes ids. */
extern bool kg_makes_ids(const KgType *type);

/*
 * Returns the next id. The number of a sequence follows the highest number
 * that an entity of the type has or had, even if the entity is hidden from the
 * caller. Sessions that make numbers for the same type wait for each other
 * until their transactions end.
 */
extern char *kg_new_id(KgNewIds *ids, const char *tenant, const KgType *type);

#endif /* KG_NEW_IDS_H */
