/*
 * graph_nodes.c
 *	  find_nodes: nodes of one type, on the engine of the catalog's lists.
 */
#include "postgres.h"

#include "base/settings.h"
#include "query/cursor.h"
#include "query/hints.h"
#include "query/list.h"
#include "tools/catalog_tools.h"
#include "tools/graph.h"
#include "tools/graph_reply.h"
#include "tools/shape.h"

typedef struct FindNodes
{
	KgGraphCall call;
	KgSelector selector;
	KgListQuery query;
	KgProjection *columns;
	StringInfo bound;
	int64 position; /* of the first node of the page */
	KgListPage *page;
	KgReply reply;
} FindNodes;

/* "columns" is what lists call "fields": the same reading, other words. */
static KgProjection *
read_columns(FindNodes *f)
{
	const JsonbContainer *columns = kg_input_array(
		&f->call.input, "columns", "properties");
	const KgType *type = f->selector.type;
	KgFilterTarget target = kg_filter_target_type(type);
	KgProjection *projection;
	KgJsonIter it;

	if (columns == NULL)
		return NULL;
	target.indexed_only = false;
	projection = palloc0(sizeof(KgProjection));
	projection->fields = palloc((kg_json_length(columns) + 1) *
								sizeof(KgField *));
	kg_json_iter_init(&it, columns);
	while (kg_json_iter_next(&it))
	{
		char *path = kg_path_index("/columns", it.index);
		const KgField *field;
		char *name;
		bool is_id;

		if (it.value.type != jbvString)
			kg_error_throw(kg_args_error(path, &it.value, "a property"));
		name = kg_json_cstring(&it.value);
		field = kg_type_field(type, name);
		if (field == NULL)
		{
			field = kg_target_field(&target, name, path, "show", &is_id);
			if (is_id)
				field = type->id_field;
		}
		projection->fields[projection->nfields++] = field;
	}
	return projection;
}

static void
read_arguments(FindNodes *f, const Jsonb *arguments)
{
	KgGraphCall *call = &f->call;
	KgListQuery *query = &f->query;
	KgFilterTarget target;
	char *cursor;

	kg_graph_call_begin(call, "find_nodes", arguments);
	kg_call_selector(call, &call->input, "node_label", &f->selector);
	f->columns = read_columns(f);
	kg_call_require_type(call, f->selector.type);
	query->catalog = call->catalog;
	query->type = f->selector.type;
	query->filter = kg_selector_filter(&f->selector);
	target = kg_filter_target_type(query->type);
	kg_list_parse_sort(query, &target, &call->input);
	(void) kg_input_int(&call->input, "limit", &query->limit);
	f->bound = kg_cursor_query("find_nodes",
							   psprintf("%s/%s %s",
										query->type->bundle,
										query->type->name,
										query->type->schema_hash),
							   call->input.object);
	cursor = kg_input_string(&call->input, "cursor");
	if (cursor != NULL)
		f->position = kg_list_read_cursor(query, f->bound, cursor);
}

static void
build_nodes(FindNodes *f)
{
	const KgListPage *page = f->page;
	KgReply *reply = &f->reply;
	uint16 rank = kg_graph_rank(f->call.graph, f->query.type->type_no);

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
		if (f->columns != NULL && node->ref.data != NULL)
			node->ref.data = kg_projection_apply(f->columns, node->ref.data);
		node->depth = -1;
		node->unit = i;
		node->full = true;
	}
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

/* A name in a filter is a mistake; unknown ids are not, whatever they are. */
static void
check_labels(FindNodes *f, bool none_found)
{
	KgListQuery query = f->query;

	if (f->selector.filter == NULL)
		return;
	query.filter = f->selector.filter;
	kg_hints_check_labels(&query, none_found);
}

Jsonb *
kg_tool_find_nodes(const Jsonb *arguments)
{
	FindNodes *f = palloc0(sizeof(FindNodes));
	Jsonb *result;

	read_arguments(f, arguments);
	f->page = kg_list_run(&f->query);
	kg_list_fetch(&f->query, f->page);
	check_labels(f, f->page->total == 0);
	build_nodes(f);
	f->reply.draft.next = next_page;
	result = kg_reply_finish(&f->reply, write_reply, f);
	kg_graph_call_end(&f->call);
	return result;
}
