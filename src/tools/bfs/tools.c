/*
 * bfs/tools.c
 *	  The table of the BFS-QL tools.
 */
#include "postgres.h"

#include "tools/graph/graph.h"
#include "tools/verify/verify.h"

const KgFixedTool kg_bfs_tools[] = {
	{"bfs_query", KG_TOOLSET_BFS, kg_tool_bfs_query},
	{"describe_entities", KG_TOOLSET_BFS, kg_tool_describe_entities},
	{"describe_entity", KG_TOOLSET_BFS, kg_tool_describe_entity},
	{"describe_schema", KG_TOOLSET_BFS, kg_tool_describe_schema},
	{"intersect_subgraphs", KG_TOOLSET_BFS, kg_tool_intersect_subgraphs},
	{"search_entities", KG_TOOLSET_BFS, kg_tool_search_entities},
	{"verify_claims", KG_TOOLSET_BFS, kg_tool_verify_claims},
	{NULL}};
