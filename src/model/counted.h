/*
 * counted.h
 *	  Properties that count an entity's edges (x-derived).
 *
 * With x-index, the count is stored as a key, that is, as a row of kg_index_key
 * for each entity of the type, which the triggers of kg_edge maintain
 * (store/derived/counted.h). The count includes all edges of the tenant.
 * Therefore the count is not stored among the entity's own keys
 * (packed_keys.h), which any caller that sees the entity can read. Rows of
 * counts are found by node. Their field numbers are high, so that a partial
 * index can contain only these rows.
 */
#ifndef KG_COUNTED_H
#define KG_COUNTED_H

#include "model/catalog.h"

/*
 * The field_no of a stored count is this number plus the position of its field
 * in key_fields.
 */
#define KG_COUNTED_FIELDS 32768
/* Predicate of the partial index of counts by node, for SQL texts. */
#define KG_COUNTED_ROWS "field_no >= 32768"

/*
 * The numbers of the relations whose edges are counted, by the end of the edge
 * at which the counting entity is.
 */
typedef struct KgCountedRelations
{
	int nincoming; /* entity is the target */
	Datum *incoming;
	int noutgoing; /* entity is the source */
	Datum *outgoing;
	/*
	 * Relations counted at both ends. An edge from an entity to itself counts
	 * once.
	 */
	int nboth;
	Datum *both;
} KgCountedRelations;

/*
 * Returns true if the property counts the relation's edges at entities of the
 * type.
 */
extern bool kg_counts_relation(const KgType *type, const KgField *field,
							   const KgRelation *relation);
/*
 * Returns true if the property counts edges of relations with this relation's
 * name. The types at the ends are not compared, because the relation may have
 * had other types before it was changed.
 */
extern bool kg_counts_by_name(const KgField *field, const KgRelation *relation);
/*
 * Returns the relations that a property counts, as arrays of int4 in the
 * current context.
 */
extern KgCountedRelations kg_counted_relations(const KgCatalog *catalog,
											   const KgType *type,
											   const KgField *field);

/* Returns the key that represents a count. */
extern bytea *kg_counted_key(const KgField *field, int64 count);

#endif /* KG_COUNTED_H */
