/*
 * columns.h
 *	  Columns of CSV and TSV as properties of a schema: which column is which,
 *	  and what a cell's text is as JSON.
 */
#ifndef KG_KGCTL_COLUMNS_H
#define KG_KGCTL_COLUMNS_H

#include "kgctl/args.h"
#include "kgctl/json.h"
#include "kgctl/rows.h"

typedef struct KgColumns KgColumns;

/*
 * The columns that a header names.  schema is of an entity type, or of a
 * relation's edges (it may be NULL), whose columns from and to are its ends.
 * NULL after a message.
 */
extern KgColumns *kg_columns_new(const KgRows *header, const KgArgs *args,
								 const KgJson *schema, bool edges);
extern void kg_columns_free(KgColumns *columns);

/*
 * Append a row as an object; or an error's text (malloc'd), with the property
 * that it is about in *property, or NULL.
 */
extern char *kg_columns_row(const KgColumns *columns, const KgRows *row,
							KgBuf *out, const char **property);

#endif /* KG_KGCTL_COLUMNS_H */
