/*
 * stored.h
 *	  What became of the rows of a call that writes, when it has ended.
 *
 * Triggers of the DBA's own that fire after a row is written may delete it, put
 * back what was there, or write it again.  A verdict is about what is stored
 * then, compared with what was before the call, as one snapshot had it.
 */
#ifndef KG_STORED_H
#define KG_STORED_H

#include "base/spi.h"
#include "model/catalog.h"
#include "store/derived/columns.h"
#include "utils/snapshot.h"

typedef enum KgFate
{
	KG_FATE_ABSENT, /* was not there and is not there */
	KG_FATE_GONE,
	KG_FATE_MADE,
	KG_FATE_CHANGED,
	KG_FATE_SAME
} KgFate;

/* What is stored now; kg_stored_end() gives it back, and so does an error. */
extern Snapshot kg_stored_begin(void);
extern void kg_stored_end(Snapshot before);

/*
 * Inside SPI_connect(); whoever the caller is, of all rows.  What other sessions
 * did since counts as well, where nothing locked the rows.
 */
extern void kg_stored_entities(const char *tenant, const KgType *type,
							   const char *const *ids, int n, Snapshot before,
							   KgFate *fates);
/* Of explicit edges, a row of store/edge/edges.h each. */
extern void kg_stored_edges(const char *tenant, const KgColumns *edges,
							Snapshot before, KgFate *fates);

/* Has the table triggers that are not ours, or PostgreSQL's own? */
extern bool kg_stored_has_own_triggers(const char *table);

/*
 * What the maintenance of references has written, as the owner, is not for such
 * triggers to change: KG_FORBIDDEN where derived edges (source, relation_no,
 * target, property) are not there, or where a statement still finds edges, $1
 * the tenant and $2 the nodes that they were to go with.
 */
extern void kg_stored_require_edges(const char *tenant, const KgColumns *edges);
extern void kg_stored_require_no_edges(KgSaved *saved, const char *sql,
									   const char *tenant, KgArg nodes);

#endif /* KG_STORED_H */
