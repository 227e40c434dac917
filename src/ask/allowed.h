/*
 * allowed.h
 *	  The functions, types and nodes of a query.
 *
 *	  Everything that is not on a list is refused.  The lists are compiled in:
 *	  nothing that a database has can add to them.
 */
#ifndef KG_ASK_ALLOWED_H
#define KG_ASK_ALLOWED_H

#include "nodes/nodes.h"

#include "base/error.h"

/* The bounds of a call of the function (ask/bound.h). */
typedef enum KgAskBound
{
	KG_ASK_FREE,	 /* nothing */
	KG_ASK_VALUE,	 /* its arguments and its result */
	KG_ASK_PATTERN,	 /* the length of its last argument, too */
	KG_ASK_GROWS,	 /* how often its first argument is repeated */
	KG_ASK_NUMBER,	 /* the digits of its arguments and its result */
	KG_ASK_AGGREGATE /* its result */
} KgAskBound;

typedef struct KgAskFunction
{
	Oid oid;
	bool callable; /* by its name; else by an operator, a cast or a type */
	KgAskBound bound;
	const char *signature; /* as regprocedure has it, without quotes */
} KgAskFunction;

/* Returns NULL for one that is not allowed. */
extern const KgAskFunction *kg_ask_function(Oid oid);
extern bool kg_ask_function_is_named(const char *name);
extern const char *kg_ask_function_nearest(const char *name);
/* Returns what PostgreSQL has for a function of another dialect, or NULL. */
extern const char *kg_ask_function_instead(const char *name);

extern bool kg_ask_type(Oid oid);
extern bool kg_ask_type_is_named(const char *name);
extern const char *kg_ask_type_nearest(const char *name);

/* Nodes of a tree as the parser makes it, and as the analysis does. */
extern bool kg_ask_raw_node(NodeTag tag);
extern bool kg_ask_query_node(NodeTag tag);
/* Returns how the construct of a node that is not allowed is called. */
extern const char *kg_ask_node_name(NodeTag tag);

#endif /* KG_ASK_ALLOWED_H */
