/*
 * bfs/query.c
 *	  The tools bfs_query and intersect_subgraphs: the nodes around at least
 *	  one seed, or around all seeds.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "query/graph/cost.h"
#include "query/graph/relevance.h"
#include "tools/bfs/call.h"

/*
 * Minimum number of bytes of a node in a reply. The maximum size of the reply
 * divided by it limits the number of nodes that are read.
 */
#define KG_LEAST_NODE_BYTES 32

static void
read_seeds(KgGraphCall *call, KgHandles *seeds)
{
	kg_call_handles(call, "seeds", seeds);
	kg_require_handles(call, "seeds", "seeds", seeds);
}

static uint32
known_nodes(const KgHandles *seeds, int64 **nodes)
{
	uint32 n = 0;

	*nodes = palloc((seeds->n + 1) * sizeof(int64));
	for (int i = 0; i < seeds->n; i++)
		if (seeds->refs[i].id != NULL)
			(*nodes)[n++] = seeds->refs[i].node;
	return n;
}

/*
 * Writes all seeds as they were sent, and the unknown seeds without duplicates.
 */
static void
write_seeds(const KgHandles *seeds, KgJsonWriter *w)
{
	char **unknown;
	int n = kg_unknown_handles(seeds, &unknown);

	kg_jw_kstrings(w, "seeds", seeds->given, seeds->n);
	if (n > 0)
		kg_jw_kstrings(w, "unknown_seeds", unknown, n);
}

/* A call of bfs_query or intersect_subgraphs, with its result. */
typedef struct Subgraph
{
	KgGraphCall call;
	KgHandles seeds;
	KgBfsDetail detail;
	KgReach reach;
	KgPage page;
	KgBfsReply found;
	const char *hops_key;
	int64 hops;
	int64
		/* maximum number of nodes on the page, which max_bytes may lower */
		limit;
} Subgraph;

static void
next_page(void *state, int unit, KgNext *next)
{
	Subgraph *s = state;

	next->offset = s->page.offset + unit;
}

static void
write_subgraph(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const Subgraph *s = state;

	write_seeds(&s->seeds, w);
	kg_jw_kint(w, s->hops_key, s->hops);
	kg_bfs_write(&s->found, w);
}

static Jsonb *
answer(Subgraph *s, bool paged, const Jsonb *hints)
{
	KgReply *reply = &s->found.reply;
	KgPage *page = &s->page;
	int64 asked;

	page->limit = Min(s->limit, s->call.max_bytes / KG_LEAST_NODE_BYTES);
	page->with_data = !s->detail.topology_only &&
					  s->detail.full_types == NULL && !s->call.columns.ids_only;
	kg_reach_page(s->call.graph, &s->reach, page);
	kg_reply_init(reply, &s->call);
	reply->draft.paged = paged;
	reply->draft.hints = hints;
	reply->draft.total = page->total;
	reply->draft.more = page->more;
	/*
	 * The page contains no more nodes than can fit into max_bytes. Further
	 * nodes that the caller requested are only counted.
	 */
	asked = Min(s->limit, Max((int64) page->total - (int64) page->offset, 0));
	reply->draft.untried = (int) (asked - page->n);
	reply->draft.next = next_page;
	kg_bfs_prepare(&s->found, &s->detail, &s->reach, page);
	return kg_reply_finish(reply, write_subgraph, s);
}

Jsonb *
kg_tool_bfs_query(const Jsonb *arguments)
{
	Subgraph *s = palloc0(sizeof(Subgraph));
	KgGraphCall *call = &s->call;
	const KgInput *in = &call->input;
	int64 offset = 0;
	int64 *nodes;
	bool ring;
	bool by_relevance;
	Jsonb *hints = NULL;
	int edges;
	uint32 n;
	Jsonb *result;

	s->hops_key = "max_hops";
	s->limit = PG_INT64_MAX;
	kg_graph_call_begin(call, "bfs_query", arguments);
	(void) kg_input_int(in, "max_hops", &s->hops);
	s->limit = kg_input_limit(in, s->limit);
	(void) kg_input_int(in, "offset", &offset);
	ring = kg_input_bool(in, "ring_edges");
	by_relevance = kg_call_by_relevance(in);
	kg_read_bfs_detail(call, &s->detail);
	kg_columns_read(&call->columns, call->graph, NULL, &call->input, true);
	read_seeds(call, &s->seeds);
	kg_require_around(call,
					  &s->seeds,
					  &s->detail.walk,
					  kg_call_type_hops(call, by_relevance, s->hops));
	n = known_nodes(&s->seeds, &nodes);
	if (n == 0)
		kg_throw_all_unknown(call, "/seeds", &s->seeds);
	edges = kg_bfs_keeps_all(call, &s->detail) ? KG_REACH_COUNT
											   : KG_REACH_EDGES;
	kg_cost_reach(call->graph,
				  &s->detail.walk,
				  nodes,
				  n,
				  (int) s->hops,
				  false,
				  "/max_hops");
	kg_reach(call->graph,
			 &s->detail.walk,
			 nodes,
			 n,
			 (int) s->hops,
			 KG_REACH_RANKS | edges | (ring ? KG_REACH_RING : 0),
			 &s->reach);
	s->page.keep = kg_bfs_keep(call, &s->detail, &s->reach);
	if (by_relevance)
		s->page.order = kg_rank_order(call->graph, &s->reach);
	s->page.offset = offset;
	if (n < s->seeds.n && offset == 0)
		hints = kg_unknown_hints(call, "/seeds", &s->seeds);
	result = answer(s, true, hints);
	kg_graph_call_end(call);
	return result;
}

/* ---- intersect_subgraphs ---- */

typedef struct Common
{
	KgGraph *graph;
	KgNodeSet set; /* nodes within k hops of the first seed */
	/* indexed by node: number of seeds that are within k hops of the node */
	uint16 *seeds;
	/* indexed by node: distance from the node to the nearest seed */
	uint8 *distance;
} Common;

static void
note_reach(Common *common, const KgReach *reach, uint32 round)
{
	KgGraph *graph = common->graph;

	if (round == 0)
	{
		Size n = reach->set.n;

		for (uint32 i = 0; i < n; i++)
			(void) kg_nodeset_add(&common->set, reach->set.nodes[i]);
		common->seeds = MemoryContextAllocExtended(graph->context,
												   n * sizeof(uint16),
												   MCXT_ALLOC_HUGE |
													   MCXT_ALLOC_ZERO);
		common->distance = MemoryContextAllocHuge(graph->context, n);
		memset(common->distance, 0xff, n);
	}
	for (int depth = 0; depth < reach->nlevels; depth++)
		for (uint32 i = reach->level[depth]; i < reach->level[depth + 1]; i++)
		{
			uint32 node;

			if (reach->ranks != NULL && reach->ranks[i] == 0)
				continue;
			node = kg_nodeset_find(&common->set, reach->set.nodes[i]);
			if (node == KG_NO_NODE || common->seeds[node] != round)
				continue;
			common->seeds[node]++;
			common->distance[node] = Min(common->distance[node], depth);
		}
}

static void
found_induced(const KgNeighbors *found, void *arg)
{
	KgReach *reach = arg;
	uint32 source = kg_nodeset_find(&reach->set, found->node);

	for (int i = 0; i < found->n; i++)
	{
		uint32 target = kg_nodeset_find(&reach->set, found->neighbors[i]);

		if (target != KG_NO_NODE)
			kg_edge_list_add(&reach->edges, source, target, found->relation_no);
	}
}

/*
 * Sets "reach" to the nodes that are within k hops of all seeds, in the order
 * of their distance, and the edges between these nodes.
 */
static void
induce(Common *common, uint32 nseeds, int k, const KgBfsDetail *detail,
	   KgReach *reach)
{
	KgGraph *graph = common->graph;
	int64 *nodes;

	memset(reach, 0, sizeof(*reach));
	kg_nodeset_init(&reach->set, graph->context);
	kg_edge_list_init(&reach->edges, graph->context);
	for (int depth = 0; depth <= k; depth++)
	{
		for (uint32 i = 0; i < common->set.n; i++)
			if (common->seeds[i] == nseeds && common->distance[i] == depth)
				(void) kg_nodeset_add(&reach->set, common->set.nodes[i]);
		kg_reach_end_level(graph, reach, depth);
	}
	reach->nlevels = k + 1;
	reach->ranks = MemoryContextAllocHuge(
		graph->context, Max((Size) reach->set.n, 1) * sizeof(uint16));
	kg_graph_types(graph, reach->set.nodes, reach->set.n, reach->ranks);
	nodes = MemoryContextAllocHuge(graph->context,
								   Max((Size) reach->set.n, 1) * sizeof(int64));
	memcpy(nodes, reach->set.nodes, (Size) reach->set.n * sizeof(int64));
	kg_graph_expand(
		graph, &detail->walked, nodes, reach->set.n, found_induced, reach);
}

/*
 * Finds the nodes within k hops of every seed. Finds none if a seed is
 * unknown.
 */
static void
intersect(KgGraph *graph, const KgHandles *seeds, int k,
		  const KgBfsDetail *detail, KgReach *reach)
{
	Common common;
	KgNodeSet distinct;
	int64 *nodes;
	uint32 n = known_nodes(seeds, &nodes);
	const KgFollow *walk = &detail->walk;

	memset(&common, 0, sizeof(common));
	common.graph = graph;
	kg_nodeset_init(&common.set, graph->context);
	kg_nodeset_init(&distinct, graph->context);
	if (n == seeds->n)
		for (uint32 i = 0; i < n; i++)
			(void) kg_nodeset_add(&distinct, nodes[i]);
	kg_cost_reach(graph, walk, distinct.nodes, distinct.n, k, true, "/k");
	for (uint32 i = 0; i < distinct.n; i++)
	{
		KgReach one;

		CHECK_FOR_INTERRUPTS();
		kg_reach(graph, walk, &distinct.nodes[i], 1, k, 0, &one);
		note_reach(&common, &one, i);
		kg_nodeset_free(&one.set);
		if (one.ranks != NULL)
			pfree(one.ranks);
	}
	induce(&common, distinct.n, k, detail, reach);
}

/* Returns hints that explain why no node is within k hops of all seeds. */
static Jsonb *
common_hints(KgGraphCall *call, const KgHandles *seeds, int k, uint32 found)
{
	bool unknown = false;
	const char *path = "/k";
	const char *message;
	Jsonb *hints = NULL;
	KgJsonWriter w;

	for (int i = 0; i < seeds->n; i++)
		unknown |= seeds->refs[i].id == NULL;
	if (unknown)
	{
		hints = kg_unknown_hints(call, "/seeds", seeds);
		path = "/seeds";
		message = "a seed that does not exist has no neighbours; a search by "
				  "name finds ids";
	}
	else if (found > 0)
	{
		path = "/exclude_node_types";
		message = psprintf("exclude_node_types and min_mentions remove all %u "
						   "nodes that the seeds share",
						   found);
	}
	else
		message = psprintf("no node is within k = %d of every seed; k can be "
						   "up to %d",
						   k,
						   (int) kg_input_maximum(&call->input, "k"));
	if (hints != NULL)
		return hints;
	kg_jw_init_array(&w);
	kg_jw_begin_object(&w);
	kg_jw_kstring(&w, "path", path);
	kg_jw_kstring(&w, "message", message);
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}

static uint32
count_kept(const KgReach *reach, const bool *keep)
{
	uint32 n = 0;

	for (uint32 i = 0; i < reach->set.n; i++)
		n += reach->ranks[i] != 0 && (keep == NULL || keep[i]);
	return n;
}

Jsonb *
kg_tool_intersect_subgraphs(const Jsonb *arguments)
{
	Subgraph *s = palloc0(sizeof(Subgraph));
	KgGraphCall *call = &s->call;
	Jsonb *hints = NULL;
	Jsonb *result;

	s->hops_key = "k";
	s->limit = PG_INT32_MAX;
	kg_graph_call_begin(call, "intersect_subgraphs", arguments);
	(void) kg_input_int(&call->input, "k", &s->hops);
	kg_read_bfs_detail(call, &s->detail);
	kg_columns_read(&call->columns, call->graph, NULL, &call->input, true);
	read_seeds(call, &s->seeds);
	kg_require_around(call, &s->seeds, &s->detail.walk, (int) s->hops);
	intersect(call->graph, &s->seeds, (int) s->hops, &s->detail, &s->reach);
	s->page.keep = kg_bfs_keep(call, &s->detail, &s->reach);
	if (count_kept(&s->reach, s->page.keep) == 0)
		hints = common_hints(call, &s->seeds, (int) s->hops, s->reach.set.n);
	result = answer(s, false, hints);
	kg_graph_call_end(call);
	return result;
}
