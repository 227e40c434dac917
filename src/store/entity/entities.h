/*
 * entities.h
 *	  The statements that write entities for a caller, run as the current
 *	  role inside SPI_connect().
 *
 * The callers (put_entities.c, delete_entities.c, bundle/entities.c, revert.c,
 * merge.c, and on_delete.c for the effects of x-on-delete) decide the rows to
 * write. Triggers validate and derive.
 */
#ifndef KG_ENTITIES_H
#define KG_ENTITIES_H

#include "base/error.h"
#include "model/catalog.h"
#include "store/derived/columns.h"
#include "store/reference/references.h"

/*
 * Initializes a batch of new entities. Each row has an id. ids and data are not
 * copied and must live as long as the batch.
 */
extern void kg_entities_init(KgColumns *rows);
extern void kg_entities_add(KgColumns *rows, const char *id, const Jsonb *data);

/*
 * Inserts the entities. Returns false if another session wrote one of the
 * entities at the same time; the caller then raises an error. Raises an error
 * if a trigger prevents an insertion.
 */
extern bool kg_entities_insert(const char *tenant, const KgType *type,
							   const KgColumns *rows);
/*
 * Inserts the entities whose ids are not taken, not even by entities that the
 * caller does not see. SPI_tuptable gets id and version of each inserted
 * entity.
 */
extern void kg_entities_insert_free(const char *tenant, const KgType *type,
									const KgColumns *rows);

/*
 * Initializes a batch of entities to restore, of several types, with their
 * nodes.
 */
extern void kg_restored_init(KgColumns *rows);
extern void kg_restored_add(KgColumns *rows, const KgType *type, const char *id,
							const Jsonb *data, int64 node);
/*
 * Inserts the restored entities. Returns false if another session wrote one of
 * the entities at the same time.
 */
extern bool kg_entities_restore(const char *tenant, const KgColumns *rows);

/* Initializes a batch of new documents for stored entities. */
extern void kg_changes_init(KgColumns *rows);
/*
 * Adds a document for a node. id may be NULL. If the caller did not lock the
 * entity, id is the id that the entity must still have.
 */
extern void kg_changes_add(KgColumns *rows, int64 node, const char *id,
						   const Jsonb *data);
/*
 * Updates the documents. Sets the list "written" to the updated nodes, in
 * ascending order. If written is NULL, raises an error for an entity that was
 * not updated.
 */
extern void kg_entities_update(const char *tenant, const KgColumns *rows,
							   KgNodeList *written);

/* Deletes entities. SPI_tuptable gets node and id of each deleted entity. */
extern void kg_entities_delete_nodes(const char *tenant, const int64 *nodes,
									 int n);

/*
 * kg_entities_delete_latest() deletes and kg_entities_update_latest() updates
 * entities, even if they are newer than the fixed snapshot of the transaction.
 * The caller must have found them with the newest snapshot and have locked
 * them.
 */
extern void kg_entities_delete_latest(const char *tenant,
									  const KgNodeList *nodes);
extern void kg_entities_update_latest(const char *tenant,
									  const KgColumns *rows);

/*
 * Rewrites entities whose index_keys or scope differ from the values that the
 * schema requires. The triggers of kg_entity then set these columns and replace
 * the rows of kg_index_key. Raises KG_CONFLICT if a trigger of a DBA prevents
 * the update of an entity. Runs as the extension's owner.
 */
extern void kg_entities_write_again(const char *tenant,
									const KgNodeList *nodes);

/*
 * Returns whether the entity is no longer stored or, if id is not NULL, no
 * longer has this id. Includes entities that the caller does not see.
 */
extern bool kg_entity_is_gone(const char *tenant, int64 node, const char *id);

/*
 * Returns the error for an entity that was stored when it was looked up, but
 * that the statement did not update.
 */
extern KgError *kg_unwritten_error(const char *tenant, int64 node,
								   const char *id);
/*
 * Returns the error for an id that belongs to another entity, which is hidden
 * from the caller or was written at the same time.
 */
extern KgError *kg_id_taken_error(const KgType *type, const char *id);

#endif /* KG_ENTITIES_H */
