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
	KgShownColumns columns; /* if the tool has the argument "columns" */
	const struct KgFixedTool *fixed;
} KgGraphCall;

/* Begins a call: opens its input by the tool's schema and reads max_bytes. */
extern void kg_graph_call_begin(KgGraphCall *call, const char *tool,
								const Jsonb *arguments);
extern void kg_graph_call_end(KgGraphCall *call);

/* Returns the type that a member names, or NULL if the member is absent. */
extern const KgType *kg_call_type(KgGraphCall *call, const KgInput *in,
								  const char *key);
/*
 * Returns the number of types in an array of names, or -1 if the array is
 * absent. Sets *ranks to the ranks of the types.
 */
extern int kg_call_types(KgGraphCall *call, const char *key, uint16 **ranks);
/* Like kg_call_types(), but the array may contain "*". Sets *all if it does. */
extern int kg_call_types_or_all(KgGraphCall *call, const char *key,
								uint16 **ranks, bool *all);
/*
 * Returns a set of types, indexed by rank, from an array of names. Returns
 * NULL if the array is absent or empty.
 */
extern bool *kg_call_type_set(KgGraphCall *call, const char *key);

/* Directions, in the order of the enum of "direction". */
typedef enum KgDirection
{
	KG_OUTGOING,
	KG_INCOMING,
	KG_BOTH_WAYS
} KgDirection;

extern KgDirection kg_call_direction(const KgInput *in);

/*
 * A selection of relations by name. An inverse name selects the relation in
 * the reverse direction. With all, every relation is selected and n is 0.
 */
typedef struct KgRelationNames
{
	bool all;
	int n;
	char **names;
} KgRelationNames;

/*
 * Returns the name of a relation. Raises KG_UNKNOWN_TYPE if no relation has
 * it.
 */
extern char *kg_call_relation_name(KgGraphCall *call, const JsonbValue *value,
								   const char *path);
/*
 * Returns whether the name is the relation's or its inverse name. Sets
 * *inverse.
 */
extern bool kg_relation_is(const KgRelation *relation, const char *name,
						   bool *inverse);
/*
 * Reads a name, an array of names, or "*". If it is absent, all are selected.
 */
extern KgRelationNames
kg_call_relation_names(KgGraphCall *call, const KgInput *in, const char *key);
/* Reads an array of names. If it is absent or empty, all are selected. */
extern KgRelationNames kg_call_relation_list(KgGraphCall *call,
											 const char *key);
extern void kg_call_follow(KgGraphCall *call, const KgRelationNames *names,
						   KgDirection direction, KgFollow *follow);
/*
 * Returns the only type to which one hop from the type leads, or NULL if there
 * are several types. If from is NULL, the hop may begin at any type.
 */
extern const KgType *kg_follow_leads_to(const KgCatalog *catalog,
										const KgFollow *follow,
										const KgType *from);
/*
 * Returns whether the selection contains the relation, by name or inverse
 * name.
 */
extern bool kg_names_have(const KgRelationNames *names,
						  const KgRelation *relation);
/* Reads a member with filters of edges and sets follow->accept. */
extern void kg_call_edge_filters(KgGraphCall *call,
								 const KgRelationNames *names,
								 const KgInput *in, const char *key,
								 KgFollow *follow);

/* Reads a selector: {label, ids?, filters?}. */
extern void kg_call_selector(KgGraphCall *call, const KgInput *in,
							 const char *label_key, KgSelector *selector);
/* Returns the selector as one filter, with its ids as the first condition. */
extern const KgFilter *kg_selector_filter(const KgSelector *selector);
/*
 * Reads the member "filters" for the types with these ranks (nranks < 0: all
 * types). Returns NULL without filters.
 */
extern KgFilter **kg_call_filters_over(KgGraphCall *call, const KgInput *in,
									   const JsonbContainer *filters,
									   int nranks, const uint16 *ranks);

/* Returns "type:id", or "bundle/type:id" if the type's name is ambiguous. */
extern char *kg_handle(const KgGraph *graph, const KgRef *ref);

#endif /* KG_GRAPH_CALL_H */
