/*
 * identity.h
 *	  Identity of the caller: the tenant of the current role, its agent and its
 *	  scopes (design.md section 4).
 */
#ifndef KG_IDENTITY_H
#define KG_IDENTITY_H

#include "auth/access.h"

/*
 * Returns the tenant for which the current role has at least this access, or
 * NULL.  The string is valid until the next call of this module.
 */
extern const char *kg_identity_tenant(KgAccess access);

/*
 * Returns the tenant at the start of a call, after processing invalidation
 * messages. Without processing these messages, a transaction that already has
 * its locks would not notice a revoked grant.
 */
extern const char *kg_identity_current(KgAccess access);

/*
 * Returns a copy of the name of the tenant for which the current role has at
 * least this access. Raises KG_NO_TENANT if the caller has no tenant, and
 * KG_FORBIDDEN if its access is lower or its agent does not exist.
 */
extern const char *kg_identity_require(KgAccess access);

/*
 * Raises an error if row_security is off for a role that policies apply to.
 * The server would refuse every statement of kg_graph then.
 */
extern void kg_identity_require_row_security(void);

/*
 * Returns the agent that the token names. If there is no token, returns
 * kg_graph.agent. Returns NULL if the caller has the whole tenant. The agent
 * decides which part of a tenant a role sees, so keys of caches of a tenant's
 * catalog include the agent. The string is valid until the next call.
 */
extern const char *kg_identity_agent(void);

/*
 * Returns true if the token limits the caller to some entities of a type
 * (paths of x-scope-field).  The policy of kg_entity decides for each row, so
 * statements must join edges, keys and terms to kg_entity.
 */
extern bool kg_identity_scoped(void);

/*
 * Returns true if the caller sees an entity with this scope path. If the scope
 * is NULL, the type has no x-scope-field, and every token sees the entity. An
 * empty scope is below none of a token's paths.
 */
extern bool kg_identity_sees_scope(const char *scope, int len);

/*
 * Mark the period in which the statements of a tool run.
 *
 * Policies of edges, keys and terms do not consider visibility of entities.
 * Tools join these tables to kg_entity unless that is unnecessary (catalog.h,
 * plain_visibility). Outside of a tool, a caller sees all rows of its tenant,
 * or none if an entity may be hidden from it (auth/visibility.h). Each call of
 * kg_identity_enter_tool() needs a call of kg_identity_leave_tool(), also
 * after an error.
 */
extern void kg_identity_enter_tool(void);
extern void kg_identity_leave_tool(void);
extern bool kg_identity_in_tool(void);

/*
 * Calls work, which calls an authorizer function.  Meanwhile kg_tenant()
 * returns the caller's tenant for reading, whatever the function's role, and
 * no tool can run.  Raises an error if work changes kg_graph.tenant or
 * kg_graph.agent.
 */
extern void kg_identity_while_asking(const char *tenant,
									 void (*work)(void *arg), void *arg);
extern bool kg_identity_is_asking(void);

/*
 * Calls work(arg) between kg_identity_enter_tool() and
 * kg_identity_leave_tool(), also if work raises an error.
 */
extern void kg_identity_as_tool(void (*work)(void *arg), void *arg);

#endif /* KG_IDENTITY_H */
