/*
 * bound_index.h
 *	  Indexes of the tables of bound types, and how many rows they have.
 */
#ifndef KG_BOUND_INDEX_H
#define KG_BOUND_INDEX_H

#include "access/attnum.h"
#include "model/bound_table.h"

/*
 * Replaces a view of a single table by that table, and the numbers of the
 * view's columns by the numbers of the table's columns. Returns InvalidOid if
 * the view has another form.
 */
extern Oid kg_bound_base(Oid relid, int64 *columns, int n);

/*
 * Returns whether a complete index that serves "=" begins with these columns,
 * in any order.  unique: it has no other columns, and these are NOT NULL.
 */
extern bool kg_bound_has_index(Oid relid, const int64 *columns, int n,
							   bool unique);

/* Returns the names of the columns of a property: a, b. */
extern char *kg_bound_names(const KgBoundProperty *property);

/* Returns the CREATE INDEX of an index of the columns. */
extern char *kg_bound_index_text(const KgBoundTable *table,
								 const KgBoundProperty *property, bool unique);

/* Returns the estimated number of rows; -1 if there is no estimate. */
extern double kg_bound_rows(Oid relid);

#endif /* KG_BOUND_INDEX_H */
