/*
 * type_parts.h
 *	  The parts of published schemas that depend on a type or a relation.
 *
 * Each function returns a JSON value in the current memory context.
 * tools/input/schema_template.c inserts it at the position of the part's name
 * in a template.
 */
#ifndef KG_TYPE_PARTS_H
#define KG_TYPE_PARTS_H

#include "base/json.h"
#include "model/catalog.h"

/*
 * Returns the schema of "filters". If "repeat" is true, the schema has the
 * operators of all properties, otherwise only the operators of the id.
 */
extern Jsonb *kg_type_filters_schema(const KgType *type, bool repeat);

/*
 * Returns an array of the names of the properties by which lists can be
 * sorted.
 */
extern Jsonb *kg_type_sort_names(const KgType *type);

/*
 * Returns the description of "sort". It describes the order of missing values
 * and of equal values.
 */
extern const char *kg_type_sort_note(const KgType *type);

/* Returns the names of all properties, as an array. */
extern Jsonb *kg_type_field_names(const KgType *type);

/*
 * Returns the schema of a type's documents. Each $ref is replaced by its
 * target.
 */
extern Jsonb *kg_type_document_schema(const KgType *type);

/*
 * Returns the schema of the changes in an update: any properties except the id
 * and derived properties.
 */
extern Jsonb *kg_type_changes_schema(const KgType *type);

/* Returns the schema of the properties of a relation's edges. */
extern Jsonb *kg_relation_properties_schema(const KgRelation *relation);

/* If the field is an enum, writes the member "key" with its values. */
extern void kg_enum_write(const KgField *field, const char *key,
						  KgJsonWriter *w);

#endif /* KG_TYPE_PARTS_H */
