/*
 * undo_tools.c
 *	  The tools changes and undo.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "model/writer.h"
#include "query/argument/cursor.h"
#include "query/run/decisions.h"
#include "query/run/running.h"
#include "query/time/history.h"
#include "query/time/past_time.h"
#include "store/history/revert.h"
#include "tools/reply/changes.h"
#include "tools/reply/reply.h"
#include "tools/write/confirm.h"
#include "tools/write/exposed.h"
#include "tools/write/write_tool.h"
#include "tools/write/write_tools.h"

/* ---- changes ---- */

typedef struct Changes
{
	const KgCatalog *catalog;
	KgInput input;
	KgRepairs repairs;
	StringInfo bound; /* text that binds cursors to this call */
	KgChange *changes;
	int n;
} Changes;

/*
 * Reads "types". If the argument is absent, selects edges and all types for
 * which no authorizer decides access.
 */
static void
read_types(const Changes *call, KgRecent *recent)
{
	const KgCatalog *catalog = call->catalog;
	const JsonbContainer *names;

	if (!kg_input_has(&call->input, "types"))
	{
		recent->types = palloc((catalog->ntypes + 1) * sizeof(KgType *));
		for (int i = 0; i < catalog->ntypes; i++)
			if (!kg_row_has(&catalog->types[i], KG_TRAIT_AUTHORIZE))
				recent->types[recent->ntypes++] = kg_type_of(
					&catalog->types[i]);
		recent->edges = true;
		return;
	}
	names = kg_input_array(&call->input, "types", "types");
	recent->types = palloc((kg_json_length(names) + 1) * sizeof(KgType *));
	kg_json_each(it, names)
	{
		char *path = psprintf("/types/%d", it.index);
		const KgType *type;

		if (it.value.type != jbvString)
			kg_error_throw(
				kg_args_error(path, &it.value, "the name of a type"));
		type = kg_catalog_require_type(
			catalog, kg_json_cstring(&it.value), path);
		kg_decisions_require(catalog, type, NULL);
		recent->types[recent->ntypes++] = type;
	}
}

static int64
read_position(const Changes *call)
{
	const char *cursor = kg_input_string(&call->input, "cursor");
	int64 below = 0;

	if (cursor != NULL)
		memcpy(&below,
			   kg_cursor_open(
				   call->catalog->tenant, call->bound, cursor, "/cursor")
				   ->data,
			   sizeof(below));
	return below;
}

/*
 * Writes the entity at an end of an edge, or null if the entity no longer
 * exists.
 */
static void
write_end(const char *key, const char *handle, KgJsonWriter *w)
{
	kg_jw_key(w, key);
	if (handle != NULL)
		kg_jw_string(w, handle);
	else
		kg_jw_null(w);
}

static void
write_subject(const void *state, const KgChange *change, KgJsonWriter *w)
{
	const Changes *call = state;
	const KgRelation *relation;

	if (change->relation_no == 0)
	{
		kg_jw_kstring(
			w,
			"type",
			kg_type_handle(kg_catalog_type_no(call->catalog, change->type_no)));
		kg_jw_kstring(w, "id", change->id);
		return;
	}
	relation = kg_catalog_relation_no(call->catalog, change->relation_no);
	kg_jw_kstring_if(w, "relation", relation ? relation->name : NULL);
	write_end("from", change->ends[0], w);
	write_end("to", change->ends[1], w);
}

static const char *
cursor_after(const void *state, const KgChange *last)
{
	const Changes *call = state;

	return kg_cursor_seal(call->catalog->tenant,
						  call->bound,
						  (const char *) &last->change,
						  sizeof(last->change));
}

static void
note_marks(const Changes *call, KgMarks *marks)
{
	for (int t = 0; t < call->catalog->ntypes; t++)
	{
		const KgTypeRow *row = &call->catalog->types[t];
		const KgType *type;
		bool shown = false;

		for (int i = 0; i < call->n; i++)
			shown |= call->changes[i].type_no == row->type_no;
		if (!shown)
			continue;
		type = kg_type_of(row);
		for (int f = 0; f < type->nfields; f++)
			kg_marks_note_of(marks,
							 kg_type_handle(type),
							 &type->fields[f],
							 type->fields[f].name);
	}
}

Jsonb *
kg_tool_changes(const Jsonb *arguments)
{
	Changes call = {kg_running_catalog()};
	KgRecent recent = {0};
	const char *since;
	KgChangesPage page = {.input = &call.input,
						  .subject = write_subject,
						  .cursor = cursor_after,
						  .state = &call};
	int64 limit;
	int n;

	kg_input_open(&call.input, arguments, "changes", &call.repairs);
	(void) kg_input_int(&call.input, "limit", &limit);
	since = kg_input_string(&call.input, "since");
	if (since != NULL)
		recent.since = kg_time_argument(since, "/since");
	recent.mine = kg_input_bool(&call.input, "mine");
	read_types(&call, &recent);
	call.bound = kg_cursor_query("changes", "", call.input.object);
	recent.below = read_position(&call);
	call.changes = palloc((limit + 1) * sizeof(KgChange));
	n = kg_history_recent(call.catalog, &recent, limit + 1, call.changes);
	call.n = Min(n, limit);
	page.changes = call.changes;
	page.n = call.n;
	page.more = n > limit;
	note_marks(&call, &page.marks);
	return kg_changes_reply(&page);
}

/* ---- undo ---- */

typedef struct Undoing
{
	KgConfirm confirm;
	KgWriter writer;
	Jsonb *changes;
	Jsonb *options;
	bool dry_run;
	Jsonb *reply;
} Undoing;

/* Raises KG_FORBIDDEN unless the type or relation exposes the operation. */
static void
require_exposed(const KgType *type, const KgRelation *relation, int operation)
{
	(void) kg_exposed_require(
		kg_running_catalog(),
		psprintf("%s/%s",
				 type != NULL ? type->bundle : relation->bundle,
				 type != NULL ? type->name : relation->name),
		operation,
		NULL);
}

static void
revert(void *arg)
{
	Undoing *undoing = arg;

	undoing->reply = kg_revert(
		undoing->changes, undoing->options, require_exposed);
}

static void
revert_told(void *arg)
{
	Undoing *undoing = arg;

	if (!undoing->dry_run)
		kg_confirm_require(&undoing->confirm);
	kg_writer_run(&undoing->writer, revert, undoing);
}

static void
revert_uncontained(void *arg)
{
	kg_write_uncontained(revert_told, arg);
}

static KG_NORETURN void
throw_no_change(bool both)
{
	KG_THROW(
		KG_INVALID_INPUT,
		.message = both ? "\"change\" and \"transaction\" exclude each other"
						: "either \"change\" or \"transaction\" is required",
		.expected = "\"change\" or \"transaction\", with a number from a reply "
					"of the tool \"changes\"");
}

/*
 * Returns the argument for kg_revert(): the number of a change, or
 * {"transaction": number}.
 */
static Jsonb *
read_undone(const KgInput *in)
{
	KgJsonWriter w;
	int64 n;

	if (kg_input_has(in, "change") == kg_input_has(in, "transaction"))
		throw_no_change(kg_input_has(in, "change"));
	if (kg_input_int(in, "change", &n))
		return kg_json_parse(psprintf(INT64_FORMAT, n));
	(void) kg_input_int(in, "transaction", &n);
	kg_jw_init_object(&w);
	kg_jw_kint(&w, "transaction", n);
	return kg_jw_finish(&w);
}

Jsonb *
kg_tool_undo(const Jsonb *arguments)
{
	const KgFixedTool *fixed = kg_fixed_tool_find("undo");
	Undoing undoing = {{NULL}};
	KgRepairs repairs = {NIL};
	KgJsonWriter w;
	KgInput in;

	kg_write_require();
	arguments = kg_confirm_begin(
		&undoing.confirm, fixed->name, fixed->writes->destructive, arguments);
	kg_input_open(&in, arguments, fixed->name, &repairs);
	undoing.changes = read_undone(&in);
	undoing.dry_run = kg_input_bool(&in, "dry_run");
	undoing.writer.tool = fixed->name;
	undoing.writer.reason = kg_write_reason(&in);
	kg_jw_init_object(&w);
	kg_jw_kbool(&w, "dry_run", undoing.dry_run);
	undoing.options = kg_jw_finish(&w);
	kg_running_writing(revert_uncontained, &undoing);
	return undoing.reply;
}
