/*
 * append.h
 *	  Many new rows of a derived table, as the owner.
 */
#ifndef KG_APPEND_H
#define KG_APPEND_H

#include "store/derived/columns.h"

/*
 * Insert rows as COPY does: pages are filled with many rows at a time, and no
 * statement is run.  names are those of the columns, which come after the
 * tenant.  Rows that go to the same pages of an index should follow each other:
 * they come in the order of the primary key, and order, which may be NULL, is
 * the one in which other indexes get them.  Our triggers of statements fire.
 * Raises what an INSERT would.
 *
 * False, and nothing is done, where the rows are few, or the table is not as we
 * have made it, such as one with triggers, rules or checks of the DBA's: INSERT
 * does what is to be done besides.
 */
extern bool kg_append(const char *table, const char *const *names,
					  const char *tenant, const KgColumns *rows,
					  const int *order);

#endif /* KG_APPEND_H */
