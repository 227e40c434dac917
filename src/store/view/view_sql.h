/*
 * view_sql.h
 *	  The definition of a view of a type or a relation: columns, query,
 *	  comments.
 */
#ifndef KG_VIEW_SQL_H
#define KG_VIEW_SQL_H

#include "model/catalog.h"

typedef struct KgViewColumn
{
	const char *name;
	const char *type;	  /* in the format of format_type() */
	const char *value;	  /* an expression */
	const char *comment;  /* or NULL */
	const char *property; /* that it has, or NULL */
} KgViewColumn;

typedef struct KgView
{
	const char *kind; /* "type" or "relation" */
	const char *bundle;
	const char *of;
	const char *made; /* a hash that changes with any part of the view; or "" */
	const char *comment;
	List *columns;		/* List of KgViewColumn * */
	const KgType *type; /* either this or relation is set */
	const KgRelation *relation;
	const char *name; /* name of the view if it exists, or NULL */
} KgView;

/*
 * kg_view_of_type() and kg_view_of_relation() return a view whose member made
 * is "".
 */
extern KgView *kg_view_of_type(const KgType *type);
extern KgView *kg_view_of_relation(const KgRelation *relation);

/* Returns the views (KgView *) of a catalog, in order, with the member made. */
extern List *kg_view_list(const KgCatalog *catalog);

/* The tables that a view reads, each as an item of FROM without an alias. */
typedef struct KgViewTables
{
	const char *entity;
	const char *edge;
	/*
	 * The reader sees all entities of these tables. Then the edges of a
	 * relation need no test of their ends.
	 */
	bool whole;
} KgViewTables;

/*
 * Returns the query of a view, with its columns in this order.  If tables is
 * NULL, it reads the tables themselves.
 */
extern char *kg_view_query(const KgCatalog *catalog, const KgView *view,
						   List *columns, const KgViewTables *tables);

/*
 * Returns a column name for the entity's id that differs from all properties,
 * quoted or not.
 */
extern const char *kg_view_id_column(const KgType *type);

/* Returns a hash of the tenant, which identifies the tenant's views. */
extern char *kg_view_tenant(const char *tenant);

/* Returns the name, cut to the length of an identifier. */
extern char *kg_view_identifier(const char *name);
/*
 * Returns the name, cut and followed by a hash of what, so that it is unique.
 */
extern char *kg_view_identifier_of(const char *name, const char *what);

#endif /* KG_VIEW_SQL_H */
