/*
 * rows.h
 *	  The table functions of a query: search(), neighbors(),
 *	  reach() and path().
 */
#ifndef KG_TOOLS_ROWS_H
#define KG_TOOLS_ROWS_H

#include "fmgr.h"
#include "query/run/running.h"
#include "utils/jsonb.h"

/*
 * These functions run a tool as the caller, at the instant of the query, with
 * the arguments of an SQL function. Each returns a JSON array of rows, which
 * are arrays.
 */
extern Jsonb *kg_rows_search(FunctionCallInfo fcinfo, KgCall *call);
extern Jsonb *kg_rows_neighbors(FunctionCallInfo fcinfo, KgCall *call);
extern Jsonb *kg_rows_reach(FunctionCallInfo fcinfo, KgCall *call);
extern Jsonb *kg_rows_path(FunctionCallInfo fcinfo, KgCall *call);

/* Fills the result of a set-returning function with an array of rows. */
extern void kg_rows_put(FunctionCallInfo fcinfo, const Jsonb *rows);

#endif /* KG_TOOLS_ROWS_H */
