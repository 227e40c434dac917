/*
 * bfs/search.c
 *	  The tool search_entities: finds ids by name, by words of texts or by a
 *	  vector.
 */
#include "postgres.h"

#include "base/vectors.h"
#include "model/bound_table.h"
#include "model/term.h"
#include "model/marks.h"
#include "query/graph/foreign.h"
#include "query/search/passage.h"
#include "query/search/search_meaning.h"
#include "query/search/search_text.h"
#include "store/derived/embeddings.h"
#include "tools/bfs/call.h"
#include "utils/builtins.h"

#define KG_SEARCH_MAX_LIMIT 100
#define KG_SEARCH_HINTS 5
/*
 * KG_SEARCH_JOINED is the number of hits of each list that a hybrid search
 * merges. Each list that contains a hit adds 1 / (KG_RANK_OFFSET + rank) to
 * the score of the hit.
 */
#define KG_SEARCH_JOINED 100
#define KG_RANK_OFFSET 60

/* The modes of a search, in the order of the enum in the schema. */
typedef enum BfsMode
{
	KG_SEARCH_NAMES,
	KG_SEARCH_TEXT,
	KG_SEARCH_HYBRID,
	KG_SEARCH_MEANING
} BfsMode;

/* The lists of hits that a hybrid search merges. */
#define KG_LISTS 3
static const char *const list_names[KG_LISTS] = {"names", "text", "meaning"};

typedef struct Hit
{
	const KgMatch *match;
	/* if joined is true: the match of the hit in each list */
	const KgMatch *lists[KG_LISTS];
	/* rank of the hit in each list, from 1; 0: not in the list */
	int ranks[KG_LISTS];
	/* true: a hit of a hybrid search, which merges lists */
	bool joined;
	double score;
	KgRef ref;
	char *name;
} Hit;

typedef struct Hits
{
	KgGraph *graph;
	const char *query; /* query of a search for words in texts, or NULL */
	KgNodeSet set;
	Hit *hits;
} Hits;

static void
keep_hit(const KgRef *ref, void *arg)
{
	Hits *hits = arg;
	uint32 i = kg_nodeset_find(&hits->set, ref->node);
	const KgType *type = kg_graph_type(hits->graph, ref->rank - 1);
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
	kg_match_find_passage((KgMatch *) hit->match, type, ref->data, hits->query);
	if (hit->match->embedded != NULL)
		((KgMatch *) hit->match)->stale = !kg_embedded_hash_is(
			hit->match->embedded, kg_embedded_text(type, ref->data));
}

/* Orders hits by descending score, then by name, type and id. */
static int
compare_hits(const void *a, const void *b)
{
	const Hit *x = a;
	const Hit *y = b;
	int order;

	if (x->name == NULL || y->name == NULL)
		return (x->name == NULL) - (y->name == NULL);
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	order = strcmp(x->name, y->name);
	return order != 0 ? order : kg_ref_compare(&x->ref, &y->ref);
}

/*
 * Reads the hits that can be among the first "limit" hits, with their names.
 * Also reads all further hits whose score is equal to the last score. Returns
 * the number of hits.
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

		if (hits->hits[at].match != NULL)
			continue;
		hits->hits[at].match = &matches->matches[i];
		hits->hits[at].score = matches->matches[i].score;
	}
	kg_graph_resolve(
		hits->graph, hits->set.nodes, hits->set.n, true, keep_hit, hits);
	qsort(hits->hits, hits->set.n, sizeof(Hit), compare_hits);
	return hits->set.n;
}

static void
write_score(double score, KgJsonWriter *w)
{
	Datum exact = DirectFunctionCall1(float8_numeric, Float8GetDatum(score));

	kg_jw_numeric(w,
				  DatumGetNumeric(DirectFunctionCall2(
					  numeric_round, exact, Int32GetDatum(4))));
}

/*
 * Writes the rank and the score that a hit has in one list of a hybrid search.
 */
static void
write_rank(const char *list, int rank, const KgMatch *match, const KgType *type,
		   KgJsonWriter *w)
{
	if (rank == 0)
		return;
	kg_jw_kbegin_object(w, list);
	kg_jw_kint(w, "rank", rank);
	kg_jw_key(w, "score");
	write_score(match->score, w);
	kg_match_write_members(match, type, w);
	kg_jw_end_object(w);
}

static Jsonb *
make_item(const KgGraph *graph, const Hit *hit)
{
	const KgType *type = kg_graph_type(graph, hit->ref.rank - 1);
	KgMarks marks = {NIL};
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "id", kg_handle(graph, &hit->ref));
	kg_jw_kstring(&w, "entity_type", kg_type_handle(type));
	kg_jw_kstring(&w, "name", hit->name);
	kg_jw_key(&w, "score");
	write_score(hit->score, &w);
	if (!hit->joined)
		kg_match_write(hit->match, type, &w);
	else
	{
		kg_jw_kbegin_object(&w, "matched_on");
		for (int i = 0; i < KG_LISTS; i++)
			write_rank(list_names[i], hit->ranks[i], hit->lists[i], type, &w);
		kg_jw_end_object(&w);
	}
	kg_marks_note(&marks, type->id_field, "id");
	kg_marks_note(
		&marks, type->label_field ? type->label_field : type->id_field, "name");
	kg_marks_write(&marks, &w);
	return kg_jw_finish(&w);
}

typedef struct Search
{
	BfsMode mode;
	char *query;	   /* or NULL */
	ArrayType *vector; /* or NULL */
	int64 limit;
	bool of_name; /* limit is kg_search_limit_of_name() of the matches */
	int ntypes;	  /* number of types to search; 0: all types */
	int32 *type_nos;
} Search;

/* The first hits of a search, and the number of all hits. */
typedef struct HitList
{
	Hits hits;
	uint32 n;
	/*
	 * number of all hits, without those that turned out to be deleted or hidden
	 * when they were read
	 */
	int64 total;
	bool truncated;
	/* see kg_foreign_search() */
	List *missing;
} HitList;

static ArrayType *
read_vector(KgGraphCall *call)
{
	const KgVectors *vectors;
	ArrayType *vector;
	JsonbValue value;
	KgError *why;

	if (!kg_input_value(&call->input, "vector", &value))
		return NULL;
	vectors = kg_vectors_require();
	(void) kg_args_as_array(&value, "/vector", NULL);
	vector = kg_vector_read(&value, "/vector", vectors, &why);
	if (vector == NULL)
		kg_error_throw(why);
	return vector;
}

/*
 * Raises an error if the call lacks an argument that its mode requires, or has
 * a vector although its mode uses none.
 */
static void
require_wanted(KgGraphCall *call, const Search *search)
{
	const char *needed = search->mode == KG_SEARCH_MEANING ? "vector" : "query";

	if (search->mode == KG_SEARCH_MEANING)
		(void) kg_vectors_require();
	if (search->mode == KG_SEARCH_HYBRID && search->vector != NULL)
		return;
	kg_input_require(&call->input, needed);
	if (search->vector != NULL && search->mode != KG_SEARCH_MEANING)
		KG_THROW(KG_INVALID_INPUT,
				 .message = "\"vector\" is only for a search by meaning",
				 .path = "/vector",
				 .expected = "mode \"meaning\" or \"hybrid\"");
}

/* Raises KG_INVALID_INPUT if all types of the graph read tables. */
static void
require_stored_type(const KgGraph *graph)
{
	for (int i = 0; i < graph->nranks; i++)
		if (!kg_row_has(graph->ranked[i], KG_TRAIT_TABLE))
			return;
	if (graph->nranks > 0)
		kg_binding_refuse(kg_graph_type(graph, 0),
						  "a search by words or by meaning");
}

static void
read_search(KgGraphCall *call, Search *search)
{
	uint16 *ranks;
	int n = kg_call_types(call, "node_types", &ranks);

	search->ntypes = Max(n, 0);
	search->type_nos = palloc((search->ntypes + 1) * sizeof(int32));
	search->mode = (BfsMode) kg_input_enum(
		&call->input, "mode", "an existing mode");
	/* The schema requires neither query nor vector: the mode decides. */
	search->query = kg_input_has(&call->input, "query")
						? kg_input_string(&call->input, "query")
						: NULL;
	search->vector = read_vector(call);
	search->limit = kg_input_limit(&call->input, 0);
	require_wanted(call, search);
	for (int i = 0; i < n; i++)
	{
		const KgType *type = kg_graph_type(call->graph, ranks[i] - 1);

		kg_call_require_type(call, type);
		if (search->mode != KG_SEARCH_NAMES)
			kg_binding_refuse(type, "a search by words or by meaning");
		search->type_nos[i] = type->type_no;
	}
	if (n > 0)
		return;
	kg_call_require_type(call, NULL);
	if (search->mode != KG_SEARCH_NAMES)
		require_stored_type(call->graph);
}

static void
take_hits(KgGraphCall *call, const KgMatches *matches, const char *query,
		  int64 total, int64 limit, HitList *list)
{
	memset(list, 0, sizeof(*list));
	list->hits.graph = call->graph;
	list->hits.query = query;
	list->n = fetch_hits(&list->hits, matches, Max(limit, 1));
	list->total = total;
	for (uint32 i = 0; i < list->n; i++)
		list->total -= list->hits.hits[i].name == NULL;
	list->truncated = matches->truncated;
}

static KgMatches *
search_names(KgGraphCall *call, const Search *search)
{
	return kg_search_run(call->catalog,
						 search->query,
						 search->type_nos,
						 search->ntypes,
						 "/query");
}

static void
find_names(KgGraphCall *call, Search *search, HitList *list)
{
	KgMatches *matches = search_names(call, search);
	List *missing = NIL;

	kg_foreign_search(call->graph,
					  search->type_nos,
					  search->ntypes,
					  search->query,
					  matches,
					  &missing);
	if (search->of_name)
		search->limit = kg_search_limit_of_name(matches);
	take_hits(call, matches, NULL, matches->n, search->limit, list);
	list->missing = missing;
}

static void
find_texts(KgGraphCall *call, const Search *search, int64 limit, HitList *list)
{
	const KgTextMatches *matches = kg_search_text(call->catalog,
												  search->query,
												  search->type_nos,
												  search->ntypes,
												  limit,
												  "/query");

	take_hits(
		call, &matches->found, search->query, matches->total, limit, list);
}

static void
find_near(KgGraphCall *call, const Search *search, int64 limit, HitList *list)
{
	const KgMatches *matches = kg_search_meaning(call->catalog,
												 search->vector,
												 search->type_nos,
												 search->ntypes,
												 Max(limit, 1));

	take_hits(call, matches, NULL, matches->n, limit, list);
}

/* Adds the first hits of a list to the merged hits of a hybrid search. */
static void
join_list(HitList *joined, const HitList *list, int which)
{
	for (uint32 i = 0; i < Min(list->n, KG_SEARCH_JOINED); i++)
	{
		const Hit *from = &list->hits.hits[i];
		uint32 at;
		Hit *hit;

		if (from->name == NULL)
			break;
		at = kg_nodeset_add(&joined->hits.set, from->ref.node);
		hit = &joined->hits.hits[at];
		if (hit->name == NULL)
		{
			*hit = *from;
			hit->joined = true;
			hit->score = 0;
		}
		hit->lists[which] = from->match;
		hit->ranks[which] = i + 1;
		hit->score += 1.0 / (KG_RANK_OFFSET + hit->ranks[which]);
	}
	joined->truncated |= list->truncated || list->total > KG_SEARCH_JOINED;
}

/*
 * Runs a hybrid search. Merges the lists by reciprocal rank fusion (Cormack,
 * Clarke, Buettcher: SIGIR 2009).
 */
static void
find_all(KgGraphCall *call, const Search *search, HitList *joined)
{
	HitList list;

	memset(joined, 0, sizeof(*joined));
	joined->hits.graph = call->graph;
	kg_nodeset_init(&joined->hits.set, call->graph->context);
	joined->hits.hits = palloc0(KG_LISTS * KG_SEARCH_JOINED * sizeof(Hit));
	if (search->query != NULL && strlen(search->query) <= KG_MAX_TERM_BYTES)
	{
		const KgMatches *matches = search_names(call, search);

		take_hits(call, matches, NULL, matches->n, KG_SEARCH_JOINED, &list);
		join_list(joined, &list, 0);
	}
	if (search->query != NULL)
	{
		find_texts(call, search, KG_SEARCH_JOINED, &list);
		join_list(joined, &list, 1);
	}
	if (search->vector != NULL)
	{
		find_near(call, search, KG_SEARCH_JOINED, &list);
		join_list(joined, &list, 2);
	}
	joined->n = joined->hits.set.n;
	joined->total = joined->n;
	qsort(joined->hits.hits, joined->n, sizeof(Hit), compare_hits);
}

static void
run_search(KgGraphCall *call, Search *search, HitList *list)
{
	switch (search->mode)
	{
		case KG_SEARCH_NAMES:
			find_names(call, search, list);
			break;
		case KG_SEARCH_TEXT:
			find_texts(call, search, search->limit, list);
			break;
		case KG_SEARCH_HYBRID:
			find_all(call, search, list);
			break;
		case KG_SEARCH_MEANING:
			find_near(call, search, search->limit, list);
			break;
	}
}

/*
 * Finds, in the texts of the shown hits, the words for which these hits were
 * found.
 */
static void
look_up_words(KgGraphCall *call, const Search *search, HitList *list)
{
	KgMatch **matches = palloc((search->limit + 1) * sizeof(KgMatch *));
	int n = 0;

	if (search->mode == KG_SEARCH_NAMES || search->query == NULL)
		return;
	for (uint32 i = 0; i < Min(list->n, search->limit); i++)
	{
		const Hit *hit = &list->hits.hits[i];
		const KgMatch *match = search->mode == KG_SEARCH_TEXT ? hit->match
															  : hit->lists[1];

		if (match != NULL)
			matches[n++] = (KgMatch *) match;
	}
	kg_search_text_terms(call->catalog, search->query, matches, n);
}

/* ---- hints if nothing was found ---- */

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
		kg_jw_kbegin_array(w, "nearest");
		for (uint32 i = 0; i < Min(n, KG_SEARCH_HINTS); i++)
			if (hits.hits[i].name != NULL)
				kg_jw_jsonb(w, make_item(graph, &hits.hits[i]));
		kg_jw_end_array(w);
	}
	kg_jw_end_object(w);
}

/*
 * Searches for each word of the query. Returns the matches of the longest word
 * that has matches, or NULL.
 */
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
nothing_hints(KgGraphCall *call, const Search *search, const HitList *found)
{
	KgMatches *matches =
		search->ntypes == 0 || search->mode != KG_SEARCH_NAMES
			? NULL
			: kg_search_run(call->catalog, search->query, NULL, 0, "/query");
	static KgMatches none;
	KgJsonWriter w;

	kg_jw_init_array(&w);
	if (search->vector != NULL)
		write_hint(
			call->graph,
			search->ntypes > 0 ? "/node_types" : "/vector",
			search->ntypes > 0
				? "no entity of these types has an embedding; the mode "
				  "\"names\" searches names"
				: "no entity has an embedding; the mode \"names\" searches "
				  "names",
			&none,
			&w);
	else if (matches != NULL && matches->n > 0)
		write_hint(call->graph,
				   "/node_types",
				   "no entity of these types has such a name, but entities of "
				   "other types have",
				   matches,
				   &w);
	else if (search->mode != KG_SEARCH_NAMES)
		write_hint(call->graph,
				   kg_catalog_has(call->catalog, KG_TRAIT_SEARCH) ? "/query"
																  : "/mode",
				   kg_catalog_has(call->catalog, KG_TRAIT_SEARCH)
					   ? "no text contains one of these words in this spelling"
					   : "no entity type has texts to search; the mode "
						 "\"names\" searches names",
				   &none,
				   &w);
	else if (found->missing == NIL)
	{
		matches = search_words(call, search);
		write_hint(call->graph,
				   "/query",
				   matches == NULL
					   ? "no name, alias or id is similar to the query, even "
						 "if typing errors are allowed"
					   : "no name, alias or id is similar to the query; these "
						 "are similar to one of its words",
				   matches != NULL ? matches : &none,
				   &w);
	}
	if (found->missing != NIL)
		write_hint(call->graph,
				   "/query",
				   psprintf("no name or id in a large table is equal to the "
							"query, and similar names are searched only by a "
							"trigram index: %s",
							(char *) linitial(found->missing)),
				   &none,
				   &w);
	return kg_jw_finish(&w);
}

/* ---- the reply ---- */

typedef struct Answer
{
	KgGraphCall call;
	HitList found;
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

	kg_jw_kbegin_array(w, "items");
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
	draft.total = a->found.total;
	draft.at_least = a->found.truncated;
	draft.more = a->found.truncated || a->n < a->found.total;
	draft.highest_limit = KG_SEARCH_MAX_LIMIT;
	draft.measure = measure_items;
	draft.items = a;
	draft.write = write_answer;
	draft.state = a;
	return kg_draft_finish(&draft);
}

static Jsonb *
search_entities(const char *tool, const Jsonb *arguments, bool of_name)
{
	Answer *a = palloc0(sizeof(Answer));
	KgGraphCall *call = &a->call;
	Search search;
	Jsonb *result;

	kg_graph_call_begin(call, tool, arguments);
	read_search(call, &search);
	search.of_name = of_name && !kg_input_has(&call->input, "mode") &&
					 !kg_input_has(&call->input, "limit");
	run_search(call, &search, &a->found);
	look_up_words(call, &search, &a->found);
	a->items = palloc((search.limit + 1) * sizeof(Jsonb *));
	while (a->n < a->found.n && a->n < search.limit &&
		   a->found.hits.hits[a->n].name != NULL)
	{
		a->items[a->n] = make_item(call->graph, &a->found.hits.hits[a->n]);
		a->n++;
	}
	result = finish_answer(
		a,
		a->found.total == 0 ? nothing_hints(call, &search, &a->found) : NULL);
	kg_graph_call_end(call);
	return result;
}

Jsonb *
kg_tool_search_entities(const Jsonb *arguments)
{
	return search_entities("search_entities", arguments, false);
}

Jsonb *
kg_find_by_name(const Jsonb *arguments)
{
	return search_entities("search_entities", arguments, true);
}

Jsonb *
kg_tool_search(const Jsonb *arguments)
{
	return search_entities("search", arguments, false);
}
