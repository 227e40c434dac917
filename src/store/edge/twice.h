/*
 * twice.h
 *	  No transaction sees two rows of one key.
 *
 * PostgreSQL keeps a key unique in what is committed, not in what a snapshot
 * shows: in REPEATABLE READ and SERIALIZABLE, where another session has deleted
 * a row since, its key can be inserted again beside the row that the
 * transaction goes on seeing.
 */
#ifndef KG_TWICE_H
#define KG_TWICE_H

#include "store/derived/columns.h"
#include "store/reference/references.h"

/*
 * After the rows were written; 40001 where one of them is such a second one.
 * As the owner, inside SPI_connect().
 */

/* Entities that have a new id. */
extern void kg_refuse_entities_twice(const char *tenant,
									 const KgNodeList *nodes);
/* Rows of store/reference/unique.h. */
extern void kg_refuse_values_twice(const char *tenant, const KgColumns *rows);
/* Rows of store/edge/edges.h. */
extern void kg_refuse_edges_twice(const char *tenant, const KgColumns *edges);

#endif /* KG_TWICE_H */
