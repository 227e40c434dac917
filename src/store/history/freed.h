/*
 * freed.h
 *	  Versions of an id never repeat. If an entity gives up its id and
 *	  another entity gets the id, the versions of the second entity are above
 *	  the last version of the first.
 *
 * The ids that a statement frees and takes are gathered, one tenant at a time,
 * and settled at its end. By then the transaction that gave up an id has
 * ended: a second session has waited for it in the index of kg_entity.
 *
 * All functions run as the extension's owner, inside SPI_connect().
 */
#ifndef KG_FREED_H
#define KG_FREED_H

#include "model/catalog.h"

/*
 * Returns the last version of the last entity that had this id, or 0 if no
 * entity has had it. Call this function for a row before it is stored.
 * Considers all ids that were given up by committed transactions, or so far by
 * this transaction, also by statements that still run. If another session
 * frees the id later, before this row is stored, the end of the statement
 * corrects the version. Reads the relations without a plan, as any role.
 */
extern int64 kg_freed_version(const char *tenant, const KgType *type,
							  const char *entity_id);

/*
 * Returns version + by. Raises an error if no version is left for the result
 * and for its deletion.
 */
extern int64 kg_version_plus(int64 version, int64 by);
/* Returns the version that the deletion of an entity with this version gets. */
extern int64 kg_version_ended(int64 version);

typedef struct KgFreed KgFreed;

/*
 * Begins the changes of a statement. If "takes" is false, the statement only
 * gives up ids, or its rows already have correct first versions; ids that its
 * rows take are then not looked up.
 */
extern KgFreed *kg_freed_begin(const char *tenant, bool takes);

/* Notes that an entity with this version gave up the id. */
extern void kg_freed_id(KgFreed *freed, const KgType *type,
						const char *entity_id, int64 version);
/* Notes that an entity has the id now. */
extern void kg_freed_taken(KgFreed *freed, const KgType *type,
						   const char *entity_id);

/*
 * Notes that the entities with these ids and nodes, which are deleted, were
 * merged into the entity with the node target. This record ends when the next
 * entity gives up the id.
 */
extern void kg_freed_merged(const char *tenant, const KgType *type,
							const char *const *ids, const int64 *nodes, int n,
							int64 target);

/* Notes that entities with these nodes, which may have been merged, are stored
 * again. */
extern void kg_freed_restored(const char *tenant, const int64 *nodes, int n);

/* Writes the freed ids, and raises the versions of rows that took freed ids. */
extern void kg_freed_end(KgFreed *freed);

#endif /* KG_FREED_H */
