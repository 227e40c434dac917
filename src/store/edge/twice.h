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

/* Checks entities that have a new id. */
extern void kg_refuse_entities_twice(const char *tenant,
									 const KgNodeList *nodes);
/* Checks rows of kg_unique_key (store/reference/unique.h). */
extern void kg_refuse_values_twice(const char *tenant, const KgColumns *rows);
/* Checks a batch of edges (store/edge/edges.h). */
extern void kg_refuse_edges_twice(const char *tenant, const KgColumns *edges);

#endif /* KG_TWICE_H */
