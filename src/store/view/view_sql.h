/*
 * view_sql.h
 *	  What a view of a type or a relation is: columns, text, comments.
 */
#ifndef KG_VIEW_SQL_H
#define KG_VIEW_SQL_H

#include "model/catalog.h"

typedef struct KgViewColumn
{
	const char *name;
	const char *type;	 /* as format_type() has it */
	const char *value;	 /* the expression */
	const char *comment; /* or NULL */
} KgViewColumn;

typedef struct KgView
{
	const char *kind; /* "type" or "relation" */
	const char *bundle;
	const char *of;
	const char *made; /* differs where anything of the view does; or empty */
	const char *comment;
	List *columns;		/* of KgViewColumn * */
	const KgType *type; /* one of the two */
	const KgRelation *relation;
	const char *name; /* where it is known: of the view */
} KgView;

/* Makes the view of a type, of a relation; "made" is empty. */
extern KgView *kg_view_of_type(const KgType *type);
extern KgView *kg_view_of_relation(const KgRelation *relation);

/* Each view of a catalog, in order, with what it is made of. */
extern List *kg_view_list(const KgCatalog *catalog);

/* The query of a view, its columns in this order. */
extern char *kg_view_query(const KgCatalog *catalog, const KgView *view,
						   List *columns);

/* A hash of the tenant, by which its views know it. */
extern char *kg_view_tenant(const char *tenant);

/* Cut to what an identifier may have. */
extern char *kg_view_identifier(const char *name);
/* The same, with a hash of what it stands for at its end. */
extern char *kg_view_identifier_of(const char *name, const char *what);

#endif /* KG_VIEW_SQL_H */
