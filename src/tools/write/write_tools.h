/*
 * write_tools.h
 *	  The toolset write: a few tools that write all types, and that read and
 *	  undo changes.
 */
#ifndef KG_WRITE_TOOLS_H
#define KG_WRITE_TOOLS_H

#include "tools/fixed_tools.h"

extern const KgFixedTool kg_write_tools[];

/* Run the tools of the toolset. An argument names the type or the relation. */
extern Jsonb *kg_tool_create(const Jsonb *arguments);
extern Jsonb *kg_tool_update(const Jsonb *arguments);
extern Jsonb *kg_tool_delete(const Jsonb *arguments);
extern Jsonb *kg_tool_merge(const Jsonb *arguments);
extern Jsonb *kg_tool_link(const Jsonb *arguments);
extern Jsonb *kg_tool_unlink(const Jsonb *arguments);
extern Jsonb *kg_tool_duplicates(const Jsonb *arguments);
extern Jsonb *kg_tool_changes(const Jsonb *arguments);
extern Jsonb *kg_tool_undo(const Jsonb *arguments);

#endif /* KG_WRITE_TOOLS_H */
