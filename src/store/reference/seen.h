/*
 * seen.h
 *	  Visibility for the caller of a write. No write touches an entity that
 *	  is hidden from its caller, or reveals that it exists.
 *
 * Maintenance of references runs as the extension's owner, which sees each
 * entity of a tenant. So these functions evaluate the policies of kg_entity as
 * the caller.
 *
 * All functions are called as the owner, inside SPI_connect(). caller is the
 * user that kg_become_owner() saved.
 */
#ifndef KG_SEEN_H
#define KG_SEEN_H

#include "base/extension.h"
#include "base/spi.h"
#include "store/entity/node_list.h"

/* Adds to seen, in order, the nodes that the current user sees. */
extern void kg_nodes_read(KgSaved *saved, const char *tenant,
						  const int64 *nodes, int n, KgNodeList *seen);

/*
 * Returns whether the caller sees each entity of the tenant, so that no check
 * is necessary.
 */
extern bool kg_sees_all(const char *tenant, const KgUserContext *caller);

/* Replaces the nodes that the caller does not see by 0. */
extern void kg_blank_hidden(const char *tenant, const KgUserContext *caller,
							int64 *nodes, int n);

/* The effect on the entity at the other end of a deleted edge. */
#define KG_CUT_OFF "cut off: edges lead to them or from them"

/*
 * Raises KG_FORBIDDEN if one of the nodes is stored and hidden. The
 * parameter "what" is a participle that completes the message: "would be" is
 * followed by "deleted", for example.
 */
extern void kg_require_seen(const char *tenant, const KgUserContext *caller,
							const int64 *nodes, int n, const char *what);

/*
 * Raises KG_FORBIDDEN if one of the nodes, which are all stored, is hidden or
 * newer than the caller's snapshot.
 */
extern void kg_require_all_seen(const char *tenant, const KgUserContext *caller,
								const int64 *nodes, int n, const char *what);

/*
 * Raises KG_FORBIDDEN if a policy of kg_edge hides an explicit edge of one of
 * the nodes from the caller, which deletes the nodes and so their edges.
 */
extern void kg_require_edges_seen(const char *tenant,
								  const KgUserContext *caller,
								  const int64 *nodes, int n);

/*
 * Raises KG_CONFLICT if a row of an entity, given by node and ctid, is not
 * visible in the transaction's snapshot. Such a transaction (REPEATABLE READ)
 * must not derive rows from the entity: older derived rows that it cannot see
 * would remain beside the new ones.
 */
extern void kg_require_shown(const char *tenant, const int64 *nodes,
							 const ItemPointerData *tids, int n);

/*
 * Raises KG_CONFLICT if one of the nodes is stored now and the transaction's
 * snapshot does not show it.
 */
extern void kg_require_none_newer(const char *tenant, const int64 *nodes,
								  int n);

/* Raises KG_CONFLICT: an entity is newer than the transaction's snapshot. */
extern KG_NORETURN void kg_refuse_newer(void);

/*
 * Raises KG_FORBIDDEN: entities that the caller does not see would be ...
 * (what).
 */
extern KG_NORETURN void kg_refuse_hidden(const char *what);

#endif /* KG_SEEN_H */
