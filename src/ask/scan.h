/*
 * scan.h
 *	  Scans of the entities of one type, or the edges of one relation.
 */
#ifndef KG_ASK_SCAN_H
#define KG_ASK_SCAN_H

#include "ask/ask.h"
#include "nodes/plannodes.h"

/*
 * Returns a scan with the same rows as a scan of a whole table, which takes less
 * time per row; or the plan itself, if it is no such scan.  The statement has the
 * plan.
 */
extern Plan *kg_ask_light_scan(KgAsk *ask, const PlannedStmt *statement,
							   Plan *plan);

#endif /* KG_ASK_SCAN_H */
