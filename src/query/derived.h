/*
 * derived.h
 *	  Values of x-derived properties: computed when they are shown.
 */
#ifndef KG_DERIVED_H
#define KG_DERIVED_H

#include "catalog/catalog.h"

/* Does the type have a property that counts edges? */
extern bool kg_derived_any(const KgType *type);

/*
 * Put the counts into documents of one type: data[i] is that of nodes[i], or
 * NULL, and is replaced.  Counts what the caller sees.
 */
extern void kg_derived_fill(const KgCatalog *catalog, const KgType *type,
							const int64 *nodes, Jsonb **data, int n);

#endif /* KG_DERIVED_H */
