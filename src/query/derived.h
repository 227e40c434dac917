/*
 * derived.h
 *	  Values of x-derived properties: counts of an entity's edges,
 *	  computed when they are shown, filtered, sorted or grouped by.
 *
 * A property with x-index has a stored count (model/counted.h) of all edges of
 * the tenant. The stored count is used only for the present and only for
 * callers that see all of these edges; kg_counts_are_kept() decides. For other
 * callers, and with valid_at, edges are counted, for at most kg_graph.max_scan
 * entities. With as_of there are no counts.
 */
#ifndef KG_DERIVED_H
#define KG_DERIVED_H

#include "model/catalog.h"

/* Returns whether the type has a property that counts edges. */
extern bool kg_derived_any(const KgType *type);

/* An entity of a reply. Its data, if not NULL, is replaced. */
typedef struct KgShown
{
	const KgType *type;
	int64 node;
	Jsonb **data;
} KgShown;

/*
 * Counts the edges that the caller sees and puts the counts into the data of
 * the entities. Reorders the array.
 */
extern void kg_derived_fill(const KgCatalog *catalog, KgShown *shown, int n);

/*
 * Returns whether the stored counts are equal to the counts of the edges that
 * the caller sees.
 */
extern bool kg_counts_are_kept(const KgCatalog *catalog);

/* Raises KG_FORBIDDEN if edges that the property counts are not stored yet. */
extern void kg_counts_require(const KgCatalog *catalog, const KgType *type,
							  const KgField *field);

/*
 * The counts of edges that the caller sees, for some entities of a type and
 * its counting properties with x-index.
 */
typedef struct KgCounts KgCounts;
extern KgCounts *kg_counts_of(const KgCatalog *catalog, const KgType *type,
							  const int64 *nodes, uint32 n);
/*
 * kg_counts_show() returns the entity's document with its counts.
 * kg_counts_key() returns its count for a field, as an index key. The node must
 * be among the nodes passed to kg_counts_of().
 */
extern Jsonb *kg_counts_show(const KgCounts *counts, int64 node,
							 const Jsonb *data);
extern bytea *kg_counts_key(const KgCounts *counts, const KgField *field,
							int64 node);

/*
 * Raises KG_LIMIT_EXCEEDED at path if n, the number of entities of the type
 * whose edges would be counted, is above kg_graph.max_scan.
 */
extern void kg_counts_check(const KgType *type, const KgField *field,
							const char *path, uint64 n);

#endif /* KG_DERIVED_H */
