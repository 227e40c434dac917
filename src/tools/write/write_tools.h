/*
 * write_tools.h
 *	  The toolset write: few tools that write all types, and read and undo
 *	  changes.
 */
#ifndef KG_WRITE_TOOLS_H
#define KG_WRITE_TOOLS_H

#include "tools/fixed_tools.h"

extern const KgFixedTool kg_write_tools[];

/*
 * Returns the tool of a type or relation for an operation. Raises KG_FORBIDDEN
 * if the type or relation does not expose it. path: the argument with the name,
 * or NULL.
 */
extern const KgTool *kg_write_exposed(const KgCatalog *catalog,
									  const char *name, int operation,
									  const char *path);

/* Run the tools of the toolset. The arguments name a type or a relation. */
extern Jsonb *kg_tool_create(const Jsonb *arguments);
extern Jsonb *kg_tool_update(const Jsonb *arguments);
extern Jsonb *kg_tool_delete(const Jsonb *arguments);
extern Jsonb *kg_tool_link(const Jsonb *arguments);
extern Jsonb *kg_tool_unlink(const Jsonb *arguments);
extern Jsonb *kg_tool_changes(const Jsonb *arguments);
extern Jsonb *kg_tool_undo(const Jsonb *arguments);

#endif /* KG_WRITE_TOOLS_H */
