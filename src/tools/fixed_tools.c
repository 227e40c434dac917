/*
 * fixed_tools.c
 *	  The fixed tools. Each vocabulary (graph, bfs, memory, ...) has a table
 *	  of tools, which ends with an entry without a name.
 */
#include "postgres.h"

#include "base/toolset.h"
#include "model/memory.h"
#include "tools/fixed_tools.h"

#define KG_MAX_VOCABULARIES 8

/* The tables of tools, set at module start and constant afterwards. */
static const KgFixedTool *vocabularies[KG_MAX_VOCABULARIES];
static int nvocabularies = 0;

void
kg_fixed_tools_add(const KgFixedTool *table)
{
	Assert(nvocabularies < KG_MAX_VOCABULARIES);
	vocabularies[nvocabularies++] = table;
}

const KgFixedTool *
kg_fixed_tool(int index)
{
	for (int v = 0; v < nvocabularies; v++)
		for (const KgFixedTool *tool = vocabularies[v]; tool->name; tool++)
			if (index-- == 0)
				return tool;
	return NULL;
}

const KgFixedTool *
kg_fixed_tool_find(const char *name)
{
	for (int v = 0; v < nvocabularies; v++)
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
