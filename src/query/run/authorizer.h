/*
 * authorizer.h
 *	  The authorizer of a tenant: a function that decides which entities
 *	  of a type with x-authorize a caller may see.
 *
 * The function runs with the caller's privileges. It sees those entities that
 * are not subject to x-authorize, if the caller sees them.
 */
#ifndef KG_AUTHORIZER_H
#define KG_AUTHORIZER_H

/*
 * Returns the tenant's authorizer as it was registered, or NULL. The string is
 * valid while the catalog is pinned.
 */
extern const char *kg_authorizer_of(const char *tenant);

/* Returns the reason why the function cannot be an authorizer, or NULL. */
extern const char *kg_authorizer_fault(Oid function);

/*
 * Returns the function's qualified name and argument types. Raises
 * KG_INVALID_INPUT if it cannot be an authorizer.
 */
extern char *kg_authorizer_check(Oid function);

/*
 * Calls the authorizer for distinct ids in ascending order, with at most
 * kg_graph.authorizer_batch ids in each call. Sets allowed[i] from its answer;
 * ids that the answer lacks stay false. Raises KG_FORBIDDEN if the authorizer
 * cannot be called.
 */
extern void kg_authorizer_ask(const char *tenant, const char *function,
							  const char *resource_type, const char *ability,
							  const char *const *ids, int n, bool *allowed);

#endif /* KG_AUTHORIZER_H */
