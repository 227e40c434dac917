/*
 * tenant/tables.h
 *	  What a tenant is when it is carried elsewhere: the tables that hold it, in
 *	  the order in which they are filled, and their columns.
 *
 * All other tables with a column "tenant" are derived from these, or of a
 * moment; test/sql/tenant_transfer.sql knows which.
 */
#ifndef KG_TENANT_TABLES_H
#define KG_TENANT_TABLES_H

#include "nodes/pg_list.h"

typedef struct KgTenantTable
{
	const char *name;
	const char *rows;  /* a condition on them, t, or NULL: all */
	const char *order; /* of its rows: the same data is the same text */
	const char *omit;  /* columns that are derived, with a space around each */
	bool by_hand;	   /* its rows are not simply inserted */
} KgTenantTable;

extern const KgTenantTable kg_tenant_tables[];
extern const int kg_n_tenant_tables;

/* Whose number a column is; they are given anew in another database. */
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
	bool required;	/* NOT NULL, and without a default */
	char *fallback; /* its default, as SQL, or NULL */
	KgNumberKind number;
} KgTenantColumn;

/*
 * Of KgTenantColumn *, but for the tenant and what is omitted; none where the
 * extension's SQL is older than the table.
 */
extern List *kg_tenant_columns(const KgTenantTable *table);

/* NULL where there is none of that name. */
extern const KgTenantTable *kg_tenant_table(const char *name, int len);

#endif /* KG_TENANT_TABLES_H */
