/*
 * mend.h
 *	  What plain tables of SQL would take, and a query's tables do not.
 */
#ifndef KG_ASK_MEND_H
#define KG_ASK_MEND_H

#include "ask/ask.h"

/* Is the error of a kind that kg_ask_mend() may mend? */
extern bool kg_ask_is_mendable(const ErrorData *edata);

/*
 * Changes a parsed statement so that its analysis does not raise the same error
 * again; returns false if the error is not one of these:
 *
 * A column whose table is grouped by its id is grouped by, too: the parser knows
 * of no primary key.
 * A column of the first part of a recursive query has the collation of the
 * tables' texts, as the second part has it from them.
 */
extern bool kg_ask_mend(const KgAsk *ask, RawStmt *statement,
						const ErrorData *edata);

#endif /* KG_ASK_MEND_H */
