/*
 * offered.c
 *	  The generated tools that the caller has.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "auth/visibility.h"
#include "base/toolset.h"
#include "query/argument/repair.h"
#include "query/run/running.h"
#include "tools/offered.h"

int
kg_operations_offered(void)
{
	int offered = KG_EXPOSE_READING;

	if (kg_identity_tenant(KG_ACCESS_WRITE) == NULL)
		return offered;
	offered |= KG_EXPOSE_CREATE | KG_EXPOSE_UPDATE | KG_EXPOSE_DELETE |
			   KG_EXPOSE_MERGE;
	/* Only callers that see the whole tenant have tools for edges. */
	if (!kg_visibility_is_partial())
		offered |= KG_EXPOSE_OF_RELATION;
	return offered;
}

bool
kg_tool_is_offered(const KgAgent *agent, const KgTool *tool, int offered)
{
	return (tool->operation & offered) != 0 &&
		   kg_agent_has_tool(agent, KG_TOOLSET_CATALOG, tool->name);
}

void
kg_begin_tool_of_type(const KgCatalog *catalog, const KgType *type,
					  int operation, const Jsonb *arguments)
{
	const KgCall *call = kg_running_call();
	const KgTool *tool = kg_catalog_tool_of(catalog, type, operation);

	/*
	 * If the running call already has these arguments, it has already begun:
	 * the caller called this tool, or a tool that forwards to it.
	 */
	if (call != NULL && call->tool != NULL && call->arguments == arguments)
		return;
	if (tool != NULL &&
		!kg_tool_is_offered(kg_agent_current(), tool, kg_operations_offered()))
		tool = NULL;
	kg_repair_begin(tool ? tool->name : NULL, arguments);
}
