/*
 * fixed_tools.h
 *	  The fixed tools: one table a vocabulary.
 */
#ifndef KG_FIXED_TOOLS_H
#define KG_FIXED_TOOLS_H

#include "tools/dispatch.h"

/* The fixed tool of a name, or NULL. */
extern const KgFixedTool *kg_fixed_tool_find(const char *name);

/* Is it there?  The toolset memory is over a bundle. */
extern bool kg_fixed_tool_exists(const KgCatalog *catalog,
								 const KgFixedTool *tool);

/* Fixed tools by index, in the order of the tables; NULL past the last. */
extern const KgFixedTool *kg_fixed_tool(int index);

#endif /* KG_FIXED_TOOLS_H */
