/*
 * decide.h
 *	  A query over types with x-authorize, whose entities a gateway decides about.
 */
#ifndef KG_ASK_DECIDE_H
#define KG_ASK_DECIDE_H

#include "ask/ask.h"
#include "nodes/plannodes.h"

/*
 * Runs the plan as kg_ask_run() does.  In an exchange it requests, before that,
 * the decisions on all entities of the types that the query names.  Raises
 * KG_FORBIDDEN if neither an authorizer nor a gateway decides about such a type.
 */
extern void kg_ask_run_decided(KgAsk *ask, PlannedStmt *plan);

#endif /* KG_ASK_DECIDE_H */
