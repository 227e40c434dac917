/*
 * tool_version.h
 *	  The registered tools of a tenant, as a part of its catalog.
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
	const char *bundle;		/* that brought it, or NULL */
	const char *deprecated; /* NULL: it is not; why, or "" */
	const Jsonb *definition;
	MemoryContext context;	   /* of the catalog; for what is made on demand */
	struct KgDefinition *made; /* tools/registered/registered.h */
	const struct KgCatalog *whose;
} KgToolVersion;

/* A name, and its versions in their order. */
typedef struct KgRegisteredName
{
	const char *name;
	int n;
	KgToolVersion *versions;
	const KgToolVersion *latest; /* release that is not deprecated, or NULL */
} KgRegisteredName;

/* Read them, as the current role, into the context of the catalog. */
extern void kg_load_tool_versions(KgCatalog *catalog, const Datum *tenant,
								  MemoryContext context);

/* By name or alias; NULL where there is none such. */
extern const KgRegisteredName *kg_registered_name(const KgCatalog *catalog,
												  const char *name);

/* A version, by its precedence; NULL where it was not registered. */
extern const KgToolVersion *kg_registered_version(const KgRegisteredName *name,
												  const bytea *precedence);

#endif /* KG_TOOL_VERSION_H */
