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

/*
 * How kg_query_bounded() (ask/bound.h) limits the values in a call of a
 * function.
 */
typedef enum KgAskBound
{
	KG_ASK_FREE,  /* no bound */
	KG_ASK_VALUE, /* limits the size of the arguments and of the result */
	/*
	 * limits as KG_ASK_VALUE does, and also limits the length of the last
	 * argument, which is a pattern
	 */
	KG_ASK_PATTERN,
	/*
	 * for repeat(), lpad() and rpad(): limits the sizes as KG_ASK_VALUE does,
	 * but computes the size of the result before the call
	 */
	KG_ASK_GROWS,
	/* limits the number of digits of the arguments and of the result */
	KG_ASK_NUMBER,
	KG_ASK_AGGREGATE /* limits the size of the result */
} KgAskBound;

/* An allowed function. */
typedef struct KgAskFunction
{
	Oid oid;
	/*
	 * true: a query may call the function by name; false: it may use the
	 * function only through an operator, a cast or a type
	 */
	bool callable;
	KgAskBound bound;
	/* signature in the form that regprocedure prints, without quotes */
	const char *signature;
} KgAskFunction;

/*
 * The allowed functions, ordered by OID. function_list.awk generates the array
 * from function_list.txt.
 */
extern const KgAskFunction kg_ask_functions[];
extern const int kg_ask_nfunctions;

/*
 * Returns the entry of an allowed function, or NULL if the function is not
 * allowed.
 */
extern const KgAskFunction *kg_ask_function(Oid oid);
extern bool kg_ask_function_is_named(const char *name);
extern const char *kg_ask_function_nearest(const char *name);
/*
 * Returns the PostgreSQL expression that can replace a function of another SQL
 * dialect. Returns NULL if the name is not that of such a function.
 */
extern const char *kg_ask_function_instead(const char *name);
/*
 * Returns PostgreSQL's expression for a call of a function of another SQL
 * dialect. In the expression, $1, $2, ... stand for the arguments, and @1, ...
 * for arguments that are formats of dates. Returns NULL if there is no
 * equivalent.
 */
extern const char *kg_ask_function_pattern(const char *name, int nargs);

extern bool kg_ask_type(Oid oid);
extern bool kg_ask_type_is_named(const char *name);
extern const char *kg_ask_type_nearest(const char *name);

/*
 * kg_ask_raw_node() returns whether a node is allowed in a raw parse tree, and
 * kg_ask_query_node() whether it is allowed in an analysed tree.
 */
extern bool kg_ask_raw_node(NodeTag tag);
extern bool kg_ask_query_node(NodeTag tag);
/*
 * Returns the SQL name of the construct that a refused node stands for. Errors
 * show this name.
 */
extern const char *kg_ask_node_name(NodeTag tag);

#endif /* KG_ASK_ALLOWED_H */
