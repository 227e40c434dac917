/*
 * graph_aggregate.c
 *	  aggregate_nodes: counts and sums over nodes, grouped.
 *
 * A node is in one group for each distinct combination of its group values, so
 * that no join can count it twice.  Values over relationships are those of the
 * ends of a step (query/traverse.h) from each node.  Groups by steps of the chain
 * are of one row of it together: a pair of ends that no row has is no group.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/settings.h"
#include "catalog/key.h"
#include "miscadmin.h"
#include "query/aggregate.h"
#include "query/cost.h"
#include "mb/pg_wchar.h"
#include "query/list.h"
#include "query/plan.h"
#include "query/sort.h"
#include "query/validity.h"
#include "tools/graph.h"
#include "tools/graph_reply.h"
#include "tools/periods.h"
#include "utils/memutils.h"

#define KG_MAX_COLUMN_NAME 64
#define KG_MAX_COLUMNS (KG_MAX_GROUPS + KG_MAX_AGGREGATIONS)

/* The values of an entity for one group key, or of an end of a relationship. */
typedef struct Values
{
	int n;
	KgGroupValue *values;
} Values;

typedef struct GroupKey
{
	const KgField *field; /* NULL: the id */
	KgTruncate truncate;
	bool related;
	KgStepSpec step;
	KgTraversal t;
	int step_no;			 /* > 0: the end of this step of the chain, */
	const KgType *step_type; /* where it is of this type */
	Values *ends;			 /* by node of t.set, or of the chain's */
} GroupKey;

/* The values of one row of the chain, for the groups by its steps. */
typedef struct Joint
{
	KgGroupValue values[KG_MAX_GROUPS];
} Joint;

typedef struct SortColumn
{
	int column;
	bool descending;
} SortColumn;

/* A group with the results of its aggregations. */
typedef struct Row
{
	const KgGroup *group;
	KgGroupValue results[KG_MAX_AGGREGATIONS];
} Row;

typedef struct Aggregate
{
	KgGraphCall call;
	KgSelector node;
	KgSteps steps;
	int ngroups;
	GroupKey groups[KG_MAX_GROUPS];
	int nspecs;
	KgAggregateSpec specs[KG_MAX_AGGREGATIONS];
	int ncolumns;
	const char *columns[KG_MAX_COLUMNS]; /* groups, then aggregations */
	int nsort;
	SortColumn sort[KG_MAX_SORT];
	int64 limit;
	/* execution */
	KgGroups *result;
	MemoryContext work; /* of one node */
	KgTraversal chain;	/* where there are steps */
	uint32 kept;		/* nodes from which they lead somewhere */
	int deepest;		/* the last step that a group is by; 0: none is */
	uint32 bound[KG_MAX_STEPS]; /* ends of the row at hand */
	int njoints;				/* of the node at hand */
	int joint_room;
	Joint *joints;
	Jsonb *warnings; /* NULL: none */
	KgReply reply;
	uint32 nrows;	 /* of them as many as limit allows are in the reply */
	Jsonb **written; /* these rows */
} Aggregate;

/* ---- arguments ---- */

static const KgField *
read_property(const KgType *type, const KgInput *in, const char *use,
			  char **name)
{
	KgFilterTarget target = kg_filter_target_type(type);
	bool is_id;

	*name = kg_input_string(in, "property");
	return kg_target_field(
		&target, *name, kg_input_path(in, "property"), use, &is_id);
}

/* Groups have no names of their own: what to do about two that share one. */
static const char once[] = "each group once";

static void
add_column(Aggregate *a, const char *name, const char *path,
		   const char *expected)
{
	KgError *err;

	for (int i = 0; i < a->ncolumns; i++)
	{
		if (strcmp(a->columns[i], name) != 0)
			continue;
		err = kg_error_new(
			KG_INVALID_INPUT, "two columns have the name \"%s\"", name);
		kg_error_path(err, "%s", path);
		kg_error_got_string(err, name);
		kg_error_expected(err, "%s", expected);
		kg_error_throw(err);
	}
	a->columns[a->ncolumns++] = name;
}

static KG_NORETURN void
throw_property(const KgInput *in, const char *name, const char *message,
			   const char *expected)
{
	KgError *err = kg_error_new(KG_INVALID_INPUT, message, name);

	kg_error_path(err, "%s", kg_input_path(in, "property"));
	kg_error_got_string(err, name);
	kg_error_expected(err, "%s", expected);
	kg_error_throw(err);
}

/* The units are declared as in the enum of "truncate", after none. */
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
					   "property \"%s\" is no date and cannot be truncated",
					   "a property of format date or date-time");
	if (field->kind == KG_KIND_DATE &&
		(truncate == KG_TRUNCATE_MINUTE || truncate == KG_TRUNCATE_HOUR))
		throw_property(in,
					   name,
					   "property \"%s\" has no time of day",
					   "day, week, month, quarter or year for a date");
	return truncate;
}

/* By a property of what a group leads to; by its id where there is none. */
static void
read_end_property(Aggregate *a, const KgInput *in, const KgType *type,
				  const char *column, GroupKey *key)
{
	char *property;

	if (kg_input_has(in, "property"))
	{
		key->field = read_property(type, in, "group", &property);
		column = psprintf("%s_%s", column, property);
	}
	add_column(a, column, in->path, once);
}

/* {relationship, direction?, label, property?, filters?} */
static void
read_related_group(Aggregate *a, const KgInput *in, GroupKey *key)
{
	static const char *const members[] = {
		"relationship", "direction", "label", "property", "filters"};
	KgGraphCall *call = &a->call;
	KgRelationNames names;
	KgNodeTest *test = &key->step.tests[0];
	uint16 rank;

	kg_input_only(in, members, lengthof(members));
	kg_input_require(in, "label");
	(void) kg_input_string(in, "relationship");
	names = kg_call_relation_names(call, in, "relationship");
	kg_call_follow(call, &names, kg_call_direction(in), &key->step.follow);
	key->related = true;
	key->step.min_hops = 1;
	key->step.max_hops = 1;
	key->step.ntests = 1;
	test->type = kg_call_type(call, in, "label");
	rank = kg_graph_rank(call->graph, test->type->type_no);
	test->filters = kg_call_filters_over(call, in, 1, &rank);
	read_end_property(a,
					  in,
					  test->type,
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

/* What a step ends in: as it says itself, or else the group. */
static const KgType *
read_step_type(Aggregate *a, const KgStepSpec *spec, const KgInput *in)
{
	const KgType *type = spec->ntests > 0 ? spec->tests[0].type : NULL;
	const KgType *named = kg_call_type(&a->call, in, "label");

	if (type != NULL && named != NULL && type != named)
	{
		JsonbValue got = kg_json_string_value(kg_type_handle(named));

		kg_error_throw(kg_args_error(
			kg_input_path(in, "label"),
			&got,
			psprintf("\"%s\", as the step says", kg_type_handle(type))));
	}
	if (type == NULL)
		kg_input_require(in, "label");
	return type != NULL ? type : named;
}

/* A relationship beside the step must be one that it walks. */
static void
check_step_relationship(Aggregate *a, const KgStepSpec *spec, const KgInput *in)
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

/* {step, relationship?, label?, property?}: the end of a step of the chain */
static void
read_step_group(Aggregate *a, const KgInput *in, GroupKey *key)
{
	static const char *const members[] = {
		"step", "relationship", "label", "property"};
	const KgStepSpec *spec;
	int64 step = 0;

	kg_input_only(in, members, lengthof(members));
	if (a->steps.n == 0)
	{
		KgError *err = kg_error_new(KG_INVALID_INPUT,
									"a group by a step needs relationships");

		kg_error_path(err, "%s", kg_input_path(in, "step"));
		kg_error_expected(err,
						  "relationships, the steps that are counted from 1");
		kg_error_throw(err);
	}
	/* Not only at most max_steps: there must be such a step. */
	(void) kg_args_int(
		in->object, "step", in->path, 1, a->steps.n, &step, in->repairs);
	spec = &a->steps.specs[step - 1];
	check_step_relationship(a, spec, in);
	key->step_type = read_step_type(a, spec, in);
	key->step_no = (int) step;
	a->deepest = Max(a->deepest, key->step_no);
	read_end_property(
		a,
		in,
		key->step_type,
		psprintf("step%d_%s", key->step_no, kg_type_handle(key->step_type)),
		key);
}

static void
read_group(Aggregate *a, const KgInput *in)
{
	static const char *const members[] = {"property", "truncate"};
	GroupKey *key = &a->groups[a->ngroups++];
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
	key->field = read_property(a->node.type, in, "group", &name);
	key->truncate = read_truncate(in, key->field, name);
	add_column(a,
			   key->truncate == KG_TRUNCATE_NONE
				   ? name
				   : psprintf("%s_%s", name, kg_input_string(in, "truncate")),
			   in->path,
			   once);
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
			if (kind != KG_KIND_INTEGER && kind != KG_KIND_NUMBER)
				throw_property(in,
							   name,
							   "property \"%s\" is no number",
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

/* The functions are declared as in the enum of "fn". */
static void
read_aggregation(Aggregate *a, const KgInput *in)
{
	KgAggregateSpec *spec = &a->specs[a->nspecs++];
	const char *column = kg_input_string(in, "fn");
	JsonbValue value;
	char *name;

	spec->fn = (KgAggregateFn) kg_input_enum(in, "fn", "a function");
	if (spec->fn > KG_FN_COUNT_DISTINCT)
		kg_input_require(in, "property");
	if (kg_input_has(in, "property"))
	{
		spec->has_property = true;
		spec->field = read_property(a->node.type, in, "aggregate", &name);
		check_aggregation(spec, in, name);
		column = psprintf("%s_%s", column, name);
	}
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

static void
read_sort(Aggregate *a, const KgInput *in)
{
	SortColumn *sort = &a->sort[a->nsort++];

	sort->column = kg_name_among(kg_input_string(in, "field"),
								 kg_input_path(in, "field"),
								 "a column of the reply",
								 a->columns,
								 a->ncolumns);
	sort->descending = kg_input_enum(in, "order", "an order") == 1;
}

static void
read_items(Aggregate *a, const char *key, const char *string_member,
		   const char *what, void (*read)(Aggregate *a, const KgInput *in))
{
	const KgInput *in = &a->call.input;
	int n = kg_input_objects(in, key, string_member, what);

	for (int i = 0; i < n; i++)
	{
		KgInput item;

		kg_input_item(in, key, i, string_member, &item);
		read(a, &item);
	}
}

/* The step of the chain, from 1, that walks a relation of the group too. */
static int
shared_step(const Aggregate *a, const GroupKey *key)
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
add_periods(const Aggregate *a, List *names, const KgFollow *follow)
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

/* What is counted holds for a time, and nobody says when. */
static int
warn_of_periods(const Aggregate *a, KgJsonWriter *w)
{
	List *names = NIL;

	if (!a->call.catalog->has_periods || kg_validity_instant() != NULL)
		return 0;
	names = kg_periods_add_type(names, a->node.type);
	for (int i = 0; i < a->steps.n; i++)
		names = add_periods(a, names, &a->steps.specs[i].follow);
	for (int i = 0; i < a->ngroups; i++)
		if (a->groups[i].related)
			names = add_periods(a, names, &a->groups[i].step.follow);
	if (names == NIL)
		return 0;
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "path", "/valid_at");
	kg_jw_kstring(w,
				  "message",
				  psprintf("what these are holds for a time: %s; without "
						   "valid_at what has ended or not yet begun counts "
						   "as well",
						   kg_periods_join(names)));
	kg_jw_end_object(w);
	return 1;
}

/* A group over a relation of the chain is not of what the chain leads to. */
static void
warn(Aggregate *a)
{
	KgJsonWriter w;
	int n;

	kg_jw_init(&w);
	kg_jw_begin_array(&w);
	n = warn_of_periods(a, &w);
	for (int i = 0; i < a->ngroups; i++)
	{
		const GroupKey *key = &a->groups[i];
		int step = key->related && key->step.tests[0].filters == NULL
					   ? shared_step(a, key)
					   : 0;

		if (step == 0)
			continue;
		n++;
		kg_jw_begin_object(&w);
		kg_jw_kstring(&w, "path", kg_path_index("/group_by", i));
		kg_jw_kstring(&w,
					  "message",
					  psprintf("this groups by all that the relationship "
							   "leads to, whatever step %d of relationships "
							   "asks for; {\"step\": %d} groups by what that "
							   "step ends in, and \"filters\" chooses here",
							   step,
							   step));
		kg_jw_end_object(&w);
	}
	kg_jw_end_array(&w);
	if (n > 0)
		a->warnings = kg_jw_finish(&w);
}

static void
require_types(Aggregate *a)
{
	kg_reached_related(&a->call, a->node.type, a->node.related);
	kg_reached_steps(
		kg_reached_begin(&a->call, a->node.type), a->steps.specs, a->steps.n);
	for (int i = 0; i < a->ngroups; i++)
		if (a->groups[i].related)
			kg_reached_steps(kg_reached_begin(&a->call, a->node.type),
							 &a->groups[i].step,
							 1);
}

static void
read_arguments(Aggregate *a, const Jsonb *arguments)
{
	KgGraphCall *call = &a->call;
	KgInput node;

	kg_graph_call_begin(call, "aggregate_nodes", arguments);
	(void) kg_input_object(&call->input, "node", &node);
	kg_call_selector(call, &node, "label", &a->node);
	kg_call_steps(call, &a->steps);
	read_items(a, "group_by", "property", "items", read_group);
	warn(a);
	read_items(a, "aggregations", "fn", "items", read_aggregation);
	read_items(a, "sort", "field", "columns", read_sort);
	a->limit = kg_input_limit(&call->input, 0);
	require_types(a);
}

/* ---- values ---- */

typedef struct Collect
{
	const KgField *field;
	KgTruncate truncate;
	Values *values;
	int room;
} Collect;

static void
add_value(Collect *c, const KgGroupValue *value)
{
	Values *values = c->values;

	if (values->n == c->room)
	{
		c->room *= 2;
		values->values = repalloc_huge(values->values,
									   c->room * sizeof(KgGroupValue));
	}
	values->values[values->n++] = *value;
}

static void
collect_value(const JsonbValue *value, void *arg)
{
	Collect *c = arg;
	KgGroupValue found = kg_group_value(c->field, c->truncate, value);

	if (!kg_group_missing(&found))
		add_value(c, &found);
}

/*
 * What an entity has for a property (NULL: its id): the items of an array each
 * by itself, and at least "missing".  In the current context.
 */
static void
entity_values(const KgField *field, KgTruncate truncate, const KgRef *ref,
			  Values *values)
{
	Collect c = {field, truncate, values, 1};

	values->n = 0;
	values->values = palloc(sizeof(KgGroupValue));
	if (field == NULL)
	{
		KgGroupValue id = kg_group_string(
			ref->id, ref->idlen, pnstrdup(ref->id, ref->idlen), ref->idlen);

		add_value(&c, &id);
		return;
	}
	kg_field_visit(field, &ref->data->root, collect_value, &c);
	if (values->n == 0)
	{
		KgGroupValue missing = kg_group_value(field, truncate, NULL);

		add_value(&c, &missing);
	}
}

static int
compare_values(const void *a, const void *b, void *arg)
{
	return kg_key_compare(((const KgGroupValue *) a)->key,
						  ((const KgGroupValue *) b)->key);
}

static void
drop_repeated(Values *values)
{
	int n = 0;
	uint64 done = 0;

	if (values->n < 2)
		return;
	kg_sort(
		values->values, values->n, sizeof(KgGroupValue), compare_values, NULL);
	for (int i = 0; i < values->n; i++)
	{
		kg_plan_count(&done, 1);
		if (n == 0 || kg_key_compare(values->values[n - 1].key,
									 values->values[i].key) != 0)
			values->values[n++] = values->values[i];
	}
	values->n = n;
}

typedef struct EndValues
{
	Aggregate *a;
	GroupKey *key;
	const KgTraversal *t;
} EndValues;

static void
keep_end(const KgRef *ref, void *arg)
{
	EndValues *state = arg;
	GroupKey *key = state->key;
	KgGraph *graph = state->a->call.graph;
	MemoryContext old;

	if (key->step_no > 0 && graph->ranked[ref->rank - 1] != key->step_type)
		return;
	old = MemoryContextSwitchTo(graph->context);

	entity_values(key->field,
				  KG_TRUNCATE_NONE,
				  ref,
				  &key->ends[kg_nodeset_find(&state->t->set, ref->node)]);
	MemoryContextSwitchTo(old);
	kg_graph_check_memory(graph);
}

/* Read what a step ends in, for a group. */
static void
read_ends(Aggregate *a, GroupKey *key, const KgTraversal *t,
		  const KgStepResult *step)
{
	KgGraph *graph = a->call.graph;
	EndValues state = {a, key, t};
	KgNodeSet ends;
	uint64 done = 0;

	key->ends = MemoryContextAllocExtended(graph->context,
										   (t->set.n + 1) * sizeof(Values),
										   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	kg_nodeset_init(&ends, graph->context);
	for (uint64 i = 0; i < step->first[step->nstarts]; i++)
	{
		kg_plan_count(&done, 1);
		(void) kg_nodeset_add(&ends, t->set.nodes[step->ends[i].node]);
	}
	kg_graph_resolve(
		graph, ends.nodes, ends.n, key->field != NULL, keep_end, &state);
	kg_nodeset_free(&ends);
}

/* What a group over relationships is by: its own walk's ends, or a step's. */
static void
read_related(Aggregate *a, GroupKey *key, const int64 *nodes, uint32 n)
{
	if (key->step_no > 0)
		read_ends(a, key, &a->chain, &a->chain.steps[key->step_no - 1]);
	if (!key->related)
		return;
	kg_traverse_run(&key->t, a->call.graph, nodes, n, &key->step, 1);
	read_ends(a, key, &key->t, &key->t.steps[0]);
}

/* The distinct values of the ends of a node's relationship. */
static void
related_values(const GroupKey *key, int64 node, Values *values)
{
	const KgStepResult *step = &key->t.steps[0];
	uint32 start = step->start_of[kg_nodeset_find(&key->t.set, node)];
	Collect c = {NULL, KG_TRUNCATE_NONE, values, 8};
	uint64 done = 0;

	values->n = 0;
	values->values = palloc(c.room * sizeof(KgGroupValue));
	for (uint64 i = step->first[start]; i < step->first[start + 1]; i++)
	{
		const Values *end = &key->ends[step->ends[i].node];

		kg_plan_count(&done, end->n + 1);
		for (int v = 0; v < end->n; v++)
			add_value(&c, &end->values[v]);
	}
}

static KgGroupValue
aggregated_value(const KgAggregateSpec *spec, const KgRef *ref)
{
	JsonbValue value;

	if (!spec->has_property)
		return kg_group_value(NULL, KG_TRUNCATE_NONE, NULL);
	if (spec->field == NULL)
		return kg_group_string(ref->id, ref->idlen, ref->id, ref->idlen);
	if (!kg_field_value(spec->field, &ref->data->root, &value))
		return kg_group_value(spec->field, KG_TRUNCATE_NONE, NULL);
	return kg_group_value(spec->field, KG_TRUNCATE_NONE, &value);
}

/* Count a node in every combination of its group values. */
static void
add_combinations(Aggregate *a, const Values *values,
				 const KgGroupValue *operands)
{
	KgGroupValue keys[KG_MAX_GROUPS];
	int at[KG_MAX_GROUPS] = {0};
	bool none = false;
	int i;

	for (i = 0; i < a->ngroups; i++)
		none |= values[i].n == 0;
	while (!none)
	{
		for (i = 0; i < a->ngroups; i++)
			keys[i] = values[i].values[at[i]];
		kg_groups_add(a->result, keys, operands);
		kg_graph_charge_edges(a->call.graph, 1);
		/* The next combination, the last key fastest. */
		for (i = a->ngroups - 1; i >= 0 && ++at[i] == values[i].n; i--)
			at[i] = 0;
		none = i < 0;
	}
}

/* The values of the row at hand: of an array each by itself. */
static void
add_joints(Aggregate *a, int group, const Joint *begun)
{
	const GroupKey *key = &a->groups[group];
	const Values *end;
	Joint joint = *begun;

	if (group == a->ngroups)
	{
		if (a->njoints == a->joint_room)
		{
			a->joint_room = Max(2 * a->joint_room, 8);
			a->joints = a->joints == NULL
							? palloc(a->joint_room * sizeof(Joint))
							: repalloc_huge(a->joints,
											a->joint_room * sizeof(Joint));
			kg_graph_check_memory(a->call.graph);
		}
		kg_graph_charge_edges(a->call.graph, 1);
		a->joints[a->njoints++] = joint;
		return;
	}
	if (key->step_no == 0)
	{
		add_joints(a, group + 1, &joint);
		return;
	}
	end = &key->ends[a->bound[key->step_no - 1]];
	for (int i = 0; i < end->n; i++)
	{
		joint.values[group] = end->values[i];
		add_joints(a, group + 1, &joint);
	}
}

/* Is it the end of a step from which the chain goes on? */
static bool
goes_on(const KgTraversal *t, int step, uint32 node)
{
	const KgStepResult *next = &t->steps[step + 1];

	if (step + 1 == t->nsteps)
		return true;
	return node < next->start_of_n && next->start_of[node] != KG_NO_NODE &&
		   next->rows[next->start_of[node]] > 0;
}

/* The rows of the chain from a node, as far as groups are by its steps. */
static void
walk_chain(Aggregate *a, int step, uint32 node)
{
	const KgTraversal *t = &a->chain;
	const KgStepResult *result = &t->steps[step];
	uint32 start = result->start_of[node];
	uint64 done = 0;

	for (uint64 i = result->first[start]; i < result->first[start + 1]; i++)
	{
		uint32 end = result->ends[i].node;

		kg_plan_count(&done, 1);
		if (!goes_on(t, step, end))
			continue;
		a->bound[step] = end;
		if (step + 1 < a->deepest)
			walk_chain(a, step + 1, end);
		else
		{
			Joint none;

			memset(&none, 0, sizeof(none));
			add_joints(a, 0, &none);
		}
	}
}

static int
compare_joints(const void *x, const void *y, void *arg)
{
	const Aggregate *a = arg;
	int order = 0;

	for (int i = 0; i < a->ngroups && order == 0; i++)
		if (a->groups[i].step_no > 0)
			order = kg_key_compare(((const Joint *) x)->values[i].key,
								   ((const Joint *) y)->values[i].key);
	return order;
}

/* Count a node for each distinct row of the chain, as the groups see it. */
static void
add_by_steps(Aggregate *a, const KgRef *ref, Values *values,
			 const KgGroupValue *operands)
{
	a->njoints = a->joint_room = 0;
	a->joints = NULL;
	walk_chain(a, 0, kg_nodeset_find(&a->chain.set, ref->node));
	if (a->njoints == 0)
		return;
	kg_sort(a->joints, a->njoints, sizeof(Joint), compare_joints, a);
	for (int j = 0; j < a->njoints; j++)
	{
		if (j > 0 && compare_joints(&a->joints[j - 1], &a->joints[j], a) == 0)
			continue;
		for (int i = 0; i < a->ngroups; i++)
			if (a->groups[i].step_no > 0)
			{
				values[i].n = 1;
				values[i].values = &a->joints[j].values[i];
			}
		add_combinations(a, values, operands);
	}
}

static void
add_node(const KgRef *ref, void *arg)
{
	Aggregate *a = arg;
	KgGraph *graph = a->call.graph;
	MemoryContext old;
	Values values[KG_MAX_GROUPS];
	KgGroupValue operands[KG_MAX_AGGREGATIONS];
	int i;

	MemoryContextReset(a->work);
	old = MemoryContextSwitchTo(a->work);
	for (i = 0; i < a->ngroups; i++)
	{
		GroupKey *key = &a->groups[i];

		if (key->step_no > 0)
			continue;
		if (key->related)
			related_values(key, ref->node, &values[i]);
		else
			entity_values(key->field, key->truncate, ref, &values[i]);
		drop_repeated(&values[i]);
	}
	for (i = 0; i < a->nspecs; i++)
		operands[i] = aggregated_value(&a->specs[i], ref);
	if (a->deepest > 0)
		add_by_steps(a, ref, values, operands);
	else
		add_combinations(a, values, operands);
	MemoryContextSwitchTo(old);
	kg_graph_check_memory(graph);
}

static bool
needs_data(const Aggregate *a)
{
	for (int i = 0; i < a->ngroups; i++)
		if (!a->groups[i].related && a->groups[i].step_no == 0 &&
			a->groups[i].field != NULL)
			return true;
	for (int i = 0; i < a->nspecs; i++)
		if (a->specs[i].field != NULL)
			return true;
	return false;
}

/* The nodes from which the chain of relationships leads somewhere. */
static uint32
keep_connected(Aggregate *a, int64 *nodes, uint32 n)
{
	KgTraversal *t = &a->chain;
	uint32 kept = 0;

	if (a->steps.n == 0)
		return n;
	kg_traverse_run(t, a->call.graph, nodes, n, a->steps.specs, a->steps.n);
	for (uint32 s = 0; s < t->steps[0].nstarts; s++)
		if (t->steps[0].rows[s] > 0)
			nodes[kept++] = t->set.nodes[t->steps[0].starts[s]];
	return kept;
}

static void
estimate(Aggregate *a, const int64 *nodes, uint32 n)
{
	KgGraph *graph = a->call.graph;

	if (n == 0)
		return;
	if (a->steps.n > 0)
		kg_cost_traverse(
			graph, nodes, n, a->steps.specs, a->steps.n, "/relationships");
	for (int i = 0; i < a->ngroups; i++)
		if (a->groups[i].related)
			kg_cost_traverse(
				graph, nodes, n, &a->groups[i].step, 1, "/group_by");
}

/* Is there no row because of relationships? */
static bool
ends_early(const Aggregate *a)
{
	if (a->kept == 0)
		return true;
	for (int i = 0; i < a->ngroups; i++)
		if (a->groups[i].related && a->groups[i].t.total == 0)
			return true;
	return false;
}

/* Why no node is counted: the chain of relationships, or a group's own. */
static Jsonb *
hints(Aggregate *a, const int64 *nodes)
{
	KgJsonWriter w;

	kg_jw_init(&w);
	kg_jw_begin_array(&w);
	if (a->kept == 0)
		kg_hint_traversal(&a->call, &a->chain, "/relationships", &w);
	for (int i = 0; i < a->ngroups && a->kept > 0; i++)
	{
		const GroupKey *key = &a->groups[i];

		if (!key->related || key->t.total > 0)
			continue;
		kg_hint_edges(&a->call,
					  kg_path_index("/group_by", i),
					  "none of the nodes leads to such a node, so none is in a "
					  "group",
					  nodes,
					  a->kept,
					  &w);
	}
	kg_jw_end_array(&w);
	return kg_jw_finish(&w);
}

static void
aggregate(Aggregate *a, int64 *nodes, uint32 n)
{
	KgGraph *graph = a->call.graph;

	a->result = kg_groups_new(graph->context, a->ngroups, a->specs, a->nspecs);
	a->work = AllocSetContextCreate(
		graph->context, "kg_graph aggregate", ALLOCSET_DEFAULT_SIZES);
	estimate(a, nodes, n);
	n = keep_connected(a, nodes, n);
	a->kept = n;
	for (int i = 0; i < a->ngroups && n > 0; i++)
		if (a->groups[i].related || a->groups[i].step_no > 0)
			read_related(a, &a->groups[i], nodes, n);
	kg_graph_resolve(graph, nodes, n, needs_data(a), add_node, a);
	if (a->ngroups == 0)
		kg_groups_ensure_one(a->result);
}

/* ---- the reply ---- */

static const KgGroupValue *
row_value(const Aggregate *a, const Row *row, int column)
{
	return column < a->ngroups ? &row->group->keys[column]
							   : &row->results[column - a->ngroups];
}

/* As asked for, missing values last either way; ties by the group's values. */
static int
compare_rows(const void *x, const void *y, void *arg)
{
	const Aggregate *a = arg;
	int order = 0;

	for (int i = 0; i < a->nsort && order == 0; i++)
	{
		const KgGroupValue *p = row_value(a, x, a->sort[i].column);
		const KgGroupValue *q = row_value(a, y, a->sort[i].column);

		order = kg_group_missing(p) - kg_group_missing(q);
		if (order == 0)
		{
			order = kg_key_compare(p->key, q->key);
			if (a->sort[i].descending)
				order = -order;
		}
	}
	for (int i = 0; i < a->ngroups && order == 0; i++)
		order = kg_key_compare(row_value(a, x, i)->key,
							   row_value(a, y, i)->key);
	return order;
}

static Row *
make_rows(Aggregate *a, uint32 *n)
{
	KgGroup **groups = kg_groups_list(a->result, n);
	Row *rows = MemoryContextAllocHuge(a->call.graph->context,
									   ((Size) *n + 1) * sizeof(Row));
	uint64 done = 0;

	for (uint32 i = 0; i < *n; i++)
	{
		kg_plan_count(&done, a->nspecs + 1);
		rows[i].group = groups[i];
		for (int s = 0; s < a->nspecs; s++)
			rows[i].results[s] = kg_group_result(&a->specs[s],
												 &groups[i]->accumulators[s]);
	}
	kg_graph_check_memory(a->call.graph);
	kg_sort(rows, *n, sizeof(Row), compare_rows, a);
	return rows;
}

static Jsonb *
row_json(const Aggregate *a, const Row *row)
{
	KgJsonWriter w;

	kg_jw_init(&w);
	kg_jw_begin_array(&w);
	for (int i = 0; i < a->ncolumns; i++)
		kg_jw_value(&w, &row_value(a, row, i)->value);
	kg_jw_end_array(&w);
	return kg_jw_finish(&w);
}

/* What is shown in a group's column: the property, or the id. */
static const KgField *
group_field(const Aggregate *a, const GroupKey *key)
{
	const KgType *type = key->step_no > 0 ? key->step_type
						 : key->related	  ? key->step.tests[0].type
										  : a->node.type;

	return key->field != NULL || type == NULL ? key->field : type->id_field;
}

/* A count of values shows none of them; nor does what is computed. */
static const KgField *
aggregated_field(const KgAggregateSpec *spec)
{
	return spec->fn == KG_FN_MIN || spec->fn == KG_FN_MAX ? spec->field : NULL;
}

/* Which columns hold text from outside. */
static KgMarks
column_marks(const Aggregate *a)
{
	KgMarks marks = {NIL};

	for (int i = 0; i < a->ncolumns; i++)
		kg_marks_note_of(&marks,
						 "columns",
						 i < a->ngroups
							 ? group_field(a, &a->groups[i])
							 : aggregated_field(&a->specs[i - a->ngroups]),
						 a->columns[i]);
	return marks;
}

static void
build_reply(Aggregate *a)
{
	KgReply *reply = &a->reply;
	Row *rows = make_rows(a, &a->nrows);

	kg_reply_init(reply, &a->call);
	reply->draft.n = Min(a->nrows, a->limit);
	reply->draft.total = a->nrows;
	reply->draft.more = a->nrows > reply->draft.n;
	reply->draft.highest_limit = kg_setting_max_rows;
	reply->draft.marks = column_marks(a);
	a->written = palloc((reply->draft.n + 1) * sizeof(Jsonb *));
	reply->unit_sizes = palloc((reply->draft.n + 1) * sizeof(Size));
	for (int i = 0; i < reply->draft.n; i++)
	{
		a->written[i] = row_json(a, &rows[i]);
		reply->unit_sizes[i] = kg_json_text_size(&a->written[i]->root) + 2;
	}
}

static void
write_reply(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const Aggregate *a = state;

	kg_jw_kstrings(w, "columns", (char *const *) a->columns, a->ncolumns);
	kg_jw_key(w, "rows");
	kg_jw_begin_array(w);
	for (int i = 0; i < fit->listed; i++)
		kg_jw_jsonb(w, a->written[i]);
	kg_jw_end_array(w);
	if (a->warnings != NULL)
		kg_jw_kjsonb(w, "warnings", a->warnings);
}

Jsonb *
kg_tool_aggregate_nodes(const Jsonb *arguments)
{
	Aggregate *a = palloc0(sizeof(Aggregate));
	const KgSelector *node = &a->node;
	int64 *nodes;
	uint32 n;
	Jsonb *result;

	read_arguments(a, arguments);
	nodes = kg_select_nodes(a->call.graph, &a->node, &n);
	aggregate(a, nodes, n);
	build_reply(a);
	if (n == 0)
		a->reply.draft.hints = kg_selector_hints(&a->call, &node, 1);
	else if (ends_early(a))
		a->reply.draft.hints = hints(a, nodes);
	result = kg_reply_finish(&a->reply, write_reply, a);
	kg_graph_call_end(&a->call);
	return result;
}
