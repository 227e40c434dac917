/*
 * plan.h
 *	  The plan of a query.
 */
#ifndef KG_ASK_PLAN_H
#define KG_ASK_PLAN_H

#include "ask/ask.h"
#include "nodes/plannodes.h"

/*
 * Returns a plan without parallel workers, which have neither the clock nor the
 * bound of memory.
 */
extern PlannedStmt *kg_ask_plan(const KgAsk *ask, Query *query);

#endif /* KG_ASK_PLAN_H */
