/*
 * pending.h
 *	  The last check of references, at which a missing target is an error.
 */
#ifndef KG_PENDING_H
#define KG_PENDING_H

#include "base/extension.h"
#include "model/catalog.h"
#include "store/reference/references.h"

/*
 * Checks the references of these nodes again. If references have no target,
 * raises KG_REFERENCE_MISSING, which lists them. A missing target either never
 * existed or is one of "deleted". Sorts nodes. Runs as the extension's owner,
 * inside SPI_connect().
 */
extern void kg_pending_check(const char *tenant, const KgUserContext *caller,
							 KgNodeList *nodes, const KgNodeList *deleted);

/*
 * Raises KG_REFERENCE_MISSING, which lists the references. Returns if the list
 * is empty.
 */
extern void kg_pending_throw(const KgCatalog *catalog,
							 const KgReferenceList *missing);

#endif /* KG_PENDING_H */
