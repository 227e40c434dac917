/*
 * query.h
 *	  Analyses a query, and checks the analysed tree.
 */
#ifndef KG_ASK_QUERY_H
#define KG_ASK_QUERY_H

#include "ask/ask.h"

/*
 * Returns the analysed tree of a parsed statement, and sets the types of the
 * parameters. If no column has exactly the name that the statement uses, the
 * name is looked up without regard to case.
 */
extern Query *kg_ask_analyse(KgAsk *ask, RawStmt *statement);

/*
 * Raises an error for a node, function, type or collation that is on no list
 * of allowed.h. Must be called before the views replace the tables, while the
 * tree has only nodes of the caller's statement.
 */
extern void kg_ask_check(const KgAsk *ask, Query *query);

#endif /* KG_ASK_QUERY_H */
