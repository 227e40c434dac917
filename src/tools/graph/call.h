/*
 * graph/call.h
 *	  A call of a graph tool: functions that read its arguments, shared by the
 *	  GitLab and the BFS-QL vocabularies.
 *
 *	  All results are allocated in the memory context that is current at the
 *	  beginning of the call, except for the memory of searches
 *	  (query/graph/frontier.h).
 */
#ifndef KG_GRAPH_CALL_H
#define KG_GRAPH_CALL_H

#include "query/argument/arguments.h"
#include "query/filter/filter.h"
#include "query/graph/nodes.h"
#include "query/filter/select.h"
#include "query/graph/traverse.h"
#include "tools/reply/columns.h"
#include "tools/input/input.h"
#include "tools/reply/reply.h"

typedef struct KgGraphCall
{
	const char *tool;
	const Jsonb *arguments;
	KgInput input;
	KgGraph *graph;
	const KgCatalog *catalog;
	KgRepairs repairs;
	int64 max_bytes;
	/* columns to show, if the tool has the argument "columns" */
	KgShownColumns columns;
	const struct KgFixedTool *fixed;
} KgGraphCall;

/*
 * Begins a call: opens its arguments with the schema of the tool, and reads
 * max_bytes.
 */
extern void kg_graph_call_begin(KgGraphCall *call, const char *tool,
								const Jsonb *arguments);
extern void kg_graph_call_end(KgGraphCall *call);

/*
 * Returns the type that a member of the arguments names. Returns NULL if the
 * member is absent.
 */
extern const KgType *kg_call_type(KgGraphCall *call, const KgInput *in,
								  const char *key);
/*
 * Reads an array of names of types and sets *ranks to the ranks of the types.
 * Returns their number, or -1 if the array is absent.
 */
extern int kg_call_types(KgGraphCall *call, const char *key, uint16 **ranks);
/*
 * Reads an array of names of types and sets *ranks to the ranks of the types.
 * Returns their number, or -1 if the array is absent. If the array contains
 * "*", sets *all.
 */
extern int kg_call_types_or_all(KgGraphCall *call, const char *key,
								uint16 **ranks, bool *all);
/*
 * Returns a set of types, indexed by rank, from an array of names. Returns
 * NULL if the array is absent or empty.
 */
extern bool *kg_call_type_set(KgGraphCall *call, const char *key);

/* Directions of a step, in the order of the enum of "direction". */
typedef enum KgDirection
{
	KG_OUTGOING,
	KG_INCOMING,
	KG_BOTH_WAYS
} KgDirection;

extern KgDirection kg_call_direction(const KgInput *in);

/*
 * A selection of relations by name. If a name is the inverse name of a
 * relation, the relation is followed from target to source. If "all" is true,
 * every relation is selected and n is 0.
 */
typedef struct KgRelationNames
{
	bool all;
	int n;
	char **names;
} KgRelationNames;

/*
 * Reads the name of a relation and returns it. Raises KG_UNKNOWN_TYPE if no
 * relation has this name.
 */
extern char *kg_call_relation_name(KgGraphCall *call, const JsonbValue *value,
								   const char *path);
/*
 * Returns whether the name is the name or the inverse name of the relation.
 * Sets *inverse to true for the inverse name.
 */
extern bool kg_relation_is(const KgRelation *relation, const char *name,
						   bool *inverse);
/*
 * Reads a selection of relations: a name, an array of names, or "*". If the
 * member is absent, selects all relations.
 */
extern KgRelationNames
kg_call_relation_names(KgGraphCall *call, const KgInput *in, const char *key);
/*
 * Reads a selection of relations from an array of names. If the array is
 * absent or empty, selects all relations.
 */
extern KgRelationNames kg_call_relation_list(KgGraphCall *call,
											 const char *key);
extern void kg_call_follow(KgGraphCall *call, const KgRelationNames *names,
						   KgDirection direction, KgFollow *follow);
/*
 * Returns the type to which one hop from the type "from" leads. Returns NULL if
 * the hop can lead to several types. If from is NULL, the hop may begin at any
 * type.
 */
extern const KgType *kg_follow_leads_to(const KgCatalog *catalog,
										const KgFollow *follow,
										const KgType *from);
/*
 * Returns whether a selection contains the relation, by its name or its
 * inverse name.
 */
extern bool kg_names_have(const KgRelationNames *names,
						  const KgRelation *relation);
/*
 * Reads a member that has filters of edges, and sets follow->accept to the
 * function that tests them.
 */
extern void kg_call_edge_filters(KgGraphCall *call,
								 const KgRelationNames *names,
								 const KgInput *in, const char *key,
								 KgFollow *follow);

/* Reads a selector: {label, ids?, filters?}. */
extern void kg_call_selector(KgGraphCall *call, const KgInput *in,
							 const char *label_key, KgSelector *selector);
/*
 * Returns one filter that is equivalent to the selector. Its first condition
 * is on the ids of the selector.
 */
extern const KgFilter *kg_selector_filter(const KgSelector *selector);
/*
 * Reads filters for the types with these ranks; nranks < 0 means all types.
 * Returns the filters indexed by rank - 1, or NULL if the object has no
 * filters.
 */
extern KgFilter **kg_call_filters_over(KgGraphCall *call, const KgInput *in,
									   const JsonbContainer *filters,
									   int nranks, const uint16 *ranks);

/*
 * Returns the handle of an entity: "type:id", or "bundle/type:id" if the name
 * of the type is ambiguous.
 */
extern char *kg_handle(const KgGraph *graph, const KgRef *ref);

#endif /* KG_GRAPH_CALL_H */
