/*
 * known_ends.h
 *	  The nodes of ends of edges that were found before: many edges have one end
 *	  in common.  For as long as entities stay as they are.
 */
#ifndef KG_KNOWN_ENDS_H
#define KG_KNOWN_ENDS_H

#include "store/edge/given_edges.h"

extern KgKnownEnds *kg_known_ends_make(void);
extern void kg_known_ends_free(KgKnownEnds *known);

/* One that was looked for, of which copies are kept within bounds. */
extern void kg_known_ends_remember(KgKnownEnds *known, const KgEdgeEnd *end);

/*
 * Fill in the nodes that are known, of ends that have none; answers how many of
 * a type are not.
 */
extern int kg_known_ends_recall(const KgKnownEnds *known, KgEdgeEnd *ends,
								int n, KgEdgeEnd **unknown);

#endif /* KG_KNOWN_ENDS_H */
