/*
 * edge_ends.h
 *	  What follows at the ends of edges, where they are written anew.
 *
 * An entity that refers to something else loses edges by one statement and gets
 * others by the next.  Counts of edges, and packed edges, are locked at all ends
 * of both in one order, so that two who lead entities to and fro between the same
 * ends wait for each other in turn.
 *
 * All functions run as the extension's owner, inside SPI_connect().
 */
#ifndef KG_EDGE_ENDS_H
#define KG_EDGE_ENDS_H

#include "model/catalog.h"
#include "store/derived/counted.h"

/*
 * Does work(arg), and at its end what the statements on kg_edge that it runs leave
 * to be done for the tenant.
 */
extern void kg_edge_ends_together(const char *tenant, void (*work)(void *arg),
								  void *arg);

/* Returns the changes of counts that are written at the end, or NULL. */
extern KgCountChanges *kg_edge_ends_counts(const KgCatalog *catalog);

/* Returns whether packed edges of the nodes are forgotten at the end. */
extern bool kg_edge_ends_take(const char *tenant, const int64 *nodes, uint32 n);

#endif /* KG_EDGE_ENDS_H */
