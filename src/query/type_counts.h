/*
 * type_counts.h
 *	  Counts the entities of each type.
 */
#ifndef KG_TYPE_COUNTS_H
#define KG_TYPE_COUNTS_H

#include "model/catalog.h"

/*
 * Entities of a type are counted up to this number; a larger count is returned
 * as this number plus 1.
 */
#define KG_MAX_TYPE_COUNT 10000

/*
 * Returns the number of entities that the caller sees, for each of
 * catalog->types. The number is -1 for a type with x-authorize, because
 * counting would need a decision on every entity, and for a type that reads a
 * table.
 */
extern int64 *kg_type_counts(const KgCatalog *catalog);

#endif /* KG_TYPE_COUNTS_H */
