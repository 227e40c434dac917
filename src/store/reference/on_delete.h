/*
 * on_delete.h
 *	  The effects of a deletion on the entities that refer to the deleted
 *	  one.
 *
 * Each property of a referrer that names the deleted entity counts. If their
 * rules differ, or a referrer names several deleted entities, the strictest
 * rule decides for the referrer: restrict before cascade before set_null.
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
 * their number. The referrers may not change until the transaction ends. They
 * may refer to other nodes as well.
 */
extern int kg_references_restricting(const char *tenant,
									 const KgNodeList *nodes,
									 KgRestricting **result);

/*
 * Adds to "cascade", in order, the nodes that the rule cascade would delete
 * along with these nodes.
 */
extern void kg_references_cascading(const char *tenant, const KgNodeList *nodes,
									KgNodeList *cascade);

/*
 * Applies x-on-delete to the nodes in unchecked->deleted. Deletes explicit
 * edges of the deleted nodes, and deletes or updates referrers. Adds to left
 * the nodes that still refer to deleted ones: those with the rule restrict,
 * and all that refer to entities whose creation is undone. Statements that
 * this function runs add the entities that they delete to "unchecked".
 * x-on-delete is then applied to these entities, too. Raises KG_FORBIDDEN if
 * the caller does not see an entity that would be written.
 */
extern void kg_references_deleted(const char *tenant, KgUnchecked *unchecked,
								  const KgUserContext *caller,
								  KgNodeList *left);

/* Adds to referrers the nodes with references to these nodes. */
extern void kg_references_find_referrers(const char *tenant,
										 const KgNodeList *nodes,
										 KgNodeList *referrers);

#endif /* KG_ON_DELETE_H */
