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

/* Revisions of the protocol in chronological order, so that < compares them. */
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
/* error code used before revision 2026-07-28 */
#define KG_MCP_RESOURCE_NOT_FOUND (-32002)
#define KG_MCP_VERSION_UNSUPPORTED (-32022)

/*
 * Name of a capability: the schemas in the list of tools have the lax form
 * (tools/input/schema_form.h).
 */
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
	/*
	 * agent that the caller acts as; NULL: the caller has access to the whole
	 * tenant
	 */
	const KgAgent *agent;
	/* client and server have agreed on the explorer's page (mcp/app.h) */
	bool app;
	bool
		/*
		 * the client checks arguments itself, so schemas have the lax form
		 * (tools/input/schema_form.h)
		 */
		lax;
	/*
	 * Access decisions that a gateway supplies, or NULL. member is the index
	 * of the message in its batch.
	 */
	const KgBrought *brought;
	int member; /* -1: the message is not in a batch */
	/*
	 * access decisions to request from the gateway; if set, there is no result
	 */
	Jsonb *asked;
	/*
	 * Reason why this standby cannot answer and the primary must; or NULL. If
	 * set, there is no result.
	 */
	const char *elsewhere;
	/* These members are set by kg_mcp_refuse(). */
	int error_code;
	const char *error_message;
	Jsonb *error_data;
	/*
	 * The complete result, if the handler made it itself instead of writing
	 * it; or NULL.
	 */
	const Jsonb *result;
	bool asks; /* true: the result is a question to the user */
	/* true: the response includes the name of the notification channel */
	bool listen;
	bool notification; /* true: the response is a notification, not a result */
} KgMcpRequest;

/*
 * A handler writes the members of the result into w.  It returns false if it
 * refuses the request.
 */
typedef bool (*KgMcpHandler)(KgMcpRequest *req, KgJsonWriter *w);

/*
 * Sets a JSON-RPC error as the response. Always returns false, so that a
 * handler can return this value.
 */
extern bool kg_mcp_refuse(KgMcpRequest *req, int code, Jsonb *data,
						  const char *fmt, ...) pg_attribute_printf(4, 5);

/* Returns an object with one member, for use as the data of an error. */
extern Jsonb *kg_mcp_error_data(const char *name, const char *value);

/*
 * Writes an array of the supported revisions. Includes only revisions since
 * 2026-07-28, because older revisions may not be requested in _meta.
 */
extern void kg_mcp_write_supported(KgJsonWriter *w, const char *name);

extern const char *kg_mcp_revision_name(KgMcpRevision revision);
/*
 * Sets *revision to the revision with the name. Returns false if the revision
 * is not supported.
 */
extern bool kg_mcp_revision_of_name(const char *name, KgMcpRevision *revision);

/*
 * Returns true if clientInfo, a member of the object, names a client that is
 * known to check arguments.
 */
extern bool kg_mcp_checks_arguments(const JsonbContainer *object,
									const char *member);

/* Returns a parameter of the request that is a string, or NULL. */
extern char *kg_mcp_string_param(const KgMcpRequest *req, const char *name);

/*
 * Finds the page that params.cursor requests of a list of n names: the names
 * from *start up to, but excluding, *end. Returns false if the cursor is
 * invalid. After the items, kg_mcp_end_page() must be called.
 */
extern bool kg_mcp_page(KgMcpRequest *req, const char *const *names, int n,
						int *start, int *end);

/*
 * Writes nextCursor if names follow the page, and the members that the results
 * of all lists have.
 */
extern void kg_mcp_end_page(KgMcpRequest *req, KgJsonWriter *w,
							const char *const *names, int n, int end);

/*
 * The next functions write the members that every result has since 2026-07-28,
 * for a handler that makes its own result.
 */
/*
 * Adds the members that every result has since 2026-07-28 to a spliced result.
 * meta has further members of _meta, or is NULL.
 */
extern void kg_mcp_splice_envelope(KgMcpRequest *req, const JsonbValue *meta,
								   KgSplice *result);
/* Writes the members that every result has since 2026-07-28. */
extern void kg_mcp_write_envelope(KgMcpRequest *req, KgJsonWriter *w);
extern void kg_mcp_write_server_info(KgMcpRequest *req, KgJsonWriter *w);

/*
 * Writes for how long and for which users a result may be cached (since
 * 2026-07-28).
 */
extern void kg_mcp_cache_hints(KgMcpRequest *req, KgJsonWriter *w);

/*
 * Handlers of the methods of the protocol (KgMcpHandler). They return false if
 * they refuse the request.
 */
extern bool kg_mcp_discover(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_initialize(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_ping(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_set_level(KgMcpRequest *req, KgJsonWriter *w);
/*
 * Refuses a request for a resource that does not exist for the caller. Returns
 * false.
 */
extern bool kg_mcp_refuse_resource(KgMcpRequest *req, const char *uri);
/*
 * Returns true if the caller may be notified of changes of the resource. For
 * the resource of the memory, the caller must have access to the memory.
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
/* Writes the schema resources of the caller's types as items of a list. */
extern void kg_mcp_write_schemas(KgMcpRequest *req, KgJsonWriter *w);
extern bool kg_mcp_complete(KgMcpRequest *req, KgJsonWriter *w);

/*
 * Returns the names of the arguments of a prompt and sets *n to their number.
 * Returns NULL if there is no such prompt.
 */
extern const char *const *kg_mcp_prompt_arguments(const char *prompt, int *n);
/* Returns true if a URI template is in resources/templates/list. */
extern bool kg_mcp_is_template(const char *uri);

/*
 * Returns the server's instructions for a model, a palloc'd text that is never
 * empty.
 */
extern char *kg_mcp_instructions(const KgMcpRequest *req);

#endif /* KG_MCP_PROTOCOL_H */
