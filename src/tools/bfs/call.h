/*
 * bfs/call.h
 *	  Code that the BFS-QL tools share: handles as ids, detail, and the
 *	  removal of nodes.
 */
#ifndef KG_BFS_CALL_H
#define KG_BFS_CALL_H

#include "query/graph/neighbors.h"
#include "tools/graph/graph.h"
#include "tools/graph/page.h"
#include "tools/graph/reply.h"

/* Handles as the caller sent them, with the entities that they name. */
typedef struct KgHandles
{
	int n;
	char **given;
	KgRef *refs; /* entity of each handle; id NULL: unknown or not visible */
	/* true: the handles were sent as one array, not as separate arguments */
	bool array;
} KgHandles;

/*
 * If the text begins with the name of the type and a colon, returns the id
 * after the colon. Otherwise returns NULL.
 */
extern const char *kg_id_of_type(const KgType *type, const char *given);
extern const char *kg_id_of_row(const KgTypeRow *row, const char *given);

/*
 * Returns a handle, which is a string or an integer, as text. If the value is
 * an object with a type and an id, returns the handle of that entity, and
 * reports a repair.
 */
extern char *kg_call_handle(KgRepairs *repairs, const JsonbValue *value,
							const char *path);

/*
 * Reads an array of 0 to kg_graph.max_ids handles and looks them up. A handle
 * is "type:id", "bundle/type:id", or an id that only one visible entity has.
 * If several entities have an id, raises KG_INVALID_INPUT, which lists their
 * handles.
 */
extern void kg_call_handles(KgGraphCall *call, const char *key,
							KgHandles *handles);
/*
 * Raises KG_INVALID_INPUT if the array has no items. "what" describes the
 * items in the error.
 */
extern void kg_require_handles(KgGraphCall *call, const char *key,
							   const char *what, const KgHandles *handles);
extern void kg_find_handles(KgGraphCall *call, const char *path,
							KgHandles *handles);

/*
 * Raises KG_FORBIDDEN if the walk, within "hops" hops from an entity that a
 * handle may name, can reach a type with x-authorize although neither an
 * authorizer nor a gateway can decide access (tools/graph/graph.h).
 */
extern void kg_require_around(KgGraphCall *call, const KgHandles *handles,
							  const KgFollow *walk, int hops);

/*
 * Sets *unknown to the unknown handles, without duplicates. Returns their
 * number.
 */
extern int kg_unknown_handles(const KgHandles *handles, char ***unknown);

/* The existing handles that are similar to an unknown handle. */
typedef struct KgNearHandle
{
	const char *handle; /* the most similar handle, or NULL */
	bool likely;		/* true: no other handle can be meant */
	/*
	 * List of char *: if several entities have the name, the handles of all of
	 * them
	 */
	List *namesakes;
} KgNearHandle;

extern KgNearHandle kg_nearest_handle(KgGraphCall *call, const char *given);
/*
 * Sets the member did_you_mean of an error to the similar handle. If several
 * entities have the unknown handle as their name, sets "allowed" to their
 * handles.
 */
extern void kg_error_near_handle(KgError *err, const KgNearHandle *near);
/*
 * Returns hints [{path, message, nearest}] for unknown handles, or NULL if no
 * similar handle exists. The maximum size of the reply limits their number.
 */
extern Jsonb *kg_unknown_hints(KgGraphCall *call, const char *path,
							   const KgHandles *handles);
/*
 * Raises KG_NOT_FOUND, which lists similar handles. To be called only if at
 * least one handle is unknown.
 */
extern KG_NORETURN void kg_throw_all_unknown(KgGraphCall *call,
											 const char *path,
											 const KgHandles *seeds);

/* Arguments that bfs_query and intersect_subgraphs have in common. */
typedef struct KgBfsDetail
{
	/* indexed by rank of the type; NULL: all types are shown in full */
	bool *full_types;
	const KgRelationNames *full_predicates; /* NULL: all relations */
	/* indexed by rank of the type; NULL: no type is excluded */
	bool *excluded;
	int64 min_mentions;
	bool topology_only;
	bool edge_detail;
	KgFollow walk; /* the edges that the walk follows */
	/* the edges of "walk", followed only from their stored source */
	KgFollow walked;
} KgBfsDetail;

extern void kg_read_bfs_detail(KgGraphCall *call, KgBfsDetail *detail);

/*
 * Returns whether no reached node can be hidden or removed. If it returns true,
 * edges can be counted without reading them.
 */
extern bool kg_bfs_keeps_all(KgGraphCall *call, const KgBfsDetail *detail);
/*
 * Returns an array, indexed by found node, that says whether the node remains.
 * Returns NULL if all nodes remain.
 */
extern bool *kg_bfs_keep(KgGraphCall *call, const KgBfsDetail *detail,
						 const KgReach *reach);

/* A reply with nodes, edges, counts and schema_summary. */
typedef struct KgBfsReply
{
	KgReply reply;
	const KgReach *reach;
	const KgPage *page;
	uint64 nedges;	 /* number of edges on all pages together */
	List *relations; /* the relations of the edges on all pages */
} KgBfsReply;

/* Prepares the members of the reply for a page. b->reply.call must be set. */
extern void kg_bfs_prepare(KgBfsReply *b, const KgBfsDetail *detail,
						   const KgReach *reach, const KgPage *page);
extern void kg_bfs_write(const KgBfsReply *b, KgJsonWriter *w);

#endif /* KG_BFS_CALL_H */
