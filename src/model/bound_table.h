/*
 * bound_table.h
 *	  The tables of bound types, as they are now.
 */
#ifndef KG_BOUND_TABLE_H
#define KG_BOUND_TABLE_H

#include "access/attnum.h"
#include "base/error.h"
#include "model/binding.h"
#include "model/catalog.h"

/* Returns whether an end of the relation is a bound type. */
extern bool kg_relation_binds(const KgCatalog *catalog,
							  const KgRelation *relation);

/*
 * Raises KG_INVALID_INPUT if the type reads a table.  The message begins with
 * the subject, such as "a graph search".
 */
extern void kg_binding_refuse(const KgType *type, const char *subject);

/*
 * Raises KG_INVALID_INPUT if the type reads a table, because only the tools of
 * the type write its rows.
 */
extern void kg_binding_refuse_write(const KgType *type);

typedef struct KgBoundColumn
{
	const char *name; /* quoted */
	AttrNumber number;
	Oid type; /* the type of the column; for a domain, its base type */
	bool not_null;
	bool readable; /* the caller has SELECT on the column */
	/* the collation of the column treats some different texts as equal */
	bool folds;
} KgBoundColumn;

/* The columns of a property. */
typedef struct KgBoundProperty
{
	int ncolumns; /* 0: the table has no such columns */
	KgBoundColumn *columns;
	const char *missing; /* the name of a column that does not exist */
} KgBoundProperty;

/* The table of a bound type, as it is now. */
typedef struct KgBoundTable
{
	Oid relid;
	const char *name; /* qualified and quoted */
	char kind;		  /* relkind */
	KgBoundProperty id;
	KgBoundColumn tenant;		 /* name NULL: none */
	KgBoundColumn version;		 /* name NULL: none */
	KgBoundProperty *properties; /* indexed by the index of a field */
} KgBoundTable;

/*
 * Returns the table of a bound type.  Raises KG_FAILED_BINDING, naming type and
 * column, if the table or a column of the id is gone, or if nothing limits the
 * rows to the tenant any more.  Raises KG_FORBIDDEN if the caller has no SELECT
 * on the table, or is not subject to the policies that limit the rows.
 */
extern const KgBoundTable *kg_bound_table(const KgType *type);

/*
 * Returns the table as the role sees it. Adds faults to errors, or raises the
 * first fault if errors is NULL. Returns NULL if there is no such table, or
 * the role must not read it.
 */
extern KgBoundTable *kg_bound_resolve(const KgType *type, Oid role,
									  const char *path, KgErrorList *errors);

/*
 * Returns whether the text of the type's values is the same in all sessions.
 * The text of others depends on settings, such as TimeZone.
 */
extern bool kg_bound_is_key(Oid type);

/*
 * Return the text that a value has in ids. The first function returns an SQL
 * expression for it, the second one the text of a datum. A date has its JSON
 * form, whatever DateStyle is.
 */
extern char *kg_bound_text(const char *sql, Oid type);
extern char *kg_bound_value_text(Oid type, Datum value);

/*
 * Returns the expression of the text that is the id of columns.  Several
 * columns are joined by "/".
 */
extern char *kg_bound_id_text(const char *alias, const KgBoundProperty *id);
/*
 * Returns the n parts of an id of several columns, or NULL if the id does not
 * have n parts.
 */
extern char **kg_bound_id_parts(const char *id, int n);

/* Returns whether the caller has SELECT on each column. */
extern bool kg_bound_is_readable(const KgBoundProperty *property);

/* Returns whether JSON can show values of the type. */
extern bool kg_bound_is_shown(Oid type);

#endif /* KG_BOUND_TABLE_H */
