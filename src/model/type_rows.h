/*
 * type_rows.h
 *	  Types of a catalog: their rows, and their schemas on first use.
 */
#ifndef KG_TYPE_ROWS_H
#define KG_TYPE_ROWS_H

#include "model/catalog.h"

/*
 * Reads the rows of the types, as the current role, into the catalog's
 * context.
 */
extern void kg_load_types(KgCatalog *catalog, const Datum *tenant);

/*
 * Returns the type by its own schema alone: numbers of relations, and marks
 * from other types, may be missing.
 */
extern const KgType *kg_type_parsed(const KgTypeRow *row);

/*
 * Returns an array of n elements with room for one more. It was allocated for
 * one element.
 */
static inline void *
kg_array_grown(void *array, int n, Size size)
{
	/* Its room is a power of two. */
	return n > 0 && (n & (n - 1)) == 0 ? repalloc(array, 2 * n * size) : array;
}

/* Returns the relation, or NULL. */
extern const KgRelation *kg_catalog_find_relation(const KgCatalog *catalog,
												  const char *bundle,
												  const char *name);

#endif /* KG_TYPE_ROWS_H */
