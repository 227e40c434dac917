/*
 * packing.h
 *	  Maintenance of kg_adjacency: nodes that are not packed are packed, and
 *	  the packed edges of a node are discarded when its edges change.
 */
#ifndef KG_PACKING_H
#define KG_PACKING_H

#include "storage/lock.h"

/*
 * Locks a tenant's packed edges until the transaction ends: RowShareLock for a
 * writer of edges, ExclusiveLock for packing. Returns false if the lock is not
 * free and wait is false.
 */
extern bool kg_adjacency_lock(const char *tenant, LOCKMODE mode, bool wait);

/*
 * Packs the nodes of a tenant that have edges and are not packed, and returns
 * their number. If "wait" is true, waits for transactions that change edges of
 * the tenant. If it is false, returns -1 if there are such transactions, or if
 * the transaction's snapshot is too old. If the last argument is true, the
 * caller sees all edges, so the progress may be reported to it. Runs as the
 * extension's owner, outside of SPI.
 */
extern int64 kg_adjacency_pack(const char *tenant, bool wait, bool told);

/*
 * Discards the packed edges of nodes whose edges change. Searches do not read
 * these packed edges any more, and no session packs the nodes before this
 * transaction ends.
 */
extern void kg_adjacency_forget(const char *tenant, const int64 *nodes,
								uint32 n);

#endif /* KG_PACKING_H */
