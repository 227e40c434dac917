/*
 * rows.c
 *	  The table functions of a query: search(), neighbors(), reach() and
 *	  path().
 *
 * Each function calls a tool with a similar purpose, page by page. So it has
 * the rights, the limits and the errors of that tool. Each function returns
 * all rows or raises an error.
 */
#include "postgres.h"

#include "base/catch.h"
#include "base/json.h"
#include "base/settings.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "query/time/validity.h"
#include "tools/compact/compact.h"
#include "tools/graph/graph.h"
#include "tools/sql/rows.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

typedef Jsonb *(*Tool)(const Jsonb *arguments);

/* A call of a tool, run in a function that catches the errors of the call. */
typedef struct Calling
{
	Tool tool;
	const Jsonb *arguments;
	Jsonb *reply;
} Calling;

static void
call_tool(void *arg)
{
	Calling *calling = arg;

	calling->reply = calling->tool(calling->arguments);
}

/*
 * Removes "path" and "call" from an error of the tool. These members are about
 * the arguments of the tool, but the caller knows only the arguments of the SQL
 * function.
 */
static void
point_at_query(ErrorData *edata, void *arg)
{
	Jsonb *object;

	if (!kg_error_is_ours(edata))
		return;
	object = kg_json_without(kg_error_caught(edata), "call");
	edata->detail = kg_json_text(&kg_json_without(object, "path")->root);
}

static Jsonb *
ask(Tool tool, const Jsonb *arguments)
{
	Calling calling = {tool, arguments};

	kg_catch_amend(call_tool, point_at_query, &calling);
	return calling.reply;
}

/* ---- arguments ---- */

static char *
text_argument(FunctionCallInfo fcinfo, int n)
{
	return PG_ARGISNULL(n) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(n));
}

/*
 * Begins the arguments of a tool, with the valid_at of the query that calls
 * the function.
 */
static void
begin_arguments(KgJsonWriter *w, const KgCall *call)
{
	kg_jw_init_object(w);
	kg_jw_kstring_if(w, "valid_at", kg_validity_instant_of(call->outer));
}

static void
write_list(KgJsonWriter *w, const char *key, const char *value)
{
	if (value == NULL)
		return;
	kg_jw_kbegin_array(w, key);
	kg_jw_string(w, value);
	kg_jw_end_array(w);
}

/* ---- rows ---- */

static void
write_member(KgJsonWriter *w, const JsonbContainer *object, const char *key)
{
	JsonbValue value;

	if (kg_json_get(object, key, &value))
		kg_jw_value(w, &value);
	else
		kg_jw_null(w);
}

/* Writes a handle "type:id" as two columns: first id, then type. */
static void
write_handle(KgJsonWriter *w, const JsonbValue *handle)
{
	char *text = kg_json_cstring(handle);
	char *colon = strchr(text, ':');

	kg_jw_string(w, colon ? colon + 1 : text);
	if (colon == NULL)
		kg_jw_null(w);
	else
		kg_jw_stringn(w, text, colon - text);
}

Jsonb *
kg_rows_search(FunctionCallInfo fcinfo, KgCall *call)
{
	const char *text = text_argument(fcinfo, 0);
	KgJsonWriter w;
	Jsonb *reply;
	JsonbValue items;
	JsonbValue id;

	kg_jw_init_array(&w);
	if (text == NULL || text[0] == '\0')
		return kg_jw_finish(&w);
	begin_arguments(&w, call);
	kg_jw_kstring(&w, "query", text);
	write_list(&w, "node_types", text_argument(fcinfo, 1));
	if (!PG_ARGISNULL(2))
		kg_jw_kint(&w, "limit", PG_GETARG_INT32(2));
	kg_jw_kint(&w, "max_bytes", kg_setting_max_reply_bytes);
	reply = ask(kg_tool_search_entities, kg_jw_finish(&w));
	kg_jw_init_array(&w);
	(void) kg_json_get(&reply->root, "items", &items);
	kg_json_each(it, kg_json_container(&items))
	{
		const JsonbContainer *item = kg_json_container(&it.value);

		kg_jw_begin_array(&w);
		(void) kg_json_get(item, "id", &id);
		write_handle(&w, &id);
		write_member(&w, item, "name");
		write_member(&w, item, "score");
		kg_jw_end_array(&w);
	}
	return kg_jw_finish(&w);
}

/* Writes the nodes of a page, except the start node, whose depth is 0. */
static void
write_nodes(KgJsonWriter *w, const Jsonb *reply)
{
	JsonbValue nodes;
	JsonbValue depth;
	int64 n;

	(void) kg_json_get(&reply->root, "nodes", &nodes);
	kg_json_each(it, kg_json_container(&nodes))
	{
		const JsonbContainer *node = kg_json_container(&it.value);

		if (kg_json_get(node, "depth", &depth) == NULL ||
			!kg_json_int64(&depth, &n) || n == 0)
			continue;
		kg_jw_begin_array(w);
		write_member(w, node, "id");
		write_member(w, node, "type");
		kg_jw_value(w, &depth);
		kg_jw_end_array(w);
	}
}

/* Calls explore_neighbors for all pages and returns all rows. */
static Jsonb *
explore(const Jsonb *arguments)
{
	KgJsonWriter w;
	JsonbValue next;

	kg_jw_init_array(&w);
	for (;;)
	{
		Jsonb *reply = ask(kg_tool_explore_neighbors, arguments);

		CHECK_FOR_INTERRUPTS();
		write_nodes(&w, reply);
		if (kg_json_get(&reply->root, "next", &next) == NULL)
			return kg_jw_finish(&w);
		arguments = kg_json_datum(&next);
	}
}

/*
 * Returns the rows of reach(). Returns no rows if there is no entity to start
 * from.
 */
static Jsonb *
reach(KgCall *call, const char *type, const char *id, const char *relation,
	  const char *direction, int hops)
{
	KgJsonWriter w;

	if (type == NULL || id == NULL)
	{
		kg_jw_init_array(&w);
		return kg_jw_finish(&w);
	}
	begin_arguments(&w, call);
	kg_jw_kbegin_object(&w, "start_node");
	kg_jw_kstring(&w, "label", type);
	kg_jw_kstring(&w, "node_id", id);
	kg_jw_end_object(&w);
	write_list(&w, "relationship_types", relation);
	kg_jw_kstring(&w, "direction", direction);
	kg_jw_kint(&w, "max_hops", hops);
	kg_jw_kint(&w, "limit", kg_setting_max_rows);
	kg_jw_kint(&w, "max_bytes", kg_setting_max_reply_bytes);
	return explore(kg_jw_finish(&w));
}

static KG_NORETURN void
throw_handle(const char *handle)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf("\"%s\" is not a handle of an entity", handle),
			 .expected = "type:id, such as 'product:p1'");
}

/*
 * Splits a handle "type:id" at the colon. The type remains in the argument;
 * returns the id.
 */
static char *
split_handle(char *handle)
{
	char *colon = handle ? strchr(handle, ':') : NULL;

	if (handle == NULL)
		return NULL;
	if (colon == NULL)
		throw_handle(handle);
	*colon = '\0';
	return colon + 1;
}

Jsonb *
kg_rows_neighbors(FunctionCallInfo fcinfo, KgCall *call)
{
	char *handle = text_argument(fcinfo, 0);
	const char *id = split_handle(handle);

	return reach(call,
				 handle,
				 id,
				 text_argument(fcinfo, 2),
				 "both",
				 PG_ARGISNULL(1) ? 1 : PG_GETARG_INT32(1));
}

Jsonb *
kg_rows_reach(FunctionCallInfo fcinfo, KgCall *call)
{
	const char *direction = text_argument(fcinfo, 3);

	return reach(call,
				 text_argument(fcinfo, 0),
				 text_argument(fcinfo, 1),
				 text_argument(fcinfo, 2),
				 direction ? direction : "outgoing",
				 PG_ARGISNULL(4) ? 3 : PG_GETARG_INT32(4));
}

/* ---- path ---- */

static void
write_end(KgJsonWriter *w, const char *key, char *handle)
{
	const char *id = split_handle(handle);

	kg_jw_kbegin_object(w, key);
	kg_jw_kstring(w, "label", handle);
	kg_jw_kbegin_array(w, "ids");
	kg_jw_string(w, id);
	kg_jw_end_array(w);
	kg_jw_end_object(w);
}

/*
 * Writes a row for each edge of a path. A path is an array in which handles
 * and edges alternate.
 */
static void
write_steps(KgJsonWriter *w, const JsonbContainer *path)
{
	JsonbValue relation = {.type = jbvNull};
	int step = 0;

	kg_json_each(it, path)
	{
		if (it.value.type != jbvString)
		{
			(void) kg_json_get(kg_json_container(&it.value), "type", &relation);
			continue;
		}
		kg_jw_begin_array(w);
		kg_jw_int(w, step++);
		write_handle(w, &it.value);
		kg_jw_value(w, &relation);
		kg_jw_end_array(w);
	}
}

Jsonb *
kg_rows_path(FunctionCallInfo fcinfo, KgCall *call)
{
	char *from = text_argument(fcinfo, 0);
	char *to = text_argument(fcinfo, 1);
	KgJsonWriter w;
	Jsonb *reply;
	JsonbValue paths;
	JsonbValue path;

	kg_jw_init_array(&w);
	if (from == NULL || to == NULL)
		return kg_jw_finish(&w);
	begin_arguments(&w, call);
	write_end(&w, "from", from);
	write_end(&w, "to", to);
	if (!PG_ARGISNULL(2))
		kg_jw_kint(&w, "max_hops", PG_GETARG_INT32(2));
	kg_jw_kint(&w, "limit", 1);
	kg_jw_kint(&w, "max_bytes", kg_setting_max_reply_bytes);
	reply = ask(kg_tool_find_paths, kg_jw_finish(&w));
	kg_jw_init_array(&w);
	(void) kg_json_get(&reply->root, "paths", &paths);
	kg_json_each(it, kg_json_container(&paths))
		if (kg_json_get(kg_json_container(&it.value), "path", &path))
			write_steps(&w, kg_json_container(&path));
	return kg_jw_finish(&w);
}

/* ---- the result ---- */

static Datum
column_value(const JsonbValue *value, Oid type, bool *isnull)
{
	Oid input;
	Oid of_array;

	*isnull = value->type == jbvNull;
	if (*isnull)
		return (Datum) 0;
	getTypeInputInfo(type, &input, &of_array);
	return OidInputFunctionCall(input, kg_json_cstring(value), of_array, -1);
}

void
kg_rows_put(FunctionCallInfo fcinfo, const Jsonb *rows)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Datum values[4];
	bool nulls[4];

	InitMaterializedSRF(fcinfo, 0);
	Assert(result->setDesc->natts <= lengthof(values));
	kg_json_each(row, &rows->root)
	{
		kg_json_each(it, kg_json_container(&row.value))
			values[it.index] = column_value(
				&it.value,
				TupleDescAttr(result->setDesc, it.index)->atttypid,
				&nulls[it.index]);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}
