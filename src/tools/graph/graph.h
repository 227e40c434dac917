/*
 * graph.h
 *	  The graph tools: the GitLab query language's six and BFS-QL's six.
 *
 *	  kg_graph_tools and kg_bfs_tools are the tables that tools/dispatch.h
 *	  speaks of.
 */
#ifndef KG_GRAPH_H
#define KG_GRAPH_H

#include "tools/fixed_tools.h"
#include "tools/graph/call.h"

extern const KgFixedTool kg_graph_tools[];

extern const KgFixedTool kg_bfs_tools[];

extern Jsonb *kg_tool_get_graph_schema(const Jsonb *arguments);
extern Jsonb *kg_tool_find_nodes(const Jsonb *arguments);
extern Jsonb *kg_tool_traverse_relationships(const Jsonb *arguments);
extern Jsonb *kg_tool_explore_neighbors(const Jsonb *arguments);
extern Jsonb *kg_tool_find_paths(const Jsonb *arguments);
extern Jsonb *kg_tool_aggregate_nodes(const Jsonb *arguments);
extern Jsonb *kg_tool_rank_related(const Jsonb *arguments);

extern Jsonb *kg_tool_describe_schema(const Jsonb *arguments);
extern Jsonb *kg_tool_search_entities(const Jsonb *arguments);
/* The same by the name that it has in the toolset sql. */
extern Jsonb *kg_tool_search(const Jsonb *arguments);
extern Jsonb *kg_tool_bfs_query(const Jsonb *arguments);
extern Jsonb *kg_tool_describe_entity(const Jsonb *arguments);
extern Jsonb *kg_tool_describe_entities(const Jsonb *arguments);
extern Jsonb *kg_tool_intersect_subgraphs(const Jsonb *arguments);

/* ---- chains of steps ---- */

typedef struct KgSteps
{
	int n;
	KgStepSpec specs[KG_MAX_STEPS];
	const char *types[KG_MAX_STEPS]; /* of edges that stand for walks */
} KgSteps;

/* The member "relationships"; no steps where it is absent. */
extern void kg_call_steps(KgGraphCall *call, KgSteps *steps);
/* {label?, filters?} as one more test of the step's end. */
extern void kg_call_test(KgGraphCall *call, const KgInput *in,
						 KgStepSpec *step);

/* ---- types that arguments reach, where nobody decides about some ---- */

/*
 * All of these raise KG_FORBIDDEN where a type with x-authorize is reached and
 * nobody is there to decide.  type NULL: any.
 */
extern void kg_call_require_type(KgGraphCall *call, const KgType *type);
/* A walk that begins there; NULL where there is nothing to look at. */
typedef struct KgReached KgReached;
extern KgReached *kg_reached_begin(KgGraphCall *call, const KgType *type);
/* So many hops further, to its ends; wanted, by rank, is what is shown of them. */
extern void kg_reached_walk(KgReached *reached, const KgFollow *follow,
							int min_hops, int max_hops, const bool *wanted);
extern void kg_reached_steps(KgReached *reached, const KgStepSpec *specs,
							 int n);

/*
 * The members "related" and "not_related" of a selection, or NULL; and what is
 * reached by them.
 */
extern struct KgRelated *kg_call_related(KgGraphCall *call, const KgInput *in);
extern void kg_reached_related(KgGraphCall *call, const KgType *type,
							   const struct KgRelated *related);
/*
 * Hints of chains that no node is connected by, after they were walked: which of
 * their ids and values there are not, and that a relation cannot begin there.
 * Without them everything is "not related".  False: there is nothing to say.
 */
extern bool kg_hint_related(const KgCatalog *catalog, const KgType *type,
							const struct KgRelated *related, KgJsonWriter *w);

/* ---- cursors: a JSON array of so many items, bound to the call ---- */

/* The items of the member "cursor", or NULL; raises KG_INVALID_INPUT. */
extern const JsonbContainer *kg_call_cursor(KgGraphCall *call, int nitems);
extern char *kg_call_make_cursor(KgGraphCall *call, StringInfo items);
extern int64 kg_cursor_int(const JsonbContainer *items, int i);
/* A node's place in the order by type and id: two items from i on. */
extern KgRef kg_cursor_ref(KgGraphCall *call, const JsonbContainer *items,
						   int i);
extern void kg_cursor_append_ref(KgGraphCall *call, const KgRef *ref,
								 StringInfo items);

/* ---- nothing found ---- */

/*
 * Hints, as items of an array: the nearest that there are to the ids and filter
 * values of a selector that matches nothing;
 */
extern void kg_hint_selector(KgGraphCall *call, const KgSelector *selector,
							 KgJsonWriter *w);
/*
 * which edges some nodes have (the first 500), by type and direction, which the
 * message goes on to say;
 */
extern void kg_hint_edges(KgGraphCall *call, const char *path,
						  const char *message, const int64 *nodes, uint32 n,
						  KgJsonWriter *w);
/* how many nodes there are of each type (by rank); */
extern void kg_hint_types(KgGraphCall *call, const char *path,
						  const char *message, const uint16 *ranks, uint32 n,
						  KgJsonWriter *w);
/* where a chain of steps without a row ended. */
extern void kg_hint_traversal(KgGraphCall *call, const KgTraversal *t,
							  const char *path, KgJsonWriter *w);
/* The array of hints for selectors that match nothing, */
extern Jsonb *kg_selector_hints(KgGraphCall *call,
								const KgSelector *const *selectors, int n);
/*
 * and with it the reply: nodes, edges, total 0, and a member of the tool's own
 * (key may be NULL).
 */
extern Jsonb *kg_reply_nothing(KgGraphCall *call,
							   const KgSelector *const *selectors, int n,
							   const char *key, const Jsonb *value);

#endif /* KG_GRAPH_H */
