/*
 * app.c
 *	  The explorer as an MCP App (SEP-1865, the extension io.modelcontextprotocol/ui).
 *
 *	  ui://kg_graph/explorer            the page, as kgctl serve --explorer has it
 *
 * The page is a file on the server, beside the extension's own: so every gateway
 * has it that passes messages on, and none has to know of it.  Where it is not
 * installed, or the client does not show pages, nothing of this exists.
 */
#include "postgres.h"

#include "base/settings.h"
#include "base/toolset.h"
#include "mb/pg_wchar.h"
#include "mcp/app.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "tools/dispatch.h"
#include "tools/fixed_tools.h"
#include "utils/memutils.h"

#include <sys/stat.h>

#define KG_MCP_APP_EXTENSION KG_MCP_META_PREFIX "ui"
/* More than the page is built with at most (explorer/build.mjs). */
#define KG_MCP_APP_BYTES (1024 * 1024)

/* What the page has and a file that is none has not: kgctl looks for it too. */
static const char page_mark[] = "\"kg-endpoint\" content=\"mcp\"";

static const char own_tool[] =
	"{\"name\": \"" KG_MCP_APP_TOOL "\", \"title\": \"Start of the explorer\", "
	"\"description\": \"What the page " KG_MCP_APP_URI " asks first: which of "
	"your tools read, and where the schemas of the types are.\", "
	"\"inputSchema\": {\"type\": \"object\"}, \"outputSchema\": {\"type\": "
	"\"object\", \"required\": [\"reads\", \"resources\"], \"properties\": "
	"{\"reads\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}, "
	"\"resources\": {\"type\": \"array\", \"items\": {\"type\": "
	"\"object\"}}}}, "
	"\"annotations\": {\"readOnlyHint\": true, \"openWorldHint\": false}, "
	"\"_meta\": {\"ui\": {\"resourceUri\": \"" KG_MCP_APP_URI "\", "
	"\"visibility\": [\"app\"]}}}";

/* NULL: a DBA wants none. */
static char *
page_path(void)
{
	char share[MAXPGPATH];

	if (kg_setting_explorer_file[0] == '\0')
		return NULL;
	if (is_absolute_path(kg_setting_explorer_file))
		return kg_setting_explorer_file;
	get_share_path(my_exec_path, share);
	return psprintf("%s/extension/%s", share, kg_setting_explorer_file);
}

/* The whole file, and a byte that ends it; NULL where it cannot be read. */
static char *
read_file(const char *path, size_t *len)
{
	FILE *file = AllocateFile(path, PG_BINARY_R);
	char *text;
	bool ok;

	if (file == NULL)
		return NULL;
	text = palloc(KG_MCP_APP_BYTES + 1);
	*len = fread(text, 1, KG_MCP_APP_BYTES, file);
	ok = ferror(file) == 0;
	text[*len] = '\0';
	FreeFile(file);
	return ok ? text : NULL;
}

/* NULL where the file is not the page; then the log has it. */
static char *
read_page(const char *path)
{
	size_t len = 0;
	char *text = read_file(path, &len);

	/* Whatever else the setting names is not told to anybody. */
	if (text != NULL && len < KG_MCP_APP_BYTES && strlen(text) == len &&
		strstr(text, page_mark) != NULL &&
		pg_encoding_verifymbstr(PG_UTF8, text, len) == (int) len)
		return text;
	ereport(LOG,
			(errmsg("\"%s\" is not the page of the explorer", path),
			 errhint("Set \"%s\".", "kg_graph.explorer_file")));
	return NULL;
}

char *
kg_mcp_app_page(void)
{
	char *path = page_path();

	return path ? read_page(path) : NULL;
}

/* A file is read once to see what it is, and again when it is another. */
static bool
page_exists(void)
{
	static char *seen_path = NULL;
	static struct stat seen;
	static bool is_page;
	struct stat found;
	char *path = page_path();

	if (path == NULL || stat(path, &found) != 0 || !S_ISREG(found.st_mode))
		return false;
	if (seen_path == NULL || strcmp(path, seen_path) != 0 ||
		found.st_dev != seen.st_dev || found.st_ino != seen.st_ino ||
		found.st_size != seen.st_size || found.st_mtime != seen.st_mtime)
	{
		char *copy = MemoryContextStrdup(TopMemoryContext, path);

		if (seen_path != NULL)
			pfree(seen_path);
		seen_path = copy;
		seen = found;
		is_page = read_page(path) != NULL;
	}
	return is_page;
}

static bool
has_string(const JsonbContainer *object, const char *key, const char *wanted)
{
	JsonbValue list;

	if (kg_json_get(object, key, &list) == NULL || !kg_json_is_array(&list))
		return false;
	kg_json_each(it, kg_json_container(&list))
	{
		CHECK_FOR_INTERRUPTS();
		if (it.value.type == jbvString && kg_json_string_is(&it.value, wanted))
			return true;
	}
	return false;
}

bool
kg_mcp_app_agreed(KgMcpRevision revision, const JsonbContainer *capabilities)
{
	JsonbValue extensions;
	JsonbValue ui;

	return revision >= KG_MCP_2025_06_18 &&
		   kg_json_get(capabilities, "extensions", &extensions) != NULL &&
		   kg_json_is_object(&extensions) &&
		   kg_json_get(kg_json_container(&extensions),
					   KG_MCP_APP_EXTENSION,
					   &ui) != NULL &&
		   kg_json_is_object(&ui) &&
		   has_string(kg_json_container(&ui), "mimeTypes", KG_MCP_APP_MIME) &&
		   page_exists();
}

bool
kg_mcp_app_remembered(KgMcpRevision revision, const JsonbContainer *message)
{
	JsonbValue told;

	return revision >= KG_MCP_2025_06_18 &&
		   kg_json_get(message, "kg_app", &told) != NULL &&
		   told.type == jbvBool && told.val.boolean && page_exists();
}

void
kg_mcp_app_write_capability(KgJsonWriter *w)
{
	kg_jw_kbegin_object(w, "extensions");
	kg_jw_kbegin_object(w, KG_MCP_APP_EXTENSION);
	kg_jw_end_object(w);
	kg_jw_end_object(w);
}

void
kg_mcp_app_write_page_meta(KgJsonWriter *w)
{
	/* No origin is named, so the page may connect to none. */
	kg_jw_kjsonb(w,
				 "_meta",
				 kg_json_parse("{\"ui\": {\"prefersBorder\": true, "
							   "\"permissions\": {\"clipboardWrite\": {}}}}"));
}

bool
kg_mcp_app_shows(const char *tool)
{
	const KgFixedTool *fixed = kg_fixed_tool_find(tool);

	return fixed != NULL &&
		   (fixed->toolset & (KG_TOOLSET_GRAPH | KG_TOOLSET_BFS)) != 0;
}

void
kg_mcp_app_write_tool_meta(KgJsonWriter *w)
{
	kg_jw_kbegin_object(w, "_meta");
	kg_jw_kbegin_object(w, "ui");
	kg_jw_kstring(w, "resourceUri", KG_MCP_APP_URI);
	kg_jw_end_object(w);
	kg_jw_end_object(w);
}

Jsonb *
kg_mcp_app_tool(void)
{
	return kg_json_parse(own_tool);
}

static bool
only_reads(const JsonbContainer *tool)
{
	JsonbValue annotations;
	JsonbValue hint;

	return kg_json_get(tool, "annotations", &annotations) != NULL &&
		   kg_json_get(kg_json_container(&annotations),
					   "readOnlyHint",
					   &hint) != NULL &&
		   hint.type == jbvBool && hint.val.boolean;
}

static Jsonb *
write_start(KgMcpRequest *req, Jsonb *const *tools, int n)
{
	KgJsonWriter w;
	JsonbValue name;

	kg_jw_init_object(&w);
	kg_jw_kbegin_array(&w, "reads");
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (only_reads(&tools[i]->root) &&
			kg_json_get(&tools[i]->root, "name", &name) != NULL)
			kg_jw_value(&w, &name);
	}
	kg_jw_end_array(&w);
	kg_jw_kbegin_array(&w, "resources");
	kg_mcp_write_schemas(req, &w);
	kg_jw_end_array(&w);
	return kg_jw_finish(&w);
}

Jsonb *
kg_mcp_app_start(KgMcpRequest *req, Jsonb *const *tools, int n)
{
	Jsonb *reply = write_start(req, tools, n);
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kjsonb(&w, "content", kg_text_content(kg_json_text(&reply->root)));
	kg_jw_kjsonb(&w, "structuredContent", reply);
	return kg_jw_finish(&w);
}
