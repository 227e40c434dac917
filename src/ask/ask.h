/*
 * ask.h
 *	  A query: one SELECT over the caller's types and relations as tables.
 *
 *	  The text is parsed by the server; the raw tree is checked by name
 *	  (raw.c), analysed with the tables as named tuplestores (tables.c), the
 *	  analysed tree is checked by OID (query.c), the tables become sub-selects
 *	  in it (tables.c), and that tree is planned (plan.c) and run (run.c).  The
 *	  text itself is never run.
 *
 *	  Everything is allocated in the memory context that the call begins in.
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
	/* of the call */
	const char *sql;
	const JsonbContainer *params; /* an array, or NULL */
	int64 limit;				  /* rows */
	int64 max_bytes;			  /* of them as JSON */
	bool explain;				  /* the plan is requested, too */
	bool names_only;			  /* tables are found, and not analysed */
	/* while it is made ready */
	const KgCatalog *catalog;
	int nctes;
	List *tables; /* of KgAskTable *: those that are named */
	List *calls;  /* of FuncCall *: functions that stand for tables */
	bool whole;	  /* edges are read without a test of their ends */
	struct QueryEnvironment *environment;
	int ntypes; /* of parameters, as they are used */
	Oid *types;
	ParamListInfo values;
	/* the answer */
	List *columns;		 /* of char *: names */
	List *column_types;	 /* of char *: as format_type() has them */
	List *rows;			 /* of Jsonb *: arrays */
	const char *stopped; /* the bound that leaves out rows, or NULL */
	List *plan;			 /* of char *: lines, or NIL */
	Size needed;		 /* bytes of a first row that has no room, or 0 */
} KgAsk;

/* Answers a query.  Raises KG_INVALID_INPUT at /sql, KG_TIMEOUT, KG_LIMIT_EXCEEDED. */
extern void kg_ask(KgAsk *ask);

/*
 * Check a statement without running it, over the tables of ask->catalog.  They
 * raise what kg_ask() would raise of the statement.  kg_ask_check_names() parses
 * it and finds its tables, which touches only memory; kg_ask_prepare() sets the
 * types of parameters.
 */
extern void kg_ask_check_names(KgAsk *ask);
extern void kg_ask_prepare(KgAsk *ask);

#endif /* KG_ASK_H */
