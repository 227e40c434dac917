/*
 * select.c
 *	  Selects the nodes that a tool starts from.
 *
 * Ids are looked up by the primary key of kg_entity. The entities that pass a
 * filter are found by the condition that has the fewest rows
 * (query/filter/drivers.h). If no condition bounds a range of keys, the
 * entities of the type are read one after the other.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "base/settings.h"
#include "query/filter/drivers.h"
#include "query/graph/foreign.h"
#include "query/graph/nodes.h"
#include "query/graph/related.h"
#include "query/filter/scan.h"
#include "query/filter/select.h"
#include "query/merged.h"

/*
 * If at most this many rows satisfy a filter, they are read at once. The cost
 * of other ways to find the nodes is then not estimated.
 */
#define KG_FEW 300
/*
 * Maximum number of ends of a chain that a filter looks up, to find the nodes
 * that lead to these ends.
 */
#define KG_MOST_ENDS 10000

static void
take_id(const KgRef *ref, void *arg)
{
	*(char **) arg = pnstrdup(ref->id, ref->idlen);
}

/*
 * Returns an example of a selector, {"label": type, "ids": [an existing id]};
 * NULL if the node has no visible entity.
 */
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
	KgGraph *graph;
	const KgSelector *selector;
	bool whole; /* a whole type is selected */
	KgNodeSet set;
	uint32 limit; /* stop after this number of nodes */
} SelectState;

static bool
take_node(int64 node, void *arg)
{
	SelectState *state = arg;

	(void) kg_nodeset_add(&state->set, node);
	if (state->set.n > (uint32) kg_setting_max_visited)
	{
		if (state->whole)
			throw_unanchored(
				state->graph, state->selector, state->set.nodes[0]);
		kg_graph_check_visited(state->graph, state->set.n);
	}
	return state->set.n < state->limit;
}

static bool
receive_node(TupleTableSlot *slot, void *arg)
{
	return take_node(DatumGetInt64(kg_slot_datum(slot, 1)), arg);
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

/* Finds the nodes that have the ids and pass the filter. */
static void
select_stored_ids(const KgSelector *selector, SelectState *state)
{
	KgSqlBuilder b;

	kg_source_nodes(
		&b,
		state->graph->catalog,
		selector->type,
		kg_source_of_ids(selector->filter, selector->ids, selector->nids),
		true,
		0);
	(void) kg_sql_run(&b, receive_node, state);
}

/*
 * Finds the nodes that have the ids, also ids of merged entities, and pass the
 * filter.
 */
static void
select_ids(const KgSelector *selector, SelectState *state)
{
	select_stored_ids(selector, state);
	if (state->set.n < (uint32) selector->nids &&
		kg_merged_replace(state->graph->catalog,
						  selector->type,
						  selector->ids,
						  selector->nids))
		select_stored_ids(selector, state);
}

/* Finds the first nodes by type, ids and filter, up to a limit. */
static void
select_set(KgGraph *graph, const KgSelector *selector, KgDrivers *drivers,
		   uint32 limit, KgNodeSet *set)
{
	SelectState state = {.graph = graph, .selector = selector, .limit = limit};

	state.whole = !is_anchored(selector) && selector->related == NULL;
	kg_nodeset_init(&state.set, graph->context);
	if (selector->nids > 0)
		select_ids(selector, &state);
	else
		kg_drivers_select(drivers, take_node, &state);
	*set = state.set;
}

static bool
add_node(int64 node, void *arg)
{
	(void) kg_nodeset_add(arg, node);
	return true;
}

bool
kg_select_few(KgGraph *graph, const KgType *type, const KgFilter *filter,
			  uint32 most, KgNodeSet *nodes)
{
	const KgForeign *foreign = kg_foreign_of(graph, type);
	KgDrivers drivers;

	if (foreign != NULL)
		return foreign->few(graph, type, filter, most, nodes);
	if (kg_filter_scans(filter))
		return false;
	drivers = kg_drivers_of(graph->catalog, type, filter);
	if (kg_drivers_race(&drivers, most) == NULL)
		return false;
	kg_drivers_select(&drivers, add_node, nodes);
	return true;
}

static bool
count_only(TupleTableSlot *slot, void *arg)
{
	return true;
}

/*
 * Returns whether the selector certainly selects at most "most" entities. If it
 * has ids or a filter, one of the conditions must have at most that many rows.
 * Otherwise the type must have at most that many entities.
 */
static bool
selects_at_most(KgGraph *graph, const KgSelector *selector, KgDrivers *drivers,
				int64 most)
{
	KgSqlBuilder b;
	KgStatement statement;

	if (is_anchored(selector))
		return kg_drivers_race(drivers, Min(most, KG_MOST_DRIVEN)) != NULL;
	most = Min(most, kg_setting_max_visited);
	kg_source_nodes(&b,
					graph->catalog,
					selector->type,
					kg_source_make(KG_SOURCE_ENTITY, drivers->filter, NULL, -1),
					false,
					most + 1);
	statement = kg_sql_statement(&b);
	return kg_plan_run(&statement, count_only, NULL) <= most;
}

/*
 * Finds candidates by a walk back from the given ends of a chain of "related"
 * or "follows", unless the filter or the whole type costs less. Returns whether
 * it found candidates in this way.
 */
static bool
select_from_ends(KgGraph *graph, const KgSelector *selector, KgDrivers *drivers,
				 KgNodeSet *set)
{
	bool filtered = is_anchored(selector);
	KgAnchor anchor;
	KgNodeSet found;
	uint32 n;
	double cost;

	/*
	 * With an authorizer, the filter is used first, because fewer entities
	 * then need a decision.
	 */
	if ((selector->related == NULL && selector->follows == NULL) ||
		selector->nids > 0 || (filtered && graph->catalog->authorizes) ||
		kg_drivers_race(drivers, KG_FEW) != NULL ||
		!kg_related_anchor(graph,
						   selector->related,
						   selector->follows,
						   selector->type,
						   filtered ? KG_FEW : KG_MOST_ENDS,
						   &anchor))
		return false;
	/*
	 * Both the estimate and the count would request decisions of the
	 * authorizer, so the cost is not estimated.
	 */
	cost = graph->catalog->authorizes ? 0 : kg_anchor_cost(graph, &anchor);
	if (cost > KG_FEW &&
		selects_at_most(
			graph, selector, drivers, (int64) Min(cost, PG_INT32_MAX)))
		return false;
	if (!filtered)
	{
		kg_anchor_walk(graph, &anchor, set);
		return true;
	}
	kg_nodeset_init(&found, graph->context);
	kg_anchor_walk(graph, &anchor, &found);
	/* Edges that are packed cost less than the keys that a filter reads. */
	n = kg_related_narrow(
		graph, selector->related, selector->follows, found.nodes, found.n);
	kg_drivers_keep(drivers, found.nodes, n, add_node, set);
	kg_nodeset_free(&found);
	return true;
}

static int64 *select_nodes(KgGraph *graph, const KgSelector *selector,
						   bool ends, uint32 *n);

/*
 * Selects again, after a walk from the ends of a chain has found no node that
 * passes the whole selector. Hints need to know which chain excluded the nodes
 * that pass the filter, and the nodes from which "follows" leads nowhere.
 * "found" is the number of nodes of the walk that pass the filter. Returns the
 * selected nodes, with their number in *n.
 */
static int64 *
select_again(KgGraph *graph, const KgSelector *selector, KgDrivers *drivers,
			 uint32 found, uint32 *n)
{
	const KgRelated *related = selector->related;
	KgSelector rest = *selector;

	if (selector->follows == NULL && related->n == 1 && related->nany == 0)
	{
		/* The only chain excluded all nodes that pass the filter. */
		if (found == 0)
			related->chains[0].walked = kg_drivers_any(drivers);
		return MemoryContextAlloc(graph->context, sizeof(int64));
	}
	for (int i = 0; related != NULL && i < related->n; i++)
		related->chains[i].walked = related->chains[i].met = false;
	if (selector->follows == NULL)
		return select_nodes(graph, selector, false, n);
	selector->follows->holds = false;
	rest.follows = NULL;
	return select_nodes(graph, &rest, true, n);
}

/*
 * Returns the nodes that the selector means, with their number. If ends is
 * true, the nodes may be found by a walk from the ends of a chain.
 */
static int64 *
select_nodes(KgGraph *graph, const KgSelector *selector, bool ends, uint32 *n)
{
	static const KgFilter none = {0};
	const KgRelated *related = selector->related;
	bool scans = selector->few || kg_filter_scans(selector->filter);
	KgSelector first = *selector;
	KgDrivers drivers;
	KgNodeSet set;
	int64 *nodes;

	first.filter = kg_filter_without_scan(selector->filter);
	drivers = kg_drivers_of(
		graph->catalog, selector->type, first.filter ? first.filter : &none);
	kg_nodeset_init(&set, graph->context);
	ends = ends && select_from_ends(graph, &first, &drivers, &set);
	if (!ends)
		select_set(graph,
				   &first,
				   &drivers,
				   scans && related == NULL ? (uint32) kg_setting_max_scan + 1
											: PG_UINT32_MAX,
				   &set);
	*n = set.n;
	if (related == NULL && !scans && (*n > 0 || !ends))
		return set.nodes;
	nodes = MemoryContextAllocHuge(graph->context,
								   Max((Size) set.n, 1) * sizeof(int64));
	memcpy(nodes, set.nodes, (Size) set.n * sizeof(int64));
	*n = kg_select_keep(graph, selector, nodes, set.n);
	if (*n == 0 && ends && (is_anchored(&first) || selector->follows != NULL))
		return select_again(graph, selector, &drivers, set.n, n);
	return nodes;
}

/*
 * Returns the nodes that the selector means, for a type of foreign nodes
 * (query/graph/foreign.h), and sets *n to their number.
 */
static int64 *
select_foreign(KgGraph *graph, const KgSelector *selector, bool ends, uint32 *n)
{
	KgAnchor anchor;
	KgNodeSet set;
	int64 *nodes;

	ends = ends && !is_anchored(selector) &&
		   (selector->related != NULL || selector->follows != NULL) &&
		   kg_related_anchor(graph,
							 selector->related,
							 selector->follows,
							 selector->type,
							 KG_MOST_ENDS,
							 &anchor);
	if (ends)
	{
		kg_nodeset_init(&set, graph->context);
		kg_anchor_walk(graph, &anchor, &set);
		nodes = set.nodes;
		*n = set.n;
	}
	else
		nodes = graph->foreign->select(graph, selector, n);
	if (selector->related != NULL)
		*n = kg_related_keep(graph, selector->related, nodes, *n);
	if (*n == 0 && ends && selector->follows != NULL)
	{
		selector->follows->holds = false;
		return select_foreign(graph, selector, false, n);
	}
	return nodes;
}

int64 *
kg_select_nodes(KgGraph *graph, const KgSelector *selector, uint32 *n)
{
	if (kg_foreign_of(graph, selector->type) != NULL)
		return select_foreign(graph, selector, true, n);
	if (selector->nids == 1 && selector->filter == NULL &&
		selector->related == NULL)
		return select_one(graph, selector, n);
	return select_nodes(graph, selector, true, n);
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
kg_select_sees(KgGraph *graph, const KgSelector *selector)
{
	return (selector->filter == NULL && selector->related == NULL) ||
		   (graph->foreign == NULL && kg_graph_ranks_implied(graph));
}

bool
kg_select_reads(const KgSelector *selector)
{
	return selector->related != NULL || selector->few ||
		   kg_filter_scans(selector->filter);
}
