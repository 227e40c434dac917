/*
 * fixed_tools.h
 *	  The fixed tools: one table a vocabulary.
 */
#ifndef KG_FIXED_TOOLS_H
#define KG_FIXED_TOOLS_H

#include "base/toolset.h"
#include "model/catalog.h"
#include "utils/jsonb.h"

/* A fixed tool; each vocabulary (graph, bfs, memory) has a table. */
typedef struct KgFixedTool
{
	const char *name; /* tool name: "find_nodes" */
	int toolset;	  /* or several */
	const char *title;
	const char *description;
	/*
	 * Templates (tools/input/schema_template.h) of the JSON Schemas of its arguments,
	 * which are read by it too (tools/input/input.h), and of its reply.
	 */
	const char *input;
	const char *output;
	/* validates arguments against input (tools/input/published.h) */
	Jsonb *(*call)(const Jsonb *arguments);
	const KgOperation *writes; /* how, or NULL */
	const char
		*text; /* the member of its reply that is its text, or NULL: all */
} KgFixedTool;

/*
 * Adds a table of tools, which ends with an entry without a name; called at
 * module start (tools/vocabularies.c), in the order in which tools are listed.
 */
extern void kg_fixed_tools_add(const KgFixedTool *table);

/* The fixed tool of a name, or NULL. */
extern const KgFixedTool *kg_fixed_tool_find(const char *name);

/* Is it there?  The toolset memory is over a bundle. */
extern bool kg_fixed_tool_exists(const KgCatalog *catalog,
								 const KgFixedTool *tool);

/* Fixed tools by index, in the order of the tables; NULL past the last. */
extern const KgFixedTool *kg_fixed_tool(int index);

#endif /* KG_FIXED_TOOLS_H */
