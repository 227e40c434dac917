/*
 * binding.h
 *	  Types that read a table of the user: x-table.
 *
 * A bound type has no rows in kg_entity.  Its entities are the rows of a table
 * or view, read as the caller, under the table's own grants and policies.  The
 * annotation names the table and its columns.  The names are resolved anew by
 * each call, so a dump, a renamed table and a restored one need nothing else.
 */
#ifndef KG_BINDING_H
#define KG_BINDING_H

#include "base/error.h"
#include "model/catalog.h"

/* x-table, as it is written. */
typedef struct KgTableBinding
{
	const char *table; /* "schema.table", quoted as SQL */
	int nid;		   /* columns of the id */
	const char **id;   /* of a relation: those of the source's id */
	int nto;
	const char **to;			/* of a relation: columns of the target's id */
	const char *tenant_column;	/* has kg_tenant(), or NULL */
	bool shared;				/* every tenant may see all of the table */
	int write;					/* KG_EXPOSE_* of the tools that write it */
	const char *version_column; /* counts the changes of a row, or NULL */
	/* {property: column or [columns]}; NULL: columns have the names */
	const JsonbContainer *columns;
} KgTableBinding;

/*
 * Reads x-table of a type, or of a relation, whose table joins two others.
 * Returns NULL and reports a fault if it is not an object of a binding's
 * members.
 */
extern const KgTableBinding *kg_binding_read(const JsonbValue *value,
											 bool of_relation, const char *path,
											 KgErrorList *errors);

/*
 * Returns a type whose entities are the edges of a relation with x-table in its
 * schema: the properties of edges, and two references, to the source and to the
 * target.  Returns NULL without x-table, or after a fault.
 */
extern const KgType *kg_binding_of_edges(const Jsonb *schema,
										 const char *bundle,
										 const char *relation,
										 const KgField *fields, int nfields,
										 const KgType *from, const KgType *to,
										 const char *path, KgErrorList *errors);

/* Returns the kind of such a type or another one with x-table, for messages. */
static inline const char *
kg_binding_subject(const KgType *type)
{
	return type->binding->nto > 0 ? "relation" : "entity type";
}

/* Returns the reference to the source (0) or target (1) of such a type. */
static inline const KgField *
kg_binding_end(const KgType *edges, int i)
{
	return &edges->fields[edges->nfields - 2 + i];
}

/*
 * Returns the names of columns: a string, or an array of strings.  NULL: it is
 * neither.
 */
extern const char **kg_binding_columns(const JsonbValue *value, int *n);

#endif /* KG_BINDING_H */
