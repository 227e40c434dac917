/*
 * authorizer.h
 *	  The function of a tenant that decides who may see an entity of a type
 *	  with x-authorize.
 *
 * It runs as the caller and sees as the caller what is not decided that way.
 */
#ifndef KG_AUTHORIZER_H
#define KG_AUTHORIZER_H

/* The tenant's function as it was registered, or NULL; good while pinned. */
extern const char *kg_authorizer_of(const char *tenant);

/* Why it is no function to be an authorizer, or NULL. */
extern const char *kg_authorizer_fault(Oid function);

/*
 * Raises KG_INVALID_INPUT where it is no function to be an authorizer; else
 * its name and the types of its arguments, qualified.
 */
extern char *kg_authorizer_check(Oid function);

/*
 * Ask about distinct ids, ascending, in pieces of kg_graph.authorizer_batch.  What the
 * answer lacks stays false.  Raises KG_FORBIDDEN where it cannot be asked.
 */
extern void kg_authorizer_ask(const char *tenant, const char *function,
							  const char *resource_type, const char *ability,
							  const char *const *ids, int n, bool *allowed);

#endif /* KG_AUTHORIZER_H */
