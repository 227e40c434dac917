/*
 * symmetric.h
 *	  Symmetric relations: an edge has no direction and is stored once.
 *
 * The primary key of kg_edge makes an edge unique in one direction. After an
 * edge is written, its writer checks that the opposite direction is not
 * stored. The writer holds a lock of the pair until its transaction ends. A
 * plain INSERT has written its rows before a trigger of kg_graph can lock, so
 * all writers lock after writing. All writers lock in the same order, to avoid
 * deadlocks.
 *
 * A function of kg_graph also looks up before writing in which direction an
 * edge is stored. It begins again (base/catch.h) if another session wrote the
 * edge first.
 */
#ifndef KG_SYMMETRIC_H
#define KG_SYMMETRIC_H

#include "store/edge/edges.h"
#include "store/edge/given_edges.h"

/*
 * For each given edge of a symmetric relation that is stored only in the
 * opposite direction, swaps its two members of "ends". The edge is then written
 * as it is stored. Looks up the stored edges as the current role sees them.
 * given[i].relation may be NULL. If "making" is true, raises KG_CONFLICT for an
 * edge that another session has written and that the transaction's snapshot
 * does not show.
 */
extern void kg_edges_turn(const char *tenant, const KgGivenEdge *given,
						  KgEdgeEnd *ends, int n, bool making);

/* Returns whether any edge of the batch has a symmetric relation. */
extern bool kg_symmetric_any(const KgCatalog *catalog, const KgColumns *edges);

/* Locks the pair of ends of each symmetric edge of a batch. */
extern void kg_symmetric_lock(const KgCatalog *catalog, const KgColumns *edges);

/*
 * Returns an array, indexed by row of the batch, that is true for edges that
 * are also stored in the opposite direction. Returns NULL if the batch has no
 * edge of a symmetric relation. Raises KG_CONFLICT if the opposite edge is
 * stored, but the transaction's snapshot does not show it. A read-only
 * transaction makes no such test.
 */
extern const bool *kg_symmetric_twice(const KgCatalog *catalog,
									  const KgColumns *edges);

/*
 * A query condition on edges e. If a symmetric edge of tenant $1 is stored in
 * both directions, the condition is true for one of the two rows.
 */
#define KG_TURNED_EDGES                                             \
	"e.tenant = $1 AND e.property IS NULL AND e.source > e.target " \
	"AND EXISTS (SELECT FROM @kg_edge r WHERE r.tenant = $1 "       \
	"AND r.source = e.target AND r.relation_no = e.relation_no "    \
	"AND r.key = e.key AND r.target = e.source)"

#endif /* KG_SYMMETRIC_H */
