/*
 * stored.h
 *	  The stored result of a call that writes, after it has ended.
 *
 * Triggers of a DBA that fire after a row is written may delete it, restore
 * it, or write it again. So the verdict of a call compares the stored rows
 * with those before the call, of one snapshot.
 */
#ifndef KG_STORED_H
#define KG_STORED_H

#include "base/spi.h"
#include "model/catalog.h"
#include "store/derived/columns.h"
#include "utils/snapshot.h"

typedef enum KgFate
{
	KG_FATE_ABSENT, /* not stored before, not stored now */
	KG_FATE_GONE,
	KG_FATE_MADE,
	KG_FATE_CHANGED,
	KG_FATE_SAME
} KgFate;

/*
 * kg_stored_begin() returns a snapshot of the stored rows. kg_stored_end()
 * releases it; an error releases it too.
 */
extern Snapshot kg_stored_begin(void);
extern void kg_stored_end(Snapshot before);

/*
 * Sets the fate of each entity since before. Reads all rows, also those that
 * the caller does not see. Includes changes of other sessions to rows that were
 * not locked. Call inside SPI_connect().
 */
extern void kg_stored_entities(const char *tenant, const KgType *type,
							   const char *const *ids, int n, Snapshot before,
							   KgFate *fates);
/*
 * Like kg_stored_entities(), for explicit edges in rows of store/edge/edges.h.
 */
extern void kg_stored_edges(const char *tenant, const KgColumns *edges,
							Snapshot before, KgFate *fates);

/*
 * Returns whether the table has triggers that neither kg_graph nor PostgreSQL
 * made.
 */
extern bool kg_stored_has_own_triggers(const char *table);

/*
 * Returns the error for an "entity" or an "edge" (row) that a trigger prevented
 * from being, for example, "inserted" (what).
 */
extern KgError *kg_kept_error(const char *row, const char *what);

/*
 * Raise KG_FORBIDDEN if a trigger of a DBA has changed derived edges that the
 * owner wrote. kg_stored_require_edges() requires that these edges (source,
 * relation_no, target, property) are stored. kg_stored_require_no_edges()
 * requires that the statement finds no edges; $1 is the tenant, $2 the deleted
 * nodes.
 */
extern void kg_stored_require_edges(const char *tenant, const KgColumns *edges);
extern void kg_stored_require_no_edges(KgSaved *saved, const char *sql,
									   const char *tenant, KgArg nodes);

#endif /* KG_STORED_H */
