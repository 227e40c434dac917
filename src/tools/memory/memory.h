/*
 * memory.h
 *	  The toolset memory: the nine tools of the reference MCP server "memory",
 *	  which store their data in the bundle "memory".
 */
#ifndef KG_TOOLS_MEMORY_H
#define KG_TOOLS_MEMORY_H

#include "tools/fixed_tools.h"
#include "tools/input/input.h"

extern const KgFixedTool kg_memory_tools[];

extern Jsonb *kg_tool_create_entities(const Jsonb *arguments);
extern Jsonb *kg_tool_create_relations(const Jsonb *arguments);
extern Jsonb *kg_tool_add_observations(const Jsonb *arguments);
extern Jsonb *kg_tool_delete_entities(const Jsonb *arguments);
extern Jsonb *kg_tool_delete_observations(const Jsonb *arguments);
extern Jsonb *kg_tool_delete_relations(const Jsonb *arguments);
extern Jsonb *kg_tool_read_graph(const Jsonb *arguments);
extern Jsonb *kg_tool_search_nodes(const Jsonb *arguments);
extern Jsonb *kg_tool_open_nodes(const Jsonb *arguments);

/*
 * Returns the whole graph of the memory, within the byte budget of a reply. It
 * is the content of an MCP resource.
 */
extern Jsonb *kg_memory_graph(void);

/* Returns a member that is an array of strings, and sets *n to their number. */
extern const char **kg_memory_strings(const KgInput *in, const char *key,
									  int *n);

#endif /* KG_TOOLS_MEMORY_H */
