/*
 * derived.h
 *	  Values of x-derived properties: computed when they are shown.
 */
#ifndef KG_DERIVED_H
#define KG_DERIVED_H

#include "catalog/catalog.h"

/* Does the type have a property that counts edges? */
extern bool kg_derived_any(const KgType *type);

/* An entity that is shown: its data is replaced; NULL is left alone. */
typedef struct KgShown
{
	const KgType *type;
	int64 node;
	Jsonb **data;
} KgShown;

/* Put the counts into what is shown, which is reordered: what the caller sees. */
extern void kg_derived_fill(const KgCatalog *catalog, KgShown *shown, int n);

#endif /* KG_DERIVED_H */
