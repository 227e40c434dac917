/*
 * graph/analyze.c
 *	  analyze: measures of the whole graph.
 */
#include "postgres.h"

#include <math.h>

#include "base/error.h"
#include "base/settings.h"
#include "lib/binaryheap.h"
#include "query/graph/foreign.h"
#include "query/graph/relevance.h"
#include "query/measure/centrality.h"
#include "query/measure/groups.h"
#include "query/measure/similar.h"
#include "tools/bfs/call.h"
#include "tools/graph/analyze.h"
#include "tools/graph/page.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

/* The measures, in the order of the enum of "measure". */
typedef enum Measure
{
	KG_DEGREE,
	KG_PAGERANK,
	KG_BETWEENNESS,
	KG_K_CORE,
	KG_COMPONENTS,
	KG_COMMUNITIES,
	KG_JACCARD
} Measure;

#define MEMBERS 10

/* An argument, and the measures for which it has a meaning. */
typedef struct Applies
{
	const char *argument;
	uint32 measures;
	const char *expected;
} Applies;

static const Applies applying[] = {
	{"direction",
	 1 << KG_DEGREE | 1 << KG_PAGERANK | 1 << KG_BETWEENNESS | 1 << KG_JACCARD,
	 "no direction; degree, pagerank, betweenness and jaccard have one"},
	{"weight",
	 1 << KG_DEGREE | 1 << KG_PAGERANK | 1 << KG_COMMUNITIES,
	 "no weight; degree, pagerank and communities have one"},
	{"seed",
	 1 << KG_BETWEENNESS | 1 << KG_COMMUNITIES,
	 "no seed; betweenness and communities have one"},
	{"members",
	 1 << KG_COMPONENTS | 1 << KG_COMMUNITIES,
	 "no members; components and communities have them"}};

/* A row of the reply: a node, or a group with some of its nodes. */
typedef struct Row
{
	double score;
	uint32 group;
	uint32 first; /* index in Analysis.listed of the row's first node */
	uint32 n;
} Row;

typedef struct Analysis
{
	KgGraphCall call;
	Measure measure;
	KgNetworkQuery query;
	KgHandles nodes; /* nodes that the caller sent; n is 0 if it sent none */
	int64 seed;
	int64 members;
	uint32 limit;
	KgNetwork net;
	KgGroups groups;
	KgSimilarity similarity;
	double modularity;
	uint32 pivots;
	uint64 total; /* number of rows without the limit */
	Row *rows;
	uint32 n;
	int64 *listed; /* nodes that the rows list */
	uint32 nlisted;
	KgNodeSet set; /* set of the nodes in "listed" */
	/* entities of the nodes, indexed by node of set; id NULL: not visible */
	KgRef *refs;
	KgReply reply;
} Analysis;

static bool
makes_groups(const Analysis *a)
{
	return a->measure == KG_COMPONENTS || a->measure == KG_COMMUNITIES;
}

/* ---- arguments ---- */

/*
 * Raises KG_INVALID_INPUT if the call has an argument that has no meaning for
 * the measure.
 */
static void
require_meaning(const Analysis *a, const char *measure)
{
	for (int i = 0; i < lengthof(applying); i++)
	{
		KgError *err;

		if (!kg_input_has(&a->call.input, applying[i].argument) ||
			(applying[i].measures & 1 << a->measure) != 0)
			continue;
		err = kg_error_new(
			KG_INVALID_INPUT,
			"argument \"%s\" does not apply to the measure \"%s\"",
			applying[i].argument,
			measure);
		kg_error_path(err, "/%s", applying[i].argument);
		kg_error_throw_expected(err, "%s", applying[i].expected);
	}
}

static void
read_nodes(Analysis *a)
{
	KgGraphCall *call = &a->call;
	int known = 0;

	if (kg_input_has(&call->input, "nodes"))
	{
		kg_call_handles(call, "nodes", &a->nodes);
		kg_require_handles(call, "nodes", "nodes", &a->nodes);
	}
	if (a->measure == KG_JACCARD && a->nodes.n != 2)
	{
		KgError *err = kg_error_new(
			KG_INVALID_INPUT, "the measure \"jaccard\" requires two nodes");

		kg_error_path(err, "/nodes");
		kg_error_throw_expected(err, "the handles of two nodes");
	}
	for (int i = 0; i < a->nodes.n; i++)
	{
		const KgRef *ref = &a->nodes.refs[i];
		KgError *err;

		known += ref->id != NULL;
		if (ref->id == NULL || a->query.types == NULL ||
			a->query.types[ref->rank] || a->measure == KG_JACCARD)
			continue;
		err = kg_error_new(
			KG_INVALID_INPUT,
			"node \"%s\" is not of one of the types in \"types\"",
			a->nodes.given[i]);
		kg_error_path(err, "/nodes/%d", i);
		kg_error_got_string(err, a->nodes.given[i]);
		kg_error_throw_expected(err, "nodes of the types in \"types\"");
	}
	if (a->nodes.n > 0 &&
		(known == 0 || (a->measure == KG_JACCARD && known < 2)))
		kg_throw_all_unknown(call, "/nodes", &a->nodes);
}

/*
 * Raises an error if the caller may not read the type, or if the type reads a
 * table of the user.
 */
static void
require_stored(KgGraphCall *call, const KgType *type)
{
	KgError *err;

	kg_call_require_type(call, type);
	if (kg_foreign_of(call->graph, type) == NULL)
		return;
	err = kg_error_new(
		KG_INVALID_INPUT,
		"analyze cannot measure type \"%s\", which reads a table",
		type->name);
	kg_error_path(err, "/types");
	for (int rank = 1; rank <= call->graph->nranks; rank++)
		if (kg_foreign_of(call->graph, kg_graph_type(call->graph, rank - 1)) ==
			NULL)
			kg_error_allow(err, kg_graph_type(call->graph, rank - 1)->name);
	kg_error_throw_expected(err, "types whose entities are stored");
}

static void
read_arguments(Analysis *a, const Jsonb *arguments)
{
	KgGraphCall *call = &a->call;
	const KgInput *in = &call->input;
	KgDirection direction;
	KgRelationNames names;

	kg_graph_call_begin(call, "analyze", arguments);
	a->measure = (Measure) kg_input_enum(in, "measure", "an existing measure");
	require_meaning(a, kg_input_string(in, "measure"));
	direction = a->measure == KG_PAGERANK ? KG_OUTGOING : KG_BOTH_WAYS;
	if (kg_input_has(in, "direction"))
		direction = kg_call_direction(in);
	names = kg_call_relation_list(call, "relations");
	kg_call_follow(call, &names, direction, &a->query.follow);
	a->query.both = direction == KG_BOTH_WAYS;
	a->query.weight = kg_call_weight(call, &names);
	a->query.types = kg_call_type_set(call, "types");
	(void) kg_input_int(in, "seed", &a->seed);
	a->members = MEMBERS;
	(void) kg_input_int(in, "members", &a->members);
	kg_columns_read(&call->columns, call->graph, NULL, in, false);
	a->limit = (uint32) kg_input_limit(in, 0);
	for (int rank = 1; rank <= call->graph->nranks; rank++)
		if (a->query.types == NULL || a->query.types[rank])
			require_stored(call, kg_graph_type(call->graph, rank - 1));
	read_nodes(a);
}

/* ---- rows ---- */

/*
 * Returns the index in the network of the i-th node that the caller sent.
 * Returns KG_NO_NODE if the node is not in the network.
 */
static uint32
sent_node(const Analysis *a, int i)
{
	const KgRef *ref = &a->nodes.refs[i];

	return ref->id == NULL ? KG_NO_NODE
						   : kg_nodeset_find(&a->net.set, ref->node);
}

/*
 * Orders a heap that has the best nodes up to now. The top of the heap is the
 * worst of these nodes.
 */
static int
compare_scores(Datum a, Datum b, void *arg)
{
	const double *scores = arg;
	uint32 x = DatumGetUInt32(a);
	uint32 y = DatumGetUInt32(b);

	if (scores[x] != scores[y])
		return scores[x] > scores[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

/*
 * Adds a node to the heap of the best nodes. If the heap already has "most"
 * nodes, the worst node is dropped.
 */
static void
add_best(binaryheap *best, uint32 most, const double *scores, uint32 node)
{
	if (best->bh_size < (int) most)
		binaryheap_add(best, UInt32GetDatum(node));
	else if (most > 0 && compare_scores(UInt32GetDatum(node),
										binaryheap_first(best),
										(void *) scores) < 0)
		binaryheap_replace_first(best, UInt32GetDatum(node));
}

/* Returns the nodes of the heap, the best first, and empties it. */
static uint32 *
take_best(binaryheap *best, uint32 *n)
{
	uint32 *nodes = palloc((best->bh_size + 1) * sizeof(uint32));

	*n = (uint32) best->bh_size;
	for (uint32 i = *n; i-- > 0;)
		nodes[i] = DatumGetUInt32(binaryheap_remove_first(best));
	return nodes;
}

static void
list_node(Analysis *a, int64 node)
{
	a->listed[a->nlisted++] = node;
}

/* Makes a row of each of the best nodes. */
static void
rank_nodes(Analysis *a, const double *scores)
{
	binaryheap *best = binaryheap_allocate(
		(int) Max(a->limit, 1), compare_scores, (void *) scores);
	uint32 *nodes;

	a->total = a->nodes.n > 0 ? 0 : a->net.set.n;
	for (uint32 i = 0; a->nodes.n == 0 && i < a->net.set.n; i++)
	{
		add_best(best, a->limit, scores, i);
		kg_plan_count(&a->net.done, 1);
	}
	if (a->nodes.n > 0)
	{
		bool *sent = kg_network_zeroed(&a->net, a->net.set.n, sizeof(bool));

		for (int i = 0; i < a->nodes.n; i++)
		{
			uint32 node = sent_node(a, i);

			if (node == KG_NO_NODE || sent[node])
				continue;
			sent[node] = true;
			a->total++;
			add_best(best, a->limit, scores, node);
		}
	}
	nodes = take_best(best, &a->n);
	a->rows = palloc0((a->n + 1) * sizeof(Row));
	a->listed = palloc((a->n + 1) * sizeof(int64));
	for (uint32 i = 0; i < a->n; i++)
	{
		a->rows[i] = (Row){scores[nodes[i]], 0, i, 1};
		list_node(a, a->net.set.nodes[nodes[i]]);
	}
}

/*
 * Chooses the groups to list. Returns an array, indexed by group, that has the
 * index of the group's row + 1, or 0 if the group is not listed.
 */
static uint32 *
choose_groups(Analysis *a)
{
	uint32 *row_of = kg_network_zeroed(&a->net, a->groups.n, sizeof(uint32));

	for (int i = 0; i < a->nodes.n; i++)
		if (sent_node(a, i) != KG_NO_NODE)
			row_of[a->groups.of[sent_node(a, i)]] = 1;
	a->rows = palloc0((Min(a->limit, a->groups.n) + 1) * sizeof(Row));
	for (uint32 i = 0; i < a->groups.n; i++)
	{
		if (a->nodes.n > 0 && row_of[i] == 0)
			continue;
		row_of[i] = 0;
		if (a->total++ < a->limit)
		{
			a->rows[a->n].group = i;
			row_of[i] = ++a->n;
		}
	}
	return row_of;
}

/*
 * Makes a row of each listed group. A row has the nodes whose edges have the
 * greatest total weight.
 */
static void
list_groups(Analysis *a)
{
	double *degree = kg_measure_degree(&a->net);
	uint32 *row_of = choose_groups(a);
	binaryheap **best = palloc((a->n + 1) * sizeof(binaryheap *));
	uint64 room = 0;

	for (uint32 i = 0; i < a->n; i++)
	{
		uint32 size = Min(a->groups.sizes[a->rows[i].group],
						  (uint32) a->members);

		best[i] = binaryheap_allocate(
			(int) Max(size, 1), compare_scores, degree);
		room += size;
	}
	for (uint32 i = 0; i < a->net.set.n; i++)
	{
		uint32 row = row_of[a->groups.of[i]];

		kg_plan_count(&a->net.done, 1);
		if (row > 0)
			add_best(best[row - 1], best[row - 1]->bh_space, degree, i);
	}
	a->listed = MemoryContextAllocHuge(CurrentMemoryContext,
									   (room + 1) * sizeof(int64));
	for (uint32 i = 0; i < a->n; i++)
	{
		uint32 *nodes = take_best(best[i], &a->rows[i].n);

		a->rows[i].n = Min(a->rows[i].n, (uint32) a->members);
		a->rows[i].first = a->nlisted;
		for (uint32 j = 0; j < a->rows[i].n; j++)
			list_node(a, a->net.set.nodes[nodes[j]]);
	}
}

/* Makes a row of each node that is a neighbour of all sent nodes. */
static void
list_common(Analysis *a)
{
	a->total = a->similarity.ncommon;
	a->n = (uint32) Min(a->total, a->limit);
	a->rows = palloc0((a->n + 1) * sizeof(Row));
	a->listed = palloc((a->n + 1) * sizeof(int64));
	for (uint32 i = 0; i < a->n; i++)
	{
		a->rows[i] = (Row){0, 0, i, 1};
		list_node(a, a->similarity.common[i]);
	}
}

/*
 * Rounds scores to six digits, so that rounding errors do not decide the order
 * of nodes.
 */
static double *
six_digits(const Analysis *a, double *scores)
{
	for (uint32 i = 0; i < a->net.set.n; i++)
		scores[i] = kg_six_digits(scores[i]);
	return scores;
}

/*
 * Reads the network and computes a measure of all its nodes. Returns the
 * scores of the nodes, or NULL if the measure divides the nodes into groups.
 */
static double *
measure_network(Analysis *a)
{
	KgNetwork *net = &a->net;

	kg_network_read(net, a->call.graph, &a->query);
	switch (a->measure)
	{
		case KG_DEGREE:
			return kg_measure_degree(net);
		case KG_PAGERANK:
			return six_digits(a, kg_measure_pagerank(net));
		case KG_BETWEENNESS:
			return six_digits(a,
							  kg_measure_betweenness(net, a->seed, &a->pivots));
		case KG_K_CORE:
			return kg_measure_core(net);
		case KG_COMPONENTS:
			kg_measure_components(net, &a->groups);
			break;
		case KG_COMMUNITIES:
			a->modularity = kg_measure_communities(net, a->seed, &a->groups);
			break;
		case KG_JACCARD:
			break;
	}
	return NULL;
}

static void
measure(Analysis *a)
{
	const double *scores;

	if (a->measure == KG_JACCARD)
	{
		int64 nodes[] = {a->nodes.refs[0].node, a->nodes.refs[1].node};

		kg_measure_jaccard(a->call.graph,
						   &a->query.follow,
						   a->query.types,
						   nodes,
						   &a->similarity);
		list_common(a);
		return;
	}
	scores = measure_network(a);
	if (scores != NULL)
		rank_nodes(a, scores);
	else
		list_groups(a);
}

/* ---- the reply ---- */

static void
take_ref(const KgRef *ref, void *arg)
{
	Analysis *a = arg;

	a->refs[kg_nodeset_find(&a->set, ref->node)] = kg_ref_copy(
		ref, a->call.graph->context);
}

static void
resolve_listed(Analysis *a)
{
	KgGraph *graph = a->call.graph;

	kg_nodeset_init(&a->set, graph->context);
	for (uint32 i = 0; i < a->nlisted; i++)
		(void) kg_nodeset_add(&a->set, a->listed[i]);
	a->refs = palloc0((a->nlisted + 1) * sizeof(KgRef));
	if (a->nlisted > 0)
	{
		int64 *nodes = palloc(a->nlisted * sizeof(int64));

		memcpy(nodes, a->listed, a->nlisted * sizeof(int64));
		kg_graph_resolve(graph, nodes, a->nlisted, false, take_ref, a);
	}
}

/*
 * Returns the ref (type and id) of the i-th node of a row. Rows list distinct
 * nodes, so the index of a node in "listed" is also its index in the set and in
 * a->refs.
 */
static const KgRef *
ref_of(const Analysis *a, const Row *row, uint32 i)
{
	return &a->refs[row->first + i];
}

static Numeric
score_numeric(double score)
{
	return DatumGetNumeric(
		DirectFunctionCall1(float8_numeric, Float8GetDatum(score)));
}

static Size
row_size(const Analysis *a, const Row *row)
{
	Size size = strlen("{\"size\": 4294967295, \"nodes\": []}, ");

	if (!makes_groups(a))
	{
		JsonbValue score;

		score.type = jbvNumeric;
		score.val.numeric = score_numeric(row->score);
		size = strlen("{\"node\": , \"score\": }, ") +
			   kg_value_text_size(&score);
	}
	for (uint32 i = 0; i < row->n; i++)
		if (ref_of(a, row, i)->id != NULL)
			size += kg_handle_text_size(&a->reply, ref_of(a, row, i)) + 2;
	return size;
}

static void
write_group(const Analysis *a, const Row *row, KgJsonWriter *w)
{
	kg_jw_kint(w, "size", a->groups.sizes[row->group]);
	kg_jw_kbegin_array(w, "nodes");
	for (uint32 i = 0; i < row->n; i++)
		if (ref_of(a, row, i)->id != NULL)
			kg_jw_string(w, kg_handle(a->call.graph, ref_of(a, row, i)));
	kg_jw_end_array(w);
}

static void
write_number(KgJsonWriter *w, const char *key, double number)
{
	kg_jw_key(w, key);
	kg_jw_numeric(w, score_numeric(number));
}

/*
 * Writes the sizes of the network, and those results of the measure that
 * describe the network as a whole.
 */
static void
write_network(const Analysis *a, KgJsonWriter *w)
{
	kg_jw_kint(w, "node_count", a->net.set.n);
	kg_jw_kint(w, "edge_count", (int64) a->net.nedges);
	if (a->measure == KG_COMMUNITIES)
		write_number(w, "modularity", rint(a->modularity * 1e6) / 1e6 + 0.0);
	if (a->pivots > 0)
		kg_jw_kint(w, "sampled", a->pivots);
}

static void
write_reply(void *state, const KgFit *fit, KgJsonWriter *w)
{
	Analysis *a = state;
	char **unknown;
	int n = kg_unknown_handles(&a->nodes, &unknown);

	if (a->measure == KG_JACCARD)
	{
		kg_jw_kint(w, "node_count", a->similarity.either);
		write_number(w,
					 "similarity",
					 a->similarity.either == 0
						 ? 0
						 : kg_six_digits((double) a->similarity.ncommon /
										 a->similarity.either));
	}
	else
		write_network(a, w);
	kg_jw_kbegin_array(w, makes_groups(a) ? "groups" : "ranked");
	for (int i = 0; i < fit->listed; i++)
	{
		const Row *row = &a->rows[i];

		kg_jw_begin_object(w);
		if (makes_groups(a))
			write_group(a, row, w);
		else
		{
			kg_jw_kstring(
				w, "node", kg_handle(a->call.graph, ref_of(a, row, 0)));
			if (a->measure != KG_JACCARD)
				write_number(w, "score", row->score);
		}
		kg_jw_end_object(w);
	}
	kg_jw_end_array(w);
	kg_reply_write_nodes(&a->reply, w);
	if (n > 0)
		kg_jw_kstrings(w, "unknown_nodes", unknown, n);
}

/*
 * Removes the rows of single nodes that are no longer visible. Keeps the rows
 * of groups.
 */
static void
drop_rows(Analysis *a)
{
	uint32 n = 0;

	for (uint32 i = 0; i < a->n; i++)
		if (makes_groups(a) || ref_of(a, &a->rows[i], 0)->id != NULL)
			a->rows[n++] = a->rows[i];
	a->n = n;
}

static void
build_reply(Analysis *a)
{
	KgReply *reply = &a->reply;

	kg_reply_init(reply, &a->call);
	drop_rows(a);
	reply->draft.n = (int) a->n;
	reply->draft.total = (int64) a->total;
	reply->draft.more = a->total > a->n;
	reply->draft.counts = a->limit == 0;
	reply->draft.highest_limit = kg_setting_max_rows;
	reply->unit_sizes = palloc0((a->n + 1) * sizeof(Size));
	reply->nodes = palloc0((a->nlisted + 1) * sizeof(KgReplyNode));
	for (uint32 i = 0; i < a->n; i++)
	{
		for (uint32 j = 0; j < a->rows[i].n; j++)
		{
			KgReplyNode *node = &reply->nodes[reply->nnodes];

			if (ref_of(a, &a->rows[i], j)->id == NULL)
				continue;
			reply->nnodes++;
			node->ref = *ref_of(a, &a->rows[i], j);
			node->depth = -1;
			node->unit = i;
			node->full = true;
		}
		reply->unit_sizes[i] = row_size(a, &a->rows[i]);
	}
	kg_reply_sort_nodes(reply);
	kg_reply_fetch_nodes(reply);
	if (kg_unknown_handles(&a->nodes, &(char **){NULL}) > 0)
		reply->draft.hints = kg_unknown_hints(&a->call, "/nodes", &a->nodes);
}

Jsonb *
kg_tool_analyze(const Jsonb *arguments)
{
	Analysis *a = palloc0(sizeof(Analysis));
	Jsonb *result;

	read_arguments(a, arguments);
	measure(a);
	resolve_listed(a);
	build_reply(a);
	result = kg_reply_finish(&a->reply, write_reply, a);
	kg_graph_call_end(&a->call);
	return result;
}

/* ---- the measure of all nodes of a type ---- */

/*
 * Raises KG_INVALID_INPUT if the call has an argument that selects nodes or
 * formats the reply.
 */
static void
require_all(const Analysis *a)
{
	static const char *const others[] = {"nodes",
										 "members",
										 "columns",
										 "ids_only",
										 "limit",
										 "max_bytes",
										 "valid_at"};

	for (int i = 0; i < lengthof(others); i++)
	{
		KgError *err;

		if (!kg_input_has(&a->call.input, others[i]))
			continue;
		err = kg_error_new(
			KG_INVALID_INPUT,
			"\"%s\" does not apply to a measure that is written to "
			"a property",
			others[i]);
		kg_error_path(err, "/%s", others[i]);
		kg_error_throw_expected(
			err, "only measure, types, relations, direction, weight and seed");
	}
}

/* Raises KG_INVALID_INPUT if the measure has no value for nodes of the type. */
static void
require_values(const Analysis *a, const KgType *type)
{
	KgError *err;

	if (a->measure == KG_JACCARD)
	{
		err = kg_error_new(KG_INVALID_INPUT,
						   "the measure \"jaccard\" compares two nodes, so it "
						   "cannot be written to a property");
		kg_error_path(err, "/measure");
		kg_error_throw_expected(err,
								"degree, pagerank, betweenness, k_core, "
								"components or communities");
	}
	if (a->query.types == NULL ||
		a->query.types[kg_graph_rank(a->call.graph, type->type_no)])
		return;
	err = kg_error_new(KG_INVALID_INPUT,
					   "type \"%s\" is not among the measured types",
					   kg_type_handle(type));
	kg_error_path(err, "/types");
	kg_error_throw_expected(err, "types with \"%s\"", kg_type_handle(type));
}

typedef struct Resolving
{
	const Analysis *a;
	const double *scores;
	KgMeasured *measured;
	MemoryContext context;
} Resolving;

static void
take_value(const KgRef *ref, void *arg)
{
	Resolving *r = arg;
	KgMeasured *m = r->measured;
	uint32 i = kg_nodeset_find(&r->a->net.set, ref->node);

	m->ids[m->n] = MemoryContextAlloc(r->context, ref->idlen + 1);
	memcpy(m->ids[m->n], ref->id, ref->idlen);
	m->ids[m->n][ref->idlen] = '\0';
	m->values[m->n++] = r->scores ? r->scores[i] : r->a->groups.of[i] + 1.0;
}

void
kg_analyze_type(const KgType *type, const Jsonb *arguments, KgMeasured *m,
				KgJsonWriter *w)
{
	Analysis *a = palloc0(sizeof(Analysis));
	KgGraph *graph;
	Resolving r = {a, NULL, m, CurrentMemoryContext};
	uint16 *ranks;
	int64 *nodes;
	uint32 n = 0;

	read_arguments(a, arguments);
	require_values(a, type);
	require_all(a);
	r.scores = measure_network(a);
	graph = a->call.graph;
	nodes = kg_network_array(&a->net, a->net.set.n, sizeof(int64));
	ranks = kg_network_array(&a->net, a->net.set.n, sizeof(uint16));
	kg_graph_types(graph, a->net.set.nodes, a->net.set.n, ranks);
	for (uint32 i = 0; i < a->net.set.n; i++)
		if (ranks[i] == kg_graph_rank(graph, type->type_no))
			nodes[n++] = a->net.set.nodes[i];
	m->ids = MemoryContextAllocHuge(CurrentMemoryContext,
									(n + 1) * sizeof(char *));
	m->values = MemoryContextAllocHuge(CurrentMemoryContext,
									   (n + 1) * sizeof(double));
	m->n = 0;
	m->whole = r.scores == NULL || a->measure == KG_K_CORE ||
			   (a->measure == KG_DEGREE && a->query.weight == NULL);
	write_network(a, w);
	kg_graph_resolve(graph, nodes, n, false, take_value, &r);
	kg_graph_call_end(&a->call);
}
