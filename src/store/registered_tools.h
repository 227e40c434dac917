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
	const char *bundle; /* bundle that contains the tool, or NULL */
	/* reason of the deprecation, or ""; NULL: not deprecated */
	const char *deprecated;
	const Jsonb *definition;
} KgStoredTool;

typedef enum KgToolVerdict
{
	KG_TOOL_CREATED,
	KG_TOOL_DEPRECATED,
	KG_TOOL_UNCHANGED
} KgToolVerdict;

/*
 * Stores a version of a tool. Returns whether it was created, deprecated or
 * left unchanged. Raises KG_ALREADY_EXISTS if another tool has one of its
 * names, or if the version is stored with a different definition.
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

/*
 * Sets a new version of the tenant's catalog (model/version.h), so that cached
 * copies become stale.
 */
extern void kg_touch_catalog(const char *tenant);

/*
 * Functions of the directory tools/, which interprets definitions of tools.
 * Code for bundles calls them. tools/ sets the pointers when the module is
 * loaded.
 */
typedef struct KgToolHooks
{
	/*
	 * Reads and checks a tool definition of a bundle. Reports faults at path.
	 */
	KgStoredTool *(*prepare)(const char *tenant, const Jsonb *sent,
							 const char *bundle, const char *path,
							 KgErrorList *errors);
	/*
	 * Checks that the catalog has the types and relations that stored versions
	 * use. Versions of the bundle are checked as if they were registered now.
	 * If tools, the bundle's definitions, is not NULL, a fault of a version is
	 * reported at its position in tools.
	 */
	void (*check)(const KgCatalog *catalog, const char *bundle,
				  const Jsonb *tools, KgErrorList *errors);
	/*
	 * Returns whether every tenant has a tool of this name, in any toolset.
	 */
	bool (*is_fixed)(const char *name);
	/*
	 * Returns the name of the argument that keeps a version from being listed,
	 * or NULL.
	 */
	const char *(*unlisted)(const KgToolVersion *version);
} KgToolHooks;

extern const KgToolHooks *kg_tool_hooks;

/*
 * Returns the index of the version among the tools of a bundle. Compares only
 * name and version. Returns -1 if the version is not there or tools is NULL.
 */
extern int kg_tool_index(const Jsonb *tools, const KgToolVersion *version);

#endif /* KG_REGISTERED_TOOLS_H */
