/*
 * fixed_tools.h
 *	  The fixed tools. Each vocabulary (graph, bfs, memory, ...) has a table
 *	  of its tools.
 */
#ifndef KG_FIXED_TOOLS_H
#define KG_FIXED_TOOLS_H

#include "base/toolset.h"
#include "model/catalog.h"
#include "utils/jsonb.h"

/*
 * A fixed tool, an entry in the table of its vocabulary (graph, bfs, memory).
 * Its title, description and schemas are in tools/schemas.
 */
typedef struct KgFixedTool
{
	const char *name; /* name of the tool, such as "find_nodes" */
	int toolset;	  /* toolsets that contain the tool, a bit for each */
	/*
	 * Runs the tool. It validates the arguments against the input schema
	 * (tools/input/published.h).
	 */
	Jsonb *(*call)(const Jsonb *arguments);
	const KgOperation
		*writes; /* operations by which the tool writes, or NULL */
	/*
	 * member of the reply that becomes the text of the result; NULL: the text
	 * is the whole reply
	 */
	const char *text;
	/*
	 * another tool that includes the function of this tool; if that tool is
	 * listed, this tool is not listed
	 */
	const char *within;
} KgFixedTool;

/*
 * Adds a table of tools, which ends with an entry without a name. Called at
 * module start (tools/vocabularies.c). Tools are listed in the order of the
 * calls.
 */
extern void kg_fixed_tools_add(const KgFixedTool *table);

/* Returns the fixed tool with this name, or NULL. */
extern const KgFixedTool *kg_fixed_tool_find(const char *name);

/*
 * Returns whether the tool exists in the catalog. Tools of the toolset memory
 * exist only with the bundle of the memory.
 */
extern bool kg_fixed_tool_exists(const KgCatalog *catalog,
								 const KgFixedTool *tool);

/*
 * Returns the fixed tool at an index, counted through all tables. Returns NULL
 * after the last tool.
 */
extern const KgFixedTool *kg_fixed_tool(int index);

#endif /* KG_FIXED_TOOLS_H */
