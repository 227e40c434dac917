/*
 * seen.h
 *	  What the caller of a write sees: no statement of a caller touches an
 *	  entity that is hidden from it, nor tells it that one is there.
 *
 * The maintenance of references runs as the extension's owner, who sees every
 * entity of a tenant; the policies of kg_entity are asked as the caller.
 *
 * All functions are called as the owner, inside SPI_connect(); caller is what
 * kg_become_owner() saved.
 */
#ifndef KG_SEEN_H
#define KG_SEEN_H

#include "base/extension.h"
#include "base/spi.h"
#include "store/reference/references.h"

/* Those of the nodes that the current user sees, in order. */
extern void kg_nodes_read(KgSaved *saved, const char *tenant,
						  const int64 *nodes, int n, KgNodeList *seen);

/* Every entity of the tenant, so that none need be asked about? */
extern bool kg_sees_all(const char *tenant, const KgUserContext *caller);

/* Replace the nodes that the caller does not see by 0. */
extern void kg_blank_hidden(const char *tenant, const KgUserContext *caller,
							int64 *nodes, int n);

/* What becomes of the other end of an edge. */
#define KG_CUT_OFF "cut off: edges lead to them or from them"

/*
 * Raise KG_FORBIDDEN where one of the nodes is stored and hidden.  what says
 * what would become of it: "deleted".
 */
extern void kg_require_seen(const char *tenant, const KgUserContext *caller,
							const int64 *nodes, int n, const char *what);

/*
 * Raise KG_FORBIDDEN where one of the nodes, which are stored, is hidden: also
 * where it is newer than the caller's snapshot.
 */
extern void kg_require_all_seen(const char *tenant, const KgUserContext *caller,
								const int64 *nodes, int n, const char *what);

/*
 * Raise KG_FORBIDDEN if a policy of kg_edge hides an explicit edge of one of
 * the nodes from the caller, who deletes the nodes and so their edges.
 */
extern void kg_require_edges_seen(const char *tenant,
								  const KgUserContext *caller,
								  const int64 *nodes, int n);

/*
 * A transaction that keeps its snapshot (REPEATABLE READ) does not derive anew
 * from entities that this one does not show: what it cannot see of them would
 * stay beside what it writes.  Raises KG_CONFLICT where a row that was read as
 * of now, by node and ctid, is not there as it is.
 */
extern void kg_require_shown(const char *tenant, const int64 *nodes,
							 const ItemPointerData *tids, int n);

/* The same of nodes: one is there now that the snapshot does not show. */
extern void kg_require_none_newer(const char *tenant, const int64 *nodes,
								  int n);

/* Raise that KG_CONFLICT. */
extern KG_NORETURN void kg_refuse_newer(void) KG_NORETURN_TAIL;

/* Raise it: entities that the caller does not see would be ... */
extern KG_NORETURN void kg_refuse_hidden(const char *what) KG_NORETURN_TAIL;

#endif /* KG_SEEN_H */
