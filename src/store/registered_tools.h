/*
 * registered_tools.h
 *	  The rows of registered tools: kg_tool_version, and their names and aliases
 *	  in kg_tool.  As the owner, inside SPI_connect().
 */
#ifndef KG_REGISTERED_TOOLS_H
#define KG_REGISTERED_TOOLS_H

#include "base/error.h"
#include "model/catalog.h"
#include "model/tool_version.h"

/* A version that was looked at (tools/registered/register.h), as it is stored. */
typedef struct KgStoredTool
{
	const char *name;
	const char *version;
	const bytea *precedence;
	const char *toolset;
	const char *bundle;		/* that brings it, or NULL */
	const char *deprecated; /* NULL: it is not; why, or "" */
	const Jsonb *definition;
} KgStoredTool;

typedef enum KgToolVerdict
{
	KG_TOOL_CREATED,
	KG_TOOL_DEPRECATED,
	KG_TOOL_UNCHANGED
} KgToolVerdict;

/*
 * Raises KG_ALREADY_EXISTS where a name is taken, or the version is there with
 * another definition.
 */
extern KgToolVerdict kg_store_tool(const char *tenant,
								   const KgStoredTool *tool);

/* Versions of a tool, or one of them; returns how many there were. */
extern int64 kg_remove_tool(const char *tenant, const char *name,
							const bytea *precedence);

/* The definition of a stored version, or NULL. */
extern Jsonb *kg_stored_definition(const char *tenant, const char *name,
								   const bytea *precedence);

/* Another version of the tenant's catalog (model/version.h). */
extern void kg_touch_catalog(const char *tenant);

/*
 * What bundles need of the layer that knows what a definition says; set when the
 * module is loaded.
 */
typedef struct KgToolHooks
{
	/* A definition of a bundle; faults are reported at path. */
	KgStoredTool *(*prepare)(const char *tenant, const Jsonb *sent,
							 const char *bundle, const char *path,
							 KgErrorList *errors);
	/*
	 * What the stored versions call in the catalog; those of the bundle are
	 * looked at as if registered now, and faults of those that are among its
	 * tools, or NULL, reported there.
	 */
	void (*check)(const KgCatalog *catalog, const char *bundle,
				  const Jsonb *tools, KgErrorList *errors);
	/* Is it the name of a tool of every tenant, whichever its toolset? */
	bool (*is_fixed)(const char *name);
	/* An argument of a version because of which it is not listed, or NULL. */
	const char *(*unlisted)(const KgToolVersion *version);
} KgToolHooks;

extern const KgToolHooks *kg_tool_hooks;

/*
 * Where a version is among the tools of a bundle, whatever else they say of it;
 * -1: nowhere, or there are none.
 */
extern int kg_tool_index(const Jsonb *tools, const KgToolVersion *version);

#endif /* KG_REGISTERED_TOOLS_H */
