/*
 * registered.h
 *	  Registered tools: finds, runs and lists versions.
 */
#ifndef KG_REGISTERED_H
#define KG_REGISTERED_H

#include "auth/agent.h"
#include "base/json.h"
#include "model/tool_version.h"
#include "tools/registered/definition.h"
#include "tools/dispatch.h"

/*
 * Returns whether the caller has a registered tool with this name or alias, in
 * any version. The name may have a version suffix ("find_issues.v1.2.0").
 */
extern bool kg_registered_is_callable(const char *name);

/*
 * Splits "name.v1.2.0": returns the name and sets *version to the version. If
 * there is no version, returns the whole name and leaves *version unchanged.
 */
extern const char *kg_registered_split(const char *name, const char **version);

/*
 * Runs the registered tool that call->name names. Returns NULL if the caller
 * has no registered tool with this name or alias. Raises KG_VERSION_NOT_FOUND.
 */
extern Jsonb *kg_registered_call(const KgCatalog *catalog, const KgAgent *agent,
								 KgToolCall *call);

/*
 * Replaces a call of a registered query or composite by a call of the tool that
 * it would call, with the arguments for that tool. For other kinds of
 * registered tools, sets the members of callable to NULL. Returns false if the
 * caller does not have the registered tool. Errors about the version are at
 * "path". Raises KG_LIMIT_EXCEEDED if the arguments would exceed max_bytes.
 */
extern bool kg_registered_resolve(const KgCatalog *catalog, KgToolCall *call,
								  const char *path, int max_bytes,
								  KgCallable *callable);

/*
 * Returns the error with its path changed to point into the caller's
 * arguments.
 */
extern Jsonb *kg_registered_error(const KgToolCall *call, Jsonb *error);

/*
 * Returns whether the arguments are valid for the latest release of a
 * registered tool. Returns false if the tool does not exist or has no release.
 */
extern bool kg_registered_fits(const KgCatalog *catalog, const char *name,
							   const Jsonb *arguments);

/*
 * Returns {tool, version, operation?}, which describes the registered tool that
 * a call ran.
 */
extern Jsonb *kg_registered_meta(const KgToolCall *call);

/*
 * Returns whether the catalog has a usable registered tool, in any version,
 * that belongs to the toolset.
 */
extern bool kg_registered_has_toolset(const KgCatalog *catalog,
									  const char *toolset);

/*
 * Returns a List of KgDefinition * of the registered tools to list, ordered by
 * toolset and name.
 */
extern List *kg_registered_listed(const KgCatalog *catalog,
								  const KgAgent *agent);

/* Writes the MCP annotations of a tool. */
extern void kg_registered_annotations(const KgDefinition *def, KgJsonWriter *w);

#endif /* KG_REGISTERED_H */
