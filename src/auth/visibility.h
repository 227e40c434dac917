/*
 * visibility.h
 *	  How much of its tenant the caller sees: the one decider.
 *
 * A token's scope paths and an agent that lacks a bundle hide entities, and so
 * may a policy of the DBA's own on kg_entity.  Edges, keys and terms know none
 * of it: whoever does not see every entity reads them through the tools only,
 * which then ask kg_entity about every node.
 */
#ifndef KG_VISIBILITY_H
#define KG_VISIBILITY_H

#include "base/compat.h"

/* Has the caller scope paths, or an agent that lacks a bundle of the tenant? */
extern bool kg_visibility_is_partial(void);

/*
 * Does the current role see every entity of its tenant?  Run as the extension's
 * owner, on behalf of a caller whose role is not known any more, it counts
 * every policy.
 */
extern bool kg_visibility_is_whole(void);

/* Do no policies but ours say which entities the current role sees? */
extern bool kg_visibility_entities_are_plain(void);

/* And do rows of kg_edge depend on that and the tenant alone? */
extern bool kg_visibility_edges_are_plain(void);

/* Does it see every entity, and every change of one? */
extern bool kg_visibility_history_is_whole(void);

/*
 * Raises KG_FORBIDDEN where the caller's visibility is partial: such a caller
 * changes entities that it sees, and nothing that others' entities depend on.
 * what completes "... may not".
 */
extern void kg_visibility_require_tenant(const char *what);
/* That error, for who finds it out otherwise. */
extern KG_NORETURN void
kg_visibility_refuse_part(const char *what,
						  const char *expected) KG_NORETURN_TAIL;

#endif /* KG_VISIBILITY_H */
