/*
 * bfs/call.h
 *	  Shared code of the BFS-QL tools: handles as ids, detail and removal
 *	  filters.
 */
#ifndef KG_BFS_CALL_H
#define KG_BFS_CALL_H

#include "query/graph/neighbors.h"
#include "tools/graph/graph.h"
#include "tools/graph/page.h"
#include "tools/graph/reply.h"

/* Ids as the caller sent them, with the entities that they name. */
typedef struct KgHandles
{
	int n;
	char **given;
	KgRef *refs; /* id NULL: unknown or not visible */
	bool array;	 /* sent as one array, not as separate arguments */
} KgHandles;

/* Returns the id if the input begins with the type's name, else NULL. */
extern const char *kg_id_of_type(const KgType *type, const char *given);

/*
 * Returns an id, a string or an integer, as text. An object of a type and an id
 * is taken as the handle of that entity, and reported.
 */
extern char *kg_call_handle(KgRepairs *repairs, const JsonbValue *value,
							const char *path);

/*
 * Reads an array of 0 to kg_graph.max_ids handles and looks them up. A handle
 * is "type:id", "bundle/type:id", or an id that only one visible entity has.
 * Raises KG_INVALID_INPUT with the handles if an id is ambiguous.
 */
extern void kg_call_handles(KgGraphCall *call, const char *key,
							KgHandles *handles);
/* Raises KG_INVALID_INPUT if the array has no items; "what" describes them. */
extern void kg_require_handles(KgGraphCall *call, const char *key,
							   const char *what, const KgHandles *handles);
extern void kg_find_handles(KgGraphCall *call, const char *path,
							KgHandles *handles);

/*
 * Raises KG_FORBIDDEN if the walk reaches, within that number of hops, a type
 * about which nothing can decide (tools/graph/graph.h).
 */
extern void kg_require_around(KgGraphCall *call, const KgHandles *handles,
							  const KgFollow *walk, int hops);

/*
 * Sets *unknown to the unknown handles without duplicates. Returns their
 * number.
 */
extern int kg_unknown_handles(const KgHandles *handles, char ***unknown);

/* The known handles to which an unknown handle is similar. */
typedef struct KgNearHandle
{
	const char *handle; /* the most similar one, or NULL */
	bool likely;		/* no other handle can be meant */
	List *namesakes;	/* char *; of several entities with this name, all */
} KgNearHandle;

extern KgNearHandle kg_nearest_handle(KgGraphCall *call, const char *given);
/* Sets did_you_mean, or allowed for several entities with the name. */
extern void kg_error_near_handle(KgError *err, const KgNearHandle *near);
/*
 * Returns hints [{path, message, nearest}] for unknown handles. Their number
 * depends on the size of the reply. Returns NULL if no similar handle exists.
 */
extern Jsonb *kg_unknown_hints(KgGraphCall *call, const char *path,
							   const KgHandles *handles);
/* Raises KG_NOT_FOUND with similar handles. At least one handle is unknown. */
extern KG_NORETURN void kg_throw_all_unknown(KgGraphCall *call,
											 const char *path,
											 const KgHandles *seeds);

/* Arguments that bfs_query and intersect_subgraphs share. */
typedef struct KgBfsDetail
{
	bool *full_types;						/* indexed by rank; NULL: all */
	const KgRelationNames *full_predicates; /* NULL: all */
	bool *excluded;							/* indexed by rank; NULL: none */
	int64 min_mentions;
	bool topology_only;
	bool edge_detail;
	KgFollow walk;	 /* edges that are followed */
	KgFollow walked; /* the walked edges, followed from their stored sources */
} KgBfsDetail;

extern void kg_read_bfs_detail(KgGraphCall *call, KgBfsDetail *detail);

/*
 * Returns whether no reached node is hidden or removed. In this case, edges
 * can be counted without reading them.
 */
extern bool kg_bfs_keeps_all(KgGraphCall *call, const KgBfsDetail *detail);
/*
 * Returns, by index, which of the found nodes remain; NULL: all nodes remain.
 */
extern bool *kg_bfs_keep(KgGraphCall *call, const KgBfsDetail *detail,
						 const KgReach *reach);

/* Nodes, edges, counts and schema_summary. */
typedef struct KgBfsReply
{
	KgReply reply;
	const KgReach *reach;
	const KgPage *page;
	uint64 nedges;	 /* number of edges of all pages */
	List *relations; /* relations of these edges */
} KgBfsReply;

/* Prepares the members of the reply from the page. reply.call must be set. */
extern void kg_bfs_prepare(KgBfsReply *b, const KgBfsDetail *detail,
						   const KgReach *reach, const KgPage *page);
extern void kg_bfs_write(const KgBfsReply *b, KgJsonWriter *w);

#endif /* KG_BFS_CALL_H */
