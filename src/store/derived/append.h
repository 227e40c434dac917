/*
 * append.h
 *	  Appending many new rows to a derived table, as the extension's owner.
 */
#ifndef KG_APPEND_H
#define KG_APPEND_H

#include "store/derived/columns.h"

/*
 * Inserts rows as COPY does: fills pages with many rows at a time and runs no
 * statement. names has the names of the columns after the tenant. The rows must
 * be in the order of the primary key. order, which may be NULL, is the order
 * for other indexes; rows that go to one index page should follow each other.
 * The statement triggers of kg_graph fire. Raises the errors of an INSERT.
 *
 * Returns false, without any effect, if the rows are few or the table has
 * objects of a DBA, such as triggers, rules or checks. The caller must then use
 * INSERT.
 */
extern bool kg_append(const char *table, const char *const *names,
					  const char *tenant, const KgColumns *rows,
					  const int *order);

#endif /* KG_APPEND_H */
