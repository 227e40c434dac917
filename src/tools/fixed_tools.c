/*
 * fixed_tools.c
 *	  The fixed tools: one table a vocabulary, ended by an entry without a name.
 */
#include "postgres.h"

#include "base/toolset.h"
#include "catalog/memory.h"
#include "tools/compact.h"
#include "tools/fixed_tools.h"
#include "tools/graph.h"
#include "tools/memory.h"

static const KgFixedTool *const vocabularies[] = {
	kg_graph_tools,
	kg_bfs_tools,
	kg_memory_tools,
	kg_compact_tools,
};

const KgFixedTool *
kg_fixed_tool(int index)
{
	for (int v = 0; v < lengthof(vocabularies); v++)
		for (const KgFixedTool *tool = vocabularies[v]; tool->name; tool++)
			if (index-- == 0)
				return tool;
	return NULL;
}

const KgFixedTool *
kg_fixed_tool_find(const char *name)
{
	for (int v = 0; v < lengthof(vocabularies); v++)
		for (const KgFixedTool *tool = vocabularies[v]; tool->name; tool++)
			if (strcmp(tool->name, name) == 0)
				return tool;
	return NULL;
}

bool
kg_fixed_tool_exists(const KgCatalog *catalog, const KgFixedTool *tool)
{
	KgMemory memory;

	return tool->toolset != KG_TOOLSET_MEMORY ||
		   kg_memory_find(catalog, &memory);
}
