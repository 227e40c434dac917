/*
 * visibility.h
 *	  Decides which part of its tenant the caller sees.
 *
 * A token's scope paths, an agent that lacks a bundle, and a policy of the DBA
 * on kg_entity hide entities. The policies of edges, keys and terms do not
 * consider this. A caller that does not see every entity reads edges, keys and
 * terms only through tools. The tools then join every node to kg_entity.
 */
#ifndef KG_VISIBILITY_H
#define KG_VISIBILITY_H

#include "base/compat.h"

/*
 * Returns true if the caller has scope paths, or an agent that lacks a bundle
 * of the tenant.
 */
extern bool kg_visibility_is_partial(void);

/*
 * Returns true if the current role sees every entity of its tenant. If the
 * function runs as the extension's owner for a caller whose role is no longer
 * known, it considers every policy.
 */
extern bool kg_visibility_is_whole(void);

/*
 * Returns true if only kg_graph's policies decide which entities the current
 * role sees.
 */
extern bool kg_visibility_entities_are_plain(void);

/*
 * Returns true if only kg_graph's own policies restrict the rows of kg_edge
 * that the current role sees.
 */
extern bool kg_visibility_edges_are_plain(void);

/*
 * Returns true if the current role sees every entity and every change of an
 * entity.
 */
extern bool kg_visibility_history_is_whole(void);

/*
 * Raises KG_FORBIDDEN if the caller's visibility is partial. Such a caller may
 * change entities that it sees, but no object on which other entities depend.
 * The text "what" completes the error message "... may not".
 */
extern void kg_visibility_require_tenant(const char *what);
/*
 * Raises KG_FORBIDDEN, as kg_visibility_require_tenant() does, without a test.
 * expected is the member "expected" of the error.
 */
extern KG_NORETURN void kg_visibility_refuse_part(const char *what,
												  const char *expected);

#endif /* KG_VISIBILITY_H */
