/*
 * message.c
 *	  The properties of a JSON-RPC message that a gateway needs.
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/message.h"

static const char *const legacy[] = {
	"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

bool
kg_revision_is_modern(const char *revision)
{
	return revision != NULL && strcmp(revision, KG_MODERN) == 0;
}

bool
kg_revision_is_legacy(const char *revision)
{
	for (size_t i = 0; revision != NULL && i < 4; i++)
		if (strcmp(revision, legacy[i]) == 0)
			return true;
	return false;
}

bool
kg_revision_has_batches(const char *revision)
{
	return strcmp(revision, "2025-03-26") == 0;
}

/*
 * Returns an id as JSON text for the response. Returns NULL if the id is too
 * long, or not a string or an integer.
 */
static char *
id_text(const KgJson *id)
{
	KgBuf out;

	if (id == NULL || id->len > 1024 ||
		(id->kind != KG_JSON_STRING && !kg_json_is_integer(id)))
		return NULL;
	kg_buf_init(&out);
	kg_json_write(&out, id, -1);
	return kg_buf_detach(&out);
}

static void
read_meta(KgMessage *msg)
{
	msg->meta = kgctl_json_get(msg->params, "_meta");
	if (msg->meta == NULL || msg->meta->kind != KG_JSON_OBJECT)
		return;
	for (size_t i = 0; i < msg->meta->len; i++)
		if (strncmp(msg->meta->u.members[i].key, KG_META, strlen(KG_META)) == 0)
			msg->modern = true;
	msg->revision = kg_json_get_text(msg->meta, KG_META "protocolVersion");
}

bool
kg_message_parse(KgMessage *msg, const char *text, size_t len, char **error)
{
	const KgJson *id;

	memset(msg, 0, sizeof(*msg));
	msg->arena = kg_arena_new();
	msg->root = kgctl_json_parse(msg->arena, text, len, NULL, error);
	if (msg->root == NULL)
		return false;
	if (msg->root->kind == KG_JSON_ARRAY)
		msg->kind = KG_MSG_BATCH;
	if (msg->root->kind != KG_JSON_OBJECT)
		return true;
	id = kgctl_json_get(msg->root, "id");
	msg->id = id_text(id);
	msg->method = kg_json_get_text(msg->root, "method");
	msg->params = kgctl_json_get(msg->root, "params");
	read_meta(msg);
	if (msg->method != NULL)
		msg->kind = id != NULL ? KG_MSG_REQUEST : KG_MSG_NOTIFICATION;
	else if (id != NULL && (kgctl_json_get(msg->root, "result") != NULL ||
							kgctl_json_get(msg->root, "error") != NULL))
		msg->kind = KG_MSG_RESPONSE;
	return true;
}

/* ---- the id of a refused message ---- */

/*
 * Maximal length of an id as JSON text: 1024 characters, each of them escaped,
 * and the quotes.
 */
#define MAX_ID_TOKEN (6 * 1024 + 2)

void
kg_id_scan_start(KgIdScan *scan)
{
	memset(scan, 0, sizeof(*scan));
	kg_buf_init(&scan->token);
}

/*
 * Evaluates the token, which is a complete name or value of the outermost
 * object: takes the value of "id", and notes a member "method".
 */
static void
end_token(KgIdScan *scan, bool is_name)
{
	KgArena *arena;
	char *error = NULL;

	if (is_name)
	{
		scan->is_id = strcmp(scan->token.data, "\"id\"") == 0;
		scan->is_request = scan->is_request ||
						   strcmp(scan->token.data, "\"method\"") == 0;
		scan->ids += scan->is_id;
	}
	else if (scan->is_id && scan->token.len > 0)
	{
		arena = kg_arena_new();
		free(scan->id);
		scan->id = id_text(kgctl_json_parse(
			arena, scan->token.data, scan->token.len, NULL, &error));
		kg_arena_free(arena);
		free(error);
	}
	scan->token.len = 0;
	scan->place = is_name ? KG_SCAN_COLON : KG_SCAN_COMMA;
}

static void
keep(KgIdScan *scan, char c)
{
	if (scan->depth == 1 && scan->token.len <= MAX_ID_TOKEN)
		kg_buf_putc(&scan->token, c);
}

static void
scan_in_string(KgIdScan *scan, char c)
{
	keep(scan, c);
	if (scan->escaped)
		scan->escaped = false;
	else if (c == '\\')
		scan->escaped = true;
	else if (c == '"')
	{
		scan->in_string = false;
		if (scan->depth == 1)
			end_token(scan, scan->place == KG_SCAN_NAME);
	}
}

static bool
is_space(char c)
{
	return memchr(" \t\r\n", c, 4) != NULL;
}

/*
 * Scans a character of the outermost object that is not part of a string or a
 * nested value.
 */
static void
scan_outermost(KgIdScan *scan, char c)
{
	bool in_word = scan->place == KG_SCAN_VALUE && scan->token.len > 0;

	if (in_word && (is_space(c) || c == ',' || c == '}'))
		end_token(scan, false);
	if (is_space(c))
		return;
	if (c == '}' && scan->place != KG_SCAN_COLON)
	{
		scan->depth = 0;
		scan->place = KG_SCAN_END;
	}
	else if (c == ',' && scan->place == KG_SCAN_COMMA)
		scan->place = KG_SCAN_NAME;
	else if (c == ':' && scan->place == KG_SCAN_COLON)
		scan->place = KG_SCAN_VALUE;
	else if (c == '"' && (scan->place == KG_SCAN_NAME ||
						  (scan->place == KG_SCAN_VALUE && !in_word)))
	{
		scan->in_string = true;
		keep(scan, c);
	}
	else if ((c == '{' || c == '[') && scan->place == KG_SCAN_VALUE && !in_word)
		scan->depth = 2;
	else if (scan->place == KG_SCAN_VALUE && memchr(",:]", c, 3) == NULL)
		keep(scan, c);
	else
		scan->place = KG_SCAN_LOST;
}

static void
scan_outside(KgIdScan *scan, char c)
{
	if (c == '{' && scan->place == KG_SCAN_START)
	{
		scan->depth = 1;
		scan->place = KG_SCAN_NAME;
	}
	/*
	 * Only spaces and a byte order mark may precede the object, and only spaces
	 * may follow it.
	 */
	else if (!is_space(c) && (scan->place == KG_SCAN_END ||
							  memchr("\xEF\xBB\xBF", c, 3) == NULL))
	{
		scan->place = KG_SCAN_LOST;
		scan->ids = 0;
	}
}

void
kg_id_scan(KgIdScan *scan, const char *text, size_t len)
{
	for (size_t i = 0; i < len && scan->place != KG_SCAN_LOST; i++)
	{
		char c = text[i];

		if (scan->in_string)
			scan_in_string(scan, c);
		else if (scan->depth == 0)
			scan_outside(scan, c);
		else if (scan->depth == 1)
			scan_outermost(scan, c);
		else if (c == '"')
			scan->in_string = true;
		else if (c == '{' || c == '[')
			scan->depth++;
		else if ((c == '}' || c == ']') && --scan->depth == 1)
			scan->place = KG_SCAN_COMMA;
	}
}

char *
kg_id_scan_end(KgIdScan *scan)
{
	char *id = scan->id;

	/*
	 * Without a method, the message is a response. A response has the id of a
	 * request by the gateway, so its id must not be used. A repeated id is
	 * ambiguous.
	 */
	if (!scan->is_request || scan->ids != 1)
	{
		free(id);
		id = NULL;
	}
	kg_buf_free(&scan->token);
	memset(scan, 0, sizeof(*scan));
	return id;
}

char *
kg_message_find_id(const char *text, size_t len)
{
	KgIdScan scan;

	kg_id_scan_start(&scan);
	kg_id_scan(&scan, text, len);
	return kg_id_scan_end(&scan);
}

void
kg_message_free(KgMessage *msg)
{
	free(msg->id);
	kg_arena_free(msg->arena);
	memset(msg, 0, sizeof(*msg));
}

const char *
kg_message_name(const KgMessage *msg)
{
	if (msg->method == NULL)
		return NULL;
	if (strcmp(msg->method, "tools/call") == 0 ||
		strcmp(msg->method, "prompts/get") == 0)
		return kg_json_get_text(msg->params, "name");
	if (strcmp(msg->method, "resources/read") == 0)
		return kg_json_get_text(msg->params, "uri");
	return NULL;
}

static bool
is_tool_call(const KgJson *message)
{
	const char *method = kg_json_get_text(message, "method");

	return method != NULL && strcmp(method, "tools/call") == 0 &&
		   kgctl_json_get(message, "id") != NULL;
}

size_t
kg_message_tool_calls(const KgMessage *msg)
{
	size_t n = 0;

	if (msg->kind != KG_MSG_BATCH)
		return is_tool_call(msg->root);
	for (size_t i = 0; i < msg->root->len; i++)
		n += is_tool_call(msg->root->u.items[i]);
	return n;
}

/* Begins a response. id is JSON text and is written unchanged. */
static void
begin_response(KgBuf *out, const char *id)
{
	kg_buf_printf(
		out, "{\"jsonrpc\":\"2.0\",\"id\":%s,", id && *id ? id : "null");
}

void
kg_message_error(KgBuf *out, const char *id, int code, const char *text)
{
	json_t *message = json_string(text);

	/*
	 * A message of a server may be invalid UTF-8, and then json_string()
	 * returns NULL.
	 */
	if (message == NULL)
		message = json_string("the error is not UTF-8");
	begin_response(out, id);
	kg_buf_puts(out, "\"error\":");
	kg_json_write_made(
		out, json_pack("{s:i, s:o}", "code", code, "message", message));
	kg_buf_putc(out, '}');
}

void
kg_message_result(KgBuf *out, const char *id, json_t *result)
{
	begin_response(out, id);
	kg_buf_puts(out, "\"result\":");
	kg_json_write_made(out, result);
	kg_buf_putc(out, '}');
}

void
kg_message_tool_error(KgBuf *out, const char *id, const char *revision,
					  KgRefusal refusal, const char *text, long retry_after_ms)
{
	/*
	 * Codes and levels of errors, which must be equal to those in
	 * src/base/error.c.
	 */
	static const struct
	{
		const char *code;
		const char *level;
		const char *sqlstate;
	} refusals[] = {{"FORBIDDEN", "service", "42501"},
					{"LIMIT_EXCEEDED", "engine", "54000"},
					{"INTERNAL", "service", "XX000"}};
	json_t *error = json_pack("{s:s, s:s, s:s, s:s}",
							  "level",
							  refusals[refusal].level,
							  "code",
							  refusals[refusal].code,
							  "sqlstate",
							  refusals[refusal].sqlstate,
							  "message",
							  text);
	json_t *structured = json_pack("{s:O}", "error", error);
	json_t *result = json_pack("{s:b}", "isError", 1);
	KgBuf plain;

	if (retry_after_ms >= 0)
		json_object_set_new(
			error, "retry_after_ms", json_integer(retry_after_ms));
	kg_buf_init(&plain);
	kg_json_write_made(&plain, json_incref(structured));
	json_object_set_new(
		result,
		"content",
		json_pack("[{s:s, s:s}]", "type", "text", "text", plain.data));
	kg_buf_free(&plain);
	/* Revisions are dates, so strcmp() orders them. */
	if (revision == NULL || strcmp(revision, "2025-06-18") >= 0)
		json_object_set(result, "structuredContent", structured);
	if (revision == NULL)
		json_object_set_new(result, "resultType", json_string("complete"));
	json_decref(error);
	json_decref(structured);
	kg_message_result(out, id, result);
}

static size_t
skip_space(const char *text, size_t len, size_t at)
{
	while (at < len && is_space(text[at]))
		at++;
	return at;
}

void
kg_message_with_revision(KgBuf *out, const char *text, size_t len,
						 const char *revision, const KgAgreed *agreed)
{
	size_t skip = skip_space(text, len, 0);
	size_t first;

	/*
	 * Do not change a message that is not an object. The database refuses it.
	 */
	if (skip >= len || text[skip] != '{')
	{
		kg_buf_add(out, text, len);
		return;
	}
	first = skip_space(text, len, skip + 1);
	while (len > 0 && text[len - 1] != '}')
		len--;
	/*
	 * Append the members at the end. If a name occurs several times, jsonb uses
	 * the last value, so a client cannot set these members.
	 */
	kg_buf_add(out, text, len - 1);
	kg_buf_printf(out,
				  "%s\"kg_revision\":\"%s\",\"kg_app\":%s,\"kg_lax\":%s}",
				  text[first] == '}' ? "" : ",",
				  revision,
				  agreed->app ? "true" : "false",
				  agreed->lax ? "true" : "false");
}

static bool
has_capability(const char *text, size_t len, const char *kind, const char *name)
{
	const char *const path[] = {"result", "capabilities", kind, name};

	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++)
		if (!kg_json_scan(text, len, path[i], &text, &len))
			return false;
	return true;
}

KgAgreed
kg_answer_agrees(const char *text, size_t len)
{
	KgAgreed agreed;

	agreed.app = has_capability(text, len, "extensions", KG_META "ui");
	agreed.lax = has_capability(
		text, len, "experimental", "kg_graph/schema_lax");
	return agreed;
}
