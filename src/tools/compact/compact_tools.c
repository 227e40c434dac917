/*
 * compact_tools.c
 *	  The table of the compact tools.
 *
 * The list of tools costs tokens in every conversation. So a schema describes
 * only the arguments that a first call needs, and the error for a wrong call
 * describes the others. A compact tool calls another tool, which validates the
 * arguments (tools/compact/compact.c).
 */
#include "postgres.h"

#include "tools/compact/compact.h"

const KgFixedTool kg_compact_tools[] = {
	{"around", KG_TOOLSET_COMPACT, kg_tool_around},
	{"connect", KG_TOOLSET_COMPACT, kg_tool_connect},
	{"count", KG_TOOLSET_COMPACT, kg_tool_count},
	{"find", KG_TOOLSET_COMPACT | KG_TOOLSET_WRITE, kg_tool_find},
	{"follow", KG_TOOLSET_COMPACT, kg_tool_follow},
	{"get", KG_TOOLSET_COMPACT | KG_TOOLSET_WRITE, kg_tool_get_any},
	{"schema",
	 KG_TOOLSET_COMPACT | KG_TOOLSET_BY_NAME,
	 kg_tool_schema,
	 .text = "schema"},
	{"verify", KG_TOOLSET_COMPACT | KG_TOOLSET_SQL, kg_tool_verify},
	{NULL}};
