/*
 * scan.h
 *	  Scans of the entities of one type, or the edges of one relation.
 */
#ifndef KG_ASK_SCAN_H
#define KG_ASK_SCAN_H

#include "ask/ask.h"
#include "nodes/plannodes.h"

/*
 * If the plan is a sequential scan of one type or relation, returns a custom
 * scan that returns the same rows in less time per row. Otherwise returns the
 * plan itself. The plan belongs to the statement.
 */
extern Plan *kg_ask_light_scan(KgAsk *ask, const PlannedStmt *statement,
							   Plan *plan);

#endif /* KG_ASK_SCAN_H */
