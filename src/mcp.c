/*
 * mcp.c
 *	  kg_mcp(message, token, tenant): one message of the Model Context Protocol
 *	  in, one out.
 *
 * Two eras are served (docs/mcp.md): since 2026-07-28 every request says in
 * params._meta which revision it speaks; before, the revision was agreed on by
 * initialize, which a gateway remembers and passes on as kg_revision.  Nothing
 * is remembered here between messages but caches.
 *
 * Order: the caller's identity first, for no answer may be given to nobody;
 * then the form of the message, then its method.  Handlers run read-only and in
 * a security context in which neither role nor settings can be changed for
 * longer than the call.  What a message gets wrong is answered with a JSON-RPC
 * error, what a tool gets wrong with a result (mcp_tools.c); an SQL error leaves
 * this function only where docs/gateway.md says so.
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/identity.h"
#include "auth/login.h"
#include "auth/token_identity.h"
#include "base/error.h"
#include "base/settings.h"
#include "common/cryptohash.h"
#include "common/sha2.h"
#include "entry.h"
#include "fmgr.h"
#include "mcp_notify.h"
#include "mcp_protocol.h"
#include "miscadmin.h"
#include "query/running.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#define META_PREFIX "io.modelcontextprotocol/"
#define META_VERSION META_PREFIX "protocolVersion"
#define META_CAPABILITIES META_PREFIX "clientCapabilities"
#define META_SUBSCRIPTION META_PREFIX "subscriptionId"

static bool discover(KgMcpRequest *req, KgJsonWriter *w);
static bool initialize(KgMcpRequest *req, KgJsonWriter *w);
static bool empty_result(KgMcpRequest *req, KgJsonWriter *w);
static bool set_level(KgMcpRequest *req, KgJsonWriter *w);
static bool subscribe(KgMcpRequest *req, KgJsonWriter *w);
static bool subscriptions_listen(KgMcpRequest *req, KgJsonWriter *w);

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
	{"server/discover", MODERN, discover},
	{"subscriptions/listen", MODERN, subscriptions_listen},
	{"initialize", LEGACY, initialize},
	{"ping", LEGACY, empty_result},
	{"logging/setLevel", LEGACY, set_level},
	{"resources/subscribe", LEGACY, subscribe},
	{"resources/unsubscribe", LEGACY, subscribe},
};

/* One-member object {name: value}. */
static Jsonb *
data_string(const char *name, const char *value)
{
	KgJsonWriter w;

	kg_jw_init(&w);
	kg_jw_begin_object(&w);
	kg_jw_kstring(&w, name, value);
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}

static void
write_flags(KgJsonWriter *w, const char *name, const char *flag,
			const char *flag2)
{
	kg_jw_key(w, name);
	kg_jw_begin_object(w);
	if (flag)
		kg_jw_kbool(w, flag, true);
	if (flag2)
		kg_jw_kbool(w, flag2, true);
	kg_jw_end_object(w);
}

static void
write_capabilities(KgMcpRequest *req, KgJsonWriter *w)
{
	kg_jw_key(w, "capabilities");
	kg_jw_begin_object(w);
	write_flags(w, "tools", "listChanged", NULL);
	write_flags(w, "prompts", "listChanged", NULL);
	write_flags(w, "resources", "listChanged", "subscribe");
	if (req->revision >= KG_MCP_2025_03_26)
		write_flags(w, "completions", NULL, NULL);
	if (req->revision < KG_MCP_2026_07_28)
		write_flags(w, "logging", NULL, NULL);
	kg_jw_end_object(w);
}

/* Modern versions only: an older one is not to be asked for in _meta. */
static void
write_supported(KgJsonWriter *w, const char *name)
{
	kg_jw_key(w, name);
	kg_jw_begin_array(w);
	kg_jw_string(w, kg_mcp_revision_name(KG_MCP_2026_07_28));
	kg_jw_end_array(w);
}

static bool
discover(KgMcpRequest *req, KgJsonWriter *w)
{
	write_supported(w, "supportedVersions");
	write_capabilities(req, w);
	kg_jw_kstring(w, "instructions", kg_mcp_instructions(req));
	kg_mcp_cache_hints(req, w);
	return true;
}

/* A version that is not served is answered with the newest of its era. */
static bool
initialize(KgMcpRequest *req, KgJsonWriter *w)
{
	char *asked = kg_mcp_string_param(req, "protocolVersion");

	if (asked == NULL)
		return kg_mcp_refuse(req,
							 KG_MCP_INVALID_PARAMS,
							 NULL,
							 "params.protocolVersion is missing");
	if (!kg_mcp_revision_of_name(asked, &req->revision) ||
		req->revision > KG_MCP_NEWEST_LEGACY)
		req->revision = KG_MCP_NEWEST_LEGACY;
	kg_jw_kstring(w, "protocolVersion", kg_mcp_revision_name(req->revision));
	write_capabilities(req, w);
	kg_jw_key(w, "serverInfo");
	kg_mcp_write_server_info(req, w);
	kg_jw_kstring(w, "instructions", kg_mcp_instructions(req));
	req->listen = true;
	return true;
}

static bool
empty_result(KgMcpRequest *req, KgJsonWriter *w)
{
	return true;
}

/* Nothing is logged to clients, so that any level is obeyed. */
static bool
set_level(KgMcpRequest *req, KgJsonWriter *w)
{
	static const char *const levels[] = {"debug",
										 "info",
										 "notice",
										 "warning",
										 "error",
										 "critical",
										 "alert",
										 "emergency"};
	char *level = kg_mcp_string_param(req, "level");

	for (int i = 0; level != NULL && i < lengthof(levels); i++)
		if (strcmp(level, levels[i]) == 0)
			return true;
	return kg_mcp_refuse(
		req, KG_MCP_INVALID_PARAMS, NULL, "params.level is not a log level");
}

/* Whoever carries the messages keeps the list of subscriptions. */
static bool
subscribe(KgMcpRequest *req, KgJsonWriter *w)
{
	if (kg_mcp_string_param(req, "uri") == NULL)
		return kg_mcp_refuse(
			req, KG_MCP_INVALID_PARAMS, NULL, "params.uri is missing");
	return true;
}

/* The accepted part of a filter: what is asked for and can be notified. */
static void
write_filter(const JsonbContainer *asked, KgJsonWriter *w)
{
	static const char *const kinds[] = {
		"toolsListChanged", "promptsListChanged", "resourcesListChanged"};
	JsonbValue value;

	kg_jw_begin_object(w);
	for (int i = 0; i < lengthof(kinds); i++)
		if (kg_json_get(asked, kinds[i], &value) && value.type == jbvBool &&
			value.val.boolean)
			kg_jw_kbool(w, kinds[i], true);
	if (kg_json_get(asked, "resourceSubscriptions", &value) &&
		kg_json_is_array(&value))
	{
		kg_jw_key(w, "resourceSubscriptions");
		kg_jw_value(w, &value);
	}
	kg_jw_end_object(w);
}

/* Writes the whole notification: there is no result before it ends. */
static bool
subscriptions_listen(KgMcpRequest *req, KgJsonWriter *w)
{
	JsonbValue asked;

	if (kg_json_get(req->params, "notifications", &asked) == NULL ||
		!kg_json_is_object(&asked))
		return kg_mcp_refuse(req,
							 KG_MCP_INVALID_PARAMS,
							 data_string("path", "/params/notifications"),
							 "params.notifications is not an object");
	req->notification = true;
	req->listen = true;
	kg_jw_kstring(w, "method", "notifications/subscriptions/acknowledged");
	kg_jw_key(w, "params");
	kg_jw_begin_object(w);
	kg_jw_key(w, "_meta");
	kg_jw_begin_object(w);
	kg_jw_key(w, META_SUBSCRIPTION);
	kg_jw_value(w, &req->id);
	kg_jw_end_object(w);
	kg_jw_key(w, "notifications");
	write_filter(kg_json_container(&asked), w);
	kg_jw_end_object(w);
	return true;
}

/* {"jsonrpc": "2.0", "id": ..., "error": {...}} */
static Jsonb *
error_response(const KgMcpRequest *req, bool has_id)
{
	KgJsonWriter w;

	kg_jw_init(&w);
	kg_jw_begin_object(&w);
	kg_jw_kstring(&w, "jsonrpc", "2.0");
	if (has_id)
	{
		kg_jw_key(&w, "id");
		kg_jw_value(&w, &req->id);
	}
	kg_jw_key(&w, "error");
	kg_jw_begin_object(&w);
	kg_jw_kint(&w, "code", req->error_code);
	kg_jw_kstring(&w, "message", req->error_message);
	if (req->error_data)
		kg_jw_kjsonb(&w, "data", req->error_data);
	kg_jw_end_object(&w);
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}

/* Not a request: there is no id that could be trusted to be one. */
static Jsonb *
invalid_request(const char *message)
{
	KgMcpRequest req;

	memset(&req, 0, sizeof(req));
	req.id.type = jbvNull;
	(void) kg_mcp_refuse(&req, KG_MCP_INVALID_REQUEST, NULL, "%s", message);
	return error_response(&req, true);
}

/* A claim of the new era: any member of ours in params._meta. */
static const JsonbContainer *
find_meta(const KgMcpRequest *req, JsonbValue *meta, bool *claims)
{
	KgJsonIter it;

	*claims = false;
	if (kg_json_get(req->params, "_meta", meta) == NULL ||
		!kg_json_is_object(meta))
		return NULL;
	kg_json_iter_init(&it, kg_json_container(meta));
	while (kg_json_iter_next(&it))
		*claims |= it.key.val.string.len > strlen(META_PREFIX) &&
				   memcmp(it.key.val.string.val,
						  META_PREFIX,
						  strlen(META_PREFIX)) == 0;
	return kg_json_container(meta);
}

/* The envelope of 2026-07-28. */
static bool
check_envelope(KgMcpRequest *req, const JsonbContainer *meta)
{
	JsonbValue value;
	KgJsonWriter w;

	if (kg_json_get(meta, META_VERSION, &value) == NULL ||
		value.type != jbvString)
		return kg_mcp_refuse(
			req,
			KG_MCP_INVALID_PARAMS,
			data_string(
				"path",
				"/params/_meta/io.modelcontextprotocol~1protocolVersion"),
			"params._meta lacks \"%s\"",
			META_VERSION);
	if (!kg_json_string_is(&value, kg_mcp_revision_name(KG_MCP_2026_07_28)))
	{
		kg_jw_init(&w);
		kg_jw_begin_object(&w);
		write_supported(&w, "supported");
		kg_jw_key(&w, "requested");
		kg_jw_value(&w, &value);
		kg_jw_end_object(&w);
		return kg_mcp_refuse(req,
							 KG_MCP_VERSION_UNSUPPORTED,
							 kg_jw_finish(&w),
							 "the protocol version is not supported");
	}
	if (kg_json_get(meta, META_CAPABILITIES, &value) == NULL ||
		!kg_json_is_object(&value))
		return kg_mcp_refuse(
			req,
			KG_MCP_INVALID_PARAMS,
			data_string(
				"path",
				"/params/_meta/io.modelcontextprotocol~1clientCapabilities"),
			"params._meta lacks \"%s\"",
			META_CAPABILITIES);
	return true;
}

/* Which revision the message speaks; req->revision where it does not say. */
static bool
choose_revision(KgMcpRequest *req, const JsonbContainer *message)
{
	JsonbValue meta;
	JsonbValue told;
	bool claims;
	const JsonbContainer *container = find_meta(req, &meta, &claims);
	KgMcpRevision revision = req->revision;
	bool modern = claims;

	if (!claims && kg_json_get(message, "kg_revision", &told) != NULL)
	{
		if (told.type != jbvString ||
			!kg_mcp_revision_of_name(kg_json_cstring(&told), &revision))
			return kg_mcp_refuse(req,
								 KG_MCP_INVALID_REQUEST,
								 NULL,
								 "kg_revision is not a revision that is "
								 "served");
		modern = revision == KG_MCP_2026_07_28;
	}
	req->revision = modern ? KG_MCP_2026_07_28 : revision;
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

/* Where changes are told, and for how long the caller may hear of them. */
static void
write_listen(KgMcpRequest *req, KgJsonWriter *w)
{
	const KgTokenIdentity *token = kg_token_identity();

	kg_jw_key(w, "kg_listen");
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "key", kg_mcp_listen_key(req->tenant));
	if (token != NULL)
		kg_jw_kint(
			w,
			"seconds",
			Max(0, (token->expires - GetCurrentTimestamp()) / USECS_PER_SEC));
	kg_jw_end_object(w);
}

static void
begin_result(KgMcpRequest *req, KgJsonWriter *w)
{
	kg_jw_key(w, "id");
	kg_jw_value(w, &req->id);
	kg_jw_key(w, "result");
	kg_jw_begin_object(w);
	kg_mcp_write_envelope(req, w);
}

/* Around a result that is finished. */
static Jsonb *
wrap_result(KgMcpRequest *req)
{
	KgSplice response;

	kg_splice_init(&response);
	kg_splice_string(&response, "jsonrpc", "2.0");
	kg_splice_add(&response, "id", &req->id);
	kg_splice_jsonb(&response, "result", req->result);
	return kg_splice_finish(&response);
}

/* Run a method and make its response. */
static Jsonb *
respond(KgMcpRequest *req)
{
	KgMcpHandler handler = find_method(req);
	KgJsonWriter w;
	bool notifies = handler == subscriptions_listen;

	if (handler == NULL)
	{
		(void) kg_mcp_refuse(req,
							 KG_MCP_METHOD_NOT_FOUND,
							 NULL,
							 "the method does not exist in revision %s",
							 kg_mcp_revision_name(req->revision));
		return error_response(req, true);
	}
	req->agent = kg_agent_current();
	kg_jw_init(&w);
	kg_jw_begin_object(&w);
	kg_jw_kstring(&w, "jsonrpc", "2.0");
	if (!notifies)
		begin_result(req, &w);
	if (!handler(req, &w))
		return error_response(req, true);
	if (req->result != NULL)
		return wrap_result(req);
	if (!notifies)
		kg_jw_end_object(&w);
	if (req->listen)
		write_listen(req, &w);
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}

static bool
id_is_valid(const JsonbValue *id)
{
	int64 number;

	return id->type == jbvString || kg_json_int64(id, &number);
}

/*
 * One message that is an object, taken for the revision untold where nothing
 * says; NULL where nothing is to be said.
 */
static Jsonb *
answer_object(const JsonbContainer *message, const char *tenant,
			  KgMcpRevision untold)
{
	KgMcpRequest req;
	JsonbValue value;
	bool has_id;

	memset(&req, 0, sizeof(req));
	req.tenant = tenant;
	if (kg_json_get(message, "jsonrpc", &value) == NULL ||
		!kg_json_string_is(&value, "2.0"))
		return invalid_request("the message is not JSON-RPC 2.0");
	has_id = kg_json_get(message, "id", &req.id) != NULL;
	if (has_id && !id_is_valid(&req.id))
		return invalid_request("the id is neither a string nor an integer");
	if (kg_json_get(message, "method", &value) == NULL)
	{
		JsonbValue reply;

		/* A client's answer to a question that a gateway asked. */
		if (has_id && (kg_json_get(message, "result", &reply) ||
					   kg_json_get(message, "error", &reply)))
			return NULL;
		return invalid_request("the message has no method");
	}
	if (value.type != jbvString)
		return invalid_request("the method is not a string");
	req.method = kg_json_cstring(&value);
	if (kg_json_get(message, "params", &value) != NULL)
	{
		if (!kg_json_is_object(&value))
			return invalid_request("params is not an object");
		req.params = kg_json_container(&value);
	}
	if (!has_id)
		return NULL;
	req.revision = untold;
	if (!choose_revision(&req, message))
		return error_response(&req, true);
	return respond(&req);
}

/* Batches belong to one revision only; its initialize may not be in one. */
static bool
batch_member_ok(const JsonbValue *member)
{
	const JsonbContainer *message = kg_json_container(member);
	JsonbValue value;
	JsonbValue meta;
	KgMcpRequest req;
	bool claims;

	if (!kg_json_is_object(member))
		return true;
	if (kg_json_get(message, "kg_revision", &value) &&
		!kg_json_string_is(&value, kg_mcp_revision_name(KG_MCP_2025_03_26)))
		return false;
	if (kg_json_get(message, "method", &value) &&
		kg_json_string_is(&value, "initialize"))
		return false;
	memset(&req, 0, sizeof(req));
	if (kg_json_get(message, "params", &value))
		req.params = kg_json_container(&value);
	(void) find_meta(&req, &meta, &claims);
	return !claims;
}

/* A batch has one clock and one budget of bytes for all of its messages. */
typedef struct Batch
{
	const char *tenant;
	Size bytes;			 /* of the replies */
	const char *setting; /* that was exceeded: the rest is refused */
} Batch;

static Jsonb *
refuse_rest(const Batch *batch, const JsonbContainer *message)
{
	KgMcpRequest req;

	memset(&req, 0, sizeof(req));
	if (kg_json_get(message, "id", &req.id) == NULL || !id_is_valid(&req.id))
		return NULL;
	(void) kg_mcp_refuse(&req,
						 KG_MCP_BATCH_LIMIT,
						 data_string("setting", batch->setting),
						 "the batch exceeds %s, so this message was left out; "
						 "send it by itself",
						 batch->setting);
	return error_response(&req, true);
}

static Jsonb *
answer_member(Batch *batch, const JsonbValue *member)
{
	const JsonbContainer *message = kg_json_container(member);
	Jsonb *reply;

	if (!kg_json_is_object(member))
		return invalid_request("the message is not an object");
	if (batch->setting == NULL && kg_running_late())
		batch->setting = "kg_graph.max_call_time";
	if (batch->setting != NULL)
		return refuse_rest(batch, message);
	reply = answer_object(message, batch->tenant, KG_MCP_2025_03_26);
	if (reply == NULL)
		return NULL;
	batch->bytes += VARSIZE(reply);
	if (batch->bytes <= (Size) kg_setting_max_batch_bytes)
		return reply;
	batch->setting = "kg_graph.max_batch_bytes";
	return refuse_rest(batch, message);
}

static Jsonb *
answer_members(const JsonbContainer *messages, const char *tenant)
{
	MemoryContext old = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(
		old, "kg_graph batch message", ALLOCSET_DEFAULT_SIZES);
	Batch batch = {tenant, 0, NULL};
	KgJsonIter it;
	KgJsonWriter w;
	bool any = false;

	kg_jw_init(&w);
	kg_jw_begin_array(&w);
	kg_json_iter_init(&it, messages);
	while (kg_json_iter_next(&it))
	{
		Jsonb *reply;

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(work);
		reply = answer_member(&batch, &it.value);
		MemoryContextSwitchTo(old);
		if (reply != NULL)
			kg_jw_jsonb(&w, reply);
		any |= reply != NULL;
		MemoryContextReset(work);
	}
	MemoryContextDelete(work);
	kg_jw_end_array(&w);
	return any ? kg_jw_finish(&w) : NULL;
}

static Jsonb *
answer_batch(const JsonbContainer *batch, const char *tenant)
{
	KgJsonIter it;
	int n = kg_json_length(batch);
	bool ok = n > 0;

	kg_json_iter_init(&it, batch);
	while (kg_json_iter_next(&it))
		ok &= batch_member_ok(&it.value);
	if (!ok)
		return invalid_request("batches are not part of this revision");
	if (n > kg_setting_max_batch_messages)
		return invalid_request(psprintf("a batch of %d messages exceeds "
										"kg_graph.max_batch_messages (%d)",
										n,
										kg_setting_max_batch_messages));
	return answer_members(batch, tenant);
}

static Jsonb *
answer(const Jsonb *message, const char *tenant)
{
	if (JB_ROOT_IS_OBJECT(message))
		return answer_object(&message->root, tenant, KG_MCP_NEWEST_LEGACY);
	if (JB_ROOT_IS_ARRAY(message) && !JB_ROOT_IS_SCALAR(message))
		return answer_batch(&message->root, tenant);
	return invalid_request("the message is not an object");
}

/*
 * No role change, no settings that stay, no temporary objects, no writing.
 * After an error all of it is undone by the (sub)transaction's abort.
 */
static Jsonb *
answer_contained(const Jsonb *message, const char *tenant)
{
	Oid userid;
	int sec_context;
	int nest = NewGUCNestLevel();
	bool read_only = XactReadOnly;
	Jsonb *reply;

	GetUserIdAndSecContext(&userid, &sec_context);
	SetUserIdAndSecContext(userid,
						   sec_context | SECURITY_LOCAL_USERID_CHANGE |
							   SECURITY_RESTRICTED_OPERATION);
	XactReadOnly = true;
	reply = answer(message, tenant);
	XactReadOnly = read_only;
	SetUserIdAndSecContext(userid, sec_context);
	AtEOXact_GUC(false, nest);
	return reply;
}

/* The tenant of the call: verified, and the one that was routed to. */
static const char *
identify(const text *token, const text *routed)
{
	const char *tenant;
	KgError *err;

	if (token != NULL)
		kg_auth_login(token, false, true);
	tenant = kg_identity_require(KG_ACCESS_READ);
	if (routed == NULL || strcmp(text_to_cstring(routed), tenant) == 0)
		return tenant;
	err = kg_error_new(KG_FORBIDDEN,
					   "the argument tenant is not the caller's tenant");
	kg_error_expected(err, "the tenant of the verified identity, or NULL");
	kg_error_throw(err);
}

PGDLLEXPORT Datum kg_sql_mcp(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(kg_sql_mcp);

static Jsonb *
mcp(FunctionCallInfo fcinfo)
{
	MemoryContext context = CurrentMemoryContext;
	Jsonb *volatile reply = NULL;
	text *token = PG_ARGISNULL(1) ? NULL : PG_GETARG_TEXT_PP(1);
	text *routed = PG_ARGISNULL(2) ? NULL : PG_GETARG_TEXT_PP(2);

	PG_TRY();
	{
		const char *tenant = identify(token, routed);

		if (!PG_ARGISNULL(0))
			reply = answer_contained(PG_GETARG_JSONB_P(0), tenant);
	}
	PG_CATCH();
	{
		if (token != NULL)
			kg_auth_rethrow(context);
		PG_RE_THROW();
	}
	PG_END_TRY();
	return reply;
}

Datum
kg_sql_mcp(PG_FUNCTION_ARGS)
{
	return kg_entry(fcinfo, mcp);
}
