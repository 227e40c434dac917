/*
 * bfs_search.c
 *	  search_entities: from a name to ids.
 */
#include "postgres.h"

#include "query/marks.h"
#include "query/search.h"
#include "tools/bfs_call.h"
#include "tools/shape.h"
#include "utils/builtins.h"

#define KG_SEARCH_MAX_LIMIT 100
#define KG_SEARCH_HINTS 5

typedef struct Hit
{
	const KgMatch *match;
	KgRef ref;
	char *name;
	Jsonb *item;
} Hit;

typedef struct Hits
{
	KgGraph *graph;
	KgNodeSet set;
	Hit *hits;
} Hits;

static void
keep_hit(const KgRef *ref, void *arg)
{
	Hits *hits = arg;
	uint32 i = kg_nodeset_find(&hits->set, ref->node);
	const KgType *type = hits->graph->ranked[ref->rank - 1];
	JsonbValue value;
	Hit *hit;

	if (i == KG_NO_NODE)
		return;
	hit = &hits->hits[i];
	hit->ref = kg_ref_copy(ref, CurrentMemoryContext);
	hit->ref.data = NULL;
	if (type->label_field != NULL &&
		kg_field_value(type->label_field, &ref->data->root, &value))
		hit->name = kg_json_cstring(&value);
	else
		hit->name = pstrdup(hit->ref.id);
}

/* Best first; ties by name, type, id. */
static int
compare_hits(const void *a, const void *b)
{
	const Hit *x = a;
	const Hit *y = b;
	int order;

	if (x->name == NULL || y->name == NULL)
		return (x->name == NULL) - (y->name == NULL);
	if (x->match->score != y->match->score)
		return x->match->score > y->match->score ? -1 : 1;
	order = strcmp(x->name, y->name);
	return order != 0 ? order : kg_ref_compare(&x->ref, &y->ref);
}

/*
 * The hits that can be among the first limit, with their names: as many as
 * score no less than the last of these.
 */
static uint32
fetch_hits(Hits *hits, const KgMatches *matches, int64 limit)
{
	int n = matches->n;

	if (n > limit)
	{
		double least = matches->matches[limit - 1].score;

		for (n = limit; n < matches->n && matches->matches[n].score >= least;)
			n++;
	}
	kg_nodeset_init(&hits->set, hits->graph->context);
	hits->hits = palloc0((n + 1) * sizeof(Hit));
	for (int i = 0; i < n; i++)
	{
		uint32 at = kg_nodeset_add(&hits->set, matches->matches[i].node);

		if (hits->hits[at].match == NULL)
			hits->hits[at].match = &matches->matches[i];
	}
	kg_graph_resolve(
		hits->graph, hits->set.nodes, hits->set.n, true, keep_hit, hits);
	qsort(hits->hits, hits->set.n, sizeof(Hit), compare_hits);
	return hits->set.n;
}

static Jsonb *
make_item(const KgGraph *graph, const Hit *hit)
{
	const KgType *type = graph->ranked[hit->ref.rank - 1];
	KgMarks marks = {NIL};
	KgJsonWriter w;

	kg_jw_init(&w);
	kg_jw_begin_object(&w);
	kg_jw_kstring(&w, "id", kg_handle(graph, &hit->ref));
	kg_jw_kstring(&w, "entity_type", kg_type_handle(type));
	kg_jw_kstring(&w, "name", hit->name);
	kg_jw_key(&w, "score");
	kg_jw_numeric(&w,
				  DatumGetNumeric(DirectFunctionCall2(
					  numeric_round,
					  DirectFunctionCall1(float8_numeric,
										  Float8GetDatum(hit->match->score)),
					  Int32GetDatum(4))));
	kg_match_write(hit->match, type, &w);
	kg_marks_note(&marks, type->id_field, "id");
	kg_marks_note(
		&marks, type->label_field ? type->label_field : type->id_field, "name");
	kg_marks_write(&marks, &w);
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}

typedef struct Search
{
	char *query;
	int ntypes; /* 0: all */
	int32 *type_nos;
} Search;

static KgMatches *
run_search(KgGraphCall *call, Search *search)
{
	uint16 *ranks;
	int n = kg_call_types(call, "node_types", &ranks);

	search->ntypes = Max(n, 0);
	search->type_nos = palloc((search->ntypes + 1) * sizeof(int32));
	search->query = kg_input_string(&call->input, "query");
	for (int i = 0; i < n; i++)
	{
		const KgType *type = call->graph->ranked[ranks[i] - 1];

		kg_call_require_type(call, type);
		search->type_nos[i] = type->type_no;
	}
	if (n <= 0)
		kg_call_require_type(call, NULL);
	return kg_search_run(call->catalog,
						 search->query,
						 search->type_nos,
						 search->ntypes,
						 "/query");
}

/* ---- nothing found ---- */

static void
write_hint(const KgGraph *graph, const char *path, const char *message,
		   KgMatches *matches, KgJsonWriter *w)
{
	Hits hits;
	uint32 n;

	memset(&hits, 0, sizeof(hits));
	hits.graph = (KgGraph *) graph;
	n = fetch_hits(&hits, matches, KG_SEARCH_HINTS);
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "path", path);
	kg_jw_kstring(w, "message", message);
	if (n > 0)
	{
		kg_jw_key(w, "nearest");
		kg_jw_begin_array(w);
		for (uint32 i = 0; i < Min(n, KG_SEARCH_HINTS); i++)
			if (hits.hits[i].name != NULL)
				kg_jw_jsonb(w, make_item(graph, &hits.hits[i]));
		kg_jw_end_array(w);
	}
	kg_jw_end_object(w);
}

/* Matches of a single word of the query, longest words first. */
static KgMatches *
search_words(KgGraphCall *call, const Search *search)
{
	KgMatches *best = NULL;
	char *text = pstrdup(search->query);
	int len = 0;

	for (char *word = strtok(text, " \t"); word != NULL;
		 word = strtok(NULL, " \t"))
	{
		KgMatches *matches;

		if ((int) strlen(word) <= len || strcmp(word, search->query) == 0)
			continue;
		matches = kg_search_nearest(call->catalog, word, 0, KG_SEARCH_HINTS);
		if (matches->n == 0)
			continue;
		best = matches;
		len = strlen(word);
	}
	return best;
}

static Jsonb *
nothing_hints(KgGraphCall *call, const Search *search)
{
	KgMatches *matches =
		search->ntypes == 0
			? NULL
			: kg_search_run(call->catalog, search->query, NULL, 0, "/query");
	KgJsonWriter w;

	kg_jw_init(&w);
	kg_jw_begin_array(&w);
	if (matches != NULL && matches->n > 0)
		write_hint(call->graph,
				   "/node_types",
				   "no entity of these types is named so, but others are",
				   matches,
				   &w);
	else
	{
		static KgMatches none;

		matches = search_words(call, search);
		write_hint(call->graph,
				   "/query",
				   matches == NULL
					   ? "no name, alias or id is like this, not even with "
						 "typos"
					   : "no name, alias or id is like this; these are like "
						 "one of its words",
				   matches != NULL ? matches : &none,
				   &w);
	}
	kg_jw_end_array(&w);
	return kg_jw_finish(&w);
}

/* ---- the reply ---- */

typedef struct Answer
{
	KgGraphCall call;
	const KgMatches *matches;
	int total; /* without those that are not there after all */
	int n;
	Jsonb **items;
} Answer;

static void
measure_items(void *items, Size *whole, Size *stub, Size *extra)
{
	const Answer *a = items;

	for (int i = 0; i < a->n; i++)
		stub[i] = whole[i] = strlen(", ") +
							 kg_json_text_size(&a->items[i]->root);
}

static void
write_answer(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const Answer *a = state;

	kg_jw_key(w, "items");
	kg_jw_begin_array(w);
	for (int i = 0; i < fit->listed; i++)
		kg_jw_jsonb(w, a->items[i]);
	kg_jw_end_array(w);
}

static Jsonb *
finish_answer(Answer *a, const Jsonb *hints)
{
	KgDraft draft;

	kg_draft_init(&draft, &a->call.input, a->call.max_bytes);
	draft.n = a->n;
	draft.hints = hints;
	draft.total = a->total;
	draft.at_least = a->matches->truncated;
	draft.more = a->matches->truncated || a->n < a->total;
	draft.highest_limit = KG_SEARCH_MAX_LIMIT;
	draft.measure = measure_items;
	draft.items = a;
	draft.write = write_answer;
	draft.state = a;
	return kg_draft_finish(&draft);
}

Jsonb *
kg_tool_search_entities(const Jsonb *arguments)
{
	Answer *a = palloc0(sizeof(Answer));
	KgGraphCall *call = &a->call;
	Search search;
	Hits hits;
	int64 limit = 0;
	uint32 n;
	Jsonb *result;

	kg_graph_call_begin(call, "search_entities", arguments);
	limit = kg_input_limit(&call->input, 0);
	a->matches = run_search(call, &search);
	memset(&hits, 0, sizeof(hits));
	hits.graph = call->graph;
	n = fetch_hits(&hits, (KgMatches *) a->matches, Max(limit, 1));
	a->total = a->matches->n;
	for (uint32 i = 0; i < n; i++)
		a->total -= hits.hits[i].name == NULL;
	a->items = palloc((Min(n, limit) + 1) * sizeof(Jsonb *));
	while (a->n < n && a->n < limit && hits.hits[a->n].name != NULL)
	{
		a->items[a->n] = make_item(call->graph, &hits.hits[a->n]);
		a->n++;
	}
	result = finish_answer(a,
						   a->total == 0 ? nothing_hints(call, &search) : NULL);
	kg_graph_call_end(call);
	return result;
}
