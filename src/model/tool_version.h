/*
 * tool_version.h
 *	  Registered tools of a tenant, as a part of its catalog.
 */
#ifndef KG_TOOL_VERSION_H
#define KG_TOOL_VERSION_H

#include "model/catalog.h"

typedef struct KgToolVersion
{
	const char *tool;
	const char *version;
	bool prerelease;
	const char *toolset;
	const char *bundle; /* bundle that contains the version, or NULL */
	/* reason of the deprecation, or ""; NULL: not deprecated */
	const char *deprecated;
	const Jsonb *definition;
	/*
	 * The memory context of the catalog, for data that are created on demand.
	 */
	MemoryContext context;
	/* data created on demand, see tools/registered/registered.h */
	struct KgDefinition *made;
	const struct KgCatalog *whose;
} KgToolVersion;

/* The name of a registered tool, and its versions in ascending order. */
typedef struct KgRegisteredName
{
	const char *name;
	int n;
	KgToolVersion *versions;
	/* newest release that is not deprecated, or NULL */
	const KgToolVersion *latest;
} KgRegisteredName;

/*
 * Reads the registered tools with the rights of the current role. Allocates in
 * the catalog's context.
 */
extern void kg_load_tool_versions(KgCatalog *catalog, const Datum *tenant,
								  MemoryContext context);

/* Returns the registered tool of this name or alias, or NULL. */
extern const KgRegisteredName *kg_registered_name(const KgCatalog *catalog,
												  const char *name);

/* Returns the version with this precedence, or NULL if it is not registered. */
extern const KgToolVersion *kg_registered_version(const KgRegisteredName *name,
												  const bytea *precedence);

#endif /* KG_TOOL_VERSION_H */
