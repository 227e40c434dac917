/*
 * binding.h
 *	  Types that read a table of the user: x-table.
 *
 * A bound type has no rows in kg_entity. Its entities are the rows of a table
 * or view, read as the caller, under the table's own grants and policies. The
 * annotation names the table and its columns. After each change of a table,
 * these names are resolved again. So a restore or a renaming of the table needs
 * no other action.
 */
#ifndef KG_BINDING_H
#define KG_BINDING_H

#include "base/error.h"
#include "model/catalog.h"

/* The annotation x-table, as written in the schema. */
typedef struct KgTableBinding
{
	const char *table; /* "schema.table", quoted as SQL identifiers */
	int nid;		   /* number of columns of the id */
	/* columns of the id; for a relation, columns of the source's id */
	const char **id;
	int nto;
	/* for a relation, columns of the target's id */
	const char **to;
	/* column whose value is the tenant (kg_tenant()), or NULL */
	const char *tenant_column;
	bool shared; /* each tenant may see all rows of the table */
	/* KG_EXPOSE_* bits of the tools that may write the table */
	int write;
	/* column that counts the changes of a row, or NULL */
	const char *version_column;
	/*
	 * {property: column or [columns]}; NULL: columns have the names of the
	 * properties
	 */
	const JsonbContainer *columns;
} KgTableBinding;

/*
 * Returns true if the value of x-table names a table. In a schema that version
 * 0.1.0 stored, x-table can have any value, because 0.1.0 ignored it.
 */
extern bool kg_binding_names_table(const JsonbValue *value);

/*
 * Reads x-table of a type or, if of_relation is set, of a relation, whose table
 * joins two tables. If the value is not an object with the members of a
 * binding, reports a fault and returns NULL.
 */
extern const KgTableBinding *kg_binding_read(const JsonbValue *value,
											 bool of_relation, const char *path,
											 KgErrorList *errors);

/*
 * Returns the type that represents the edges of a relation with x-table in its
 * schema. Its fields are the properties of edges and two references, to the
 * source and to the target. Returns NULL if the schema has no x-table or is
 * faulty.
 */
extern const KgType *kg_binding_of_edges(const Jsonb *schema,
										 const char *bundle,
										 const char *relation,
										 const KgField *fields, int nfields,
										 const KgType *from, const KgType *to,
										 const char *path, KgErrorList *errors);

/*
 * Returns the kind of a type with x-table for messages: entity type or
 * relation.
 */
static inline const char *
kg_binding_subject(const KgType *type)
{
	return type->binding->nto > 0 ? "relation" : "entity type";
}

/*
 * Returns the reference to the source (i = 0) or the target (i = 1) in a type
 * that kg_binding_of_edges() returned.
 */
static inline const KgField *
kg_binding_end(const KgType *edges, int i)
{
	return &edges->fields[edges->nfields - 2 + i];
}

/*
 * Returns the names of columns from a string or an array of strings, and sets
 * *n to their number. Returns NULL if the value is neither, or an empty array.
 */
extern const char **kg_binding_columns(const JsonbValue *value, int *n);

#endif /* KG_BINDING_H */
