/*
 * counted.h
 *	  Keeping the counts of x-derived properties with x-index
 *	  (model/counted.h) in step with kg_edge, set-wise, one tenant at a time.
 *
 * Whoever changes edges shares the lock of packed edges and changes the counts
 * of their ends by as much, in the order of the nodes; who counts anew what has no
 * count so far, because a schema or all rows are new, excludes them.  A count is one
 * row from when its entity is derived until it is gone, and always updated in
 * place: who waits for the row finds it.
 *
 * All functions run as the extension's owner, inside SPI_connect().
 */
#ifndef KG_STORE_COUNTED_H
#define KG_STORE_COUNTED_H

#include "model/catalog.h"
#include "store/reference/references.h"

/* What a statement does to counts. */
typedef struct KgCountChanges KgCountChanges;

/*
 * The newest catalog of a tenant: no counts that it does not keep are begun before
 * the transaction is over.
 */
extern const KgCatalog *kg_counted_share(const char *tenant);

/*
 * Of a tenant that keeps counts.  What was gathered is written when it is very
 * much, and by kg_counted_end().
 */
extern KgCountChanges *kg_counted_begin(const KgCatalog *catalog);
extern void kg_counted_edge(KgCountChanges *changes, int64 source,
							int32 relation_no, int64 target, bool made);
extern void kg_counted_end(KgCountChanges *changes);

/* Before counts are made of entities that others may give edges meanwhile. */
extern void kg_counted_exclude(const KgCatalog *catalog);

/*
 * Count anew: of entities that are new, have another id, or whose type has
 * another schema.
 */
extern void kg_counted_anew(const KgCatalog *catalog, const KgNodeList *nodes);

/* The nodes are no entities any more. */
extern void kg_counted_forget(const char *tenant, const KgNodeList *nodes);

/*
 * A count that is not what it should be: what it should be (NULL: not there),
 * what it is (NULL: missing).
 */
typedef void (*KgWrongCount)(int64 node, const char *expected, const char *got,
							 void *arg);
extern void kg_counted_compare(const KgCatalog *catalog,
							   const KgNodeList *nodes, KgWrongCount wrong,
							   void *arg);

#endif /* KG_STORE_COUNTED_H */
