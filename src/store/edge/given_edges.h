/*
 * given_edges.h
 *	  Edges as they are given, by the name of a relation and two handles: which
 *	  relation and which nodes are meant, and what is said where none are.
 */
#ifndef KG_GIVEN_EDGES_H
#define KG_GIVEN_EDGES_H

#include "base/error.h"
#include "model/catalog.h"
#include "store/edge/edge_key.h"

/*
 * A relation whose edges are explicit: of a bundle or, where that is NULL, of
 * any, and then also as "bundle/relation".  NULL where there is none: err says
 * why, and what the caller may have meant.
 */
extern const KgRelation *kg_given_relation(const KgCatalog *catalog,
										   const char *bundle, const char *name,
										   KgError **err);

/* Nodes of handles or, where the relation leaves one type, bare ids. */
typedef struct KgEdgeEnd
{
	const KgType *type; /* NULL: unknown */
	const char *id;
	int64 node; /* 0: none */
} KgEdgeEnd;

extern void kg_edge_end_read(const KgCatalog *catalog,
							 const KgRelation *relation, const char *text,
							 bool is_from, KgEdgeEnd *end);

typedef struct KgGivenEdge
{
	const KgRelation *relation; /* NULL: at fault */
	const char *from;			/* handles */
	const char *to;
	const char *key; /* of store/edge/edge_key.h; NULL: at fault */
} KgGivenEdge;

/* Those that were found before (store/edge/known_ends.h). */
typedef struct KgKnownEnds KgKnownEnds;
struct KgPayload;

/*
 * The two ends of each edge, as the current role sees them: a statement a type
 * for those that neither the items of a payload (or NULL) nor what is known
 * tells.  An edge of a symmetric relation is the same edge either way: the ends
 * of one that is stored the other way round are swapped, of those that are made
 * under a lock (store/edge/symmetric.h).
 */
extern KgEdgeEnd *kg_given_ends(const KgCatalog *catalog,
								const KgGivenEdge *edges, int n,
								const struct KgPayload *payload,
								KgKnownEnds *known, bool making);

/* The same once more, after a lock that was waited for: nothing is known. */
extern KgEdgeEnd *kg_given_ends_now(const KgCatalog *catalog,
									const KgGivenEdge *edges, int n);

/* An end names no entity; an edge is given a second time. */
extern KgError *kg_no_end_error(const KgRelation *relation, const char *end);
extern KgError *kg_edge_twice_error(const KgGivenEdge *edge, const char *where);

#endif /* KG_GIVEN_EDGES_H */
