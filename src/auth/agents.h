/*
 * agents.h
 *	  The agents of tenants.
 */
#ifndef KG_AGENTS_H
#define KG_AGENTS_H

typedef struct KgAgent
{
	const char *tenant;
	const char *name;
	const char *title;		  /* or NULL */
	const char *description;  /* or NULL */
	const char *instructions; /* or NULL */
	const struct KgToolsets *toolsets;
	int ntools;
	const char **tools; /* allowed tools; NULL: all tools of the toolsets */
	int nbundles;
	const char **bundles; /* ordered by position, then by name */
} KgAgent;

/* Returns an agent of the tenant by name, or NULL. */
extern const KgAgent *kg_agent_get(const char *tenant, const char *name);
/*
 * Raises KG_FORBIDDEN if the tenant has no agent of this name. Does nothing if
 * name is NULL.
 */
extern void kg_agent_require_named(const char *tenant, const char *name);
/* Returns whether the agent exists and has the bundle. */
extern bool kg_agent_has_bundle(const char *tenant, const char *name,
								const char *bundle, int len);
/* Returns whether the agent lacks a bundle of the tenant, or does not exist. */
extern bool kg_agent_lacks_bundles(const char *tenant, const char *name);

#endif /* KG_AGENTS_H */
