/*
 * columns.h
 *	  Columns of CSV and TSV as properties of a schema: the property of each
 *	  column, and the JSON value of a cell's text.
 */
#ifndef KG_KGCTL_COLUMNS_H
#define KG_KGCTL_COLUMNS_H

#include "kgctl/args.h"
#include "kgctl/json.h"
#include "kgctl/rows.h"

typedef struct KgctlColumns KgctlColumns;

/*
 * Returns the columns of a header. schema is the schema of an entity type or of
 * a relation's edges. For edges it may be NULL, and the columns "from" and "to"
 * are the ends. On failure, prints an error and returns NULL.
 */
extern KgctlColumns *kg_columns_new(const KgctlRows *header, const KgArgs *args,
									const KgJson *schema, bool edges);
extern void kg_columns_free(KgctlColumns *columns);

/*
 * Appends a row as a JSON object and returns NULL. If the row or a cell is
 * invalid, returns the text of an error (malloc'd). Then sets *property to the
 * name of the invalid cell's property, or NULL.
 */
extern char *kg_columns_row(const KgctlColumns *columns, const KgctlRows *row,
							KgBuf *out, const char **property);

#endif /* KG_KGCTL_COLUMNS_H */
