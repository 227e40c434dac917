/*
 * plan.h
 *	  Plans a query.
 */
#ifndef KG_ASK_PLAN_H
#define KG_ASK_PLAN_H

#include "ask/ask.h"
#include "nodes/plannodes.h"

/*
 * Returns a plan without parallel workers, because the bounds of time and memory do
 * not apply to workers.
 */
extern PlannedStmt *kg_ask_plan(KgAsk *ask, Query *query);

#endif /* KG_ASK_PLAN_H */
