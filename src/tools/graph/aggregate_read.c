/*
 * graph/aggregate_read.c
 *	  Reads the arguments of aggregate_nodes.
 */
#include "postgres.h"

#include "base/error.h"
#include "miscadmin.h"
#include "query/graph/aggregate.h"
#include "mb/pg_wchar.h"
#include "query/time/validity.h"
#include "tools/graph/graph.h"
#include "tools/periods.h"
#include "utils/memutils.h"
#include "tools/graph/aggregate.h"

static const KgField *
read_property(const KgFilterTarget *target, const KgInput *in, const char *use,
			  char **name)
{
	bool is_id;

	*name = kg_input_string(in, "property");
	return kg_target_field(
		target, *name, kg_input_path(in, "property"), use, &is_id);
}

/*
 * Reads the name of a property of the nodes themselves, or of a path through
 * references. The property may be a count of edges.
 */
static const KgField *
read_own_property(KgAggregate *a, const KgInput *in, const char *use,
				  char **name, const KgRefPath **path)
{
	KgFilterTarget target = kg_filter_target_counted(a->call.catalog,
													 a->node.type);
	const KgField *field;

	*name = kg_input_string(in, "property");
	*path = kg_ref_path(a->call.catalog,
						a->node.type,
						*name,
						kg_input_path(in, "property"),
						false);
	if (*path != NULL)
		return (*path)->field;
	field = read_property(&target, in, use, name);
	if (field == NULL || !field->counted)
		return field;
	a->counted = field;
	a->counts_kept = target.kept;
	a->counted_path = kg_input_path(in, "property");
	a->node.few = !target.kept;
	return field;
}

/*
 * Groups have no "as", so a second group by the same property would have a
 * column with the same name.
 */
static const char once[] = "each group only once";

static bool
has_column(const KgAggregate *a, const char *name)
{
	for (int i = 0; i < a->ncolumns; i++)
		if (strcmp(a->columns[i], name) == 0)
			return true;
	return false;
}

static void
add_column(KgAggregate *a, const char *name, const char *path,
		   const char *expected)
{
	if (has_column(a, name))
		KG_THROW(KG_INVALID_INPUT,
				 .message = psprintf("two columns have the name \"%s\"", name),
				 .path = path,
				 .got_string = name,
				 .expected = expected);
	a->columns[a->ncolumns++] = name;
}

static KG_NORETURN void
throw_property(const KgInput *in, const char *name, const char *message,
			   const char *expected)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf(message, name),
			 .path = kg_input_path(in, "property"),
			 .got_string = name,
			 .expected = expected);
}

/*
 * Reads "truncate". Its enum has the units in the order of KgTruncate, without
 * KG_TRUNCATE_NONE.
 */
static KgTruncate
read_truncate(const KgInput *in, const KgField *field, const char *name)
{
	KgTruncate truncate;

	if (!kg_input_has(in, "truncate"))
		return KG_TRUNCATE_NONE;
	truncate = (KgTruncate) (kg_input_enum(in, "truncate", "a unit of time") +
							 1);
	if (field == NULL ||
		(field->kind != KG_KIND_DATE && field->kind != KG_KIND_DATETIME))
		throw_property(in,
					   name,
					   "property \"%s\" is not a date and cannot be truncated",
					   "a property of format date or date-time");
	if (field->kind == KG_KIND_DATE &&
		(truncate == KG_TRUNCATE_MINUTE || truncate == KG_TRUNCATE_HOUR ||
		 truncate == KG_TRUNCATE_HOUR_OF_DAY))
		throw_property(in,
					   name,
					   "property \"%s\" has no time of day",
					   "day, week, month, quarter, year, weekday or "
					   "month_of_year for a date");
	return truncate;
}

/*
 * Returns the name of a group's column. If groups use a relationship in several
 * directions, the names of later columns have the direction as a suffix.
 */
static const char *
end_column(const KgAggregate *a, const KgGroupKey *key)
{
	static const char *const directions[] = {"outgoing", "incoming", "both"};
	bool taken = false;

	if (!key->related)
		return key->end;
	for (int i = 0; i < a->ngroups - 1; i++)
	{
		const KgGroupKey *other = &a->groups[i];

		if (!other->related || strcmp(other->end, key->end) != 0)
			continue;
		if (other->direction == key->direction)
			return key->end;
		taken = true;
	}
	return taken ? psprintf("%s_%s", key->end, directions[key->direction])
				 : key->end;
}

/*
 * Reads the name of a property of a step's edges. The property must have a
 * single value.
 */
static const KgField **
read_edge_property(KgAggregate *a, const KgInput *in, const KgStepSpec *step,
				   const KgField **example)
{
	char *sent = kg_input_string(in, "property");
	const KgField **fields = kg_edge_fields(
		a->call.catalog, step, kg_edge_property(sent), example);

	if (fields == NULL || !kg_field_is_single(*example))
		kg_throw_edge_property(
			a->call.catalog, step, sent, kg_input_path(in, "property"));
	return fields;
}

static bool
names_edge(const KgInput *in)
{
	return kg_input_has(in, "property") &&
		   kg_edge_property(kg_input_string(in, "property")) != NULL;
}

/*
 * Reads the property of the node at a group's end. Without "property", the
 * group is by the id of the node.
 */
static void
read_end_property(KgAggregate *a, const KgInput *in, const KgType *type,
				  const KgStepSpec *step, const char *column, KgGroupKey *key)
{
	KgFilterTarget target = kg_filter_target_counted(a->call.catalog, type);
	char *property;

	if (names_edge(in))
	{
		key->edges = read_edge_property(a, in, step, &key->field);
		column = psprintf("%s_%s", column, kg_input_string(in, "property"));
	}
	else if (kg_input_has(in, "property"))
	{
		key->field = read_property(&target, in, KG_USE_GROUP, &property);
		if (!target.kept)
			key->counted_path = kg_input_path(in, "property");
		column = psprintf("%s_%s", column, property);
	}
	key->end = column;
	add_column(a, end_column(a, key), in->path, once);
}

/*
 * Reads a group over a relationship: {relationship, direction?, label,
 * property?, filters?}.
 */
static void
read_related_group(KgAggregate *a, const KgInput *in, KgGroupKey *key)
{
	static const char *const members[] = {
		"relationship", "direction", "label", "property", "filters"};
	KgGraphCall *call = &a->call;
	KgRelationNames names;
	KgNodeTest *test = &key->step.tests[0];
	KgStepPath path = {in->path, "relationship", "/label"};

	kg_input_only(in, members, lengthof(members));
	(void) kg_input_string(in, "relationship");
	names = kg_call_relation_names(call, in, "relationship");
	key->direction = kg_call_direction(in);
	key->step.incoming = key->direction == KG_INCOMING;
	kg_call_follow(call, &names, key->direction, &key->step.follow);
	key->related = true;
	key->step.min_hops = 1;
	key->step.max_hops = 1;
	kg_call_test(call, in, &key->step);
	kg_orient_step(call, a->node.type, &key->step, &path);
	if (test->type == NULL)
		test->type = kg_follow_leads_to(
			call->catalog, &key->step.follow, a->node.type);
	if (test->type == NULL)
		kg_input_require(in, "label");
	read_end_property(a,
					  in,
					  test->type,
					  &key->step,
					  psprintf("%s_%s",
							   names.all ? "*" : names.names[0],
							   kg_type_handle(test->type)),
					  key);
}

static bool
follows(const KgFollow *follow, int32 number)
{
	const KgRelationSet *sets[] = {&follow->forward, &follow->backward};

	for (int i = 0; i < 2; i++)
	{
		if (sets[i]->all)
			return true;
		for (int j = 0; j < sets[i]->n; j++)
			if (sets[i]->numbers[j] == number)
				return true;
	}
	return false;
}

/*
 * If a step (counted from 0) can end only at nodes of one type, returns the
 * type. Otherwise returns NULL.
 */
static const KgType *
only_type(const KgAggregate *a, int step)
{
	const KgType *type = a->node.type;

	for (int i = 0; i <= step; i++)
	{
		const KgStepSpec *spec = &a->steps.specs[i];

		if (spec->ntests > 0 && spec->tests[0].type != NULL)
			type = spec->tests[0].type;
		else
			type = kg_step_is_one_edge(spec)
					   ? kg_follow_leads_to(
							 a->call.catalog, &spec->follow, type)
					   : NULL;
		if (type == NULL && i < step)
			return NULL;
	}
	return type;
}

/*
 * Returns the type of the node at the end of a step: the type that the step or
 * the group names, or the only type at which the step can end. Raises an error
 * if there are several such types and neither names one.
 */
static const KgType *
read_step_type(KgAggregate *a, int step, const KgInput *in)
{
	const KgStepSpec *spec = &a->steps.specs[step];
	const KgType *type = spec->ntests > 0 ? spec->tests[0].type : NULL;
	const KgType *named = kg_call_type(&a->call, in, "label");

	if (type != NULL && named != NULL && type != named)
	{
		JsonbValue got = kg_json_string_value(kg_type_handle(named));

		kg_error_throw(
			kg_args_error(kg_input_path(in, "label"),
						  &got,
						  psprintf("\"%s\", the label at the end of the step",
								   kg_type_handle(type))));
	}
	if (type == NULL)
		type = named;
	if (type == NULL)
		type = only_type(a, step);
	if (type == NULL)
		kg_input_require(in, "label");
	return type;
}

/*
 * Raises an error if the step does not walk the relationship that the group
 * names.
 */
static void
check_step_relationship(KgAggregate *a, const KgStepSpec *spec,
						const KgInput *in)
{
	const KgCatalog *catalog = a->call.catalog;
	KgRelationNames names = kg_call_relation_names(
		&a->call, in, "relationship");
	JsonbValue value;

	if (kg_json_get(in->object, "relationship", &value) == NULL)
		return;
	for (int i = 0; i < catalog->nrelations; i++)
		if (kg_names_have(&names, &catalog->relations[i]) &&
			follows(&spec->follow, catalog->relations[i].relation_no))
			return;
	kg_error_throw(kg_args_error(kg_input_path(in, "relationship"),
								 &value,
								 "a relationship type that the step walks"));
}

/*
 * Reads a group by the node at the end of a step of the chain: {step,
 * relationship?, label?, property?}.
 */
static void
read_step_group(KgAggregate *a, const KgInput *in, KgGroupKey *key)
{
	static const char *const members[] = {
		"step", "relationship", "label", "property"};
	const KgStepSpec *spec;
	int64 step = 0;

	kg_input_only(in, members, lengthof(members));
	if (a->steps.n == 0)
		KG_THROW(
			KG_INVALID_INPUT,
			.message = "\"step\" in a group requires \"relationships\"",
			.path = kg_input_path(in, "step"),
			.expected = "\"relationships\", whose steps are numbered from 1");
	/*
	 * The maximum is the number of steps that the call has, not the maximum in
	 * the schema.
	 */
	(void) kg_args_int(
		in->object, "step", in->path, 1, a->steps.n, &step, in->repairs);
	spec = &a->steps.specs[step - 1];
	check_step_relationship(a, spec, in);
	key->step_type = read_step_type(a, (int) step - 1, in);
	key->step_no = (int) step;
	a->deepest = Max(a->deepest, key->step_no);
	read_end_property(
		a,
		in,
		key->step_type,
		spec,
		psprintf("step%d_%s", key->step_no, kg_type_handle(key->step_type)),
		key);
}

static void
read_group(KgAggregate *a, const KgInput *in)
{
	static const char *const members[] = {"property", "truncate", "named"};
	KgGroupKey *key = &a->groups[a->ngroups++];
	char *name;

	if (kg_input_has(in, "step"))
	{
		read_step_group(a, in, key);
		return;
	}
	if (kg_input_has(in, "relationship"))
	{
		read_related_group(a, in, key);
		return;
	}
	kg_input_only(in, members, lengthof(members));
	kg_input_require(in, "property");
	key->field = read_own_property(a, in, KG_USE_GROUP, &name, &key->path);
	key->truncate = read_truncate(in, key->field, name);
	key->named = kg_input_bool(in, "named");
	add_column(a,
			   key->truncate == KG_TRUNCATE_NONE
				   ? name
				   : psprintf("%s_%s", name, kg_input_string(in, "truncate")),
			   in->path,
			   once);
}

/* Adds columns for the labels of the entities that groups refer to. */
static void
add_labels(KgAggregate *a)
{
	const KgCatalog *catalog = a->call.catalog;

	for (int i = 0; i < a->ngroups; i++)
	{
		const KgGroupKey *key = &a->groups[i];
		const KgField *field = key->field;
		KgLabels *labels = &a->labels[a->nlabels];
		const char *column = key->named && key->path == NULL && field != NULL
								 ? kg_ref_label(catalog, a->node.type, field)
								 : NULL;

		if (column == NULL || has_column(a, column))
			continue;
		labels->group = i;
		labels->type = kg_catalog_type_in(
			catalog, field->ref_bundle, field->ref_type);
		a->columns[a->ncolumns++] = column;
		a->nlabels++;
	}
}

static void
check_aggregation(const KgAggregateSpec *spec, const KgInput *in,
				  const char *name)
{
	KgKind kind = spec->field != NULL ? spec->field->kind : KG_KIND_STRING;

	if (spec->field != NULL && spec->field->is_array && spec->fn != KG_FN_COUNT)
		throw_property(in,
					   name,
					   "property \"%s\" is an array and can only be counted",
					   "a property with one value");
	switch (spec->fn)
	{
		case KG_FN_SUM:
		case KG_FN_AVG:
		case KG_FN_MEDIAN:
			if (kind != KG_KIND_INTEGER && kind != KG_KIND_NUMBER)
				throw_property(in,
							   name,
							   "property \"%s\" is not a number",
							   "a property of type integer or number");
			break;
		case KG_FN_MIN:
		case KG_FN_MAX:
			if (kind == KG_KIND_BOOLEAN)
				throw_property(in,
							   name,
							   "property \"%s\" has no order",
							   "a number, a date or a string");
			break;
		case KG_FN_COUNT:
		case KG_FN_COUNT_DISTINCT:
			break;
	}
}

/*
 * Sets the step of the chain whose edges are aggregated: the step that "step"
 * names, or without "step" the last step.
 */
static void
read_edge_step(KgAggregate *a, const KgInput *in, const char *name)
{
	int64 step = a->steps.n;

	(void) kg_args_int(
		in->object, "step", in->path, 1, a->steps.n, &step, in->repairs);
	if (a->steps.n > 0 && (a->edge_step == 0 || a->edge_step == step))
	{
		a->edge_step = (int) step;
		a->deepest = Max(a->deepest, a->edge_step);
		return;
	}
	KG_THROW(
		KG_INVALID_INPUT,
		.message = a->steps.n == 0
					   ? "edges can be aggregated only with \"relationships\""
					   : "a call can aggregate the edges of only one step",
		.path = kg_input_path(in, "property"),
		.got_string = name,
		.expected = "\"relationships\", and the same step in all aggregations");
}

/*
 * Reads an item of "aggregations". The enum of "fn" lists the functions in the
 * order of KgAggregateFn.
 */
static void
read_aggregation(KgAggregate *a, const KgInput *in)
{
	const KgRefPath **path = &a->paths[a->nspecs];
	KgAggregateSpec *spec = &a->specs[a->nspecs++];
	const char *column = kg_input_string(in, "fn");
	JsonbValue value;
	char *name;

	spec->fn = (KgAggregateFn) kg_input_enum(in, "fn", "an existing function");
	if (spec->fn > KG_FN_COUNT_DISTINCT)
		kg_input_require(in, "property");
	if (names_edge(in))
	{
		spec->has_property = spec->of_edge = true;
		name = kg_input_string(in, "property");
		read_edge_step(a, in, name);
		a->edges[a->nspecs - 1] = read_edge_property(
			a, in, &a->steps.specs[a->edge_step - 1], &spec->field);
		check_aggregation(spec, in, name);
		column = psprintf("%s_%s", column, name);
	}
	else if (kg_input_has(in, "property"))
	{
		spec->has_property = true;
		spec->field = read_own_property(a, in, "aggregate", &name, path);
		if (*path != NULL && (*path)->many)
			throw_property(
				in,
				name,
				"\"%s\" leads through an array, so it can be used in "
				"group_by, but not in aggregations",
				"a path through references with one value");
		check_aggregation(spec, in, name);
		column = psprintf("%s_%s", column, name);
	}
	a->unnamed[a->nspecs - 1] = column;
	if (kg_json_get(in->object, "as", &value) != NULL)
	{
		column = kg_input_string(in, "as");
		if (column[0] == '\0' || pg_mbstrlen(column) > KG_MAX_COLUMN_NAME)
			kg_error_throw(kg_args_error(
				kg_input_path(in, "as"),
				&value,
				psprintf("a name of 1 to %d characters", KG_MAX_COLUMN_NAME)));
	}
	add_column(a, column, in->path, "another name in \"as\"");
}

/*
 * If a group is by a property of a step's edges, makes "count" without a
 * property count these edges instead of nodes.
 */
static void
count_edges(KgAggregate *a)
{
	int step = 0;

	for (int i = 0; i < a->ngroups && step == 0; i++)
		if (a->groups[i].edges != NULL)
			step = a->groups[i].step_no;
	if (step == 0 || (a->edge_step > 0 && a->edge_step != step))
		return;
	for (int i = 0; i < a->nspecs; i++)
		if (a->specs[i].fn == KG_FN_COUNT && !a->specs[i].has_property)
		{
			a->specs[i].of_edge = true;
			a->edge_step = step;
		}
}

/*
 * Reads the name of a column. If no column has this name, but exactly one
 * aggregation without its "as" would have it, returns the column of that
 * aggregation and reports a repair. Otherwise returns the name as it was sent.
 */
static char *
column_of(KgAggregate *a, const KgInput *in, const char *key)
{
	char *name = kg_input_string(in, key);
	const char *column = NULL;
	JsonbValue got = kg_json_string_value(name);
	JsonbValue used;

	if (has_column(a, name))
		return name;
	for (int i = 0; i < a->nspecs; i++)
	{
		if (strcmp(a->unnamed[i], name) != 0)
			continue;
		if (column != NULL)
			return name;
		column = a->columns[a->ngroups + i];
	}
	if (column == NULL)
		return name;
	used = kg_json_string_value(column);
	kg_repair_add(in->repairs, kg_input_path(in, key), &got, &used);
	return pstrdup(column);
}

static void
read_sort(KgAggregate *a, const KgInput *in)
{
	KgSortColumn *sort = &a->sort[a->nsort++];

	sort->column = kg_name_among(column_of(a, in, "field"),
								 kg_input_path(in, "field"),
								 "a column of the reply",
								 a->columns,
								 a->ncolumns);
	sort->descending = kg_input_enum(in, "order", "an existing order") == 1;
}

static void
read_items(KgAggregate *a, const char *key, const char *what,
		   void (*read)(KgAggregate *a, const KgInput *in))
{
	const KgInput *in = &a->call.input;
	int n = kg_input_objects(in, key, what);

	for (int i = 0; i < n; i++)
	{
		KgInput item;

		kg_input_item(in, key, i, &item);
		read(a, &item);
	}
}

/*
 * Reads "per", which names a group. "limit" then applies to the rows of each
 * value of this group.
 */
static void
read_per(KgAggregate *a)
{
	const KgInput *in = &a->call.input;
	char *name = kg_input_string(in, "per");

	a->per = -1;
	if (name != NULL)
		a->per = kg_name_among(name,
							   kg_input_path(in, "per"),
							   "a column of group_by",
							   a->columns,
							   a->ngroups);
}

/*
 * Returns the number (from 1) of a step of the chain that also walks a
 * relation of the group key. Returns 0 if no step does.
 */
static int
shared_step(const KgAggregate *a, const KgGroupKey *key)
{
	const KgCatalog *catalog = a->call.catalog;

	for (int step = 0; step < a->steps.n; step++)
		for (int i = 0; i < catalog->nrelations; i++)
			if (follows(&key->step.follow, catalog->relations[i].relation_no) &&
				follows(&a->steps.specs[step].follow,
						catalog->relations[i].relation_no))
				return step + 1;
	return 0;
}

static List *
add_periods(const KgAggregate *a, List *names, const KgFollow *follow)
{
	const KgCatalog *catalog = a->call.catalog;

	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (!follows(follow, relation->relation_no))
			continue;
		names = kg_periods_add_relation(names, relation);
		for (int v = 0; v < relation->nvariants; v++)
		{
			const KgVariant *variant = &relation->variants[v];

			names = kg_periods_add_type(
				names, kg_catalog_type_no(catalog, variant->from_type_no));
			names = kg_periods_add_type(
				names, kg_catalog_type_no(catalog, variant->to_type_no));
		}
	}
	return names;
}

static List *
add_path_periods(const KgAggregate *a, List *names, const KgRefPath *path)
{
	for (int i = 0; path != NULL && i < path->nsteps; i++)
		names = add_periods(a, names, &path->steps[i].follow);
	return names;
}

/*
 * Writes a warning if the counted entities have validity periods, but the call
 * has no valid_at. Returns the number of warnings.
 */
static int
warn_of_periods(const KgAggregate *a, KgJsonWriter *w)
{
	List *names = NIL;

	if (!kg_catalog_has(a->call.catalog, KG_TRAIT_PERIOD) ||
		kg_validity_instant() != NULL)
		return 0;
	names = kg_periods_add_type(names, a->node.type);
	for (int i = 0; i < a->steps.n; i++)
		names = add_periods(a, names, &a->steps.specs[i].follow);
	for (int i = 0; i < a->ngroups; i++)
		if (a->groups[i].related)
			names = add_periods(a, names, &a->groups[i].step.follow);
		else
			names = add_path_periods(a, names, a->groups[i].path);
	for (int i = 0; i < a->nspecs; i++)
		names = add_path_periods(a, names, a->paths[i]);
	if (names == NIL)
		return 0;
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "path", "/valid_at");
	kg_jw_kstring(
		w,
		"message",
		psprintf(
			"the following have a period of validity: %s; without valid_at, "
			"data that has ended or has not begun yet is counted as well",
			kg_periods_join(names)));
	kg_jw_end_object(w);
	return 1;
}

/*
 * Sets the warnings of the reply, among them the warnings about periods of
 * validity. A group by a property of edges gets a warning, because each node
 * counts only once. A group over a relation that the chain also walks gets a
 * warning, because the group includes ends that the chain does not reach.
 */
static void
warn(KgAggregate *a)
{
	KgJsonWriter w;
	int n;

	kg_jw_init_array(&w);
	n = warn_of_periods(a, &w);
	for (int i = 0; i < a->ngroups; i++)
	{
		const KgGroupKey *key = &a->groups[i];
		int step = key->related && key->step.tests[0].filters == NULL
					   ? shared_step(a, key)
					   : 0;

		if (key->related && key->edges != NULL)
		{
			n++;
			kg_jw_begin_object(&w);
			kg_jw_kstring(&w, "path", kg_path_index("/group_by", i));
			kg_jw_kstring(
				&w,
				"message",
				"each node counts once in a group; to count edges, follow the "
				"relationship in a step of \"relationships\", and group by "
				"{\"step\", \"property\"}");
			kg_jw_end_object(&w);
		}
		if (step == 0)
			continue;
		n++;
		kg_jw_begin_object(&w);
		kg_jw_kstring(&w, "path", kg_path_index("/group_by", i));
		kg_jw_kstring(
			&w,
			"message",
			psprintf("this groups by all nodes to which the relationship "
					 "leads, regardless of the conditions in step %d of "
					 "\"relationships\"; {\"step\": %d} groups by the nodes at "
					 "the end of that step, and \"filters\" selects nodes here",
					 step,
					 step));
		kg_jw_end_object(&w);
	}
	kg_jw_end_array(&w);
	if (n > 0)
		a->warnings = kg_jw_finish(&w);
}

static void
require_types(KgAggregate *a)
{
	kg_reached_steps(
		kg_reached_begin(&a->call, a->node.type), a->steps.specs, a->steps.n);
	for (int i = 0; i < a->ngroups; i++)
		if (a->groups[i].related)
			kg_reached_steps(kg_reached_begin(&a->call, a->node.type),
							 &a->groups[i].step,
							 1);
}

void
kg_aggregate_read(KgAggregate *a, const Jsonb *arguments)
{
	KgGraphCall *call = &a->call;
	KgInput node;

	kg_graph_call_begin(call, "aggregate_nodes", arguments);
	(void) kg_input_object(&call->input, "node", &node);
	kg_call_selector(call, &node, "label", &a->node);
	kg_call_steps(call, &a->steps);
	kg_reached_related(call, a->node.type, a->node.related);
	kg_orient_steps(
		call, a->node.type, a->steps.specs, a->steps.n, "/relationships", true);
	read_items(a, "group_by", "items", read_group);
	read_items(a, "aggregations", "items", read_aggregation);
	count_edges(a);
	kg_having_read(
		&a->having, &call->input, a->specs, &a->columns[a->ngroups], a->nspecs);
	warn(a);
	read_items(a, "sort", "columns", read_sort);
	read_per(a);
	add_labels(a);
	a->limit = kg_input_limit(&call->input, 0);
	require_types(a);
}
