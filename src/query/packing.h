/*
 * packing.h
 *	  Keeping kg_adjacency true: packing the nodes that have no packed row, and
 *	  dropping the packed rows of nodes whose edges change.
 */
#ifndef KG_PACKING_H
#define KG_PACKING_H

/*
 * Pack the nodes of a tenant that have edges and no packed row; returns how
 * many.  With wait, waits for transactions that are changing edges of the
 * tenant; without, returns -1 where there are any, or where the transaction's
 * snapshot is older than what it would have to see.  As the owner, inside no
 * SPI connection.
 */
extern int64 kg_adjacency_pack(const char *tenant, bool wait);

/*
 * The edges of these nodes are changing: their packed rows go, and nobody
 * packs them before this transaction is over.
 */
extern void kg_adjacency_forget(const char *tenant, const int64 *nodes,
								uint32 n);

#endif /* KG_PACKING_H */
