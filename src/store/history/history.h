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

/* caller is what kg_become_owner() saved. */
extern KgHistory *kg_history_begin(const char *tenant,
								   const KgUserContext *caller);

/* An entity before or after a change; what is borrowed is copied. */
typedef struct KgImage
{
	const char *entity_id;
	int64 version;
	const Jsonb *data;
} KgImage;

/*
 * A change of an entity of a type with x-history: before is NULL where it was
 * created, after where it was deleted.  One that gets another id is deleted and
 * created: histories are those of ids.  What is the same byte for byte is no
 * change.
 */
extern void kg_history_entity(KgHistory *history, const KgType *type,
							  int64 node, const KgImage *before,
							  const KgImage *after);

/*
 * An edge of a relation with history, by its identity and its properties; NULL
 * where it has none.
 */
typedef struct KgEdgeImage
{
	int64 source;
	int64 target;
	const text *key;
	const Jsonb *properties;
} KgEdgeImage;

/* The same of an edge; one whose identity changes is deleted and created. */
extern void kg_history_edge(KgHistory *history, const KgRelation *relation,
							const KgEdgeImage *before,
							const KgEdgeImage *after);

/* Write what is left. */
extern void kg_history_end(KgHistory *history);

/*
 * Forget the changes of the caller's tenant before a time; how many.  As the
 * caller, who needs admin access.
 */
extern int64 kg_history_prune(TimestampTz before);

#endif /* KG_HISTORY_H */
