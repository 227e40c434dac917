/*
 * type_parts.h
 *	  The parts of published schemas that depend on a type or a relation.
 *
 * Each function returns a JSON value in the current memory context.
 * tools/input/schema_template.c puts it in the position of its name.
 */
#ifndef KG_TYPE_PARTS_H
#define KG_TYPE_PARTS_H

#include "base/json.h"
#include "model/catalog.h"

/*
 * Returns the schema of "filters". If repeat is set, the operators of all
 * properties are written out; otherwise only the operators of the id are
 * written out.
 */
extern Jsonb *kg_type_filters_schema(const KgType *type, bool repeat);

/* Returns the names of the properties to sort by, as an array. */
extern Jsonb *kg_type_sort_names(const KgType *type);

/*
 * Returns the description of "sort": the order of missing values and of ties.
 */
extern const char *kg_type_sort_note(const KgType *type);

/* Returns the names of all properties, as an array. */
extern Jsonb *kg_type_field_names(const KgType *type);

/*
 * Returns the schema of a type's documents, with the targets of $ref in place.
 */
extern Jsonb *kg_type_document_schema(const KgType *type);

/*
 * Returns the schema of an update: any properties but the id and derived ones.
 */
extern Jsonb *kg_type_changes_schema(const KgType *type);

/* Returns the schema of the properties of a relation's edges. */
extern Jsonb *kg_relation_properties_schema(const KgRelation *relation);

/* Writes the member key with the values of an enum, if the field has some. */
extern void kg_enum_write(const KgField *field, const char *key,
						  KgJsonWriter *w);

#endif /* KG_TYPE_PARTS_H */
