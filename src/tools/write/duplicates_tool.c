/*
 * duplicates_tool.c
 *	  The tool duplicates: finds pairs of entities of a type that may be the
 *	  same entity.
 */
#include "postgres.h"

#include "base/error.h"
#include "query/duplicates/duplicates.h"
#include "query/graph/foreign.h"
#include "tools/graph/call.h"
#include "tools/graph/graph.h"
#include "tools/reply/reply.h"
#include "tools/write/write_tools.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

typedef struct DuplicatesCall
{
	KgGraphCall call;
	KgFollow follow;
	KgDuplicates found;
	int64 offset;
	int n; /* number of pairs on the page */
} DuplicatesCall;

/*
 * Returns an argument that is a number above 0 and at most 1. If it is absent,
 * returns "otherwise".
 */
static double
read_share(const KgInput *in, const char *key, double otherwise)
{
	JsonbValue value;
	double share;

	if (!kg_input_has(in, key))
		return otherwise;
	(void) kg_input_value(in, key, &value);
	if (value.type == jbvNumeric)
	{
		share = DatumGetFloat8(DirectFunctionCall1(
			numeric_float8_no_overflow, NumericGetDatum(value.val.numeric)));
		if (share > 0 && share <= 1)
			return share;
	}
	kg_error_throw(kg_args_error(
		kg_input_path(in, key), &value, "a number above 0 and at most 1"));
}

static void
read_arguments(DuplicatesCall *d, const Jsonb *arguments)
{
	KgGraphCall *call = &d->call;
	const KgInput *in = &call->input;
	KgRelationNames all;

	kg_graph_call_begin(call, "duplicates", arguments);
	d->found.graph = call->graph;
	kg_input_require(in, "type");
	d->found.type = kg_call_type(call, in, "type");
	kg_call_require_type(call, d->found.type);
	if (kg_foreign_of(call->graph, d->found.type) != NULL)
		KG_THROW(KG_INVALID_INPUT,
				 .message = psprintf("type \"%s\" reads a table, whose rows "
									 "are not compared",
									 d->found.type->name),
				 .path = "/type",
				 .expected = "a type whose entities are stored");
	d->found.min_score = read_share(in, "min_score", 0.35);
	d->found.min_similarity = read_share(in, "min_similarity", 0.5);
	d->found.ids = kg_input_ids(in, "ids", &d->found.nids);
	(void) kg_input_int(in, "offset", &d->offset);
	memset(&all, 0, sizeof(all));
	all = kg_call_relation_list(call, "relations");
	kg_call_follow(call, &all, KG_BOTH_WAYS, &d->follow);
	d->found.follow = &d->follow;
}

static void
write_share(KgJsonWriter *w, const char *key, double share)
{
	kg_jw_key(w, key);
	kg_jw_numeric(w,
				  DatumGetNumeric(DirectFunctionCall3(
					  numeric_in,
					  CStringGetDatum(psprintf("%.4f", share)),
					  ObjectIdGetDatum(InvalidOid),
					  Int32GetDatum(-1))));
}

static void
write_entity(KgJsonWriter *w, const KgSameEntity *entity)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "id", entity->id);
	kg_jw_kstring_if(w, "label", entity->label);
	kg_jw_end_object(w);
}

static void
write_reasons(KgJsonWriter *w, const KgSamePair *pair)
{
	kg_jw_kbegin_array(w, "why");
	if (pair->name > 0)
	{
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "by", "name");
		write_share(w, "similarity", pair->name);
		kg_jw_kbegin_array(w, "names");
		kg_jw_string(w, pair->names[0]->text);
		kg_jw_string(w, pair->names[1]->text);
		kg_jw_end_array(w);
		kg_jw_end_object(w);
	}
	for (const KgSameValue *v = pair->values; v != NULL; v = v->next)
	{
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "by", "value");
		kg_jw_kstring(w, "property", v->value->field->name);
		kg_jw_kstring(w, "value", v->value->text);
		kg_jw_kint(w, "entities", v->sharers);
		kg_jw_end_object(w);
	}
	if (pair->common > 0)
	{
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "by", "neighbors");
		write_share(w, "similarity", pair->neighbors);
		kg_jw_kint(w, "common", pair->common);
		kg_jw_end_object(w);
	}
	kg_jw_end_array(w);
}

static void
write_pair(const DuplicatesCall *d, int i, bool whole, KgJsonWriter *w)
{
	const KgSamePair *pair = d->found.pairs[d->offset + i];

	kg_jw_begin_object(w);
	kg_jw_kbegin_array(w, "entities");
	for (int k = 0; k < 2; k++)
		write_entity(w, &d->found.entities[pair->entities[k]]);
	kg_jw_end_array(w);
	write_share(w, "score", pair->score);
	if (whole)
		write_reasons(w, pair);
	kg_jw_end_object(w);
}

static void
measure_pairs(void *items, Size *whole, Size *stub, Size *extra)
{
	const DuplicatesCall *d = items;

	for (int i = 0; i < d->n; i++)
		for (int full = 0; full < 2; full++)
		{
			KgJsonWriter w;

			kg_jw_init(&w);
			write_pair(d, i, full, &w);
			(full ? whole
				  : stub)[i] = strlen(", ") +
							   kg_json_text_size(&kg_jw_finish(&w)->root);
		}
}

static void
write_reply(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const DuplicatesCall *d = state;

	kg_jw_kbegin_array(w, "pairs");
	for (int i = 0; i < fit->listed; i++)
		write_pair(d, i, i < fit->whole, w);
	kg_jw_end_array(w);
}

static void
next_pairs(void *state, int item, KgNext *next)
{
	const DuplicatesCall *d = state;

	next->offset = d->offset + item;
}

Jsonb *
kg_tool_duplicates(const Jsonb *arguments)
{
	DuplicatesCall *d = palloc0(sizeof(DuplicatesCall));
	KgDraft draft;
	int64 limit;
	Jsonb *reply;

	read_arguments(d, arguments);
	limit = kg_input_limit(&d->call.input, 20);
	kg_duplicates_find(&d->found);
	d->offset = Min(d->offset, d->found.npairs);
	d->n = (int) Min(limit, d->found.npairs - d->offset);
	kg_draft_init(&draft, &d->call.input, d->call.max_bytes);
	draft.n = d->n;
	draft.total = d->found.npairs;
	draft.counts = limit == 0;
	draft.paged = true;
	draft.more = d->offset + d->n < d->found.npairs;
	draft.measure = measure_pairs;
	draft.items = d;
	draft.write = write_reply;
	draft.next = next_pairs;
	draft.state = d;
	reply = kg_draft_finish(&draft);
	kg_graph_call_end(&d->call);
	return reply;
}
