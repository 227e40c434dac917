/*
 * graph/aggregate.c
 *	  aggregate_nodes: counts and sums over nodes, in groups.
 *
 * A node is in one group for each distinct combination of its group values, so
 * no join can count it twice. A group over a relationship has the values of
 * the nodes at the end of a step (query/graph/traverse.h). If several groups
 * are by steps of the chain, their values are combined by row: two ends that
 * are in no common row form no group.
 *
 * If only indexed properties of the nodes are needed, their keys are read
 * instead of their documents, and nodes with equal keys are counted together
 * (query/list/key_counts.h). The nodes of a whole type are then not selected
 * first.
 */
#include "postgres.h"

#include "base/settings.h"
#include "model/key.h"
#include "model/writing.h"
#include "query/graph/cost.h"
#include "query/graph/foreign.h"
#include "query/graph/related.h"
#include "query/list/key_counts.h"
#include "query/run/plan.h"
#include "tools/graph/aggregate.h"
#include "utils/memutils.h"

/* A row of the reply: a group and the results of its aggregations. */
typedef struct Row
{
	const KgGroup *group;
	KgGroupValue results[FLEXIBLE_ARRAY_MEMBER];
} Row;

/* ---- values ---- */

typedef struct Collect
{
	const KgField *field;
	KgTruncate truncate;
	KgValues *values;
	int room;
} Collect;

static void
add_value(Collect *c, const KgGroupValue *value)
{
	KgValues *values = c->values;

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
 * Sets the values of an entity's property, or of its id if the field is NULL.
 * Each item of an array is a value. An entity without a value has the value
 * "missing". Allocates in the current memory context.
 */
static void
entity_values(const KgField *field, KgTruncate truncate, const KgRef *ref,
			  KgValues *values)
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
drop_repeated(KgValues *values)
{
	int n = 0;
	uint64 done = 0;

	if (values->n < 2)
		return;
	qsort_interruptible(
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

/* Returns the type that has the property by which a group key groups. */
static const KgType *
group_type(const KgAggregate *a, const KgGroupKey *key)
{
	return key->step_no > 0	   ? key->step_type
		   : key->related	   ? key->step.tests[0].type
		   : key->path != NULL ? key->path->type
							   : a->node.type;
}

typedef struct EndValues
{
	KgAggregate *a;
	KgGroupKey *key;
	const KgTraversal *t;
	/*
	 * the counts of edges, if the property is a count of edges; otherwise NULL
	 */
	const KgCounts *counts;
} EndValues;

static void
keep_end(const KgRef *ref, void *arg)
{
	EndValues *state = arg;
	KgGroupKey *key = state->key;
	KgGraph *graph = state->a->call.graph;
	KgRef counted = *ref;
	MemoryContext old;

	if (kg_graph_type(graph, ref->rank - 1) != group_type(state->a, key))
		return;
	old = MemoryContextSwitchTo(graph->context);
	if (state->counts != NULL)
		counted.data = kg_counts_show(state->counts, ref->node, ref->data);
	entity_values(key->field,
				  KG_TRUNCATE_NONE,
				  &counted,
				  &key->ends[kg_nodeset_find(&state->t->set, ref->node)]);
	MemoryContextSwitchTo(old);
	kg_graph_check_memory(graph);
}

/*
 * If the property of a group key is a count of edges, returns these counts for
 * the nodes "ends". Otherwise returns NULL.
 */
static const KgCounts *
count_ends(const KgAggregate *a, const KgGroupKey *key, const int64 *ends,
		   uint32 n)
{
	KgGraph *graph = a->call.graph;
	const KgType *type = group_type(a, key);
	uint16 rank = kg_graph_rank(graph, type->type_no);
	int64 *nodes;
	uint16 *ranks;
	uint32 count = 0;

	if (key->field == NULL || !key->field->counted)
		return NULL;
	nodes = MemoryContextAllocHuge(graph->context,
								   Max((Size) n, 1) * sizeof(int64));
	ranks = MemoryContextAllocHuge(graph->context,
								   Max((Size) n, 1) * sizeof(uint16));
	kg_graph_types(graph, ends, n, ranks);
	for (uint32 i = 0; i < n; i++)
		if (ranks[i] == rank)
			nodes[count++] = ends[i];
	if (key->counted_path != NULL)
		kg_counts_check(type, key->field, key->counted_path, count);
	return kg_counts_of(graph->catalog, type, nodes, count);
}

/* Reads the values of a group key from the nodes at the end of a step. */
static void
read_ends(KgAggregate *a, KgGroupKey *key, const KgTraversal *t,
		  const KgStepResult *step)
{
	KgGraph *graph = a->call.graph;
	EndValues state = {a, key, t};
	KgNodeSet ends;
	uint64 done = 0;

	if (key->edges != NULL)
		key->found = kg_step_edges_read(
			&a->call, t, (int) (step - t->steps) + 1);
	key->ends = MemoryContextAllocExtended(graph->context,
										   (t->set.n + 1) * sizeof(KgValues),
										   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	kg_nodeset_init(&ends, graph->context);
	for (uint64 i = 0; i < step->first[step->nstarts]; i++)
	{
		kg_plan_count(&done, 1);
		(void) kg_nodeset_add(&ends, t->set.nodes[step->ends[i].node]);
	}
	if (key->edges == NULL)
	{
		state.counts = count_ends(a, key, ends.nodes, ends.n);
		kg_graph_resolve(
			graph, ends.nodes, ends.n, key->field != NULL, keep_end, &state);
	}
	kg_nodeset_free(&ends);
}

/*
 * If the selection has already checked that the nodes are visible, returns
 * their type. Otherwise returns NULL.
 */
static const KgType *
seen_type(const KgAggregate *a)
{
	return kg_select_sees(a->call.graph, &a->node) ? a->node.type : NULL;
}

/*
 * Reads the values of a group key over relationships. They come from the ends
 * of the key's own walk, or of a step of the chain.
 */
static void
read_related(KgAggregate *a, KgGroupKey *key, const int64 *nodes, uint32 n)
{
	if (key->step_no > 0)
		read_ends(a, key, &a->chain, &a->chain.steps[key->step_no - 1]);
	if (!key->related)
		return;
	kg_traverse_run(
		&key->t, a->call.graph, seen_type(a), nodes, n, &key->step, 1);
	read_ends(a, key, &key->t, &key->t.steps[0]);
}

static KgGroupValue
edge_value(const KgAggregate *a, const KgReplyEdge *edge,
		   const KgField *const *fields)
{
	const KgField *field;
	JsonbValue value;

	return kg_edge_value(a->call.catalog, edge, fields, &value, &field)
			   ? kg_group_value(field, KG_TRUNCATE_NONE, &value)
			   : kg_group_value(NULL, KG_TRUNCATE_NONE, NULL);
}

typedef struct EdgeGroup
{
	const KgAggregate *a;
	const KgGroupKey *key;
	Collect c;
} EdgeGroup;

static void
collect_edge(const KgReplyEdge *edge, void *arg)
{
	EdgeGroup *state = arg;
	KgGroupValue value = edge_value(state->a, edge, state->key->edges);

	add_value(&state->c, &value);
}

/*
 * Sets the values of a group key from the properties of the edges between two
 * nodes.
 */
static void
edge_values(const KgAggregate *a, const KgGroupKey *key, int64 x, int64 y,
			KgValues *values)
{
	EdgeGroup state = {a, key, {NULL, KG_TRUNCATE_NONE, values, 4}};

	values->n = 0;
	values->values = palloc(state.c.room * sizeof(KgGroupValue));
	kg_step_edges_visit(key->found, x, y, collect_edge, &state);
}

/*
 * Sets the values that a group key over a relationship has for a node. They are
 * the values of the nodes to which the relationship leads. A value may occur
 * several times.
 */
static void
related_values(const KgAggregate *a, const KgGroupKey *key, int64 node,
			   KgValues *values)
{
	const KgStepResult *step = &key->t.steps[0];
	uint32 start = step->start_of[kg_nodeset_find(&key->t.set, node)];
	Collect c = {NULL, KG_TRUNCATE_NONE, values, 8};
	uint64 done = 0;

	values->n = 0;
	values->values = palloc(c.room * sizeof(KgGroupValue));
	for (uint64 i = step->first[start]; i < step->first[start + 1]; i++)
	{
		const KgValues *end = &key->ends[step->ends[i].node];
		KgValues edges;

		if (key->edges != NULL)
		{
			edge_values(
				a, key, node, key->t.set.nodes[step->ends[i].node], &edges);
			end = &edges;
		}
		kg_plan_count(&done, end->n + 1);
		for (int v = 0; v < end->n; v++)
			add_value(&c, &end->values[v]);
	}
}

/*
 * Sets the values at the end of a path from a node. Sets the value "missing"
 * if the path leads to no value.
 */
static void
path_values(const KgRefValues *reached, const KgField *field,
			KgTruncate truncate, int64 node, KgValues *values)
{
	Collect c = {field, truncate, values, 1};

	values->n = 0;
	values->values = palloc(sizeof(KgGroupValue));
	kg_ref_values_visit(reached, node, collect_value, &c);
	if (values->n == 0)
	{
		KgGroupValue missing = kg_group_value(field, truncate, NULL);

		add_value(&c, &missing);
	}
}

static KgGroupValue
aggregated_value(const KgAggregate *a, int i, const KgRef *ref)
{
	const KgAggregateSpec *spec = &a->specs[i];
	JsonbValue value;
	KgValues values;

	if (a->edges[i] != NULL)
		return kg_group_value(NULL, KG_TRUNCATE_NONE, NULL);
	if (a->paths[i] != NULL)
	{
		path_values(
			a->reached[i], spec->field, KG_TRUNCATE_NONE, ref->node, &values);
		return values.values[0];
	}
	if (!spec->has_property)
		return kg_group_value(NULL, KG_TRUNCATE_NONE, NULL);
	if (spec->field == NULL)
		return kg_group_string(ref->id, ref->idlen, ref->id, ref->idlen);
	if (!kg_field_value(spec->field, &ref->data->root, &value))
		return kg_group_value(spec->field, KG_TRUNCATE_NONE, NULL);
	return kg_group_value(spec->field, KG_TRUNCATE_NONE, &value);
}

/*
 * Adds a node to the group of each combination of its group values. "times" is
 * the number of nodes with these values; with 0, no node is counted, only an
 * edge is added.
 */
static void
add_combinations(KgAggregate *a, const KgValues *values,
				 const KgGroupValue *operands, int64 times)
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
		if (times > 0)
			kg_groups_add(a->result, keys, operands, times);
		else
			kg_groups_add_edge(a->result, keys, operands);
		kg_graph_charge_edges(a->call.graph, 1);
		/*
		 * Go to the next combination of group values. The index of the last
		 * group changes first.
		 */
		for (i = a->ngroups - 1; i >= 0 && ++at[i] == values[i].n; i--)
			at[i] = 0;
		none = i < 0;
	}
}

/*
 * Adds the current row of the chain to a->joints, once for each combination of
 * the row's group values. An array property has a value for each of its items.
 * "group" is the index of the group whose value is set next.
 */
static void
add_joints(KgAggregate *a, int group, const KgJoint *begun)
{
	const KgGroupKey *key = &a->groups[group];
	const KgValues *end;
	KgValues edges;
	KgJoint joint = *begun;

	if (group == a->ngroups)
	{
		if (a->njoints == a->joint_room)
		{
			a->joint_room = Max(2 * a->joint_room, 8);
			a->joints = a->joints == NULL
							? palloc(a->joint_room * sizeof(KgJoint))
							: repalloc_huge(a->joints,
											a->joint_room * sizeof(KgJoint));
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
	end = &key->ends[a->bound[key->step_no]];
	if (key->edges != NULL && joint.edge != NULL &&
		key->step_no == a->edge_step)
	{
		joint.values[group] = edge_value(a, joint.edge, key->edges);
		add_joints(a, group + 1, &joint);
		return;
	}
	if (key->edges != NULL)
	{
		const int64 *nodes = a->chain.set.nodes;

		edge_values(a,
					key,
					nodes[a->bound[key->step_no - 1]],
					nodes[a->bound[key->step_no]],
					&edges);
		end = &edges;
	}
	for (int i = 0; i < end->n; i++)
	{
		joint.values[group] = end->values[i];
		add_joints(a, group + 1, &joint);
	}
}

/*
 * Returns whether the remaining steps of the chain can be completed from a
 * node at the end of a step.
 */
static bool
goes_on(const KgTraversal *t, int step, uint32 node)
{
	const KgStepResult *next = &t->steps[step + 1];

	if (step + 1 == t->nsteps)
		return true;
	return node < next->start_of_n && next->start_of[node] != KG_NO_NODE &&
		   next->rows[next->start_of[node]] > 0;
}

static void
add_row_of_edge(const KgReplyEdge *edge, void *arg)
{
	KgJoint joint;

	memset(&joint, 0, sizeof(joint));
	joint.edge = edge;
	add_joints(arg, 0, &joint);
}

/* Adds the current row once for each edge whose properties are aggregated. */
static void
add_row(KgAggregate *a)
{
	const int64 *nodes = a->chain.set.nodes;

	if (a->edge_step == 0)
		add_row_of_edge(NULL, a);
	else
		kg_step_edges_visit(a->found,
							nodes[a->bound[a->edge_step - 1]],
							nodes[a->bound[a->edge_step]],
							add_row_of_edge,
							a);
}

/*
 * Walks the rows of the chain from a node, down to the deepest step by which a
 * group is formed.
 */
static void
walk_chain(KgAggregate *a, int step, uint32 node)
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
		a->bound[step + 1] = end;
		if (step + 1 < a->deepest)
			walk_chain(a, step + 1, end);
		else
			add_row(a);
	}
}

static int
compare_groups(const void *x, const void *y, const KgAggregate *a)
{
	int order = 0;

	for (int i = 0; i < a->ngroups && order == 0; i++)
		if (a->groups[i].step_no > 0)
			order = kg_key_compare(((const KgJoint *) x)->values[i].key,
								   ((const KgJoint *) y)->values[i].key);
	return order;
}

static int
compare_joints(const void *x, const void *y, void *arg)
{
	const KgReplyEdge *p = ((const KgJoint *) x)->edge;
	const KgReplyEdge *q = ((const KgJoint *) y)->edge;
	int order = compare_groups(x, y, arg);

	return order != 0 ? order : p < q ? -1 : p > q;
}

/* Adds the values of an edge to the aggregations over properties of edges. */
static void
add_edge(KgAggregate *a, const KgValues *values, const KgReplyEdge *edge)
{
	KgGroupValue operands[KG_MAX_AGGREGATIONS];

	for (int i = 0; i < a->nspecs; i++)
		if (a->edges[i] != NULL)
			operands[i] = edge_value(a, edge, a->edges[i]);
	add_combinations(a, values, operands, 0);
}

/*
 * Returns whether the rows of the chain from a node have different group
 * values: the only group by a step is by the ids of the ends of the first step,
 * and no end occurs twice.
 */
static bool
are_distinct(const KgAggregate *a)
{
	int n = 0;

	for (int i = 0; i < a->ngroups; i++)
	{
		const KgGroupKey *key = &a->groups[i];

		if (key->step_no == 0)
			continue;
		if (key->field != NULL || key->edges != NULL)
			return false;
		n++;
	}
	return n == 1 && a->deepest == 1 && a->edge_step == 0;
}

/*
 * Adds a node once for each distinct combination of group values in the rows
 * of the chain.
 */
static void
add_by_steps(KgAggregate *a, const KgRef *ref, KgValues *values,
			 const KgGroupValue *operands)
{
	a->njoints = a->joint_room = 0;
	a->joints = NULL;
	a->bound[0] = kg_nodeset_find(&a->chain.set, ref->node);
	walk_chain(a, 0, a->bound[0]);
	if (a->njoints == 0)
		return;
	if (!are_distinct(a))
		qsort_interruptible(
			a->joints, a->njoints, sizeof(KgJoint), compare_joints, a);
	for (int j = 0; j < a->njoints; j++)
	{
		const KgJoint *joint = &a->joints[j];

		if (j > 0 && compare_joints(joint - 1, joint, a) == 0)
			continue;
		for (int i = 0; i < a->ngroups; i++)
			if (a->groups[i].step_no > 0)
			{
				values[i].n = 1;
				values[i].values = &a->joints[j].values[i];
			}
		/* A node counts only once in a group, but each of its edges counts. */
		if (j == 0 || compare_groups(joint - 1, joint, a) != 0)
			add_combinations(a, values, operands, 1);
		if (joint->edge != NULL)
			add_edge(a, values, joint->edge);
	}
}

static void
add_node(const KgRef *ref, void *arg)
{
	KgAggregate *a = arg;
	KgGraph *graph = a->call.graph;
	MemoryContext old;
	KgValues values[KG_MAX_GROUPS];
	KgGroupValue operands[KG_MAX_AGGREGATIONS];
	KgRef counted = *ref;
	int i;

	MemoryContextReset(a->work);
	old = MemoryContextSwitchTo(a->work);
	if (a->counts != NULL)
		counted.data = kg_counts_show(a->counts, ref->node, ref->data);
	ref = &counted;
	for (i = 0; i < a->ngroups; i++)
	{
		KgGroupKey *key = &a->groups[i];

		if (key->step_no > 0)
			continue;
		if (key->related)
			related_values(a, key, ref->node, &values[i]);
		else if (key->path != NULL)
			path_values(
				key->reached, key->field, key->truncate, ref->node, &values[i]);
		else
			entity_values(key->field, key->truncate, ref, &values[i]);
		drop_repeated(&values[i]);
	}
	for (i = 0; i < a->nspecs; i++)
		operands[i] = aggregated_value(a, i, ref);
	if (a->deepest > 0)
		add_by_steps(a, ref, values, operands);
	else
		add_combinations(a, values, operands, 1);
	MemoryContextSwitchTo(old);
	kg_graph_check_memory(graph);
}

/* ---- aggregation by index keys ---- */

typedef struct Keys
{
	KgAggregate *a;
	int nfields;
	const KgField *fields[KG_MAX_COLUMNS];
} Keys;

static void
add_field(Keys *keys, const KgField *field)
{
	for (int i = 0; i < keys->nfields; i++)
		if (keys->fields[i] == field)
			return;
	keys->fields[keys->nfields++] = field;
}

/*
 * Returns whether the index keys of a node contain all values that the
 * aggregation needs. Sets keys->fields to the fields whose keys are needed.
 */
static bool
follows_from_keys(KgAggregate *a, Keys *keys)
{
	keys->a = a;
	keys->nfields = 0;
	/*
	 * Keys are written after the entities, so they are stale while entities
	 * are being written.
	 */
	if (kg_being_written("kg_entity") ||
		kg_foreign_of(a->call.graph, a->node.type) != NULL)
		return false;
	if (a->counted != NULL && !a->counts_kept)
		return false;
	for (int i = 0; i < a->ngroups; i++)
	{
		const KgGroupKey *key = &a->groups[i];

		if (key->related || key->step_no > 0 || key->path != NULL ||
			key->field == NULL || !key->field->indexed)
			return false;
		/*
		 * Truncation may make several items of an entity equal. The keys would
		 * then count the entity more than once.
		 */
		if (key->field->is_array && key->truncate != KG_TRUNCATE_NONE)
			return false;
		add_field(keys, key->field);
	}
	for (int i = 0; i < a->nspecs; i++)
	{
		const KgAggregateSpec *spec = &a->specs[i];

		if (!spec->has_property)
			continue;
		if (a->paths[i] != NULL || a->edges[i] != NULL || spec->field == NULL ||
			!spec->field->indexed || spec->field->is_array)
			return false;
		add_field(keys, spec->field);
	}
	return true;
}

/*
 * Sets the distinct values of a property from index keys. If there are no keys,
 * sets the value "missing".
 */
static void
key_values(const KgField *field, KgTruncate truncate, const KgPackedKey *keys,
		   int nkeys, KgValues *values)
{
	values->n = 0;
	values->values = palloc((nkeys + 1) * sizeof(KgGroupValue));
	for (int i = 0; i < nkeys; i++)
	{
		KgGroupValue value;

		if (keys[i].field_no != field->field_no)
			continue;
		value = kg_group_of_key(field, truncate, kg_packed_key_copy(&keys[i]));
		if (!kg_group_missing(&value))
			values->values[values->n++] = value;
	}
	if (values->n == 0)
		values->values[values->n++] = kg_group_value(field, truncate, NULL);
	drop_repeated(values);
}

static void
add_same(const KgPackedKey *keys, int nkeys, int64 entities, void *arg)
{
	KgAggregate *a = ((Keys *) arg)->a;
	MemoryContext old;
	KgValues values[KG_MAX_GROUPS];
	KgGroupValue operands[KG_MAX_AGGREGATIONS];

	MemoryContextReset(a->work);
	old = MemoryContextSwitchTo(a->work);
	for (int i = 0; i < a->ngroups; i++)
		key_values(
			a->groups[i].field, a->groups[i].truncate, keys, nkeys, &values[i]);
	for (int i = 0; i < a->nspecs; i++)
	{
		KgValues operand;
		int same = 0;

		if (!a->specs[i].has_property)
			continue;
		/*
		 * Several aggregations may use one property, whose values are read
		 * only once.
		 */
		while (!a->specs[same].has_property ||
			   a->specs[same].field != a->specs[i].field)
			same++;
		if (same < i)
		{
			operands[i] = operands[same];
			continue;
		}
		key_values(a->specs[i].field, KG_TRUNCATE_NONE, keys, nkeys, &operand);
		operands[i] = operand.values[0];
	}
	add_combinations(a, values, operands, entities);
	MemoryContextSwitchTo(old);
	kg_graph_check_memory(a->call.graph);
}

/* ---- foreign nodes ---- */

static void
add_foreign(const JsonbValue *const *found, int64 entities, void *arg)
{
	KgAggregate *a = arg;
	MemoryContext old;
	KgValues values[KG_MAX_GROUPS];
	KgGroupValue groups[KG_MAX_GROUPS];
	KgGroupValue operands[KG_MAX_AGGREGATIONS];

	MemoryContextReset(a->work);
	old = MemoryContextSwitchTo(a->work);
	for (int i = 0; i < a->ngroups; i++)
	{
		groups[i] = kg_group_value(
			a->groups[i].field, a->groups[i].truncate, found[i]);
		values[i] = (KgValues){1, &groups[i]};
	}
	for (int i = 0; i < a->nspecs; i++)
		if (a->specs[i].has_property)
			operands[i] = kg_group_value(
				a->specs[i].field, KG_TRUNCATE_NONE, found[a->ngroups + i]);
	add_combinations(a, values, operands, entities);
	MemoryContextSwitchTo(old);
	kg_graph_check_memory(a->call.graph);
}

/*
 * Aggregates the selected nodes of a type that reads a table of the user, and
 * sets *n to their number. An SQL statement groups the rows of the table by all
 * needed properties, so no document is read. Returns false if that is not
 * possible.
 */
static bool
aggregate_foreign(KgAggregate *a, uint32 *n)
{
	const KgForeign *foreign = kg_foreign_of(a->call.graph, a->node.type);
	const KgField *fields[KG_MAX_GROUPS + KG_MAX_AGGREGATIONS] = {NULL};
	int64 counted;

	if (foreign == NULL || a->node.related != NULL || a->steps.n > 0 ||
		a->counted != NULL)
		return false;
	for (int i = 0; i < a->ngroups; i++)
	{
		const KgGroupKey *key = &a->groups[i];

		fields[i] = key->field;
		if (key->related || key->step_no > 0 || key->path != NULL ||
			key->field == NULL || key->field->is_array)
			return false;
	}
	for (int i = 0; i < a->nspecs; i++)
	{
		fields[a->ngroups + i] = a->specs[i].field;
		if (a->paths[i] != NULL || a->edges[i] != NULL ||
			(a->specs[i].has_property &&
			 (a->specs[i].field == NULL || a->specs[i].field->is_array)))
			return false;
	}
	counted = foreign->groups(a->call.graph,
							  &a->node,
							  fields,
							  a->ngroups + a->nspecs,
							  add_foreign,
							  a);
	*n = (uint32) Min(counted, PG_UINT32_MAX);
	return counted >= 0;
}

/*
 * Returns a property that has exactly one index key for each entity, or NULL.
 * The number of keys of such a property is the number of entities.
 */
static const KgField *
countable_field(const KgType *type)
{
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].indexed && !type->fields[i].counted &&
			!type->fields[i].is_array)
			return &type->fields[i];
	return NULL;
}

/*
 * Aggregates all entities of a type by index keys, without selecting nodes
 * first, and sets *n to their number. Returns false if that is not possible.
 */
static bool
aggregate_type(KgAggregate *a, uint32 *n)
{
	const KgSelector *node = &a->node;
	int64 counted;
	Keys keys;

	if (node->nids > 0 || node->related != NULL || a->steps.n > 0 ||
		(node->filter != NULL && !kg_filter_is_empty(node->filter)) ||
		a->call.catalog->authorizes || !follows_from_keys(a, &keys))
		return false;
	if (keys.nfields == 0 && countable_field(node->type) != NULL)
		add_field(&keys, countable_field(node->type));
	counted = kg_key_counts(a->call.graph,
							node->type,
							keys.fields,
							keys.nfields,
							NULL,
							0,
							add_same,
							&keys);
	*n = (uint32) Min(counted, PG_UINT32_MAX);
	return true;
}

/* Returns whether the group key is a property of the node itself. */
static bool
is_own(const KgGroupKey *key)
{
	return !key->related && key->step_no == 0 && key->path == NULL;
}

static bool
needs_data(const KgAggregate *a)
{
	for (int i = 0; i < a->ngroups; i++)
		if (is_own(&a->groups[i]) && a->groups[i].field != NULL)
			return true;
	for (int i = 0; i < a->nspecs; i++)
		if (a->paths[i] == NULL && a->edges[i] == NULL &&
			a->specs[i].field != NULL)
			return true;
	return false;
}

/* Returns whether any property of the nodes themselves is needed. */
static bool
needs_rows(const KgAggregate *a)
{
	for (int i = 0; i < a->ngroups; i++)
		if (is_own(&a->groups[i]))
			return true;
	for (int i = 0; i < a->nspecs; i++)
		if (a->paths[i] == NULL && a->edges[i] == NULL &&
			a->specs[i].has_property)
			return true;
	return false;
}

/* Adds nodes by their node numbers, without reading their documents. */
static void
add_nodes(KgAggregate *a, const int64 *nodes, uint32 n)
{
	KgRef ref = {.rank = kg_graph_rank(a->call.graph, a->node.type->type_no)};
	uint64 done = 0;

	for (uint32 i = 0; i < n; i++)
	{
		kg_plan_count(&done, 1);
		ref.node = nodes[i];
		add_node(&ref, a);
	}
}

/*
 * Removes from the array the nodes from which the chain of relationships cannot
 * be completed. Returns the number of remaining nodes.
 */
static uint32
keep_connected(KgAggregate *a, KgChain *steps, int64 *nodes, uint32 n)
{
	KgRelated condition = {.n = 1, .chains = steps};
	KgGraph *graph = a->call.graph;
	KgTraversal *t = &a->chain;
	uint32 kept = 0;

	if (a->steps.n == 0 || n == 0)
		return n;
	/*
	 * If nothing is aggregated at the steps, the chain is only a condition. If
	 * no node satisfies it, the hints need its traversal.
	 */
	if (a->deepest == 0)
		kept = kg_related_keep(graph, &condition, nodes, n);
	if (kept > 0)
		return kept;
	kg_cost_traverse(
		graph, nodes, n, a->steps.specs, a->steps.n, "/relationships");
	kg_traverse_run(
		t, graph, seen_type(a), nodes, n, a->steps.specs, a->steps.n);
	for (uint32 s = 0; s < t->steps[0].nstarts; s++)
		if (t->steps[0].rows[s] > 0)
			nodes[kept++] = t->set.nodes[t->steps[0].starts[s]];
	return kept;
}

/* Checks the estimated cost of the groups over relationships. */
static void
estimate_groups(KgAggregate *a, const int64 *nodes, uint32 n)
{
	for (int i = 0; i < a->ngroups && n > 0; i++)
		if (a->groups[i].related)
			kg_cost_traverse(
				a->call.graph, nodes, n, &a->groups[i].step, 1, "/group_by");
}

/*
 * Returns whether the reply has no rows because the relationships lead to no
 * node.
 */
static bool
ends_early(const KgAggregate *a)
{
	if (a->kept == 0)
		return true;
	for (int i = 0; i < a->ngroups; i++)
		if (a->groups[i].related && a->groups[i].t.total == 0)
			return true;
	return false;
}

/*
 * Returns hints that explain why no node is counted, or NULL. The cause is the
 * chain of relationships, or the relationship of a group.
 */
static Jsonb *
hints(KgAggregate *a, const int64 *nodes)
{
	KgCorrection correction = {NULL};
	Jsonb *result;
	KgJsonWriter w;

	kg_jw_init_array(&w);
	(void) kg_hint_related(a->call.catalog, a->node.related, &correction, &w);
	if (a->kept == 0)
		kg_hint_traversal(&a->call, &a->chain, "/relationships", &w);
	for (int i = 0; i < a->ngroups && a->kept > 0; i++)
	{
		const KgGroupKey *key = &a->groups[i];

		if (!key->related || key->t.total > 0)
			continue;
		kg_hint_edges(&a->call,
					  kg_path_index("/group_by", i),
					  "no selected node has an edge to a node that this group "
					  "describes, so no node is in a group",
					  nodes,
					  a->kept,
					  &w);
	}
	result = kg_jw_finish(&w);
	return kg_json_length(&result->root) > 0 ? result : NULL;
}

static void
read_paths(KgAggregate *a, const int64 *nodes, uint32 n)
{
	for (int i = 0; i < a->ngroups; i++)
		if (a->groups[i].path != NULL)
			a->groups[i].reached = kg_ref_values(
				a->call.graph, a->groups[i].path, nodes, n, "/group_by");
	for (int i = 0; i < a->nspecs; i++)
		if (a->paths[i] != NULL)
			a->reached[i] = kg_ref_values(
				a->call.graph, a->paths[i], nodes, n, "/aggregations");
}

/*
 * Returns whether nodes from which the chain of relationships cannot be
 * completed may be omitted early. This is so if there is such a chain, no
 * authorizer decides, and no hint about not_related must consider all nodes.
 */
static bool
may_leave_out(const KgAggregate *a)
{
	const KgRelated *related = a->node.related;

	for (int i = 0; related != NULL && i < related->n; i++)
		if (related->chains[i].negated)
			return false;
	return a->steps.n > 0 && !a->call.catalog->authorizes;
}

/*
 * Aggregates the selected nodes and sets *selected to their number. Returns the
 * nodes, or NULL if the aggregation did not need a list of nodes.
 */
static int64 *
aggregate(KgAggregate *a, uint32 *selected)
{
	KgGraph *graph = a->call.graph;
	KgChain steps = {.specs = a->steps.specs,
					 .nsteps = a->steps.n,
					 .path = "/relationships"};
	int64 *nodes;
	uint32 n;
	Keys keys;

	a->result = kg_groups_new(graph->context, a->ngroups, a->specs, a->nspecs);
	a->work = AllocSetContextCreate(
		graph->context, "kg_graph aggregate", ALLOCSET_DEFAULT_SIZES);
	if (kg_foreign_of(graph, a->node.type) != NULL
			? aggregate_foreign(a, selected)
			: aggregate_type(a, selected))
	{
		a->kept = *selected;
		return NULL;
	}
	if (may_leave_out(a))
		a->node.follows = &steps;
	nodes = kg_select_nodes(graph, &a->node, selected);
	a->node.follows = NULL;
	n = *selected;
	if (a->counted != NULL && !a->counts_kept)
		kg_counts_check(a->node.type, a->counted, a->counted_path, n);
	n = keep_connected(a, &steps, nodes, n);
	estimate_groups(a, nodes, n);
	a->kept = n;
	for (int i = 0; i < a->ngroups && n > 0; i++)
		if (a->groups[i].related || a->groups[i].step_no > 0)
			read_related(a, &a->groups[i], nodes, n);
	read_paths(a, nodes, n);
	if (a->edge_step > 0 && n > 0)
		a->found = kg_step_edges_read(&a->call, &a->chain, a->edge_step);
	if (n > 1 && needs_data(a) && follows_from_keys(a, &keys))
		(void) kg_key_counts(graph,
							 a->node.type,
							 keys.fields,
							 keys.nfields,
							 nodes,
							 n,
							 add_same,
							 &keys);
	else if (seen_type(a) != NULL && !needs_rows(a))
		add_nodes(a, nodes, n);
	else
	{
		if (a->counted != NULL)
			a->counts = kg_counts_of(graph->catalog, a->node.type, nodes, n);
		kg_graph_resolve(graph, nodes, n, needs_data(a), add_node, a);
	}
	return nodes;
}

/* ---- the reply ---- */

static const KgGroupValue *
row_value(const KgAggregate *a, const Row *row, int column)
{
	return column < a->ngroups ? &row->group->keys[column]
							   : &row->results[column - a->ngroups];
}

/*
 * Compares rows by the requested sort keys, then by the values of their groups.
 * Missing values are last in both directions.
 */
static int
compare_rows(const void *x, const void *y, void *arg)
{
	const KgAggregate *a = arg;
	const Row *one = *(const Row *const *) x;
	const Row *other = *(const Row *const *) y;
	int order = 0;

	for (int i = 0; i < a->nsort && order == 0; i++)
	{
		const KgGroupValue *p = row_value(a, one, a->sort[i].column);
		const KgGroupValue *q = row_value(a, other, a->sort[i].column);

		order = kg_group_missing(p) - kg_group_missing(q);
		if (order == 0)
		{
			order = kg_key_compare(p->key, q->key);
			if (a->sort[i].descending)
				order = -order;
		}
	}
	for (int i = 0; i < a->ngroups && order == 0; i++)
		order = kg_key_compare(row_value(a, one, i)->key,
							   row_value(a, other, i)->key);
	return order;
}

/* Returns the sorted rows that pass "having", and sets *n to their number. */
static Row **
make_rows(KgAggregate *a, uint32 *n)
{
	MemoryContext context = a->call.graph->context;
	Size size = offsetof(Row, results) + a->nspecs * sizeof(KgGroupValue);
	KgGroup **groups = kg_groups_list(a->result, n);
	Row **rows = MemoryContextAllocHuge(context,
										((Size) *n + 1) * sizeof(Row *));
	uint32 nrows = 0;
	uint64 done = 0;

	for (uint32 i = 0; i < *n; i++)
	{
		Row *row = MemoryContextAlloc(context, size);

		kg_plan_count(&done, a->nspecs + 1);
		row->group = groups[i];
		for (int s = 0; s < a->nspecs; s++)
			row->results[s] = kg_group_result(&a->specs[s],
											  &groups[i]->accumulators[s]);
		if (kg_having_passes(&a->having, row->results))
			rows[nrows++] = row;
	}
	*n = nrows;
	kg_graph_check_memory(a->call.graph);
	qsort_interruptible(rows, *n, sizeof(Row *), compare_rows, a);
	return rows;
}

static int
compare_per(const void *x, const void *y, void *arg)
{
	const KgAggregate *a = arg;
	Row *const *p = *(Row *const *const *) x;
	Row *const *q = *(Row *const *const *) y;
	int order = kg_key_compare(row_value(a, *p, a->per)->key,
							   row_value(a, *q, a->per)->key);

	return order != 0 ? order : p < q ? -1 : p > q;
}

/*
 * Keeps only the first rows for each value of the group "per". Does not change
 * the order of the rows. Returns the number of remaining rows.
 */
static uint32
keep_per(const KgAggregate *a, Row **rows, uint32 n)
{
	MemoryContext context = a->call.graph->context;
	/* places in the array of rows */
	Row ***sorted = MemoryContextAllocHuge(context,
										   ((Size) n + 1) * sizeof(Row **));
	bool *kept = MemoryContextAllocHuge(context, (Size) n + 1);
	int64 before = 0;
	uint32 nkept = 0;

	for (uint32 i = 0; i < n; i++)
		sorted[i] = &rows[i];
	qsort_interruptible(
		sorted, n, sizeof(Row **), compare_per, unconstify(KgAggregate *, a));
	for (uint32 i = 0; i < n; i++)
	{
		bool same = i > 0 &&
					kg_key_compare(row_value(a, *sorted[i - 1], a->per)->key,
								   row_value(a, *sorted[i], a->per)->key) == 0;

		before = same ? before + 1 : 0;
		kept[sorted[i] - rows] = before < a->limit;
	}
	for (uint32 i = 0; i < n; i++)
		if (kept[i])
			rows[nkept++] = rows[i];
	return nkept;
}

static KG_NORETURN void
throw_too_many(const KgAggregate *a, uint32 n)
{
	KG_THROW(KG_LIMIT_EXCEEDED,
			 .message = psprintf("with the limit for each value of \"%s\", the "
								 "reply would have %u rows, more than "
								 "kg_graph.max_rows (%d)",
								 a->columns[a->per],
								 n,
								 kg_setting_max_rows),
			 .path = "/limit",
			 .expected = "a smaller limit, which applies to each value");
}

/* Returns a row of the reply. The writer is used for all rows in turn. */
static Jsonb *
row_json(const KgAggregate *a, const Row *row, KgJsonWriter *w)
{
	kg_jw_begin_array(w);
	for (int i = 0; i < a->ncolumns - a->nlabels; i++)
		kg_jw_value(w, &row_value(a, row, i)->value);
	for (int i = 0; i < a->nlabels; i++)
		kg_aggregate_write_label(
			&a->labels[i], row_value(a, row, a->labels[i].group), w);
	return kg_jw_finish(w);
}

/*
 * Returns the field whose values are in the column of a group: the property, or
 * the id.
 */
static const KgField *
group_field(const KgAggregate *a, const KgGroupKey *key)
{
	const KgType *type = group_type(a, key);

	return key->field != NULL || type == NULL ? key->field : type->id_field;
}

/*
 * Returns the field whose values the result of an aggregation shows, such as a
 * minimum. Returns NULL for counts and computed values.
 */
static const KgField *
aggregated_field(const KgAggregateSpec *spec)
{
	return spec->fn == KG_FN_MIN || spec->fn == KG_FN_MAX ? spec->field : NULL;
}

static const KgField *
column_field(const KgAggregate *a, int column)
{
	int nvalues = a->ngroups + a->nspecs;

	if (column < a->ngroups)
		return group_field(a, &a->groups[column]);
	return column < nvalues ? aggregated_field(&a->specs[column - a->ngroups])
							: a->labels[column - nvalues].type->label_field;
}

/* Returns marks for the columns that contain untrusted text. */
static KgMarks
column_marks(const KgAggregate *a)
{
	KgMarks marks = {NIL};

	for (int i = 0; i < a->ncolumns; i++)
		kg_marks_note_of(&marks, "columns", column_field(a, i), a->columns[i]);
	return marks;
}

static void
read_labels(KgAggregate *a, Row *const *rows, int n)
{
	KgGroup **groups = palloc((n + 1) * sizeof(KgGroup *));

	for (int i = 0; i < n; i++)
		groups[i] = unconstify(KgGroup *, rows[i]->group);
	kg_aggregate_read_labels(a, groups, n);
}

static void
build_reply(KgAggregate *a)
{
	KgReply *reply = &a->reply;
	Row **rows = make_rows(a, &a->nrows);
	KgJsonWriter w;

	if (a->per >= 0 && a->limit > 0)
	{
		a->nrows = keep_per(a, rows, a->nrows);
		if (a->nrows > (uint32) kg_setting_max_rows)
			throw_too_many(a, a->nrows);
		a->limit = a->nrows;
	}
	kg_reply_init(reply, &a->call);
	reply->draft.n = Min(a->nrows, a->limit);
	reply->draft.total = a->nrows;
	reply->draft.more = a->nrows > reply->draft.n;
	reply->draft.highest_limit = kg_setting_max_rows;
	reply->draft.marks = column_marks(a);
	read_labels(a, rows, reply->draft.n);
	a->written = palloc((reply->draft.n + 1) * sizeof(Jsonb *));
	reply->unit_sizes = palloc((reply->draft.n + 1) * sizeof(Size));
	kg_jw_init(&w);
	for (int i = 0; i < reply->draft.n; i++)
	{
		a->written[i] = row_json(a, rows[i], &w);
		reply->unit_sizes[i] = kg_json_text_size(&a->written[i]->root) + 2;
	}
}

static void
write_reply(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const KgAggregate *a = state;

	kg_jw_kstrings(w, "columns", (char *const *) a->columns, a->ncolumns);
	kg_jw_kbegin_array(w, "rows");
	for (int i = 0; i < fit->listed; i++)
		kg_jw_jsonb(w, a->written[i]);
	kg_jw_end_array(w);
	kg_jw_kjsonb_if(w, "warnings", a->warnings);
}

Jsonb *
kg_tool_aggregate_nodes(const Jsonb *arguments)
{
	KgAggregate *a = palloc0(sizeof(KgAggregate));
	const KgSelector *node = &a->node;
	int64 *nodes;
	uint32 n;
	Jsonb *result;

	kg_aggregate_read(a, arguments);
	nodes = aggregate(a, &n);
	if (a->ngroups == 0)
		kg_groups_ensure_one(a->result);
	build_reply(a);
	if (n == 0)
		a->reply.draft.hints = kg_selector_hints(&a->call, &node, 1);
	else if (ends_early(a) || node->related != NULL)
		a->reply.draft.hints = hints(a, nodes);
	result = kg_reply_finish(&a->reply, write_reply, a);
	kg_graph_call_end(&a->call);
	return result;
}
