/*
 * type_rows.h
 *	  Types of a catalog: reading their rows, and parsing their schemas on
 *	  first use.
 */
#ifndef KG_TYPE_ROWS_H
#define KG_TYPE_ROWS_H

#include "model/catalog.h"

/*
 * Reads the rows of the types with the rights of the current role. Allocates in
 * the catalog's context.
 */
extern void kg_load_types(KgCatalog *catalog, const Datum *tenant);

/*
 * Returns the type as its own schema describes it. Numbers of relations, and
 * marks that other types set, may be missing.
 */
extern const KgType *kg_type_parsed(const KgTypeRow *row);

/*
 * Returns an array of n elements, enlarged if it has no room for one more
 * element. The array must have been allocated for one element.
 */
static inline void *
kg_array_grown(void *array, int n, Size size)
{
	/* The capacity is always a power of two. */
	return n > 0 && (n & (n - 1)) == 0 ? repalloc(array, 2 * n * size) : array;
}

/* Returns the bundle's relation of this name, or NULL. */
extern const KgRelation *kg_catalog_find_relation(const KgCatalog *catalog,
												  const char *bundle,
												  const char *name);

#endif /* KG_TYPE_ROWS_H */
