/*
 * edges.h
 *	  Explicit edges: what may be stored, and finding the nodes of handles.
 */
#ifndef KG_EDGES_H
#define KG_EDGES_H

#include "base/error.h"
#include "catalog/catalog.h"
#include "store/columns.h"

/* Columns of a batch of edges. */
#define KG_EDGE_SOURCE 0	 /* int8 */
#define KG_EDGE_RELATION 1	 /* int4 */
#define KG_EDGE_TARGET 2	 /* int8 */
#define KG_EDGE_PROPERTIES 3 /* jsonb */
#define KG_EDGE_COLUMNS 4

extern void kg_edges_init(KgColumns *edges, MemoryContext context);

/*
 * Lock the ends of explicit edges and check relation, variant and properties.
 * Faults are reported with the path "<path>/<row>".  As the owner, inside
 * SPI_connect().
 */
extern void kg_edges_check(const KgCatalog *catalog, const KgColumns *edges,
						   const char *path, KgErrorList *errors);

/*
 * Nodes of ids of a type as the current role sees them; 0 where there is none.
 */
extern void kg_nodes_of_ids(const char *tenant, const KgType *type,
							const char *const *ids, int n, int64 *nodes);

#endif /* KG_EDGES_H */
