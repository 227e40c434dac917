/*
 * packing.h
 *	  Keeping kg_adjacency true: packing the nodes that are not packed, and
 *	  forgetting what is packed of nodes whose edges change.
 */
#ifndef KG_PACKING_H
#define KG_PACKING_H

#include "storage/lock.h"

/*
 * Lock a tenant's packed edges until the transaction is over: RowShareLock who
 * changes edges, ExclusiveLock who packs.  False where it would have to wait
 * and must not.
 */
extern bool kg_adjacency_lock(const char *tenant, LOCKMODE mode, bool wait);

/*
 * Pack the nodes of a tenant that have edges and are not packed; returns how
 * many.  With wait, waits for transactions that are changing edges of the
 * tenant; without, returns -1 where there are any, or where the transaction's
 * snapshot is older than what it would have to see.  Told: the caller sees all
 * edges, and may be told how far it is.  As the owner, inside no SPI
 * connection.
 */
extern int64 kg_adjacency_pack(const char *tenant, bool wait, bool told);

/*
 * The edges of these nodes are changing: what is packed of them is not read any
 * more, and nobody packs them before this transaction is over.
 */
extern void kg_adjacency_forget(const char *tenant, const int64 *nodes,
								uint32 n);

#endif /* KG_PACKING_H */
