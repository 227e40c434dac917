/*
 * graph.h
 *	  The graph tools: six tools of GitLab's query language and six tools of
 *	  BFS-QL.
 *
 *	  Their tables are kg_graph_tools and kg_bfs_tools (tools/fixed_tools.h).
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
/* Runs find_paths, but shows only the labels of nodes. */
extern Jsonb *kg_find_labelled_paths(const Jsonb *arguments);
extern Jsonb *kg_tool_aggregate_nodes(const Jsonb *arguments);
extern Jsonb *kg_tool_rank_related(const Jsonb *arguments);
extern Jsonb *kg_tool_analyze(const Jsonb *arguments);

extern Jsonb *kg_tool_describe_schema(const Jsonb *arguments);
extern Jsonb *kg_tool_search_entities(const Jsonb *arguments);
/* Runs search_entities under its name in the toolset sql. */
extern Jsonb *kg_tool_search(const Jsonb *arguments);
/*
 * Runs search_entities for the tool find. Without "mode" and "limit", the
 * limit is that of kg_search_limit_of_name().
 */
extern Jsonb *kg_find_by_name(const Jsonb *arguments);
extern Jsonb *kg_tool_bfs_query(const Jsonb *arguments);
extern Jsonb *kg_tool_describe_entity(const Jsonb *arguments);
extern Jsonb *kg_tool_describe_entities(const Jsonb *arguments);
extern Jsonb *kg_tool_intersect_subgraphs(const Jsonb *arguments);

/*
 * Returns the member "weight", the name of a numeric property of the
 * relations. Returns NULL if the member is absent. Raises KG_INVALID_INPUT for
 * another property.
 */
extern char *kg_call_weight(KgGraphCall *call, const KgRelationNames *names);

/* ---- chains of steps ---- */

typedef struct KgSteps
{
	int n;
	KgStepSpec specs[KG_MAX_STEPS];
	/*
	 * for each step of several hops: the type that a reply shows for the single
	 * edge that represents the walk
	 */
	const char *types[KG_MAX_STEPS];
} KgSteps;

/*
 * Reads a step: {type, direction?, min_hops?, max_hops?, filters?, to?}.
 * Returns the names of its relations. A step of one hop may have filters of its
 * edge at its end, and the reverse: they are moved, and reported as repairs.
 */
extern KgRelationNames kg_call_step(KgGraphCall *call, KgInput *in,
									KgStepSpec *step);
/*
 * Reads the member "relationships", an array of steps. If it is absent, the
 * chain has no steps.
 */
extern void kg_call_steps(KgGraphCall *call, KgSteps *steps);
/*
 * Reads the members label, ids, filters, related and not_related, as far as
 * the schema declares them. Adds them as a test of the node at the end of the
 * step.
 */
extern void kg_call_test(KgGraphCall *call, const KgInput *in,
						 KgStepSpec *step);

/* ---- check of types with x-authorize that a call reaches ---- */

/*
 * These functions raise KG_FORBIDDEN if the call reaches a type with
 * x-authorize although neither an authorizer nor a gateway decides access.
 * type NULL means that the call may reach any type.
 */
extern void kg_call_require_type(KgGraphCall *call, const KgType *type);
/*
 * The types that a walk has reached, beginning with a type. If no type needs
 * to be checked, functions return and accept NULL in place of a KgReached.
 */
typedef struct KgReached KgReached;
extern KgReached *kg_reached_begin(KgGraphCall *call, const KgType *type);
/*
 * Extends the walk by min_hops to max_hops hops. "wanted" marks, indexed by
 * rank, the types that are shown at the ends of the walk. NULL means all
 * types.
 */
extern void kg_reached_walk(KgReached *reached, const KgFollow *follow,
							int min_hops, int max_hops, const bool *wanted);
extern void kg_reached_steps(KgReached *reached, const KgStepSpec *specs,
							 int n);

/* ---- directions that the declared relations make impossible ---- */

/* The names of a step's members in the arguments, for errors. */
typedef struct KgStepPath
{
	const char *step;
	const char *type; /* name of the member that names the step's relation */
	/*
	 * Path, relative to the step, of the member that names the type of the
	 * step's end.
	 */
	const char *label;
} KgStepPath;

/*
 * Reverse a step if the declared relations make its direction impossible from
 * this type, and report that as a repair. type NULL means that the step may
 * begin at any type. Raise KG_INVALID_INPUT if the opposite direction is
 * impossible, too. path is the path of the array of steps, or of the only
 * step.
 */
extern void kg_orient_step(KgGraphCall *call, const KgType *type,
						   KgStepSpec *step, const KgStepPath *path);
extern void kg_orient_steps(KgGraphCall *call, const KgType *type,
							KgStepSpec *steps, int n, const char *path,
							bool array);

/*
 * kg_call_related() reads the members "related" and "not_related". It returns
 * NULL if both are absent. kg_reached_related() reverses their steps if no edge
 * can have the direction of a step, and checks the types that the steps reach.
 */
extern struct KgRelated *kg_call_related(KgGraphCall *call, const KgInput *in);
/*
 * Filters on paths. A filter whose name is a path through references selects by
 * a chain, like an item of "related". The chain leads to an entity that
 * satisfies the condition.
 *
 * kg_filters_have_paths() returns whether there are filters on paths.
 * kg_filters_without_paths() returns all other filters, and raises an error for
 * a wrong path. kg_call_path_filters() returns the chains of "related" (NULL:
 * no chains), followed by a chain for each filter on a path.
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
 * Writes hints for chains of related and not_related that no node satisfies.
 * Call it after the chains were walked. A hint names ids and values in a chain
 * that do not exist. Without hints, a wrong value in not_related would go
 * unnoticed, because every node satisfies it. Returns false if there is no
 * hint.
 */
extern bool kg_hint_related(const KgCatalog *catalog,
							const struct KgRelated *related,
							KgCorrection *correction, KgJsonWriter *w);

/* ---- cursors: a JSON array of nitems items, bound to the call ---- */

/*
 * Reads the member "cursor" and returns its items, or NULL if the member is
 * absent. Raises KG_INVALID_INPUT.
 */
extern const JsonbContainer *kg_call_cursor(KgGraphCall *call, int nitems);
extern char *kg_call_make_cursor(KgGraphCall *call, StringInfo items);
extern int64 kg_cursor_int(const JsonbContainer *items, int i);
/*
 * Returns the position of a node in the order by type and id. Item i has the
 * type, and the item after it the id.
 */
extern KgRef kg_cursor_ref(KgGraphCall *call, const JsonbContainer *items,
						   int i);
extern void kg_cursor_append_ref(KgGraphCall *call, const KgRef *ref,
								 StringInfo items);

/* ---- nothing found ---- */

/*
 * Writes hints, as items of an array, for a selector that matches no node. A
 * hint lists existing ids or values that are similar to those of the selector.
 */
extern void kg_hint_selector(KgGraphCall *call, const KgSelector *selector,
							 KgCorrection *correction, KgJsonWriter *w);
/*
 * Writes a hint that lists the edges of the nodes, counted by type and
 * direction. Only the first 500 nodes are examined. The counts are appended to
 * the message.
 */
extern void kg_hint_edges(KgGraphCall *call, const char *path,
						  const char *message, const int64 *nodes, uint32 n,
						  KgJsonWriter *w);
/*
 * Writes a hint that lists the number of nodes of each type. "ranks" has the
 * rank of the type of each node.
 */
extern void kg_hint_types(KgGraphCall *call, const char *path,
						  const char *message, const uint16 *ranks, uint32 n,
						  KgJsonWriter *w);
/*
 * For a chain without rows, writes a hint about the step at which the chain
 * could not continue.
 */
extern void kg_hint_traversal(KgGraphCall *call, const KgTraversal *t,
							  const char *path, KgJsonWriter *w);
/* Returns an array of hints for the selectors that match no node. */
extern Jsonb *kg_selector_hints(KgGraphCall *call,
								const KgSelector *const *selectors, int n);
/*
 * Returns the reply of a call that matches nothing: hints, no nodes and edges,
 * total 0, and the tool's own member "key". key may be NULL.
 */
extern Jsonb *kg_reply_nothing(KgGraphCall *call,
							   const KgSelector *const *selectors, int n,
							   const char *key, const Jsonb *value);

#endif /* KG_GRAPH_H */
