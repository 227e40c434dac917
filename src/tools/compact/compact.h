/*
 * compact.h
 *	  The toolset compact: a few tools with short schemas, which offer the
 *	  functions of the toolsets catalog, graph and bfs (docs/compact.md lists
 *	  which).
 */
#ifndef KG_COMPACT_H
#define KG_COMPACT_H

#include "tools/fixed_tools.h"

extern const KgFixedTool kg_compact_tools[];

/*
 * Run the tools of the toolset. Errors use the names of the arguments as the
 * caller sent them.
 */
extern Jsonb *kg_tool_around(const Jsonb *arguments);
extern Jsonb *kg_tool_connect(const Jsonb *arguments);
extern Jsonb *kg_tool_count(const Jsonb *arguments);
extern Jsonb *kg_tool_find(const Jsonb *arguments);
extern Jsonb *kg_tool_follow(const Jsonb *arguments);
extern Jsonb *kg_tool_get_any(const Jsonb *arguments);
extern Jsonb *kg_tool_schema(const Jsonb *arguments);
extern Jsonb *kg_tool_verify(const Jsonb *arguments);

#endif /* KG_COMPACT_H */
