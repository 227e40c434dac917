/*
 * history_tool.c
 *	  history_<type>: what was done to an entity, the newest first.
 */
#include "postgres.h"

#include "query/cursor.h"
#include "query/decisions.h"
#include "query/history.h"
#include "store/image.h"
#include "tools/history_tool.h"
#include "tools/reply.h"
#include "tools/shape.h"

typedef struct HistoryCall
{
	const KgCatalog *catalog;
	const KgType *type;
	KgInput input;
	KgRepairs repairs;
	char *id;
	StringInfo bound; /* what a cursor is bound to */
	KgChange *changes;
	int n;
} HistoryCall;

const char *
kg_history_input_template(void)
{
	return "{'type':'object','additionalProperties':false,'required':['id'],"
		   "'properties':{'id':<id>,'limit':{'type':'integer','minimum':1,"
		   "'maximum':500,'default':50},'cursor':<cursor>,"
		   "'max_bytes':<max_bytes>}}";
}

const char *
kg_history_output_template(void)
{
	return "{'type':'object','required':['id','changes','returned',"
		   "'truncated'],'properties':{'id':<text>,'changes':{'type':'array',"
		   "'items':{'type':'object','required':['change','verdict'],"
		   "'properties':{'change':<count>,'transaction':<count>,'at':<text>,"
		   "'by':<text>,'verdict':<text>,'version':<count>,"
		   "'before':{'type':'object'},'after':{'type':'object'}}}},"
		   "'returned':<count>,'truncated':<boolean>,"
		   "'next':{'type':'object'}}}";
}

static void
write_text(KgJsonWriter *w, const char *key, const char *text)
{
	if (text)
		kg_jw_kstring(w, key, text);
}

static void
write_change(const KgChange *change, bool whole, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_kint(w, "change", change->change);
	kg_jw_kint(w, "transaction", change->transaction);
	kg_jw_kstring(w, "at", change->at);
	kg_jw_kstring(w, "by", change->by);
	write_text(w, "subject", change->subject);
	write_text(w, "agent", change->agent);
	write_text(w, "tool", change->tool);
	write_text(w, "reason", change->reason);
	kg_jw_kstring(w, "verdict", change->verdict);
	kg_jw_kint(w, "version", change->version);
	if (whole)
	{
		kg_image_write_changed(w, "before", change->before, change->after);
		kg_image_write_changed(w, "after", change->after, change->before);
	}
	kg_jw_end_object(w);
}

static void
measure_changes(void *items, Size *whole, Size *stub, Size *extra)
{
	const HistoryCall *call = items;

	for (int i = 0; i < call->n; i++)
		for (int full = 0; full < 2; full++)
		{
			KgJsonWriter w;

			kg_jw_init(&w);
			write_change(&call->changes[i], full, &w);
			(full ? whole
				  : stub)[i] = strlen(", ") +
							   kg_json_text_size(&kg_jw_finish(&w)->root);
		}
}

static void
write_reply(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const HistoryCall *call = state;

	kg_jw_kstring(w, "id", call->id);
	kg_jw_key(w, "changes");
	kg_jw_begin_array(w);
	for (int i = 0; i < fit->listed; i++)
		write_change(&call->changes[i], i < fit->whole, w);
	kg_jw_end_array(w);
}

/* It goes on below the version of the last change before the item. */
static void
next_changes(void *state, int item, KgNext *next)
{
	const HistoryCall *call = state;
	int64 below = call->changes[item - 1].version;

	next->cursor = kg_cursor_seal(
		call->catalog->tenant, call->bound, (char *) &below, sizeof(below));
}

static int64
read_position(const HistoryCall *call)
{
	const char *cursor = kg_input_string(&call->input, "cursor");
	int64 below = 0;

	if (cursor)
		memcpy(&below,
			   kg_cursor_open(
				   call->catalog->tenant, call->bound, cursor, "/cursor")
				   ->data,
			   sizeof(below));
	return below;
}

static void
require_history(const HistoryCall *call)
{
	KgError *err;

	if (call->type->history || call->n > 0)
		return;
	err = kg_error_new(KG_INVALID_INPUT,
					   "entity type \"%s\" keeps no history",
					   kg_type_handle(call->type));
	kg_error_path(err, "/entity_type");
	kg_error_got_string(err, kg_type_handle(call->type));
	kg_error_expected(err, "a type with \"x-history\": true");
	kg_error_throw(err);
}

Jsonb *
kg_tool_history(const KgCatalog *catalog, const KgType *type,
				const Jsonb *arguments)
{
	HistoryCall call = {.catalog = catalog, .type = type};
	int64 limit;
	KgDraft draft;
	JsonbValue id;
	int n;

	kg_decisions_require(catalog, type, NULL);
	kg_input_open(
		&call.input, arguments, kg_history_input_template(), &call.repairs);
	kg_input_require(&call.input, "id");
	(void) kg_input_value(&call.input, "id", &id);
	call.id = kg_args_as_id(&id, "/id");
	(void) kg_input_int(&call.input, "limit", &limit);
	call.bound = kg_cursor_query("history",
								 psprintf("%s/%s", type->bundle, type->name),
								 call.input.object);
	call.changes = palloc((limit + 1) * sizeof(KgChange));
	n = kg_history_read(
		catalog, type, call.id, read_position(&call), limit + 1, call.changes);
	call.n = Min(n, limit);
	require_history(&call);
	kg_draft_init(&draft, &call.input, kg_input_max_bytes(&call.input));
	draft.n = call.n;
	draft.least = 1;
	draft.total = -1;
	draft.paged = true;
	draft.more = n > limit;
	draft.measure = measure_changes;
	draft.items = &call;
	for (int i = 0; i < call.n; i++)
		draft.rough += (call.changes[i].before ? VARSIZE(call.changes[i].before)
											   : 0) +
					   (call.changes[i].after ? VARSIZE(call.changes[i].after)
											  : 0);
	draft.marks = kg_projection_marks(type, NULL);
	draft.write = write_reply;
	draft.next = next_changes;
	draft.state = &call;
	return kg_draft_finish(&draft);
}
