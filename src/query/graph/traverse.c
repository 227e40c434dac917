/*
 * traverse.c
 *	  Bindings of a chain of steps.
 *
 * For each step, the edges around all starts are read, by one statement for
 * each hop and direction. Then the ends of each start, which are the nodes
 * that a walk of an allowed length reaches, are found in memory and tested.
 * Only ends from which the later steps can be completed count. The number of
 * rows is a sum of products, so it is exact without listing the rows. A page
 * is listed by walking the sorted ends from the row after which it starts.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "query/derived.h"
#include "query/time/past.h"
#include "query/run/plan.h"
#include "query/graph/foreign.h"
#include "query/graph/related.h"
#include "query/filter/scan.h"
#include "query/filter/select.h"
#include "query/graph/traverse.h"
#include "utils/memutils.h"

/*
 * The documents of at most this many nodes are tested. For more nodes, the keys
 * of the filters are read first.
 */
#define KG_FEW_TESTED 64

/* ---- tests of nodes ---- */

typedef struct TestState
{
	const KgNodeTest *test;
	KgNodeSet set;
	const uint32 *position;
	/*
	 * indexed by rank - 1: counts of edges that the type's filter needs; NULL:
	 * no counts
	 */
	KgCounts **counts;
	bool *pass;
} TestState;

/* Returns whether an id, which is never missing, matches the condition. */
static bool
id_matches(const KgCondition *condition, const char *id, int len)
{
	const KgOperator *op = kg_operator(condition->op);
	bool any = false;

	for (int i = 0; i < condition->nvalues; i++)
	{
		const char *value = condition->values[i].val.string.val;
		int valuelen = condition->values[i].val.string.len;
		int order = memcmp(id, value, Min(len, valuelen));

		if (order == 0)
			order = len - valuelen;
		if (op->form == KG_OPERAND_PART)
			any |= kg_op_passes_text(condition->op, id, len, value, valuelen);
		else
			any |= kg_op_passes(condition->op, order);
	}
	return any == (op->quantity == KG_SOME);
}

static bool
condition_holds(const KgCondition *condition, const KgRef *ref)
{
	JsonbContainer *root = (JsonbContainer *) &ref->data->root;

	if (condition->field != NULL)
		return kg_condition_matches(condition, root);
	return id_matches(condition, ref->id, ref->idlen);
}

static bool
filter_holds(const KgFilter *filter, const KgRef *ref)
{
	for (int i = 0; i < filter->nconditions; i++)
		if (!condition_holds(&filter->conditions[i], ref))
			return false;
	for (int i = 0; i < filter->nany; i++)
		if (filter_holds(filter->any[i], ref))
			return true;
	return filter->nany == 0;
}

static void
test_ref(const KgRef *ref, void *arg)
{
	TestState *state = arg;
	const KgFilter *filter = state->test->filters[ref->rank - 1];
	uint32 i = kg_nodeset_find(&state->set, ref->node);
	const KgCounts *counts = state->counts[ref->rank - 1];
	KgRef counted = *ref;
	Jsonb *data;

	if (filter == NULL || i == KG_NO_NODE)
		return;
	if (counts == NULL)
	{
		state->pass[state->position[i]] = filter_holds(filter, ref);
		return;
	}
	data = kg_counts_show(counts, ref->node, ref->data);
	counted.data = data;
	state->pass[state->position[i]] = filter_holds(filter, &counted);
	pfree(data);
}

/*
 * Returns the counts of edges that a type's filter needs, for the nodes of that
 * type; NULL if the filter needs no counts.
 */
static KgCounts *
count_for(KgGraph *graph, const TestState *state, const uint16 *ranks,
		  uint16 rank)
{
	const KgFilter *filter = state->test->filters[rank - 1];
	const KgType *type = kg_graph_type(graph, rank - 1);
	const KgCondition *counted;
	KgCounts *counts;
	int64 *nodes;
	uint32 n = 0;

	if (filter == NULL || !kg_filter_names_count(filter))
		return NULL;
	nodes = MemoryContextAllocHuge(graph->context,
								   Max((Size) state->set.n, 1) * sizeof(int64));
	for (uint32 i = 0; i < state->set.n; i++)
		if (ranks[state->position[i]] == rank)
			nodes[n++] = state->set.nodes[i];
	counted = kg_filter_counts(filter);
	if (counted != NULL)
		kg_counts_check(type, counted->field, counted->property_path, n);
	counts = kg_counts_of(graph->catalog, type, nodes, n);
	pfree(nodes);
	return counts;
}

/*
 * Tests the nodes whose type reads a table of the user (foreign.h) against the
 * filter of their type, by statements over these tables. Sets state->pass for
 * each tested node, and removes it from the set. Nodes that no such statement
 * can test remain in the set.
 */
static void
test_foreign(KgGraph *graph, TestState *state, const uint16 *ranks)
{
	KgNodeSet *set = &state->set;
	int64 *nodes = MemoryContextAllocHuge(
		graph->context, Max((Size) set->n, 1) * sizeof(int64));
	bool *tested = MemoryContextAllocExtended(graph->context,
											  Max((Size) set->n, 1),
											  MCXT_ALLOC_HUGE |
												  MCXT_ALLOC_ZERO);
	uint32 *position = (uint32 *) state->position;
	KgNodeSet passing;
	KgNodeSet left;

	kg_nodeset_init(&passing, graph->context);
	for (uint16 rank = 1; rank <= graph->nranks; rank++)
	{
		const KgFilter *filter = state->test->filters[rank - 1];
		uint32 n = 0;

		if (filter == NULL ||
			kg_foreign_of(graph, kg_graph_type(graph, rank - 1)) == NULL)
			continue;
		for (uint32 i = 0; i < set->n; i++)
			if (ranks[position[i]] == rank)
				nodes[n++] = set->nodes[i];
		if (n == 0 ||
			!graph->foreign->pass(graph, rank, filter, nodes, n, &passing))
			continue;
		for (uint32 i = 0; i < set->n; i++)
			tested[i] |= ranks[position[i]] == rank;
	}
	kg_nodeset_init(&left, graph->context);
	for (uint32 i = 0; i < set->n; i++)
		if (tested[i])
			state->pass[position[i]] = kg_nodeset_has(&passing, set->nodes[i]);
		else
			position[kg_nodeset_add(&left, set->nodes[i])] = position[i];
	kg_nodeset_free(&passing);
	kg_nodeset_free(set);
	*set = left;
	pfree(nodes);
	pfree(tested);
}

static bool
is_among(const KgNodeTest *test, int64 node)
{
	return test->among == NULL || kg_nodeset_has(test->among, node);
}

static void
test_filters(KgGraph *graph, const KgNodeTest *test, const int64 *nodes,
			 uint32 n, const uint16 *ranks, bool *pass)
{
	TestState state;
	uint32 *position;

	/*
	 * For many nodes, the nodes that pass are found by keys first, because
	 * reading keys costs less than reading documents.
	 */
	if (n > KG_FEW_TESTED)
		(void) kg_node_test_resolve(graph, unconstify(KgNodeTest *, test), n);
	if (test->filters == NULL || test->resolved)
	{
		for (uint32 i = 0; i < n; i++)
			pass[i] = test->among != NULL
						  ? kg_nodeset_has(test->among, nodes[i])
						  : test->type == NULL ||
								(ranks[i] != 0 && kg_graph_is_type(graph,
																   ranks[i] - 1,
																   test->type));
		return;
	}
	memset(&state, 0, sizeof(state));
	state.test = test;
	state.pass = pass;
	kg_nodeset_init(&state.set, graph->context);
	position = MemoryContextAllocHuge(graph->context,
									  Max((Size) n, 1) * sizeof(uint32));
	/*
	 * The types of the nodes are known, so only the data of nodes that can
	 * pass the test is read.
	 */
	for (uint32 i = 0; i < n; i++)
	{
		pass[i] = false;
		if (ranks[i] == 0 || test->filters[ranks[i] - 1] == NULL)
			continue;
		if (test->type != NULL &&
			!kg_graph_is_type(graph, ranks[i] - 1, test->type))
			continue;
		if (!is_among(test, nodes[i]))
			continue;
		position[kg_nodeset_add(&state.set, nodes[i])] = i;
	}
	state.position = position;
	if (graph->foreign != NULL)
		test_foreign(graph, &state, ranks);
	state.counts = MemoryContextAlloc(
		graph->context, Max(graph->nranks, 1) * sizeof(KgCounts *));
	for (int r = 0; r < graph->nranks; r++)
		state.counts[r] = count_for(graph, &state, ranks, r + 1);
	kg_graph_resolve(
		graph, state.set.nodes, state.set.n, true, test_ref, &state);
	kg_nodeset_free(&state.set);
	pfree(state.counts);
	pfree(position);
}

/*
 * Retains, among the nodes that pass the test so far, those that have the
 * required relationships.
 */
static void
test_related(KgGraph *graph, const KgNodeTest *test, const int64 *nodes,
			 uint32 n, const uint16 *ranks, bool *pass)
{
	int64 *passing = MemoryContextAllocHuge(graph->context,
											Max((Size) n, 1) * sizeof(int64));
	uint32 npassing = 0;
	KgNodeSet kept;

	check_stack_depth();
	for (uint32 i = 0; i < n; i++)
		if (pass[i] && ranks[i] != 0)
			passing[npassing++] = nodes[i];
	npassing = kg_related_keep(graph, test->related, passing, npassing);
	kg_nodeset_init(&kept, graph->context);
	for (uint32 i = 0; i < npassing; i++)
		(void) kg_nodeset_add(&kept, passing[i]);
	for (uint32 i = 0; i < n; i++)
		pass[i] = pass[i] && kg_nodeset_has(&kept, nodes[i]);
	kg_nodeset_free(&kept);
	pfree(passing);
}

bool *
kg_follow_ends(const KgGraph *graph, const KgFollow *follow, const bool *at)
{
	const KgCatalog *catalog = graph->catalog;
	bool *next = palloc0((graph->nranks + 1) * sizeof(bool));

	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];
		bool along = kg_relation_set_has(&follow->forward,
										 relation->relation_no);
		bool against = kg_relation_set_has(&follow->backward,
										   relation->relation_no);

		for (int v = 0; v < relation->nvariants && (along || against); v++)
		{
			const KgVariant *variant = &relation->variants[v];
			uint16 from = kg_graph_rank(graph, variant->from_type_no);
			uint16 to = kg_graph_rank(graph, variant->to_type_no);

			if (along && at[from])
				next[to] = true;
			if (against && at[to])
				next[from] = true;
		}
	}
	next[0] = false;
	return next;
}

/*
 * Returns the set of types, indexed by rank, at which a step can end, or NULL if
 * it can end at all types.
 */
static bool *
step_ends(const KgGraph *graph, const KgStepSpec *step)
{
	bool *all;

	if (step == NULL || step->min_hops == 0)
		return NULL;
	all = palloc((graph->nranks + 1) * sizeof(bool));
	memset(all, true, graph->nranks + 1);
	return kg_follow_ends(graph, &step->follow, all);
}

void
kg_node_test_find(KgGraph *graph, KgNodeTest *test, const KgStepSpec *step)
{
	KgNodeSet *found = MemoryContextAlloc(graph->context, sizeof(KgNodeSet));
	KgSelector selector = {.ids = test->ids, .nids = test->nids};
	bool *ends = test->type == NULL ? step_ends(graph, step) : NULL;

	kg_nodeset_init(found, graph->context);
	for (int i = 0; i < graph->nranks; i++)
	{
		int64 *nodes;
		uint32 n;

		if (test->type != NULL ? !kg_graph_is_type(graph, i, test->type)
							   : ends != NULL && !ends[i + 1])
			continue;
		selector.type = kg_graph_type(graph, i);
		nodes = kg_select_nodes(graph, &selector, &n);
		for (uint32 j = 0; j < n; j++)
			(void) kg_nodeset_add(found, nodes[j]);
	}
	test->among = found;
}

bool
kg_node_test_resolve(KgGraph *graph, KgNodeTest *test, uint32 most)
{
	KgNodeSet *found;

	if (test->filters == NULL || test->among != NULL || most <= test->sought ||
		graph->catalog->authorizes)
		return test->resolved;
	test->sought = most;
	found = MemoryContextAlloc(graph->context, sizeof(KgNodeSet));
	kg_nodeset_init(found, graph->context);
	for (int i = 0; i < graph->nranks; i++)
	{
		const KgType *type;

		if (test->filters[i] == NULL ||
			(test->type != NULL && !kg_graph_is_type(graph, i, test->type)))
			continue;
		type = kg_graph_type(graph, i);
		/*
		 * A table that the caller cannot read must not stop a walk to other
		 * types. So if the test has no type, foreign nodes are not searched
		 * for.
		 */
		if ((test->type == NULL && kg_foreign_of(graph, type) != NULL) ||
			!kg_select_few(graph, type, test->filters[i], most, found))
		{
			kg_nodeset_free(found);
			return false;
		}
	}
	test->among = found;
	test->resolved = true;
	return true;
}

void
kg_node_test(KgGraph *graph, const KgNodeTest *test, const int64 *nodes,
			 uint32 n, const uint16 *ranks, bool *pass)
{
	test_filters(graph, test, nodes, n, ranks, pass);
	if (test->related != NULL)
		test_related(graph, test, nodes, n, ranks, pass);
}

/* ---- steps ---- */

/*
 * Reads the edges around the starts, up to the step's maximum number of hops.
 */
static void
read_step(KgTraversal *t, KgStepResult *step, const KgStepSpec *spec)
{
	KgGraph *graph = t->graph;
	uint32 *frontier = step->starts;
	uint32 n = step->nstarts;
	uint64 done = 0;

	kg_links_init(&step->links, graph, &t->set);
	for (int hop = 1; hop <= spec->max_hops && n > 0; hop++)
	{
		uint64 before = step->links.n;
		uint8 *seen;
		uint32 *next;
		uint32 nnext = 0;

		kg_links_expand(&step->links, &spec->follow, frontier, n, false);
		kg_ranks_imply(&t->ranks, &step->links, before);
		kg_ranks_update(&t->ranks, graph, &t->set);
		if (hop == spec->max_hops)
			break;
		seen = MemoryContextAllocExtended(
			graph->context, t->set.n, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
		next = MemoryContextAllocHuge(graph->context,
									  (Size) t->set.n * sizeof(uint32));
		for (uint64 i = before; i < step->links.n; i++)
		{
			uint32 node = step->links.links[i].to;

			kg_plan_count(&done, 1);
			if (seen[node] || t->ranks.ranks[node] == 0)
				continue;
			seen[node] = 1;
			next[nnext++] = node;
		}
		pfree(seen);
		frontier = next;
		n = nnext;
	}
	kg_links_sort(&step->links, t->ranks.ranks);
}

typedef struct EndList
{
	KgStepEnd *ends;
	uint64 n;
	uint64 capacity;
} EndList;

static void
add_end(KgTraversal *t, EndList *list, uint32 node, int depth)
{
	if (list->n == list->capacity)
	{
		list->capacity += list->capacity / 2;
		list->ends = repalloc_huge(list->ends,
								   list->capacity * sizeof(KgStepEnd));
		kg_graph_check_memory(t->graph);
	}
	list->ends[list->n].node = node;
	list->ends[list->n].depth = (uint8) depth;
	list->n++;
}

/*
 * Finds the ends of each start: the nodes that a walk of an allowed length
 * reaches, each with the shortest such length. A walk of length 0 reaches the
 * start itself. stamp[h][v] is start + 1 if a walk of length h from the start
 * reaches v.
 */
static void
find_ends(KgTraversal *t, KgStepResult *step, const KgStepSpec *spec)
{
	MemoryContext context = t->graph->context;
	uint32 nodes = t->set.n;
	uint32 *stamp[KG_MAX_STEP_HOPS + 1];
	uint32 *reached;
	uint32 *level[2];
	EndList list;
	uint64 done = 0;

	for (int h = 0; h <= spec->max_hops; h++)
		stamp[h] = MemoryContextAllocExtended(
			context,
			Max((Size) nodes, 1) * sizeof(uint32),
			MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	reached = stamp[0];
	for (int i = 0; i < 2; i++)
		level[i] = MemoryContextAllocHuge(
			context, Max((Size) nodes, 1) * sizeof(uint32));
	list.n = 0;
	list.capacity = 256;
	list.ends = MemoryContextAlloc(context, list.capacity * sizeof(KgStepEnd));
	step->first = MemoryContextAllocHuge(
		context, ((Size) step->nstarts + 1) * sizeof(uint64));
	for (uint32 s = 0; s < step->nstarts; s++)
	{
		uint32 *current = level[0];
		uint32 *next = level[1];
		uint32 n = 1;
		int64 walked = 0;

		CHECK_FOR_INTERRUPTS();
		step->first[s] = list.n;
		current[0] = step->starts[s];
		if (spec->min_hops == 0)
		{
			reached[current[0]] = s + 1;
			add_end(t, &list, current[0], 0);
		}
		for (int h = 1; h <= spec->max_hops && n > 0; h++)
		{
			uint32 nnext = 0;
			uint32 *swap;

			for (uint32 i = 0; i < n; i++)
			{
				uint32 nlinks;
				const KgLink *link = kg_links_of(
					&step->links, current[i], &nlinks);

				walked += nlinks;
				kg_plan_count(&done, nlinks + 1);
				for (; nlinks > 0; nlinks--, link++)
				{
					uint32 to = link->to;

					if (stamp[h][to] == s + 1)
						continue;
					stamp[h][to] = s + 1;
					next[nnext++] = to;
					if (h >= spec->min_hops && reached[to] != s + 1)
					{
						reached[to] = s + 1;
						add_end(t, &list, to, h);
					}
				}
			}
			swap = current;
			current = next;
			next = swap;
			n = nnext;
		}
		kg_graph_charge_edges(t->graph, spec->max_hops > 1 ? walked : 0);
	}
	step->first[step->nstarts] = list.n;
	step->ends = list.ends;
	step->found = list.n;
	for (int h = 0; h <= spec->max_hops; h++)
		pfree(stamp[h]);
	pfree(level[0]);
	pfree(level[1]);
}

/*
 * Removes the ends that do not pass the tests. Sets *passed to the distinct
 * remaining ends, which are the starts of the next step. Returns their number.
 */
static uint32
test_ends(KgTraversal *t, KgStepResult *step, const KgStepSpec *spec,
		  uint32 **passed)
{
	MemoryContext context = t->graph->context;
	uint32 nodes = t->set.n;
	/* 0: not an end, 1: an end, 2: an end that passes */
	uint8 *state;
	uint32 *met;
	int64 *numbers;
	uint16 *ranks;
	bool *pass;
	uint32 n = 0;
	uint32 npassed = 0;
	uint64 kept = 0;
	uint64 done = 0;

	state = MemoryContextAllocExtended(
		context, Max(nodes, 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	met = MemoryContextAllocHuge(context,
								 Max((Size) nodes, 1) * sizeof(uint32));
	for (uint64 i = 0; i < step->first[step->nstarts]; i++)
	{
		kg_plan_count(&done, 1);
		if (state[step->ends[i].node] == 0)
		{
			state[step->ends[i].node] = 1;
			met[n++] = step->ends[i].node;
		}
	}
	numbers = MemoryContextAllocHuge(context, Max((Size) n, 1) * sizeof(int64));
	ranks = MemoryContextAllocHuge(context, Max((Size) n, 1) * sizeof(uint16));
	pass = MemoryContextAllocHuge(context, Max((Size) n, 1) * sizeof(bool));
	for (int test = 0; test < spec->ntests; test++)
	{
		npassed = 0;
		for (uint32 i = 0; i < n; i++)
		{
			numbers[i] = t->set.nodes[met[i]];
			ranks[i] = t->ranks.ranks[met[i]];
		}
		kg_node_test(t->graph, &spec->tests[test], numbers, n, ranks, pass);
		for (uint32 i = 0; i < n; i++)
			if (pass[i])
				met[npassed++] = met[i];
		n = npassed;
	}
	for (uint32 i = 0; i < n; i++)
		state[met[i]] = 2;
	for (uint32 s = 0; s < step->nstarts; s++)
	{
		uint64 first = kept;

		kg_plan_count(&done, step->first[s + 1] - step->first[s] + 1);
		for (uint64 i = step->first[s]; i < step->first[s + 1]; i++)
			if (state[step->ends[i].node] == 2)
				step->ends[kept++] = step->ends[i];
		step->first[s] = first;
	}
	step->first[step->nstarts] = kept;
	pfree(state);
	pfree(numbers);
	pfree(ranks);
	pfree(pass);
	*passed = met;
	return n;
}

static void
index_starts(KgTraversal *t, KgStepResult *step)
{
	step->start_of_n = t->set.n;
	step->start_of = MemoryContextAllocHuge(
		t->graph->context, Max((Size) t->set.n, 1) * sizeof(uint32));
	memset(step->start_of, 0xff, (Size) t->set.n * sizeof(uint32));
	for (uint32 s = 0; s < step->nstarts; s++)
		step->start_of[step->starts[s]] = s;
}

/*
 * Returns the number of ways in which the steps after step i can continue a
 * row from the node.
 */
static double
rows_after(const KgTraversal *t, int i, uint32 node)
{
	const KgStepResult *next;

	if (t->gone != NULL && t->gone[node])
		return 0;
	if (i == t->nsteps - 1)
		return 1;
	next = &t->steps[i + 1];
	return next->rows[next->start_of[node]];
}

static void
count_rows(KgTraversal *t)
{
	uint64 done = 0;

	for (int i = t->nsteps - 1; i >= 0; i--)
	{
		KgStepResult *step = &t->steps[i];

		if (step->rows == NULL)
			step->rows = MemoryContextAllocHuge(t->graph->context,
												Max((Size) step->nstarts, 1) *
													sizeof(double));
		for (uint32 s = 0; s < step->nstarts; s++)
		{
			bool gone = t->gone != NULL && t->gone[step->starts[s]];
			double rows = 0;

			kg_plan_count(&done, step->first[s + 1] - step->first[s] + 1);
			for (uint64 e = step->first[s]; e < step->first[s + 1] && !gone;
				 e++)
				rows += rows_after(t, i, step->ends[e].node);
			step->rows[s] = rows;
		}
	}
	t->total = 0;
	for (uint32 s = 0; s < t->steps[0].nstarts; s++)
		t->total += t->steps[0].rows[s];
}

/* Returns whether the edges alone determine which ends pass. */
static bool
edges_suffice(const KgGraph *graph, const KgStepSpec *specs, int nsteps)
{
	for (int i = 0; i < nsteps; i++)
		for (int j = 0; j < specs[i].ntests; j++)
			if (!kg_node_test_is_set(&specs[i].tests[j]) &&
				(specs[i].tests[j].type != NULL ||
				 specs[i].tests[j].filters != NULL))
				return false;
	return !graph->check_nodes && !kg_past_asked();
}

/* Finds the nodes of the ids in the tests. */
static void
find_given(KgGraph *graph, const KgStepSpec *specs, int nsteps)
{
	for (int i = 0; i < nsteps; i++)
		for (int j = 0; j < specs[i].ntests; j++)
		{
			const KgNodeTest *test = &specs[i].tests[j];

			if (test->nids > 0 && test->among == NULL)
				kg_node_test_find(
					graph, unconstify(KgNodeTest *, test), &specs[i]);
		}
}

static void
walk_steps(KgTraversal *t, KgGraph *graph, const KgType *type,
		   const int64 *starts, uint32 nstarts, const KgStepSpec *specs,
		   int nsteps)
{
	uint32 *current;
	uint32 n;

	t->graph = graph;
	t->specs = specs;
	t->nsteps = nsteps;
	kg_nodeset_init(&t->set, graph->context);
	for (uint32 i = 0; i < nstarts; i++)
		(void) kg_nodeset_add(&t->set, starts[i]);
	n = t->set.n;
	kg_graph_check_visited(graph, n);
	if (type != NULL)
		kg_ranks_of_type(&t->ranks, graph, &t->set, type);
	else
		kg_ranks_update(&t->ranks, graph, &t->set);
	current = MemoryContextAllocHuge(graph->context,
									 Max((Size) n, 1) * sizeof(uint32));
	for (uint32 i = 0; i < n; i++)
		current[i] = i;
	find_given(graph, specs, nsteps);
	for (int i = 0; i < nsteps; i++)
	{
		KgStepResult *step = &t->steps[i];

		step->starts = current;
		step->nstarts = n;
		read_step(t, step, &specs[i]);
		find_ends(t, step, &specs[i]);
		n = test_ends(t, step, &specs[i], &current);
		index_starts(t, step);
	}
	count_rows(t);
}

void
kg_traverse_run(KgTraversal *t, KgGraph *graph, const KgType *type,
				const int64 *starts, uint32 nstarts, const KgStepSpec *specs,
				int nsteps)
{
	memset(t, 0, sizeof(*t));
	walk_steps(t, graph, type, starts, nstarts, specs, nsteps);
}

void
kg_traverse_reach(KgTraversal *t, KgGraph *graph, const int64 *starts,
				  uint32 nstarts, const KgStepSpec *specs, int nsteps)
{
	memset(t, 0, sizeof(*t));
	t->ranks.presumed = edges_suffice(graph, specs, nsteps);
	walk_steps(t, graph, NULL, starts, nstarts, specs, nsteps);
}

/* ---- pages ---- */

typedef struct PageState
{
	KgTraversal *t;
	const KgRef *after;
	uint32 limit;
	KgBinding *rows;
	uint32 nrows;
	bool more;
	KgRef *refs;
	KgBinding current;
	uint64 done; /* number of ends examined */
	bool missed; /* some node does not exist */
} PageState;

static void
keep_ref(const KgRef *ref, void *arg)
{
	PageState *state = arg;
	uint32 node = kg_nodeset_find(&state->t->set, ref->node);

	if (node != KG_NO_NODE && state->refs[node].id == NULL)
		state->refs[node] = kg_ref_copy(ref, state->t->graph->context);
}

/* Notes that a node of an edge does not exist. Rows do not include it. */
static void
note_gone(PageState *state, uint32 node)
{
	KgTraversal *t = state->t;

	if (t->gone == NULL)
		t->gone = MemoryContextAllocExtended(t->graph->context,
											 t->set.n * sizeof(bool),
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	t->gone[node] = true;
	state->missed = true;
}

static void
resolve_nodes(PageState *state, const uint32 *nodes, uint32 n)
{
	int64 *numbers = MemoryContextAllocHuge(state->t->graph->context,
											Max((Size) n, 1) * sizeof(int64));
	uint32 count = 0;

	for (uint32 i = 0; i < n; i++)
		if (state->refs[nodes[i]].id == NULL)
			numbers[count++] = state->t->set.nodes[nodes[i]];
	kg_graph_resolve(state->t->graph, numbers, count, false, keep_ref, state);
	pfree(numbers);
	for (uint32 i = 0; i < n; i++)
		if (state->refs[nodes[i]].id == NULL)
			note_gone(state, nodes[i]);
}

static int
compare_by_ref(const void *a, const void *b, void *arg)
{
	const KgRef *refs = arg;

	return kg_ref_compare(&refs[*(const uint32 *) a],
						  &refs[*(const uint32 *) b]);
}

static int
compare_ends(const void *a, const void *b, void *arg)
{
	const KgRef *refs = arg;

	return kg_ref_compare(&refs[((const KgStepEnd *) a)->node],
						  &refs[((const KgStepEnd *) b)->node]);
}

/*
 * Moves the starts that the page can need to the front and returns their
 * number. If the page starts after a row, the start of this row is the first of
 * them, unless that start is missing.
 */
static uint32
choose_starts(PageState *state, uint32 *nodes, uint32 n)
{
	const KgStepResult *step = &state->t->steps[0];
	double rows = 0;
	uint32 count = 0;

	for (uint32 i = 0; i < n && rows <= state->limit; i++)
	{
		uint32 node = nodes[i];
		int order = state->after != NULL
						? kg_ref_compare(&state->refs[node], &state->after[0])
						: 1;

		if (order < 0)
			continue;
		nodes[count++] = node;
		/*
		 * The page starts after some row of the first start. The number of
		 * remaining rows of this start is unknown, so they do not count.
		 */
		if (order > 0)
			rows += step->rows[step->start_of[node]];
	}
	return count;
}

/* Collects the distinct ends of step i for the starts. */
static uint32
collect_ends(PageState *state, int i, const uint32 *starts, uint32 n,
			 uint32 **ends)
{
	KgTraversal *t = state->t;
	const KgStepResult *step = &t->steps[i];
	uint8 *seen = MemoryContextAllocExtended(
		t->graph->context, Max(t->set.n, 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	uint32 *result = MemoryContextAllocHuge(
		t->graph->context, Max((Size) t->set.n, 1) * sizeof(uint32));
	uint32 count = 0;

	for (uint32 s = 0; s < n; s++)
	{
		uint32 start = step->start_of[starts[s]];

		kg_plan_count(&state->done,
					  step->first[start + 1] - step->first[start] + 1);
		for (uint64 e = step->first[start]; e < step->first[start + 1]; e++)
		{
			uint32 node = step->ends[e].node;

			if (seen[node] || rows_after(t, i, node) == 0)
				continue;
			seen[node] = 1;
			result[count++] = node;
		}
	}
	pfree(seen);
	*ends = result;
	return count;
}

/*
 * Lists the rows from a node on. If tight is true, the row so far equals the
 * beginning of the row after which the page starts.
 */
static void
list_rows(PageState *state, int i, uint32 node, bool tight)
{
	KgTraversal *t = state->t;
	KgStepResult *step;
	uint32 start;

	check_stack_depth();
	state->current.nodes[i] = node;
	if (i == t->nsteps)
	{
		if (tight)
			return;
		if (state->nrows == state->limit)
			state->more = true;
		else
			state->rows[state->nrows++] = state->current;
		return;
	}
	step = &t->steps[i];
	start = step->start_of[node];
	for (uint64 e = step->first[start];
		 e < step->first[start + 1] && !state->more;
		 e++)
	{
		uint32 end = step->ends[e].node;
		int order = 1;

		kg_plan_count(&state->done, 1);
		if (rows_after(t, i, end) == 0)
			continue;
		if (tight)
			order = kg_ref_compare(&state->refs[end], &state->after[i + 1]);
		if (order < 0)
			continue;
		state->current.depths[i] = step->ends[e].depth;
		list_rows(state, i + 1, end, tight && order == 0);
	}
}

/*
 * Sorts the ends of a start in the order of replies. Ends that cannot be
 * continued come last.
 */
static void
sort_ends(PageState *state, int i, uint32 start)
{
	const KgStepResult *step = &state->t->steps[i];
	uint64 first = step->first[start];
	uint64 count = step->first[start + 1] - first;
	uint64 live = 0;

	kg_plan_count(&state->done, count);
	/*
	 * Ends that cannot be continued have no ref, so they are moved to the end
	 * before sorting.
	 */
	for (uint64 e = 0; e < count; e++)
		if (rows_after(state->t, i, step->ends[first + e].node) > 0)
		{
			KgStepEnd swap = step->ends[first + live];

			step->ends[first + live++] = step->ends[first + e];
			step->ends[first + e] = swap;
		}
	qsort_interruptible(
		step->ends + first, live, sizeof(KgStepEnd), compare_ends, state->refs);
}

/*
 * Lists the page. Returns false if a node did not exist: the caller must then
 * count the rows again and repeat the call.
 */
static bool
list_page(PageState *state)
{
	KgTraversal *t = state->t;
	uint32 *nodes = MemoryContextAllocHuge(
		t->graph->context, Max((Size) t->steps[0].nstarts, 1) * sizeof(uint32));
	uint32 n = 0;
	uint32 nstarts;
	uint32 *chosen;

	for (uint32 s = 0; s < t->steps[0].nstarts; s++)
		if (t->steps[0].rows[s] > 0)
			nodes[n++] = t->steps[0].starts[s];
	resolve_nodes(state, nodes, n);
	if (state->missed)
		return false;
	qsort_interruptible(nodes, n, sizeof(uint32), compare_by_ref, state->refs);
	nstarts = choose_starts(state, nodes, n);
	chosen = nodes;
	n = nstarts;
	for (int i = 0; i < t->nsteps; i++)
	{
		const KgStepResult *step = &t->steps[i];
		uint32 *ends;
		uint32 nends = collect_ends(state, i, chosen, n, &ends);

		resolve_nodes(state, ends, nends);
		if (state->missed)
			return false;
		for (uint32 s = 0; s < n; s++)
			sort_ends(state, i, step->start_of[chosen[s]]);
		chosen = ends;
		n = nends;
	}
	for (uint32 s = 0; s < nstarts && !state->more; s++)
		list_rows(
			state,
			0,
			nodes[s],
			state->after != NULL &&
				kg_ref_compare(&state->refs[nodes[s]], &state->after[0]) == 0);
	return true;
}

/* ---- pages of listed rows ---- */

static int
compare_bindings(const PageState *state, const KgBinding *row,
				 const KgRef *refs, const KgBinding *other)
{
	int order = 0;

	for (int i = 0; i <= state->t->nsteps && order == 0; i++)
		order = kg_ref_compare(&state->refs[row->nodes[i]],
							   other != NULL ? &state->refs[other->nodes[i]]
											 : &refs[i]);
	return order;
}

static int
compare_listed(const void *a, const void *b, void *arg)
{
	return compare_bindings(arg, a, NULL, b);
}

/* Removes the rows with a node that does not exist. */
static void
drop_gone(KgTraversal *t)
{
	uint64 n = 0;

	for (uint64 i = 0; i < t->nlisted; i++)
	{
		bool gone = false;

		for (int j = 0; j <= t->nsteps; j++)
			gone |= t->gone[t->listed[i].nodes[j]];
		if (!gone)
			t->listed[n++] = t->listed[i];
	}
	t->nlisted = n;
	t->total = (double) n;
}

/* Lists the page from the rows of kg_traverse_unique(). */
static void
page_of_listed(PageState *state)
{
	KgTraversal *t = state->t;
	KgNodeSet used;
	uint32 *nodes;
	uint64 i = 0;

	kg_nodeset_init(&used, t->graph->context);
	for (i = 0; i < t->nlisted; i++)
	{
		kg_plan_count(&state->done, t->nsteps + 1);
		for (int j = 0; j <= t->nsteps; j++)
			(void) kg_nodeset_add(&used, (int64) t->listed[i].nodes[j] + 1);
	}
	nodes = MemoryContextAllocHuge(t->graph->context,
								   Max((Size) used.n, 1) * sizeof(uint32));
	for (i = 0; i < used.n; i++)
		nodes[i] = (uint32) (used.nodes[i] - 1);
	resolve_nodes(state, nodes, used.n);
	kg_nodeset_free(&used);
	if (state->missed)
		drop_gone(t);
	qsort_interruptible(
		t->listed, t->nlisted, sizeof(KgBinding), compare_listed, state);
	for (i = 0; i < t->nlisted && !state->more; i++)
	{
		if (state->after != NULL &&
			compare_bindings(state, &t->listed[i], state->after, NULL) <= 0)
			continue;
		if (state->nrows == state->limit)
			state->more = true;
		else
			state->rows[state->nrows++] = t->listed[i];
	}
}

uint32
kg_traverse_page(KgTraversal *t, const KgRef *after, uint32 limit,
				 KgBinding **rows, KgRef **refs, bool *more)
{
	MemoryContext context = t->graph->context;
	PageState state;

	memset(&state, 0, sizeof(state));
	state.t = t;
	state.after = after;
	state.limit = limit;
	state.rows = MemoryContextAlloc(context, Max(limit, 1) * sizeof(KgBinding));
	state.refs = MemoryContextAllocExtended(context,
											Max((Size) t->set.n, 1) *
												sizeof(KgRef),
											MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	if (t->listed != NULL)
		page_of_listed(&state);
	while (t->listed == NULL && !list_page(&state))
	{
		CHECK_FOR_INTERRUPTS();
		state.missed = false;
		count_rows(t);
	}
	*rows = state.rows;
	*refs = state.refs;
	*more = state.more;
	return state.nrows;
}
