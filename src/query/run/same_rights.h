/*
 * same_rights.h
 *	  Checks that the rights of a plain SQL scan's caller do not change before
 *	  the scan ends.
 */
#ifndef KG_SAME_RIGHTS_H
#define KG_SAME_RIGHTS_H

#include "fmgr.h"

/*
 * Called by an expression of a policy for each row. Raises KG_CONFLICT if the
 * caller's tenant, or the bundles of its agent, have changed since the first
 * call by this expression. Otherwise the scan would show some rows by one set
 * of rights and others by another.
 *
 * The rights of the first call live as long as the expression, in
 * fcinfo->flinfo->fn_extra. They are replaced if the setting, the role, the
 * token or the snapshot has changed, because another statement then uses the
 * expression.
 *
 * of_all: the expression shows rows only to callers that see every bundle, so a
 * new bundle counts, too. Raises nothing within a tool call, which has its own
 * rule (kg_running_require_bundle()).
 */
extern void kg_same_rights_require(FunctionCallInfo fcinfo, bool of_all);

/*
 * Calls kg_same_rights_require() and returns kg_identity_tenant() for reading.
 * The result is valid as long as the expression exists. Within a tool call, it
 * is the tenant of the call.
 */
extern const char *kg_same_rights_tenant(FunctionCallInfo fcinfo);
/*
 * Calls kg_same_rights_require(), then returns whether the agent in force sees
 * the bundle. There must be such an agent.
 */
extern bool kg_same_rights_see_bundle(FunctionCallInfo fcinfo,
									  const char *bundle, int len);

#endif /* KG_SAME_RIGHTS_H */
