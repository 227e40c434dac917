/*
 * drivers.c
 *	  The planner of selections (query/filter/drivers.h).
 */
#include "postgres.h"

#include "query/filter/drivers.h"
#include "model/key.h"
#include "query/graph/graph_search.h"
#include "query/time/past.h"
#include "query/time/validity.h"

/*
 * First bound up to which the rows of drivers are counted, and the factor by
 * which the bound grows.
 */
#define RACE_START 256
#define RACE_GROWTH 4

/*
 * Another driver is intersected with the best driver if it has at most this
 * many times the rows of the best driver. A row of an index costs less than
 * the look-up of an entity.
 */
#define KG_WIDER 3

/*
 * Returns whether a condition bounds the rows that its driver reads from the
 * index. Ids are counted in kg_entity. If an authorizer decides each entity, a
 * range of ids is no bound: it would need decisions about all entities in the
 * range, whatever the other conditions are.
 */
static bool
is_bound(const KgCatalog *catalog, const KgCondition *condition)
{
	KgOpBound bound = kg_operator(condition->op)->bound;

	if (condition->field == NULL && catalog->authorizes)
		return bound == KG_BOUND_ONE || bound == KG_BOUND_LIST;
	return bound != KG_UNBOUNDED;
}

/*
 * Returns the operator that matches exactly the values that op, which is ne or
 * a comparison of order, does not match. Returns KG_OP_IS_NULL for all other
 * operators, also for eq.
 */
static KgOp
opposite_of(KgOp op)
{
	switch ((int) op)
	{
		case KG_OP_NE:
			return KG_OP_EQ;
		case KG_OP_GT:
			return KG_OP_LTE;
		case KG_OP_GTE:
			return KG_OP_LT;
		case KG_OP_LT:
			return KG_OP_GTE;
		case KG_OP_LTE:
			return KG_OP_GT;
	}
	return KG_OP_IS_NULL;
}

/*
 * Sets the sources of the nodes that do not satisfy the driver's condition.
 * Sets none unless the driver has a single condition, which is ne or a
 * comparison of order, and the call reads the present.
 */
static void
set_others(KgDriver *driver, const KgFilter *filter, const KgField *field)
{
	const KgFilter *own = driver->source->own;

	if (field == NULL || field->counted || own->nconditions != 1 ||
		opposite_of(own->conditions[0].op) == KG_OP_IS_NULL || kg_past_asked())
		return;
	for (int i = 0; i < 2; i++)
		driver->others[i] = kg_source_make(KG_SOURCE_KEY, filter, field, -1);
	driver->others[0]->own->conditions[0].op = opposite_of(
		own->conditions[0].op);
	driver->others[1]->own->conditions[0].op = KG_OP_IS_NULL;
}

/*
 * Sets the source of the rows that satisfy a condition. Returns false if no
 * index serves the condition.
 */
static bool
set_source(const KgCatalog *catalog, KgDriver *driver, const KgFilter *filter,
		   int index)
{
	const KgCondition *condition = &filter->conditions[index];
	const KgOperator *op = kg_operator(condition->op);
	const KgField *field = condition->field;
	KgSource *source;

	memset(driver, 0, sizeof(*driver));
	driver->exact = true;
	driver->index = field != NULL && field->is_array ? index : -1;
	driver->narrow = is_bound(catalog, condition);
	/*
	 * A search by keys finds no entity without a value, so it does not serve a
	 * negative operator.
	 */
	if (driver->index >= 0 && op->quantity == KG_NO)
		return false;
	source = kg_source_make(field == NULL ? KG_SOURCE_ENTITY : KG_SOURCE_KEY,
							filter,
							field,
							driver->index);
	driver->source = source;
	if (driver->index < 0)
	{
		set_others(driver, filter, field);
		return true;
	}
	source->may_repeat = op->bound != KG_BOUND_ONE;
	if (op->bound == KG_BOUND_MEMBER)
	{
		/*
		 * The source reads the rows of a single value. The whole condition is
		 * then tested on the nodes of these rows.
		 */
		KgCondition *own = &source->own->conditions[0];

		source->rest = kg_source_of_nodes(filter, NULL, 0)->rest;
		own->op = KG_OP_EQ;
		own->nvalues = 1;
		source->may_repeat = false;
		driver->exact = false;
	}
	return true;
}

/*
 * Returns the driver that reads the rows of all conditions on the field; NULL
 * if no condition on the field has a driver yet. Conditions on an array have
 * separate drivers, because they may be true for different items.
 */
static KgDriver *
driver_of(const KgDrivers *drivers, const KgField *field)
{
	if (field == NULL || !field->is_array)
		for (int i = 0; i < drivers->n; i++)
			if (drivers->drivers[i].source->field == field)
				return &drivers->drivers[i];
	return NULL;
}

static bool
is_narrow(const KgDrivers *drivers)
{
	for (int i = 0; i < drivers->n; i++)
		if (drivers->drivers[i].narrow)
			return true;
	return false;
}

/*
 * Adds the driver of the alternatives if each alternative has a narrow driver,
 * that is, a driver whose condition bounds the keys that are read.
 */
static void
add_alternatives(KgDrivers *drivers)
{
	const KgFilter *filter = drivers->filter;
	KgDriver *driver = &drivers->drivers[drivers->n];

	if (filter->nany == 0)
		return;
	memset(driver, 0, sizeof(*driver));
	driver->each = palloc(filter->nany * sizeof(KgDrivers));
	for (int i = 0; i < filter->nany; i++)
	{
		driver->each[i] = kg_drivers_of(
			drivers->catalog, drivers->type, filter->any[i]);
		if (!is_narrow(&driver->each[i]))
			return;
	}
	driver->narrow = true;
	driver->source = kg_source_of_nodes(filter, NULL, 0);
	drivers->n++;
}

/*
 * Returns whether many rows probably satisfy the condition: it is on a property
 * with few values, or a range of ids.
 */
static bool
is_broad(const KgCondition *condition)
{
	const KgField *field = condition->field;
	KgOpBound bound = kg_operator(condition->op)->bound;

	if (field == NULL)
		return bound != KG_BOUND_ONE && bound != KG_BOUND_LIST;
	return field->kind == KG_KIND_ENUM || field->kind == KG_KIND_BOOLEAN;
}

/* Adds the drivers of the conditions that are broad, or of the others. */
static void
add_conditions(KgDrivers *drivers, bool broad)
{
	const KgFilter *filter = drivers->filter;

	for (int i = 0; i < filter->nconditions; i++)
	{
		const KgCondition *condition = &filter->conditions[i];
		KgDriver *same;

		if (is_broad(condition) != broad)
			continue;
		same = driver_of(drivers, condition->field);
		if (same != NULL)
			same->narrow |= is_bound(drivers->catalog, condition);
		else if (set_source(drivers->catalog,
							&drivers->drivers[drivers->n],
							filter,
							i))
			drivers->drivers[drivers->n++].broad = broad;
	}
}

/*
 * The drivers of broad conditions come last: they are counted up to a bound
 * that depends on the rows of the other drivers.
 */
KgDrivers
kg_drivers_of(const KgCatalog *catalog, const KgType *type,
			  const KgFilter *filter)
{
	KgDrivers drivers = {.catalog = catalog, .type = type, .filter = filter};

	drivers.drivers = palloc((filter->nconditions + 1) * sizeof(KgDriver));
	add_conditions(&drivers, false);
	add_conditions(&drivers, true);
	add_alternatives(&drivers);
	return drivers;
}

/* ---- counting the drivers' rows ---- */

static void
forget_nodes(KgNodeSet **nodes)
{
	if (*nodes != NULL)
		kg_nodeset_free(*nodes);
	*nodes = NULL;
}

/* Returns whether all rows of the driver were counted. */
static bool
is_whole(const KgDriver *driver)
{
	return driver->count < driver->bound;
}

static bool
skip_node(TupleTableSlot *slot, void *arg)
{
	return true;
}

static bool
take_node(TupleTableSlot *slot, void *arg)
{
	(void) kg_nodeset_add(arg, DatumGetInt64(kg_slot_datum(slot, 1)));
	return true;
}

/* Discards the nodes and the counts of all drivers. */
static void
forget_counts(KgDrivers *drivers)
{
	for (int i = 0; i < drivers->n; i++)
	{
		forget_nodes(&drivers->drivers[i].nodes);
		forget_nodes(&drivers->drivers[i].without);
		drivers->drivers[i].sought = 0;
		drivers->drivers[i].count = 0;
		drivers->drivers[i].bound = 0;
	}
}

/*
 * Adds the nodes of each alternative's best driver, and sets the driver's count
 * to their number, at most bound. If an alternative has bound rows or more, the
 * count is bound. The sets of an alternative are freed before the next
 * alternative is counted.
 */
static void
count_alternatives(const KgDrivers *drivers, KgDriver *driver, int64 bound)
{
	KgNodeSet *nodes = driver->nodes;

	for (int i = 0; i < drivers->filter->nany && nodes->n < bound; i++)
	{
		KgDriver *best = kg_drivers_race(&driver->each[i],
										 Min(bound - 1, KG_MOST_DRIVEN));

		driver->count = bound;
		if (best == NULL)
			return;
		for (uint32 n = 0; n < best->nodes->n; n++)
			(void) kg_nodeset_add(nodes, best->nodes->nodes[n]);
		forget_counts(&driver->each[i]);
	}
	driver->count = Min(nodes->n, bound);
	driver->source->nodes = nodes->nodes;
	driver->source->nnodes = nodes->n;
}

static KgNodeSet *
new_nodes(void)
{
	KgNodeSet *nodes = palloc(sizeof(KgNodeSet));

	kg_nodeset_init(nodes, CurrentMemoryContext);
	return nodes;
}

/*
 * Reads at most bound rows of a source and stores their nodes. Returns the
 * number of rows. If this number is bound, so that there may be further rows,
 * or if bound is too high for a set, discards the nodes.
 */
static int64
read_rows(const KgDrivers *drivers, const KgSource *source, int64 bound,
		  KgNodeSet **nodes)
{
	bool kept = bound <= KG_MOST_DRIVEN + 1;
	KgSqlBuilder b;
	KgStatement statement;
	int64 count;

	kg_source_nodes(&b, drivers->catalog, drivers->type, source, false, bound);
	statement = kg_sql_statement(&b);
	statement.hold = true;
	count = kg_plan_run(&statement, kept ? take_node : skip_node, *nodes);
	if (!kept || count >= bound)
		forget_nodes(nodes);
	return count;
}

void
kg_driver_count(const KgDrivers *drivers, KgDriver *driver, int64 bound)
{
	forget_nodes(&driver->nodes);
	driver->bound = bound;
	driver->nodes = new_nodes();
	if (driver->each == NULL)
		driver->count = read_rows(
			drivers, driver->source, bound, &driver->nodes);
	else
	{
		count_alternatives(drivers, driver, bound);
		if (!is_whole(driver))
			forget_nodes(&driver->nodes);
	}
}

/*
 * Returns the maximum number of rows of a driver that may be intersected with
 * the best driver.
 */
static int64
wider_bound(const KgDriver *best)
{
	return Max(best->count, Min(best->count * KG_WIDER, KG_MOST_DRIVEN)) + 1;
}

/*
 * Reads the nodes that do not satisfy the driver's condition, if they are fewer
 * than the bound.
 */
static void
seek_others(const KgDrivers *drivers, KgDriver *driver, int64 bound)
{
	int64 count = 0;

	if (driver->others[0] == NULL || driver->without != NULL ||
		driver->sought >= bound)
		return;
	driver->sought = bound;
	driver->without = new_nodes();
	for (int i = 0; i < 2 && driver->without != NULL; i++)
		count += read_rows(
			drivers, driver->others[i], bound - count, &driver->without);
}

/*
 * Returns whether the filter has another narrow driver, which could be chosen
 * instead of this one. A driver does not count if all nodes that do not satisfy
 * its condition were read.
 */
static bool
has_rival(const KgDrivers *drivers, const KgDriver *driver)
{
	for (int i = 0; i < drivers->n; i++)
		if (&drivers->drivers[i] != driver && drivers->drivers[i].narrow &&
			drivers->drivers[i].without == NULL)
			return true;
	return false;
}

/*
 * Returns the bound up to which a driver is counted, at most "most". If the
 * best driver has few rows, a broad driver has probably far more than may be
 * intersected, so it is counted only to see whether it has fewer.
 */
static int64
bound_of(const KgDriver *driver, const KgDriver *best, int64 most)
{
	if (best == NULL || !is_whole(best))
		return most;
	if (driver->broad && best->count <= RACE_START)
		return Min(most, best->count + 1);
	return Min(most, wider_bound(best));
}

KgDriver *
kg_drivers_best(KgDrivers *drivers, int64 most)
{
	KgDriver *best = NULL;

	for (int i = 0; i < drivers->n; i++)
	{
		KgDriver *driver = &drivers->drivers[i];
		int64 bound = bound_of(driver, best, most);

		/*
		 * A condition that nearly all nodes satisfy is not used as the driver.
		 */
		if (driver->narrow && driver->without == NULL && !is_whole(driver) &&
			driver->bound > RACE_START && has_rival(drivers, driver))
			seek_others(drivers, driver, RACE_START);
		if (!driver->narrow || driver->without != NULL)
			continue;
		if (driver->bound == 0 || (!is_whole(driver) && driver->bound < bound))
			kg_driver_count(drivers, driver, bound);
		if (best == NULL || driver->count < best->count)
			best = driver;
	}
	return best;
}

KgDriver *
kg_drivers_race(KgDrivers *drivers, int64 most)
{
	int64 bound = RACE_START;
	KgDriver *best;

	if (drivers->n == 1)
		bound = most + 1;
	for (;; bound *= RACE_GROWTH)
	{
		bound = Min(bound, most + 1);
		best = kg_drivers_best(drivers, bound);
		if (best == NULL || best->nodes != NULL)
			return best;
		if (bound > most)
			return NULL;
	}
}

/* ---- the other conditions, as sets ---- */

/*
 * Returns whether the driver's sets of nodes decide whether a node satisfies
 * condition i of the filter.
 */
static bool
covers(const KgDriver *driver, const KgFilter *filter, int i)
{
	if (!driver->exact || (driver->nodes == NULL && driver->without == NULL))
		return false;
	return driver->index >= 0
			   ? driver->index == i
			   : filter->conditions[i].field == driver->source->field;
}

/*
 * Returns the conditions that no driver's set of nodes decides, which must be
 * tested on each node.
 */
static const KgFilter *
rest_of(const KgDrivers *drivers)
{
	const KgFilter *filter = drivers->filter;
	KgFilter *rest = palloc0(sizeof(KgFilter));

	rest->nany = filter->nany;
	rest->any = filter->any;
	rest->conditions = palloc((filter->nconditions + 1) * sizeof(KgCondition));
	for (int i = 0; i < filter->nconditions; i++)
	{
		bool covered = false;

		for (int d = 0; d < drivers->n && !covered; d++)
			covered = covers(&drivers->drivers[d], filter, i);
		if (!covered)
			rest->conditions[rest->nconditions++] = filter->conditions[i];
	}
	return rest;
}

/*
 * For each driver whose nodes were not all read, reads the nodes that do not
 * satisfy its condition, unless these are far more than the rows of the best
 * driver.
 */
static void
read_others(const KgDrivers *drivers, const KgDriver *best)
{
	for (int i = 0; i < drivers->n && best->count > RACE_START; i++)
		if (drivers->drivers[i].nodes == NULL)
			seek_others(drivers, &drivers->drivers[i], wider_bound(best));
}

KgSource *
kg_drivers_meet(const KgDrivers *drivers, const KgDriver *best)
{
	int64 *nodes = MemoryContextAllocHuge(
		CurrentMemoryContext, ((Size) best->nodes->n + 1) * sizeof(int64));
	uint64 done = 0;
	int n = 0;

	read_others(drivers, best);
	for (uint32 i = 0; i < best->nodes->n; i++)
	{
		int64 node = best->nodes->nodes[i];
		bool all = true;

		kg_plan_count(&done, drivers->n);
		for (int d = 0; d < drivers->n && all; d++)
		{
			const KgDriver *driver = &drivers->drivers[d];

			all = (driver->nodes == NULL || driver == best ||
				   kg_nodeset_has(driver->nodes, node)) &&
				  (driver->without == NULL ||
				   !kg_nodeset_has(driver->without, node));
		}
		if (all)
			nodes[n++] = node;
	}
	return kg_source_of_nodes(rest_of(drivers), nodes, n);
}

typedef struct Selection
{
	KgNodeFunction found;
	void *arg;
	bool more;
} Selection;

static bool
pass_node(TupleTableSlot *slot, void *arg)
{
	Selection *selection = arg;

	if (selection->more)
		selection->more = selection->found(
			DatumGetInt64(kg_slot_datum(slot, 1)), selection->arg);
	return selection->more;
}

static void
run_source(const KgDrivers *drivers, const KgSource *source,
		   Selection *selection)
{
	KgSqlBuilder b;
	KgStatement statement;

	kg_source_nodes(&b, drivers->catalog, drivers->type, source, true, 0);
	statement = kg_sql_statement(&b);
	statement.hold = source->kind == KG_SOURCE_NODES;
	statement.node_column = source->kind == KG_SOURCE_NODES ? 1 : 0;
	(void) kg_plan_run(&statement, pass_node, selection);
}

/*
 * Passes to the function, in batches, the nodes of a source that satisfy its
 * remaining conditions.
 */
static void
pass_source(const KgDrivers *drivers, const KgSource *source,
			Selection *selection)
{
	KgSource piece = *source;

	for (int start = 0; start < source->nnodes && selection->more;
		 start += KG_PIECE)
	{
		piece.nodes = source->nodes + start;
		piece.nnodes = Min(source->nnodes - start, KG_PIECE);
		run_source(drivers, &piece, selection);
	}
}

/* Returns the source of a selection that is too large for sets. */
static const KgSource *
large_source(const KgDrivers *drivers)
{
	for (int i = 0; i < drivers->n; i++)
		if (drivers->drivers[i].narrow && drivers->drivers[i].each == NULL)
			return drivers->drivers[i].source;
	return kg_source_make(KG_SOURCE_ENTITY, drivers->filter, NULL, -1);
}

/* Returns whether the rows of a single driver are the whole selection. */
static bool
is_one_driver(const KgDrivers *drivers)
{
	return drivers->n == 1 && drivers->drivers[0].each == NULL &&
		   kg_filter_is_empty(drivers->drivers[0].source->rest);
}

void
kg_drivers_select(KgDrivers *drivers, KgNodeFunction found, void *arg)
{
	Selection selection = {found, arg, true};
	KgDriver *best = is_one_driver(drivers) && drivers->drivers[0].nodes == NULL
						 ? NULL
						 : kg_drivers_race(drivers, KG_MOST_DRIVEN);
	KgSource *source;

	if (best == NULL)
	{
		run_source(drivers, large_source(drivers), &selection);
		return;
	}
	/*
	 * Drivers whose counting stopped early may also have few rows. If counting
	 * took long, their rows are counted further, up to a bound that depends on
	 * the best driver.
	 */
	if (best->count > RACE_START)
		(void) kg_drivers_best(drivers, wider_bound(best));
	source = kg_drivers_meet(drivers, best);
	if (!kg_filter_is_empty(source->rest) || drivers->look ||
		!kg_validity_rows_suffice(drivers->catalog))
		pass_source(drivers, source, &selection);
	else
		for (int i = 0; i < source->nnodes && selection.more; i++)
			selection.more = found(source->nodes[i], arg);
	forget_counts(drivers);
	pfree(unconstify(int64 *, source->nodes));
}

bool
kg_drivers_any(const KgDrivers *drivers)
{
	KgSqlBuilder b;
	KgStatement statement;

	kg_source_nodes(
		&b, drivers->catalog, drivers->type, large_source(drivers), true, 1);
	statement = kg_sql_statement(&b);
	return kg_plan_run(&statement, skip_node, NULL) > 0;
}

void
kg_drivers_keep(const KgDrivers *drivers, const int64 *nodes, uint32 n,
				KgNodeFunction found, void *arg)
{
	Selection selection = {found, arg, true};

	pass_source(
		drivers, kg_source_of_nodes(drivers->filter, nodes, n), &selection);
}
