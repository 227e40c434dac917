/*
 * packing.h
 *	  Maintenance of kg_adjacency, which has the edges of a node packed into
 *	  one row. Packing creates the row for nodes that lack it. If an edge of a
 *	  node changes, the node's packed edges are discarded.
 */
#ifndef KG_PACKING_H
#define KG_PACKING_H

#include "storage/lock.h"

/*
 * Locks a tenant's packed edges until the transaction ends. A writer of edges
 * takes RowShareLock, and packing takes ExclusiveLock. Returns false if wait
 * is false and the lock is not free.
 */
extern bool kg_adjacency_lock(const char *tenant, LOCKMODE mode, bool wait);

/*
 * Packs the nodes of a tenant that have edges and are not packed. Returns the
 * number of these nodes. If "wait" is true, waits for transactions that change
 * edges of the tenant. If it is false, returns -1 if there are such
 * transactions. A transaction that is not READ COMMITTED cannot pack: it gets
 * an error, or -1 if "wait" is false. "sees_all" is true if the caller sees all
 * edges, so that the progress may be reported to it. Runs as the extension's
 * owner, outside of SPI.
 */
extern int64 kg_adjacency_pack(const char *tenant, bool wait, bool sees_all);

/*
 * Discards the packed edges of nodes whose edges change. From then on,
 * searches do not read these packed edges. No session packs the nodes again
 * before this transaction ends.
 */
extern void kg_adjacency_forget(const char *tenant, const int64 *nodes,
								uint32 n);

#endif /* KG_PACKING_H */
