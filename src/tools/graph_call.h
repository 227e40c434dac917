/*
 * graph_call.h
 *	  A call of a graph tool: reading its arguments, and the pieces that the
 *	  GitLab and the BFS-QL vocabularies share.
 *
 *	  Everything is allocated in the memory context that the call begins in,
 *	  but for what a search keeps (query/frontier.h).
 */
#ifndef KG_GRAPH_CALL_H
#define KG_GRAPH_CALL_H

#include "query/arguments.h"
#include "query/filter.h"
#include "query/nodes.h"
#include "query/select.h"
#include "query/traverse.h"
#include "tools/reply.h"

#define KG_DEFAULT_ROWS 30
#define KG_EXPLORE_HOPS 2 /* of explore_neighbors: by default */
#define KG_EXPLORE_MAX_HOPS 3
#define KG_PATH_HOPS 3 /* of find_paths: by default */
#define KG_BFS_MAX_HOPS 5

typedef struct KgGraphCall
{
	const char *tool;
	const Jsonb *arguments;
	const JsonbContainer *args;
	KgGraph *graph;
	const KgCatalog *catalog;
	KgRepairs repairs;
	int64 max_bytes;
	const struct KgFixedTool *fixed;
	bool fits; /* the published input schema */
} KgGraphCall;

/*
 * Begin: the arguments must be an object with no members but the known ones;
 * max_bytes (and max_tokens) are read.
 */
extern void kg_graph_call_begin(KgGraphCall *call, const char *tool,
								const Jsonb *arguments,
								const char *const *known, int nknown);
extern void kg_graph_call_end(KgGraphCall *call);

/* Raise KG_INVALID_INPUT where a member is missing. */
extern void kg_require_member(const JsonbContainer *object, const char *key,
							  const char *path);

/* The type that a member names, or NULL where it is absent. */
extern const KgType *kg_call_type(KgGraphCall *call,
								  const JsonbContainer *object, const char *key,
								  const char *path);
/* Types of an array of names, as ranks; -1 where it is absent. */
extern int kg_call_types(KgGraphCall *call, const JsonbContainer *object,
						 const char *key, const char *path, uint16 **ranks);
/* The same where "*" may stand among the names: *all says whether it does. */
extern int kg_call_types_or_all(KgGraphCall *call, const JsonbContainer *object,
								const char *key, const char *path,
								uint16 **ranks, bool *all);

typedef enum KgDirection
{
	KG_OUTGOING,
	KG_INCOMING,
	KG_BOTH_WAYS
} KgDirection;

extern KgDirection kg_call_direction(const JsonbContainer *object,
									 const char *path, KgDirection dflt);

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

/* A name, an array of names, or "*"; absent means all. */
extern KgRelationNames kg_call_relation_names(KgGraphCall *call,
											  const JsonbContainer *object,
											  const char *key,
											  const char *path);
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
								 const JsonbContainer *object, const char *path,
								 KgFollow *follow);

/* {label, ids?, filters?}: known says which of ids and filters are allowed. */
extern void kg_call_selector(KgGraphCall *call, const JsonbContainer *object,
							 const char *path, const char *label_key,
							 KgSelector *selector);
/* All that it asks for as a filter: its ids as the first condition. */
extern const KgFilter *kg_selector_filter(const KgSelector *selector);
/* Filters over types given as ranks (nranks < 0: all); NULL where absent. */
extern KgFilter **kg_call_filters_over(KgGraphCall *call,
									   const JsonbContainer *object,
									   const char *path, int nranks,
									   const uint16 *ranks);

/* "type:id", or "bundle/type:id" where the type's name is ambiguous. */
extern char *kg_handle(const KgGraph *graph, const KgRef *ref);

/* So many hops, or kg_graph.max_hops where that is lower. */
extern int kg_max_hops(int hops);

/* The argument "limit", and its default: kg_graph.max_rows where that is lower. */
extern int64 kg_call_limit(KgGraphCall *call);
extern int kg_default_rows(void);

#endif /* KG_GRAPH_CALL_H */
