/*
 * symmetric.h
 *	  An edge of a symmetric relation is the same edge either way, and is stored
 *	  once.
 *
 * The primary key of kg_edge keeps an edge unique in its own direction.  That the
 * other one is not stored is looked for once it has been written, under a lock of
 * the pair that its writer holds until its transaction ends.  A plain INSERT has
 * its rows before anything of ours can lock, so all have: in one order nobody waits
 * for who waits.  A call of ours looks before, too, which way an edge is stored,
 * and begins again (base/catch.h) when another session was quicker.
 */
#ifndef KG_SYMMETRIC_H
#define KG_SYMMETRIC_H

#include "store/edge/edges.h"
#include "store/edge/given_edges.h"

/*
 * The ends of edges that are stored the other way round are swapped.  A relation
 * may be NULL.  Where the edges are to be made, raises KG_CONFLICT for one that
 * another session has made and the transaction's snapshot does not show.  As the
 * current role.
 */
extern void kg_edges_turn(const char *tenant, const KgGivenEdge *given,
						  KgEdgeEnd *ends, int n, bool making);

/* Are there edges of symmetric relations among them? */
extern bool kg_symmetric_any(const KgCatalog *catalog, const KgColumns *edges);

/* Lock the pairs of a batch, which may have edges of other relations. */
extern void kg_symmetric_lock(const KgCatalog *catalog, const KgColumns *edges);

/*
 * Which edges of a batch are stored the other way round, too?  NULL: none.
 * Raises that KG_CONFLICT.
 */
extern const bool *kg_symmetric_twice(const KgCatalog *catalog,
									  const KgColumns *edges);

/* Of each pair that is stored both ways, $1 the tenant: one of the two. */
#define KG_TURNED_EDGES                                             \
	"e.tenant = $1 AND e.property IS NULL AND e.source > e.target " \
	"AND EXISTS (SELECT FROM @kg_edge r WHERE r.tenant = $1 "       \
	"AND r.source = e.target AND r.relation_no = e.relation_no "    \
	"AND r.key = e.key AND r.target = e.source)"

#endif /* KG_SYMMETRIC_H */
