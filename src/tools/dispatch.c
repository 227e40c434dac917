/*
 * dispatch.c
 *	  Lists the tools and calls them by name.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/agent.h"
#include "auth/identity.h"
#include "base/big_numbers.h"
#include "base/catch.h"
#include "base/error.h"
#include "base/json.h"
#include "base/semver.h"
#include "base/settings.h"
#include "base/splice.h"
#include "model/catalog.h"
#include "miscadmin.h"
#include "query/argument/repair.h"
#include "query/run/running.h"
#include "tools/call_options.h"
#include "tools/catalog/catalog_tools.h"
#include "tools/correct/faults.h"
#include "tools/input/client_schema.h"
#include "tools/dispatch.h"
#include "tools/fixed_tools.h"
#include "tools/named_tool.h"
#include "tools/offered.h"
#include "tools/registered/registered.h"
#include "tools/reply/reply_text.h"
#include "tools/input/schema_template.h"
#include "tools/write/write_schema.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Returns whether at least one of the toolsets gives the caller this tool. */
static bool
has_fixed_tool_of(const KgCatalog *catalog, const KgAgent *agent,
				  const KgFixedTool *tool, int toolsets)
{
	if (!kg_fixed_tool_exists(catalog, tool))
		return false;
	if (tool->writes != NULL && kg_identity_tenant(KG_ACCESS_WRITE) == NULL)
		return false;
	/*
	 * Whether a tool that writes edges exists depends on the offered
	 * operations, as for generated tools.
	 */
	if (tool->writes != NULL &&
		(tool->writes->expose & KG_EXPOSE_OF_RELATION) != 0 &&
		(tool->writes->expose & kg_operations_offered()) == 0)
		return false;
	return kg_agent_has_tool(agent, toolsets, tool->name);
}

static bool
has_fixed_tool(const KgCatalog *catalog, const KgAgent *agent,
			   const KgFixedTool *tool)
{
	return has_fixed_tool_of(catalog, agent, tool, tool->toolset);
}

/*
 * Returns whether the list of tools contains the tool. Compact tools duplicate
 * others, so they are listed only if the agent selects them explicitly. A tool
 * is also not listed if another listed tool includes its function.
 */
static bool
lists_fixed_tool(const KgCatalog *catalog, const KgAgent *agent,
				 const KgFixedTool *tool)
{
	int toolsets = tool->toolset;

	if (!kg_agent_names_tools(agent))
		toolsets &= ~KG_TOOLSET_COMPACT;
	return has_fixed_tool_of(catalog, agent, tool, toolsets) &&
		   (tool->within == NULL ||
			!lists_fixed_tool(
				catalog, agent, kg_fixed_tool_find(tool->within)));
}

bool
kg_toolset_is_listed(const KgCatalog *catalog, const KgAgent *agent,
					 int toolset)
{
	const KgFixedTool *tool;

	for (int i = 0; (tool = kg_fixed_tool(i)) != NULL; i++)
		if ((tool->toolset & toolset) != 0 &&
			lists_fixed_tool(catalog, agent, tool))
			return true;
	return false;
}

bool
kg_other_tools_write(const KgCatalog *catalog, const KgAgent *agent)
{
	const KgFixedTool *tool;
	ListCell *lc;

	for (int i = 0; (tool = kg_fixed_tool(i)) != NULL; i++)
		if (tool->writes != NULL && has_fixed_tool(catalog, agent, tool))
			return true;
	foreach(lc, kg_registered_listed(catalog, agent))
		if (((const KgDefinition *) lfirst(lc))->writes)
			return true;
	return false;
}

/*
 * Returns whether the object fits the schema: the schema has all members of the
 * object, and the object has all members that the schema requires.
 */
static bool
fits_schema(const JsonbContainer *object, const Jsonb *schema)
{
	JsonbValue properties;
	JsonbValue required;
	JsonbValue value;

	if (kg_json_get(&schema->root, "properties", &properties) == NULL)
		return false;
	kg_json_each(it, object)
		if (kg_json_get(kg_json_container(&properties),
						kg_json_cstring(&it.key),
						&value) == NULL)
			return false;
	if (kg_json_get(&schema->root, "required", &required) == NULL)
		return true;
	kg_json_each(it, kg_json_container(&required))
		if (kg_json_get(object, kg_json_cstring(&it.value), &value) == NULL)
			return false;
	return true;
}

/* Returns whether the arguments fit the schema of the tool with the name. */
static bool
tool_fits(const KgCatalog *catalog, const char *name, const Jsonb *arguments)
{
	KgCallable callable;

	if (!kg_callable_find(catalog, name, &callable))
		return kg_registered_fits(catalog, name, arguments);
	return JB_ROOT_IS_OBJECT(arguments) &&
		   fits_schema(&arguments->root, kg_callable_input(catalog, &callable));
}

static KG_NORETURN void
throw_unknown_tool(const KgCatalog *catalog, const KgAgent *agent,
				   const char *name, const char *path)
{
	KgError *err = kg_error_new(KG_UNKNOWN_TOOL, "unknown tool \"%s\"", name);
	const KgCall *call = kg_running_call();
	const Jsonb *arguments = NULL;
	Jsonb *instead;
	const char *meant;
	const char **names;
	bool *writes;
	bool of_verb;
	int offered = kg_operations_offered();
	int n = 0;
	int fixed = 0;
	int most;
	ListCell *lc;

	while (kg_fixed_tool(fixed))
		fixed++;
	most = catalog->ntools + fixed + catalog->nregistered + 1;
	names = palloc(most * sizeof(char *));
	writes = palloc(most * sizeof(bool));
	for (int i = 0; i < catalog->ntools; i++)
		if (kg_tool_is_offered(agent, &catalog->tools[i], offered))
		{
			writes[n] = catalog->tools[i].operation & KG_EXPOSE_WRITING;
			names[n++] = catalog->tools[i].name;
		}
	for (int i = 0; i < fixed; i++)
		if (lists_fixed_tool(catalog, agent, kg_fixed_tool(i)))
		{
			writes[n] = kg_fixed_tool(i)->writes != NULL;
			names[n++] = kg_fixed_tool(i)->name;
		}
	foreach(lc, kg_registered_listed(catalog, agent))
	{
		const KgDefinition *def = lfirst(lc);

		writes[n] = def->writes;
		names[n++] = def->name;
	}
	kg_error_path(err, "%s", path);
	kg_error_got_string(err, name);
	kg_error_expected(err, "a tool that kg_list_tools() lists");
	for (int i = 0; i < Min(n, 100); i++)
		kg_error_allow(err, names[i]);
	if (call != NULL)
		arguments = call->arguments;
	of_verb = kg_tool_of_verb(
		catalog, name, names, n, arguments, &meant, &instead);
	if (!of_verb)
		meant = kg_tool_meant(name, names, writes, n);
	kg_error_did_you_mean(err, meant);
	if (instead != NULL)
		kg_error_call_tool(err, meant, instead);
	/*
	 * A call of another tool is suggested only if the name of that tool is
	 * similar to the called name, no other name is as similar, and the
	 * arguments fit the tool.
	 */
	else if (meant != NULL &&
			 (kg_has_rival(name, meant, names, n) ||
			  (arguments != NULL && !tool_fits(catalog, meant, arguments))))
		kg_error_doubt(err);
	else if (of_verb)
		kg_error_sure(err);
	kg_error_throw(err);
}

/*
 * Finds a generated or fixed tool by name, and returns whether the caller has
 * it. A tool that the caller does not have must be treated as missing, even if
 * *found is set.
 */
static bool
find_offered(const KgCatalog *catalog, const KgAgent *agent, const char *name,
			 KgCallable *found)
{
	int offered = KG_EXPOSE_READING;

	if (!kg_callable_find(catalog, name, found))
		return false;
	if (found->tool == NULL)
		return has_fixed_tool(catalog, agent, found->fixed);
	/* The check of write access is made only for tools that write. */
	if (found->tool->operation & KG_EXPOSE_WRITING)
		offered = kg_operations_offered();
	return kg_tool_is_offered(agent, found->tool, offered);
}

void
kg_callable_require(const KgCatalog *catalog, const char *name,
					const char *path, KgCallable *found)
{
	const KgAgent *agent = kg_agent_current();

	if (!find_offered(catalog, agent, name, found))
		throw_unknown_tool(catalog, agent, name, path);
}

/*
 * Raises KG_INVALID_INPUT if a name in kg_graph.toolsets is not a toolset.
 * Which registered toolsets exist depends on the tenant.
 */
static void
check_toolsets(const KgCatalog *catalog)
{
	const KgToolsets *toolsets = kg_setting_toolsets;
	const char *name = toolsets->names;

	for (int i = 0; i < toolsets->n; i++, name += strlen(name) + 1)
	{
		if (kg_registered_has_toolset(catalog, name))
			continue;
		KG_THROW(
			KG_INVALID_INPUT,
			.message = psprintf("toolset \"%s\" does not exist", name),
			.got_string = name,
			.expected = "kg_graph.toolsets with only these names: catalog, "
						"graph, bfs, memory, compact, sql, write, all, and the "
						"toolsets of registered tools");
	}
}

/*
 * Raises KG_INVALID_INPUT if the version is malformed. Must be called before
 * the look-up of the tool.
 */
static void
check_version(const char *version)
{
	KgSemver semver;

	if (kg_semver_read(version, &semver))
		return;
	KG_THROW(
		KG_INVALID_INPUT,
		.message = psprintf("\"%s\" is not a version", version),
		.path = "/version",
		.got_string = version,
		.expected = "a version in the form of semver 2.0.0, such as \"1.2.0\"");
}

static KG_NORETURN void
throw_two_versions(const char *version)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = "the name of the tool and the option \"version\" have "
						"different versions",
			 .path = "/version",
			 .got_string = version,
			 .expected = "a version in only one of the two, or equal versions");
}

static KG_NORETURN void
throw_no_versions(const KgToolCall *call)
{
	KG_THROW(KG_VERSION_NOT_FOUND,
			 .message = psprintf(
				 "tool \"%s\" has no versions: it is not a registered tool",
				 call->name),
			 .path = "/version",
			 .got_string = call->version);
}

Jsonb *
kg_tools_call(KgToolCall *call)
{
	const KgCatalog *catalog = kg_running_catalog();
	const KgAgent *agent = kg_agent_current();
	KgCallable found;
	Jsonb *reply;

	const char *version = NULL;

	if (kg_setting_toolsets->n > 0)
		check_toolsets(catalog);
	call->name = kg_registered_split(call->name, &version);
	if (version != NULL && call->version != NULL &&
		strcmp(version, call->version) != 0)
		throw_two_versions(call->version);
	if (version != NULL)
		call->version = version;
	if (call->version != NULL)
		check_version(call->version);
	if (find_offered(catalog, agent, call->name, &found))
	{
		if (call->version != NULL)
			throw_no_versions(call);
		call->fixed = found.fixed;
		reply = kg_callable_call(
			catalog,
			&found,
			kg_callable_with_key(&found, call->arguments, call->key));
		/*
		 * call->size is used only for generated tools. A fixed tool may call
		 * another tool, and the measured size is then that of the other tool's
		 * reply.
		 */
		if (found.tool != NULL)
			call->size = kg_running_size(reply);
		return reply;
	}
	kg_repair_begin(call->name, call->arguments);
	reply = kg_registered_call(catalog, agent, call);
	if (reply == NULL)
		throw_unknown_tool(catalog, agent, call->name, "/name");
	return reply;
}

/*
 * Returns a summary of the reply in one line, for the people who use a client
 * that reads structured content.
 */
static char *
summarise(const Jsonb *reply)
{
	static const char *const lists[] = {
		"items", "ids", "entities", "nodes", "paths", "rows"};
	JsonbValue value;
	StringInfoData text;
	int64 n;

	initStringInfo(&text);
	for (int i = 0; i < lengthof(lists); i++)
	{
		if (kg_json_get(&reply->root, lists[i], &value) == NULL ||
			!kg_json_is_array(&value))
			continue;
		appendStringInfo(&text,
						 "%d %s",
						 kg_json_length(kg_json_container(&value)),
						 lists[i]);
		break;
	}
	if (text.len == 0)
		appendStringInfoString(&text, "done");
	if (kg_json_get(&reply->root, "total", &value) && kg_json_int64(&value, &n))
		appendStringInfo(&text, " of " INT64_FORMAT, n);
	else if (kg_json_get(&reply->root, "total_at_least", &value) &&
			 kg_json_int64(&value, &n))
		appendStringInfo(&text, " of at least " INT64_FORMAT, n);
	if (kg_json_is_true(&reply->root, "truncated"))
		appendStringInfoString(
			&text, "; truncated: for more, send the arguments in \"next\"");
	return text.data;
}

Jsonb *
kg_text_content(const char *text)
{
	KgSplice content;

	kg_splice_init(&content);
	kg_splice_string(&content, "type", "text");
	kg_splice_string(&content, "text", text);
	return kg_splice_finish_array(&content);
}

/*
 * If the tool uses a member of the reply as its text, returns the text of this
 * member. Returns NULL if the whole reply is the text, or if the member is
 * missing.
 */
static char *
member_text(const KgFixedTool *tool, const Jsonb *reply)
{
	JsonbValue value;
	Jsonb *part;

	if (tool == NULL || tool->text == NULL ||
		kg_json_get(&reply->root, tool->text, &value) == NULL)
		return NULL;
	if (value.type == jbvString)
		return kg_json_cstring(&value);
	part = kg_json_datum(&value);
	return kg_json_text(&part->root);
}

static KgReplyText
text_kind(const KgToolCall *call)
{
	return kg_reply_text_kind(call->fixed != NULL ? call->fixed->toolset : 0);
}

/*
 * Returns the content of a result. Most clients pass only the text to a model.
 * So the text repeats the reply, as MCP recommends, unless kg_graph.mcp_text
 * says that the client reads structured content. If text is NULL, writes the
 * whole reply; size is its length in bytes, or 0 if unknown.
 */
static Jsonb *
make_result(const KgToolCall *call, const char *text, const Jsonb *structured,
			Size size, bool is_error)
{
	KgSplice result;

	if (text == NULL)
		text = kg_reply_text(&structured->root,
							 call->registered ? NULL : call->arguments,
							 text_kind(call),
							 size);
	kg_splice_init(&result);
	kg_splice_jsonb(&result, "content", kg_text_content(text));
	kg_splice_jsonb(&result, "structuredContent", structured);
	kg_splice_bool(&result, "isError", is_error);
	if (call->registered != NULL)
		kg_splice_jsonb(&result, "_meta", kg_registered_meta(call));
	return kg_splice_finish(&result);
}

typedef struct Trial
{
	KgToolCall tool;
	Jsonb *reply;
} Trial;

static void
try_in_time(void *arg)
{
	Trial *trial = arg;

	trial->reply = kg_tools_call(&trial->tool);
}

static void
make_trial(void *arg)
{
	kg_running_timed(try_in_time, arg);
}

/* Runs a call to find its error or its hints. Calls that write are not run. */
static KgTried
try_call(const char *name, const Jsonb *arguments)
{
	Trial trial = {{name, NULL, arguments}};
	KgTried tried = {NULL};
	ErrorData *edata;
	KgCallable callable;

	if (!kg_callable_find(kg_running_catalog(), name, &callable) ||
		kg_callable_writes(&callable))
		return tried;
	edata = kg_catch(KG_CATCH_UNDO, make_trial, &trial);
	if (edata == NULL)
	{
		tried.reply = trial.reply;
		return tried;
	}
	switch ((int) kg_error_caught_code(edata))
	{
		case KG_INVALID_INPUT:
		case KG_UNKNOWN_TYPE:
		case KG_UNKNOWN_TOOL:
		case KG_NOT_FOUND:
			tried.error = kg_error_answer(edata, false, NULL);
			break;
		default:
			break;
	}
	return tried;
}

static bool
is_writing_tool(const char *name)
{
	KgCallable callable;

	return kg_callable_find(kg_running_catalog(), name, &callable) &&
		   kg_callable_writes(&callable);
}

/*
 * Returns the error with big numbers as text, because tools that read accept
 * numbers as text. Omits the corrected call if it is a call of a tool that
 * writes and has big numbers: such a tool would store the text or refuse it.
 */
static Jsonb *
with_big_numbers(Jsonb *error)
{
	Jsonb *changed = kg_big_numbers(error);
	const JsonbContainer *call;
	JsonbValue value;
	JsonbValue tool;

	if (changed == error || kg_json_get(&error->root, "call", &value) == NULL)
		return changed;
	call = kg_json_container(&value);
	(void) kg_json_get(call, "tool", &tool);
	if (kg_big_numbers_in(call) != call &&
		is_writing_tool(kg_json_cstring(&tool)))
		return kg_json_without(changed, "call");
	return changed;
}

static Jsonb *
error_result(const KgToolCall *call, const ErrorData *edata)
{
	Jsonb *error = kg_registered_error(
		call,
		kg_error_answer(
			edata, call->in_operation, call->op ? call->op->name : NULL));
	JsonbValue message;
	char *text = "error";
	KgSplice structured;

	if (call->registered == NULL)
		error = kg_all_faults(error, try_call);
	error = with_big_numbers(error);
	if (kg_json_get(&error->root, "message", &message))
		text = kg_json_cstring(&message);
	kg_audit_error(edata);
	kg_splice_init(&structured);
	kg_splice_jsonb(&structured, "error", error);
	return make_result(call,
					   text_kind(call) != KG_TEXT_OFF ? NULL : text,
					   kg_splice_finish(&structured),
					   0,
					   true);
}

typedef struct Call
{
	KgToolCall tool;
	const Jsonb *options; /* or NULL */
	Jsonb *result;
} Call;

static void
make_result_in_time(void *arg)
{
	Call *call = arg;
	Jsonb *made = kg_tools_call(&call->tool);
	Jsonb *reply = kg_big_numbers(made);

	if (reply != made)
		call->tool.size = 0;
	kg_audit_reply(reply);
	call->result = make_result(&call->tool,
							   text_kind(&call->tool) != KG_TEXT_OFF
								   ? member_text(call->tool.fixed, reply)
								   : summarise(reply),
							   reply,
							   call->tool.size,
							   false);
}

static void
make_call(void *arg)
{
	Call *call = arg;
	KgCallOptions options = {0};

	kg_running_admit();
	if (call->options)
		kg_call_options_read(call->options, &options);
	if (options.timeout_ms > 0)
		kg_running_limit_asked("timeout_ms", options.timeout_ms);
	if (options.version != NULL)
		call->tool.version = options.version;
	call->tool.key = options.idempotency_key;
	kg_running_timed(make_result_in_time, call);
}

Jsonb *
kg_tools_call_result(const char *name, const Jsonb *arguments,
					 const Jsonb *options)
{
	Call call = {{name, NULL, arguments}, options};
	ErrorData *edata;

	kg_audit_name(name, arguments);
	kg_running_limit();
	edata = kg_catch(KG_CATCH_KEEP, make_call, &call);

	return edata ? error_result(&call.tool, edata) : call.result;
}

/* ---- listing ---- */

/*
 * Returns the schema of a tool's structured content: its reply, or the error
 * that replaces the reply (docs/errors.md). Both are included because clients
 * validate errors against this schema, too, even if isError is set. An error
 * lacks the members of a reply.
 */
static Jsonb *
result_schema(const Jsonb *reply)
{
	KgJsonWriter w;
	JsonbValue required;
	bool has_required = kg_json_get(&reply->root, "required", &required);

	kg_jw_init_object(&w);
	kg_json_each(it, &reply->root)
	{
		if (kg_json_string_is(&it.key, "required"))
			continue;
		kg_jw_keyn(&w, it.key.val.string.val, it.key.val.string.len);
		if (!kg_json_string_is(&it.key, "properties"))
		{
			kg_jw_value(&w, &it.value);
			continue;
		}
		kg_jw_begin_object(&w);
		kg_jw_members(&w, kg_json_container(&it.value));
		kg_jw_kjsonb(&w, "error", kg_json_parse("{\"type\": \"object\"}"));
		kg_jw_end_object(&w);
	}
	if (has_required)
	{
		kg_jw_kbegin_array(&w, "anyOf");
		kg_jw_begin_object(&w);
		kg_jw_key(&w, "required");
		kg_jw_value(&w, &required);
		kg_jw_end_object(&w);
		kg_jw_begin_object(&w);
		kg_jw_kjsonb(&w, "required", kg_json_parse("[\"error\"]"));
		kg_jw_end_object(&w);
		kg_jw_end_array(&w);
	}
	return kg_jw_finish(&w);
}

/* The state of a list of tools. */
typedef struct Listing
{
	const KgSchemaForm *form;
	KgExpandedParts *parts;
	MemoryContext context;
	List *results; /* List of Result * */
} Listing;

/*
 * The output schema of a tool, cached by the template from which the schema is
 * expanded.
 */
typedef struct Result
{
	const char *template;
	const Jsonb *schema;
} Result;

static const Jsonb *
result_of(Listing *listing, const char *template)
{
	MemoryContext old;
	Result *result;
	ListCell *lc;

	foreach(lc, listing->results)
	{
		result = lfirst(lc);
		if (strcmp(result->template, template) == 0)
			return result->schema;
	}
	old = MemoryContextSwitchTo(listing->context);
	result = palloc(sizeof(Result));
	result->template = template;
	result->schema = kg_form_output(
		listing->form, result_schema(kg_expand_output(NULL, template)));
	listing->results = lappend(listing->results, result);
	MemoryContextSwitchTo(old);
	return result->schema;
}

/* A tool in the list. */
typedef struct Listed
{
	const char *name;
	const char *title;
	const char *description;
	const Jsonb *input;
	/* schema of the tool's structured content */
	const Jsonb *result;
	/* operation by which the tool writes; NULL: the tool only reads */
	const KgOperation *writes;
	const KgDefinition *registered; /* or NULL */
} Listed;

static void
write_hints(KgJsonWriter *w, const KgOperation *writes)
{
	kg_jw_kbegin_object(w, "annotations");
	kg_jw_kbool(w, "readOnlyHint", writes == NULL);
	if (writes != NULL)
	{
		kg_jw_kbool(w, "destructiveHint", writes->destructive);
		kg_jw_kbool(w, "idempotentHint", writes->idempotent);
	}
	kg_jw_kbool(w, "openWorldHint", false);
	kg_jw_end_object(w);
}

/*
 * Returns whether a title only repeats the tool's name in words. Clients show
 * the name of a tool that has no title, so such a title is omitted.
 */
static bool
is_name(const char *title, const char *name)
{
	for (; *title != '\0' && *name != '\0'; title++, name++)
		if (pg_tolower((unsigned char) *title) != *name &&
			(*title != ' ' || *name != '_'))
			return false;
	return *title == *name;
}

static void
write_tool(KgJsonWriter *w, const Listing *listing, const Listed *tool)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "name", tool->name);
	if (!is_name(tool->title, tool->name))
		kg_jw_kstring(w, "title", tool->title);
	kg_jw_kstring(w, "description", tool->description);
	kg_jw_kjsonb(w, "inputSchema", kg_form_input(listing->form, tool->input));
	kg_jw_kjsonb(w, "outputSchema", tool->result);
	if (tool->registered == NULL)
		write_hints(w, tool->writes);
	else
	{
		kg_jw_key(w, "annotations");
		kg_registered_annotations(tool->registered, w);
		kg_jw_kbegin_object(w, "_meta");
		kg_jw_kstring(w, KG_META_VERSION, tool->registered->version);
		kg_jw_end_object(w);
	}
	kg_jw_end_object(w);
}

/*
 * Returns whether the caller has a generated tool with the name of a fixed
 * tool. A call of this name runs the generated tool, so the fixed tool is not
 * listed.
 */
static bool
is_taken(const KgCatalog *catalog, const KgAgent *agent, const char *name,
		 int offered)
{
	const KgTool *tool = kg_catalog_tool(catalog, name);

	return tool != NULL && kg_tool_is_offered(agent, tool, offered);
}

/*
 * Returns the first toolset that contains the tool, in which the tool is
 * listed.
 */
static int
first_set(const KgFixedTool *tool)
{
	return tool->toolset & -tool->toolset;
}

/*
 * Writes the fixed tools of a toolset, ordered by name. Finds each next name
 * by a scan of all tools, because a toolset has few tools.
 */
static void
write_fixed_tools(KgJsonWriter *w, Listing *listing, const KgCatalog *catalog,
				  const KgAgent *agent, int toolset, int offered)
{
	const char *last = "";

	for (;;)
	{
		const KgFixedTool *next = NULL;
		const KgFixedTool *tool;

		for (int i = 0; (tool = kg_fixed_tool(i)) != NULL; i++)
			if (first_set(tool) == toolset && strcmp(tool->name, last) > 0 &&
				(next == NULL || strcmp(tool->name, next->name) < 0))
				next = tool;
		if (next == NULL)
			return;
		last = next->name;
		if (!lists_fixed_tool(catalog, agent, next) ||
			is_taken(catalog, agent, next->name, offered))
			continue;
		write_tool(w,
				   listing,
				   &(Listed){next->name,
							 kg_tool_text(next->name, "title"),
							 kg_tool_text(next->name, "description"),
							 kg_expand_input(
								 NULL, next->name, NULL, false, listing->parts),
							 result_of(listing, next->name),
							 next->writes});
	}
}

static void
write_catalog_tool(KgJsonWriter *w, Listing *listing, const KgTool *tool)
{
	Listed listed = {.name = tool->name};
	const KgType *type = kg_tool_type(tool);

	if (tool->operation & KG_EXPOSE_WRITING)
	{
		listed.writes = kg_operation_of(tool->operation);
		listed.title = kg_write_title(tool);
		listed.description = kg_write_description(tool);
		listed.input = kg_write_input_schema(tool, listing->parts);
		listed.result = result_of(listing, KG_WRITE_TEMPLATE);
	}
	else
	{
		listed.title = kg_tool_title(type, tool->operation);
		listed.description = kg_tool_description(type, tool->operation);
		listed.input = kg_tool_input_schema(
			type, tool->operation, listing->parts);
		listed.result = result_of(
			listing, kg_tool_output_template(type, tool->operation));
	}
	write_tool(w, listing, &listed);
}

static void
write_registered_tools(KgJsonWriter *w, Listing *listing,
					   const KgCatalog *catalog, const KgAgent *agent)
{
	ListCell *lc;

	foreach(lc, kg_registered_listed(catalog, agent))
	{
		const KgDefinition *def = lfirst(lc);
		const char *title = def->title ? def->title : def->name;

		CHECK_FOR_INTERRUPTS();
		if (kg_client_bad_name(def) != NULL)
			continue;
		write_tool(
			w,
			listing,
			&(Listed){.name = def->name,
					  .title = title,
					  .description = def->description ? def->description
													  : title,
					  .input = kg_client_root(def->input_schema, true),
					  .result = kg_form_output(
						  listing->form,
						  result_schema(kg_definition_output(def, catalog))),
					  .registered = def});
	}
}

/* Returns the list of tools, allocated in the context. */
static Jsonb *
write_tools(const KgSchemaForm *form, const KgCatalog *catalog,
			const KgAgent *agent, int offered, MemoryContext context)
{
	Listing listing = {form, kg_expanded_parts(), CurrentMemoryContext};
	MemoryContext work = AllocSetContextCreate(
		CurrentMemoryContext, "kg tool of a list", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	KgJsonWriter w;
	Jsonb *tools;

	kg_jw_init_array(&w);
	/*
	 * The tools that serve all types come first, for clients that read only
	 * one page.
	 */
	for (int set = KG_TOOLSET_GRAPH; set <= KG_TOOLSET_LAST; set <<= 1)
		write_fixed_tools(&w, &listing, catalog, agent, set, offered);
	write_registered_tools(&w, &listing, catalog, agent);
	old = MemoryContextSwitchTo(work);
	for (int i = 0; i < catalog->ntools; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!kg_tool_is_offered(agent, &catalog->tools[i], offered))
			continue;
		write_catalog_tool(&w, &listing, &catalog->tools[i]);
		MemoryContextReset(work);
	}
	/* The list may be large, so it is not copied into the context. */
	w.context = context;
	MemoryContextSwitchTo(context);
	MemoryContextDelete(work);
	tools = kg_jw_finish(&w);
	MemoryContextSwitchTo(old);
	return tools;
}

/*
 * Maximum size of the cache in kilobytes. A list with 1,000 types takes six
 * megabytes.
 */
static const int most_kb = 16 * 1024;
/*
 * The cached lists, which a change of the catalog or of an agent invalidates.
 */
static KgCache lists = {
	.name = "tools", .stale = KG_STALE_BY_CATALOG, .most_kb = &most_kb};

static bool
is_listed(const void *entry, const void *key)
{
	const KgToolsListed *list = entry;
	const KgToolsListed *wanted = key;

	return list->catalog == wanted->catalog &&
		   list->numbers == wanted->numbers &&
		   list->offered == wanted->offered &&
		   list->toolsets == wanted->toolsets &&
		   list->form.profile == wanted->form.profile &&
		   list->form.lax == wanted->form.lax &&
		   list->form.number_text == wanted->form.number_text;
}

const KgToolsListed *
kg_tools_list(const KgSchemaForm *form)
{
	static uint64 last_id = 0;
	const KgCatalog *catalog = kg_running_catalog();
	KgToolsListed wanted = {.catalog = catalog->id,
							.numbers = kg_template_numbers(),
							.offered = kg_operations_offered(),
							.toolsets = kg_setting_toolsets->hash,
							.form = *form};
	KgToolsListed *list = kg_cache_find(
		&lists, catalog->id, is_listed, &wanted);

	if (list != NULL)
		return list;
	if (kg_setting_toolsets->n > 0)
		check_toolsets(catalog);
	list = kg_cache_make(&lists, sizeof(*list));
	list->tools = write_tools(
		form, catalog, kg_agent_current(), wanted.offered, list->entry.context);
	list->catalog = wanted.catalog;
	list->numbers = wanted.numbers;
	list->offered = wanted.offered;
	list->toolsets = wanted.toolsets;
	list->form = wanted.form;
	list->id = ++last_id;
	kg_cache_keep(&lists, list, catalog->id);
	return list;
}
