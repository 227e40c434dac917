/*
 * renew.h
 *	  Derives the edges of stored entities anew.
 */
#ifndef KG_RENEW_H
#define KG_RENEW_H

#include "store/reference/references.h"

/*
 * Derives the edges of stored entities anew. Adds references that have no
 * target to missing. The old edges are deleted before the new edges are
 * inserted, so statements in between do not see the edges.
 */
extern void kg_references_renew(const char *tenant, const KgNodeList *nodes,
								const KgUserContext *caller,
								KgReferenceList *missing);
/*
 * Like kg_references_renew(), for the targets that are visible in sight. If
 * lost is not NULL, adds edges whose target is deleted to lost.
 */
extern void kg_references_renew_for(const char *tenant, const KgNodeList *nodes,
									KgSight *sight, KgReferenceList *missing,
									KgLostEdges *lost);

#endif /* KG_RENEW_H */
