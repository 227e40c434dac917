/*
 * pending.h
 *	  References that are still missing when they must not be any more.
 */
#ifndef KG_PENDING_H
#define KG_PENDING_H

#include "base/extension.h"
#include "model/catalog.h"
#include "store/reference/references.h"

/*
 * Look at the references of these nodes once more; raises
 * KG_REFERENCE_MISSING listing those without a target.  As owner, inside
 * SPI_connect().  nodes are referrers whose target never was, deleted are
 * referrers whose target went.  nodes is put in order.
 */
extern void kg_pending_check(const char *tenant, const KgUserContext *caller,
							 KgNodeList *nodes, const KgNodeList *deleted);

/*
 * What is stored of a node, for errors that tell of it; returns the id, NULL
 * where it is gone.
 */
extern char *kg_read_entity(const char *tenant, int64 node, Jsonb **data);

#endif /* KG_PENDING_H */
