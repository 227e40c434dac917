/*
 * on_delete.h
 *	  What happens to those that refer to an entity when it goes.
 *
 * Every property of a referrer that names the entity counts.  Where their rules
 * differ, or it names several entities that go, the strictest rule decides for
 * the referrer: restrict before cascade before set_null.
 *
 * All functions run as the extension's owner, inside SPI_connect().
 */
#ifndef KG_ON_DELETE_H
#define KG_ON_DELETE_H

#include "base/extension.h"
#include "store/reference/references.h"
#include "store/reference/scope.h"

/* A reference that does not let its target go. */
typedef struct KgRestricting
{
	int64 source;
	int64 target;
	const KgField *field;
} KgRestricting;

/*
 * References that x-on-delete does not let go, to these nodes and perhaps to
 * others; returns how many.  Their sources stay as they are until the
 * transaction ends.
 */
extern int kg_references_restricting(const char *tenant,
									 const KgNodeList *nodes,
									 KgRestricting **result);

/*
 * Adds the nodes that would be deleted along with these, by rules to cascade, in
 * order.
 */
extern void kg_references_cascading(const char *tenant, const KgNodeList *nodes,
									KgNodeList *cascade);

/*
 * Drops explicit edges to what is deleted, deletes or updates referrers as
 * x-on-delete says, and adds to left the nodes that refer to it still: those that
 * restrict, and all that have come to refer to what is undone.  What the
 * statements that this runs delete is to be added to unchecked, and treated too.
 * Raises KG_FORBIDDEN where the caller does not see an entity that would be
 * written.
 */
extern void kg_references_deleted(const char *tenant, KgUnchecked *unchecked,
								  const KgUserContext *caller,
								  KgNodeList *left);

/* Add to referrers the nodes with references to these. */
extern void kg_references_find_referrers(const char *tenant,
										 const KgNodeList *nodes,
										 KgNodeList *referrers);

#endif /* KG_ON_DELETE_H */
