/*
 * entities.h
 *	  Writing entities: the statements of everybody who writes them in a
 *	  caller's name, as the current role and inside SPI_connect().
 *
 * Who writes (put_entities.c, delete_entities.c, bundle/entities.c, revert.c)
 * decides what; triggers validate and derive.  What x-on-delete does to others
 * is written by on_delete.c, as the owner.
 */
#ifndef KG_ENTITIES_H
#define KG_ENTITIES_H

#include "base/error.h"
#include "model/catalog.h"
#include "store/derived/columns.h"
#include "store/reference/references.h"

/* New entities, of which each has an id; what is given lives as long. */
extern void kg_entities_init(KgColumns *rows);
extern void kg_entities_add(KgColumns *rows, const char *id, const Jsonb *data);

/*
 * False where another session has written one of them meanwhile: the caller
 * raises an error.  One that a trigger keeps from being inserted is raised.
 */
extern bool kg_entities_insert(const char *tenant, const KgType *type,
							   const KgColumns *rows);
/*
 * Those that are not there, whoever sees them; SPI_tuptable has id and version
 * of each that was inserted.
 */
extern void kg_entities_insert_free(const char *tenant, const KgType *type,
									const KgColumns *rows);

/* Entities that are there again, of several types and with their nodes. */
extern void kg_restored_init(KgColumns *rows);
extern void kg_restored_add(KgColumns *rows, const KgType *type, const char *id,
							const Jsonb *data, int64 node);
/* False as above. */
extern bool kg_entities_restore(const char *tenant, const KgColumns *rows);

/* New documents of entities that are stored. */
extern void kg_changes_init(KgColumns *rows);
/* An id that one which is not locked must still have, or NULL. */
extern void kg_changes_add(KgColumns *rows, int64 node, const char *id,
						   const Jsonb *data);
/*
 * written gets, in order, the nodes that were; without it, one that was not is
 * raised.
 */
extern void kg_entities_update(const char *tenant, const KgColumns *rows,
							   KgNodeList *written);

/* SPI_tuptable has node and id of each that was deleted. */
extern void kg_entities_delete_nodes(const char *tenant, const int64 *nodes,
									 int n);

/*
 * Entities whose index_keys or scope are not what the schema says: their
 * triggers fill them in and exchange the rows of kg_index_key.  Raises where
 * one could not be written: its scope would let others see it.  As the owner.
 */
extern void kg_entities_write_again(const char *tenant,
									const KgNodeList *nodes);

/* Is it not stored any more, under that id if it is not NULL, whoever sees it? */
extern bool kg_entity_is_gone(const char *tenant, int64 node, const char *id);

/*
 * What to raise, or report, where a trigger kept an "entity" or an "edge" from
 * being what: "inserted".
 */
extern KgError *kg_kept_error(const char *row, const char *what);
/* Why an entity that was there when it was looked was not updated. */
extern KgError *kg_unwritten_error(const char *tenant, int64 node,
								   const char *id);
/* Somebody has the id: hidden from the caller, or written meanwhile. */
extern KgError *kg_id_taken_error(const KgType *type, const char *id);

#endif /* KG_ENTITIES_H */
