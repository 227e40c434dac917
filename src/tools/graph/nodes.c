/*
 * graph/nodes.c
 *	  find_nodes: nodes of one type, found by the list queries of the catalog
 *	  tools.
 */
#include "postgres.h"

#include "query/argument/cursor.h"
#include "query/argument/hints.h"
#include "query/list/list.h"
#include "query/merged.h"
#include "tools/catalog/catalog_tools.h"
#include "tools/graph/graph.h"
#include "tools/graph/reply.h"
#include "virtual/virtual.h"

typedef struct FindNodes
{
	KgGraphCall call;
	KgSelector selector;
	KgListQuery query;
	StringInfo bound;
	int64 position; /* index of the page's first node in the whole list */
	KgListPage *page;
	KgReply reply;
} FindNodes;

static void
read_arguments(FindNodes *f, const Jsonb *arguments)
{
	KgGraphCall *call = &f->call;
	KgListQuery *query = &f->query;
	KgFilterTarget target;
	char *cursor;

	kg_graph_call_begin(call, "find_nodes", arguments);
	kg_call_selector(call, &call->input, "node_label", &f->selector);
	kg_columns_read(
		&call->columns, call->graph, f->selector.type, &call->input, false);
	kg_call_require_type(call, f->selector.type);
	kg_reached_related(call, f->selector.type, f->selector.related);
	query->catalog = call->catalog;
	query->type = f->selector.type;
	query->filter = kg_selector_filter(&f->selector);
	target = kg_filter_target_counted(query->catalog, query->type);
	kg_list_parse_sort(query, &target, &call->input);
	kg_list_read_limit(query, &call->input);
	query->by_rank = kg_list_is_by_rank(query, &call->input);
	f->bound = kg_cursor_query("find_nodes",
							   psprintf("%s/%s %s",
										query->type->bundle,
										query->type->name,
										query->type->schema_hash),
							   call->input.object);
	cursor = kg_input_string(&call->input, "cursor");
	if (cursor != NULL)
		f->position = kg_list_read_cursor(query, f->bound, cursor);
	kg_list_read_search(query, &call->input);
}

static void
fetch_nodes(FindNodes *f)
{
	const KgShownColumns *columns = &f->call.columns;
	const KgType *type = f->query.type;
	int rank = kg_graph_rank(f->call.graph, type->type_no);

	if (!kg_columns_show(columns, rank))
		return;
	f->query.without_derived = !kg_columns_derive(columns, type, rank);
	kg_engine_fetch(&f->query, f->page);
}

static void
build_nodes(FindNodes *f)
{
	const KgListPage *page = f->page;
	KgReply *reply = &f->reply;
	uint16 rank = kg_graph_rank(f->call.graph, f->query.type->type_no);
	KgRef **refs = palloc((page->nrows + 1) * sizeof(KgRef *));

	kg_reply_init(reply, &f->call);
	kg_list_draft(&reply->draft, &f->query, page, f->position);
	reply->nnodes = page->nrows;
	reply->nodes = palloc0((page->nrows + 1) * sizeof(KgReplyNode));
	for (int i = 0; i < page->nrows; i++)
	{
		KgReplyNode *node = &reply->nodes[i];

		node->ref.node = page->rows[i]->node;
		node->ref.rank = rank;
		node->ref.id = page->rows[i]->entity_id;
		node->ref.idlen = strlen(page->rows[i]->entity_id);
		node->ref.data = page->rows[i]->data;
		node->ref.data = kg_columns_of_node(
			&f->call.columns, rank, node->ref.data);
		node->depth = -1;
		node->unit = i;
		node->full = kg_columns_show(&f->call.columns, rank);
		refs[i] = &node->ref;
	}
	kg_columns_reach(&f->call.columns, f->call.graph, refs, page->nrows);
}

static void
next_page(void *state, int unit, KgNext *next)
{
	FindNodes *f = state;

	next->cursor = kg_list_make_cursor(
		&f->query, f->page, f->bound, unit, f->position);
}

static void
write_reply(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const FindNodes *f = state;

	kg_reply_write_nodes(&f->reply, w);
}

/*
 * Raises an error if a filter has a label in place of an id. Unknown ids in
 * "ids" are not an error.
 */
static void
check_labels(FindNodes *f, bool none_found)
{
	KgListQuery query = f->query;

	if (f->selector.filter == NULL)
		return;
	query.filter = f->selector.filter;
	kg_hints_check_labels(&query, none_found);
}

/*
 * If some of the requested ids belong to merged entities, reads the page again
 * with the ids of the entities into which they were merged.
 */
static void
find_merged(FindNodes *f)
{
	if (!kg_merged_replace(
			f->call.catalog, f->query.type, f->selector.ids, f->selector.nids))
		return;
	f->query.filter = kg_selector_filter(&f->selector);
	f->page = kg_engine_list(&f->query);
}

Jsonb *
kg_tool_find_nodes(const Jsonb *arguments)
{
	FindNodes *f = palloc0(sizeof(FindNodes));
	Jsonb *result;

	read_arguments(f, arguments);
	kg_list_select(&f->query, f->call.graph, &f->selector);
	f->page = kg_engine_list(&f->query);
	if (f->page->total < f->selector.nids)
		find_merged(f);
	fetch_nodes(f);
	check_labels(f, f->page->total == 0);
	build_nodes(f);
	f->reply.draft.next = next_page;
	result = kg_reply_finish(&f->reply, write_reply, f);
	kg_graph_call_end(&f->call);
	return result;
}
