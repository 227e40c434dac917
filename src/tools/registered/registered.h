/*
 * registered.h
 *	  Registered tools: finding a version, running it, listing them.
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
 * Splits "name.v1.2.0" into name and version. Sets *version to NULL if there
 * is no version.
 */
extern const char *kg_registered_split(const char *name, const char **version);

/*
 * Runs the registered tool that call->name names. Returns NULL if the caller
 * has no registered tool of that name or alias. Raises KG_VERSION_NOT_FOUND.
 */
extern Jsonb *kg_registered_call(const KgCatalog *catalog, const KgAgent *agent,
								 KgToolCall *call);

/*
 * Replaces a call of a query or a composite by the tool that it would call,
 * with its arguments. For other kinds, callable is empty. Returns false if the
 * caller has no such registered tool. Errors about the tool's version have the
 * path "path". Raises KG_LIMIT_EXCEEDED if the arguments would have more than
 * max_bytes bytes.
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
 * registered tool.
 */
extern bool kg_registered_fits(const KgCatalog *catalog, const char *name,
							   const Jsonb *arguments);

/* Returns {tool, version, operation?} for a call that ran a registered tool. */
extern Jsonb *kg_registered_meta(const KgToolCall *call);

/*
 * Returns whether a tool that the catalog's caller has belongs to the toolset.
 */
extern bool kg_registered_has_toolset(const KgCatalog *catalog,
									  const char *toolset);

/*
 * Returns a List of KgDefinition * with the listed tools, ordered by toolset
 * and name.
 */
extern List *kg_registered_listed(const KgCatalog *catalog,
								  const KgAgent *agent);

/* Writes the annotations of a tool. */
extern void kg_registered_annotations(const KgDefinition *def, KgJsonWriter *w);

#endif /* KG_REGISTERED_H */
