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
	const char **id;
	const char *tenant_column; /* has kg_tenant(), or NULL */
	bool shared;			   /* every tenant may see all of the table */
	/* {property: column or [columns]}; NULL: columns have the names */
	const JsonbContainer *columns;
} KgTableBinding;

/*
 * Reads x-table.  Returns NULL and reports a fault if it is not an object of a
 * binding's members.
 */
extern const KgTableBinding *
kg_binding_read(const JsonbValue *value, const char *path, KgErrorList *errors);

/*
 * Returns the names of columns: a string, or an array of strings.  NULL: it is
 * neither.
 */
extern const char **kg_binding_columns(const JsonbValue *value, int *n);

#endif /* KG_BINDING_H */
