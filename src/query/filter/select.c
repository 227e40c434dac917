/*
 * select.c
 *	  Selects the nodes that a tool starts from.
 *
 * Ids are looked up by the primary key of kg_entity. A filter is driven by the
 * index of kg_index_key for one condition that bounds a range of keys; the
 * other conditions are probes. Without such a condition the entities of the
 * type are read in turn.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "base/settings.h"
#include "catalog/pg_type.h"
#include "query/filter/any.h"
#include "query/graph/foreign.h"
#include "query/graph/nodes.h"
#include "query/graph/related.h"
#include "query/filter/scan.h"
#include "query/filter/select.h"
#include "query/sql.h"
#include "utils/builtins.h"

/* Returns how well a condition bounds a range of keys; 0: it does not. */
static int
driving_rank(const KgCondition *condition)
{
	if (condition->field == NULL)
		return 0;
	switch (kg_operator(condition->op)->bound)
	{
		case KG_UNBOUNDED:
		case KG_BOUND_MISSING:
		case KG_BOUND_MEMBER:
			return 0;
		case KG_BOUND_PREFIX:
			return 2;
		case KG_BOUND_LOWER:
		case KG_BOUND_UPPER:
			return 3;
		case KG_BOUND_LIST:
			return 4;
		case KG_BOUND_ONE:
			return 5;
	}
	return 0;
}

static const KgCondition *
driving_condition(const KgFilter *filter)
{
	const KgCondition *best = NULL;

	for (int i = 0; filter != NULL && i < filter->nconditions; i++)
		if (driving_rank(&filter->conditions[i]) > 0 &&
			(best == NULL ||
			 driving_rank(&filter->conditions[i]) > driving_rank(best)))
			best = &filter->conditions[i];
	return best;
}

static bool
has_id_condition(const KgFilter *filter)
{
	for (int i = 0; filter != NULL && i < filter->nconditions; i++)
		if (filter->conditions[i].field == NULL &&
			kg_operator(filter->conditions[i].op)->bound >= KG_BOUND_LIST)
			return true;
	return false;
}

static void
select_by_key(KgSqlBuilder *b, const KgSelector *selector,
			  const KgCondition *driver)
{
	const KgFilter *filter = selector->filter;
	const KgField *field = driver->field;
	bool listed = kg_operator(driver->op)->bound == KG_BOUND_LIST;
	int list = 0;
	int type_no;
	int field_no;

	if (listed)
	{
		int n;
		bytea **keys = kg_sql_distinct_keys(driver, &n);

		list = kg_sql_param_array(b, BYTEAOID, (Datum *) keys, n);
	}
	type_no = kg_sql_param(b, INT4OID, Int32GetDatum(selector->type->type_no));
	field_no = kg_sql_param_field(b, field);
	kg_sql_append(b, "SELECT k.node FROM ");
	if (listed)
	{
		kg_sql_begin_each(
			b, kg_sql_keys_of(type_no, field_no), "x.node, x.key", list);
		kg_sql_append(b,
					  " AND x.type_no" KG_EQ "$%d AND x.field_no" KG_EQ "$%d",
					  type_no,
					  field_no);
		kg_sql_end_each(b, "key", "k");
		kg_sql_append(b, " WHERE true");
	}
	else
	{
		kg_sql_append(b,
					  "%s k WHERE k.tenant" KG_EQ "$1 AND k.type_no" KG_EQ
					  "$%d AND k.field_no" KG_EQ "$%d",
					  kg_sql_keys_of(type_no, field_no),
					  type_no,
					  field_no);
		if (field->is_array)
			kg_sql_key_condition(b, "k.key", driver);
	}
	/*
	 * On an array, another condition may be true of another item, so only this
	 * one is tested on the key.
	 */
	if (!field->is_array)
		for (int i = 0; i < filter->nconditions; i++)
			if (filter->conditions[i].field == field)
				kg_sql_key_condition(b, "k.key", &filter->conditions[i]);
	kg_sql_filter(b,
				  filter,
				  &(KgSqlEntity){.node = "k.node"},
				  field->is_array ? NULL : field);
	kg_sql_visible(b, "k.node");
}

static void
select_entities(KgSqlBuilder *b, const KgSelector *selector)
{
	if (selector->nids > 0)
	{
		kg_sql_append(b, "SELECT e.node FROM ");
		kg_sql_begin_each(b,
						  kg_sql_table("kg_entity"),
						  "x.node, x.entity_id, x.index_keys",
						  kg_sql_param_texts(b, selector->ids, selector->nids));
		kg_sql_append(b,
					  " AND x.bundle" KG_EQ "$%d AND x.entity_type" KG_EQ "$%d",
					  kg_sql_param_text(b, selector->type->bundle),
					  kg_sql_param_text(b, selector->type->name));
		kg_sql_end_each(b, "entity_id", "e");
		kg_sql_append(b, " WHERE true");
	}
	else
		kg_sql_append(b,
					  "SELECT e.node FROM %s e WHERE e.tenant" KG_EQ
					  "$1 AND e.bundle" KG_EQ "$%d AND e.entity_type" KG_EQ
					  "$%d",
					  kg_sql_table("kg_entity"),
					  kg_sql_param_text(b, selector->type->bundle),
					  kg_sql_param_text(b, selector->type->name));
	if (selector->filter != NULL)
		kg_sql_filter(b,
					  selector->filter,
					  &(KgSqlEntity){"e.node", "e.entity_id", "e.index_keys"},
					  NULL);
}

static void
take_id(const KgRef *ref, void *arg)
{
	*(char **) arg = pnstrdup(ref->id, ref->idlen);
}

/* Returns {"label": type, "ids": [an existing id]}, or NULL. */
static Jsonb *
anchored_example(KgGraph *graph, const KgType *type, int64 node)
{
	char *id = NULL;
	KgJsonWriter w;

	kg_graph_resolve(graph, &node, 1, false, take_id, &id);
	if (id == NULL)
		return NULL;
	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "label", kg_type_handle(type));
	kg_jw_kbegin_array(&w, "ids");
	kg_jw_string(&w, id);
	kg_jw_end_array(&w);
	return kg_jw_finish(&w);
}

static KG_NORETURN void
throw_unanchored(KgGraph *graph, const KgSelector *selector, int64 node)
{
	Jsonb *example = anchored_example(graph, selector->type, node);
	KgError *err = kg_error_new(KG_LIMIT_EXCEEDED,
								"entity type \"%s\" has more entities than "
								"kg_graph.max_visited (%d)",
								kg_type_handle(selector->type),
								kg_setting_max_visited);

	kg_error_path(err, "%s", selector->path);
	kg_error_expected(err, "ids, or a filter on a property");
	if (example)
		kg_error_example(err, example);
	kg_error_throw(err);
}

typedef struct SelectState
{
	KgGraph *graph;				/* NULL: only the limit of this state applies */
	const KgSelector *selector; /* set if a whole type is selected, or NULL */
	KgNodeSet set;
	uint32 limit; /* stop after this number of nodes */
} SelectState;

static bool
receive_node(TupleTableSlot *slot, void *arg)
{
	SelectState *state = arg;

	(void) kg_nodeset_add(&state->set, DatumGetInt64(kg_slot_datum(slot, 1)));
	if (state->graph != NULL && state->set.n > (uint32) kg_setting_max_visited)
	{
		if (state->selector != NULL)
			throw_unanchored(
				state->graph, state->selector, state->set.nodes[0]);
		kg_graph_check_visited(state->graph, state->set.n);
	}
	return state->set.n < state->limit;
}

static int64 *
select_one(KgGraph *graph, const KgSelector *selector, uint32 *n)
{
	int64 *node = MemoryContextAlloc(graph->context, sizeof(int64));

	*node = kg_graph_start(graph, selector->type, selector->ids[0]);
	*n = *node != 0;
	return node;
}

static bool
is_anchored(const KgSelector *selector)
{
	return selector->nids > 0 ||
		   (selector->filter != NULL && !kg_filter_is_empty(selector->filter));
}

/* Adds the nodes found by one statement, up to the state's limit. */
static void
select_more(const KgCatalog *catalog, const KgSelector *selector,
			SelectState *state)
{
	const KgCondition *driver = driving_condition(selector->filter);
	KgSqlBuilder b;

	kg_sql_start(&b, catalog);
	if (selector->nids == 0 && driver != NULL &&
		!has_id_condition(selector->filter))
		select_by_key(&b, selector, driver);
	else
		select_entities(&b, selector);
	(void) kg_sql_run(&b, receive_node, state);
}

/*
 * Returns whether each alternative has a condition that drives it, so that they
 * are selected one by one.
 */
static bool
each_drives(const KgFilter *filter)
{
	if (filter == NULL || filter->nany == 0 ||
		driving_condition(filter) != NULL || has_id_condition(filter))
		return false;
	for (int i = 0; i < filter->nany; i++)
		if (driving_condition(filter->any[i]) == NULL &&
			!has_id_condition(filter->any[i]))
			return false;
	return true;
}

/* Adds the nodes of the alternatives, one alternative after another. */
static void
select_each(const KgCatalog *catalog, const KgSelector *selector,
			SelectState *state)
{
	KgSelector one = *selector;

	for (int i = 0; i < selector->filter->nany && state->set.n < state->limit;
		 i++)
	{
		one.filter = kg_any_with(selector->filter, i);
		select_more(catalog, &one, state);
	}
}

int64 *
kg_select_few(const KgCatalog *catalog, const KgType *type,
			  const KgFilter *filter, uint32 limit, uint32 *n)
{
	KgSelector selector = {.type = type, .filter = filter};
	SelectState state = {.limit = limit + 1};

	if (!each_drives(filter))
		return NULL;
	kg_nodeset_init(&state.set, CurrentMemoryContext);
	select_each(catalog, &selector, &state);
	*n = state.set.n;
	return state.set.n <= limit ? state.set.nodes : NULL;
}

/* Finds the first nodes by type, ids and filter, up to a limit. */
static void
select_set(KgGraph *graph, const KgSelector *selector, uint32 limit,
		   KgNodeSet *set)
{
	SelectState state = {.graph = graph, .limit = limit};

	if (!is_anchored(selector) && selector->related == NULL)
		state.selector = selector;
	kg_nodeset_init(&state.set, graph->context);
	if (selector->nids == 0 && each_drives(selector->filter))
		select_each(graph->catalog, selector, &state);
	else
		select_more(graph->catalog, selector, &state);
	*set = state.set;
}

int64 *
kg_select_nodes(KgGraph *graph, const KgSelector *selector, uint32 *n)
{
	const KgRelated *related = selector->related;
	bool scans = selector->few || kg_filter_scans(selector->filter);
	KgSelector first = *selector;
	KgNodeSet set;
	int64 *nodes;

	if (kg_foreign_of(graph, selector->type) != NULL)
		return graph->foreign->select(graph, selector, n);
	if (selector->nids == 1 && selector->filter == NULL && related == NULL)
		return select_one(graph, selector, n);
	first.filter = kg_filter_without_scan(selector->filter);
	kg_nodeset_init(&set, graph->context);
	if (related == NULL || is_anchored(&first) ||
		!kg_related_anchor(graph, related, selector->type, &set))
		select_set(graph,
				   &first,
				   scans && related == NULL ? (uint32) kg_setting_max_scan + 1
											: PG_UINT32_MAX,
				   &set);
	*n = set.n;
	if (related == NULL && !scans)
		return set.nodes;
	nodes = MemoryContextAllocHuge(graph->context,
								   Max((Size) set.n, 1) * sizeof(int64));
	memcpy(nodes, set.nodes, (Size) set.n * sizeof(int64));
	*n = kg_select_keep(graph, selector, nodes, set.n);
	return nodes;
}

uint32
kg_select_keep(KgGraph *graph, const KgSelector *selector, int64 *nodes,
			   uint32 n)
{
	if (selector->related != NULL)
		n = kg_related_keep(graph, selector->related, nodes, n);
	if (kg_filter_scans(selector->filter))
		n = kg_scan_keep(graph, selector->type, selector->filter, nodes, n);
	return n;
}

bool
kg_select_sees(const KgSelector *selector)
{
	return selector->filter == NULL && selector->related == NULL;
}

bool
kg_select_reads(const KgSelector *selector)
{
	return selector->related != NULL || selector->few ||
		   kg_filter_scans(selector->filter);
}
