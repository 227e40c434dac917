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
 * Is there a registered tool of this name or alias for the caller, of whatever
 * version?  name may have a version behind it ("find_issues.v1.2.0").
 */
extern bool kg_registered_is_callable(const char *name);

/* "name.v1.2.0" in two; the version may be none. */
extern const char *kg_registered_split(const char *name, const char **version);

/*
 * Run it; call->name is a registered name or alias that the caller has, else
 * NULL is returned.  Raises KG_VERSION_NOT_FOUND.
 */
extern Jsonb *kg_registered_call(const KgCatalog *catalog, const KgAgent *agent,
								 KgToolCall *call);

/*
 * What a call would call, and with which arguments, in their place: of a query
 * or a composite; of others callable is nothing.  False where the caller has no
 * such registered tool; an error about its version is at path.  Raises
 * KG_LIMIT_EXCEEDED if they would have more than max_bytes.
 */
extern bool kg_registered_resolve(const KgCatalog *catalog, KgToolCall *call,
								  const char *path, int max_bytes,
								  KgCallable *callable);

/* Where an error is in what the caller sent, instead of in what was made of it. */
extern Jsonb *kg_registered_error(const KgToolCall *call, Jsonb *error);

/* Are arguments those of the latest release of a registered tool? */
extern bool kg_registered_fits(const KgCatalog *catalog, const char *name,
							   const Jsonb *arguments);

/* {tool, version, operation?} of a call that ran a registered tool. */
extern Jsonb *kg_registered_meta(const KgToolCall *call);

/* Has a tool that exists for the catalog's caller the toolset? */
extern bool kg_registered_has_toolset(const KgCatalog *catalog,
									  const char *toolset);

/* What is listed, in the order of toolset and name: a List of KgDefinition *. */
extern List *kg_registered_listed(const KgCatalog *catalog,
								  const KgAgent *agent);

/* The annotations of a tool. */
extern void kg_registered_annotations(const KgDefinition *def, KgJsonWriter *w);

#endif /* KG_REGISTERED_H */
