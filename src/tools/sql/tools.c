/*
 * tools.c
 *	  The table of the toolset sql.
 *
 * The tools schema and verify also belong to the toolset compact.
 */
#include "postgres.h"

#include "tools/graph/graph.h"
#include "tools/sql/query.h"

const KgFixedTool kg_sql_tools[] = {
	{"query", KG_TOOLSET_SQL, kg_tool_query},
	{"search", KG_TOOLSET_SQL, kg_tool_search, .within = "find"},
	{NULL}};
