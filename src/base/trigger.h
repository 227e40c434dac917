/*
 * trigger.h
 *	  How a trigger function of ours was called.
 */
#ifndef KG_BASE_TRIGGER_H
#define KG_BASE_TRIGGER_H

#include "commands/trigger.h"
#include "fmgr.h"

#define KG_TRIGGER_BEFORE 1
#define KG_TRIGGER_AFTER 2
#define KG_TRIGGER_ROW 4
#define KG_TRIGGER_STATEMENT 8
#define KG_TRIGGER_ROWS 16 /* with a transition table */

/*
 * Raises an error unless the function was called as a trigger of this kind on
 * one of these tables of ours; NULL ends them, and NULL alone is any table.
 *
 * What our triggers do as the extension's owner, they do for the rows of the
 * table.  A role that was given EXECUTE could make triggers of the same
 * functions on tables of its own, whose rows name any tenant.
 */
extern void kg_trigger_require(FunctionCallInfo fcinfo, const char *function,
							   int kind, const char *const *tables);

#endif /* KG_BASE_TRIGGER_H */
