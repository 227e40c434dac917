/*
 * explain.h
 *	  Describes the plan of a query, for callers that may read all statistics.
 */
#ifndef KG_ASK_EXPLAIN_H
#define KG_ASK_EXPLAIN_H

#include "ask/ask.h"
#include "nodes/plannodes.h"

/*
 * Stores the lines of the plan in ask->plan, without costs. The choice of a
 * plan depends on rows of all tenants. So the right of the caller to see the
 * plan must be checked before.
 */
extern void kg_ask_explain(KgAsk *ask, PlannedStmt *plan);

#endif /* KG_ASK_EXPLAIN_H */
