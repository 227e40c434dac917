/*
 * allowed.h
 *	  The functions, types and nodes that a query may have.
 *
 *	  Everything that is not on a list is refused.  The lists are compiled in,
 *	  so objects of a database cannot extend them.
 */
#ifndef KG_ASK_ALLOWED_H
#define KG_ASK_ALLOWED_H

#include "nodes/nodes.h"

#include "base/error.h"

/* The bounded values in a call of a function (ask/bound.h). */
typedef enum KgAskBound
{
	KG_ASK_FREE,  /* no bound */
	KG_ASK_VALUE, /* size of the arguments and of the result */
	/*
	 * the bound of the previous value, and a bound of the length of the last
	 * argument
	 */
	KG_ASK_PATTERN,
	KG_ASK_GROWS,	 /* size of the result of a repetition, before it is made */
	KG_ASK_NUMBER,	 /* digits of the arguments and of the result */
	KG_ASK_AGGREGATE /* size of the result */
} KgAskBound;

/* An allowed function. */
typedef struct KgAskFunction
{
	Oid oid;
	/*
	 * a query may call the function by name; false: only by an operator, a
	 * cast or a type
	 */
	bool callable;
	KgAskBound bound;
	const char *signature; /* in the form of regprocedure, without quotes */
} KgAskFunction;

/* The list, in the order of OIDs; function_list.awk makes it of function_list.txt. */
extern const KgAskFunction kg_ask_functions[];
extern const int kg_ask_nfunctions;

/* Returns an allowed function, or NULL. */
extern const KgAskFunction *kg_ask_function(Oid oid);
extern bool kg_ask_function_is_named(const char *name);
extern const char *kg_ask_function_nearest(const char *name);
/*
 * Returns the PostgreSQL expression that replaces a function of another SQL
 * dialect, or NULL.
 */
extern const char *kg_ask_function_instead(const char *name);
/*
 * Returns PostgreSQL's expression for a call of such a function, with $1, $2, ...
 * for the arguments, and @1, ... for formats of dates; NULL without an equivalent.
 */
extern const char *kg_ask_function_pattern(const char *name, int nargs);

extern bool kg_ask_type(Oid oid);
extern bool kg_ask_type_is_named(const char *name);
extern const char *kg_ask_type_nearest(const char *name);

/* Return whether a node is allowed in a raw tree, and in an analysed tree. */
extern bool kg_ask_raw_node(NodeTag tag);
extern bool kg_ask_query_node(NodeTag tag);
/* Returns the SQL name of the construct of a refused node, for errors. */
extern const char *kg_ask_node_name(NodeTag tag);

#endif /* KG_ASK_ALLOWED_H */
