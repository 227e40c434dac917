/*
 * counted.h
 *	  Maintenance of the counts of x-derived properties with x-index
 *	  (model/counted.h), set-wise, one tenant at a time.
 *
 * A writer of edges holds a share lock on the tenant's packed edges. It adds
 * its changes to the counts of the ends, in the order of the nodes. If a
 * schema or entities are new, a session adds the missing counts and excludes
 * these writers meanwhile. The row of a count exists from the derivation of
 * its entity until the entity is deleted. It is always updated in place, so a
 * session that waits for the row finds it.
 *
 * All functions run as the extension's owner, inside SPI_connect().
 */
#ifndef KG_STORE_COUNTED_H
#define KG_STORE_COUNTED_H

#include "model/catalog.h"
#include "store/reference/references.h"

/* The changes of counts that one statement causes. */
typedef struct KgCountChanges KgCountChanges;

/*
 * Locks the counts of a tenant for a writer of edges, and returns the tenant's
 * newest catalog. Until the transaction ends, no other session can introduce a
 * counted property that this catalog lacks.
 */
extern const KgCatalog *kg_counted_share(const char *tenant);

/*
 * Begins to collect changes of counts, for a tenant that has counts.
 * kg_counted_end() writes them. If there are many changes, some are written
 * earlier.
 */
extern KgCountChanges *kg_counted_begin(const KgCatalog *catalog);
extern void kg_counted_edge(KgCountChanges *changes, int64 source,
							int32 relation_no, int64 target, bool made);
extern void kg_counted_end(KgCountChanges *changes);

/*
 * Excludes writers of edges until the transaction ends. Does nothing if no type
 * of the catalog counts edges. Call it before counts are created for entities
 * to which other sessions may add edges.
 */
extern void kg_counted_exclude(const KgCatalog *catalog);

/*
 * Counts the edges of entities anew. This is needed if the entities are new or
 * have another id, or if their type has another schema.
 */
extern void kg_counted_anew(const KgCatalog *catalog, const KgNodeList *nodes);

/* Deletes the counts of nodes that are not entities any more. */
extern void kg_counted_forget(const char *tenant, const KgNodeList *nodes);

/*
 * A function that is called for each wrong count. expected is NULL if no row
 * should be stored; got is NULL if the row is missing.
 */
typedef void (*KgWrongCount)(int64 node, const char *expected, const char *got,
							 void *arg);
extern void kg_counted_compare(const KgCatalog *catalog,
							   const KgNodeList *nodes, KgWrongCount wrong,
							   void *arg);

#endif /* KG_STORE_COUNTED_H */
