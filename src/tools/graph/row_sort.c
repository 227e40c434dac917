/*
 * graph/row_sort.c
 *	  Sorts the rows of a traversal by properties of their nodes or edges.
 *
 *	  No index has rows in order, so the property is read for each row.
 */
#include "postgres.h"

#include "base/error.h"
#include "tools/graph/row_sort.h"
#include "tools/graph/step_edges.h"
#include "utils/memutils.h"

/* ---- arguments ---- */

static KG_NORETURN void
throw_unknown(const KgRowSortKey *key, const char *sent, const char *expected)
{
	KG_THROW(
		KG_INVALID_INPUT,
		.message = psprintf(
			"the nodes by which rows are sorted have no property \"%s\" with "
			"a single value",
			key->name),
		.path = key->path,
		.got_string = sent,
		.expected = expected);
}

static bool
can_sort(const KgField *field)
{
	return field != NULL && !field->derived && kg_field_is_single(field);
}

/*
 * Finds the property in the type "only" and sets the fields of the key. If
 * "only" is NULL, finds the property in all types.
 */
static void
find_of_nodes(KgGraphCall *call, const KgType *only, const char *sent,
			  KgRowSortKey *key)
{
	KgGraph *graph = call->graph;
	bool found = false;

	key->fields = palloc0((graph->nranks + 1) * sizeof(KgField *));
	key->paths = palloc0((graph->nranks + 1) * sizeof(KgRefPath *));
	for (int i = 0; i < graph->nranks; i++)
	{
		const KgType *type = kg_graph_type(graph, i);
		const KgField *field = strcmp(key->name, "id") == 0
								   ? type->id_field
								   : kg_type_field(type, key->name);
		const KgRefPath *path;

		if (only != NULL && type != only)
			continue;
		path = kg_ref_path(
			call->catalog, type, key->name, key->path, only == NULL);
		if (path != NULL && !path->many)
		{
			key->paths[i] = path;
			field = path->field != NULL ? path->field : path->type->id_field;
		}
		if (!can_sort(field))
			continue;
		key->fields[i] = field;
		found = true;
	}
	if (!found)
		throw_unknown(key,
					  sent,
					  "a property of the node at the end of the step, or "
					  "\"edge.NAME\" for a property of the step's edges");
}

static void
find_of_edges(KgGraphCall *call, const KgStepSpec *step, const char *sent,
			  KgRowSortKey *key)
{
	const KgField *example;

	key->fields = kg_edge_fields(call->catalog, step, key->name, &example);
	if (key->fields == NULL || !can_sort(example))
		kg_throw_edge_property(call->catalog, step, sent, key->path);
}

/*
 * Returns the type of the nodes after the first n steps. Returns NULL if they
 * may be of several types.
 */
static const KgType *
type_after(const KgGraphCall *call, const KgSteps *steps, const KgType *from,
		   int n)
{
	const KgType *type = from;

	for (int i = 0; i < n; i++)
	{
		const KgStepSpec *step = &steps->specs[i];
		const KgType *only = NULL;

		for (int t = 0; t < step->ntests; t++)
			if (step->tests[t].type != NULL)
				only = step->tests[t].type;
		if (only == NULL && kg_step_is_one_edge(step))
			only = kg_follow_leads_to(call->catalog, &step->follow, type);
		type = only;
	}
	return type;
}

static void
read_key(KgGraphCall *call, const KgSteps *steps, const KgType *from,
		 const KgInput *in, KgRowSortKey *key)
{
	char *sent = kg_input_string(in, "field");
	int64 step = steps->n;

	(void) kg_args_int(
		in->object, "step", in->path, 0, steps->n, &step, in->repairs);
	key->path = kg_input_path(in, "field");
	key->step = (int) step;
	key->edge = step > 0 && kg_edge_property(sent) != NULL;
	key->name = key->edge ? kg_edge_property(sent) : sent;
	key->descending = kg_input_enum(in, "order", "\"asc\" or \"desc\"") == 1;
	if (key->edge)
		find_of_edges(call, &steps->specs[step - 1], sent, key);
	else
		find_of_nodes(
			call, type_after(call, steps, from, key->step), sent, key);
}

void
kg_row_sort_read(KgGraphCall *call, const KgSteps *steps, const KgType *from,
				 KgRowSort *sort)
{
	sort->n = kg_input_objects(&call->input, "sort", "fields");
	for (int i = 0; i < sort->n; i++)
	{
		KgInput item;

		kg_input_item(&call->input, "sort", i, &item);
		read_key(call, steps, from, &item, &sort->keys[i]);
	}
}

/* ---- values ---- */

typedef struct Sorting
{
	KgGraphCall *call;
	const KgRowSort *sort;
	const KgTraversal *t;
	const KgBinding *rows;
	uint32 n;
	/* sort keys of the rows, indexed by sort key and row */
	const bytea **keys[KG_MAX_SORT];
} Sorting;

typedef struct NodeKeys
{
	Sorting *s;
	const KgRowSortKey *key;
	KgNodeSet nodes;
	const bytea **keys; /* sort keys, indexed as the nodes */
} NodeKeys;

static const bytea *
key_of(const KgField *field, const JsonbValue *value)
{
	const bytea *key = value != NULL && value->type != jbvNull
						   ? kg_key_encode(field, value)
						   : NULL;

	return key != NULL ? key : kg_key_missing();
}

static void
take_key(const KgRef *ref, void *arg)
{
	NodeKeys *state = arg;
	const KgField *field = state->key->fields[ref->rank - 1];
	uint32 i = kg_nodeset_find(&state->nodes, ref->node);
	JsonbValue value;
	MemoryContext old;

	if (i == KG_NO_NODE || field == NULL ||
		state->key->paths[ref->rank - 1] != NULL ||
		!kg_field_value(field, &ref->data->root, &value))
		return;
	old = MemoryContextSwitchTo(state->s->call->graph->context);
	state->keys[i] = key_of(field, &value);
	MemoryContextSwitchTo(old);
	kg_graph_check_memory(state->s->call->graph);
}

/*
 * Sets the sort keys of the nodes of one type. The values are at the end of a
 * path through references.
 */
static void
take_path_keys(NodeKeys *state, int rank)
{
	const KgRefPath *path = state->key->paths[rank - 1];
	KgGraph *graph = state->s->call->graph;
	uint16 *ranks = palloc((state->nodes.n + 1) * sizeof(uint16));
	int64 *nodes = palloc((state->nodes.n + 1) * sizeof(int64));
	KgRefValues *values;
	uint32 n = 0;

	kg_graph_types(graph, state->nodes.nodes, state->nodes.n, ranks);
	for (uint32 i = 0; i < state->nodes.n; i++)
		if (ranks[i] == rank)
			nodes[n++] = state->nodes.nodes[i];
	values = kg_ref_values(graph, path, nodes, n, state->key->path);
	for (uint32 i = 0; i < n; i++)
		state->keys[kg_nodeset_find(&state->nodes, nodes[i])] =
			kg_ref_values_key(values, nodes[i]);
}

static void
read_node_keys(Sorting *s, const KgRowSortKey *key, const bytea **keys)
{
	KgGraph *graph = s->call->graph;
	NodeKeys state = {s, key};
	bool documents = false;

	kg_nodeset_init(&state.nodes, graph->context);
	for (uint32 i = 0; i < s->n; i++)
		(void) kg_nodeset_add(&state.nodes,
							  s->t->set.nodes[s->rows[i].nodes[key->step]]);
	state.keys = palloc((state.nodes.n + 1) * sizeof(bytea *));
	for (uint32 i = 0; i < state.nodes.n; i++)
		state.keys[i] = kg_key_missing();
	for (int rank = 1; rank <= graph->nranks; rank++)
		if (key->paths[rank - 1] != NULL)
			take_path_keys(&state, rank);
		else
			documents |= key->fields[rank - 1] != NULL;
	if (documents)
		kg_graph_resolve(
			graph, state.nodes.nodes, state.nodes.n, true, take_key, &state);
	for (uint32 i = 0; i < s->n; i++)
		keys[i] = state.keys[kg_nodeset_find(
			&state.nodes, s->t->set.nodes[s->rows[i].nodes[key->step]])];
}

/* Compares two sort keys. Missing values are last in both directions. */
static int
compare_keys(const bytea *x, const bytea *y, bool descending)
{
	int order = kg_key_is_value(y) - kg_key_is_value(x);

	if (order == 0)
		order = descending ? kg_key_compare(y, x) : kg_key_compare(x, y);
	return order;
}

typedef struct FirstKey
{
	const Sorting *s;
	const KgRowSortKey *key;
	const bytea *best;
} FirstKey;

/* Keeps the sort key of the edge that sorts first among the edges of a row. */
static void
keep_first(const KgReplyEdge *edge, void *arg)
{
	FirstKey *state = arg;
	const KgField *field;
	JsonbValue value;
	const bytea *found;

	if (!kg_edge_value(
			state->s->call->catalog, edge, state->key->fields, &value, &field))
		return;
	found = key_of(field, &value);
	if (compare_keys(found, state->best, state->key->descending) < 0)
		state->best = found;
}

static void
read_edge_keys(Sorting *s, const KgRowSortKey *key, const bytea **keys)
{
	const KgStepEdges *edges = kg_step_edges_read(s->call, s->t, key->step);
	const int64 *nodes = s->t->set.nodes;

	for (uint32 i = 0; i < s->n; i++)
	{
		FirstKey state = {s, key, kg_key_missing()};

		kg_step_edges_visit(edges,
							nodes[s->rows[i].nodes[key->step - 1]],
							nodes[s->rows[i].nodes[key->step]],
							keep_first,
							&state);
		keys[i] = state.best;
	}
}

static int
compare_rows(const void *a, const void *b, void *arg)
{
	const Sorting *s = arg;
	uint32 x = *(const uint32 *) a;
	uint32 y = *(const uint32 *) b;

	for (int i = 0; i < s->sort->n; i++)
	{
		int order = compare_keys(
			s->keys[i][x], s->keys[i][y], s->sort->keys[i].descending);

		if (order != 0)
			return order;
	}
	return x < y ? -1 : x > y;
}

/* Returns whether the property is an enum in some type or relation. */
static bool
is_enum(const KgGraphCall *call, const KgRowSortKey *key)
{
	int n = key->edge ? call->catalog->nrelations : call->graph->nranks;

	for (int i = 0; i < n; i++)
		if (key->fields[i] != NULL && key->fields[i]->kind == KG_KIND_ENUM)
			return true;
	return false;
}

void
kg_row_sort_run(KgGraphCall *call, const KgRowSort *sort, const KgTraversal *t,
				KgBinding *rows, uint32 n)
{
	KgRowSort as_keys = *sort;
	Sorting s = {call, &as_keys, t, rows, n};
	MemoryContext old = MemoryContextSwitchTo(call->graph->context);
	uint32 *order = palloc_extended((n + 1) * sizeof(uint32), MCXT_ALLOC_HUGE);
	KgBinding *sorted = palloc_extended((n + 1) * sizeof(KgBinding),
										MCXT_ALLOC_HUGE);

	for (int i = 0; i < sort->n; i++)
	{
		KgRowSortKey *key = &as_keys.keys[i];

		/*
		 * The first value of an enum counts as the highest, but its sort key
		 * is the lowest.
		 */
		if (is_enum(call, key))
			key->descending = !key->descending;
		s.keys[i] = palloc_extended((n + 1) * sizeof(bytea *), MCXT_ALLOC_HUGE);
		if (key->edge)
			read_edge_keys(&s, key, s.keys[i]);
		else
			read_node_keys(&s, key, s.keys[i]);
	}
	for (uint32 i = 0; i < n; i++)
		order[i] = i;
	qsort_interruptible(order, n, sizeof(uint32), compare_rows, &s);
	for (uint32 i = 0; i < n; i++)
		sorted[i] = rows[order[i]];
	memcpy(rows, sorted, (Size) n * sizeof(KgBinding));
	MemoryContextSwitchTo(old);
}
