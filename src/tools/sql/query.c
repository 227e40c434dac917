/*
 * query.c
 *	  The tool query: its arguments and its reply.
 */
#include "postgres.h"

#include "ask/ask.h"
#include "ask/translate.h"
#include "auth/owner.h"
#include "query/argument/repair.h"
#include "query/run/running.h"
#include "query/time/validity.h"
#include "tools/fixed_tools.h"
#include "tools/input/input.h"
#include "tools/input/published.h"
#include "tools/sql/query.h"
#include "tools/reply/reply.h"

/* Writes the hints of a reply, an array with one hint. */
static void
write_hint(const char *message, KgJsonWriter *w)
{
	kg_jw_kbegin_array(w, "hints");
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "path", "/sql");
	kg_jw_kstring(w, "message", message);
	kg_jw_end_object(w);
	kg_jw_end_array(w);
}

static void
write_rows(const KgAsk *ask, KgJsonWriter *w)
{
	ListCell *lc;

	kg_jw_kbegin_array(w, "rows");
	foreach(lc, ask->rows)
		kg_jw_jsonb(w, lfirst(lc));
	kg_jw_end_array(w);
	kg_jw_kint(w, "returned", list_length(ask->rows));
	if (ask->rows == NIL && ask->stopped == NULL)
		write_hint("no row passes the conditions of the query", w);
}

/*
 * Writes the members that report omitted rows. There is no total: the query was
 * stopped before the number of its rows was known.
 */
static void
write_truncated(const KgAsk *ask, KgJsonWriter *w)
{
	kg_jw_kbool(w, "truncated", true);
	kg_jw_kstring(w, "reason", ask->stopped);
	write_hint("for more rows, select fewer columns, use an aggregate, or "
			   "ORDER BY with LIMIT and OFFSET",
			   w);
}

static Jsonb *
make_reply(const KgAsk *ask, const KgRepairs *repairs)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_klist(&w, "columns", ask->columns);
	kg_jw_klist(&w, "types", ask->column_types);
	write_rows(ask, &w);
	if (ask->stopped != NULL)
		write_truncated(ask, &w);
	kg_jw_kstring_if(&w, "valid_at", kg_validity_instant());
	if (ask->plan != NIL)
		kg_jw_klist(&w, "plan", ask->plan);
	kg_repairs_write(repairs, &w);
	return kg_jw_finish(&w);
}

/*
 * Returns the reply. Omits the last rows until the whole reply fits. The rows
 * could not be limited before, because the size of the other members is known
 * only after the query has ended.
 */
static Jsonb *
fit_reply(KgAsk *ask, const KgInput *in, int64 max_bytes)
{
	for (;;)
	{
		Jsonb *reply = make_reply(ask, in->repairs);
		Size size = kg_json_text_size(&reply->root);

		if (ask->needed > 0 || (size > max_bytes && ask->rows == NIL))
			kg_throw_too_small(in, max_bytes, size + ask->needed);
		if (size <= max_bytes)
			return reply;
		ask->stopped = "max_bytes";
		while (size > max_bytes && ask->rows != NIL)
		{
			Jsonb *last = llast(ask->rows);

			size -= kg_json_text_size(&last->root);
			ask->needed = list_length(ask->rows) == 1
							  ? kg_json_text_size(&last->root)
							  : 0;
			ask->rows = list_delete_last(ask->rows);
		}
	}
}

Jsonb *
kg_tool_query(const Jsonb *arguments)
{
	const KgFixedTool *tool = kg_fixed_tool_find("query");
	KgRepairs repairs = {NIL};
	KgAsk ask = {NULL};
	const KgCatalog *catalog;
	KgInput in;
	JsonbValue params;
	int64 max_bytes;

	kg_repair_begin("query", arguments);
	kg_input_open(&in, arguments, tool->name, &repairs);
	catalog = kg_running_catalog();
	kg_input_valid_at(&in, catalog);
	max_bytes = kg_input_max_bytes(&in);
	ask.sql = kg_input_string(&in, "sql");
	if (kg_input_value(&in, "params", &params) && kg_json_is_object(&params))
		kg_ask_refuse_named(ask.sql, &params);
	ask.params = kg_input_array(&in, "params", "values");
	(void) kg_input_int(&in, "limit", &ask.limit);
	if (repairs.repairs == NIL)
		kg_published_check(catalog, NULL, tool->name, arguments);
	ask.max_bytes = max_bytes;
	ask.explain = kg_input_bool(&in, "explain");
	if (ask.explain)
		kg_owner_require_statistics("have queries explained");
	kg_ask(&ask);
	return fit_reply(&ask, &in, max_bytes);
}
