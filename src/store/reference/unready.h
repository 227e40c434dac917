/*
 * unready.h
 *	  Whether the derived edges of a tenant can be queried while calls write.
 *
 * Triggers of a DBA run while kg_graph writes entities and edges. They must not
 * query edges that are missing, or that lead to the wrong entity, until the
 * call is done.
 */
#ifndef KG_UNREADY_H
#define KG_UNREADY_H

#include "store/reference/scope.h"

/*
 * Adds change to the number of pieces of work that leave derived edges
 * incomplete. The caller takes it back in PG_FINALLY().
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
 * Calls kg_writing_require_derived(), and raises its error for the types of
 * kg_scope_rewrites() too.
 */
extern void kg_scope_require_derived(const char *tenant, const KgType *type);

/*
 * Raises an error if edges of references cannot be queried because the tenant's
 * derived edges are incomplete. Entities of any type may be at their ends.
 */
extern void kg_scope_require_edges(const char *tenant);

#endif /* KG_UNREADY_H */
