/*
 * counted.h
 *	  What a property with x-derived counts, for who counts and who keeps counts.
 *
 * With x-index the count is kept as a key: a row of kg_index_key for each entity
 * of the type, which the triggers of kg_edge change (store/derived/counted.h).  It is of all
 * edges of the tenant, so it is not among the entity's own keys
 * (packed_keys.h), which whoever sees the entity can read: such rows are found by
 * their node, and so that an index can have these rows alone, the numbers of
 * these fields are high.
 */
#ifndef KG_COUNTED_H
#define KG_COUNTED_H

#include "model/catalog.h"

/* field_no of a kept count is this and its place in key_fields. */
#define KG_COUNTED_FIELDS 32768
/* In statements: of the rows of the index by node. */
#define KG_COUNTED_ROWS "field_no >= 32768"

/* The relations whose edges are counted, by how they are. */
typedef struct KgCountedRelations
{
	int nincoming; /* at their target */
	Datum *incoming;
	int noutgoing; /* at their source */
	Datum *outgoing;
	int nboth; /* at either end, a loop once */
	Datum *both;
} KgCountedRelations;

/* Does the property count edges of the relation at entities of the type? */
extern bool kg_counts_relation(const KgType *type, const KgField *field,
							   const KgRelation *relation);
/*
 * The same by its name alone: of edges that are at such entities, or were before
 * the relation changed.
 */
extern bool kg_counts_by_name(const KgField *field, const KgRelation *relation);
/* In the current context; int4 each. */
extern KgCountedRelations kg_counted_relations(const KgCatalog *catalog,
											   const KgType *type,
											   const KgField *field);

/* A count as a key. */
extern bytea *kg_counted_key(const KgField *field, int64 count);

#endif /* KG_COUNTED_H */
