/*
 * column.h
 *	  Properties as columns of SQL: types and values.
 *
 * A view of kg_create_views() (store/view/views.h) has a column for each
 * stored property of the document's root; members of objects remain in jsonb.
 * A value that contradicts the schema is NULL, never an error. Such values
 * were written while triggers did not fire, or are out of the range of the SQL
 * type. Each value that is not NULL has a key (model/key.h). Keys have the
 * same order as the values, so that a filter on the column can use the index
 * of keys.
 *
 * A variant is the part of a relation that joins one pair of types (KgVariant).
 */
#ifndef KG_COLUMN_H
#define KG_COLUMN_H

#include "model/catalog.h"

/* Prefix of the functions that read a column. */
#define KG_COLUMN_PREFIX "kg_column_"

/*
 * Returns the field of a top-level property, or of the items of its array.
 * Returns NULL if the type has no stored property of this name.
 */
extern const KgField *kg_column_field(const KgType *type, const char *property);
/*
 * Returns the element of fields that describes a top-level property of a
 * relation's edges, or the items of the property's array. Returns NULL if there
 * is no such element.
 */
extern const KgField *kg_column_field_among(const KgField *fields, int n,
											const char *property);

/*
 * Returns the SQL type of a field that kg_column_field() has returned, such as
 * TEXTOID, TEXTARRAYOID or JSONBOID. type is NULL for a relation. Integers of a
 * relation become numeric, because its variants may have different bounds.
 */
extern Oid kg_column_type(const KgType *type, const KgField *field);

/*
 * Converts a value to a scalar SQL type. Returns false if the value is not one
 * of this type.
 */
extern bool kg_column_value(const JsonbValue *value, Oid type, Datum *result);

#endif /* KG_COLUMN_H */
