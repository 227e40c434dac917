/*
 * pending.h
 *	  The last check of references, when missing targets must exist.
 */
#ifndef KG_PENDING_H
#define KG_PENDING_H

#include "base/extension.h"
#include "model/catalog.h"
#include "store/reference/references.h"

/*
 * Checks the references of these nodes again. Raises KG_REFERENCE_MISSING,
 * which lists the references without a target. The targets of nodes never
 * existed; the targets of deleted were deleted. Sorts nodes. Runs as the
 * extension's owner, inside SPI_connect().
 */
extern void kg_pending_check(const char *tenant, const KgUserContext *caller,
							 KgNodeList *nodes, const KgNodeList *deleted);

/*
 * Raises KG_REFERENCE_MISSING, which lists the references, unless the list is
 * empty.
 */
extern void kg_pending_throw(const KgCatalog *catalog,
							 const KgReferenceList *missing);

#endif /* KG_PENDING_H */
