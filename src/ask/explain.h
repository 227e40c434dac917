/*
 * explain.h
 *	  The plan of a query, for callers that may read all statistics.
 */
#ifndef KG_ASK_EXPLAIN_H
#define KG_ASK_EXPLAIN_H

#include "ask/ask.h"
#include "nodes/plannodes.h"

/*
 * Stores the lines of the plan, without costs.  Which plan is chosen depends on
 * rows of all callers, so the caller's right to see it is checked before.
 */
extern void kg_ask_explain(KgAsk *ask, PlannedStmt *plan);

#endif /* KG_ASK_EXPLAIN_H */
