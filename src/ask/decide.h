/*
 * decide.h
 *	  Runs a query over types with x-authorize, whose access decisions a
 *	  gateway supplies.
 */
#ifndef KG_ASK_DECIDE_H
#define KG_ASK_DECIDE_H

#include "ask/ask.h"
#include "nodes/plannodes.h"

/*
 * Runs the plan, and stores columns and rows in ask. If a gateway supplies the
 * access decisions, first requests the decisions on all entities of the types
 * with x-authorize that the query names. Raises KG_FORBIDDEN if neither an
 * authorizer nor a gateway decides.
 */
extern void kg_ask_run_decided(KgAsk *ask, PlannedStmt *plan);

#endif /* KG_ASK_DECIDE_H */
