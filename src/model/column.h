/*
 * column.h
 *	  Properties as columns of SQL: their types, and values of these.
 *
 *	  A view that kg_create_views() makes (store/view/views.h) has a column for each
 *	  stored property of the document itself; members of objects stay within
 *	  jsonb.  A value that is not what the schema says (written before triggers
 *	  were on, or past what the type of SQL holds) is NULL, never an error.  What
 *	  is not NULL has a key (model/key.h) that orders as it, so that a filter on
 *	  the column finds its rows by the key's index.
 */
#ifndef KG_COLUMN_H
#define KG_COLUMN_H

#include "model/catalog.h"

/* Every function that reads a column begins with this. */
#define KG_COLUMN_PREFIX "kg_column_"

/*
 * The field of a property of the document itself, or of the items of its array;
 * NULL where there is none that is stored.
 */
extern const KgField *kg_column_field(const KgType *type, const char *property);
/* Returns it from the fields of a relation. */
extern const KgField *kg_column_field_among(const KgField *fields, int n,
											const char *property);

/*
 * The SQL type of a field of kg_column_field(): TEXTOID, TEXTARRAYOID, JSONBOID.
 * type is NULL for a relation, whose integers are numeric: variants may have
 * different bounds.
 */
extern Oid kg_column_type(const KgType *type, const KgField *field);

/* A value as a scalar SQL type; false where it has none. */
extern bool kg_column_value(const JsonbValue *value, Oid type, Datum *result);

#endif /* KG_COLUMN_H */
