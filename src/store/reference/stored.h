/*
 * stored.h
 *	  The stored rows after a call that writes.
 *
 * A trigger of a DBA that fires after a row is written may delete the row,
 * restore it, or write it again. So a call determines the result of each item
 * by comparing the stored rows with the rows in one snapshot from before the
 * call.
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
 * releases the snapshot. An error releases it, too.
 */
extern Snapshot kg_stored_begin(void);
extern void kg_stored_end(Snapshot before);

/*
 * Sets the fate of each entity since the snapshot "before". Reads all rows,
 * including rows that the caller does not see. Includes changes by other
 * sessions if the rows were not locked. Call inside SPI_connect().
 */
extern void kg_stored_entities(const char *tenant, const KgType *type,
							   const char *const *ids, int n, Snapshot before,
							   KgFate *fates);
/*
 * Sets the fate of each explicit edge of a batch (store/edge/edges.h), as
 * kg_stored_entities() does for entities.
 */
extern void kg_stored_edges(const char *tenant, const KgColumns *edges,
							Snapshot before, KgFate *fates);

/*
 * Returns whether the table has triggers that neither kg_graph nor PostgreSQL
 * made.
 */
extern bool kg_stored_has_own_triggers(const char *table);

/*
 * Returns the error for a row that a trigger prevented from being written. row
 * is "entity" or "edge"; the parameter "what" is a participle such as
 * "inserted".
 */
extern KgError *kg_kept_error(const char *row, const char *what);

/*
 * Raise KG_FORBIDDEN if a trigger of a DBA has changed derived edges that the
 * owner wrote. kg_stored_require_edges() requires that the given edges
 * (source, relation_no, target, property) are stored.
 * kg_stored_require_no_edges() runs a statement, which must find no edges. Its
 * parameter $1 is the tenant; $2 has the deleted nodes.
 */
extern void kg_stored_require_edges(const char *tenant, const KgColumns *edges);
extern void kg_stored_require_no_edges(KgSaved *saved, const char *sql,
									   const char *tenant, KgArg nodes);

#endif /* KG_STORED_H */
