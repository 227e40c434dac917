/*
 * graph/neighbors.c
 *	  explore_neighbors: all nodes around one node.
 */
#include "postgres.h"

#include "query/graph/cost.h"
#include "query/run/decisions.h"
#include "query/argument/names.h"
#include "query/graph/relevance.h"
#include "tools/graph/graph.h"
#include "tools/graph/page.h"
#include "tools/graph/reply.h"
#include "utils/builtins.h"

typedef struct Explore
{
	KgGraphCall call;
	KgSelector start;
	/* maximum distance from the start node; KG_ALL_HOPS: no limit */
	int64 max_hops;
	bool by_relevance;
	int64 limit;
	KgFollow follow;
	int nlabels; /* number of requested types; -1: all types */
	uint16 *labels;
	KgFilter **filters; /* indexed by rank - 1; NULL: no filters */
	KgReach reach;
	bool judged;   /* true: the value of "complete" is known */
	bool complete; /* true: no node lies beyond the nodes that were found */
	KgPage page;
	KgReply reply;
} Explore;

static void
read_start(Explore *e)
{
	KgInput start;
	JsonbValue id;

	(void) kg_input_object(&e->call.input, "start_node", &start);
	e->start.path = start.path;
	e->start.ids_path = kg_input_path(&start, "node_id");
	e->start.type = kg_call_type(&e->call, &start, "label");
	(void) kg_input_value(&start, "node_id", &id);
	e->start.nids = 1;
	e->start.ids = palloc(sizeof(char *));
	e->start.ids[0] = kg_args_as_id(&id, e->start.ids_path);
}

/* Returns the set of the requested types, indexed by rank. */
static bool *
wanted_labels(const Explore *e)
{
	bool *wanted = palloc0((e->call.graph->nranks + 1) * sizeof(bool));

	for (int i = 0; i < e->nlabels; i++)
		wanted[e->labels[i]] = true;
	return wanted;
}

static KG_NORETURN void
throw_hops(const KgInput *in, const JsonbValue *value)
{
	KgError *err = kg_args_error(
		kg_input_path(in, "max_hops"),
		value,
		psprintf("an integer from 1 to %d, or \"all\"",
				 (int) kg_input_maximum(in, "max_hops")));

	kg_error_instead(err,
					 NULL,
					 kg_means_all(kg_json_cstring(value))
						 ? kg_json_parse("\"all\"")
						 : kg_meant_count(value));
	kg_error_throw(err);
}

static int64
read_hops(const KgInput *in)
{
	JsonbValue value;
	int64 hops;

	if (kg_input_value(in, "max_hops", &value) && value.type == jbvString)
	{
		char *text = kg_json_cstring(&value);

		if (strcmp(text, "all") == 0)
			return KG_ALL_HOPS;
		if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text))
			throw_hops(in, &value);
	}
	(void) kg_input_int(in, "max_hops", &hops);
	return hops;
}

/*
 * Reverses the direction if the declared relations make it impossible for the
 * first hop.
 */
static void
orient(Explore *e)
{
	KgStepPath path = {"", "relationship_types", NULL};
	KgStepSpec first = {.follow = e->follow, .min_hops = 1, .max_hops = 1};

	first.incoming = kg_call_direction(&e->call.input) == KG_INCOMING;
	kg_orient_step(&e->call, e->start.type, &first, &path);
	e->follow = first.follow;
}

static void
read_arguments(Explore *e, const Jsonb *arguments)
{
	KgGraphCall *call = &e->call;
	const KgInput *in = &call->input;
	KgRelationNames names;

	kg_graph_call_begin(call, "explore_neighbors", arguments);
	read_start(e);
	e->max_hops = read_hops(in);
	names = kg_call_relation_list(call, "relationship_types");
	kg_call_follow(call, &names, kg_call_direction(in), &e->follow);
	e->nlabels = kg_call_types(call, "node_labels", &e->labels);
	if (e->nlabels == 0)
		e->nlabels = -1;
	e->filters = kg_call_filters_over(
		call,
		in,
		kg_filter_object(in->object, "filters", in->path),
		e->nlabels,
		e->labels);
	kg_columns_read(&call->columns, call->graph, NULL, in, false);
	e->limit = kg_input_limit(in, 0);
	e->by_relevance = kg_call_by_relevance(in);
	orient(e);
	kg_reached_walk(kg_reached_begin(call, e->start.type),
					&e->follow,
					0,
					kg_call_type_hops(call, e->by_relevance, e->max_hops),
					e->nlabels < 0 ? NULL : wanted_labels(e));
}

/*
 * Returns an array, indexed by found node, of whether the reply may contain
 * the node. Returns NULL if it may contain all nodes.
 */
static const bool *
choose_nodes(Explore *e)
{
	KgGraph *graph = e->call.graph;
	uint32 n = e->reach.set.n;
	bool *keep;
	bool *wanted;

	if (e->nlabels < 0 && e->filters == NULL)
		return NULL;
	keep = MemoryContextAllocHuge(graph->context, n);
	wanted = wanted_labels(e);
	if (e->filters != NULL)
	{
		KgNodeTest test;

		memset(&test, 0, sizeof(test));
		test.filters = e->filters;
		kg_node_test(graph, &test, e->reach.set.nodes, n, e->reach.ranks, keep);
	}
	else
		memset(keep, true, n);
	for (uint32 i = 0; i < n && e->nlabels >= 0; i++)
		if (!wanted[e->reach.ranks[i]])
			keep[i] = false;
	/* The start node is always in the reply. */
	keep[0] = true;
	return keep;
}

static void
write_counts(const Explore *e, KgJsonWriter *w)
{
	const KgGraph *graph = e->call.graph;
	const KgReach *reach = &e->reach;
	uint32 *by_type = palloc0((graph->nranks + 1) * sizeof(uint32));
	uint32 *by_depth = palloc0((reach->nlevels + 1) * sizeof(uint32));
	uint32 *of_depth = palloc0((reach->nlevels + 1) * (graph->nranks + 1) *
							   sizeof(uint32));

	for (int depth = 0; depth < reach->nlevels; depth++)
		for (uint32 i = reach->level[depth]; i < reach->level[depth + 1]; i++)
			if (e->page.position[i] != KG_NOT_KEPT)
			{
				by_type[reach->ranks[i]]++;
				by_depth[depth]++;
				of_depth[depth * (graph->nranks + 1) + reach->ranks[i]]++;
			}
	kg_jw_begin_object(w);
	kg_jw_kbegin_object(w, "by_type");
	for (int rank = 1; rank <= graph->nranks; rank++)
		if (by_type[rank] > 0)
			kg_jw_kint(
				w, kg_row_handle(graph->ranked[rank - 1]), by_type[rank]);
	kg_jw_end_object(w);
	kg_jw_kbegin_object(w, "by_depth");
	for (int depth = 0; depth < reach->nlevels; depth++)
		if (by_depth[depth] > 0)
		{
			char name[12];

			(void) pg_ltoa(depth, name);
			kg_jw_kint(w, name, by_depth[depth]);
		}
	kg_jw_end_object(w);
	kg_jw_kbegin_array(w, "by_depth_and_type");
	for (int depth = 0; depth < reach->nlevels; depth++)
		for (int rank = 1; rank <= graph->nranks; rank++)
		{
			uint32 nodes = of_depth[depth * (graph->nranks + 1) + rank];

			if (nodes == 0)
				continue;
			kg_jw_begin_object(w);
			kg_jw_kint(w, "depth", depth);
			kg_jw_kstring(w, "type", kg_row_handle(graph->ranked[rank - 1]));
			kg_jw_kint(w, "nodes", nodes);
			kg_jw_end_object(w);
		}
	kg_jw_end_array(w);
	/*
	 * All other counts include the start node, even if it does not pass the
	 * filters.
	 */
	kg_jw_kint(w, "others", Max((int64) e->page.total - 1, 0));
	kg_jw_kstring(w, "note", "including the start, except in others");
	kg_jw_end_object(w);
}

static Jsonb *
counts(const Explore *e)
{
	KgJsonWriter w;

	kg_jw_init(&w);
	write_counts(e, &w);
	return kg_jw_finish(&w);
}

static const KgPageKey *
read_cursor(Explore *e)
{
	const JsonbContainer *items;
	KgPageKey *key;

	items = kg_call_cursor(&e->call, 3);
	if (items == NULL)
		return NULL;
	key = palloc0(sizeof(KgPageKey));
	key->place = (uint64) kg_cursor_int(items, 0);
	key->ref = kg_cursor_ref(&e->call, items, 1);
	return key;
}

static void
next_page(void *state, int unit, KgNext *next)
{
	Explore *e = state;
	const KgReplyNode *last = &e->reply.nodes[unit - 1];
	StringInfoData items;

	initStringInfo(&items);
	appendStringInfo(&items,
					 "[" UINT64_FORMAT ",",
					 kg_page_place(&e->reach, &e->page, unit - 1));
	kg_cursor_append_ref(&e->call, &last->ref, &items);
	appendStringInfoChar(&items, ']');
	next->cursor = kg_call_make_cursor(&e->call, &items);
}

static void
write_reply(void *state, const KgFit *fit, KgJsonWriter *w)
{
	Explore *e = state;

	kg_reply_write_nodes(&e->reply, w);
	kg_reply_write_edges(&e->reply, w);
	kg_jw_key(w, "counts");
	write_counts(e, w);
	if (e->judged)
		kg_jw_kbool(w, "complete", e->complete);
}

static uint32
visible_nodes(const KgReach *reach)
{
	uint32 n = 0;

	for (uint32 i = 0; i < reach->set.n; i++)
		n += reach->ranks[i] != 0;
	return n;
}

/*
 * Returns hints for a reply that contains only the start node. The hints list
 * the other nodes or edges that exist.
 */
static Jsonb *
hints(Explore *e, const int64 *starts, uint32 n)
{
	KgReach *reach = &e->reach;
	KgJsonWriter w;

	kg_jw_init_array(&w);
	if (visible_nodes(reach) > 1)
	{
		kg_hint_types(&e->call,
					  e->nlabels >= 0 ? "/node_labels" : "/filters",
					  "no node around the start matches the filters; there are "
					  "nodes of these types, including the start",
					  reach->ranks,
					  reach->set.n,
					  &w);
		if (e->nlabels == 1 && e->filters != NULL)
		{
			KgCorrection correction = {NULL};
			KgSelector selector;

			memset(&selector, 0, sizeof(selector));
			selector.type = kg_graph_type(e->call.graph, e->labels[0] - 1);
			selector.filter = e->filters[e->labels[0] - 1];
			if (selector.filter != NULL)
				kg_hint_selector(&e->call, &selector, &correction, &w);
		}
	}
	else
		kg_hint_edges(&e->call,
					  "/start_node",
					  "no edge of the requested relationship types and "
					  "direction leaves the start",
					  starts,
					  n,
					  &w);
	return kg_jw_finish(&w);
}

/* Searches around the start node and writes the reply. */
static Jsonb *
explore(Explore *e, const int64 *starts, uint32 n)
{
	KgGraph *graph = e->call.graph;
	KgReply *reply = &e->reply;

	if (e->max_hops != KG_ALL_HOPS)
		kg_cost_reach(graph,
					  &e->follow,
					  starts,
					  n,
					  (int) e->max_hops,
					  false,
					  "/max_hops");
	kg_reach(graph,
			 &e->follow,
			 starts,
			 n,
			 (int) e->max_hops,
			 KG_REACH_RANKS,
			 &e->reach);
	/*
	 * Without the authorizer or gateway that decides visibility, it is unknown
	 * whether visible nodes lie beyond the nodes that were found.
	 */
	e->judged = kg_decisions_are_made(e->call.catalog);
	if (e->judged)
		e->complete = kg_reach_is_complete(graph, &e->reach);
	e->page.keep = choose_nodes(e);
	if (e->by_relevance)
		e->page.order = kg_rank_order(graph, &e->reach);
	e->page.limit = e->limit;
	e->page.with_data = !e->call.columns.ids_only;
	kg_reach_page(graph, &e->reach, &e->page);
	kg_reply_init(reply, &e->call);
	reply->draft.paged = true;
	reply->draft.more = e->page.more;
	reply->draft.total = e->page.total;
	reply->draft.next = next_page;
	kg_reply_from_page(reply, &e->reach, &e->page);
	kg_reply_fetch_nodes(reply);
	kg_reply_fetch_edges(reply);
	if (e->page.total == 1 && e->page.after == NULL)
		reply->draft.hints = hints(e, starts, n);
	return kg_reply_finish(reply, write_reply, e);
}

Jsonb *
kg_tool_explore_neighbors(const Jsonb *arguments)
{
	Explore *e = palloc0(sizeof(Explore));
	const KgSelector *start = &e->start;
	int64 *starts;
	uint32 n;
	Jsonb *result;

	read_arguments(e, arguments);
	e->page.after = read_cursor(e);
	starts = kg_select_nodes(e->call.graph, &e->start, &n);
	result = n > 0 ? explore(e, starts, n)
				   : kg_reply_nothing(&e->call, &start, 1, "counts", counts(e));
	kg_graph_call_end(&e->call);
	return result;
}
