/*
 * columns.h
 *	  Rows that are stored as one array per column, for one INSERT ... SELECT
 *	  FROM unnest().
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

/*
 * Initializes an empty batch. types has the element types. The rows are
 * allocated in context, which the caller resets.
 */
extern void kg_columns_init(KgColumns *columns, MemoryContext context,
							int ncolumns, const Oid *types);
/*
 * Adds a row of nulls and returns its index. The functions below set columns of
 * the last row.
 */
extern int kg_columns_add_row(KgColumns *columns);
extern void kg_columns_int32(KgColumns *columns, int column, int32 value);
extern void kg_columns_int64(KgColumns *columns, int column, int64 value);
extern void kg_columns_char(KgColumns *columns, int column, char value);
extern void kg_columns_text(KgColumns *columns, int column, const char *value);
/*
 * Sets a column of the last row to a datum. The datum is not copied and must
 * live as long as the rows.
 */
extern void kg_columns_datum(KgColumns *columns, int column, Datum value);
/* Reorders the rows: the new row i is the old row order[i]. */
extern void kg_columns_reorder(KgColumns *columns, const int *order);
/* Sets args to the columns. Each argument is one array. */
extern void kg_columns_args(const KgColumns *columns, KgArg *args);
/*
 * Runs a statement on the rows; there must be at least one row. The parameter
 * $1 is the tenant, and the columns are the next parameters.
 */
extern void kg_columns_run(KgForms *forms, const char *tenant,
						   const KgColumns *columns);
/*
 * kg_columns_exec() runs a statement on the rows, as kg_columns_run() does, but
 * the statement has only the form for arrays. kg_columns_insert() runs such a
 * statement with kg_spi_insert().
 */
extern void kg_columns_exec(KgSaved *saved, const char *sql, const char *tenant,
							const KgColumns *columns);
extern bool kg_columns_insert(KgSaved *saved, const char *constraint,
							  const char *sql, const char *tenant,
							  const KgColumns *columns);

#endif /* KG_COLUMNS_H */
