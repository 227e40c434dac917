/*
 * agent.c
 *	  The agent in force.
 */
#include "postgres.h"

#include "auth/agent.h"
#include "auth/identity.h"
#include "base/settings.h"
#include "base/toolset.h"

void
kg_agent_require(const char *tenant)
{
	kg_agent_require_named(tenant, kg_identity_agent());
}

const KgAgent *
kg_agent_current(void)
{
	const char *name = kg_identity_agent();
	const char *tenant = kg_identity_tenant(KG_ACCESS_READ);

	if (name == NULL || tenant == NULL)
		return NULL;
	tenant = pstrdup(tenant);
	kg_agent_require(tenant);
	return kg_agent_get(tenant, name);
}

bool
kg_agent_sees_bundle(const char *bundle, int len)
{
	const char *name = kg_identity_agent();
	const char *tenant;

	if (name == NULL)
		return true;
	tenant = kg_identity_tenant(KG_ACCESS_READ);
	return tenant != NULL && kg_agent_has_bundle(tenant, name, bundle, len);
}

bool
kg_agent_hides_bundles(void)
{
	const char *name = kg_identity_agent();
	const char *tenant;

	if (name == NULL)
		return false;
	tenant = kg_identity_tenant(KG_ACCESS_READ);
	return tenant != NULL && kg_agent_lacks_bundles(tenant, name);
}

static bool
is_listed(const KgAgent *agent, const char *tool)
{
	if (agent->tools == NULL)
		return true;
	for (int i = 0; i < agent->ntools; i++)
		if (strcmp(agent->tools[i], tool) == 0)
			return true;
	return false;
}

bool
kg_agent_has_tool(const KgAgent *agent, int toolset, const char *tool)
{
	int set = kg_setting_toolsets->bits;

	/*
	 * An agent's definition may name these toolsets explicitly; "all" does not
	 * include them.
	 */
	if (agent != NULL && kg_toolsets_have_all(kg_setting_toolsets))
		set |= KG_TOOLSET_BY_NAME;
	if ((set & toolset) == 0)
		return false;
	if (agent == NULL)
		return true;
	return (agent->toolsets->bits & toolset) != 0 && is_listed(agent, tool);
}

bool
kg_agent_only_queries(const KgAgent *agent)
{
	return kg_agent_has_tool(agent, KG_TOOLSET_SQL, "query") &&
		   !kg_agent_has_tool(agent, ~KG_TOOLSET_SQL, "query");
}

bool
kg_agent_names_tools(const KgAgent *agent)
{
	return !kg_toolsets_have_all(kg_setting_toolsets) ||
		   (agent != NULL &&
			(!kg_toolsets_have_all(agent->toolsets) || agent->tools != NULL));
}

bool
kg_agent_has_registered(const KgAgent *agent, const char *toolset,
						const char *tool)
{
	if (!kg_toolsets_have(kg_setting_toolsets, toolset))
		return false;
	if (agent == NULL)
		return true;
	return kg_toolsets_have(agent->toolsets, toolset) && is_listed(agent, tool);
}
