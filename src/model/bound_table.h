/*
 * bound_table.h
 *	  The tables of bound types, resolved in the current system catalogs.
 */
#ifndef KG_BOUND_TABLE_H
#define KG_BOUND_TABLE_H

#include "access/attnum.h"
#include "base/error.h"
#include "model/binding.h"
#include "model/catalog.h"

/* Returns whether the type at an end of the relation is a bound type. */
extern bool kg_relation_binds(const KgCatalog *catalog,
							  const KgRelation *relation);

/*
 * Raises KG_INVALID_INPUT if the type is bound to a table. The message begins
 * with subject, for example "a graph search".
 */
extern void kg_binding_refuse(const KgType *type, const char *subject);

/*
 * Raises KG_INVALID_INPUT if the type is bound to a table, because only the
 * type's own tools may write its rows.
 */
extern void kg_binding_refuse_write(const KgType *type);

typedef struct KgBoundColumn
{
	const char *name; /* name of the column, quoted */
	AttrNumber number;
	Oid type; /* type of the column; for a domain, its base type */
	bool not_null;
	bool readable; /* the caller has SELECT on the column */
	/* The column's collation treats some different texts as equal. */
	bool folds;
} KgBoundColumn;

/* The columns that contain a property. */
typedef struct KgBoundProperty
{
	int ncolumns; /* number of columns; 0: the table has no such columns */
	KgBoundColumn *columns;
	const char *missing; /* name of a column that does not exist, or NULL */
} KgBoundProperty;

/* The table of a bound type, resolved in the current system catalogs. */
typedef struct KgBoundTable
{
	Oid relid;
	const char *name; /* qualified and quoted name of the table */
	char kind;		  /* relkind */
	KgBoundProperty id;
	/* the column of the tenant; if its name is NULL, there is no such column */
	KgBoundColumn tenant;
	/*
	 * the column of the version; if its name is NULL, there is no such column
	 */
	KgBoundColumn version;
	KgBoundProperty *properties; /* indexed by the position in KgType.fields */
} KgBoundTable;

/*
 * Returns the table of a bound type. Raises KG_FAILED_BINDING with the type and
 * the column if the table or a column of the id no longer exists, or if nothing
 * limits the rows to the tenant any more. Raises KG_FORBIDDEN if the caller
 * lacks SELECT on the table, or if the policies that limit the rows do not
 * apply to the caller.
 */
extern const KgBoundTable *kg_bound_table(const KgType *type);

/*
 * Returns the table of a bound type as the role sees it. Adds faults to errors;
 * if errors is NULL, raises the first fault. Returns NULL if the table does not
 * exist or the role must not read it.
 */
extern KgBoundTable *kg_bound_resolve(const KgType *type, Oid role,
									  const char *path, KgErrorList *errors);

/*
 * Returns whether the text of a value is equal in all sessions. For some types,
 * the text depends on settings such as TimeZone.
 */
extern bool kg_bound_is_key(Oid type);

/*
 * Return the text of a value in ids. kg_bound_text() returns an SQL expression
 * for the text, and kg_bound_value_text() returns the text of a datum. A date
 * has its JSON form, independent of DateStyle.
 */
extern char *kg_bound_text(const char *sql, Oid type);
extern char *kg_bound_value_text(Oid type, Datum value);

/*
 * Returns an SQL expression for the text of an id. The values of several
 * columns are joined by "/".
 */
extern char *kg_bound_id_text(const char *alias, const KgBoundProperty *id);
/*
 * Splits an id that consists of n columns. Returns its n parts, or NULL if the
 * id does not have n parts.
 */
extern char **kg_bound_id_parts(const char *id, int n);

/* Returns whether the caller has SELECT on each column. */
extern bool kg_bound_is_readable(const KgBoundProperty *property);

/* Returns whether values of the type can be converted to JSON. */
extern bool kg_bound_is_shown(Oid type);

#endif /* KG_BOUND_TABLE_H */
