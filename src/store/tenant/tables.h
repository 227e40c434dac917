/*
 * tenant/tables.h
 *	  The tables and columns that an export of a tenant contains, in the
 *	  order in which an import fills them.
 *
 * All other tables with a column "tenant" are derived from these or hold
 * temporary data; test/sql/tenant_transfer.sql lists them.
 */
#ifndef KG_TENANT_TABLES_H
#define KG_TENANT_TABLES_H

#include "nodes/pg_list.h"

typedef struct KgTenantTable
{
	const char *name;
	const char *rows; /* a condition on rows t of the table; NULL: all rows */
	/* ORDER BY list; it makes the text equal for equal data. */
	const char *order;
	const char *omit; /* names of derived columns, with a space around each */
	bool by_hand;	  /* an import needs more than an INSERT for its rows */
} KgTenantTable;

extern const KgTenantTable kg_tenant_tables[];
extern const int kg_n_tenant_tables;

/*
 * The kind of number in a column. An import replaces such numbers by new
 * numbers.
 */
typedef enum KgNumberKind
{
	KG_NO_NUMBER = 0,
	KG_NODE_NUMBER = 'n',
	KG_TYPE_NUMBER = 't',
	KG_RELATION_NUMBER = 'r'
} KgNumberKind;

typedef struct KgTenantColumn
{
	char *name;
	char *quoted;
	Oid type;
	char *type_name;
	bool required;	/* the column is NOT NULL and has no default */
	char *fallback; /* the default as an SQL expression, or NULL */
	KgNumberKind number;
} KgTenantColumn;

/*
 * Returns the columns of the table (KgTenantColumn *), except the tenant and
 * the omitted columns. Returns an empty list if the installed SQL of the
 * extension is older than the table.
 */
extern List *kg_tenant_columns(const KgTenantTable *table);

/* Returns the table of that name, or NULL. */
extern const KgTenantTable *kg_tenant_table(const char *name, int len);

#endif /* KG_TENANT_TABLES_H */
