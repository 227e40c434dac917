/*
 * get_tool.c
 *	  The tools get_<type>: entities by id.
 */
#include "postgres.h"

#include "base/catch.h"
#include "miscadmin.h"
#include "query/run/decisions.h"
#include "query/argument/hints.h"
#include "query/merged.h"
#include "query/time/history.h"
#include "query/time/past.h"
#include "query/time/past_time.h"
#include "query/time/validity.h"
#include "tools/catalog/catalog_tools.h"
#include "tools/reply/cite.h"
#include "tools/offered.h"
#include "tools/input/published.h"
#include "tools/reply/reply.h"
#include "tools/reply/shape.h"
#include "utils/builtins.h"
#include "virtual/virtual.h"

#define KG_MAX_HINTED_IDS 5

static void
write_entity(const char *id, const Jsonb *data, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "id", id);
	kg_jw_kjsonb_if(w, "data", data);
	kg_jw_end_object(w);
}

typedef struct GetCall
{
	const KgCatalog *catalog;
	const KgType *type;
	KgInput input;
	KgRepairs repairs;
	int64 max_bytes;
	const KgProjection *projection;
	bool single;
	TimestampTz as_of;		/* time of the requested state; 0: the present */
	const char *as_of_text; /* as sent by the caller */
	KgGot *got;
	int ngot;
	int *found; /* indexes in "got" of the entities that were found */
	int nfound;
} GetCall;

static void
ask_then(void *arg)
{
	const GetCall *call = arg;

	kg_past_ask(call->catalog, call->type, call->as_of_text);
}

/*
 * Returns whether similar ids can be looked up. With as_of, the look-up reads
 * the history, as lists do. If this reading would exceed a limit, returns
 * false, and the reply has no hints.
 */
static bool
can_look(GetCall *call)
{
	if (call->as_of == 0)
		return true;
	kg_input_valid_at(&call->input, call->catalog);
	return kg_catch(KG_CATCH_KEEP, ask_then, call) == NULL;
}

/*
 * Returns hints with the most similar existing ids, for the first ids that
 * were not found.
 */
static Jsonb *
missing_hints(const GetCall *call)
{
	int hinted = 0;
	KgCorrection correction = {NULL};
	KgJsonWriter w;

	kg_jw_init_array(&w);
	for (int i = 0; i < call->ngot && hinted < KG_MAX_HINTED_IDS; i++)
	{
		JsonbValue id;

		const KgGot *got = &call->got[i];

		if (got->data)
			continue;
		hinted++;
		kg_jw_begin_object(&w);
		kg_jw_kstring(
			&w, "path", call->single ? "/id" : psprintf("/ids/%d", got->index));
		kg_jw_kstring(&w, "value", got->id);
		kg_jw_key(&w, "nearest");
		id = kg_json_string_value(got->id);
		kg_hints_write_nearest(call->catalog,
							   call->type,
							   &id,
							   call->single ? "/id" : "/ids",
							   &correction,
							   &w);
		/*
		 * Each hint has a call with its own correction and the corrections of
		 * all earlier hints. So the call of the last hint has all corrections.
		 */
		kg_correction_write(&correction, &w);
		kg_jw_end_object(&w);
	}
	return kg_jw_finish(&w);
}

static const KgGot *
found(const GetCall *call, int i)
{
	return &call->got[call->found[i]];
}

/*
 * Returns the id that a found entity has now. The id differs from the requested
 * id if the requested entity was merged.
 */
static const char *
found_id(const GetCall *call, int i)
{
	const KgGot *got = found(call, i);

	return got->now != NULL ? got->now : got->id;
}

/* Sets "ids" of the next call to the ids whose data is not in the reply. */
static void
next_ids(void *state, int item, KgNext *next)
{
	const GetCall *call = state;
	KgJsonWriter w;

	kg_jw_init_array(&w);
	for (int i = item; i < call->nfound; i++)
		kg_jw_string(&w, found(call, i)->id);
	next->ids = kg_jw_finish(&w);
}

static void
write_one(const GetCall *call, const KgFit *fit, KgJsonWriter *w)
{
	kg_jw_key(w, "entity");
	if (call->nfound == 0)
		kg_jw_null(w);
	else
		write_entity(
			found_id(call, 0), fit->whole > 0 ? call->got->data : NULL, w);
}

static void
write_many(const GetCall *call, const KgFit *fit, KgJsonWriter *w)
{
	kg_jw_kbegin_array(w, "entities");
	for (int i = 0; i < fit->listed; i++)
		write_entity(
			found_id(call, i), i < fit->whole ? found(call, i)->data : NULL, w);
	kg_jw_end_array(w);
	kg_jw_kbegin_array(w, "not_found");
	for (int i = 0; i < call->ngot; i++)
		if (call->got[i].data == NULL)
			kg_jw_string(w, call->got[i].id);
	kg_jw_end_array(w);
}

/*
 * Writes the requested ids of merged entities, with the ids of the entities
 * into which they were merged.
 */
static void
write_merged(const GetCall *call, KgJsonWriter *w)
{
	bool any = false;

	for (int i = 0; i < call->ngot; i++)
	{
		if (call->got[i].now == NULL)
			continue;
		if (!any)
			kg_jw_kbegin_array(w, "merged");
		any = true;
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "id", call->got[i].id);
		kg_jw_kstring(w, "into", call->got[i].now);
		kg_jw_end_object(w);
	}
	if (any)
		kg_jw_end_array(w);
}

static void
write_reply(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const GetCall *call = state;

	if (call->single)
		write_one(call, fit, w);
	else
		write_many(call, fit, w);
	write_merged(call, w);
}

/*
 * Measures the entities. If the reply has the data of an entity, "next" does
 * not contain its id, so the bytes of the id are subtracted.
 */
static void
measure_entities(void *items, Size *whole, Size *stub, Size *extra)
{
	const GetCall *call = items;

	for (int i = 0; i < call->nfound; i++)
	{
		const KgGot *got = found(call, i);
		const char *now = found_id(call, i);
		Size id = kg_string_text_size(now, strlen(now));

		stub[i] = strlen("{\"id\": }, ") + id;
		whole[i] = stub[i] + strlen(", \"data\": ") +
				   kg_json_text_size(&got->data->root);
		whole[i] -= Min(whole[i] - stub[i], id + strlen(", "));
	}
}

/*
 * Returns the entities as they were at as_of. Counts of edges are missing,
 * because the history does not store them.
 */
static KgGot *
got_at(const GetCall *call, char **ids, int n)
{
	KgGot *got = palloc0(Max(1, n) * sizeof(KgGot));

	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		got[i].id = ids[i];
		got[i].index = i;
		got[i].data = kg_history_at(
			call->catalog, call->type, ids[i], call->as_of);
		if (got[i].data && !kg_validity_has(call->type, got[i].data))
			got[i].data = NULL;
	}
	return got;
}

static void
cite_found(const GetCall *call, KgDraft *draft)
{
	KgCited *cited = palloc0((call->nfound + 1) * sizeof(KgCited));

	for (int i = 0; i < call->nfound; i++)
	{
		cited[i].type = call->type;
		cited[i].id = found_id(call, i);
		cited[i].item = i;
	}
	kg_cite(draft, cited, call->nfound);
}

/*
 * Adds the values of the fields that are paths through references, as they
 * were at the time that the call reads.
 */
static void
reach(const GetCall *call)
{
	int n = call->nfound;
	int64 *nodes = palloc((n + 1) * sizeof(int64));
	Jsonb **data = palloc((n + 1) * sizeof(Jsonb *));
	KgGraph *graph;

	if (call->projection == NULL || call->projection->npaths == 0)
		return;
	if (call->as_of != 0)
		kg_past_ask(call->catalog, NULL, call->as_of_text);
	graph = kg_graph_begin();
	for (int i = 0; i < n; i++)
	{
		nodes[i] = kg_graph_start(graph, call->type, found_id(call, i));
		data[i] = found(call, i)->data;
	}
	kg_projection_reach(call->projection, graph, nodes, data, n, "/fields");
	kg_graph_end(graph);
	for (int i = 0; i < n; i++)
		call->got[call->found[i]].data = data[i];
}

/*
 * Returns whether the entity with the id is among the entities that were
 * found.
 */
static bool
is_got(const GetCall *call, const char *id)
{
	for (int i = 0; i < call->ngot; i++)
		if (call->got[i].data != NULL &&
			(strcmp(call->got[i].id, id) == 0 ||
			 (call->got[i].now != NULL && strcmp(call->got[i].now, id) == 0)))
			return true;
	return false;
}

/*
 * Returns the requested ids. If an id was not found because its entity was
 * merged, the id of the entity into which it was merged replaces it.
 */
static char **
present_ids(const GetCall *call)
{
	char **ids = palloc(Max(1, call->ngot) * sizeof(char *));
	bool missing = false;

	for (int i = 0; i < call->ngot; i++)
	{
		ids[i] = (char *) call->got[i].id;
		missing |= call->got[i].data == NULL;
	}
	if (missing && call->as_of == 0)
		(void) kg_merged_replace(call->catalog, call->type, ids, call->ngot);
	return ids;
}

/*
 * If a requested entity was merged into the entity with the id "now", reads
 * that entity. Returns whether the reply must list it: it exists and is not
 * listed already.
 */
static bool
follow_merged(GetCall *call, int i, char *now)
{
	KgGot *got = &call->got[i];
	Jsonb *data;
	bool repeated;

	if (got->data != NULL || strcmp(now, got->id) == 0)
		return got->data != NULL;
	data = kg_engine_get(call->catalog, call->type, &now, 1)->data;
	if (data == NULL)
		return false;
	repeated = is_got(call, now);
	got->now = now;
	got->data = data;
	return !repeated;
}

static Jsonb *
get(GetCall *call, char **ids, int n)
{
	int missing = 0;
	char **now;
	KgDraft draft;

	call->got = call->as_of ? got_at(call, ids, n)
							: kg_engine_get(call->catalog, call->type, ids, n);
	call->ngot = n;
	now = present_ids(call);
	call->found = palloc((n + 1) * sizeof(int));
	kg_draft_init(&draft, &call->input, call->max_bytes);
	for (int i = 0; i < n; i++)
	{
		KgGot *got = &call->got[i];

		if (!follow_merged(call, i, now[i]))
		{
			missing += got->data == NULL;
			continue;
		}
		if (call->projection)
			got->data = kg_projection_apply(call->projection, got->data);
		call->found[call->nfound++] = i;
	}
	reach(call);
	for (int i = 0; i < call->nfound; i++)
		draft.rough += VARSIZE(found(call, i)->data);
	draft.n = call->nfound;
	draft.least = 1;
	if (missing > 0 && can_look(call))
		draft.hints = missing_hints(call);
	draft.paged = true;
	draft.measure = measure_entities;
	draft.items = call;
	draft.marks = kg_projection_marks(call->type, call->projection);
	draft.write = write_reply;
	draft.next = next_ids;
	draft.state = call;
	/*
	 * With as_of, citations are not written; the history tool reports the
	 * versions.
	 */
	if (kg_cite_wanted(&call->input) && call->as_of == 0)
		cite_found(call, &draft);
	return kg_draft_finish(&draft);
}

/*
 * Reads "ids" or "id". Raises KG_INVALID_INPUT unless exactly one of the two
 * arguments is present.
 */
static char **
read_ids(GetCall *call, int *n)
{
	const KgInput *in = &call->input;
	char **ids = kg_input_ids(in, "ids", n);
	JsonbValue one;

	call->single = kg_json_get(in->object, "id", &one) != NULL;
	if (call->single && one.type == jbvNull)
		(void) kg_args_as_id(&one, "/id");
	if ((ids != NULL) == call->single)
		KG_THROW(
			KG_INVALID_INPUT,
			.message = call->single
						   ? "either \"ids\" or \"id\" is allowed, not both"
						   : "either \"ids\" or \"id\" is required",
			.path = "/ids",
			.expected = psprintf("\"ids\" with an array of 1 to " INT64_FORMAT
								 " ids, or \"id\" with one id",
								 kg_input_maximum(in, "ids")));
	if (call->single)
	{
		ids = palloc(sizeof(char *));
		ids[0] = kg_args_as_id(&one, "/id");
		*n = 1;
	}
	return ids;
}

Jsonb *
kg_tool_get(const KgCatalog *catalog, const KgType *type,
			const Jsonb *arguments)
{
	const char *template = kg_tool_input_template(type, KG_EXPOSE_GET);
	const char *as_of;
	GetCall call;
	JsonbValue sent;
	char **ids;
	int n;

	kg_decisions_require(catalog, type, NULL);
	memset(&call, 0, sizeof(call));
	call.catalog = catalog;
	call.type = type;
	/*
	 * The schema of a type without history lacks as_of. This call raises an
	 * error that says so.
	 */
	if (!type->history && kg_json_get(&arguments->root, "as_of", &sent))
		(void) kg_history_time(type, kg_json_cstring(&sent));
	kg_begin_tool_of_type(catalog, type, KG_EXPOSE_GET, arguments);
	kg_input_open(&call.input, arguments, template, &call.repairs);
	kg_input_valid_at(&call.input, catalog);
	as_of = type->history ? kg_input_instant(&call.input, "as_of") : NULL;
	if (as_of)
	{
		call.as_of = kg_history_time(type, as_of);
		call.as_of_text = as_of;
		kg_validity_leave_rows();
	}
	ids = read_ids(&call, &n);
	call.projection = kg_projection_parse(type, &call.input);
	call.max_bytes = kg_input_max_bytes(&call.input);
	/*
	 * The schema does not list paths through references, so the check would
	 * refuse them.
	 */
	if (call.repairs.repairs == NIL &&
		(call.projection == NULL || call.projection->npaths == 0))
		kg_published_check(catalog, type, template, arguments);
	kg_tool_audit(type, KG_EXPOSE_GET, arguments);
	return get(&call, ids, n);
}
