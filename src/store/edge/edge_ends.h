/*
 * edge_ends.h
 *	  Work at the ends of edges when edges are replaced.
 *
 * If the references of an entity change, one statement deletes edges and the
 * next one inserts others. Counts of edges, and packed edges, are locked at
 * the ends of all these edges, in one common order. Two sessions that move
 * entities between the same ends therefore wait for each other in turn and do
 * not deadlock.
 *
 * All functions run as the extension's owner, inside SPI_connect().
 */
#ifndef KG_EDGE_ENDS_H
#define KG_EDGE_ENDS_H

#include "model/catalog.h"
#include "store/derived/counted.h"

/*
 * Calls work(arg). At its end, does the work at ends that its statements on
 * kg_edge have left for the tenant.
 */
extern void kg_edge_ends_together(const char *tenant, void (*work)(void *arg),
								  void *arg);

/*
 * Returns the changes of counts that are written at the end of the enclosing
 * kg_edge_ends_together(), or NULL if there is no such call.
 */
extern KgCountChanges *kg_edge_ends_counts(const KgCatalog *catalog);

/*
 * Adds the nodes to those whose packed edges are forgotten at the end of the
 * enclosing kg_edge_ends_together(). Returns false if there is no such call.
 */
extern bool kg_edge_ends_take(const char *tenant, const int64 *nodes, uint32 n);

#endif /* KG_EDGE_ENDS_H */
