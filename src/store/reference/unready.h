/*
 * unready.h
 *	  Tests whether the derived edges of a tenant can be queried while calls
 *	  write.
 *
 * Triggers of a DBA run while kg_graph writes entities and edges. Until the
 * call is finished, derived edges may be missing or lead to the wrong entity,
 * and such triggers must not query them.
 */
#ifndef KG_UNREADY_H
#define KG_UNREADY_H

#include "store/reference/scope.h"

/*
 * Adds "change" to the number of running operations that leave derived edges
 * incomplete. The caller subtracts the same number in PG_FINALLY().
 */
extern void kg_edges_unready(int change);

/* The checks in progress at the end of a statement or scope. */
typedef struct KgEnforcement
{
	const KgUnchecked *unchecked;
	const struct KgEnforcement *outer;
} KgEnforcement;

extern void kg_enforcement_begin(KgEnforcement *here,
								 const KgUnchecked *unchecked);
extern void kg_enforcement_end(const KgEnforcement *here);

/*
 * Raises an error if derived rows of the type are incomplete, because an outer
 * statement has not written them yet (kg_writing_require_derived()) or because
 * the type's schema has changed (kg_scope_rewrites()).
 */
extern void kg_scope_require_derived(const char *tenant, const KgType *type);

/*
 * Raises an error if the tenant's derived edges are incomplete. Use it if
 * edges of references between entities of any types are queried.
 */
extern void kg_scope_require_edges(const char *tenant);

#endif /* KG_UNREADY_H */
