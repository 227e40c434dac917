/*
 * history.h
 *	  Reading kg_history as the caller: under its policies, and only of what it
 *	  may see now.
 */
#ifndef KG_QUERY_HISTORY_H
#define KG_QUERY_HISTORY_H

#include "catalog/catalog.h"

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
} KgChange;

/*
 * Changes of an entity, the newest first: at most n, below a version (0: all).
 * Of one that is hidden from the caller there are none; one that is gone counts
 * by what it was last.
 */
extern int kg_history_read(const KgCatalog *catalog, const KgType *type,
						   const char *id, int64 below, int n,
						   KgChange *changes);

/*
 * The time that an argument "as_of" names, for a type; raises KG_INVALID_INPUT
 * where the type keeps no history, or not of that time.
 */
extern TimestampTz kg_history_time(const KgType *type, const char *as_of);

/* The entity as it was then, or NULL. */
extern Jsonb *kg_history_at(const KgCatalog *catalog, const KgType *type,
							const char *id, TimestampTz time);

#endif /* KG_QUERY_HISTORY_H */
