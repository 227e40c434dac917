/*
 * explain.h
 *	  What a tool call compiles to.
 */
#ifndef KG_EXPLAIN_H
#define KG_EXPLAIN_H

#include "query/run/running.h"
#include "utils/jsonb.h"

/*
 * Call a tool in this call and answer {tool, ast, estimate?, statements: [{sql, parameters,
 * plan}]}: the arguments as they were understood, what a search was estimated
 * to cost (query/graph/cost.h), and each statement that ran, with
 * the types of its parameters and its plan.  Never a value in the SQL.
 */
extern Jsonb *kg_tools_explain(KgCall *call, const char *name,
							   const Jsonb *arguments);

#endif /* KG_EXPLAIN_H */
