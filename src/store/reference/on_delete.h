/*
 * on_delete.h
 *	  The effects of a deletion on the referrers: the entities that refer to
 *	  the deleted entity.
 *
 * All properties of a referrer that name the deleted entity count. If their
 * rules differ, or if a referrer names several deleted entities, the strictest
 * rule applies: restrict before cascade before set_null.
 *
 * All functions run as the extension's owner, inside SPI_connect().
 */
#ifndef KG_ON_DELETE_H
#define KG_ON_DELETE_H

#include "base/extension.h"
#include "store/reference/references.h"
#include "store/reference/scope.h"

/* A reference that prevents the deletion of its target. */
typedef struct KgRestricting
{
	int64 source;
	int64 target;
	const KgField *field;
} KgRestricting;

/*
 * Finds the references to these nodes whose x-on-delete is restrict. Returns
 * their number. The referrers cannot change until the transaction ends. A
 * referrer may also refer to other nodes.
 */
extern int kg_references_restricting(const char *tenant,
									 const KgNodeList *nodes,
									 KgRestricting **result);

/*
 * Adds to "cascade" the nodes that the rule cascade would delete along with
 * these nodes. The list is sorted afterwards.
 */
extern void kg_references_cascading(const char *tenant, const KgNodeList *nodes,
									KgNodeList *cascade);

/*
 * Applies x-on-delete to the nodes in unchecked->deleted: deletes explicit
 * edges of these nodes, and deletes or updates referrers. Adds to the list
 * "left" the nodes that still refer to deleted nodes: referrers with the rule
 * restrict, and all referrers of an entity whose creation is undone. Statements
 * of this function may delete further entities. These are added to "unchecked",
 * and x-on-delete is applied to them, too. Raises KG_FORBIDDEN if the caller
 * does not see an entity that would be written.
 */
extern void kg_references_deleted(const char *tenant, KgUnchecked *unchecked,
								  const KgUserContext *caller,
								  KgNodeList *left);

/* Adds to the list "referrers" the nodes that refer to these nodes. */
extern void kg_references_find_referrers(const char *tenant,
										 const KgNodeList *nodes,
										 KgNodeList *referrers);

#endif /* KG_ON_DELETE_H */
