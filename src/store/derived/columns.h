/*
 * columns.h
 *	  Rows gathered column by column, for one INSERT ... SELECT FROM unnest().
 */
#ifndef KG_COLUMNS_H
#define KG_COLUMNS_H

#include "base/spi.h"

#define KG_MAX_COLUMNS 12

typedef struct KgColumns
{
	MemoryContext context;
	int ncolumns;
	Oid types[KG_MAX_COLUMNS];
	Datum *values[KG_MAX_COLUMNS];
	bool *nulls[KG_MAX_COLUMNS];
	int nrows;
	int capacity;
} KgColumns;

/* Element types as OIDs; allocated in context, which the caller resets. */
extern void kg_columns_init(KgColumns *columns, MemoryContext context,
							int ncolumns, const Oid *types);
/* A new row of nulls; returns its number. */
extern int kg_columns_add_row(KgColumns *columns);
extern void kg_columns_int32(KgColumns *columns, int column, int32 value);
extern void kg_columns_int64(KgColumns *columns, int column, int64 value);
extern void kg_columns_char(KgColumns *columns, int column, char value);
extern void kg_columns_text(KgColumns *columns, int column, const char *value);
/* Borrows a datum that lives as long as the rows. */
extern void kg_columns_datum(KgColumns *columns, int column, Datum value);
/* Put the rows in another order: row i is what row order[i] was. */
extern void kg_columns_reorder(KgColumns *columns, const int *order);
/* The columns as parameters, an array each. */
extern void kg_columns_args(const KgColumns *columns, KgArg *args);
/*
 * Run a statement over the rows: $1 is the tenant, the columns follow.  There
 * is at least one row.
 */
extern void kg_columns_run(KgForms *forms, const char *tenant,
						   const KgColumns *columns);
/* The same of a statement over arrays; kg_spi_insert() of one. */
extern void kg_columns_exec(KgSaved *saved, const char *sql, const char *tenant,
							const KgColumns *columns);
extern bool kg_columns_insert(KgSaved *saved, const char *constraint,
							  const char *sql, const char *tenant,
							  const KgColumns *columns);

#endif /* KG_COLUMNS_H */
