/*
 * observe.c
 *	  Counting an answered message in the metrics: its method, tool and error.
 */
#include <stdio.h>
#include <string.h>

#include "kgctl/metrics.h"
#include "kgctl/observe.h"

static const char tools_call[] = "tools/call";

/*
 * Counts the code of a tool's error. In older revisions, the result contains
 * the code only within a text.
 */
static void
observe_tool_error(const char *result, size_t len)
{
	json_t *root = json_loadb(result, len, 0, NULL);
	json_t *error = json_object_get(root, "structuredContent");
	const char *text = json_string_value(json_object_get(
		json_array_get(json_object_get(root, "content"), 0), "text"));
	json_t *read = error == NULL && text != NULL ? json_loads(text, 0, NULL)
												 : NULL;
	const char *code = json_string_value(json_object_get(
		json_object_get(error != NULL ? error : read, "error"), "code"));

	code = code ? code : "";
	kg_count_error(KG_ERROR_TOOL, code, strlen(code));
	json_decref(read);
	json_decref(root);
}

/* Counts one response. Returns whether it is a result, not an error. */
static bool
observe_response(const char *text, size_t len)
{
	const char *value;
	const char *flag;
	size_t n;
	size_t nflag;

	if (kg_json_scan(text, len, "result", &value, &n))
	{
		if (kg_json_scan(value, n, "isError", &flag, &nflag) && nflag == 4)
			observe_tool_error(value, n);
		return true;
	}
	if (kg_json_scan(text, len, "error", &value, &n) &&
		kg_json_scan(value, n, "code", &flag, &nflag))
		kg_count_error(KG_ERROR_PROTOCOL, flag, nflag);
	return false;
}

/*
 * Counts the calls of a batch. Each call is counted with the duration of the
 * whole batch.
 */
static void
observe_batch(const KgMessage *msg, const KgAnswer *answer, int64_t us)
{
	KgArena *arena = kg_arena_new();
	char *error = NULL;
	const KgJson *list = kgctl_json_parse(
		arena, answer->text, answer->len, NULL, &error);
	KgBuf text;

	kg_buf_init(&text);
	for (size_t i = 0; i < msg->root->len; i++)
	{
		const KgJson *item = msg->root->u.items[i];
		const char *method = kg_json_get_text(item, "method");

		kg_count_message(method);
		if (method != NULL && strcmp(method, tools_call) == 0)
			kg_count_call(
				kg_json_get_text(kgctl_json_get(item, "params"), "name"),
				false,
				us);
	}
	for (size_t i = 0; i < kgctl_json_length(list); i++)
	{
		text.len = 0;
		kg_json_write(&text, list->u.items[i], -1);
		(void) observe_response(text.data, text.len);
	}
	kg_buf_free(&text);
	kg_arena_free(arena);
}

void
kg_observe(const KgMessage *msg, const KgAnswer *answer, int64_t us)
{
	bool known = false;
	char status[16];

	if (answer->failed)
	{
		snprintf(status, sizeof(status), "%d", answer->status);
		if (answer->sqlstate != NULL)
			kg_count_error(
				KG_ERROR_SQL, answer->sqlstate, strlen(answer->sqlstate));
		else
			kg_count_error(KG_ERROR_GATEWAY, status, strlen(status));
	}
	else if (answer->text != NULL && answer->text[0] == '[')
	{
		kg_count_message("batch");
		observe_batch(msg, answer, us);
		return;
	}
	else if (answer->text != NULL)
		known = observe_response(answer->text, answer->len);
	kg_count_message(msg->kind == KG_MSG_BATCH ? "batch" : msg->method);
	if (msg->method != NULL && strcmp(msg->method, tools_call) == 0)
		kg_count_call(kg_message_name(msg), known, us);
}
