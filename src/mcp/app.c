/*
 * app.c
 *	  The explorer as an MCP App (SEP-1865, the extension
 *	  io.modelcontextprotocol/ui).
 *
 *	  ui://kg_graph/explorer            the page, as in kgctl serve --explorer
 *
 * The page is a file on the server, beside the extension's own files.
 * Therefore every gateway that forwards messages supports it without knowledge
 * of it.  If it is not installed, or the client does not show pages, the app
 * does not exist.
 */
#include "postgres.h"

#include "base/settings.h"
#include "base/toolset.h"
#include "mcp/app.h"
#include "mcp/app_page.h"
#include "miscadmin.h"
#include "tools/dispatch.h"
#include "tools/fixed_tools.h"
#include "utils/memutils.h"

#define KG_MCP_APP_EXTENSION KG_MCP_META_PREFIX "ui"

static const char own_tool[] =
	"{\"name\": \"" KG_MCP_APP_TOOL
	"\", \"title\": \"Start of the explorer\", \"description\": \"For the "
	"page " KG_MCP_APP_URI
	": lists the tools that only read, and the resources with the schemas of "
	"the types.\", \"inputSchema\": {\"type\": \"object\"}, \"outputSchema\": "
	"{\"type\": \"object\", \"required\": [\"reads\", \"resources\"], "
	"\"properties\": {\"reads\": {\"type\": \"array\", \"items\": {\"type\": "
	"\"string\"}}, \"resources\": {\"type\": \"array\", \"items\": {\"type\": "
	"\"object\"}}}}, \"annotations\": {\"readOnlyHint\": true, "
	"\"openWorldHint\": false}, \"_meta\": {\"ui\": {\"resourceUri\": "
	"\"" KG_MCP_APP_URI "\", "
	"\"visibility\": [\"app\"]}}}";

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
		   kg_mcp_app_page_exists();
}

bool
kg_mcp_app_remembered(KgMcpRevision revision, const JsonbContainer *message)
{
	return revision >= KG_MCP_2025_06_18 &&
		   kg_json_is_true(message, "kg_app") && kg_mcp_app_page_exists();
}

void
kg_mcp_app_write_capability(KgJsonWriter *w)
{
	kg_jw_kbegin_object(w, "extensions");
	kg_jw_kbegin_object(w, KG_MCP_APP_EXTENSION);
	kg_jw_end_object(w);
	kg_jw_end_object(w);
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

	return kg_json_get(tool, "annotations", &annotations) != NULL &&
		   kg_json_is_true(kg_json_container(&annotations), "readOnlyHint");
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
