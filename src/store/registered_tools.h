/*
 * registered_tools.h
 *	  The rows of registered tools: kg_tool_version, and their names and
 *	  aliases in kg_tool. All functions run as the extension's owner, inside
 *	  SPI_connect().
 */
#ifndef KG_REGISTERED_TOOLS_H
#define KG_REGISTERED_TOOLS_H

#include "base/error.h"
#include "model/catalog.h"
#include "model/tool_version.h"

/*
 * A checked version of a tool (tools/registered/register.h), as it is stored.
 */
typedef struct KgStoredTool
{
	const char *name;
	const char *version;
	const bytea *precedence;
	const char *toolset;
	const char *bundle;		/* the bundle that brings the tool, or NULL */
	const char *deprecated; /* the reason, or ""; NULL: not deprecated */
	const Jsonb *definition;
} KgStoredTool;

typedef enum KgToolVerdict
{
	KG_TOOL_CREATED,
	KG_TOOL_DEPRECATED,
	KG_TOOL_UNCHANGED
} KgToolVerdict;

/*
 * Stores a version of a tool. Raises KG_ALREADY_EXISTS if another tool has one
 * of its names, or if the version is stored with a different definition.
 */
extern KgToolVerdict kg_store_tool(const char *tenant,
								   const KgStoredTool *tool);

/*
 * Deletes one version of a tool, or all versions if precedence is NULL. Returns
 * the number of deleted versions.
 */
extern int64 kg_remove_tool(const char *tenant, const char *name,
							const bytea *precedence);

/* Returns the definition of a stored version, or NULL if it is not stored. */
extern Jsonb *kg_stored_definition(const char *tenant, const char *name,
								   const bytea *precedence);

/* Gives the tenant's catalog a new version (model/version.h). */
extern void kg_touch_catalog(const char *tenant);

/*
 * Functions of the layer tools/, which knows the meaning of definitions.
 * Bundles call them; the module sets them when it is loaded.
 */
typedef struct KgToolHooks
{
	/*
	 * Reads and checks a definition of a bundle. Faults are reported at path.
	 */
	KgStoredTool *(*prepare)(const char *tenant, const Jsonb *sent,
							 const char *bundle, const char *path,
							 KgErrorList *errors);
	/*
	 * Checks that the types and relations that stored versions use are in the
	 * catalog. Versions of the bundle are checked as if they were registered
	 * now. If tools, the bundle's definitions, is not NULL, faults of versions
	 * among them are reported there.
	 */
	void (*check)(const KgCatalog *catalog, const char *bundle,
				  const Jsonb *tools, KgErrorList *errors);
	/*
	 * Returns whether every tenant has a tool of this name, in any toolset.
	 */
	bool (*is_fixed)(const char *name);
	/*
	 * Returns the argument that prevents a version from being listed, or NULL.
	 */
	const char *(*unlisted)(const KgToolVersion *version);
} KgToolHooks;

extern const KgToolHooks *kg_tool_hooks;

/*
 * Returns the index of the version among the tools of a bundle, by name and
 * version only. Returns -1 if it is not there or tools is NULL.
 */
extern int kg_tool_index(const Jsonb *tools, const KgToolVersion *version);

#endif /* KG_REGISTERED_TOOLS_H */
