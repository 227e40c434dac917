/*
 * history.h
 *	  Writing kg_history, set-wise, one tenant at a time.
 *
 * All functions run as the extension's owner, inside SPI_connect().
 */
#ifndef KG_HISTORY_H
#define KG_HISTORY_H

#include "base/extension.h"
#include "model/catalog.h"

typedef struct KgHistory KgHistory;

/*
 * Begins to collect the changes of a statement. caller is the user that
 * kg_become_owner() saved.
 */
extern KgHistory *kg_history_begin(const char *tenant,
								   const KgUserContext *caller);

/*
 * An entity before or after a change. The members are borrowed; the functions
 * below copy them.
 */
typedef struct KgImage
{
	const char *entity_id;
	int64 version;
	const Jsonb *data;
} KgImage;

/*
 * Records a change of an entity of a type with x-history. before is NULL if
 * the entity was created; after is NULL if it was deleted. If the id changes,
 * one deletion and one creation are recorded, because each id has its own
 * history. If both images are equal byte for byte, nothing is recorded.
 */
extern void kg_history_entity(KgHistory *history, const KgType *type,
							  int64 node, const KgImage *before,
							  const KgImage *after);

/*
 * An edge of a relation with history: its identity and its properties.
 * properties is NULL if the edge has no properties.
 */
typedef struct KgEdgeImage
{
	int64 source;
	int64 target;
	const text *key;
	const Jsonb *properties;
} KgEdgeImage;

/*
 * Records a change of an edge, like kg_history_entity(). If the identity
 * changes, one deletion and one creation are recorded.
 */
extern void kg_history_edge(KgHistory *history, const KgRelation *relation,
							const KgEdgeImage *before,
							const KgEdgeImage *after);

/* Writes the changes that were collected and are not written yet. */
extern void kg_history_end(KgHistory *history);

/*
 * Deletes the changes of the caller's tenant that were made before a time, and
 * sets *pruned to their number. Returns true if the number may be reported to
 * the caller. Raises an error if the time is in the future. Runs as the caller,
 * which needs admin access.
 */
extern bool kg_history_prune(TimestampTz before, int64 *pruned);

/*
 * Invalidates the positions that kg_changes() has returned, up to the position
 * of a transaction. kg_changes() then refuses them.
 */
extern void kg_history_end_positions(const char *tenant, int64 last_xid);

#endif /* KG_HISTORY_H */
