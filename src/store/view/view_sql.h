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
	const char *type;	  /* SQL type, in the format of format_type() */
	const char *value;	  /* an SQL expression for the column's value */
	const char *comment;  /* or NULL */
	const char *property; /* property that the column shows, or NULL */
} KgViewColumn;

typedef struct KgView
{
	const char *kind; /* "type" or "relation" */
	const char *bundle;
	const char *of;
	/* a hash that changes if any part of the view changes; or "" */
	const char *made;
	const char *comment;
	List *columns;		/* List of KgViewColumn * */
	const KgType *type; /* NULL if relation is set */
	const KgRelation *relation;
	const char *name; /* name of the view if it exists, or NULL */
} KgView;

/*
 * kg_view_of_type() and kg_view_of_relation() return the description of a
 * type's or relation's view: its comment and its columns. The member "made" is
 * an empty string.
 */
extern KgView *kg_view_of_type(const KgType *type);
extern KgView *kg_view_of_relation(const KgRelation *relation);

/*
 * Returns the views (KgView *) of a catalog, in a fixed order. The member
 * "made" of each view is set.
 */
extern List *kg_view_list(const KgCatalog *catalog);

/* The tables that a view reads, each as an item of FROM without an alias. */
typedef struct KgViewTables
{
	const char *entity;
	const char *edge;
	/*
	 * The reader sees all entities of these tables. Then the query need not
	 * test the ends of a relation's edges.
	 */
	bool whole;
} KgViewTables;

/*
 * Returns the query of a view, with its columns in this order. If tables is
 * NULL, the query reads kg_graph's tables directly.
 */
extern char *kg_view_query(const KgCatalog *catalog, const KgView *view,
						   List *columns, const KgViewTables *tables);

/*
 * Returns a name for the column with the entity's id. The name differs from
 * all property names, even if they are folded to lower case.
 */
extern const char *kg_view_id_column(const KgType *type);

/* Returns a hash of the tenant, which identifies the tenant's views. */
extern char *kg_view_tenant(const char *tenant);

/* Returns the name, truncated to the length of an identifier. */
extern char *kg_view_identifier(const char *name);
/*
 * Returns the name, truncated and followed by a hash of "what", so that it is
 * unique.
 */
extern char *kg_view_identifier_of(const char *name, const char *what);

#endif /* KG_VIEW_SQL_H */
