/*
 * write_tool.h
 *	  The generated tools that write.
 */
#ifndef KG_WRITE_TOOL_H
#define KG_WRITE_TOOL_H

#include "catalog/catalog.h"

/*
 * Call one: it writes, or raises, and then its subtransaction has to be rolled
 * back.
 */
extern Jsonb *kg_tool_write(const KgTool *tool, const Jsonb *arguments);

#endif /* KG_WRITE_TOOL_H */
