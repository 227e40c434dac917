/*
 * ask.h
 *	  A query: one SELECT over the caller's types and relations as tables.
 *
 *	  The server's parser parses the text.  The raw tree is checked by name
 *	  (raw.c) and analysed, with the types and relations as named tuplestores
 *	  (tables.c).  The analysed tree is checked by OID (query.c).  Sub-selects
 *	  then replace the tuplestores (tables.c), and the tree is planned (plan.c)
 *	  and run (run.c).  The text itself is never run.
 *
 *	  All results are allocated in the memory context that is current when
 *	  the call begins.
 */
#ifndef KG_ASK_H
#define KG_ASK_H

#include "model/catalog.h"
#include "nodes/params.h"
#include "nodes/parsenodes.h"

/* Maximum number of parameters of a query. */
#define KG_ASK_PARAMS 64

typedef struct KgAsk
{
	/* arguments of the call */
	const char *sql;
	const JsonbContainer *params; /* an array, or NULL */
	int64 limit;				  /* rows */
	/* maximum length in bytes of all rows as JSON */
	int64 max_bytes;
	bool explain; /* also return the plan */
	/* true: only find the tables, do not analyse their views */
	bool names_only;
	/* State of the preparation: */
	const KgCatalog *catalog;
	int nctes;
	List *tables; /* List of KgAskTable *: the tables that the query names */
	List *calls;  /* List of FuncCall *: table functions (ask/calls.h) */
	/* true: edges are read without testing that their ends are visible */
	bool whole;
	struct QueryEnvironment *environment;
	int ntypes; /* number of elements of types */
	Oid *types; /* types of the parameters, inferred by the analysis */
	ParamListInfo values;
	/* The result: */
	List *columns; /* List of char *: names of the columns */
	/* List of char *: types of the columns, as format_type() prints them */
	List *column_types;
	List *rows; /* List of Jsonb *: each row is an array */
	/* name of the limit that left rows out, or NULL */
	const char *stopped;
	List *plan; /* List of char *: lines of the plan, or NIL */
	/*
	 * size in bytes of the first row, if this row alone exceeds max_bytes;
	 * otherwise 0
	 */
	Size needed;
} KgAsk;

/*
 * Runs a query and stores its result in ask. Raises KG_INVALID_INPUT at /sql,
 * KG_TIMEOUT, KG_LIMIT_EXCEEDED.
 */
extern void kg_ask(KgAsk *ask);

/*
 * kg_ask_check_names() and kg_ask_prepare() check a statement over the tables
 * of ask->catalog without running it. They raise the errors that kg_ask() would
 * raise about the statement.
 *
 * kg_ask_check_names() only parses the text and finds the tables that it names.
 * It reads no table of the database. kg_ask_prepare() also infers the types of
 * the parameters.
 */
extern void kg_ask_check_names(KgAsk *ask);
extern void kg_ask_prepare(KgAsk *ask);

#endif /* KG_ASK_H */
