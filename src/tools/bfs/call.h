/*
 * bfs/call.h
 *	  What the BFS-QL tools share: handles as ids, detail and removal filters.
 */
#ifndef KG_BFS_CALL_H
#define KG_BFS_CALL_H

#include "query/graph/neighbors.h"
#include "tools/graph/graph.h"
#include "tools/graph/page.h"
#include "tools/graph/reply.h"

/* Ids as the caller gave them, and what they mean. */
typedef struct KgHandles
{
	int n;
	char **given;
	KgRef *refs; /* id NULL: unknown, or not visible */
	bool array;	 /* they are an argument together, not one each */
} KgHandles;

/* Does the input name the type before its id?  The id then, else NULL. */
extern const char *kg_id_of_type(const KgType *type, const char *given);

/* One id as text: a string or an integer. */
extern char *kg_call_handle(const JsonbValue *value, const char *path);

/*
 * Read an array of 0 to kg_graph.max_ids handles ("type:id",
 * "bundle/type:id", or a bare id that one visible entity has) and look them
 * up.  Raises KG_INVALID_INPUT with the handles where one means several.
 */
extern void kg_call_handles(KgGraphCall *call, const char *key,
							KgHandles *handles);
/* Raises KG_INVALID_INPUT where an array of them, of what they are, has none. */
extern void kg_require_handles(KgGraphCall *call, const char *key,
							   const char *what, const KgHandles *handles);
extern void kg_find_handles(KgGraphCall *call, const char *path,
							KgHandles *handles);

/*
 * Raises KG_FORBIDDEN where so many hops from them a type is reached that
 * nobody is there to decide about (tools/graph/graph.h).
 */
extern void kg_require_around(KgGraphCall *call, const KgHandles *handles,
							  const KgFollow *walk, int hops);

/* Those that mean nothing, each once; returns how many. */
extern int kg_unknown_handles(const KgHandles *handles, char ***unknown);

/* The handle that is most like one that means nothing; or NULL. */
extern const char *kg_nearest_handle(KgGraphCall *call, const char *given,
									 bool *likely);
/*
 * Hints [{path, message, nearest}] for handles that mean nothing, as many as a
 * reply of this size has room for; NULL where none is near.
 */
extern Jsonb *kg_unknown_hints(KgGraphCall *call, const char *path,
							   const KgHandles *handles);
/* Raise KG_NOT_FOUND, with what is near to them; there is one at least. */
extern KG_NORETURN void
kg_throw_all_unknown(KgGraphCall *call, const char *path,
					 const KgHandles *seeds) KG_NORETURN_TAIL;

/* Arguments that bfs_query and intersect_subgraphs share. */
typedef struct KgBfsDetail
{
	bool *full_types;						/* by rank; NULL: all */
	const KgRelationNames *full_predicates; /* NULL: all */
	bool *excluded;							/* by rank; NULL: none */
	int64 min_mentions;
	bool topology_only;
	bool edge_detail;
	KgFollow walk;	 /* what is walked, */
	KgFollow walked; /* and edges of that, from their sources */
} KgBfsDetail;

extern void kg_read_bfs_detail(KgGraphCall *call, KgBfsDetail *detail);

/* Nothing that is reached is hidden or removed: its edges can be counted. */
extern bool kg_bfs_keeps_all(KgGraphCall *call, const KgBfsDetail *detail);
/* Which of the nodes found stay; NULL: all. */
extern bool *kg_bfs_keep(KgGraphCall *call, const KgBfsDetail *detail,
						 const KgReach *reach);

/* Nodes, edges, counts and schema_summary. */
typedef struct KgBfsReply
{
	KgReply reply;
	const KgReach *reach;
	const KgPage *page;
	uint64 nedges;	 /* of all pages, */
	List *relations; /* and over which relations */
} KgBfsReply;

/* Read what the page has to tell; reply.call is set. */
extern void kg_bfs_prepare(KgBfsReply *b, const KgBfsDetail *detail,
						   const KgReach *reach, const KgPage *page);
extern void kg_bfs_write(const KgBfsReply *b, KgJsonWriter *w);

#endif /* KG_BFS_CALL_H */
