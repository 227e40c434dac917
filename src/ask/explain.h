/*
 * explain.h
 *	  Describes the plan of a query to callers that may read all statistics.
 */
#ifndef KG_ASK_EXPLAIN_H
#define KG_ASK_EXPLAIN_H

#include "ask/ask.h"
#include "nodes/plannodes.h"

/*
 * Stores the lines of the plan in ask->plan, without costs. The planner's
 * choice depends on rows of all tenants. So this must be called only after a
 * check that the caller may see the plan.
 */
extern void kg_ask_explain(KgAsk *ask, PlannedStmt *plan);

#endif /* KG_ASK_EXPLAIN_H */
