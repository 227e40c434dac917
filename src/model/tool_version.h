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
	const char *bundle;		/* bundle that contains it, or NULL */
	const char *deprecated; /* reason, or ""; NULL: not deprecated */
	const Jsonb *definition;
	/* the memory context of the catalog, for data that is made on demand */
	MemoryContext context;
	struct KgDefinition *made; /* see tools/registered/registered.h */
	const struct KgCatalog *whose;
} KgToolVersion;

/* A name of a registered tool and its versions in ascending order. */
typedef struct KgRegisteredName
{
	const char *name;
	int n;
	KgToolVersion *versions;
	const KgToolVersion *latest; /* newest release not deprecated, or NULL */
} KgRegisteredName;

/*
 * Reads the registered tools, as the current role, into the catalog's context.
 */
extern void kg_load_tool_versions(KgCatalog *catalog, const Datum *tenant,
								  MemoryContext context);

/* Returns a registered name by name or alias, or NULL. */
extern const KgRegisteredName *kg_registered_name(const KgCatalog *catalog,
												  const char *name);

/* Returns a version by its precedence, or NULL if it is not registered. */
extern const KgToolVersion *kg_registered_version(const KgRegisteredName *name,
												  const bytea *precedence);

#endif /* KG_TOOL_VERSION_H */
