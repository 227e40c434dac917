/*
 * request.c
 *	  Processing of one message: its form, revision, method and response.
 *
 * Two eras of the protocol are supported (docs/mcp.md). Since 2026-07-28 every
 * request has its revision in params._meta. In older revisions, initialize
 * agrees on the revision; a gateway remembers it and sends it as kg_revision.
 * This file stores no state between messages except caches.
 *
 * A fault in the message results in a JSON-RPC error. A fault in the call of a
 * tool is reported in the tool's result (tools.c).
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/limits.h"
#include "auth/listen.h"
#include "auth/token_identity.h"
#include "base/settings.h"
#include "mcp/app.h"
#include "mcp/request.h"
#include "mcp/wrote.h"
#include "query/run/decisions.h"
#include "utils/timestamp.h"

#define LEGACY 1
#define MODERN 2
#define BOTH 3

static const struct
{
	const char *name;
	int eras;
	KgMcpHandler handler;
} methods[] = {
	{"tools/call", BOTH, kg_mcp_tools_call},
	{"tools/list", BOTH, kg_mcp_tools_list},
	{"prompts/list", BOTH, kg_mcp_prompts_list},
	{"prompts/get", BOTH, kg_mcp_prompts_get},
	{"resources/list", BOTH, kg_mcp_resources_list},
	{"resources/templates/list", BOTH, kg_mcp_templates_list},
	{"resources/read", BOTH, kg_mcp_resources_read},
	{"completion/complete", BOTH, kg_mcp_complete},
	{"server/discover", MODERN, kg_mcp_discover},
	{"subscriptions/listen", MODERN, kg_mcp_subscriptions_listen},
	{"initialize", LEGACY, kg_mcp_initialize},
	{"ping", LEGACY, kg_mcp_ping},
	{"logging/setLevel", LEGACY, kg_mcp_set_level},
	{"resources/subscribe", LEGACY, kg_mcp_subscribe},
	{"resources/unsubscribe", LEGACY, kg_mcp_unsubscribe},
};

Jsonb *
kg_mcp_error_response(const KgMcpRequest *req, bool has_id)
{
	KgJsonWriter w;

	kg_audit_error_number(req->error_code);
	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "jsonrpc", "2.0");
	if (has_id)
	{
		kg_jw_key(&w, "id");
		kg_jw_value(&w, &req->id);
	}
	kg_jw_kbegin_object(&w, "error");
	kg_jw_kint(&w, "code", req->error_code);
	kg_jw_kstring(&w, "message", req->error_message);
	kg_jw_kjsonb_if(&w, "data", req->error_data);
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}

Jsonb *
kg_mcp_invalid_request(const char *message)
{
	KgMcpRequest req;

	memset(&req, 0, sizeof(req));
	req.id.type = jbvNull;
	(void) kg_mcp_refuse(&req, KG_MCP_INVALID_REQUEST, NULL, "%s", message);
	return kg_mcp_error_response(&req, true);
}

/*
 * Returns params._meta, or NULL if it is not an object. Sets *claims to whether
 * it has any member that only revisions since 2026-07-28 define. Such a message
 * claims to be of these revisions.
 */
const JsonbContainer *
kg_mcp_find_meta(const KgMcpRequest *req, JsonbValue *meta, bool *claims)
{
	*claims = false;
	if (kg_json_get(req->params, "_meta", meta) == NULL ||
		!kg_json_is_object(meta))
		return NULL;
	kg_json_each(it, kg_json_container(meta))
		*claims |= it.key.val.string.len > strlen(KG_MCP_META_PREFIX) &&
				   memcmp(it.key.val.string.val,
						  KG_MCP_META_PREFIX,
						  strlen(KG_MCP_META_PREFIX)) == 0;
	return kg_json_container(meta);
}

/*
 * Checks the members of params._meta that 2026-07-28 requires, and sets the
 * members of req that depend on them. If a member is missing or wrong, sets an
 * error as the response and returns false.
 */
static bool
check_envelope(KgMcpRequest *req, const JsonbContainer *meta)
{
	JsonbValue value;
	KgJsonWriter w;

	if (kg_json_get(meta, KG_MCP_META_VERSION, &value) == NULL ||
		value.type != jbvString)
		return kg_mcp_refuse(
			req,
			KG_MCP_INVALID_PARAMS,
			kg_mcp_error_data(
				"path",
				"/params/_meta/io.modelcontextprotocol~1protocolVersion"),
			"params._meta must have \"%s\", a string",
			KG_MCP_META_VERSION);
	if (!kg_json_string_is(&value, kg_mcp_revision_name(KG_MCP_2026_07_28)))
	{
		kg_jw_init_object(&w);
		kg_mcp_write_supported(&w, "supported");
		kg_jw_key(&w, "requested");
		kg_jw_value(&w, &value);
		kg_jw_end_object(&w);
		return kg_mcp_refuse(req,
							 KG_MCP_VERSION_UNSUPPORTED,
							 kg_jw_finish(&w),
							 "the protocol version is not supported");
	}
	if (kg_json_get(meta, KG_MCP_META_CAPABILITIES, &value) == NULL ||
		!kg_json_is_object(&value))
		return kg_mcp_refuse(
			req,
			KG_MCP_INVALID_PARAMS,
			kg_mcp_error_data(
				"path",
				"/params/_meta/io.modelcontextprotocol~1clientCapabilities"),
			"params._meta must have \"%s\", an object",
			KG_MCP_META_CAPABILITIES);
	req->app = kg_mcp_app_agreed(KG_MCP_2026_07_28, kg_json_container(&value));
	req->lax = kg_mcp_checks_arguments(meta, KG_MCP_META_CLIENT);
	return true;
}

/*
 * Sets req->revision if the message names a revision, and the members of req
 * that depend on it. If the revision is not supported, or the message lacks a
 * member that its revision requires, sets an error as the response and returns
 * false.
 */
static bool
choose_revision(KgMcpRequest *req, const JsonbContainer *message)
{
	JsonbValue meta;
	JsonbValue told;
	bool claims;
	const JsonbContainer *container = kg_mcp_find_meta(req, &meta, &claims);
	KgMcpRevision revision = req->revision;
	bool modern = claims;

	if (!claims && kg_json_get(message, "kg_revision", &told) != NULL)
	{
		if (told.type != jbvString ||
			!kg_mcp_revision_of_name(kg_json_cstring(&told), &revision))
			return kg_mcp_refuse(req,
								 KG_MCP_INVALID_REQUEST,
								 NULL,
								 "kg_revision is not a supported revision");
		modern = revision == KG_MCP_2026_07_28;
	}
	req->revision = modern ? KG_MCP_2026_07_28 : revision;
	req->app = !modern && kg_mcp_app_remembered(revision, message);
	req->lax = !modern && kg_json_is_true(message, "kg_lax");
	return !modern || check_envelope(req, container);
}

static KgMcpHandler
find_method(const KgMcpRequest *req)
{
	int era = req->revision == KG_MCP_2026_07_28 ? MODERN : LEGACY;

	for (int i = 0; i < lengthof(methods); i++)
		if ((methods[i].eras & era) &&
			strcmp(methods[i].name, req->method) == 0)
			return methods[i].handler;
	return NULL;
}

/*
 * Writes the member kg_listen: the key of the notification channel. For a
 * caller with a token, also writes the seconds until the token expires, and the
 * caller's name for limits.
 */
static void
write_listen(KgMcpRequest *req, KgJsonWriter *w)
{
	const KgTokenIdentity *token = kg_token_identity();

	kg_jw_kbegin_object(w, "kg_listen");
	kg_jw_kstring(w, "key", kg_listen_key(req->tenant));
	if (token != NULL)
	{
		kg_jw_kint(
			w,
			"seconds",
			Max(0, (token->expires - GetCurrentTimestamp()) / USECS_PER_SEC));
		kg_jw_kstring(w, "caller", kg_limits_of_caller(req->tenant)->caller);
	}
	kg_jw_end_object(w);
}

static void
begin_result(KgMcpRequest *req, KgJsonWriter *w)
{
	kg_jw_key(w, "id");
	kg_jw_value(w, &req->id);
	kg_jw_kbegin_object(w, "result");
	kg_mcp_write_envelope(req, w);
}

/*
 * Returns a JSON-RPC response with req->result. A message for the gateway
 * replaces the result if req->elsewhere (the primary must answer) or req->asked
 * (access decisions are missing) is set.
 */
static Jsonb *
wrap_result(KgMcpRequest *req)
{
	KgSplice response;

	kg_splice_init(&response);
	kg_splice_string(&response, "jsonrpc", "2.0");
	kg_splice_add(&response, "id", &req->id);
	if (req->elsewhere != NULL)
		kg_splice_string(&response, "kg_primary", req->elsewhere);
	else if (req->asked != NULL)
		kg_splice_jsonb(&response, "kg_authorize", req->asked);
	else
		kg_splice_jsonb(&response, "result", req->result);
	return kg_splice_finish(&response);
}

typedef struct Handling
{
	KgMcpHandler handler;
	KgMcpRequest *req;
	KgJsonWriter *w;
	bool ok;
} Handling;

static void
handle(void *arg)
{
	Handling *it = arg;

	it->ok = it->handler(it->req, it->w);
}

/*
 * Runs a handler with a time limit, and returns the result of the handler. The
 * handler of tool calls has no limit here, because a tool reports a timeout in
 * its own result.
 */
static bool
handle_in_time(KgMcpHandler handler, KgMcpRequest *req, KgJsonWriter *w)
{
	Handling handling = {handler, req, w};

	if (handler == kg_mcp_tools_call)
		return handler(req, w);
	kg_running_timed(handle, &handling);
	return handling.ok;
}

/* Runs the method of the request and returns the response. */
static Jsonb *
respond(KgMcpRequest *req)
{
	KgMcpHandler handler = find_method(req);
	KgJsonWriter w;
	bool notifies = handler == kg_mcp_subscriptions_listen;

	if (handler == NULL)
	{
		(void) kg_mcp_refuse(req,
							 KG_MCP_METHOD_NOT_FOUND,
							 NULL,
							 "the method does not exist in revision %s",
							 kg_mcp_revision_name(req->revision));
		return kg_mcp_error_response(req, true);
	}
	req->agent = kg_agent_current();
	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "jsonrpc", "2.0");
	if (!notifies)
		begin_result(req, &w);
	if (!kg_mcp_sees_writes(req) ||
		(req->elsewhere == NULL && !handle_in_time(handler, req, &w)))
	{
		if (kg_setting_mcp_server != KG_SERVER_STANDBY)
			return kg_mcp_error_response(req, true);
		/*
		 * This standby may lack data that the caller has already read, so the
		 * primary must answer.
		 */
		req->elsewhere = "refused";
	}
	if (req->result != NULL || req->asked != NULL || req->elsewhere != NULL)
		return wrap_result(req);
	if (!notifies)
		kg_jw_end_object(&w);
	if (req->listen)
		write_listen(req, &w);
	return kg_jw_finish(&w);
}

bool
kg_mcp_id_is_valid(const JsonbValue *id)
{
	int64 number;

	return id->type == jbvString || kg_json_int64(id, &number);
}

Jsonb *
kg_mcp_answer_object(const JsonbContainer *message, const char *tenant,
					 KgMcpRevision untold, const KgBrought *brought, int member)
{
	KgMcpRequest req;
	JsonbValue value;
	bool has_id;

	memset(&req, 0, sizeof(req));
	req.tenant = tenant;
	req.brought = brought;
	req.member = member;
	if (kg_json_get(message, "jsonrpc", &value) == NULL ||
		!kg_json_string_is(&value, "2.0"))
		return kg_mcp_invalid_request("the message is not JSON-RPC 2.0");
	has_id = kg_json_get(message, "id", &req.id) != NULL;
	if (has_id && !kg_mcp_id_is_valid(&req.id))
		return kg_mcp_invalid_request(
			"the id is neither a string nor an integer");
	if (kg_json_get(message, "method", &value) == NULL)
	{
		JsonbValue reply;

		/*
		 * The message is a client's response to a request that the gateway
		 * sent.
		 */
		if (has_id && (kg_json_get(message, "result", &reply) ||
					   kg_json_get(message, "error", &reply)))
			return NULL;
		return kg_mcp_invalid_request("the message has no method");
	}
	if (value.type != jbvString)
		return kg_mcp_invalid_request("the method is not a string");
	req.method = kg_json_cstring(&value);
	if (kg_json_get(message, "params", &value) != NULL)
	{
		if (!kg_json_is_object(&value))
			return kg_mcp_invalid_request("params is not an object");
		req.params = kg_json_container(&value);
	}
	if (kg_audited != NULL)
		kg_audit_name(req.method, req.params ? kg_json_datum(&value) : NULL);
	if (!has_id)
		return NULL;
	req.revision = untold;
	if (!choose_revision(&req, message))
		return kg_mcp_error_response(&req, true);
	/*
	 * Each message of a batch is a call of its own, so the access decisions
	 * for a message are not valid for the next.
	 */
	kg_decisions_end(kg_running_call());
	return respond(&req);
}
