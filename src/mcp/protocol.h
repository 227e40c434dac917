/*
 * protocol.h
 *	  What the handlers of the Model Context Protocol share: the request, the
 *	  revisions and what each of them knows, pages, refusals.
 */
#ifndef KG_MCP_PROTOCOL_H
#define KG_MCP_PROTOCOL_H

#include "auth/agent.h"
#include "base/json.h"
#include "base/splice.h"
#include "model/catalog.h"
#include "tools/authorized.h"

/* In order of time, so that "since" is a comparison. */
typedef enum KgMcpRevision
{
	KG_MCP_2024_11_05,
	KG_MCP_2025_03_26,
	KG_MCP_2025_06_18,
	KG_MCP_2025_11_25,
	KG_MCP_2026_07_28
} KgMcpRevision;

#define KG_MCP_REVISIONS 5
#define KG_MCP_NEWEST_LEGACY KG_MCP_2025_11_25

#define KG_MCP_BATCH_LIMIT (-32000)
#define KG_MCP_INVALID_REQUEST (-32600)
#define KG_MCP_METHOD_NOT_FOUND (-32601)
#define KG_MCP_INVALID_PARAMS (-32602)
#define KG_MCP_RESOURCE_NOT_FOUND (-32002) /* before 2026-07-28 */
#define KG_MCP_VERSION_UNSUPPORTED (-32022)

#define KG_MCP_META_PREFIX "io.modelcontextprotocol/"
#define KG_MCP_META_VERSION KG_MCP_META_PREFIX "protocolVersion"
#define KG_MCP_META_CAPABILITIES KG_MCP_META_PREFIX "clientCapabilities"
#define KG_MCP_META_SUBSCRIPTION KG_MCP_META_PREFIX "subscriptionId"

typedef struct KgMcpRequest
{
	KgMcpRevision revision;
	JsonbValue id;
	const char *method;
	const JsonbContainer *params; /* NULL: none */
	const char *tenant;
	const KgAgent *agent; /* NULL: the whole tenant */
	bool app;			  /* the explorer's page is agreed on (mcp/app.h) */
	/* decisions that a gateway brings, or NULL; where the message is in a batch */
	const KgBrought *brought;
	int member;	  /* -1: nowhere */
	Jsonb *asked; /* what is to be decided first: there is no result */
	/* why the primary is to answer: there is no result; or NULL */
	const char *elsewhere;
	/* set by kg_mcp_refuse() */
	int error_code;
	const char *error_message;
	Jsonb *error_data;
	/* a result that a handler has made itself; nothing was written then */
	const Jsonb *result;
	bool asks;		   /* the result is a question to the user */
	bool listen;	   /* the answer says where changes are notified */
	bool notification; /* the answer is a notification, not a result */
} KgMcpRequest;

/*
 * A handler writes the members of the result into w, or refuses and returns
 * false.
 */
typedef bool (*KgMcpHandler)(KgMcpRequest *req, KgJsonWriter *w);

/* Answer with a JSON-RPC error; returns false for the handler to return. */
extern bool kg_mcp_refuse(KgMcpRequest *req, int code, Jsonb *data,
						  const char *fmt, ...) pg_attribute_printf(4, 5);

/* One-member object {name: value}, the data of an error. */
extern Jsonb *kg_mcp_error_data(const char *name, const char *value);

/* Modern versions only: an older one is not to be asked for in _meta. */
extern void kg_mcp_write_supported(KgJsonWriter *w, const char *name);

extern const char *kg_mcp_revision_name(KgMcpRevision revision);
/* False where it is none that is served. */
extern bool kg_mcp_revision_of_name(const char *name, KgMcpRevision *revision);

/* A string parameter, or NULL. */
extern char *kg_mcp_string_param(const KgMcpRequest *req, const char *name);

/*
 * The page of a list of n names that params.cursor asks for: from *start up to
 * but not including *end.  Writes nothing; kg_mcp_end_page() does.  False where
 * the cursor is none of ours.
 */
extern bool kg_mcp_page(KgMcpRequest *req, const char *const *names, int n,
						int *start, int *end);

/* nextCursor where more follows, and what every list says. */
extern void kg_mcp_end_page(KgMcpRequest *req, KgJsonWriter *w,
							const char *const *names, int n, int end);

/* What every result says since 2026-07-28, for a handler that makes its own. */
/* The same for one that is spliced; meta is more of its _meta, or NULL. */
extern void kg_mcp_splice_envelope(KgMcpRequest *req, const JsonbValue *meta,
								   KgSplice *result);
/* The same for one that writes. */
extern void kg_mcp_write_envelope(KgMcpRequest *req, KgJsonWriter *w);
extern void kg_mcp_write_server_info(KgMcpRequest *req, KgJsonWriter *w);

/* How long and by whom an answer may be kept (2026-07-28). */
extern void kg_mcp_cache_hints(KgMcpRequest *req, KgJsonWriter *w);

/* The handlers. */
extern bool kg_mcp_discover(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_initialize(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_ping(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_set_level(KgMcpRequest *req, KgJsonWriter *w);
/* There is no such resource, for who asks. */
extern bool kg_mcp_refuse_resource(KgMcpRequest *req, const char *uri);
/* May who asks be told that a resource changed?  Of the memory, who has it. */
extern bool kg_mcp_may_be_told(const KgMcpRequest *req, const JsonbValue *uri);
extern bool kg_mcp_subscribe(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_unsubscribe(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_subscriptions_listen(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_tools_list(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_tools_call(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_prompts_list(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_prompts_get(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_resources_list(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_templates_list(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_resources_read(KgMcpRequest *req, KgJsonWriter *w);
/* The resources of the caller's types alone, as items of a list. */
extern void kg_mcp_write_schemas(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_complete(KgMcpRequest *req, KgJsonWriter *w);

/* The argument names of a prompt; NULL where there is no such prompt. */
extern const char *const *kg_mcp_prompt_arguments(const char *prompt, int *n);
/* Whether a URI template is one of resources/templates/list. */
extern bool kg_mcp_is_template(const char *uri);

/* What the server tells a model about itself; palloc'd, never empty. */
extern char *kg_mcp_instructions(const KgMcpRequest *req);

#endif /* KG_MCP_PROTOCOL_H */
