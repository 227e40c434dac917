/*
 * query.h
 *	  The toolset sql: its table of tools and the tool "query".
 */
#ifndef KG_TOOLS_QUERY_H
#define KG_TOOLS_QUERY_H

#include "tools/fixed_tools.h"

extern const KgFixedTool kg_sql_tools[];

/*
 * Runs one SELECT over the caller's types and relations (ask/ask.h), and
 * returns the reply.
 */
extern Jsonb *kg_tool_query(const Jsonb *arguments);

#endif /* KG_TOOLS_QUERY_H */
