/*
 * binding.h
 *	  Types that read a table of the user: x-table.
 *
 * A bound type has no rows in kg_entity. Its entities are the rows of a table
 * or view, read as the caller, under the table's own grants and policies. The
 * annotation names the table and its columns. These names are resolved again
 * after each change of a table, so nothing else is needed after a restore or a
 * renaming of the table.
 */
#ifndef KG_BINDING_H
#define KG_BINDING_H

#include "base/error.h"
#include "model/catalog.h"

/* The annotation x-table, as it is written. */
typedef struct KgTableBinding
{
	const char *table; /* "schema.table", quoted as SQL */
	int nid;		   /* columns of the id */
	/* columns of the id; for a relation, columns of the source's id */
	const char **id;
	int nto;
	/* for a relation, columns of the target's id */
	const char **to;
	const char *tenant_column; /* has kg_tenant(), or NULL */
	bool shared;			   /* every tenant may see all of the table */
	/* KG_EXPOSE_* bits of the tools that may write the table */
	int write;
	const char *version_column; /* counts the changes of a row, or NULL */
	/* {property: column or [columns]}; NULL: columns have the names */
	const JsonbContainer *columns;
} KgTableBinding;

/*
 * Reads x-table of a type, or of a relation, whose table joins two others.
 * Returns NULL and reports a fault if the value is not an object with the
 * members of a binding.
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

/*
 * Returns the kind of a type with x-table, entity type or relation, for
 * messages.
 */
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
 * Returns the names of columns from a string or an array of strings. Returns
 * NULL if the value is neither.
 */
extern const char **kg_binding_columns(const JsonbValue *value, int *n);

#endif /* KG_BINDING_H */
