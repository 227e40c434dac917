/*
 * types/openapi.c
 *	  An OpenAPI 3.1 description of tool calls. kgctl serve has one path, to
 *	  which JSON-RPC messages are posted. So each tool becomes a schema of
 *	  such a message.
 */
#include <string.h>

#include "kgctl/types/types.h"

static const char head[] =
	"{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"Tools of kg_graph\","
	"\"version\":\"" KG_VERSION "\",\"description\":\"Each call is a JSON-RPC "
	"message of MCP, revision 2025-11-25, without a handshake.\"},\"servers\":"
	"[{\"url\":";
static const char path[] =
	"}],\"security\":[{\"bearer\":[]}],\"paths\":{\"/mcp\":{\"post\":{"
	"\"operationId\":\"call\",\"summary\":\"Calls a tool\",\"parameters\":[{"
	"\"name\":\"MCP-Protocol-Version\",\"in\":\"header\",\"required\":true,"
	"\"schema\":{\"type\":\"string\",\"enum\":[\"2025-11-25\"]}}],"
	"\"requestBody\":{\"required\":true,\"content\":{\"application/json\":"
	"{\"schema\":{\"oneOf\":[";
static const char answers[] =
	"]}}}},\"responses\":{\"200\":{\"description\":\"The result of the tool, "
	"or an error of the protocol\",\"content\":{\"application/json\":{"
	"\"schema\":{\"type\":\"object\",\"required\":[\"jsonrpc\"],\"properties\":"
	"{\"jsonrpc\":{\"const\":\"2.0\"},\"id\":{\"type\":[\"string\",\"integer\","
	"\"null\"]},\"error\":{\"$ref\":\"#/components/schemas/protocol_error\"},"
	"\"result\":{\"type\":\"object\",\"required\":[\"content\"],\"properties\":"
	"{"
	"\"content\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}},"
	"\"isError\":{\"type\":\"boolean\"},\"structuredContent\":{\"anyOf\":[";
static const char rest[] =
	"{\"type\":\"object\",\"required\":[\"error\"],\"properties\":{\"error\":{"
	"\"type\":\"object\"}}}]}}}}}}}},\"401\":{\"description\":\"No valid "
	"bearer token\"},\"503\":{\"description\":\"The database cannot be used "
	"now; Retry-After\"}}}}},\"components\":{\"securitySchemes\":{\"bearer\":{"
	"\"type\":\"http\",\"scheme\":\"bearer\"}},\"schemas\":{"
	"\"protocol_error\":{\"type\":\"object\",\"required\":[\"code\","
	"\"message\"],\"properties\":{\"code\":{\"type\":\"integer\"},\"message\":{"
	"\"type\":\"string\"},\"data\":{}}}";

static const char *
name_of(const KgJson *tool)
{
	return kg_json_text_or(tool, "name", "");
}

static void
add_refs(KgBuf *out, const KgJson *tools, const char *prefix, bool comma)
{
	for (size_t i = 0; i < kgctl_json_length(tools); i++)
		kg_buf_printf(out,
					  "%s{\"$ref\":\"#/components/schemas/%s_%s\"}%s",
					  i > 0 && !comma ? "," : "",
					  prefix,
					  name_of(tools->u.items[i]),
					  comma ? "," : "");
}

/*
 * Appends a schema. If schema is NULL, appends a schema that permits any
 * object.
 */
static void
add_schema(KgBuf *out, const KgJson *schema)
{
	if (schema != NULL)
		kg_json_write(out, schema, -1);
	else
		kg_buf_puts(out, "{\"type\":\"object\"}");
}

static void
add_tool(KgBuf *out, const KgJson *tool)
{
	const char *name = name_of(tool);
	const char *about = kg_json_text_or(tool, "description", "");

	kg_buf_printf(out, ",\"call_%s\":{\"description\":", name);
	kg_buf_json(out, about, strlen(about));
	kg_buf_printf(out,
				  ",\"type\":\"object\",\"required\":[\"jsonrpc\",\"id\","
				  "\"method\",\"params\"],\"properties\":{\"jsonrpc\":{"
				  "\"const\":\"2.0\"},\"id\":{\"type\":[\"string\","
				  "\"integer\"]},\"method\":{\"const\":\"tools/call\"},"
				  "\"params\":{\"type\":\"object\",\"required\":[\"name\"],"
				  "\"properties\":{\"name\":{\"const\":\"%s\"},\"arguments\":",
				  name);
	add_schema(out, kgctl_json_get(tool, "inputSchema"));
	kg_buf_printf(out, "}}}},\"result_%s\":", name);
	add_schema(out, kgctl_json_get(tool, "outputSchema"));
}

void
kg_types_openapi(const KgJson *tools, const char *server, KgBuf *out)
{

	kg_buf_puts(out, head);
	kg_buf_json(out, server, strlen(server));
	kg_buf_puts(out, path);
	add_refs(out, tools, "call", false);
	kg_buf_puts(out, answers);
	add_refs(out, tools, "result", true);
	kg_buf_puts(out, rest);
	for (size_t i = 0; i < kgctl_json_length(tools); i++)
		add_tool(out, tools->u.items[i]);
	kg_buf_puts(out, "}}}\n");
}
