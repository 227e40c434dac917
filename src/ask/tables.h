/*
 * tables.h
 *	  The tables of a query: the caller's types and relations.
 *
 *	  A table is defined by the text of a view (store/view_sql.h), and is no
 *	  object in PostgreSQL's catalog. For the parser it is a named tuplestore.
 *	  After the analysis, the analysed view replaces the tuplestore. Names of
 *	  CTEs are recorded as tuplestores, too. So the parser finds every name as
 *	  a tuplestore, even outside the scope of a CTE, and never looks in the
 *	  catalog.
 */
#ifndef KG_ASK_TABLES_H
#define KG_ASK_TABLES_H

#include "ask/ask.h"

/*
 * Records that the query has a CTE with this name. Outside the scope of the
 * CTE, the name denotes the type or relation with this name, if it exists.
 */
extern void kg_ask_cte_note(KgAsk *ask, const char *name);
extern bool kg_ask_is_cte(const KgAsk *ask, const char *name);

/*
 * Finds the type or relation that a RangeVar names. If no name matches
 * exactly, names are compared without regard to case. Records the type or
 * relation, and changes the RangeVar to its full name. Raises KG_UNKNOWN_TYPE
 * if the caller sees no such type or relation, and KG_INVALID_INPUT if it sees
 * several.
 */
extern void kg_ask_table_note(KgAsk *ask, RangeVar *table);

/* Raises KG_UNKNOWN_TYPE. The error lists the caller's tables. */
extern KG_NORETURN void kg_ask_table_unknown(const KgAsk *ask, const char *name,
											 int location);

/*
 * Returns the analysed view of a recorded table. Returns NULL if the name is
 * only the name of a CTE.
 */
extern Query *kg_ask_table_query(const KgAsk *ask, const char *name);
/*
 * Returns the analysed view of a recorded table of a type; its first column is
 * the key. Returns NULL for the table of a relation or the name of a CTE.
 */
extern Query *kg_ask_keyed_query(const KgAsk *ask, const char *name);

/* Replaces the tables of a checked query by the analysed views. */
extern void kg_ask_tables_plant(KgAsk *ask, Query *query);

/*
 * Raises KG_CONFLICT if the plan reads edges without testing that their ends
 * are visible, and the caller no longer sees all entities.
 */
extern void kg_ask_tables_require(const KgAsk *ask);

/* Returns the names of all columns of the recorded tables. */
extern List *kg_ask_columns(const KgAsk *ask);

/*
 * Returns the types (const KgType *) of the recorded tables, and the types
 * that the recorded relations connect.
 */
extern List *kg_ask_types(const KgAsk *ask);

#endif /* KG_ASK_TABLES_H */
