/*
 * twice.h
 *	  Checks that no transaction sees two rows with the same key.
 *
 * PostgreSQL keeps a key unique among committed rows, but not among the rows
 * that an older snapshot shows. In REPEATABLE READ and SERIALIZABLE, another
 * session may have deleted a row since the snapshot. Its key can then be
 * inserted again, although the transaction still sees the deleted row.
 */
#ifndef KG_TWICE_H
#define KG_TWICE_H

#include "store/derived/columns.h"
#include "store/reference/references.h"

/*
 * Call these functions after rows were written. Each raises SQLSTATE 40001 if
 * a written row has the key of a row that another session deleted and that the
 * snapshot still shows. They run as the extension's owner, inside
 * SPI_connect().
 */

/*
 * Raises KG_CONFLICT if the transaction's snapshot shows another entity with
 * the id of one of these entities. Call it for entities that have a new id.
 * Does nothing in READ COMMITTED.
 */
extern void kg_refuse_entities_twice(const char *tenant,
									 const KgNodeList *nodes);
/*
 * Raises KG_CONFLICT if the transaction's snapshot shows another row of
 * kg_unique_key (store/reference/unique.h) with the key of one of these rows.
 * Does nothing in READ COMMITTED.
 */
extern void kg_refuse_values_twice(const char *tenant, const KgColumns *rows);
/*
 * Raises KG_CONFLICT if the transaction's snapshot shows another row of kg_edge
 * with the key of an edge of the batch. Does nothing in READ COMMITTED.
 */
extern void kg_refuse_edges_twice(const char *tenant, const KgColumns *edges);

#endif /* KG_TWICE_H */
