/*
 * rows.h
 *	  The table functions of a query: search(), neighbors(), reach() and
 *	  path().
 */
#ifndef KG_TOOLS_ROWS_H
#define KG_TOOLS_ROWS_H

#include "fmgr.h"
#include "query/run/running.h"
#include "utils/jsonb.h"

/*
 * These functions run a tool with the arguments of an SQL function, as the
 * caller and at the instant of the query. Each returns a JSON array of rows,
 * which are arrays of columns.
 */
extern Jsonb *kg_rows_search(FunctionCallInfo fcinfo, KgCall *call);
extern Jsonb *kg_rows_neighbors(FunctionCallInfo fcinfo, KgCall *call);
extern Jsonb *kg_rows_reach(FunctionCallInfo fcinfo, KgCall *call);
extern Jsonb *kg_rows_path(FunctionCallInfo fcinfo, KgCall *call);

/* Stores an array of rows as the result of a set-returning function. */
extern void kg_rows_put(FunctionCallInfo fcinfo, const Jsonb *rows);

#endif /* KG_TOOLS_ROWS_H */
