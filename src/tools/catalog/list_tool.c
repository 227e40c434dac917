/*
 * list_tool.c
 *	  The tools list_<type> and list_<type>_ids.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "base/settings.h"
#include "query/argument/cursor.h"
#include "query/run/decisions.h"
#include "query/derived.h"
#include "query/argument/hints.h"
#include "query/graph/foreign.h"
#include "query/graph/ref_path.h"
#include "query/graph/related.h"
#include "query/list/list.h"
#include "query/time/past.h"
#include "query/search/passage.h"
#include "query/search/search_text.h"
#include "query/filter/select.h"
#include "query/time/validity.h"
#include "store/reference/scope.h"
#include "store/reference/unready.h"
#include "tools/catalog/catalog_tools.h"
#include "tools/reply/cite.h"
#include "tools/graph/graph.h"
#include "tools/offered.h"
#include "tools/input/published.h"
#include "tools/reply/reply.h"
#include "tools/reply/shape.h"
#include "utils/builtins.h"
#include "virtual/virtual.h"

typedef struct ListCall
{
	KgListQuery query;
	KgInput input;
	bool ids_only;
	bool find; /* the call is one of the tool find */
	KgProjection *projection;
	KgRepairs repairs;
	int64 max_bytes;
	/* index of the first row of the page among all rows, from 0 */
	int64 position;
	StringInfo bound; /* text that binds cursors to this call */
	KgListPage *page;
} ListCall;

static void
throw_sorted_twice(const char *path, char *name)
{
	JsonbValue got = kg_json_string_value(name);

	kg_error_throw(kg_args_error(
		path, &got, "a property that the sort does not have yet"));
}

static void
add_sort(KgListQuery *query, const KgField *field, const char *path,
		 bool descending)
{
	KgSort *sort = &query->sort[query->nsort++];

	sort->field = field;
	sort->path = path;
	/*
	 * Enum values sort in declared order, but the first declared value counts
	 * as the highest. So the direction is reversed.
	 */
	sort->descending = field->kind == KG_KIND_ENUM ? !descending : descending;
}

static void
add_path(KgListQuery *query, const KgRefPath *through, const char *path,
		 bool descending)
{
	const KgField *field = through->field != NULL ? through->field
												  : through->type->id_field;
	JsonbValue got = kg_json_string_value(through->name);

	if (through->many || field->is_array)
		kg_error_throw(kg_args_error(
			path, &got, "a path through references with one value"));
	for (int i = 0; i < query->nsort; i++)
		if (query->sort[i].through != NULL &&
			strcmp(query->sort[i].through->name, through->name) == 0)
			throw_sorted_twice(path, pstrdup(through->name));
	add_sort(query, field, path, descending);
	query->sort[query->nsort - 1].through = through;
}

/*
 * Parses an entry of "sort". An entry can name the id, either as "id" or by the
 * name of the property that holds the id. *by_id is set if this entry or an
 * earlier entry names the id.
 */
static void
parse_sort_entry(KgListQuery *query, const KgFilterTarget *target,
				 const KgInput *entry, bool *by_id)
{
	char *name = kg_input_string(entry, "field");
	bool descending = kg_input_enum(entry, "order", "\"asc\" or \"desc\"") == 1;
	char *path = kg_input_path(entry, "field");
	const KgRefPath *through = kg_ref_path(
		query->catalog, query->type, name, path, false);
	const KgField *field;
	bool is_id;

	if (through != NULL)
	{
		add_path(query, through, path, descending);
		return;
	}
	field = kg_target_field(target, name, path, "sort", &is_id);
	if (is_id)
	{
		if (*by_id)
			throw_sorted_twice(path, name);
		*by_id = true;
		query->id_descending = descending;
		return;
	}
	for (int i = 0; i < query->nsort; i++)
		if (query->sort[i].through == NULL && query->sort[i].field == field)
			throw_sorted_twice(path, name);
	add_sort(query, field, path, descending);
	query->sort[query->nsort - 1].counts = field->counted && !target->kept;
}

void
kg_list_parse_sort(KgListQuery *query, const KgFilterTarget *target,
				   const KgInput *in)
{
	int n = kg_input_objects(in, "sort", "fields");
	KgFilterTarget sortable = *target;
	bool by_id = false;
	int decide = 0;

	sortable.no_arrays = true;
	sortable.indexed_only = true;
	for (int i = 0; i < n; i++)
	{
		KgInput entry;

		kg_input_item(in, "sort", i, &entry);
		parse_sort_entry(query, &sortable, &entry, &by_id);
		if (!by_id)
			decide = query->nsort;
	}
	/*
	 * Ids are unique, so entries after an entry for the id have no effect and
	 * are dropped.
	 */
	query->nsort = decide;
}

/*
 * The first bytes of a cursor. The sort keys and the id of the page's last row
 * follow. The cursor carries the total, because counting takes longer the more
 * rows match, and so is done only for the first page.
 */
typedef struct CursorHead
{
	int64 position;
	int64 total; /* -1: the rows were not counted */
	bool total_known;
	char padding[7];
} CursorHead;

char *
kg_list_make_cursor(const KgListQuery *query, const KgListPage *page,
					const StringInfoData *bound, int rows, int64 position)
{
	const KgRow *last = rows < page->nrows ? page->rows[rows - 1] : page->last;
	StringInfoData payload;
	CursorHead head;
	int nkeys = kg_list_nkeys(query);

	memset(&head, 0, sizeof(head));
	head.position = position + rows;
	head.total = page->total;
	head.total_known = page->total_known;
	initStringInfo(&payload);
	appendBinaryStringInfo(&payload, (char *) &head, sizeof(head));
	for (int i = 0; i < nkeys; i++)
	{
		uint16 len = VARSIZE_ANY_EXHDR(last->keys[i]);

		appendBinaryStringInfo(&payload, (char *) &len, sizeof(len));
		appendBinaryStringInfo(&payload, VARDATA_ANY(last->keys[i]), len);
	}
	appendStringInfoString(&payload, last->entity_id);
	kg_validity_keep(&payload);
	return kg_cursor_seal(
		query->catalog->tenant, bound, payload.data, payload.len);
}

int64
kg_list_read_cursor(KgListQuery *query, const StringInfoData *bound,
					const char *cursor)
{
	StringInfo payload = kg_cursor_open(
		query->catalog->tenant, bound, cursor, "/cursor");
	int nkeys = kg_list_nkeys(query);
	KgRow *row = palloc0(offsetof(KgRow, keys) + nkeys * sizeof(bytea *));
	int at = sizeof(CursorHead);
	CursorHead head;

	kg_validity_take(payload);
	/* A cursor is signed, so its contents need no validation. */
	memcpy(&head, payload->data, sizeof(head));
	query->counted = true;
	query->total = head.total;
	query->total_known = head.total_known;
	for (int i = 0; i < nkeys; i++)
	{
		uint16 len;

		memcpy(&len, payload->data + at, sizeof(len));
		at += sizeof(len);
		row->keys[i] = palloc(VARHDRSZ + len);
		SET_VARSIZE(row->keys[i], VARHDRSZ + len);
		memcpy(VARDATA(row->keys[i]), payload->data + at, len);
		at += len;
	}
	row->entity_id = pstrdup(payload->data + at);
	query->after = row;
	return head.position;
}

void
kg_list_read_limit(KgListQuery *query, const KgInput *in)
{
	query->limit = kg_input_limit(in, 0);
	/*
	 * With limit 0, the total is the only content of the reply, so it is
	 * counted even if "total" is false.
	 */
	query->uncounted = query->limit > 0 && kg_input_has(in, "total") &&
					   !kg_input_bool(in, "total");
}

static void
parse_page(ListCall *call)
{
	KgListQuery *query = &call->query;
	const KgInput *in = &call->input;
	char *cursor;
	bool has_offset;

	kg_list_read_limit(query, in);
	has_offset = kg_input_int(in, "offset", &query->offset);
	call->position = query->offset;
	cursor = kg_input_string(in, "cursor");
	if (cursor == NULL)
		return;
	if (has_offset)
	{
		JsonbValue got = kg_json_string_value(cursor);

		KgError *err = kg_args_error(
			"/cursor",
			&got,
			"given without \"offset\": only one of the two is allowed");
		KgInstead without = {KG_INSTEAD_OUT, "/offset"};

		/*
		 * "cursor" and "offset" exclude each other. The corrected call has the
		 * cursor, because it is more exact.
		 */
		kg_error_change(err, &without);
		kg_error_throw(err);
	}
	call->position = kg_list_read_cursor(query, call->bound, cursor);
}

bool
kg_list_is_by_rank(const KgListQuery *query, const KgInput *in)
{
	return kg_input_has(in, "search") && query->nsort == 0 &&
		   !query->id_descending;
}

static KG_NORETURN void
throw_no_texts(const KgType *type)
{
	KG_THROW(
		KG_INVALID_INPUT,
		.message = psprintf("entity type \"%s\" has no texts to search",
							type->name),
		.path = "/mode",
		.got_string = "text",
		.expected = "\"names\", or a type with \"x-search\" in its schema");
}

void
kg_list_read_search(KgListQuery *query, const KgInput *in)
{
	char *search = kg_input_string(in, "search");

	if (search || !kg_filter_is_empty(query->filter) || query->nsort > 0)
		kg_scope_require_derived(query->catalog->tenant, query->type);
	if (kg_input_has(in, "mode"))
		kg_input_require(in, "search");
	if (search == NULL)
		return;
	if (kg_input_enum(in, "mode", "an existing mode") == 0)
	{
		query->matches = kg_search_run(
			query->catalog, search, &query->type->type_no, 1, "/search");
		return;
	}
	if (query->type->nsearch == 0)
		throw_no_texts(query->type);
	query->text = search;
	query->matches = &kg_search_text(query->catalog,
									 search,
									 &query->type->type_no,
									 1,
									 kg_setting_max_search_matches,
									 "/search")
						  ->found;
}

/* Returns those matches of a search whose nodes are in the array "nodes". */
static const KgMatches *
matches_among(const KgMatches *matches, const int64 *nodes, uint32 n)
{
	KgMatches *kept = palloc(sizeof(KgMatches));
	KgNodeSet set;

	kg_nodeset_init(&set, CurrentMemoryContext);
	for (uint32 i = 0; i < n; i++)
		(void) kg_nodeset_add(&set, nodes[i]);
	*kept = *matches;
	kept->matches = palloc((matches->n + 1) * sizeof(KgMatch));
	kept->n = 0;
	for (int i = 0; i < matches->n; i++)
		if (kg_nodeset_has(&set, matches->matches[i].node))
			kept->matches[kept->n++] = matches->matches[i];
	return kept;
}

static int64 *
keep_matches(KgListQuery *query, KgGraph *graph, const KgSelector *selector)
{
	uint32 n = query->matches->n;
	int64 *nodes = palloc((n + 1) * sizeof(int64));

	for (uint32 i = 0; i < n; i++)
		nodes[i] = query->matches->matches[i].node;
	n = kg_select_keep(graph, selector, nodes, n);
	query->matches = matches_among(query->matches, nodes, n);
	return nodes;
}

static void
check_counted(const KgListQuery *query, uint64 n)
{
	const KgSort *counted = kg_list_counts(query);

	if (counted != NULL)
		kg_counts_check(query->type, counted->field, counted->path, n);
}

/*
 * Reads the values by which the list is sorted, for nodes of the list. Each
 * value is at the end of a path through references.
 */
static const KgSortKeys *
path_keys(const KgSort *sort, KgGraph *graph, const int64 *nodes, uint32 n)
{
	KgSortKeys *result = palloc0(sizeof(KgSortKeys));
	KgRefValues *values = kg_ref_values(
		graph, sort->through, nodes, n, sort->path);

	kg_nodeset_init(&result->set, CurrentMemoryContext);
	result->keys = MemoryContextAllocHuge(CurrentMemoryContext,
										  Max((Size) n, 1) * sizeof(bytea *));
	for (uint32 i = 0; i < n; i++)
	{
		uint32 at = kg_nodeset_add(&result->set, nodes[i]);

		result->keys[at] = kg_ref_values_key(values, nodes[i]);
	}
	return result;
}

static KG_NORETURN void
throw_too_many(const KgListQuery *query, const KgSort *sort)
{
	KG_THROW(
		KG_LIMIT_EXCEEDED,
		.message = psprintf(
			"the sort reads \"%s\" for each entity, and the conditions leave "
			"more entities of type \"%s\" than kg_graph.max_scan (%d)",
			sort->through->name,
			kg_type_handle(query->type),
			kg_setting_max_scan),
		.path = sort->path,
		.expected = "a narrower selection by filters, \"related\" or ids");
}

/* Computes the sort keys that the SQL statement of the list does not read. */
static void
read_sort_keys(KgListQuery *query, KgGraph *graph, const int64 *nodes, uint32 n)
{
	check_counted(query, n);
	for (int i = 0; i < query->nsort; i++)
	{
		KgSort *sort = &query->sort[i];

		if (sort->through == NULL)
			continue;
		if (n > (uint32) kg_setting_max_scan)
			throw_too_many(query, sort);
		sort->keys = path_keys(sort, graph, nodes, n);
	}
}

void
kg_list_select(KgListQuery *query, KgGraph *graph, const KgSelector *selector)
{
	KgSelector few = *selector;
	int64 *nodes;
	Size size;

	few.few = kg_list_computes(query) != NULL;
	if (!kg_select_reads(&few))
		return;
	query->related = selector->related;
	if (query->matches != NULL)
	{
		nodes = keep_matches(query, graph, selector);
		read_sort_keys(query, graph, nodes, query->matches->n);
		return;
	}
	nodes = kg_select_nodes(graph, &few, &query->namong);
	read_sort_keys(query, graph, nodes, query->namong);
	if (kg_foreign_of(graph, query->type) != NULL)
		query->among_ids = kg_foreign_ids(graph, nodes, query->namong);
	size = (Size) query->namong * sizeof(int64);
	query->among = memcpy(
		MemoryContextAllocHuge(CurrentMemoryContext, Max(size, 1)),
		nodes,
		size);
}

static bool
has_chains(const KgInput *in)
{
	return kg_input_has(in, "related") || kg_input_has(in, "not_related");
}

static bool
is_path(const KgListQuery *query, const JsonbValue *name)
{
	return name->type == jbvString &&
		   kg_ref_path(
			   query->catalog, query->type, kg_json_cstring(name), "", true) !=
			   NULL;
}

/*
 * Returns whether an item of an array names a path through references, as a
 * string or in a member of an object.
 */
static bool
names_path(const KgListQuery *query, const KgInput *in, const char *key)
{
	JsonbValue array;
	JsonbValue name;

	if (!kg_input_declares(in, key) || !kg_input_value(in, key, &array) ||
		!kg_json_is_array(&array))
		return false;
	kg_json_each(it, kg_json_container(&array))
		if (is_path(query, &it.value) ||
			(kg_json_is_object(&it.value) &&
			 kg_json_get(kg_json_container(&it.value), "field", &name) &&
			 is_path(query, &name)))
			return true;
	return false;
}

/*
 * Returns whether the call selects entities by conditions on entities of other
 * types ("related", "not_related" or paths).
 */
static bool
leads_on(const KgListQuery *query, const KgInput *in)
{
	return has_chains(in) ||
		   kg_filters_have_paths(query->catalog,
								 query->type,
								 kg_filter_object(in->object, "filters", ""));
}

/* Returns whether the call reads entities of other types. */
static bool
reads_others(const KgListQuery *query, const KgInput *in)
{
	return leads_on(query, in) || names_path(query, in, "fields") ||
		   names_path(query, in, "sort");
}

/*
 * Restricts the query to the entities that pass "related", "not_related" and
 * those filters that no index supports.
 */
static void
parse_selection(ListCall *call)
{
	KgListQuery *query = &call->query;
	KgGraphCall graph = {.input = call->input, .catalog = query->catalog};
	KgSelector selector = {.type = query->type, .filter = query->filter};

	selector.few = kg_list_computes(query) != NULL;
	if (!leads_on(query, &call->input) && !kg_select_reads(&selector))
		return;
	graph.graph = kg_graph_begin();
	selector.path = "";
	selector.related = kg_call_path_filters(
		&graph,
		&call->input,
		query->type,
		kg_call_related(&graph, &call->input));
	kg_reached_related(&graph, query->type, selector.related);
	call->repairs.repairs = list_concat(call->repairs.repairs,
										graph.repairs.repairs);
	kg_list_select(query, graph.graph, &selector);
	kg_graph_end(graph.graph);
}

/* Parses the filters on the type's own properties. */
static const KgFilter *
parse_filters(const KgListQuery *query, const KgInput *in,
			  const KgFilterTarget *target)
{
	const JsonbContainer *own = kg_filters_without_paths(
		query->catalog,
		query->type,
		kg_filter_object(in->object, "filters", ""),
		"/filters");

	return kg_filter_analyse(
		kg_filter_parse(own, "/filters"), target, in->repairs);
}

/*
 * Returns whether the call uses paths through references. All arguments that
 * name properties accept such paths, but the published schema does not list
 * them.
 */
static bool
uses_paths(const ListCall *call)
{
	bool sorts = false;

	for (int i = 0; i < call->query.nsort; i++)
		sorts |= call->query.sort[i].through != NULL;
	return sorts ||
		   (call->projection != NULL && call->projection->npaths > 0) ||
		   kg_filters_have_paths(
			   call->query.catalog,
			   call->query.type,
			   kg_filter_object(call->input.object, "filters", ""));
}

static void
parse_call(ListCall *call, const Jsonb *arguments)
{
	KgListQuery *query = &call->query;
	const KgType *type = query->type;
	const KgInput *in = &call->input;
	KgFilterTarget target;
	const char *template = kg_tool_input_template(
		type, call->ids_only ? KG_EXPOSE_LIST_IDS : KG_EXPOSE_LIST);

	kg_begin_tool_of_type(query->catalog,
						  type,
						  call->ids_only ? KG_EXPOSE_LIST_IDS : KG_EXPOSE_LIST,
						  arguments);
	kg_input_open(&call->input, arguments, template, &call->repairs);
	/*
	 * Paths and chains of "related" lead to other types, so as_of must be valid
	 * for these types, too.
	 */
	kg_input_as_of(in, query->catalog, reads_others(query, in) ? NULL : type);
	kg_past_require_type(type);
	kg_input_valid_at(in, query->catalog);
	target = kg_filter_target_counted(query->catalog, type);
	query->filter = parse_filters(query, in, &target);
	kg_list_parse_sort(query, &target, in);
	if (!call->ids_only)
		call->projection = kg_projection_parse(type, in);
	call->max_bytes = kg_input_max_bytes(in);
	query->by_rank = kg_list_is_by_rank(query, in);
	call->bound = kg_cursor_query(
		call->ids_only ? "list_ids" : "list",
		psprintf("%s/%s %s", type->bundle, type->name, type->schema_hash),
		in->object);
	parse_page(call);
	/*
	 * Runs after parse_page(), because a cursor contains the instant that the
	 * search uses.
	 */
	kg_list_read_search(query, in);
	if (call->find && query->matches != NULL && !kg_input_has(in, "mode") &&
		!kg_input_has(in, "sort") && !kg_input_has(in, "limit"))
		query->limit = kg_search_limit_of_name(query->matches);
	parse_selection(call);
	if (call->repairs.repairs == NIL && !uses_paths(call))
		kg_published_check(query->catalog, type, template, arguments);
}

static void
write_array_item(const JsonbValue *value, void *arg)
{
	kg_jw_value(arg, value);
}

static void
write_summary(const ListCall *call, const KgRow *row, KgJsonWriter *w)
{
	const KgType *type = call->query.type;

	for (int i = 0; i < type->nsummary; i++)
	{
		const KgField *field = type->summary_fields[i];
		JsonbValue value;

		if (field == type->id_field)
			continue;
		if (!kg_field_value(field, &row->data->root, &value))
			continue;
		kg_jw_key(w, field->name);
		if (field->is_array)
		{
			kg_jw_begin_array(w);
			kg_field_visit(field, &row->data->root, write_array_item, w);
			kg_jw_end_array(w);
		}
		else
			kg_jw_value(w, &value);
	}
}

static bool
has_summary(const ListCall *call)
{
	return call->ids_only && call->query.type->nsummary > 0;
}

static void
write_item(const ListCall *call, const KgRow *row, bool full, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "id", row->entity_id);
	if (full && call->ids_only)
		write_summary(call, row, w);
	else if (full)
		kg_jw_kjsonb(w, "data", row->data);
	if (row->match)
	{
		kg_match_write(row->match, call->query.type, w);
		kg_jw_key(w, "score");
		kg_jw_numeric(
			w,
			DatumGetNumeric(DirectFunctionCall2(
				numeric_round,
				DirectFunctionCall1(float8_numeric,
									Float8GetDatum(row->match->score)),
				Int32GetDatum(4))));
	}
	kg_jw_end_object(w);
}

static void
next_page(void *state, int item, KgNext *next)
{
	const ListCall *call = state;

	next->cursor = kg_list_make_cursor(
		&call->query, call->page, call->bound, item, call->position);
}

static void
write_reply(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const ListCall *call = state;
	const KgListPage *page = call->page;
	bool items = !call->ids_only || has_summary(call);

	kg_jw_kbegin_array(w, items ? "items" : "ids");
	for (int i = 0; i < fit->listed; i++)
	{
		if (items)
			write_item(call, page->rows[i], i < fit->whole, w);
		else
			kg_jw_string(w, page->rows[i]->entity_id);
	}
	kg_jw_end_array(w);
	if (!call->ids_only)
	{
		kg_jw_kint(w, "limit", call->query.limit);
		kg_jw_kint(w, "offset", call->position);
	}
}

static Size
item_size(const ListCall *call, const KgRow *row, bool full)
{
	KgJsonWriter w;

	kg_jw_init(&w);
	write_item(call, row, full, &w);
	return strlen(", ") + kg_json_text_size(&kg_jw_finish(&w)->root);
}

static void
measure_items(void *items, Size *whole, Size *stub, Size *extra)
{
	const ListCall *call = items;
	bool plain_ids = call->ids_only && !has_summary(call);

	for (int i = 0; i < call->page->nrows; i++)
	{
		const KgRow *row = call->page->rows[i];

		stub[i] = plain_ids ? strlen(", ") +
								  kg_string_text_size(row->entity_id,
													  strlen(row->entity_id))
							: item_size(call, row, false);
		whole[i] = plain_ids ? stub[i] : item_size(call, row, true);
	}
}

/*
 * Returns whether the chains of "related" were walked from the nodes that pass
 * the filters. Also returns true if there are no filters; the chains may then
 * have been walked from their other ends.
 */
static bool
is_walked(const KgListQuery *query)
{
	const KgRelated *related = query->related;
	bool walked = query->filter == NULL || kg_filter_is_empty(query->filter);

	for (int i = 0; i < related->n; i++)
		walked |= related->chains[i].walked;
	return walked;
}

/*
 * Returns hints that explain why nothing was found, and hints about conditions
 * of not_related that no entity can fulfil. If something was found and there
 * are no hints, returns NULL.
 */
static Jsonb *
list_hints(const KgListQuery *query, bool nothing)
{
	KgCorrection correction = {NULL};
	bool said;
	Jsonb *hints;
	KgJsonWriter w;

	kg_jw_init_array(&w);
	if (nothing)
		kg_hints_write_items(query, &correction, &w);
	said = kg_hint_related(query->catalog, query->related, &correction, &w);
	if (nothing && query->related != NULL && !said && is_walked(query))
	{
		kg_jw_begin_object(&w);
		kg_jw_kstring(&w, "path", "/related");
		kg_jw_kstring(
			&w,
			"message",
			"no entity that matches the filters has these connections; leave "
			"out some of \"related\" and \"not_related\"");
		kg_jw_end_object(&w);
	}
	hints = kg_jw_finish(&w);
	return nothing || kg_json_length(&hints->root) > 0 ? hints : NULL;
}

void
kg_list_draft(KgDraft *draft, const KgListQuery *query, const KgListPage *page,
			  int64 position)
{
	draft->n = page->nrows;
	draft->least = 1;
	draft->paged = true;
	draft->more = page->more;
	draft->at_least = page->total < 0 || !page->total_known;
	draft->total = page->total >= 0
					   ? page->total
					   : position + page->nrows + (page->more ? 1 : 0);
	if (page->total == 0 || query->related != NULL)
		draft->hints = list_hints(query, page->total == 0);
	/*
	 * A search that stopped at its limit may have missed matches, and no
	 * cursor can continue it.
	 */
	if (query->matches && query->matches->truncated)
		draft->stopped = "max_search_matches";
	if (page->undecided)
		draft->untold = "max_authorizations";
}

static void
cite_rows(const ListCall *call, KgDraft *draft)
{
	KgCited *cited = palloc0((draft->n + 1) * sizeof(KgCited));

	for (int i = 0; i < draft->n; i++)
	{
		cited[i].type = call->query.type;
		cited[i].id = call->page->rows[i]->entity_id;
		cited[i].item = i;
	}
	kg_cite(draft, cited, draft->n);
}

static Jsonb *
finish(ListCall *call)
{
	const KgType *type = call->query.type;
	KgProjection summary = {type->nsummary, type->summary_fields};
	KgDraft draft;

	kg_draft_init(&draft, &call->input, call->max_bytes);
	kg_list_draft(&draft, &call->query, call->page, call->position);
	for (int i = 0; i < draft.n && !call->ids_only; i++)
		draft.rough += VARSIZE(call->page->rows[i]->data);
	draft.measure = measure_items;
	draft.items = call;
	if (has_summary(call))
		draft.marks = kg_projection_marks(type, &summary);
	else if (!call->ids_only)
		draft.marks = kg_projection_marks(type, call->projection);
	draft.write = write_reply;
	draft.next = next_page;
	draft.state = call;
	if (kg_cite_wanted(&call->input))
		cite_rows(call, &draft);
	return kg_draft_finish(&draft);
}

/* Adds the values of the fields that are paths through references. */
static void
reach(ListCall *call)
{
	KgListPage *page = call->page;
	int n = page->nrows;
	int64 *nodes = palloc((n + 1) * sizeof(int64));
	Jsonb **data = palloc((n + 1) * sizeof(Jsonb *));
	KgGraph *graph;

	if (call->projection->npaths == 0)
		return;
	graph = kg_graph_begin();
	for (int i = 0; i < n; i++)
	{
		const KgRow *row = page->rows[i];

		nodes[i] = row->node != 0 ? row->node
								  : kg_graph_start(graph,
												   call->query.type,
												   row->entity_id);
		data[i] = row->data;
	}
	kg_projection_reach(call->projection, graph, nodes, data, n, "/fields");
	kg_graph_end(graph);
	for (int i = 0; i < n; i++)
		page->rows[i]->data = data[i];
}

/* Finds the words of the argument "search" in the texts of the page's rows. */
static void
find_passages(ListCall *call)
{
	const KgListQuery *query = &call->query;
	const KgListPage *page = call->page;
	KgMatch **matches = palloc((page->nrows + 1) * sizeof(KgMatch *));
	int n = 0;

	for (int i = 0; i < page->nrows; i++)
	{
		KgRow *row = page->rows[i];

		if (row->match == NULL)
			continue;
		/*
		 * The query owns the match, so the passage is set in a copy of the
		 * match.
		 */
		matches[n] = palloc(sizeof(KgMatch));
		*matches[n] = *row->match;
		row->match = matches[n++];
		if (row->data != NULL)
			kg_match_find_passage(
				matches[n - 1], query->type, row->data, query->text);
	}
	kg_search_text_terms(query->catalog, query->text, matches, n);
}

static Jsonb *
run(ListCall *call, const Jsonb *arguments)
{
	const KgType *type = call->query.type;
	KgListPage *page;

	kg_decisions_require(call->query.catalog, type, NULL);
	parse_call(call, arguments);
	call->page = page = kg_engine_list(&call->query);
	call->query.without_derived = !call->ids_only &&
								  !kg_projection_derives(type,
														 call->projection);
	if (!call->ids_only || has_summary(call))
		kg_engine_fetch(&call->query, page);
	kg_hints_check_labels(&call->query, page->total == 0);
	if (call->query.text != NULL)
		find_passages(call);
	for (int i = 0; i < page->nrows && call->projection; i++)
		page->rows[i]->data = kg_projection_apply(call->projection,
												  page->rows[i]->data);
	if (call->projection)
		reach(call);
	kg_tool_audit(
		type, call->ids_only ? KG_EXPOSE_LIST_IDS : KG_EXPOSE_LIST, arguments);
	return finish(call);
}

Jsonb *
kg_tool_list(const KgCatalog *catalog, const KgType *type,
			 const Jsonb *arguments, bool ids_only)
{
	ListCall call = {.query = {.catalog = catalog, .type = type},
					 .ids_only = ids_only};

	return run(&call, arguments);
}

Jsonb *
kg_find_in_list(const KgCatalog *catalog, const KgType *type,
				const Jsonb *arguments)
{
	ListCall call = {.query = {.catalog = catalog, .type = type}, .find = true};

	return run(&call, arguments);
}

/*
 * Writes conditions for kg_explain(): resolved names, operators and types, but
 * no values.
 */
static void
write_ast_conditions(const KgFilter *filter, KgJsonWriter *w)
{
	kg_jw_begin_array(w);
	for (int i = 0; i < filter->nconditions; i++)
	{
		const KgCondition *condition = &filter->conditions[i];
		const KgField *field = condition->field;

		kg_jw_begin_object(w);
		kg_jw_kstring(w, "property", field ? field->name : "id");
		kg_jw_kstring(w, "op", kg_operator(condition->op)->name);
		kg_jw_kstring(w, "type", field ? kg_kind_code(field->kind) : "id");
		kg_jw_kbool(w, "array", field && field->is_array);
		kg_jw_kint(w, "values", condition->nvalues);
		kg_jw_end_object(w);
	}
	kg_jw_end_array(w);
}

static void
write_ast_filter(const KgFilter *filter, KgJsonWriter *w)
{
	kg_jw_key(w, "filter");
	write_ast_conditions(filter, w);
	if (filter->nany == 0)
		return;
	kg_jw_kbegin_array(w, "any");
	for (int i = 0; i < filter->nany; i++)
		write_ast_conditions(filter->any[i], w);
	kg_jw_end_array(w);
}

static void
write_ast_sort(const KgListQuery *query, KgJsonWriter *w)
{
	kg_jw_kbegin_array(w, "sort");
	for (int i = 0; i < query->nsort; i++)
	{
		kg_jw_begin_object(w);
		kg_jw_kstring(w,
					  "property",
					  query->sort[i].through != NULL
						  ? query->sort[i].through->name
						  : query->sort[i].field->name);
		kg_jw_kstring(
			w, "keys", query->sort[i].descending ? "descending" : "ascending");
		kg_jw_end_object(w);
	}
	kg_jw_end_array(w);
}

void
kg_tool_write_ast(const KgType *type, int operation, const Jsonb *arguments,
				  KgJsonWriter *w)
{
	KgFilterTarget target = kg_filter_target_type(type);
	KgListQuery query;
	KgRepairs repairs = {NIL};
	KgInput in;

	target.counted = target.kept = type->ncounted > 0;
	memset(&query, 0, sizeof(query));
	query.catalog = kg_running_catalog();
	query.type = type;
	kg_input_open(
		&in, arguments, kg_tool_input_template(type, operation), &repairs);
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "operation", kg_operation_of(operation)->name);
	kg_jw_kstring(w, "bundle", type->bundle);
	kg_jw_kstring(w, "entity_type", type->name);
	if (operation == KG_EXPOSE_LIST || operation == KG_EXPOSE_LIST_IDS)
	{
		write_ast_filter(parse_filters(&query, &in, &target), w);
		kg_list_parse_sort(&query, &target, &in);
		write_ast_sort(&query, w);
		kg_jw_kbool(w, "search", kg_input_has(&in, "search"));
	}
	kg_jw_kstring_if(w, "valid_at", kg_validity_instant());
	kg_jw_end_object(w);
}

void
kg_tool_audit(const KgType *type, int operation, const Jsonb *arguments)
{
	KgJsonWriter w;

	if (!kg_audit_is_full())
		return;
	kg_jw_init(&w);
	kg_tool_write_ast(type, operation, arguments, &w);
	kg_audit_query_call(kg_jw_finish(&w));
}
