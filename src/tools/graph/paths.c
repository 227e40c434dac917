/*
 * graph/paths.c
 *	  find_paths: paths between two sets of entities.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/settings.h"
#include "query/graph/cost.h"
#include "query/graph/paths.h"
#include "tools/graph/graph.h"
#include "tools/graph/page.h"
#include "tools/graph/reply.h"

#define KG_EXACT_PATHS 9007199254740992.0

typedef struct FindPaths
{
	KgGraphCall call;
	KgSelector ends[2];
	KgPathQuery query;
	KgStepSpec between; /* test that the nodes between the ends must pass */
	uint32 limit;
	KgPaths paths;
	KgReply reply;
	/* indexed by node of the set of nodes: index in reply.nodes + 1 */
	uint32 *node_of;
	uint32 *edge_of; /* indexed by link: index in reply.edges + 1 */
} FindPaths;

static void
read_end(FindPaths *f, int which, const char *key)
{
	KgInput end;

	(void) kg_input_object(&f->call.input, key, &end);
	kg_call_selector(&f->call, &end, "label", &f->ends[which]);
}

static bool
is_number(const KgField *field)
{
	return (field->kind == KG_KIND_INTEGER || field->kind == KG_KIND_NUMBER) &&
		   !field->is_array && field->nsteps == 1;
}

char *
kg_call_weight(KgGraphCall *call, const KgRelationNames *names)
{
	const KgCatalog *catalog = call->catalog;
	char *name = kg_input_string(&call->input, "weight");
	KgError *err;

	if (name == NULL)
		return NULL;
	err = kg_error_new(KG_INVALID_INPUT,
					   "\"%s\" is not a numeric property of the relationships",
					   name);
	kg_error_path(err, "/weight");
	kg_error_got_string(err, name);
	kg_error_expected(err, "a property of type number or integer");
	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (!kg_names_have(names, relation))
			continue;
		for (int j = 0; j < relation->nfields; j++)
		{
			if (!is_number(&relation->fields[j]))
				continue;
			if (strcmp(relation->fields[j].name, name) == 0)
				return name;
			kg_error_allow(err, relation->fields[j].name);
		}
	}
	kg_error_throw(err);
}

static void
read_weight(FindPaths *f, const KgRelationNames *names)
{
	if (kg_input_has(&f->call.input, "weight") &&
		f->query.mode == KG_PATH_ALL_SHORTEST)
		KG_THROW(
			KG_INVALID_INPUT,
			.message = "weight cannot be used with mode \"all_shortest\"",
			.path = "/weight",
			.got_string = kg_input_string(&f->call.input, "mode"),
			.expected = "another mode, such as \"simple\" for the lightest "
						"paths in order, or no weight");
	f->query.weight = kg_call_weight(&f->call, names);
	f->query.follow.properties = f->query.weight != NULL;
}

/*
 * Reads the conditions on the edges, and on the nodes between the ends of a
 * path.
 */
static void
read_between(FindPaths *f, const KgRelationNames *names)
{
	KgGraphCall *call = &f->call;
	KgInput between;

	kg_call_edge_filters(
		call, names, &call->input, "edge_filters", &f->query.follow);
	/*
	 * Without the argument "between", nodes between the ends may be of any
	 * type.
	 */
	f->between.max_hops = KG_MAX_PATH_HOPS;
	if (!kg_input_object(&call->input, "between", &between))
		return;
	kg_call_test(call, &between, &f->between);
	f->query.test = &f->between.tests[0];
}

/*
 * Checks access to the types of the ends and of the nodes between them. Without
 * node_labels, these are all types that a path can reach.
 */
static void
require_types(FindPaths *f)
{
	KgReached *reached = kg_reached_begin(&f->call, f->ends[0].type);
	bool *wanted;

	kg_call_require_type(&f->call, f->ends[1].type);
	for (int i = 0; i < 2; i++)
		kg_reached_related(&f->call, f->ends[i].type, f->ends[i].related);
	if (reached == NULL)
		return;
	wanted = palloc0((f->call.graph->nranks + 1) * sizeof(bool));
	wanted[kg_graph_rank(f->call.graph, f->ends[1].type->type_no)] = true;
	if (f->query.inner == NULL)
		kg_reached_walk(reached,
						&f->query.follow,
						f->query.max_hops,
						f->query.max_hops,
						wanted);
	else
		for (int hops = 1; hops < f->query.max_hops; hops++)
			kg_reached_walk(reached, &f->query.follow, 1, 1, f->query.inner);
}

static void
read_arguments(FindPaths *f, const Jsonb *arguments)
{
	KgGraphCall *call = &f->call;
	const KgInput *in = &call->input;
	KgRelationNames names;
	int64 max_hops = 0;

	kg_graph_call_begin(call, "find_paths", arguments);
	read_end(f, 0, "from");
	read_end(f, 1, "to");
	(void) kg_input_int(in, "max_hops", &max_hops);
	f->query.max_hops = (int) max_hops;
	f->query.mode = (KgPathMode) kg_input_enum(in, "mode", "an existing mode");
	names = kg_call_relation_list(call, "relationship_types");
	kg_call_follow(call, &names, kg_call_direction(in), &f->query.follow);
	read_weight(f, &names);
	read_between(f, &names);
	f->query.inner = kg_call_type_set(call, "node_labels");
	kg_columns_read(&call->columns, call->graph, NULL, in, false);
	f->limit = (uint32) kg_input_limit(in, 0);
	/*
	 * With limit 0, the search still looks for one path, because the reply has
	 * a count of paths.
	 */
	f->query.limit = Max(f->limit, 1);
	require_types(f);
}

/* ---- the reply ---- */

static void
use_node(FindPaths *f, uint32 node, uint32 path)
{
	KgReplyNode *added;

	if (f->node_of[node] != 0)
		return;
	added = &f->reply.nodes[f->reply.nnodes++];
	f->node_of[node] = f->reply.nnodes;
	added->ref = f->paths.refs[node];
	added->depth = -1;
	added->unit = path;
	added->full = true;
}

static void
use_link(FindPaths *f, uint32 index, uint32 path)
{
	const KgLink *link = &f->paths.links.links[index];
	KgReplyEdge *edge;

	if (f->edge_of[index] != 0)
	{
		f->reply.edges[f->edge_of[index] - 1].uses++;
		return;
	}
	edge = &f->reply.edges[f->reply.nedges++];
	f->edge_of[index] = f->reply.nedges;
	edge->uses = 1;
	edge->type = kg_relation_name(f->call.catalog, link->relation_no);
	edge->relation_no = link->relation_no;
	edge->from = &f->paths.refs[link->backward ? link->to : link->from];
	edge->to = &f->paths.refs[link->backward ? link->from : link->to];
	edge->depth = -1;
	edge->unit = path;
	edge->full = true;
}

/*
 * Returns the size of a path in the reply, in bytes. An edge is written again
 * in each path that contains it, so the size of each path includes its edges.
 */
static Size
path_size(const FindPaths *f, const KgPath *path)
{
	const KgReply *reply = &f->reply;
	Size size = strlen("{\"path\": [], \"length\": }, ") +
				kg_int_text_size(path->length);

	if (f->query.weight != NULL)
	{
		JsonbValue weight;

		weight.type = jbvNumeric;
		weight.val.numeric = kg_weight_numeric(path->weight);
		size += strlen(", \"weight\": ") + kg_value_text_size(&weight);
	}
	for (int i = 0; i <= path->length; i++)
	{
		size += kg_handle_text_size(reply, &f->paths.refs[path->nodes[i]]);
		if (i < path->length)
			size += strlen(", ") +
					kg_edge_text_size(
						reply, &reply->edges[f->edge_of[path->links[i]] - 1]);
	}
	return size;
}

static void
build_reply(FindPaths *f)
{
	KgReply *reply = &f->reply;
	MemoryContext context = f->call.graph->context;
	KgPaths *paths = &f->paths;

	kg_reply_init(reply, &f->call);
	reply->one_of_parallel = true;
	reply->weight = f->query.weight;
	reply->shown = &f->query.follow;
	reply->draft.n = paths->n;
	reply->draft.at_least = paths->at_least || paths->total > KG_EXACT_PATHS;
	reply->draft.total = (int64) Min(paths->total, KG_EXACT_PATHS);
	reply->draft.more = reply->draft.at_least || reply->draft.total > paths->n;
	reply->draft.highest_limit = kg_setting_max_rows;
	reply->unit_sizes = palloc0((paths->n + 1) * sizeof(Size));
	reply->nodes = palloc0(((Size) paths->n * (KG_MAX_PATH_HOPS + 1) + 1) *
						   sizeof(KgReplyNode));
	reply->edges = palloc0(((Size) paths->n * KG_MAX_PATH_HOPS + 1) *
						   sizeof(KgReplyEdge));
	f->node_of = MemoryContextAllocExtended(context,
											(paths->set.n + 1) * sizeof(uint32),
											MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	f->edge_of = MemoryContextAllocExtended(context,
											(paths->links.n + 1) *
												sizeof(uint32),
											MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < paths->n; i++)
	{
		const KgPath *path = &paths->paths[i];

		for (int hop = 0; hop <= path->length; hop++)
			use_node(f, path->nodes[hop], i);
		for (int hop = 0; hop < path->length; hop++)
			use_link(f, path->links[hop], i);
		reply->unit_sizes[i] = path_size(f, path);
	}
	kg_reply_sort_nodes(reply);
	kg_reply_fetch_nodes(reply);
	kg_reply_fetch_edges(reply);
}

static void
write_paths(FindPaths *f, int n, KgJsonWriter *w)
{
	const KgPaths *paths = &f->paths;

	kg_jw_kbegin_array(w, "paths");
	for (int i = 0; i < n; i++)
	{
		const KgPath *path = &paths->paths[i];

		kg_jw_begin_object(w);
		kg_jw_kint(w, "length", path->length);
		if (f->query.weight != NULL)
		{
			kg_jw_key(w, "weight");
			kg_jw_numeric(w, kg_weight_numeric(path->weight));
		}
		kg_jw_kbegin_array(w, "path");
		for (int hop = 0; hop <= path->length; hop++)
		{
			kg_jw_string(
				w, kg_handle(f->call.graph, &paths->refs[path->nodes[hop]]));
			if (hop < path->length)
				kg_reply_write_edge(
					&f->reply,
					&f->reply.edges[f->edge_of[path->links[hop]] - 1],
					w);
		}
		kg_jw_end_array(w);
		kg_jw_end_object(w);
	}
	kg_jw_end_array(w);
}

static void
write_reply(void *state, const KgFit *fit, KgJsonWriter *w)
{
	FindPaths *f = state;

	write_paths(f, fit->listed, w);
	kg_reply_write_nodes(&f->reply, w);
}

/* Returns hints about both ends, if no path connects them. */
static Jsonb *
hints(FindPaths *f)
{
	const KgPathQuery *query = &f->query;
	KgJsonWriter w;
	char *message = psprintf(
		"no path of at most %d hop%s, with the requested relationship types "
		"and direction, connects the ends",
		query->max_hops,
		query->max_hops == 1 ? "" : "s");

	kg_jw_init_array(&w);
	if (query->nfrom == 1 && query->nto == 1 &&
		query->from[0] == query->to[0] && query->mode != KG_PATH_WALKS &&
		query->mode != KG_PATH_TRAILS)
	{
		kg_jw_begin_object(&w);
		kg_jw_kstring(&w, "path", "/mode");
		kg_jw_kstring(&w,
					  "message",
					  "both ends are the same node, and only the modes "
					  "\"trails\" and \"walks\" return closed paths");
		kg_jw_end_object(&w);
	}
	if (query->weight != NULL)
	{
		kg_jw_begin_object(&w);
		kg_jw_kstring(&w, "path", "/weight");
		kg_jw_kstring(
			&w,
			"message",
			psprintf("an edge without a value of \"%s\" is not walked; a "
					 "search without weight walks all edges",
					 query->weight));
		kg_jw_end_object(&w);
	}
	kg_hint_edges(&f->call, "/from", message, query->from, query->nfrom, &w);
	kg_hint_edges(&f->call,
				  "/to",
				  "this is the other end, to which no path leads",
				  query->to,
				  query->nto,
				  &w);
	return kg_jw_finish(&w);
}

/* Writes the reply if "from" or "to" selects no nodes. */
static Jsonb *
nothing(FindPaths *f, const uint32 *n)
{
	const KgSelector *empty[2];
	int nempty = 0;

	for (int i = 0; i < 2; i++)
		if (n[i] == 0)
			empty[nempty++] = &f->ends[i];
	return kg_reply_nothing(
		&f->call, empty, nempty, "paths", kg_json_parse("[]"));
}

static Jsonb *
find_paths(FindPaths *f, int64 *const *nodes, const uint32 *n)
{
	f->query.from = nodes[0];
	f->query.nfrom = n[0];
	f->query.to = nodes[1];
	f->query.nto = n[1];
	kg_cost_paths(f->call.graph, &f->query);
	kg_paths_find(&f->paths, f->call.graph, &f->query);
	f->paths.n = Min(f->paths.n, f->limit);
	build_reply(f);
	if (f->paths.total == 0)
		f->reply.draft.hints = hints(f);
	return kg_reply_finish(&f->reply, write_reply, f);
}

static Jsonb *
run(const Jsonb *arguments, bool labels)
{
	FindPaths *f = palloc0(sizeof(FindPaths));
	int64 *nodes[2];
	uint32 n[2];
	Jsonb *result;

	read_arguments(f, arguments);
	if (labels)
		kg_columns_only_labels(&f->call.columns, f->call.graph);
	for (int i = 0; i < 2; i++)
		nodes[i] = kg_select_nodes(f->call.graph, &f->ends[i], &n[i]);
	result = n[0] == 0 || n[1] == 0 ? nothing(f, n) : find_paths(f, nodes, n);
	kg_graph_call_end(&f->call);
	return result;
}

Jsonb *
kg_tool_find_paths(const Jsonb *arguments)
{
	return run(arguments, false);
}

Jsonb *
kg_find_labelled_paths(const Jsonb *arguments)
{
	return run(arguments, true);
}
