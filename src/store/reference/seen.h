/*
 * seen.h
 *	  Visibility for the caller of a write. A write must not change an entity
 *	  that is hidden from its caller, and must not reveal that the entity
 *	  exists.
 *
 * References are maintained as the extension's owner, which sees every entity
 * of a tenant. So these functions evaluate the policies of kg_entity as the
 * caller.
 *
 * All functions are called as the owner, inside SPI_connect(). caller is the
 * user that kg_become_owner() saved.
 */
#ifndef KG_SEEN_H
#define KG_SEEN_H

#include "base/extension.h"
#include "base/spi.h"
#include "store/entity/node_list.h"

/*
 * Adds to the list "seen", in ascending order, the nodes that the current user
 * sees.
 */
extern void kg_nodes_read(KgSaved *saved, const char *tenant,
						  const int64 *nodes, int n, KgNodeList *seen);

/*
 * Returns whether the caller sees each entity of the tenant, so that no check
 * is necessary.
 */
extern bool kg_sees_all(const char *tenant, const KgUserContext *caller);

/*
 * Sets to 0 each element of nodes that is a node which the caller does not see.
 */
extern void kg_blank_hidden(const char *tenant, const KgUserContext *caller,
							int64 *nodes, int n);

/*
 * The effect on the entity at the other end of a deleted edge: a value for the
 * parameter "what" of kg_require_seen().
 */
#define KG_CUT_OFF "cut off: edges lead to them or from them"

/*
 * Raises KG_FORBIDDEN if one of the nodes is stored and hidden from the
 * caller. The parameter "what" is a participle, such as "deleted", that
 * completes the message "would be ...".
 */
extern void kg_require_seen(const char *tenant, const KgUserContext *caller,
							const int64 *nodes, int n, const char *what);

/*
 * Raises KG_FORBIDDEN if one of the nodes is hidden from the caller or newer
 * than the caller's snapshot. All nodes must be stored.
 */
extern void kg_require_all_seen(const char *tenant, const KgUserContext *caller,
								const int64 *nodes, int n, const char *what);

/*
 * Raises KG_FORBIDDEN if a policy of kg_edge hides an explicit edge of one of
 * the nodes from the caller. The caller deletes the nodes, and so would delete
 * an edge that it does not see.
 */
extern void kg_require_edges_seen(const char *tenant,
								  const KgUserContext *caller,
								  const int64 *nodes, int n);

/*
 * Raises KG_CONFLICT if the transaction's snapshot does not show a row of an
 * entity, given by node and ctid. A REPEATABLE READ transaction must not
 * derive rows from such an entity: it does not see the rows derived from older
 * versions, so it could not delete them.
 */
extern void kg_require_shown(const char *tenant, const int64 *nodes,
							 const ItemPointerData *tids, int n);

/*
 * Raises KG_CONFLICT if one of the nodes is stored now and is not visible in
 * the transaction's snapshot.
 */
extern void kg_require_none_newer(const char *tenant, const int64 *nodes,
								  int n);

/*
 * Raises KG_CONFLICT, with the message that an entity is newer than the
 * transaction's snapshot.
 */
extern KG_NORETURN void kg_refuse_newer(void);

/*
 * Raises KG_FORBIDDEN, with the message that entities hidden from the caller
 * would be changed. The parameter "what" is a participle such as "deleted".
 */
extern KG_NORETURN void kg_refuse_hidden(const char *what);

#endif /* KG_SEEN_H */
