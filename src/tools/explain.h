/*
 * explain.h
 *	  Reports how a tool call is executed, for kg_explain().
 */
#ifndef KG_EXPLAIN_H
#define KG_EXPLAIN_H

#include "query/run/running.h"
#include "utils/jsonb.h"

/*
 * Runs a tool within this call and returns {tool, ast, estimate?, statements:
 * [{sql, parameters, plan}]}. ast has the normalized arguments. estimate has
 * the estimated cost of a search (query/graph/cost.h). Each executed statement
 * is listed with the types of its parameters and its plan. The SQL contains no
 * values.
 */
extern Jsonb *kg_tools_explain(KgCall *call, const char *name,
							   const Jsonb *arguments);

#endif /* KG_EXPLAIN_H */
