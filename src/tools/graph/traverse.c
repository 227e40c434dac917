/*
 * graph/traverse.c
 *	  traverse_relationships: a chain of steps over named relationships.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/settings.h"
#include "query/graph/cost.h"
#include "query/graph/traverse.h"
#include "tools/graph/graph.h"
#include "tools/graph/page.h"
#include "tools/graph/reply.h"
#include "tools/graph/row_sort.h"

/*
 * Greatest number up to which a double represents every number of rows exactly.
 */
#define KG_EXACT_ROWS 9007199254740992.0

typedef struct Traverse
{
	KgGraphCall call;
	KgSelector from;
	KgSteps steps;
	int64 limit;
	KgRowSort sort;
	KgUnique unique;
	int64 position; /* index of the first row of a sorted page among all rows */
	KgTraversal t;
	KgBinding *rows;
	uint32 nrows;
	KgRef *refs; /* entities, indexed by node of the set */
	bool more;
	KgReply reply;
} Traverse;

static void
read_arguments(Traverse *tr, const Jsonb *arguments)
{
	KgGraphCall *call = &tr->call;
	KgInput from;
	KgInput to;

	kg_graph_call_begin(call, "traverse_relationships", arguments);
	(void) kg_input_object(&call->input, "from", &from);
	kg_call_selector(call, &from, "label", &tr->from);
	kg_call_steps(call, &tr->steps);
	if (kg_input_object(&call->input, "to", &to))
		kg_call_test(call, &to, &tr->steps.specs[tr->steps.n - 1]);
	kg_columns_read(&call->columns, call->graph, NULL, &call->input, true);
	tr->limit = kg_input_limit(&call->input, 0);
	tr->unique = (KgUnique) kg_input_enum(
		&call->input, "unique", "\"none\", \"edges\" or \"nodes\"");
	kg_reached_related(call, tr->from.type, tr->from.related);
	kg_orient_steps(call,
					tr->from.type,
					tr->steps.specs,
					tr->steps.n,
					"/relationships",
					true);
	kg_row_sort_read(call, &tr->steps, tr->from.type, &tr->sort);
	kg_reached_steps(
		kg_reached_begin(call, tr->from.type), tr->steps.specs, tr->steps.n);
}

static const KgRef *
read_cursor(Traverse *tr)
{
	const JsonbContainer *items = kg_call_cursor(
		&tr->call, tr->sort.n > 0 ? 1 : 2 * (tr->steps.n + 1));
	KgRef *after;

	if (items == NULL)
		return NULL;
	if (tr->sort.n > 0)
	{
		tr->position = kg_cursor_int(items, 0);
		return NULL;
	}
	after = palloc((tr->steps.n + 1) * sizeof(KgRef));
	for (int i = 0; i <= tr->steps.n; i++)
		after[i] = kg_cursor_ref(&tr->call, items, 2 * i);
	return after;
}

static void
next_page(void *state, int unit, KgNext *next)
{
	Traverse *tr = state;
	const KgBinding *last = &tr->rows[unit - 1];
	StringInfoData items;

	initStringInfo(&items);
	if (tr->sort.n > 0)
	{
		appendStringInfo(&items, "[" INT64_FORMAT "]", tr->position + unit);
		next->cursor = kg_call_make_cursor(&tr->call, &items);
		return;
	}
	for (int i = 0; i <= tr->steps.n; i++)
	{
		appendStringInfoChar(&items, i == 0 ? '[' : ',');
		kg_cursor_append_ref(&tr->call, &tr->refs[last->nodes[i]], &items);
	}
	appendStringInfoChar(&items, ']');
	next->cursor = kg_call_make_cursor(&tr->call, &items);
}

/* ---- the reply ---- */

typedef struct Builder
{
	Traverse *tr;
	KgReply *reply;
	uint32 *node_of; /* indexed by node of the set: index in reply->nodes + 1 */
	uint32 edge_room;
} Builder;

static void
use_node(Builder *b, uint32 node, uint32 row)
{
	KgReplyNode *added;

	if (b->node_of[node] != 0)
		return;
	added = &b->reply->nodes[b->reply->nnodes++];
	b->node_of[node] = b->reply->nnodes;
	added->ref = b->tr->refs[node];
	added->depth = -1;
	added->unit = row;
	added->full = true;
}

static KgReplyEdge *
add_edge(Builder *b, uint32 row)
{
	KgReplyEdge *edge;

	if (b->reply->nedges == b->edge_room)
	{
		b->edge_room *= 2;
		b->reply->edges = repalloc_huge(
			b->reply->edges, (Size) b->edge_room * sizeof(KgReplyEdge));
	}
	edge = &b->reply->edges[b->reply->nedges++];
	memset(edge, 0, sizeof(*edge));
	edge->unit = row;
	edge->full = true;
	edge->depth = -1;
	return edge;
}

/*
 * Adds the edges of one step of a row. A step of several hops adds a single
 * edge, which represents the walk.
 */
static void
add_step_edges(Builder *b, int step, const KgBinding *binding, uint32 row)
{
	Traverse *tr = b->tr;
	const KgStepSpec *spec = &tr->steps.specs[step];
	uint32 start = binding->nodes[step];
	uint32 end = binding->nodes[step + 1];
	const KgLink *link;
	uint32 n;

	/* The walk has no hops, so there is no edge. */
	if (binding->depths[step] == 0)
		return;
	if (spec->max_hops > 1)
	{
		KgReplyEdge *edge = add_edge(b, row);

		edge->type = tr->steps.types[step];
		edge->from = &tr->refs[start];
		edge->to = &tr->refs[end];
		edge->depth = binding->depths[step];
		return;
	}
	link = kg_links_of(&tr->t.steps[step].links, start, &n);
	for (; n > 0; n--, link++)
	{
		KgReplyEdge *edge;

		if (link->to != end)
			continue;
		edge = add_edge(b, row);
		edge->type = kg_relation_name(tr->call.catalog, link->relation_no);
		edge->relation_no = link->relation_no;
		edge->from = &tr->refs[link->backward ? end : start];
		edge->to = &tr->refs[link->backward ? start : end];
	}
}

static void
build_reply(Traverse *tr)
{
	Builder b;
	KgReply *reply = &tr->reply;
	int width = tr->steps.n + 1;

	memset(&b, 0, sizeof(b));
	b.tr = tr;
	b.reply = reply;
	kg_reply_init(reply, &tr->call);
	reply->draft.n = tr->nrows;
	reply->draft.paged = true;
	reply->draft.solid = true;
	reply->draft.more = tr->more;
	reply->draft.at_least = tr->t.total > KG_EXACT_ROWS;
	reply->draft.total = (int64) Min(tr->t.total, KG_EXACT_ROWS);
	reply->draft.next = next_page;
	reply->unit_sizes = palloc0((tr->nrows + 1) * sizeof(Size));
	reply->nodes = palloc0(((Size) tr->nrows * width + 1) *
						   sizeof(KgReplyNode));
	b.node_of = MemoryContextAllocExtended(tr->call.graph->context,
										   (tr->t.set.n + 1) * sizeof(uint32),
										   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	b.edge_room = 64;
	reply->edges = palloc(b.edge_room * sizeof(KgReplyEdge));
	for (uint32 row = 0; row < tr->nrows; row++)
	{
		const KgBinding *binding = &tr->rows[row];

		/*
		 * Bytes of the brackets of the row, and of the separators between its
		 * handles and between rows.
		 */
		reply->unit_sizes[row] = 2 + 2 * width;
		for (int i = 0; i < width; i++)
		{
			use_node(&b, binding->nodes[i], row);
			reply->unit_sizes[row] += kg_handle_text_size(
				reply, &tr->refs[binding->nodes[i]]);
		}
		for (int i = 0; i < tr->steps.n; i++)
			add_step_edges(&b, i, binding, row);
	}
	kg_reply_sort_nodes(reply);
	kg_reply_sort_edges(reply);
	kg_reply_fetch_nodes(reply);
	kg_reply_fetch_edges(reply);
}

static void
write_rows(Traverse *tr, uint32 n, KgJsonWriter *w)
{
	kg_jw_kbegin_array(w, "rows");
	for (uint32 row = 0; row < n; row++)
	{
		kg_jw_begin_array(w);
		for (int i = 0; i <= tr->steps.n; i++)
			kg_jw_string(
				w,
				kg_handle(tr->call.graph, &tr->refs[tr->rows[row].nodes[i]]));
		kg_jw_end_array(w);
	}
	kg_jw_end_array(w);
}

static void
write_reply(void *state, const KgFit *fit, KgJsonWriter *w)
{
	Traverse *tr = state;

	kg_reply_write_nodes(&tr->reply, w);
	kg_reply_write_edges(&tr->reply, w);
	write_rows(tr, fit->listed, w);
}

/*
 * Sorts the rows and selects a page. Raises KG_LIMIT_EXCEEDED if there are too
 * many rows to sort.
 */
static void
list_sorted(Traverse *tr)
{
	uint32 n;

	if (tr->t.total > kg_setting_max_scan)
		KG_THROW(KG_LIMIT_EXCEEDED,
				 .message = psprintf("the call would sort %.0f rows, more than "
									 "kg_graph.max_scan (%d)",
									 tr->t.total,
									 kg_setting_max_scan),
				 .path = "/sort",
				 .expected =
					 "a narrower question: fewer starting nodes, or filters");
	n = kg_traverse_page(
		&tr->t, NULL, (uint32) tr->t.total, &tr->rows, &tr->refs, &tr->more);
	kg_row_sort_run(&tr->call, &tr->sort, &tr->t, tr->rows, n);
	tr->rows += Min(tr->position, n);
	n -= Min(tr->position, n);
	tr->more = n > tr->limit;
	tr->nrows = Min(n, tr->limit);
}

/*
 * Returns hints about the step that could not continue, for a chain that has no
 * row.
 */
static Jsonb *
hints(Traverse *tr)
{
	KgJsonWriter w;

	kg_jw_init_array(&w);
	kg_hint_traversal(&tr->call, &tr->t, "/relationships", &w);
	return kg_jw_finish(&w);
}

static Jsonb *
traverse(Traverse *tr, const KgRef *after, int64 *starts, uint32 n)
{
	KgGraph *graph = tr->call.graph;

	kg_cost_traverse(
		graph, starts, n, tr->steps.specs, tr->steps.n, "/relationships");
	kg_traverse_run(&tr->t,
					graph,
					kg_select_sees(graph, &tr->from) ? tr->from.type : NULL,
					starts,
					n,
					tr->steps.specs,
					tr->steps.n);
	if (tr->unique != KG_UNIQUE_NONE && tr->t.total > 0)
		kg_traverse_unique(&tr->t, tr->unique);
	if (tr->sort.n > 0)
		list_sorted(tr);
	else
		tr->nrows = kg_traverse_page(
			&tr->t, after, (uint32) tr->limit, &tr->rows, &tr->refs, &tr->more);
	build_reply(tr);
	if (tr->t.total == 0)
		tr->reply.draft.hints = hints(tr);
	return kg_reply_finish(&tr->reply, write_reply, tr);
}

Jsonb *
kg_tool_traverse_relationships(const Jsonb *arguments)
{
	Traverse *tr = palloc0(sizeof(Traverse));
	const KgSelector *from = &tr->from;
	const KgRef *after;
	int64 *starts;
	uint32 n;
	Jsonb *result;

	read_arguments(tr, arguments);
	after = read_cursor(tr);
	starts = kg_select_nodes(tr->call.graph, &tr->from, &n);
	result = n > 0 ? traverse(tr, after, starts, n)
				   : kg_reply_nothing(
						 &tr->call, &from, 1, "rows", kg_json_parse("[]"));
	kg_graph_call_end(&tr->call);
	return result;
}
