/*
 * session.c
 *	  The methods by which client and server agree on versions, capabilities,
 *	  logging levels and subscriptions.
 */
#include "postgres.h"

#include "mcp/app.h"

static void
write_flags(KgJsonWriter *w, const char *name, const char *flag,
			const char *flag2)
{
	kg_jw_kbegin_object(w, name);
	if (flag)
		kg_jw_kbool(w, flag, true);
	if (flag2)
		kg_jw_kbool(w, flag2, true);
	kg_jw_end_object(w);
}

static void
write_capabilities(KgMcpRequest *req, KgJsonWriter *w)
{
	kg_jw_kbegin_object(w, "capabilities");
	write_flags(w, "tools", "listChanged", NULL);
	write_flags(w, "prompts", "listChanged", NULL);
	write_flags(w, "resources", "listChanged", "subscribe");
	if (req->revision >= KG_MCP_2025_03_26)
		write_flags(w, "completions", NULL, NULL);
	if (req->revision < KG_MCP_2026_07_28)
		write_flags(w, "logging", NULL, NULL);
	if (req->app)
		kg_mcp_app_write_capability(w);
	/* A gateway remembers this capability for later messages of the client. */
	if (req->lax)
	{
		kg_jw_kbegin_object(w, "experimental");
		kg_jw_kbegin_object(w, KG_MCP_LAX);
		kg_jw_end_object(w);
		kg_jw_end_object(w);
	}
	kg_jw_end_object(w);
}

bool
kg_mcp_discover(KgMcpRequest *req, KgJsonWriter *w)
{
	kg_mcp_write_supported(w, "supportedVersions");
	write_capabilities(req, w);
	kg_jw_kstring(w, "instructions", kg_mcp_instructions(req));
	kg_mcp_cache_hints(req, w);
	return true;
}

/*
 * If the client requests a revision that is not supported, the response names
 * the newest revision that has initialize.
 */
bool
kg_mcp_initialize(KgMcpRequest *req, KgJsonWriter *w)
{
	char *asked = kg_mcp_string_param(req, "protocolVersion");
	JsonbValue capabilities;

	if (asked == NULL)
		return kg_mcp_refuse(req,
							 KG_MCP_INVALID_PARAMS,
							 NULL,
							 "params.protocolVersion must be a string");
	if (!kg_mcp_revision_of_name(asked, &req->revision) ||
		req->revision > KG_MCP_NEWEST_LEGACY)
		req->revision = KG_MCP_NEWEST_LEGACY;
	req->app = kg_json_get(req->params, "capabilities", &capabilities) !=
				   NULL &&
			   kg_json_is_object(&capabilities) &&
			   kg_mcp_app_agreed(req->revision,
								 kg_json_container(&capabilities));
	req->lax = kg_mcp_checks_arguments(req->params, "clientInfo");
	kg_jw_kstring(w, "protocolVersion", kg_mcp_revision_name(req->revision));
	write_capabilities(req, w);
	kg_jw_key(w, "serverInfo");
	kg_mcp_write_server_info(req, w);
	kg_jw_kstring(w, "instructions", kg_mcp_instructions(req));
	req->listen = true;
	return true;
}

bool
kg_mcp_ping(KgMcpRequest *req, KgJsonWriter *w)
{
	return true;
}

/* No log messages are sent to clients, so any level is accepted. */
bool
kg_mcp_set_level(KgMcpRequest *req, KgJsonWriter *w)
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

/*
 * The gateway stores the subscriptions, so this only returns an empty result.
 */
bool
kg_mcp_unsubscribe(KgMcpRequest *req, KgJsonWriter *w)
{
	if (kg_mcp_string_param(req, "uri") == NULL)
		return kg_mcp_refuse(
			req, KG_MCP_INVALID_PARAMS, NULL, "params.uri must be a string");
	return true;
}

bool
kg_mcp_subscribe(KgMcpRequest *req, KgJsonWriter *w)
{
	JsonbValue uri;

	if (!kg_mcp_unsubscribe(req, w))
		return false;
	(void) kg_json_get(req->params, "uri", &uri);
	if (!kg_mcp_may_be_told(req, &uri))
		return kg_mcp_refuse_resource(req, kg_json_cstring(&uri));
	/*
	 * Returns the notification channel only outside of a batch, because a
	 * gateway cannot extract it from the response to a batch.
	 */
	req->listen = req->member < 0;
	return true;
}

static void
write_uris(KgMcpRequest *req, const JsonbContainer *uris, KgJsonWriter *w)
{
	kg_jw_kbegin_array(w, "resourceSubscriptions");
	kg_json_each(it, uris)
		if (kg_mcp_may_be_told(req, &it.value))
			kg_jw_value(w, &it.value);
	kg_jw_end_array(w);
}

/*
 * Writes the accepted part of the requested filter: the supported kinds of
 * notifications, and the resources whose changes the caller may see.
 */
static void
write_filter(KgMcpRequest *req, const JsonbContainer *asked, KgJsonWriter *w)
{
	static const char *const kinds[] = {
		"toolsListChanged", "promptsListChanged", "resourcesListChanged"};
	JsonbValue value;

	kg_jw_begin_object(w);
	for (int i = 0; i < lengthof(kinds); i++)
		if (kg_json_is_true(asked, kinds[i]))
			kg_jw_kbool(w, kinds[i], true);
	if (kg_json_get(asked, "resourceSubscriptions", &value) &&
		kg_json_is_array(&value))
		write_uris(req, kg_json_container(&value), w);
	kg_jw_end_object(w);
}

/*
 * Writes the whole notification that confirms the subscription. The result of
 * the request follows only when the subscription ends.
 */
bool
kg_mcp_subscriptions_listen(KgMcpRequest *req, KgJsonWriter *w)
{
	JsonbValue asked;

	if (kg_json_get(req->params, "notifications", &asked) == NULL ||
		!kg_json_is_object(&asked))
		return kg_mcp_refuse(req,
							 KG_MCP_INVALID_PARAMS,
							 kg_mcp_error_data("path", "/params/notifications"),
							 "params.notifications is not an object");
	req->notification = true;
	req->listen = true;
	kg_jw_kstring(w, "method", "notifications/subscriptions/acknowledged");
	kg_jw_kbegin_object(w, "params");
	kg_jw_kbegin_object(w, "_meta");
	kg_jw_key(w, KG_MCP_META_SUBSCRIPTION);
	kg_jw_value(w, &req->id);
	kg_jw_end_object(w);
	kg_jw_key(w, "notifications");
	write_filter(req, kg_json_container(&asked), w);
	kg_jw_end_object(w);
	return true;
}
