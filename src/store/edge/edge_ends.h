/*
 * edge_ends.h
 *	  Updates at the ends of edges when edges are replaced.
 *
 * If the references of an entity change, one statement deletes edges and the
 * next statement inserts edges. Both statements change two kinds of data about
 * the ends of these edges: the counts of their x-derived properties, and their
 * packed edges (the copies of edges in kg_adjacency). The locks for this are
 * taken once for all ends, in a common order. So two sessions that move
 * entities between the same ends do not deadlock: one waits for the other.
 *
 * All functions run as the extension's owner, inside SPI_connect().
 */
#ifndef KG_EDGE_ENDS_H
#define KG_EDGE_ENDS_H

#include "model/catalog.h"
#include "store/derived/counted.h"

/*
 * Calls work(arg). Then updates the counts and packed edges that the
 * statements of work(arg) on kg_edge have left for the tenant.
 */
extern void kg_edge_ends_together(const char *tenant, void (*work)(void *arg),
								  void *arg);

/*
 * Returns the changes of counts that the enclosing kg_edge_ends_together()
 * writes at its end. Returns NULL if there is no such call, or if it uses
 * another catalog.
 */
extern KgCountChanges *kg_edge_ends_counts(const KgCatalog *catalog);

/*
 * Adds the nodes to the list of nodes whose packed edges are discarded at the
 * end of the enclosing kg_edge_ends_together(). Returns false if there is no
 * such call.
 */
extern bool kg_edge_ends_take(const char *tenant, const int64 *nodes, uint32 n);

#endif /* KG_EDGE_ENDS_H */
