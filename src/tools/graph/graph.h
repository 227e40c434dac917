/*
 * graph.h
 *	  The graph tools: six of the GitLab query language and six of BFS-QL.
 *
 *	  kg_graph_tools and kg_bfs_tools are their tables (tools/fixed_tools.h).
 */
#ifndef KG_GRAPH_H
#define KG_GRAPH_H

#include "tools/fixed_tools.h"
#include "query/argument/repair.h"
#include "tools/graph/call.h"

extern const KgFixedTool kg_graph_tools[];

extern const KgFixedTool kg_bfs_tools[];

extern Jsonb *kg_tool_get_graph_schema(const Jsonb *arguments);
extern Jsonb *kg_tool_find_nodes(const Jsonb *arguments);
extern Jsonb *kg_tool_traverse_relationships(const Jsonb *arguments);
extern Jsonb *kg_tool_explore_neighbors(const Jsonb *arguments);
extern Jsonb *kg_tool_find_paths(const Jsonb *arguments);
/* find_paths whose nodes have only their labels. */
extern Jsonb *kg_find_labelled_paths(const Jsonb *arguments);
extern Jsonb *kg_tool_aggregate_nodes(const Jsonb *arguments);
extern Jsonb *kg_tool_rank_related(const Jsonb *arguments);
extern Jsonb *kg_tool_analyze(const Jsonb *arguments);

extern Jsonb *kg_tool_describe_schema(const Jsonb *arguments);
extern Jsonb *kg_tool_search_entities(const Jsonb *arguments);
/* Like search_entities, under its name in the toolset sql. */
extern Jsonb *kg_tool_search(const Jsonb *arguments);
extern Jsonb *kg_tool_bfs_query(const Jsonb *arguments);
extern Jsonb *kg_tool_describe_entity(const Jsonb *arguments);
extern Jsonb *kg_tool_describe_entities(const Jsonb *arguments);
extern Jsonb *kg_tool_intersect_subgraphs(const Jsonb *arguments);

/*
 * Returns the member "weight", a numeric property of the relations; NULL if it
 * is absent. Raises KG_INVALID_INPUT.
 */
extern char *kg_call_weight(KgGraphCall *call, const KgRelationNames *names);

/* ---- chains of steps ---- */

typedef struct KgSteps
{
	int n;
	KgStepSpec specs[KG_MAX_STEPS];
	const char *types[KG_MAX_STEPS]; /* types of edges that represent walks */
} KgSteps;

/*
 * Applies filters of a step of one hop that only its end can have to the end,
 * and filters of the end that only the edge can have to the step; reports the
 * repairs. The hops of the step have been read.
 */
extern void kg_call_end_filters(KgGraphCall *call, const KgRelationNames *names,
								KgInput *in, const KgStepSpec *step);
/* Reads min_hops and max_hops of a step. */
extern void kg_call_hops(const KgInput *in, KgStepSpec *step);
/* Reads the member "relationships". If it is absent, there are no steps. */
extern void kg_call_steps(KgGraphCall *call, KgSteps *steps);
/*
 * Reads {label?, ids?, filters?, related?, not_related?}, as far as the schema
 * declares them, as an additional test of the step's end.
 */
extern void kg_call_test(KgGraphCall *call, const KgInput *in,
						 KgStepSpec *step);

/* ---- types that a call reaches, if they have x-authorize ---- */

/*
 * These functions raise KG_FORBIDDEN if the call reaches a type with
 * x-authorize and nothing can decide about it. If type is NULL, any type may
 * be reached.
 */
extern void kg_call_require_type(KgGraphCall *call, const KgType *type);
/*
 * The types that a walk has reached, beginning with a type. A pointer to it is
 * NULL if no type needs to be checked.
 */
typedef struct KgReached KgReached;
extern KgReached *kg_reached_begin(KgGraphCall *call, const KgType *type);
/*
 * Extends the walk by min_hops to max_hops hops. wanted marks, by rank, the
 * types that are shown at the ends of the walk; NULL: all types.
 */
extern void kg_reached_walk(KgReached *reached, const KgFollow *follow,
							int min_hops, int max_hops, const bool *wanted);
extern void kg_reached_steps(KgReached *reached, const KgStepSpec *specs,
							 int n);

/* ---- directions that the declared relations make impossible ---- */

/* The position of a step in the arguments. */
typedef struct KgStepPath
{
	const char *step;
	const char *type; /* name of the step's member that names the relation */
	/* path, below the step, of the type of the step's end */
	const char *label;
} KgStepPath;

/*
 * Reverse a step if the relations make its direction impossible from this type
 * (NULL: any type), and report this as a repair. Raise KG_INVALID_INPUT if the
 * opposite direction is impossible, too. path is the path of the array of
 * steps, or of the only step.
 */
extern void kg_orient_step(KgGraphCall *call, const KgType *type,
						   KgStepSpec *step, const KgStepPath *path);
extern void kg_orient_steps(KgGraphCall *call, const KgType *type,
							KgStepSpec *steps, int n, const char *path,
							bool array);

/*
 * kg_call_related() reads the members "related" and "not_related"; it returns
 * NULL if both are absent. kg_reached_related() reverses their steps like
 * kg_orient_steps(), and checks the types that they reach.
 */
extern struct KgRelated *kg_call_related(KgGraphCall *call, const KgInput *in);
/*
 * Filters whose names are paths through references select like "related": by a
 * chain that leads to an entity that satisfies the condition.
 * kg_filters_without_paths() returns the other filters, and raises an error
 * for a wrong path. kg_call_path_filters() returns the chains of these filters
 * after those of related (NULL: no chains).
 */
extern bool kg_filters_have_paths(const KgCatalog *catalog, const KgType *type,
								  const JsonbContainer *filters);
extern const JsonbContainer *
kg_filters_without_paths(const KgCatalog *catalog, const KgType *type,
						 const JsonbContainer *filters, const char *at);
extern struct KgRelated *kg_call_path_filters(KgGraphCall *call,
											  const KgInput *in,
											  const KgType *type,
											  struct KgRelated *related);
extern void kg_reached_related(KgGraphCall *call, const KgType *type,
							   struct KgRelated *related);
/*
 * Writes hints for chains that no node matches, after they were walked. A hint
 * names ids and values that do not exist. Without such hints, a "not related"
 * would match every node.  Returns false if there is no hint.
 */
extern bool kg_hint_related(const KgCatalog *catalog,
							const struct KgRelated *related,
							KgCorrection *correction, KgJsonWriter *w);

/* ---- cursors: a JSON array of nitems items, bound to the call ---- */

/*
 * Returns the items of the member "cursor", or NULL if the member is absent.
 * Raises KG_INVALID_INPUT.
 */
extern const JsonbContainer *kg_call_cursor(KgGraphCall *call, int nitems);
extern char *kg_call_make_cursor(KgGraphCall *call, StringInfo items);
extern int64 kg_cursor_int(const JsonbContainer *items, int i);
/*
 * Returns a node's position in the order by type and id, from items i and i +
 * 1.
 */
extern KgRef kg_cursor_ref(KgGraphCall *call, const JsonbContainer *items,
						   int i);
extern void kg_cursor_append_ref(KgGraphCall *call, const KgRef *ref,
								 StringInfo items);

/* ---- nothing found ---- */

/*
 * Writes hints, as items of an array, for a selector that matches no node.
 * They name existing ids and values similar to the selector's.
 */
extern void kg_hint_selector(KgGraphCall *call, const KgSelector *selector,
							 KgCorrection *correction, KgJsonWriter *w);
/*
 * Writes a hint with the edges of the nodes (the first 500), counted by type
 * and direction. The counts are appended to the message.
 */
extern void kg_hint_edges(KgGraphCall *call, const char *path,
						  const char *message, const int64 *nodes, uint32 n,
						  KgJsonWriter *w);
/* Writes a hint with the number of nodes of each type, by rank. */
extern void kg_hint_types(KgGraphCall *call, const char *path,
						  const char *message, const uint16 *ranks, uint32 n,
						  KgJsonWriter *w);
/* Writes a hint about the step at which a chain without rows ended. */
extern void kg_hint_traversal(KgGraphCall *call, const KgTraversal *t,
							  const char *path, KgJsonWriter *w);
/* Returns the array of hints for selectors that match no node. */
extern Jsonb *kg_selector_hints(KgGraphCall *call,
								const KgSelector *const *selectors, int n);
/*
 * Returns the reply of a call without a match: hints, nodes, edges, total 0,
 * and the tool's own member key (may be NULL).
 */
extern Jsonb *kg_reply_nothing(KgGraphCall *call,
							   const KgSelector *const *selectors, int n,
							   const char *key, const Jsonb *value);

#endif /* KG_GRAPH_H */
