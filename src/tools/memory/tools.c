/*
 * memory/tools.c
 *	  The table of the tools of the toolset memory. Their names, descriptions
 *	  and schemas (tools/schemas/memory.json) are equal to those of
 *	  @modelcontextprotocol/server-memory.
 */
#include "postgres.h"

#include "tools/fixed_tools.h"
#include "tools/memory/memory.h"

static const KgOperation adds = {0};
static const KgOperation forgets = {.destructive = true, .idempotent = true};

const KgFixedTool kg_memory_tools[] = {
	{"add_observations",
	 KG_TOOLSET_MEMORY,
	 kg_tool_add_observations,
	 &adds,
	 "results"},
	{"create_entities",
	 KG_TOOLSET_MEMORY,
	 kg_tool_create_entities,
	 &adds,
	 "entities"},
	{"create_relations",
	 KG_TOOLSET_MEMORY,
	 kg_tool_create_relations,
	 &adds,
	 "relations"},
	{"delete_entities",
	 KG_TOOLSET_MEMORY,
	 kg_tool_delete_entities,
	 &forgets,
	 "message"},
	{"delete_observations",
	 KG_TOOLSET_MEMORY,
	 kg_tool_delete_observations,
	 &forgets,
	 "message"},
	{"delete_relations",
	 KG_TOOLSET_MEMORY,
	 kg_tool_delete_relations,
	 &forgets,
	 "message"},
	{"open_nodes", KG_TOOLSET_MEMORY, kg_tool_open_nodes},
	{"read_graph", KG_TOOLSET_MEMORY, kg_tool_read_graph},
	{"search_nodes", KG_TOOLSET_MEMORY, kg_tool_search_nodes},
	{NULL}};
