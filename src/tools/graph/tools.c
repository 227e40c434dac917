/*
 * graph/tools.c
 *	  The table of the GitLab query language's tools.
 */
#include "postgres.h"

#include "tools/graph/graph.h"

const KgFixedTool kg_graph_tools[] = {
	{"aggregate_nodes", KG_TOOLSET_GRAPH, kg_tool_aggregate_nodes},
	{"analyze", KG_TOOLSET_GRAPH, kg_tool_analyze},
	{"explore_neighbors", KG_TOOLSET_GRAPH, kg_tool_explore_neighbors},
	{"find_nodes", KG_TOOLSET_GRAPH, kg_tool_find_nodes},
	{"find_paths", KG_TOOLSET_GRAPH, kg_tool_find_paths},
	{"get_graph_schema", KG_TOOLSET_GRAPH, kg_tool_get_graph_schema},
	{"rank_related", KG_TOOLSET_GRAPH, kg_tool_rank_related},
	{"traverse_relationships",
	 KG_TOOLSET_GRAPH,
	 kg_tool_traverse_relationships},
	{NULL}};
