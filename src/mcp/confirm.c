/*
 * confirm.c
 *	  Confirmation of a write by the client's user, through elicitation.
 *
 * Since 2026-07-28 a result may request input from the user. The client then
 * sends the call again, with the user's answer and with requestState, the
 * signed value of tools/write/confirm.h. A client of an earlier revision, or
 * without support of elicitation, gets the reply with "confirm" unchanged, so
 * that the model can confirm.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "mcp/confirm.h"
#include "tools/dispatch.h"

/* key of the question to the user in inputRequests */
#define KG_MCP_CONFIRM "confirm"
#define KG_MCP_NAMED_IDS 10

static const JsonbContainer *
object_member(const JsonbContainer *object, const char *name)
{
	JsonbValue value;

	if (object == NULL || kg_json_get(object, name, &value) == NULL ||
		!kg_json_is_object(&value))
		return NULL;
	return kg_json_container(&value);
}

KgMcpAnswer
kg_mcp_read_answer(const KgMcpRequest *req, const Jsonb **arguments)
{
	const JsonbContainer *answer = object_member(
		object_member(req->params, "inputResponses"), KG_MCP_CONFIRM);
	const JsonbContainer *content = NULL;
	JsonbValue state;
	JsonbValue value;

	/* If there is no answer, the question is sent again. */
	if (req->revision < KG_MCP_2026_07_28 || answer == NULL ||
		!JB_ROOT_IS_OBJECT(*arguments) ||
		kg_json_get(req->params, "requestState", &state) == NULL ||
		kg_json_get(answer, "action", &value) == NULL)
		return KG_MCP_NO_ANSWER;
	if (!kg_json_string_is(&value, "accept"))
		return KG_MCP_REFUSED;
	content = object_member(answer, "content");
	if (!kg_json_is_true(content, KG_MCP_CONFIRM))
		return KG_MCP_REFUSED;
	*arguments = kg_json_with(*arguments, "confirm", &state);
	return KG_MCP_AGREED;
}

Jsonb *
kg_mcp_declined(KgMcpRequest *req)
{
	static const char text[] = "the user did not agree; nothing was written";
	KgSplice result;

	kg_splice_init(&result);
	kg_mcp_splice_envelope(req, NULL, &result);
	kg_splice_jsonb(&result, "content", kg_text_content(text));
	kg_splice_jsonb(&result,
					"structuredContent",
					kg_json_parse(psprintf(
						"{\"error\": {\"level\": \"operation\", \"code\": "
						"\"FORBIDDEN\", \"sqlstate\": \"42501\", "
						"\"message\": \"%s\"}}",
						text)));
	kg_splice_bool(&result, "isError", true);
	return kg_splice_finish(&result);
}

/* Returns true if the client can show a form to its user. */
static bool
can_ask(const KgMcpRequest *req)
{
	const JsonbContainer *elicitation = object_member(
		object_member(object_member(req->params, "_meta"),
					  KG_MCP_META_CAPABILITIES),
		"elicitation");
	JsonbValue value;

	return req->revision >= KG_MCP_2026_07_28 && elicitation != NULL &&
		   (kg_json_length(elicitation) == 0 ||
			kg_json_get(elicitation, "form", &value) != NULL);
}

/*
 * Returns a text that shows a user the effect of the call: "delete_brand would
 * write: 2 deleted (north, south)". If a dry run is impossible, the text only
 * says that the tool would write.
 */
static char *
question_text(const char *tool, const JsonbContainer *reply)
{
	const JsonbContainer *counts = object_member(reply, "counts");
	StringInfoData text;
	JsonbValue value;
	KgJsonIter it;
	int n = 0;

	initStringInfo(&text);
	appendStringInfo(&text, "%s would write", tool);
	if (counts != NULL)
	{
		kg_json_each(count, counts)
			appendStringInfo(&text,
							 "%s %s %s",
							 count.index > 0 ? "," : ":",
							 kg_json_cstring(&count.value),
							 kg_json_cstring(&count.key));
	}
	if (kg_json_get(reply, "items", &value) != NULL && kg_json_is_array(&value))
	{
		kg_json_iter_init(&it, kg_json_container(&value));
		while (kg_json_iter_next(&it) && n < KG_MCP_NAMED_IDS)
		{
			JsonbValue id;

			if (kg_json_get(kg_json_container(&it.value), "id", &id) == NULL)
				continue;
			appendStringInfo(
				&text, "%s%s", n++ > 0 ? ", " : " (", kg_json_cstring(&id));
		}
		if (n > 0)
			appendStringInfoString(&text, it.index + 1 < it.n ? ", ...)" : ")");
	}
	appendStringInfoString(&text, ". Shall it?");
	return text.data;
}

static Jsonb *
input_requests(const char *message)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kbegin_object(&w, KG_MCP_CONFIRM);
	kg_jw_kstring(&w, "method", "elicitation/create");
	kg_jw_kbegin_object(&w, "params");
	kg_jw_kstring(&w, "mode", "form");
	kg_jw_kstring(&w, "message", message);
	kg_jw_kjsonb(
		&w,
		"requestedSchema",
		kg_json_parse("{\"type\": \"object\", \"required\": [\"confirm\"], "
					  "\"properties\": {\"confirm\": {\"type\": \"boolean\", "
					  "\"title\": \"Write it\"}}}"));
	kg_jw_end_object(&w);
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}

Jsonb *
kg_mcp_question(KgMcpRequest *req, const char *tool, const Jsonb *result)
{
	const JsonbContainer *reply = object_member(&result->root,
												"structuredContent");
	const JsonbContainer *error = object_member(reply, "error");
	JsonbValue state;
	KgSplice asking;

	/*
	 * Only a reply that needs confirmation, or an error that replaces it, has
	 * the member "confirm".
	 */
	if (error != NULL)
		reply = error;
	if (reply == NULL || kg_json_get(reply, "confirm", &state) == NULL ||
		state.type != jbvString || !can_ask(req))
		return NULL;
	req->asks = true;
	kg_splice_init(&asking);
	kg_mcp_splice_envelope(req, NULL, &asking);
	kg_splice_jsonb(
		&asking, "inputRequests", input_requests(question_text(tool, reply)));
	kg_splice_add(&asking, "requestState", &state);
	return kg_splice_finish(&asking);
}
