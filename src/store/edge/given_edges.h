/*
 * given_edges.h
 *	  Edges in the form in which a caller sends them: the name of a relation
 *	  and two handles. A handle is the text "type:id" of an entity
 *	  (model/handle.h). The functions find the relation and the nodes, or
 *	  return an error.
 */
#ifndef KG_GIVEN_EDGES_H
#define KG_GIVEN_EDGES_H

#include "base/error.h"
#include "model/catalog.h"
#include "store/edge/edge_key.h"

/*
 * Returns the declared relation (a relation of explicit edges) of this name in
 * the bundle. If bundle is NULL, searches all bundles, and name may be
 * "bundle/relation". Returns NULL and sets *err if there is no such relation,
 * or there are several. Does so, too, if each variant of the relation has an
 * end whose type reads a table. For an unknown name, *err suggests similar
 * names.
 */
extern const KgRelation *kg_given_relation(const KgCatalog *catalog,
										   const char *bundle, const char *name,
										   KgError **err);

/*
 * An end of an edge. kg_edge_end_read() reads it from a handle, or from a bare
 * id if the relation permits only one type at this end.
 */
typedef struct KgEdgeEnd
{
	const KgType *type; /* type of the entity; NULL: unknown */
	const char *id;
	int64 node; /* 0: the entity was not found */
} KgEdgeEnd;

extern void kg_edge_end_read(const KgCatalog *catalog,
							 const KgRelation *relation, const char *text,
							 bool is_from, KgEdgeEnd *end);

typedef struct KgGivenEdge
{
	const KgRelation *relation; /* NULL: the relation is invalid */
	/* handle of the source; "to" is the handle of the target */
	const char *from;
	const char *to;
	const char *key; /* key (store/edge/edge_key.h); NULL: invalid */
} KgGivenEdge;

/* Ends that previous calls have found (store/edge/known_ends.h). */
typedef struct KgKnownEnds KgKnownEnds;
struct KgPayload;

/*
 * Returns the two ends of each edge, as the current role sees them. Ends are
 * looked up in "known" and among the items of payload (which may be NULL). One
 * statement per type reads the remaining ends. An edge of a symmetric relation
 * has no direction: if the edge is stored in the opposite direction, its ends
 * are swapped. If "making" is true, the direction is looked up under a lock
 * (store/edge/symmetric.h).
 */
extern KgEdgeEnd *kg_given_ends(const KgCatalog *catalog,
								const KgGivenEdge *edges, int n,
								const struct KgPayload *payload,
								KgKnownEnds *known, bool making);

/*
 * Returns the ends of edges as kg_given_ends() does, but looks up all ends
 * again. Use it after a wait for a lock.
 */
extern KgEdgeEnd *kg_given_ends_now(const KgCatalog *catalog,
									const KgGivenEdge *edges, int n);

/*
 * kg_no_end_error() returns the error for an end that names no entity.
 * kg_edge_twice_error() returns the error for an edge that occurs twice in a
 * call.
 */
extern KgError *kg_no_end_error(const KgRelation *relation, const char *end);
extern KgError *kg_edge_twice_error(const KgGivenEdge *edge, const char *where);

#endif /* KG_GIVEN_EDGES_H */
