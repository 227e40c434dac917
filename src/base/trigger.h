/*
 * trigger.h
 *	  Checks of the context in which a trigger function is called.
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
 * Raises an error unless the function is called as a trigger of this kind on
 * one of these tables of the extension.  The list ends with NULL; an empty
 * list allows any table.
 *
 * Trigger functions act as the extension's owner on the rows of the table.  A
 * role with EXECUTE could otherwise use them in triggers on its own tables,
 * whose rows may name any tenant.
 */
extern void kg_trigger_require(FunctionCallInfo fcinfo, const char *function,
							   int kind, const char *const *tables);

#endif /* KG_BASE_TRIGGER_H */
