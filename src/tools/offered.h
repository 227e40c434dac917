/*
 * offered.h
 *	  The generated tools that the caller has.
 */
#ifndef KG_OFFERED_H
#define KG_OFFERED_H

#include "auth/agent.h"
#include "model/catalog.h"

/*
 * Returns a bit set of the operations (KG_EXPOSE_*) whose generated tools the
 * caller has.
 */
extern int kg_operations_offered(void);

/*
 * Returns whether the caller has a generated tool. The bit set "offered"
 * (kg_operations_offered()) must contain the tool's operation, and a toolset of
 * the agent must contain the tool. Other tools do not exist for the caller.
 */
extern bool kg_tool_is_offered(const KgAgent *agent, const KgTool *tool,
							   int offered);

/*
 * Records that a tool of a type begins with these arguments, so that errors
 * name the tool. Does nothing if the tool was called by its own name.
 */
extern void kg_begin_tool_of_type(const KgCatalog *catalog, const KgType *type,
								  int operation, const Jsonb *arguments);

#endif /* KG_OFFERED_H */
