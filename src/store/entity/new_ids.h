/*
 * new_ids.h
 *	  Generates ids of new entities, for types with x-id-generate.
 */
#ifndef KG_NEW_IDS_H
#define KG_NEW_IDS_H

#include "model/catalog.h"

/* The state of the ids that one call generates. All zeroes at first. */
typedef struct KgNewIds
{
	int64 last; /* last number of the sequence; 0: not read yet */
	int64 time; /* milliseconds since 1970 in the last uuid */
	int counter;
} KgNewIds;

/*
 * Returns whether new entities of the type may lack an id, because kg_graph or
 * the table that the type reads generates it.
 */
extern bool kg_makes_ids(const KgType *type);

/*
 * Returns the next id. A numeric id is above the highest number that an entity
 * of the type has or had, even if the entity is hidden from the caller.
 * Sessions that generate numbers for the same type wait for each other until
 * their transactions end.
 */
extern char *kg_new_id(KgNewIds *ids, const char *tenant, const KgType *type);

#endif /* KG_NEW_IDS_H */
