/*
 * graph/call.h
 *	  A call of a graph tool: reading its arguments, and the pieces that the
 *	  GitLab and the BFS-QL vocabularies share.
 *
 *	  Everything is allocated in the memory context that the call begins in,
 *	  but for what a search keeps (query/graph/frontier.h).
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
	KgShownColumns columns; /* where the tool has them */
	const struct KgFixedTool *fixed;
} KgGraphCall;

/* Begin: opens the input by the tool's schema, and reads max_bytes. */
extern void kg_graph_call_begin(KgGraphCall *call, const char *tool,
								const Jsonb *arguments);
extern void kg_graph_call_end(KgGraphCall *call);

/* The type that a member names, or NULL where it is absent. */
extern const KgType *kg_call_type(KgGraphCall *call, const KgInput *in,
								  const char *key);
/* Types of an array of names, as ranks; -1 where it is absent. */
extern int kg_call_types(KgGraphCall *call, const char *key, uint16 **ranks);
/* The same where "*" may stand among the names: *all says whether it does. */
extern int kg_call_types_or_all(KgGraphCall *call, const char *key,
								uint16 **ranks, bool *all);
/* Such an array as a set, by rank; NULL where it is absent or empty. */
extern bool *kg_call_type_set(KgGraphCall *call, const char *key);

/* As in the enum of "direction". */
typedef enum KgDirection
{
	KG_OUTGOING,
	KG_INCOMING,
	KG_BOTH_WAYS
} KgDirection;

extern KgDirection kg_call_direction(const KgInput *in);

/*
 * Relation names; an inverse name asks its relation backwards.  count 0 with
 * all: every relation.
 */
typedef struct KgRelationNames
{
	bool all;
	int n;
	char **names;
} KgRelationNames;

/* One name; raises KG_UNKNOWN_TYPE where it is none. */
extern char *kg_call_relation_name(KgGraphCall *call, const JsonbValue *value,
								   const char *path);
/* Is that the relation's name, or its inverse? */
extern bool kg_relation_is(const KgRelation *relation, const char *name,
						   bool *inverse);
/* A name, an array of names, or "*"; absent means all. */
extern KgRelationNames
kg_call_relation_names(KgGraphCall *call, const KgInput *in, const char *key);
/* An array of names among the arguments; absent or empty means all. */
extern KgRelationNames kg_call_relation_list(KgGraphCall *call,
											 const char *key);
extern void kg_call_follow(KgGraphCall *call, const KgRelationNames *names,
						   KgDirection direction, KgFollow *follow);
/* Does the selection contain the relation (by its name or its inverse)? */
extern bool kg_names_have(const KgRelationNames *names,
						  const KgRelation *relation);
/* Edge filters of the member "filters": sets follow->accept. */
extern void kg_call_edge_filters(KgGraphCall *call,
								 const KgRelationNames *names,
								 const KgInput *in, KgFollow *follow);

/* {label, ids?, filters?} */
extern void kg_call_selector(KgGraphCall *call, const KgInput *in,
							 const char *label_key, KgSelector *selector);
/* All that it asks for as a filter: its ids as the first condition. */
extern const KgFilter *kg_selector_filter(const KgSelector *selector);
/* Filters over types given as ranks (nranks < 0: all); NULL where absent. */
extern KgFilter **kg_call_filters_over(KgGraphCall *call, const KgInput *in,
									   int nranks, const uint16 *ranks);

/* "type:id", or "bundle/type:id" where the type's name is ambiguous. */
extern char *kg_handle(const KgGraph *graph, const KgRef *ref);

#endif /* KG_GRAPH_CALL_H */
