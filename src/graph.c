/*
 * graph.c
 *	  SQL functions of the graph tools. Each function accepts and returns the
 *	  JSON of the tool with the same name (tools/graph_*.c, tools/bfs_*.c).
 */
#include "postgres.h"

#include "entry.h"
#include "fmgr.h"
#include "ask/bound.h"
#include "base/json.h"
#include "tools/graph/graph.h"
#include "tools/sql/query.h"
#include "tools/sql/rows.h"
#include "tools/verify/verify.h"
#include "tools/write/write_tools.h"
#include "utils/builtins.h"

#define KG_TOOL_FUNCTION(sql_name, tool)   \
	KG_ENTRY(sql_name, KG_AUDIT_READS)     \
	{                                      \
		return tool(PG_GETARG_JSONB_P(0)); \
	}                                      \
	extern int no_such_variable

KG_TOOL_FUNCTION(kg_sql_graph_schema, kg_tool_get_graph_schema);
KG_TOOL_FUNCTION(kg_sql_find_nodes, kg_tool_find_nodes);
KG_TOOL_FUNCTION(kg_sql_traverse, kg_tool_traverse_relationships);
KG_TOOL_FUNCTION(kg_sql_neighbors, kg_tool_explore_neighbors);
KG_TOOL_FUNCTION(kg_sql_describe_schema, kg_tool_describe_schema);
KG_TOOL_FUNCTION(kg_sql_search, kg_tool_search_entities);
KG_TOOL_FUNCTION(kg_sql_bfs, kg_tool_bfs_query);
KG_TOOL_FUNCTION(kg_sql_describe, kg_tool_describe_entity);
KG_TOOL_FUNCTION(kg_sql_describe_many, kg_tool_describe_entities);
KG_TOOL_FUNCTION(kg_sql_intersect, kg_tool_intersect_subgraphs);
KG_TOOL_FUNCTION(kg_sql_paths, kg_tool_find_paths);
KG_TOOL_FUNCTION(kg_sql_aggregate, kg_tool_aggregate_nodes);
KG_TOOL_FUNCTION(kg_sql_rank, kg_tool_rank_related);
KG_TOOL_FUNCTION(kg_sql_analyze, kg_tool_analyze);
KG_TOOL_FUNCTION(kg_sql_verify, kg_tool_verify_claims);
KG_TOOL_FUNCTION(kg_sql_query, kg_tool_query);

KG_ENTRY(kg_sql_duplicates, KG_AUDIT_READS)
{
	JsonbValue type = kg_json_string_value(
		text_to_cstring(PG_GETARG_TEXT_PP(0)));

	return kg_tool_duplicates(
		kg_json_with(PG_GETARG_JSONB_P(1), "type", &type));
}

PG_FUNCTION_INFO_V1(kg_sql_query_bounded);

Datum
kg_sql_query_bounded(PG_FUNCTION_ARGS)
{
	return kg_ask_call_bounded(fcinfo);
}

/* Functions that a query uses in place of tables. */
#define KG_TABLE_FUNCTION(sql_name, body)                    \
	PG_FUNCTION_INFO_V1(sql_name);                           \
	Datum sql_name(PG_FUNCTION_ARGS)                         \
	{                                                        \
		Datum rows = kg_entry(fcinfo, KG_AUDIT_READS, body); \
                                                             \
		kg_rows_put(fcinfo, DatumGetJsonbP(rows));           \
		return (Datum) 0;                                    \
	}                                                        \
	extern int no_such_variable

KG_TABLE_FUNCTION(kg_sql_query_search, kg_rows_search);
KG_TABLE_FUNCTION(kg_sql_query_neighbors, kg_rows_neighbors);
KG_TABLE_FUNCTION(kg_sql_query_reach, kg_rows_reach);
KG_TABLE_FUNCTION(kg_sql_query_path, kg_rows_path);
