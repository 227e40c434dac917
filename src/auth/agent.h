/*
 * agent.h
 *	  The agent in force, and its bundles and tools.
 */
#ifndef KG_AGENT_H
#define KG_AGENT_H

#include "auth/agents.h"

/*
 * Returns the agent that the caller's token or kg_graph.agent names. Returns
 * NULL if no agent is named, or the caller has no tenant. Raises KG_FORBIDDEN
 * if the tenant has no such agent. The result is valid until the next call of
 * this module.
 */
extern const KgAgent *kg_agent_current(void);
/*
 * Raises KG_FORBIDDEN if an agent is in force that the tenant does not have.
 */
extern void kg_agent_require(const char *tenant);

/*
 * Returns true if no agent is in force, or if the agent in force has the
 * bundle. Raises no error.
 */
extern bool kg_agent_sees_bundle(const char *bundle, int len);

/* Returns true if the agent in force lacks a bundle of the tenant. */
extern bool kg_agent_hides_bundles(void);

/* Returns true if the agent may use a tool of the toolset. */
extern bool kg_agent_has_tool(const KgAgent *agent, int toolset,
							  const char *tool);
/* Returns true if the agent may use a registered tool of the toolset. */
extern bool kg_agent_has_registered(const KgAgent *agent, const char *toolset,
									const char *tool);
/*
 * Returns true if the caller can read only through the toolset sql. agent may
 * be NULL.
 */
extern bool kg_agent_only_queries(const KgAgent *agent);

/*
 * Returns true if kg_graph.toolsets or the agent selects some tools or
 * toolsets; false if all are available.
 */
extern bool kg_agent_names_tools(const KgAgent *agent);

#endif /* KG_AGENT_H */
