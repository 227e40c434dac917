/*
 * offered.h
 *	  The generated tools that the caller has.
 */
#ifndef KG_OFFERED_H
#define KG_OFFERED_H

#include "auth/agent.h"
#include "model/catalog.h"

/* Returns the operations (KG_EXPOSE_*) whose tools the caller has. */
extern int kg_operations_offered(void);

/*
 * Returns whether a tool has one of the operations returned by
 * kg_operations_offered(), and belongs to a toolset of the agent. A tool that
 * is not offered does not exist for the caller.
 */
extern bool kg_tool_is_offered(const KgAgent *agent, const KgTool *tool,
							   int offered);

/*
 * Notes that a tool of a type begins with these arguments, so that errors name
 * the tool.  Does nothing if the tool was called by its name.
 */
extern void kg_begin_tool_of_type(const KgCatalog *catalog, const KgType *type,
								  int operation, const Jsonb *arguments);

#endif /* KG_OFFERED_H */
