/*
 * dispatch.h
 *	  Every tool by name: what it is, and how it is called.
 */
#ifndef KG_DISPATCH_H
#define KG_DISPATCH_H

#include "auth/agent.h"
#include "base/cache.h"
#include "base/toolset.h"
#include "model/catalog.h"
#include "utils/jsonb.h"

struct KgCatalog;
struct KgCallable;
struct KgDefinition;
struct KgOperationDefined;

/* A call by name; and what becomes known of it, for its result or error. */
typedef struct KgToolCall
{
	const char *name;
	const char *version; /* of a registered tool; NULL: the latest release */
	const Jsonb *arguments;
	const char *key; /* of a write that may be sent again, or NULL */
	const struct KgFixedTool *fixed; /* that it is found to be, or NULL */
	Size size; /* of its reply as text, where that is known; or 0 */
	/* of a registered tool: */
	const struct KgDefinition *registered; /* NULL: it is none */
	const struct KgOperationDefined *op;   /* that runs, or ran */
	bool in_operation;
} KgToolCall;

/*
 * Call a tool as the current role, or as its agent.  Raises KG_UNKNOWN_TOOL, KG_NO_TENANT and
 * whatever the tool raises.  The reply is the tool's own JSON object.
 */
extern Jsonb *kg_tools_call(KgToolCall *call);

/*
 * A generated or fixed tool that the caller has.  Raises KG_UNKNOWN_TOOL at the
 * path.
 */
extern void kg_callable_require(const struct KgCatalog *catalog,
								const char *name, const char *path,
								struct KgCallable *found);

/*
 * The same as an MCP tool result {content, structuredContent, isError}: an
 * error of the call is a result, not raised (a subtransaction is rolled back);
 * cancellation and internal errors of the server are raised.  Options
 * (tools/call_options.h) may be NULL.
 */
extern Jsonb *kg_tools_call_result(const char *name, const Jsonb *arguments,
								   const Jsonb *options);

/* Is a tool of this toolset among those that are listed? */
extern bool kg_toolset_is_listed(const struct KgCatalog *catalog,
								 const KgAgent *agent, int toolset);

/* Does a tool that the caller has, and no bundle makes, write? */
extern bool kg_other_tools_write(const struct KgCatalog *catalog,
								 const KgAgent *agent);

/* In _meta: which version of a tool is listed, or is to be called. */
#define KG_META_VERSION "kg_graph/version"

/* [{"type": "text", "text": text}] */
extern Jsonb *kg_text_content(const char *text);

/* Kept from call to call (base/cache.h), for one catalog and some settings. */
typedef struct KgToolsListed
{
	KgCacheEntry entry;
	uint64 catalog;	 /* its id, */
	uint64 numbers;	 /* of the templates, from settings, */
	int offered;	 /* kg_operations_offered() */
	uint64 toolsets; /* the setting */
	uint64 id;		 /* of no other list of this backend */
	Jsonb *tools;
} KgToolsListed;

/*
 * The tools of the current tenant, or of the agent in force, as a JSON array of {name, title,
 * description, inputSchema, outputSchema, annotations}, in a deterministic
 * order (toolset, name).  To be read at once, or pinned.
 */
extern const KgToolsListed *kg_tools_list(void);

#endif /* KG_DISPATCH_H */
