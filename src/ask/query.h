/*
 * query.h
 *	  The analysed query, and what may be in it.
 */
#ifndef KG_ASK_QUERY_H
#define KG_ASK_QUERY_H

#include "ask/ask.h"

/*
 * Analyses a parsed statement, whose parameters get the types they are used as.
 * A column that is not found is looked for without regard to case.
 */
extern Query *kg_ask_analyse(KgAsk *ask, RawStmt *statement);

/*
 * Raises for a node, function, type or collation that is on no list.  The query
 * has only the caller's own parts at this time.
 */
extern void kg_ask_check(const KgAsk *ask, Query *query);

#endif /* KG_ASK_QUERY_H */
