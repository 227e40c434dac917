/*
 * known_ends.h
 *	  A cache of the nodes of ends of edges, because many edges share an
 *	  end. It is valid as long as the entities do not change.
 */
#ifndef KG_KNOWN_ENDS_H
#define KG_KNOWN_ENDS_H

#include "store/edge/given_edges.h"

extern KgKnownEnds *kg_known_ends_make(void);
extern void kg_known_ends_free(KgKnownEnds *known);

/*
 * Adds a copy of an end that was looked up. Empties the cache first if it is
 * full.
 */
extern void kg_known_ends_remember(KgKnownEnds *known, const KgEdgeEnd *end);

/*
 * Sets the nodes of ends that have no node yet and are cached. Sets the array
 * "unknown" to the ends that are not cached and have a type. Returns the number
 * of these unknown ends.
 */
extern int kg_known_ends_recall(const KgKnownEnds *known, KgEdgeEnd *ends,
								int n, KgEdgeEnd **unknown);

#endif /* KG_KNOWN_ENDS_H */
