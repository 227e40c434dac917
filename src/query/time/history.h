/*
 * history.h
 *	  Reading kg_history as the caller: under its policies, and only of what it
 *	  may see now.
 */
#ifndef KG_QUERY_HISTORY_H
#define KG_QUERY_HISTORY_H

#include "model/catalog.h"
#include "query/sql.h"

typedef struct KgChange
{
	int64 change;
	int64 transaction;
	const char *at;
	const char *by;
	const char *subject; /* this and the next three: or NULL */
	const char *agent;
	const char *tool;
	const char *reason;
	const char *verdict;
	int64 version;
	Jsonb *before; /* NULL: created */
	Jsonb *after;  /* NULL: deleted */
	TimestampTz time;
	const char *key; /* of an edge, */
	int64 nodes[2];	 /* and its source and target */
} KgChange;

/* Where a reading goes on: below that change.  time 0: at the newest. */
typedef struct KgHistoryPlace
{
	TimestampTz time;
	int64 number; /* an entity's version, an edge's change */
} KgHistoryPlace;

/*
 * Changes of an entity, the newest first: at most n, below a place.
 * Of one that is hidden from the caller there are none; one that is gone counts
 * by what it was last.
 */
extern int kg_history_read(const KgCatalog *catalog, const KgType *type,
						   const char *id, const KgHistoryPlace *below, int n,
						   KgChange *changes);

/* Would that find anything?  Of an entity that is there: does the caller see it? */
extern bool kg_history_sees(const KgCatalog *catalog, const KgType *type,
							const char *id);

/*
 * Did the node have the id at a time, or was that the last that it had until
 * then, and may the caller see what it was?  Not known of a type that hides some
 * of its entities and had no history then.
 */
extern bool kg_history_saw(const KgCatalog *catalog, const KgType *type,
						   const char *id, int64 node, TimestampTz time);

/*
 * May the caller see every change of the node in a transaction?  What stood
 * between its statements nobody else saw.
 */
extern bool kg_history_saw_all(const KgCatalog *catalog, const KgType *type,
							   int64 node, int64 transaction);

/* The nodes that an id is and was, as an array. */
extern Datum kg_history_nodes(const KgCatalog *catalog, const KgType *type,
							  const char *id);

/* Read the changes of h that a statement, which names it, goes on to select. */
extern void kg_history_select(KgSqlBuilder *b, const KgCatalog *catalog);
extern int kg_history_run(const KgSqlBuilder *b, KgChange *changes);

/* The entity as it was then, or NULL. */
extern Jsonb *kg_history_at(const KgCatalog *catalog, const KgType *type,
							const char *id, TimestampTz time);

#endif /* KG_QUERY_HISTORY_H */
