/*
 * tools.c
 *	  The methods tools/list and tools/call.
 *
 * The caller's tools (tools/dispatch.h) are cached, in the form that the
 * requested revision requires, together with their names. A tool that is not
 * in the caller's list does not exist for the caller.
 */
#include "postgres.h"

#include "base/cache.h"
#include "base/error.h"
#include "base/settings.h"
#include "mcp/app.h"
#include "mcp/confirm.h"
#include "mcp/wrote.h"
#include "tools/dispatch.h"
#include "tools/registered/registered.h"
#include "tools/reply/reply_text.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

typedef struct Key
{
	/*
	 * id of the list of tools (KgToolsListed.id) from which the cached list was
	 * made
	 */
	uint64 listed;
	KgMcpRevision revision;
	/* true: the list has the members that refer to the explorer's page */
	bool app;
} Key;

/* The list of tools of one caller in the form of one revision. */
typedef struct KgToolList
{
	KgCacheEntry entry;
	Key key;
	int ntools;
	const char **names;	 /* names in the order of "tools" */
	const char **sorted; /* names in the order of strcmp() */
	Jsonb **tools;
	/* result of tools/list for a client that sends no cursor */
	const Jsonb *first;
} KgToolList;

/*
 * Maximum size of the cache in kilobytes. A list with 1,000 types takes six
 * megabytes.
 */
static const int most_kb = 16 * 1024;
/*
 * The cached lists, which a change of the catalog or of an agent invalidates.
 */
static KgCache lists = {
	.name = "tool list", .stale = KG_STALE_BY_CATALOG, .most_kb = &most_kb};

static bool
is_key(const void *entry, const void *key)
{
	return memcmp(&((const KgToolList *) entry)->key, key, sizeof(Key)) == 0;
}

/*
 * Returns false if the key is a member of a tool that the revision does not
 * define.
 */
static bool
knows_member(KgMcpRevision revision, const JsonbValue *key)
{
	if (kg_json_string_is(key, "annotations"))
		return revision >= KG_MCP_2025_03_26;
	if (kg_json_string_is(key, "title") ||
		kg_json_string_is(key, "outputSchema") ||
		kg_json_string_is(key, "_meta"))
		return revision >= KG_MCP_2025_06_18;
	if (kg_json_string_is(key, "icons"))
		return revision >= KG_MCP_2025_11_25;
	return true;
}

/*
 * Writes the annotations of a tool with its title among them, as revision
 * 2025-03-26 requires.
 */
static void
write_titled_annotations(const JsonbContainer *annotations,
						 const JsonbValue *title, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_members(w, annotations);
	kg_jw_key(w, "title");
	kg_jw_value(w, title);
	kg_jw_end_object(w);
}

static Jsonb *
shape_tool(const JsonbContainer *tool, const char *name, const Key *key)
{
	KgJsonWriter w;
	JsonbValue title;
	KgMcpRevision revision = key->revision;
	bool titled = kg_json_get(tool, "title", &title) != NULL;

	kg_jw_init_object(&w);
	kg_json_each(it, tool)
	{
		if (!knows_member(revision, &it.key))
			continue;
		kg_jw_keyn(&w, it.key.val.string.val, it.key.val.string.len);
		if (titled && revision == KG_MCP_2025_03_26 &&
			kg_json_string_is(&it.key, "annotations"))
			write_titled_annotations(kg_json_container(&it.value), &title, &w);
		else
			kg_jw_value(&w, &it.value);
	}
	if (key->app && kg_mcp_app_shows(name))
		kg_mcp_app_write_tool_meta(&w);
	return kg_jw_finish(&w);
}

/* Copies a tool into the context and adds it to the list. */
static void
add_tool(KgToolList *list, const char *name, const Jsonb *shaped,
		 MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);

	list->names[list->ntools] = pstrdup(name);
	list->tools[list->ntools] = memcpy(
		palloc(VARSIZE(shaped)), shaped, VARSIZE(shaped));
	list->ntools++;
	MemoryContextSwitchTo(old);
}

/* Adds all tools of the caller to the list, in the current memory context. */
static void
fill_list(KgToolList *list, const Jsonb *all)
{
	MemoryContext old = CurrentMemoryContext;
	MemoryContext scratch = AllocSetContextCreate(
		old, "kg_graph tools", ALLOCSET_DEFAULT_SIZES);
	int n = kg_json_length(&all->root) + 1;

	MemoryContextSwitchTo(scratch);
	list->names = MemoryContextAlloc(old, n * sizeof(char *));
	list->sorted = MemoryContextAlloc(old, n * sizeof(char *));
	list->tools = MemoryContextAlloc(old, n * sizeof(Jsonb *));
	kg_json_each(it, &all->root)
	{
		const JsonbContainer *tool = kg_json_container(&it.value);
		JsonbValue value;
		char *name;

		(void) kg_json_get(tool, "name", &value);
		name = kg_json_cstring(&value);
		add_tool(list, name, shape_tool(tool, name, &list->key), old);
	}
	if (list->key.app)
		add_tool(list, KG_MCP_APP_TOOL, kg_mcp_app_tool(), old);
	memcpy(list->sorted, list->names, list->ntools * sizeof(char *));
	qsort(list->sorted, list->ntools, sizeof(char *), pg_qsort_strcmp);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
}

static KgToolList *
get_list(const KgMcpRequest *req)
{
	const KgSchemaForm form = kg_schema_form(req->lax);
	const KgToolsListed *listed = kg_tools_list(&form);
	Key key;
	KgToolList *list;
	MemoryContext old;

	memset(&key, 0, sizeof(key));
	key.listed = listed->id;
	key.revision = req->revision;
	key.app = req->app;
	list = kg_cache_find(&lists, key.listed, is_key, &key);
	if (list == NULL)
	{
		list = kg_cache_make(&lists, sizeof(*list));
		old = MemoryContextSwitchTo(list->entry.context);
		list->key = key;
		fill_list(list, listed->tools);
		MemoryContextSwitchTo(old);
		kg_cache_keep(&lists, list, key.listed);
	}
	kg_cache_pin(list, CurrentMemoryContext);
	return list;
}

static bool
write_list(KgMcpRequest *req, const KgToolList *list, KgJsonWriter *w)
{
	int start;
	int end;

	if (!kg_mcp_page(req, list->names, list->ntools, &start, &end))
		return false;
	kg_jw_kbegin_array(w, "tools");
	for (int i = start; i < end; i++)
		kg_jw_jsonb(w, list->tools[i]);
	kg_jw_end_array(w);
	kg_mcp_end_page(req, w, list->names, list->ntools, end);
	return true;
}

bool
kg_mcp_tools_list(KgMcpRequest *req, KgJsonWriter *w)
{
	KgToolList *list = get_list(req);
	MemoryContext old;
	JsonbValue cursor;
	KgJsonWriter page;

	if (kg_json_get(req->params, "cursor", &cursor) != NULL)
		return write_list(req, list, w);
	if (list->first == NULL)
	{
		kg_jw_init_object(&page);
		kg_mcp_write_envelope(req, &page);
		(void) write_list(req, list, &page);
		kg_jw_end_object(&page);
		old = MemoryContextSwitchTo(list->entry.context);
		list->first = kg_jw_finish(&page);
		MemoryContextSwitchTo(old);
	}
	req->result = list->first;
	return true;
}

static bool
refuse_unknown(KgMcpRequest *req, const KgToolList *list, const char *name)
{
	const char *nearest = kg_nearest(name, list->names, list->ntools);
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "name", name);
	kg_jw_kstring_if(&w, "did_you_mean", nearest);
	kg_jw_end_object(&w);
	return kg_mcp_refuse(req,
						 KG_MCP_INVALID_PARAMS,
						 kg_jw_finish(&w),
						 nearest ? "unknown tool; did you mean \"%s\"?"
								 : "unknown tool%s",
						 nearest ? nearest : "");
}

/*
 * Returns whether a result is an error about invalid arguments. Before
 * 2025-11-25 such an error is a JSON-RPC error. Since then it is a result,
 * which the model sees (SEP-1303).
 */
static bool
is_argument_error(const Jsonb *result, JsonbValue *error)
{
	JsonbValue value;

	return kg_json_is_true(&result->root, "isError") &&
		   kg_json_get(&result->root, "structuredContent", &value) != NULL &&
		   kg_json_get(kg_json_container(&value), "error", error) != NULL &&
		   kg_json_get(kg_json_container(error), "code", &value) != NULL &&
		   kg_json_string_is(&value, kg_error_code_name(KG_INVALID_INPUT));
}

static bool
refuse_arguments(KgMcpRequest *req, const JsonbValue *error)
{
	JsonbValue message;
	JsonbValue expected;
	const JsonbContainer *object = kg_json_container(error);
	bool has_expected = kg_json_get(object, "expected", &expected) != NULL;

	if (kg_json_get(object, "message", &message) == NULL)
		message = kg_json_string_value("the arguments do not fit");
	return kg_mcp_refuse(req,
						 KG_MCP_INVALID_PARAMS,
						 kg_json_datum(error),
						 has_expected ? "%s; expected %s" : "%s%s",
						 kg_json_cstring(&message),
						 has_expected ? kg_json_cstring(&expected) : "");
}

/*
 * Returns whether a result is an error other than KG_TIMEOUT and
 * KG_LIMIT_EXCEEDED. If a standby has such an error, the primary might answer
 * the call. After KG_TIMEOUT or KG_LIMIT_EXCEEDED, the primary would exceed the
 * limit, too.
 */
static bool
is_refused(const Jsonb *result)
{
	JsonbValue value;
	JsonbValue error;

	if (!kg_json_is_true(&result->root, "isError"))
		return false;
	return kg_json_get(&result->root, "structuredContent", &value) == NULL ||
		   kg_json_get(kg_json_container(&value), "error", &error) == NULL ||
		   kg_json_get(kg_json_container(&error), "code", &value) == NULL ||
		   (!kg_json_string_is(&value, kg_error_code_name(KG_TIMEOUT)) &&
			!kg_json_string_is(&value, kg_error_code_name(KG_LIMIT_EXCEEDED)));
}

/*
 * Returns the _meta of a result, or NULL. If the call has written, _meta also
 * has the value that identifies its writes (wrote.h). "meta" is space for the
 * result.
 */
static const JsonbValue *
result_meta(const KgMcpRequest *req, const Jsonb *result, JsonbValue *meta)
{
	bool has = kg_json_get(&result->root, "_meta", meta) != NULL;
	/*
	 * An error has rolled back all writes, so there are no writes to identify.
	 */
	char *wrote = kg_json_is_true(&result->root, "isError") ? NULL
															: kg_mcp_wrote(req);
	KgJsonWriter w;

	if (wrote == NULL)
		return has ? meta : NULL;
	kg_jw_init_object(&w);
	if (has)
		kg_jw_members(&w, kg_json_container(meta));
	kg_jw_kstring(&w, KG_META_WROTE, wrote);
	kg_json_root(kg_jw_finish(&w), meta);
	return meta;
}

/*
 * Returns the result in the form of the revision. A client that does not read
 * structured content gets the reply as text even if kg_graph.mcp_text is off.
 */
static Jsonb *
shape_result(KgMcpRequest *req, const Jsonb *result)
{
	bool structured = req->revision >= KG_MCP_2025_06_18;
	JsonbValue meta;
	JsonbValue reply;
	JsonbValue value;
	KgSplice shaped;

	kg_splice_init(&shaped);
	kg_mcp_splice_envelope(req, result_meta(req, result, &meta), &shaped);
	if (kg_json_get(&result->root, "isError", &value))
		kg_splice_add(&shaped, "isError", &value);
	if (kg_json_get(&result->root, "structuredContent", &reply) == NULL)
		structured = false;
	else if (structured)
		kg_splice_add(&shaped, "structuredContent", &reply);
	if (reply.type == jbvBinary && !structured &&
		kg_setting_mcp_text == KG_TEXT_OFF)
		kg_splice_jsonb(&shaped,
						"content",
						kg_text_content(kg_reply_text(
							reply.val.binary.data, NULL, KG_TEXT_ON, 0)));
	else if (kg_json_get(&result->root, "content", &value))
		kg_splice_add(&shaped, "content", &value);
	return kg_splice_finish(&shaped);
}

/*
 * Returns the options of the call, with the version of the tool that the
 * message names; or NULL.
 */
static Jsonb *
call_options(const KgMcpRequest *req)
{
	JsonbValue meta;
	JsonbValue version;
	KgJsonWriter w;

	if (kg_json_get(req->params, "_meta", &meta) == NULL ||
		!kg_json_is_object(&meta) ||
		kg_json_get(kg_json_container(&meta), KG_META_VERSION, &version) ==
			NULL)
		return NULL;
	kg_jw_init_object(&w);
	kg_jw_key(&w, "version");
	kg_jw_value(&w, &version);
	return kg_jw_finish(&w);
}

/*
 * Calls a tool. Returns NULL if access decisions must be requested first
 * (req->asked).
 */
static Jsonb *
call_tool(KgMcpRequest *req, const char *name, const Jsonb *arguments)
{
	const Jsonb *options = call_options(req);
	KgJsonWriter w;
	Jsonb *result;

	if (req->brought == NULL)
		return kg_tools_call_result(name, arguments, options);
	kg_jw_init_object(&w);
	result = kg_tools_call_authorized(
		name, arguments, options, req->brought, &w);
	if (result != NULL)
		return result;
	kg_jw_kstring(&w, "subject", kg_authorized_subject());
	if (req->member >= 0)
		kg_jw_kint(&w, "member", req->member);
	req->asked = kg_jw_finish(&w);
	return NULL;
}

bool
kg_mcp_tools_call(KgMcpRequest *req, KgJsonWriter *w)
{
	const KgToolList *list = get_list(req);
	char *name = kg_mcp_string_param(req, "name");
	JsonbValue value;
	JsonbValue error;
	const Jsonb *arguments;
	KgMcpAnswer answer;
	Jsonb *result;

	if (name == NULL)
		return kg_mcp_refuse(
			req, KG_MCP_INVALID_PARAMS, NULL, "params.name must be a string");
	if (req->app && strcmp(name, KG_MCP_APP_TOOL) == 0)
	{
		/*
		 * The tool that only the page calls is the last in the list, so the
		 * page gets all tools before it.
		 */
		req->result = shape_result(
			req, kg_mcp_app_start(req, list->tools, list->ntools - 1));
		return true;
	}
	/*
	 * Registered tools can also be called by a version or an alias, which the
	 * list lacks.
	 */
	if (bsearch(&name,
				list->sorted,
				list->ntools,
				sizeof(char *),
				pg_qsort_strcmp) == NULL &&
		!kg_registered_is_callable(name))
		return refuse_unknown(req, list, name);
	arguments = kg_json_get(req->params, "arguments", &value) == NULL
					? kg_json_parse("{}")
					: kg_json_datum(&value);
	answer = kg_mcp_read_answer(req, &arguments);
	if (answer == KG_MCP_REFUSED)
	{
		req->result = kg_mcp_declined(req);
		return true;
	}
	result = call_tool(req, name, arguments);
	if (result == NULL)
		return true;
	if (kg_setting_mcp_server == KG_SERVER_STANDBY && is_refused(result))
	{
		req->elsewhere = "refused";
		return true;
	}
	/*
	 * A model cannot correct an invalid requestState, so the error is a
	 * JSON-RPC error.
	 */
	if (answer == KG_MCP_AGREED && is_argument_error(result, &error) &&
		kg_json_get(kg_json_container(&error), "path", &value) != NULL &&
		kg_json_string_is(&value, "/confirm"))
		return refuse_arguments(req, &error);
	if (req->revision < KG_MCP_2025_11_25 && is_argument_error(result, &error))
		return refuse_arguments(req, &error);
	req->result = kg_mcp_question(req, name, result);
	if (req->result == NULL)
		req->result = shape_result(req, result);
	return true;
}
