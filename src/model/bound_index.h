/*
 * bound_index.h
 *	  Indexes of the tables of bound types, and estimates of their numbers of
 *	  rows.
 */
#ifndef KG_BOUND_INDEX_H
#define KG_BOUND_INDEX_H

#include "access/attnum.h"
#include "model/bound_table.h"

/*
 * Returns the table below a view of a single table, or the table itself.
 * Replaces the numbers of the view's columns by those of the table's columns.
 * Returns InvalidOid if the view has another form.
 */
extern Oid kg_bound_base(Oid relid, int64 *columns, int n);

/*
 * Returns whether a complete index that serves "=" begins with these columns,
 * in any order. If unique is set, the index must be unique and have no other
 * columns, and the columns must be NOT NULL.
 */
extern bool kg_bound_has_index(Oid relid, const int64 *columns, int n,
							   bool unique);

/* Returns the names of a property's columns, joined by a comma. */
extern char *kg_bound_names(const KgBoundProperty *property);

/* Returns the CREATE INDEX command for an index of the property's columns. */
extern char *kg_bound_index_text(const KgBoundTable *table,
								 const KgBoundProperty *property, bool unique);

/*
 * The operators by which an index finds the texts with a prefix: "from"
 * compares them with the prefix, and "below" with a text above all texts that
 * have the prefix.
 */
typedef struct KgBoundPrefix
{
	const char *from;
	const char *below;
	const char *collate; /* for the column, or "" */
} KgBoundPrefix;

/*
 * Returns the operators if a complete b-tree index on the column orders texts
 * by their bytes; otherwise NULL.
 */
extern const KgBoundPrefix *kg_bound_prefix(Oid relid, int64 column);

/*
 * Returns the schema of the extension pg_trgm if a complete index on the column
 * has one of its operator classes, and the caller may use the schema; otherwise
 * NULL.
 */
extern const char *kg_bound_trigrams(Oid relid, int64 column);

/* Returns the estimated number of rows, or -1 if there is no estimate. */
extern double kg_bound_rows(Oid relid);

#endif /* KG_BOUND_INDEX_H */
