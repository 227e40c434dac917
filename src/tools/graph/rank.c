/*
 * graph/rank.c
 *	  rank_related: the nodes that are most related to some entities.
 */
#include "postgres.h"

#include <math.h>

#include "base/error.h"
#include "base/settings.h"
#include "query/graph/relevance.h"
#include "tools/bfs/call.h"
#include "tools/graph/page.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#define KG_RANK_MAX_DAMPING 0.99
#define KG_RANK_MIN_BOUND 0.0001
#define KG_RANK_MAX_BOUND 0.5

typedef struct RankRelated
{
	KgGraphCall call;
	KgHandles seeds;
	/* weights of the seeds, in the order in which they were sent */
	double *weights;
	KgRankQuery query;
	/* indexed by rank of the type: types to return; NULL: all types */
	bool *wanted;
	uint32 limit;
	KgRanking ranking;
	KgRanked *ranked;
	uint32 n;
	KgNodeSet told; /* nodes on the paths that the reply shows */
	/*
	 * Entities of these nodes. A ref without an id: the node is no longer
	 * visible.
	 */
	KgRef *refs;
	/*
	 * Indexed by result. true: the path is not shown, because a node on it is
	 * not visible.
	 */
	bool *pathless;
	/* index in reply.edges of the first edge of each result's path */
	uint32 *edges;
	KgReply reply;
} RankRelated;

/* ---- arguments ---- */

/*
 * Maximum weight of a seed, as in the schema (tools/schemas/graph.json). Sums
 * of weights up to this maximum are exact.
 */
#define MAX_WEIGHT 1e15

static char *
read_seed(RankRelated *r, const JsonbValue *value, const char *path, int i)
{
	static const char *const names[] = {"id", "weight"};
	const KgOutline known = {.n = lengthof(names), .names = names};
	const JsonbContainer *object;
	JsonbValue member;

	r->weights[i] = 1;
	if (value->type != jbvBinary ||
		!JsonContainerIsObject(value->val.binary.data))
		return kg_call_handle(r->call.input.repairs, value, path);
	object = value->val.binary.data;
	kg_args_known(object, path, &known);
	kg_args_number(object,
				   "weight",
				   path,
				   nextafter(0, 1),
				   MAX_WEIGHT,
				   "a number above 0, at most 1e15",
				   &r->weights[i],
				   r->call.input.repairs);
	if (kg_json_get(object, "id", &member) == NULL)
		kg_error_throw(kg_args_error(
			path, value, "an id, or an object {\"id\", \"weight\"}"));
	return kg_call_handle(
		r->call.input.repairs, &member, kg_path_member(path, "id"));
}

static void
read_seeds(RankRelated *r)
{
	KgHandles *seeds = &r->seeds;
	const JsonbContainer *array = kg_input_array(
		&r->call.input, "seeds", "seeds");
	int n = kg_json_length(array);

	seeds->array = true;
	seeds->given = palloc((n + 1) * sizeof(char *));
	r->weights = palloc((n + 1) * sizeof(double));
	kg_json_each(it, array)
	{
		seeds->given[seeds->n] = read_seed(
			r, &it.value, kg_path_index("/seeds", it.index), seeds->n);
		seeds->n++;
	}
	kg_find_handles(&r->call, "/seeds", seeds);
}

/*
 * Sets the distinct seeds that exist. If a seed was sent several times, its
 * weights are added. Raises KG_NOT_FOUND if no seed exists.
 */
static void
known_seeds(RankRelated *r)
{
	KgRankSeed *known = palloc((r->seeds.n + 1) * sizeof(KgRankSeed));
	uint32 n = 0;

	for (int i = 0; i < r->seeds.n; i++)
	{
		uint32 at = 0;

		if (r->seeds.refs[i].id == NULL)
			continue;
		while (at < n && known[at].node != r->seeds.refs[i].node)
			at++;
		if (at == n)
		{
			known[n].node = r->seeds.refs[i].node;
			known[n++].weight = 0;
		}
		known[at].weight += r->weights[i];
	}
	r->query.seeds = known;
	r->query.nseeds = n;
	if (n == 0)
		kg_throw_all_unknown(&r->call, "/seeds", &r->seeds);
}

/*
 * Checks access to the types that the walks from the seeds can reach. A random
 * walk has no limit of hops, so all types that the followed relations connect
 * must be checked.
 */
static void
require_types(RankRelated *r)
{
	const KgGraph *graph = r->call.graph;

	for (int i = 0; i < r->seeds.n; i++)
		if (r->seeds.refs[i].id != NULL)
			kg_reached_walk(
				kg_reached_begin(
					&r->call, kg_graph_type(graph, r->seeds.refs[i].rank - 1)),
				&r->query.follow,
				0,
				kg_call_type_hops(&r->call, true, 0),
				NULL);
}

static void
read_arguments(RankRelated *r, const Jsonb *arguments)
{
	KgGraphCall *call = &r->call;
	const KgInput *in = &call->input;
	KgRelationNames names;

	kg_graph_call_begin(call, "rank_related", arguments);
	names = kg_call_relation_list(call, "relationship_types");
	kg_call_follow(call, &names, kg_call_direction(in), &r->query.follow);
	r->wanted = kg_call_type_set(call, "node_labels");
	kg_columns_read(&call->columns, call->graph, NULL, in, false);
	r->limit = (uint32) kg_input_limit(in, 0);
	r->query.damping = KG_RANK_DAMPING;
	kg_args_number(in->object,
				   "damping",
				   in->path,
				   0,
				   KG_RANK_MAX_DAMPING,
				   "a number from 0 to 0.99",
				   &r->query.damping,
				   in->repairs);
	r->query.bound = KG_RANK_BOUND;
	/*
	 * Ranking may end as soon as the best nodes are certain. It must not end
	 * early with epsilon, which demands a precision. It must not end early with
	 * node_labels either: the best nodes of these types are known only at the
	 * end.
	 */
	if (!kg_args_number(in->object,
						"epsilon",
						in->path,
						KG_RANK_MIN_BOUND,
						KG_RANK_MAX_BOUND,
						"a number from 0.0001 to 0.5",
						&r->query.bound,
						in->repairs) &&
		r->wanted == NULL)
		r->query.best = r->limit;
	r->query.most = (uint32) kg_setting_max_ranked;
	read_seeds(r);
	require_types(r);
	known_seeds(r);
}

/* ---- the reply ---- */

static void
take_ref(const KgRef *ref, void *arg)
{
	RankRelated *r = arg;

	r->refs[kg_nodeset_find(&r->told, ref->node)] = kg_ref_copy(
		ref, r->call.graph->context);
}

/* Reads the entities of the nodes that are on the paths. */
static void
resolve_paths(RankRelated *r)
{
	KgGraph *graph = r->call.graph;
	int64 *nodes;

	kg_nodeset_init(&r->told, graph->context);
	for (uint32 i = 0; i < r->n; i++)
		for (int hop = 0; r->ranked[i].nodes && hop <= r->ranked[i].length;
			 hop++)
			(void) kg_nodeset_add(
				&r->told, r->ranking.set.nodes[r->ranked[i].nodes[hop]]);
	r->refs = palloc0((r->told.n + 1) * sizeof(KgRef));
	nodes = palloc((r->told.n + 1) * sizeof(int64));
	memcpy(nodes, r->told.nodes, r->told.n * sizeof(int64));
	kg_graph_resolve(graph, nodes, r->told.n, false, take_ref, r);
}

static const KgRef *
ref_of(const RankRelated *r, const KgRanked *ranked, int hop)
{
	return &r->refs[kg_nodeset_find(&r->told,
									r->ranking.set.nodes[ranked->nodes[hop]])];
}

static bool
has_path(const RankRelated *r, const KgRanked *ranked)
{
	for (int hop = 0; ranked->nodes && hop <= ranked->length; hop++)
		if (ref_of(r, ranked, hop)->id == NULL)
			return false;
	return ranked->nodes != NULL;
}

static void
add_edge(RankRelated *r, const KgRanked *ranked, int hop, uint32 unit)
{
	uint32 way = ranked->ways[hop];
	bool backward = (way & KG_RANK_BACKWARD) != 0;
	KgReplyEdge *edge = &r->reply.edges[r->reply.nedges++];

	edge->uses = 1;
	edge->type = kg_relation_name(r->call.catalog, KG_RANK_RELATION(way));
	edge->relation_no = KG_RANK_RELATION(way);
	edge->from = ref_of(r, ranked, backward ? hop + 1 : hop);
	edge->to = ref_of(r, ranked, backward ? hop : hop + 1);
	edge->depth = -1;
	edge->unit = unit;
}

static Numeric
score_numeric(double score)
{
	return DatumGetNumeric(
		DirectFunctionCall1(float8_numeric, Float8GetDatum(score)));
}

static Size
ranked_size(const RankRelated *r, uint32 i)
{
	const KgRanked *ranked = &r->ranked[i];
	Size size = strlen("{\"node\": , \"path\": [], \"score\": }, ") +
				kg_handle_text_size(&r->reply, &ranked->ref);
	JsonbValue score;

	score.type = jbvNumeric;
	score.val.numeric = score_numeric(ranked->score);
	size += kg_value_text_size(&score);
	for (int hop = 0; !r->pathless[i] && hop <= ranked->length; hop++)
	{
		size += kg_handle_text_size(&r->reply, ref_of(r, ranked, hop));
		if (hop < ranked->length)
			size += strlen(", ") +
					kg_edge_text_size(&r->reply,
									  &r->reply.edges[r->edges[i] + hop]);
	}
	return size;
}

static void
write_path(const RankRelated *r, uint32 i, KgJsonWriter *w)
{
	const KgRanked *ranked = &r->ranked[i];

	kg_jw_kbegin_array(w, "path");
	for (int hop = 0; hop <= ranked->length; hop++)
	{
		kg_jw_string(w, kg_handle(r->call.graph, ref_of(r, ranked, hop)));
		if (hop < ranked->length)
			kg_reply_write_edge(
				&r->reply, &r->reply.edges[r->edges[i] + hop], w);
	}
	kg_jw_end_array(w);
}

static void
write_reply(void *state, const KgFit *fit, KgJsonWriter *w)
{
	RankRelated *r = state;
	char **unknown;
	int n = kg_unknown_handles(&r->seeds, &unknown);

	kg_jw_kbegin_array(w, "ranked");
	for (int i = 0; i < fit->listed; i++)
	{
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "node", kg_handle(r->call.graph, &r->ranked[i].ref));
		kg_jw_key(w, "score");
		kg_jw_numeric(w, score_numeric(r->ranked[i].score));
		if (!r->pathless[i])
			write_path(r, i, w);
		kg_jw_end_object(w);
	}
	kg_jw_end_array(w);
	kg_reply_write_nodes(&r->reply, w);
	kg_jw_key(w, "residual");
	kg_jw_numeric(w, score_numeric(kg_rank_residual(&r->ranking)));
	if (n > 0)
		kg_jw_kstrings(w, "unknown_seeds", unknown, n);
}

static void
build_reply(RankRelated *r, bool more)
{
	KgReply *reply = &r->reply;
	uint32 nedges = 0;

	kg_reply_init(reply, &r->call);
	reply->draft.n = (int) r->n;
	reply->draft.total = -1;
	reply->draft.more = more;
	reply->draft.highest_limit = kg_setting_max_rows;
	reply->unit_sizes = palloc0((r->n + 1) * sizeof(Size));
	reply->nodes = palloc0((r->n + 1) * sizeof(KgReplyNode));
	r->edges = palloc((r->n + 1) * sizeof(uint32));
	r->pathless = palloc((r->n + 1) * sizeof(bool));
	for (uint32 i = 0; i < r->n; i++)
	{
		r->pathless[i] = !has_path(r, &r->ranked[i]);
		r->edges[i] = nedges;
		if (!r->pathless[i])
			nedges += r->ranked[i].length;
	}
	reply->edges = palloc0((nedges + 1) * sizeof(KgReplyEdge));
	for (uint32 i = 0; i < r->n; i++)
	{
		KgReplyNode *node = &reply->nodes[reply->nnodes++];

		node->ref = r->ranked[i].ref;
		node->depth = -1;
		node->unit = i;
		node->full = true;
		for (int hop = 0; !r->pathless[i] && hop < r->ranked[i].length; hop++)
			add_edge(r, &r->ranked[i], hop, i);
		reply->unit_sizes[i] = ranked_size(r, i);
	}
	kg_reply_sort_nodes(reply);
	kg_reply_fetch_nodes(reply);
	if (r->query.nseeds < (uint32) r->seeds.n)
		reply->draft.hints = kg_unknown_hints(&r->call, "/seeds", &r->seeds);
}

Jsonb *
kg_tool_rank_related(const Jsonb *arguments)
{
	RankRelated *r = palloc0(sizeof(RankRelated));
	Jsonb *result;
	bool more;

	read_arguments(r, arguments);
	kg_rank(r->call.graph, &r->query, &r->ranking);
	r->ranked = kg_rank_best(&r->ranking, r->wanted, r->limit, &r->n, &more);
	kg_rank_paths(&r->ranking, r->ranked, r->n);
	resolve_paths(r);
	build_reply(r, more);
	result = kg_reply_finish(&r->reply, write_reply, r);
	kg_graph_call_end(&r->call);
	return result;
}
