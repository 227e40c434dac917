/*
 * same_rights.h
 *	  A scan of plain SQL has one caller, with the same rights until it ends.
 */
#ifndef KG_SAME_RIGHTS_H
#define KG_SAME_RIGHTS_H

#include "fmgr.h"

/*
 * Requires that the caller's tenant and the bundles of its agent are those of the
 * first call by the same expression of a policy; otherwise the scan would show
 * some rows by one set of rights and others by another.  Raises KG_CONFLICT.
 *
 * The rights of the first call live as long as the expression, in
 * fcinfo->flinfo->fn_extra.  They are replaced if the setting, the role, the token
 * or the snapshot is another: then another statement uses the expression.
 *
 * of_all: the expression shows rows only to callers from whom no bundle is
 * hidden, so a new bundle counts, too.  Does nothing within a tool call, which
 * has its own rule (kg_running_require_bundle()).
 */
extern void kg_same_rights_require(FunctionCallInfo fcinfo, bool of_all);

/*
 * Calls kg_same_rights_require(), and returns kg_identity_tenant() for reading.
 * The result lives as long as the expression.
 */
extern const char *kg_same_rights_tenant(FunctionCallInfo fcinfo);
/*
 * Calls kg_same_rights_require(), and returns whether the agent in force, which
 * the caller must have, sees the bundle.
 */
extern bool kg_same_rights_see_bundle(FunctionCallInfo fcinfo,
									  const char *bundle, int len);

#endif /* KG_SAME_RIGHTS_H */
