/*
 * dispatch.h
 *	  Finds, calls and lists tools by name.
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

/*
 * A call of a tool by name, with facts about the call that its result or error
 * reports.
 */
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
	/* The next members are set for registered tools only. */
	/* the registered tool; NULL: the tool is not registered */
	const struct KgDefinition *registered;
	/* the operation that the registered tool runs, or has run last; or NULL */
	const struct KgOperationDefined *op;
	bool in_operation;
} KgToolCall;

/*
 * Calls a tool as the current role, or as its agent. Raises KG_UNKNOWN_TOOL,
 * KG_NO_TENANT and the errors of the tool. Returns the tool's own JSON object.
 */
extern Jsonb *kg_tools_call(KgToolCall *call);

/*
 * Finds a generated or fixed tool that the caller has. If there is no such
 * tool, raises KG_UNKNOWN_TOOL at the path.
 */
extern void kg_callable_require(const struct KgCatalog *catalog,
								const char *name, const char *path,
								struct KgCallable *found);

/*
 * Calls a tool and returns an MCP tool result {content, structuredContent,
 * isError}. If the call raises an error, its writes are rolled back in a
 * subtransaction, and the error is returned as a result. Cancellation and
 * internal errors of the server are raised again. options
 * (tools/call_options.h) may be NULL.
 */
extern Jsonb *kg_tools_call_result(const char *name, const Jsonb *arguments,
								   const Jsonb *options);

/* Returns whether the caller's list of tools contains a tool of the toolset. */
extern bool kg_toolset_is_listed(const struct KgCatalog *catalog,
								 const KgAgent *agent, int toolset);

/*
 * Returns whether the caller has a tool that writes and is not generated from
 * a bundle's types.
 */
extern bool kg_other_tools_write(const struct KgCatalog *catalog,
								 const KgAgent *agent);

/*
 * Key in _meta with the version of a registered tool, in a list of tools and
 * in a call.
 */
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
	uint64 catalog;	 /* id of the catalog for which the list was made */
	uint64 numbers;	 /* kg_template_numbers() when the list was made */
	int offered;	 /* kg_operations_offered() when the list was made */
	uint64 toolsets; /* value of kg_graph.toolsets when the list was made */
	KgSchemaForm form;
	uint64 id; /* unique among the lists of this backend */
	Jsonb *tools;
} KgToolsListed;

/*
 * Returns the tools of the current tenant or agent, with schemas in the given
 * form. The tools are a JSON array of {name, title, description, inputSchema,
 * outputSchema, annotations}, ordered by toolset and name. The list may be
 * evicted from its cache, so the caller must read it at once or pin it.
 */
extern const KgToolsListed *kg_tools_list(const KgSchemaForm *form);

#endif /* KG_DISPATCH_H */
