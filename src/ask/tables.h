/*
 * tables.h
 *	  The tables of a query: the caller's types and relations.
 *
 *	  A table has the text of a view (store/view_sql.h), and no object of the
 *	  catalog: the parser takes it for a named tuplestore, which its own rules of
 *	  names find, and the analysed view takes the place of that.  The parser
 *	  never looks for a name in the catalog: names of CTEs are tuplestores, too,
 *	  for references out of the reach of the CTE.
 */
#ifndef KG_ASK_TABLES_H
#define KG_ASK_TABLES_H

#include "ask/ask.h"

/*
 * Notes that the query has a CTE of the name.  Out of the reach of the CTE the
 * name is a table's, if there is one.
 */
extern void kg_ask_cte_note(KgAsk *ask, const char *name);
extern bool kg_ask_is_cte(const KgAsk *ask, const char *name);

/*
 * Finds the table that is named, exactly or else without regard to case, and
 * makes the name the table's own.  Raises KG_UNKNOWN_TYPE for one that the
 * caller does not see.
 */
extern void kg_ask_table_note(KgAsk *ask, RangeVar *table);

/* Raises that there is no such table. */
extern KG_NORETURN void kg_ask_table_unknown(const KgAsk *ask, const char *name,
											 int location) KG_NORETURN_TAIL;

/* Returns the analysed view of a table that was noted; NULL for a CTE's name. */
extern Query *kg_ask_table_query(const KgAsk *ask, const char *name);
/* Like it for a type's table, whose first column is its key; otherwise NULL. */
extern Query *kg_ask_keyed_query(const KgAsk *ask, const char *name);

/* Puts the views in the place of the tables of a query that was checked. */
extern void kg_ask_tables_plant(KgAsk *ask, Query *query);

/*
 * Raises KG_CONFLICT if the caller does not see all entities any more, and
 * edges would be read without a test of their ends.
 */
extern void kg_ask_tables_require(const KgAsk *ask);

/* Returns the names of all columns of the tables that were noted. */
extern List *kg_ask_columns(const KgAsk *ask);

/*
 * Returns the types (const KgType *) whose entities the tables that were noted
 * have, or connect.
 */
extern List *kg_ask_types(const KgAsk *ask);

#endif /* KG_ASK_TABLES_H */
