/*
 * fixed_tools.h
 *	  The fixed tools: one table for each vocabulary.
 */
#ifndef KG_FIXED_TOOLS_H
#define KG_FIXED_TOOLS_H

#include "base/toolset.h"
#include "model/catalog.h"
#include "utils/jsonb.h"

/*
 * A fixed tool; each vocabulary (graph, bfs, memory) has a table. Its title,
 * description and schemas are in tools/schemas.
 */
typedef struct KgFixedTool
{
	const char *name; /* tool name: "find_nodes" */
	int toolset;	  /* one or several bits */
	/* validates arguments against the input schema (tools/input/published.h) */
	Jsonb *(*call)(const Jsonb *arguments);
	const KgOperation
		*writes;		/* operations that the tool writes with, or NULL */
	const char *text;	/* member with the text of the result; NULL: all */
	const char *within; /* a listed tool that does the same; this one is then
						 * not listed */
} KgFixedTool;

/*
 * Adds a table of tools, which ends with an entry without a name; called at
 * module start (tools/vocabularies.c), in the order in which tools are listed.
 */
extern void kg_fixed_tools_add(const KgFixedTool *table);

/* Returns the fixed tool of a name, or NULL. */
extern const KgFixedTool *kg_fixed_tool_find(const char *name);

/* Returns whether the tool exists; the toolset memory requires its bundle. */
extern bool kg_fixed_tool_exists(const KgCatalog *catalog,
								 const KgFixedTool *tool);

/*
 * Returns the fixed tool at an index, in the order of the tables, or NULL
 * after the last.
 */
extern const KgFixedTool *kg_fixed_tool(int index);

#endif /* KG_FIXED_TOOLS_H */
