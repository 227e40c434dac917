/*
 * prompts.c
 *	  The methods prompts/list and prompts/get, and the server's instructions.
 *
 * A model with a knowledge graph answers from memory unless it is instructed
 * otherwise. The prompts describe how to work, with the types, the filters and
 * an example of the caller's own bundles. They are generated from the catalog
 * that the caller sees, so they contain no hidden names.
 */
#include "postgres.h"

#include "base/settings.h"
#include "base/toolset.h"
#include "mb/pg_wchar.h"
#include "mcp/protocol.h"
#include "query/filter/filter.h"
#include "query/run/running.h"
#include "tools/dispatch.h"
#include "tools/offered.h"
#include "tools/compact/schema_text.h"
#include "tools/reply/reply_text.h"
#include "utils/builtins.h"

#define KG_PROMPT_WORKFLOW "knowledge_graph"
#define KG_PROMPT_LIST "list_entities"
/*
 * Maximum numbers of types, enum values and fields in a prompt. A model gets
 * the others by calling tools.
 */
#define KG_PROMPT_TYPES 60
#define KG_PROMPT_VALUES 12
#define KG_PROMPT_FIELDS 20
#define KG_PROMPT_TEXT 300

typedef struct KgPromptArgument
{
	const char *name;
	const char *description;
	bool required;
} KgPromptArgument;

typedef struct KgPrompt
{
	const char *name;
	const char *title;
	const char *description;
	int narguments;
	KgPromptArgument arguments[3];
} KgPrompt;

static const KgPrompt prompts[] = {
	{KG_PROMPT_WORKFLOW,
	 "Answer from the knowledge graph",
	 "How to work with the knowledge graph, with its types, filters and an "
	 "example; for the start of a conversation",
	 1,
	 {{"bundle", "The bundle to describe; if left out, all bundles", false}}},
	{KG_PROMPT_LIST,
	 "List entities",
	 "Ask for all entities of a type, or for those with one value of a "
	 "property",
	 3,
	 {{"entity_type", "The type to list", true},
	  {"field", "A property that can be filtered", false},
	  {"value", "The value that the property must have", false}}},
};

static const char workflow_steps[] =
	"Follow these steps for every question:\n"
	"1. Fetch the facts with the tools. Write no id, value or connection that "
	"no tool has returned.\n"
	"2. If \"total\" is 0, say that the graph has no such record; \"hints\" "
	"have what does exist.\n"
	"3. If \"truncated\" is true, call again with \"next\", or say that your "
	"answer covers only a part.\n"
	"4. Give the ids of the records that your answer rests on.\n"
	"Filters compare stored codes and ids, not displayed names.\n";
/* The steps to follow for callers that have only the toolset sql. */
static const char query_steps[] =
	"Follow these steps for every question:\n"
	"1. Write one query over the tables that the schema names: each type is a "
	"table with id and its properties as columns, each relation one with "
	"\"from\" and \"to\".\n"
	"2. Find the id of a name that may be spelled otherwise with search.\n"
	"3. A value that no query has returned is not a fact: do not write it. If "
	"no row is returned, say that the graph has no such record.\n"
	"4. When a reply has \"truncated\": true, aggregate, or use LIMIT and "
	"OFFSET, or say that your answer covers only a part.\n"
	"5. Give the id of every record that your answer rests on, so that it can "
	"be checked.\n";

/*
 * Explains replies whose arrays of objects are written as rows (docs/mcp.md).
 */
static const char reading_rows[] =
	"Replies are in rows: an array that begins with an array of names goes on "
	"with arrays of their values; {name: value} among the names is true for "
	"all; null is no value. A shorter row lacks withheld values: get has them. "
	"A missing list is empty; without total the reply is complete. next has "
	"the arguments to change.\n";

/* Instructions for callers that have tools which write. */
static const char writing_rule[] = "Some of its tools write.\n"
								   "Write only what the user asked for.";

/* Further instructions for callers that have generated tools which write. */
static const char writing_rules[] =
	" Read the record before you change it, "
	"and send its version as \"expected_version\"; on CONFLICT read it again "
	"and send what is still to be done. \"dry_run\": true tells what would "
	"happen. A reply with \"confirm\" has written nothing: tell the user what "
	"it says, and call again with the same arguments and \"confirm\" only "
	"where the user agrees. Send a new \"idempotency_key\" with each write, "
	"and "
	"the same one where you do not know whether it arrived.\n";

/*
 * Appends a text that the author of a bundle has written, truncated at a
 * character boundary.
 */
static void
append_cut(StringInfo out, const char *text)
{
	int len = strlen(text);
	int cut = pg_mbcliplen(text, len, KG_PROMPT_TEXT);

	appendBinaryStringInfo(out, text, cut);
	if (cut < len)
		appendStringInfoString(out, "...");
}

static bool
in_bundle(const KgTypeRow *row, const char *bundle)
{
	return bundle == NULL || strcmp(row->bundle, bundle) == 0;
}

/*
 * Returns the name of the caller's tool for an operation on the type. Returns
 * NULL if the caller has no such tool.
 */
static const char *
tool_of_type(const KgMcpRequest *req, const KgCatalog *catalog,
			 const KgType *type, int operation)
{
	const KgTool *tool = kg_catalog_tool_of(catalog, type, operation);

	return tool != NULL &&
				   kg_tool_is_offered(req->agent, tool, kg_operations_offered())
			   ? tool->name
			   : NULL;
}

/*
 * Returns the caller's tool that lists entities of the type: the type's own
 * list tool, or a tool for all types. For a tool for all types, sets *argument
 * to the argument that takes the type. Returns NULL if the caller has no such
 * tool.
 */
static const char *
listing_tool(const KgMcpRequest *req, const KgCatalog *catalog,
			 const KgType *type, const char **argument)
{
	const char *tool = tool_of_type(req, catalog, type, KG_EXPOSE_LIST);

	*argument = NULL;
	if (tool != NULL)
		return tool;
	if (kg_agent_has_tool(req->agent, KG_TOOLSET_GRAPH, "find_nodes"))
	{
		*argument = "node_label";
		return "find_nodes";
	}
	if (kg_agent_has_tool(req->agent, KG_TOOLSET_COMPACT, "find"))
	{
		*argument = "type";
		return "find";
	}
	return NULL;
}

static bool
can_write(const KgMcpRequest *req, const KgCatalog *catalog)
{
	int writing = kg_operations_offered() & KG_EXPOSE_WRITING;

	for (int i = 0; writing != 0 && i < catalog->ntools; i++)
		if (kg_tool_is_offered(req->agent, &catalog->tools[i], writing))
			return true;
	return false;
}

static void
append_field(StringInfo out, const KgField *field)
{
	static const char *const kinds[] = {"text",
										"",
										"integer",
										"number",
										"true or false",
										"date",
										"date and time",
										"",
										""};

	appendStringInfoString(out, field->name);
	if (field->nenum > 0)
	{
		appendStringInfoString(out, " (one of ");
		for (int i = 0; i < field->nenum && i < KG_PROMPT_VALUES; i++)
		{
			JsonbValue value;

			kg_field_enum_value(field, i, &value);
			appendStringInfo(out,
							 value.type == jbvString ? "%s\"%s\"" : "%s%s",
							 i ? ", " : "",
							 field->enum_values[i]);
		}
		appendStringInfoString(
			out, field->nenum > KG_PROMPT_VALUES ? ", ...)" : ")");
	}
	else if (field->ref_type)
		appendStringInfo(out, " (id of a %s)", field->ref_type);
	else if (kinds[field->kind][0])
		appendStringInfo(out, " (%s)", kinds[field->kind]);
}

static void
append_type(StringInfo out, const KgMcpRequest *req, const KgCatalog *catalog,
			const KgType *type)
{
	static const int operations[] = {KG_EXPOSE_LIST,
									 KG_EXPOSE_GET,
									 KG_EXPOSE_LIST_IDS,
									 KG_EXPOSE_HISTORY,
									 KG_EXPOSE_CREATE,
									 KG_EXPOSE_UPDATE,
									 KG_EXPOSE_DELETE,
									 KG_EXPOSE_MERGE};
	bool any = false;
	int nfields = 0;

	appendStringInfo(out, "- %s", kg_type_handle(type));
	if (type->description)
	{
		appendStringInfoString(out, ": ");
		append_cut(out, type->description);
	}
	for (int i = 0; i < lengthof(operations); i++)
	{
		const char *tool = tool_of_type(req, catalog, type, operations[i]);

		if (tool == NULL)
			continue;
		appendStringInfo(out, "%s%s", any ? ", " : "\n  tools: ", tool);
		any = true;
	}
	for (int i = 0; i < type->nfields && nfields < KG_PROMPT_FIELDS; i++)
	{
		if (!type->fields[i].indexed)
			continue;
		appendStringInfoString(out, nfields ? ", " : "\n  filter by: ");
		append_field(out, &type->fields[i]);
		nfields++;
	}
	appendStringInfoChar(out, '\n');
}

static void
append_types(StringInfo out, const KgMcpRequest *req, const KgCatalog *catalog,
			 const char *bundle)
{
	int shown = 0;
	int more = 0;

	appendStringInfoString(out, "Entity types:\n");
	for (int i = 0; i < catalog->ntypes; i++)
	{
		if (!in_bundle(&catalog->types[i], bundle))
			continue;
		if (shown == KG_PROMPT_TYPES)
		{
			more++;
			continue;
		}
		append_type(out, req, catalog, kg_type_of(&catalog->types[i]));
		shown++;
	}
	if (more > 0)
		appendStringInfo(
			out, "and %d more, which the tools' schemas name.\n", more);
}

static void
append_relations(StringInfo out, const KgMcpRequest *req,
				 const KgCatalog *catalog, const char *bundle)
{
	int offered = kg_operations_offered() & KG_EXPOSE_OF_RELATION;
	int shown = 0;

	for (int i = 0; i < catalog->ntools && shown < KG_PROMPT_TYPES; i++)
	{
		const KgTool *tool = &catalog->tools[i];

		if (tool->relation == NULL ||
			(bundle != NULL && strcmp(tool->bundle, bundle) != 0) ||
			!kg_tool_is_offered(req->agent, tool, offered))
			continue;
		appendStringInfo(out,
						 "%s%s",
						 shown++ > 0 ? ", " : "Tools of relationship types: ",
						 tool->name);
	}
	if (shown > 0)
		appendStringInfoChar(out, '\n');
}

/*
 * Returns an indexed field of the type that has declared values (an enum), or
 * NULL. Such a field makes the best example of a filter.
 */
static const KgField *
enum_field(const KgType *type)
{
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].indexed && type->fields[i].nenum > 0)
			return &type->fields[i];
	return NULL;
}

/*
 * Appends an example call as a model would write it. Uses the first type of the
 * bundle that has an enum, or else the first type. Appends nothing if there is
 * no type, or the caller has no tool that lists it.
 */
static void
append_example(StringInfo out, const KgMcpRequest *req,
			   const KgCatalog *catalog, const char *bundle)
{
	const KgType *type = NULL;
	const KgField *field = NULL;
	const char *tool;
	const char *argument;
	JsonbValue value;
	KgJsonWriter w;
	Jsonb *arguments;

	for (int i = 0; i < catalog->ntypes && field == NULL; i++)
	{
		if (!in_bundle(&catalog->types[i], bundle))
			continue;
		field = enum_field(kg_type_of(&catalog->types[i]));
		if (type == NULL || field != NULL)
			type = kg_type_of(&catalog->types[i]);
	}
	if (type == NULL)
		return;
	tool = listing_tool(req, catalog, type, &argument);
	if (tool == NULL)
		return;
	kg_jw_init_object(&w);
	if (argument != NULL)
		kg_jw_kstring(&w, argument, kg_type_handle(type));
	if (field != NULL)
	{
		kg_jw_kbegin_object(&w, "filters");
		kg_field_enum_value(field, 0, &value);
		kg_jw_key(&w, field->name);
		kg_jw_value(&w, &value);
		kg_jw_end_object(&w);
	}
	kg_jw_kint(&w, "limit", 20);
	arguments = kg_jw_finish(&w);
	appendStringInfo(
		out,
		"Example: %s with %s\n",
		tool,
		JsonbToCString(NULL, &arguments->root, VARSIZE(arguments)));
}

/*
 * Appends the instructions of the bundles. Also appends their descriptions,
 * unless "described" says that the text already has them.
 */
static void
append_bundles(StringInfo out, const KgCatalog *catalog, const char *bundle,
			   bool described)
{
	for (int i = 0; i < catalog->nbundles; i++)
	{
		const KgBundle *b = &catalog->bundles[i];

		if (bundle != NULL && strcmp(b->name, bundle) != 0)
			continue;
		if (!described || b->description == NULL)
		{
			appendStringInfo(out, "- bundle %s", b->name);
			if (b->description)
			{
				appendStringInfoString(out, ": ");
				append_cut(out, b->description);
			}
			appendStringInfoChar(out, '\n');
		}
		if (b->instructions)
			appendStringInfo(out, "%s\n", b->instructions);
	}
}

static void
append_writing(StringInfo out, const KgMcpRequest *req,
			   const KgCatalog *catalog)
{
	bool of_bundles = can_write(req, catalog);

	if (!of_bundles && !kg_other_tools_write(catalog, req->agent))
	{
		appendStringInfoString(out, "Its tools only read.\n");
		return;
	}
	appendStringInfoString(out, writing_rule);
	appendStringInfoString(out, of_bundles ? writing_rules : "\n");
}

/*
 * Returns whether replies are written as rows: the replies of the toolset
 * compact if it is listed, otherwise those of tools without a toolset.
 */
static bool
replies_in_rows(const KgMcpRequest *req, const KgCatalog *catalog)
{
	bool compact = kg_toolset_is_listed(
		catalog, req->agent, KG_TOOLSET_COMPACT);

	return kg_reply_text_kind(compact ? KG_TOOLSET_COMPACT : 0) == KG_TEXT_ROWS;
}

static void
append_head(StringInfo out, const KgMcpRequest *req, const KgCatalog *catalog,
			const char *bundle, bool described)
{
	if (req->agent && req->agent->instructions)
		appendStringInfo(out, "%s\n\n", req->agent->instructions);
	appendStringInfoString(out, "A knowledge graph is connected. ");
	append_writing(out, req, catalog);
	append_bundles(out, catalog, bundle, described);
	appendStringInfoChar(out, '\n');
	if (kg_agent_only_queries(req->agent))
	{
		appendStringInfoString(out, query_steps);
		return;
	}
	appendStringInfoString(out, workflow_steps);
	if (replies_in_rows(req, catalog))
		appendStringInfoString(out, reading_rows);
}

/*
 * Returns the schema as text. Returns NULL unless the toolset compact is listed
 * and the whole schema fits into kg_graph.schema_in_instructions bytes. With
 * the schema in the instructions, a model need not call the tool "schema".
 */
static const char *
short_schema(const KgMcpRequest *req, const KgCatalog *catalog)
{
	int room = kg_setting_schema_in_instructions;
	KgSchemaText schema;

	if (room == 0 ||
		!kg_toolset_is_listed(catalog, req->agent, KG_TOOLSET_COMPACT))
		return NULL;
	kg_schema_text(&schema, catalog, NULL, room);
	return schema.descriptions == 0 && schema.types == 0 &&
				   schema.relations == 0 && schema.unnamed == 0
			   ? schema.text
			   : NULL;
}

char *
kg_mcp_instructions(const KgMcpRequest *req)
{
	const KgCatalog *catalog = kg_running_catalog();
	const char *schema = short_schema(req, catalog);
	StringInfoData out;

	initStringInfo(&out);
	append_head(&out, req, catalog, NULL, schema != NULL);
	append_example(&out, req, catalog, NULL);
	if (schema != NULL)
		appendStringInfo(&out,
						 "\nThe schema, as the tool \"schema\" returns it:\n%s",
						 schema);
	return out.data;
}

bool
kg_mcp_prompts_list(KgMcpRequest *req, KgJsonWriter *w)
{
	const char *names[lengthof(prompts)];
	int start;
	int end;

	for (int i = 0; i < lengthof(prompts); i++)
		names[i] = prompts[i].name;
	if (!kg_mcp_page(req, names, lengthof(prompts), &start, &end))
		return false;
	kg_jw_kbegin_array(w, "prompts");
	for (int i = start; i < end; i++)
	{
		const KgPrompt *prompt = &prompts[i];

		kg_jw_begin_object(w);
		kg_jw_kstring(w, "name", prompt->name);
		if (req->revision >= KG_MCP_2025_06_18)
			kg_jw_kstring(w, "title", prompt->title);
		kg_jw_kstring(w, "description", prompt->description);
		kg_jw_kbegin_array(w, "arguments");
		for (int a = 0; a < prompt->narguments; a++)
		{
			kg_jw_begin_object(w);
			kg_jw_kstring(w, "name", prompt->arguments[a].name);
			kg_jw_kstring(w, "description", prompt->arguments[a].description);
			kg_jw_kbool(w, "required", prompt->arguments[a].required);
			kg_jw_end_object(w);
		}
		kg_jw_end_array(w);
		kg_jw_end_object(w);
	}
	kg_jw_end_array(w);
	kg_mcp_end_page(req, w, names, lengthof(prompts), end);
	return true;
}

const char *const *
kg_mcp_prompt_arguments(const char *prompt, int *n)
{
	static const char *names[lengthof(prompts[0].arguments)];

	for (int i = 0; i < lengthof(prompts); i++)
	{
		if (strcmp(prompts[i].name, prompt) != 0)
			continue;
		*n = prompts[i].narguments;
		for (int a = 0; a < *n; a++)
			names[a] = prompts[i].arguments[a].name;
		return names;
	}
	return NULL;
}

/*
 * Returns the value of an argument of the prompt, or NULL. All arguments of
 * prompts are strings.
 */
static char *
prompt_argument(const KgMcpRequest *req, const char *name)
{
	JsonbValue arguments;
	JsonbValue value;

	if (kg_json_get(req->params, "arguments", &arguments) == NULL ||
		kg_json_get(kg_json_container(&arguments), name, &value) == NULL ||
		value.type != jbvString)
		return NULL;
	return kg_json_cstring(&value);
}

static void
write_message(KgJsonWriter *w, const char *description, const char *text)
{
	kg_jw_kstring(w, "description", description);
	kg_jw_kbegin_array(w, "messages");
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "role", "user");
	kg_jw_kbegin_object(w, "content");
	kg_jw_kstring(w, "type", "text");
	kg_jw_kstring(w, "text", text);
	kg_jw_end_object(w);
	kg_jw_end_object(w);
	kg_jw_end_array(w);
}

static bool
refuse_argument(KgMcpRequest *req, const char *name, const char *problem)
{
	return kg_mcp_refuse(req,
						 KG_MCP_INVALID_PARAMS,
						 NULL,
						 "the argument \"%s\" of the prompt %s",
						 name,
						 problem);
}

static bool
get_workflow(KgMcpRequest *req, const KgCatalog *catalog, KgJsonWriter *w)
{
	char *bundle = prompt_argument(req, "bundle");
	bool known = bundle == NULL;
	StringInfoData out;

	for (int i = 0; i < catalog->nbundles && !known; i++)
		known = strcmp(catalog->bundles[i].name, bundle) == 0;
	if (!known)
		return refuse_argument(req, "bundle", "is not the name of a bundle");
	initStringInfo(&out);
	append_head(&out, req, catalog, bundle, false);
	append_example(&out, req, catalog, bundle);
	appendStringInfoChar(&out, '\n');
	append_types(&out, req, catalog, bundle);
	append_relations(&out, req, catalog, bundle);
	write_message(w, prompts[0].description, out.data);
	return true;
}

static bool
get_list(KgMcpRequest *req, const KgCatalog *catalog, KgJsonWriter *w)
{
	char *name = prompt_argument(req, "entity_type");
	char *field = prompt_argument(req, "field");
	char *value = prompt_argument(req, "value");
	const KgType *type;
	const char *tool;
	const char *argument;
	StringInfoData out;

	if (name == NULL)
		return refuse_argument(req, "entity_type", "is missing");
	type = kg_catalog_type(catalog, name);
	if (type == NULL)
		return refuse_argument(
			req, "entity_type", "is not the name of an entity type");
	if (field != NULL && kg_type_field(type, field) == NULL)
		return refuse_argument(
			req, "field", "is not a property of the entity type");
	initStringInfo(&out);
	appendStringInfo(
		&out, "List the entities of type %s", kg_type_handle(type));
	if (field != NULL && value != NULL)
		appendStringInfo(&out, " whose %s is \"%s\"", field, value);
	tool = listing_tool(req, catalog, type, &argument);
	appendStringInfo(&out,
					 ". Use %s, page until the reply is not truncated, and "
					 "give the id of each.",
					 tool ? tool : "the tools that there are");
	write_message(w, prompts[1].description, out.data);
	return true;
}

bool
kg_mcp_prompts_get(KgMcpRequest *req, KgJsonWriter *w)
{
	const KgCatalog *catalog = kg_running_catalog();
	char *name = kg_mcp_string_param(req, "name");

	if (name != NULL && strcmp(name, KG_PROMPT_WORKFLOW) == 0)
		return get_workflow(req, catalog, w);
	if (name != NULL && strcmp(name, KG_PROMPT_LIST) == 0)
		return get_list(req, catalog, w);
	return kg_mcp_refuse(req,
						 KG_MCP_INVALID_PARAMS,
						 NULL,
						 name ? "unknown prompt"
							  : "params.name must be a string");
}
