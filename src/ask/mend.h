/*
 * mend.h
 *	  Corrects statements that are valid over plain tables, but not over the
 *	  tables of a query. Tables of a query have no primary key, and their
 *	  texts have a collation of their own.
 */
#ifndef KG_ASK_MEND_H
#define KG_ASK_MEND_H

#include "ask/ask.h"

/*
 * Returns whether kg_ask_mend() may be able to correct the statement that
 * raised the error.
 */
extern bool kg_ask_is_mendable(const ErrorData *edata);

/*
 * Changes a parsed statement so that its analysis does not raise the same error
 * again.  Returns false if it cannot correct the error.  It corrects:
 *
 * - A column is not in GROUP BY, although the id of its table is. The parser
 *	 knows no primary key of the table, so this adds the column to GROUP BY.
 * - The two parts of a recursive query differ in the collation of a column.
 *	 This gives the first part the collation of the tables' texts.
 */
extern bool kg_ask_mend(const KgAsk *ask, RawStmt *statement,
						const ErrorData *edata);

#endif /* KG_ASK_MEND_H */
