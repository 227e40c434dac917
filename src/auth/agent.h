/*
 * agent.h
 *	  The agent in force: which bundles and tools of the tenant it has.
 */
#ifndef KG_AGENT_H
#define KG_AGENT_H

typedef struct KgAgent
{
	const char *tenant;
	const char *name;
	const char *title;		  /* or NULL */
	const char *description;  /* or NULL */
	const char *instructions; /* or NULL */
	const struct KgToolsets *toolsets;
	int ntools;
	const char **tools; /* only these, or NULL: all of the toolsets */
	int nbundles;
	const char **bundles; /* by position, name */
} KgAgent;

/*
 * The agent that the caller's token or kg_graph.agent names; NULL where none
 * is named.  Raises KG_FORBIDDEN where the tenant has no such agent.  Good
 * until the next call of this module.
 */
extern const KgAgent *kg_agent_current(void);
/* Raises the same, of a caller of the tenant. */
extern void kg_agent_require(const char *tenant);

/* An agent by name, or NULL where the tenant has none such. */
extern const KgAgent *kg_agent_get(const char *tenant, const char *name);

/* Whether the agent in force, if any, has the bundle; raises nothing. */
extern bool kg_agent_sees_bundle(const char *bundle, int len);

/* Whether the agent in force lacks a bundle that the tenant has. */
extern bool kg_agent_hides_bundles(void);

/* Whether an agent with these limits may use a tool of a toolset. */
extern bool kg_agent_has_tool(const KgAgent *agent, int toolset,
							  const char *tool);
/* The same of a registered tool, whose toolset has a name. */
extern bool kg_agent_has_registered(const KgAgent *agent, const char *toolset,
									const char *tool);
/* Is it chosen which tools or toolsets there are, or are there all? */
extern bool kg_agent_names_tools(const KgAgent *agent);

#endif /* KG_AGENT_H */
