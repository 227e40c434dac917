/*
 * dispatch.h
 *	  The tools by name: finding, calling and listing them.
 */
#ifndef KG_DISPATCH_H
#define KG_DISPATCH_H

#include "auth/agent.h"
#include "base/cache.h"
#include "base/toolset.h"
#include "model/catalog.h"
#include "tools/input/schema_form.h"
#include "utils/jsonb.h"

struct KgCatalog;
struct KgCallable;
struct KgDefinition;
struct KgOperationDefined;

/* A call of a tool by name, with the facts that its result or error reports. */
typedef struct KgToolCall
{
	const char *name;
	/* version of the registered tool; NULL: the latest release */
	const char *version;
	const Jsonb *arguments;
	const char *key; /* idempotency key of a write, or NULL */
	const struct KgFixedTool
		*fixed; /* the tool, if it is a fixed tool; otherwise NULL */
	Size size;	/* length of the reply as text, in bytes; 0: unknown */
	/* of a registered tool: */
	const struct KgDefinition *registered; /* NULL: not a registered tool */
	const struct KgOperationDefined *op;   /* operation that runs or ran */
	bool in_operation;
} KgToolCall;

/*
 * Calls a tool as the current role, or as its agent. Raises KG_UNKNOWN_TOOL,
 * KG_NO_TENANT and the errors of the tool. Returns the tool's own JSON object.
 */
extern Jsonb *kg_tools_call(KgToolCall *call);

/*
 * Finds a generated or fixed tool that the caller has. Raises KG_UNKNOWN_TOOL
 * with the path if there is no such tool.
 */
extern void kg_callable_require(const struct KgCatalog *catalog,
								const char *name, const char *path,
								struct KgCallable *found);

/*
 * Calls a tool and returns an MCP tool result {content, structuredContent,
 * isError}. An error of the call is returned as a result, and a subtransaction
 * is rolled back. Cancellation and internal errors of the server are raised.
 * options (tools/call_options.h) may be NULL.
 */
extern Jsonb *kg_tools_call_result(const char *name, const Jsonb *arguments,
								   const Jsonb *options);

/* Returns whether the list of tools contains a tool of the toolset. */
extern bool kg_toolset_is_listed(const struct KgCatalog *catalog,
								 const KgAgent *agent, int toolset);

/*
 * Returns whether the caller has a tool that writes and is not generated from
 * a bundle.
 */
extern bool kg_other_tools_write(const struct KgCatalog *catalog,
								 const KgAgent *agent);

/* Key in _meta: the version of a tool that is listed, or is to be called. */
#define KG_META_VERSION "kg_graph/version"

/* Returns [{"type": "text", "text": text}]. */
extern Jsonb *kg_text_content(const char *text);

/*
 * A cached list of tools (base/cache.h), valid for one catalog and some
 * settings.
 */
typedef struct KgToolsListed
{
	KgCacheEntry entry;
	uint64 catalog;	 /* id of the catalog */
	uint64 numbers;	 /* kg_template_numbers() */
	int offered;	 /* kg_operations_offered() */
	uint64 toolsets; /* value of the setting */
	KgSchemaForm form;
	uint64 id; /* unique among the lists of this backend */
	Jsonb *tools;
} KgToolsListed;

/*
 * Returns the tools of the current tenant, or of the agent in force, with
 * their schemas in the form. The tools are a JSON array of {name, title,
 * description, inputSchema, outputSchema, annotations}, ordered by toolset and
 * name. The caller must read the list at once, or pin it.
 */
extern const KgToolsListed *kg_tools_list(const KgSchemaForm *form);

#endif /* KG_DISPATCH_H */
