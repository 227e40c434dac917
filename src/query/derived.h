/*
 * derived.h
 *	  Values of x-derived properties: computed when they are shown, and what is
 *	  filtered, sorted and grouped by them.
 *
 * With x-index a count is kept (model/counted.h), of all edges of the tenant.  So
 * it is read for who sees all of them, now: kg_counts_are_kept() decides.  For all
 * others, and at an instant that is asked for, edges are counted, of as many
 * entities as kg_graph.max_scan allows.
 */
#ifndef KG_DERIVED_H
#define KG_DERIVED_H

#include "model/catalog.h"

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

/* Are the counts that are kept what the call would count? */
extern bool kg_counts_are_kept(const KgCatalog *catalog);

/* Raise KG_FORBIDDEN where edges that a property counts are not there yet. */
extern void kg_counts_require(const KgCatalog *catalog, const KgType *type,
							  const KgField *field);

/* The counts with x-index of some entities of a type, as the caller sees them. */
typedef struct KgCounts KgCounts;
extern KgCounts *kg_counts_of(const KgCatalog *catalog, const KgType *type,
							  const int64 *nodes, uint32 n);
/* In an entity's document, and as a key; of one of these entities. */
extern Jsonb *kg_counts_show(const KgCounts *counts, int64 node,
							 const Jsonb *data);
extern bytea *kg_counts_key(const KgCounts *counts, const KgField *field,
							int64 node);

/*
 * Raise KG_LIMIT_EXCEEDED at path where edges would have to be counted of more
 * entities of the type than kg_graph.max_scan allows.
 */
extern void kg_counts_check(const KgType *type, const KgField *field,
							const char *path, uint64 n);

#endif /* KG_DERIVED_H */
