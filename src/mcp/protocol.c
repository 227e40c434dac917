/*
 * protocol.c
 *	  Functions shared by the handlers of the Model Context Protocol.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "mcp/protocol.h"
#include "tools/input/schema_form.h"
#include "utils/builtins.h"

/*
 * Number of items on a page. A client requests the next page with the cursor.
 */
#define KG_MCP_PAGE 100
#define KG_MCP_META_SERVER "io.modelcontextprotocol/serverInfo"
/*
 * Milliseconds for which a client may cache a list. Clients that listen are
 * notified of changes earlier.
 */
#define KG_MCP_TTL 60000

static const char *const revision_names[KG_MCP_REVISIONS] = {
	"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"};

const char *
kg_mcp_revision_name(KgMcpRevision revision)
{
	return revision_names[revision];
}

bool
kg_mcp_revision_of_name(const char *name, KgMcpRevision *revision)
{
	for (int i = 0; i < KG_MCP_REVISIONS; i++)
	{
		if (strcmp(revision_names[i], name) != 0)
			continue;
		*revision = i;
		return true;
	}
	return false;
}

bool
kg_mcp_refuse(KgMcpRequest *req, int code, Jsonb *data, const char *fmt, ...)
{
	StringInfoData message;

	initStringInfo(&message);
	for (;;)
	{
		va_list args;
		int needed;

		va_start(args, fmt);
		needed = appendStringInfoVA(&message, fmt, args);
		va_end(args);
		if (needed == 0)
			break;
		enlargeStringInfo(&message, needed);
	}
	req->error_code = code;
	req->error_message = message.data;
	req->error_data = data;
	return false;
}

Jsonb *
kg_mcp_error_data(const char *name, const char *value)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, name, value);
	return kg_jw_finish(&w);
}

void
kg_mcp_write_supported(KgJsonWriter *w, const char *name)
{
	kg_jw_kbegin_array(w, name);
	kg_jw_string(w, kg_mcp_revision_name(KG_MCP_2026_07_28));
	kg_jw_end_array(w);
}

bool
kg_mcp_checks_arguments(const JsonbContainer *object, const char *member)
{
	JsonbValue client;
	JsonbValue name;

	return kg_json_get(object, member, &client) != NULL &&
		   kg_json_is_object(&client) &&
		   kg_json_get(kg_json_container(&client), "name", &name) != NULL &&
		   name.type == jbvString &&
		   kg_client_checks_arguments(kg_json_cstring(&name));
}

char *
kg_mcp_string_param(const KgMcpRequest *req, const char *name)
{
	JsonbValue value;

	if (kg_json_get(req->params, name, &value) == NULL ||
		value.type != jbvString)
		return NULL;
	return kg_json_cstring(&value);
}

void
kg_mcp_write_server_info(KgMcpRequest *req, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "name", "kg_graph");
	if (req->revision >= KG_MCP_2025_06_18)
		kg_jw_kstring(w, "title", "Knowledge graph");
	kg_jw_kstring(w, "version", KG_VERSION);
	kg_jw_end_object(w);
}

void
kg_mcp_write_envelope(KgMcpRequest *req, KgJsonWriter *w)
{
	if (req->revision < KG_MCP_2026_07_28)
		return;
	kg_jw_kbegin_object(w, "_meta");
	kg_jw_key(w, KG_MCP_META_SERVER);
	kg_mcp_write_server_info(req, w);
	kg_jw_end_object(w);
	kg_jw_kstring(w, "resultType", "complete");
}

void
kg_mcp_splice_envelope(KgMcpRequest *req, const JsonbValue *meta,
					   KgSplice *result)
{
	KgJsonWriter w;

	if (req->revision < KG_MCP_2026_07_28)
	{
		if (meta != NULL)
			kg_splice_add(result, "_meta", meta);
		return;
	}
	kg_jw_init_object(&w);
	kg_jw_key(&w, KG_MCP_META_SERVER);
	kg_mcp_write_server_info(req, &w);
	if (meta != NULL)
		kg_jw_members(&w, kg_json_container(meta));
	kg_splice_jsonb(result, "_meta", kg_jw_finish(&w));
	kg_splice_string(
		result, "resultType", req->asks ? "input_required" : "complete");
}

/*
 * Returns a cursor: the last name of a page, in hexadecimal. The next page
 * starts after this name, even if other names were added or removed in the
 * meantime.
 */
static char *
cursor_of_name(const char *name)
{
	int len = strlen(name);
	char *cursor = palloc(2 * len + 1);

	hex_encode(name, len, cursor);
	cursor[2 * len] = '\0';
	return cursor;
}

static bool
names_cursor(const char *name, const char *cursor)
{
	return strlen(cursor) == 2 * strlen(name) &&
		   strcmp(cursor_of_name(name), cursor) == 0;
}

bool
kg_mcp_page(KgMcpRequest *req, const char *const *names, int n, int *start,
			int *end)
{
	JsonbValue value;
	char *cursor;

	*start = 0;
	if (kg_json_get(req->params, "cursor", &value) != NULL)
	{
		cursor = value.type == jbvString ? kg_json_cstring(&value) : NULL;
		while (cursor != NULL && *start < n &&
			   !names_cursor(names[*start], cursor))
			(*start)++;
		if (cursor == NULL || *start == n)
			return kg_mcp_refuse(req,
								 KG_MCP_INVALID_PARAMS,
								 NULL,
								 "the cursor is not from this list; start "
								 "again without a cursor");
		(*start)++;
	}
	*end = Min(n, *start + KG_MCP_PAGE);
	return true;
}

void
kg_mcp_end_page(KgMcpRequest *req, KgJsonWriter *w, const char *const *names,
				int n, int end)
{
	if (end < n && end > 0)
		kg_jw_kstring(w, "nextCursor", cursor_of_name(names[end - 1]));
	kg_mcp_cache_hints(req, w);
}

void
kg_mcp_cache_hints(KgMcpRequest *req, KgJsonWriter *w)
{
	if (req->revision < KG_MCP_2026_07_28)
		return;
	kg_jw_kint(w, "ttlMs", KG_MCP_TTL);
	/* Each caller may see different data, so caches must not be shared. */
	kg_jw_kstring(w, "cacheScope", "private");
}
