/*
 * freed.h
 *	  Keeps the versions of an id from repeating. If an entity gives up its id
 *	  and another entity gets the id, the versions of the second entity are
 *	  above the last version of the first.
 *
 * The ids that a statement frees and takes are collected, one tenant at a
 * time, and processed at the end of the statement. By then, another
 * transaction that gave up one of the ids has ended, because the statement has
 * waited for it in the unique index of kg_entity.
 *
 * All functions run as the extension's owner, inside SPI_connect().
 */
#ifndef KG_FREED_H
#define KG_FREED_H

#include "model/catalog.h"

/*
 * Returns the last version of the last entity that had this id, or 0 if no
 * entity has had it. Call this function for a row before it is stored.
 * Considers ids that committed transactions or this transaction gave up, also
 * in statements that still run. If another session frees the id between this
 * call and the insertion of the row, the end of the statement corrects the
 * version. Reads the tables without an SQL statement, as any role.
 */
extern int64 kg_freed_version(const char *tenant, const KgType *type,
							  const char *entity_id);

/*
 * Returns version + by. Raises an error if the sum is too large to leave a
 * further version for the entity's deletion.
 */
extern int64 kg_version_plus(int64 version, int64 by);
/* Returns the version of the deletion of an entity that has this version. */
extern int64 kg_version_ended(int64 version);

typedef struct KgFreed KgFreed;

/*
 * Begins to collect the changes of a statement. takes is false if the
 * statement only gives up ids, or if its rows already have correct first
 * versions. In this case, ids that its rows take are not looked up.
 */
extern KgFreed *kg_freed_begin(const char *tenant, bool takes);

/* Notes that an entity with this version gave up the id. */
extern void kg_freed_id(KgFreed *freed, const KgType *type,
						const char *entity_id, int64 version);
/* Notes that an entity has the id now. */
extern void kg_freed_taken(KgFreed *freed, const KgType *type,
						   const char *entity_id);

/*
 * Records that the entities with these ids and nodes, which are deleted, were
 * merged into the entity with the node target. not_recorded are the names,
 * "bundle/name", of types and relations whose changes by the merge are not in
 * the history. The record is valid until the next entity gives up the id.
 */
extern void kg_freed_merged(const char *tenant, const KgType *type,
							const char *const *ids, const int64 *nodes, int n,
							int64 target, const List *not_recorded);

/*
 * Returns the names not_recorded of merges of entities with these nodes, each
 * once.
 */
extern List *kg_freed_not_recorded(const char *tenant, const int64 *nodes,
								   int n);

/*
 * Deletes the records of merges of entities with these nodes, because the
 * entities are stored again.
 */
extern void kg_freed_restored(const char *tenant, const int64 *nodes, int n);

/* Writes the freed ids, and raises the versions of rows that took freed ids. */
extern void kg_freed_end(KgFreed *freed);

#endif /* KG_FREED_H */
