/*
 * renew.h
 *	  Derives the edges of stored entities anew.
 */
#ifndef KG_RENEW_H
#define KG_RENEW_H

#include "store/reference/references.h"

/*
 * Derives the edges of stored entities anew. Adds references without a target
 * to missing. Between deletion and insertion the edges are missing.
 */
extern void kg_references_renew(const char *tenant, const KgNodeList *nodes,
								const KgUserContext *caller,
								KgReferenceList *missing);
/*
 * Like kg_references_renew(), with the targets that sight shows. Adds edges to
 * lost whose target is deleted; lost may be NULL.
 */
extern void kg_references_renew_for(const char *tenant, const KgNodeList *nodes,
									KgSight *sight, KgReferenceList *missing,
									KgLostEdges *lost);

#endif /* KG_RENEW_H */
