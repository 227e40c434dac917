/*
 * identity.h
 *	  Who is calling: the tenant of the current role, its agent and its scopes
 *	  (design.md section 4).
 */
#ifndef KG_IDENTITY_H
#define KG_IDENTITY_H

#include "auth/access.h"

/*
 * The tenant that the current role acts for with at least this access, or
 * NULL.  The string is good until the next call of this module: copy it.
 */
extern const char *kg_identity_tenant(KgAccess access);

/*
 * The same at the start of a call, after hearing what other sessions did: a
 * transaction that holds its locks already is not told of a revoked grant
 * otherwise.
 */
extern const char *kg_identity_current(KgAccess access);

/* The same as a copy, raising KG_NO_TENANT or KG_FORBIDDEN. */
extern const char *kg_identity_require(KgAccess access);

/*
 * With row_security off, of whoever policies are for, the server would refuse
 * every statement of ours: an error that says so.
 */
extern void kg_identity_require_row_security(void);

/*
 * The agent that the token, or for other roles the setting kg_graph.agent,
 * names; NULL: the whole tenant.  What a role sees of a tenant depends on it,
 * so caches of a tenant's catalog have it in their key.  auth/agent.h knows
 * what the agent has.  The string is good until the next call.
 */
extern const char *kg_identity_agent(void);

/*
 * The token shows only some entities of a type (paths of x-scope-field): the
 * policy of kg_entity decides row by row, so what is read from edges, keys and
 * terms has to be joined to kg_entity.
 */
extern bool kg_identity_scoped(void);

/*
 * Whether an entity with this scope path is shown.  NULL is the scope of a
 * type without x-scope-field, which every token with a path sees; an empty
 * path lies below none.
 */
extern bool kg_identity_sees_scope(const char *scope, int len);

/*
 * While the statements of a tool run.  Edges, keys and terms do not know who
 * may see their entities; tools join them to kg_entity, or know that there is
 * no need (catalog.h, plain_visibility).  Whoever reads those tables in any
 * other way sees all of a tenant's rows or, where an entity may be hidden from
 * it (auth/visibility.h), none.  Every enter needs its leave, on error too.
 */
extern void kg_identity_enter_tool(void);
extern void kg_identity_leave_tool(void);
extern bool kg_identity_in_tool(void);

/*
 * While an authorizer function is asked: kg_tenant() is the caller's for every
 * role that the function may be, for reading, and no tool runs.
 */
extern void kg_identity_while_asking(const char *tenant,
									 void (*work)(void *arg), void *arg);
extern bool kg_identity_is_asking(void);

/* Between enter and leave: work(arg), which may raise. */
extern void kg_identity_as_tool(void (*work)(void *arg), void *arg);

#endif /* KG_IDENTITY_H */
