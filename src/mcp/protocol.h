/*
 * protocol.h
 *	  Definitions shared by the handlers of the Model Context Protocol: the
 *	  request, revisions and their features, pages, errors.
 */
#ifndef KG_MCP_PROTOCOL_H
#define KG_MCP_PROTOCOL_H

#include "auth/agent.h"
#include "base/json.h"
#include "base/splice.h"
#include "model/catalog.h"
#include "tools/authorized.h"

/* Revisions in the order of time, so that they can be compared. */
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

/* Capability: the list of tools has the lax form. */
#define KG_MCP_LAX "kg_graph/schema_lax"

#define KG_MCP_META_PREFIX "io.modelcontextprotocol/"
#define KG_MCP_META_VERSION KG_MCP_META_PREFIX "protocolVersion"
#define KG_MCP_META_CAPABILITIES KG_MCP_META_PREFIX "clientCapabilities"
#define KG_MCP_META_CLIENT KG_MCP_META_PREFIX "clientInfo"
#define KG_MCP_META_SUBSCRIPTION KG_MCP_META_PREFIX "subscriptionId"

typedef struct KgMcpRequest
{
	KgMcpRevision revision;
	JsonbValue id;
	const char *method;
	const JsonbContainer *params; /* or NULL */
	const char *tenant;
	const KgAgent *agent; /* or NULL: the whole tenant */
	bool app;			  /* the explorer's page is agreed on (mcp/app.h) */
	bool
		lax; /* the client checks arguments itself (tools/input/schema_form.h) */
	/*
	 * Decisions from a gateway, or NULL; and the message's index in its batch.
	 */
	const KgBrought *brought;
	int member;	  /* -1: not in a batch */
	Jsonb *asked; /* requested decisions; there is no result then */
	/* Reason why the primary must answer, without a result; or NULL. */
	const char *elsewhere;
	/* Set by kg_mcp_refuse(). */
	int error_code;
	const char *error_message;
	Jsonb *error_data;
	/* A complete result made by the handler, which wrote nothing; or NULL. */
	const Jsonb *result;
	bool asks;		   /* the result is a question to the user */
	bool listen;	   /* the answer includes the notification channel */
	bool notification; /* the answer is a notification, not a result */
} KgMcpRequest;

/*
 * A handler writes the members of the result into w.  It returns false if it
 * refuses the request.
 */
typedef bool (*KgMcpHandler)(KgMcpRequest *req, KgJsonWriter *w);

/*
 * Sets a JSON-RPC error as the answer.  Returns false, for the handler to
 * return.
 */
extern bool kg_mcp_refuse(KgMcpRequest *req, int code, Jsonb *data,
						  const char *fmt, ...) pg_attribute_printf(4, 5);

/* Returns an object with one member, the data of an error. */
extern Jsonb *kg_mcp_error_data(const char *name, const char *value);

/*
 * Writes the supported revisions. Writes only modern revisions, because _meta
 * may not request an older one.
 */
extern void kg_mcp_write_supported(KgJsonWriter *w, const char *name);

extern const char *kg_mcp_revision_name(KgMcpRevision revision);
/* Reads a revision.  Returns false if it is not supported. */
extern bool kg_mcp_revision_of_name(const char *name, KgMcpRevision *revision);

/* Returns true if an object's clientInfo names a client that checks arguments. */
extern bool kg_mcp_checks_arguments(const JsonbContainer *object,
									const char *member);

/* Returns a string parameter, or NULL. */
extern char *kg_mcp_string_param(const KgMcpRequest *req, const char *name);

/*
 * Finds the page of a list of n names that params.cursor requests: from *start
 * up to, but excluding, *end.  Returns false if the cursor is invalid.
 * kg_mcp_end_page() writes the page's end.
 */
extern bool kg_mcp_page(KgMcpRequest *req, const char *const *names, int n,
						int *start, int *end);

/* Writes nextCursor if more names follow, and the members of every list. */
extern void kg_mcp_end_page(KgMcpRequest *req, KgJsonWriter *w,
							const char *const *names, int n, int end);

/*
 * Writes the members of every result since 2026-07-28, for a handler that
 * makes its own result.
 */
/*
 * Adds these members to a spliced result.  meta has further members of its
 * _meta, or is NULL.
 */
extern void kg_mcp_splice_envelope(KgMcpRequest *req, const JsonbValue *meta,
								   KgSplice *result);
/* Writes the members of every result since 2026-07-28. */
extern void kg_mcp_write_envelope(KgMcpRequest *req, KgJsonWriter *w);
extern void kg_mcp_write_server_info(KgMcpRequest *req, KgJsonWriter *w);

/* Writes how long and for which users an answer may be cached (2026-07-28). */
extern void kg_mcp_cache_hints(KgMcpRequest *req, KgJsonWriter *w);

/* Handlers of methods. */
extern bool kg_mcp_discover(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_initialize(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_ping(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_set_level(KgMcpRequest *req, KgJsonWriter *w);
/* Refuses a resource that does not exist for the caller. */
extern bool kg_mcp_refuse_resource(KgMcpRequest *req, const char *uri);
/*
 * Returns true if the caller may be notified of a resource's changes.  For the
 * memory it must have access to it.
 */
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
/* Writes the resources of the caller's types as items of a list. */
extern void kg_mcp_write_schemas(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_complete(KgMcpRequest *req, KgJsonWriter *w);

/*
 * Returns the argument names of a prompt, or NULL if there is no such prompt.
 */
extern const char *const *kg_mcp_prompt_arguments(const char *prompt, int *n);
/* Returns true if a URI template is in resources/templates/list. */
extern bool kg_mcp_is_template(const char *uri);

/* Returns the server's instructions for a model; palloc'd, never empty. */
extern char *kg_mcp_instructions(const KgMcpRequest *req);

#endif /* KG_MCP_PROTOCOL_H */
