/*
 * run.h
 *	  Runs a query.
 */
#ifndef KG_ASK_RUN_H
#define KG_ASK_RUN_H

#include "ask/ask.h"
#include "nodes/plannodes.h"

/* Runs the plan under the caller's snapshot. Stores columns and rows in ask. */
extern void kg_ask_run(KgAsk *ask, PlannedStmt *plan);

#endif /* KG_ASK_RUN_H */
