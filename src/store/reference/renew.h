/*
 * renew.h
 *	  Derives the edges of stored entities anew.
 */
#ifndef KG_RENEW_H
#define KG_RENEW_H

#include "store/reference/references.h"

/*
 * Derives the edges of stored entities anew. Adds references without a target
 * to the list "missing". The old edges are deleted before the new edges are
 * inserted, so statements in between do not see the edges.
 */
extern void kg_references_renew(const char *tenant, const KgNodeList *nodes,
								const KgUserContext *caller,
								KgReferenceList *missing);
/*
 * Derives edges anew as kg_references_renew() does, for the targets that are
 * visible according to "sight". If lost is not NULL, adds to "lost" the edges
 * whose target is deleted.
 */
extern void kg_references_renew_for(const char *tenant, const KgNodeList *nodes,
									KgSight *sight, KgReferenceList *missing,
									KgLostEdges *lost);

#endif /* KG_RENEW_H */
