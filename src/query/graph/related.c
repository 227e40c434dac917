/*
 * related.c
 *	  Chains of steps as semi-joins and anti-joins with a set of nodes.
 *
 * A chain is walked from all nodes at once, like the steps of a traversal
 * (query/graph/traverse.h), but its rows are not listed. If the ends of a
 * chain are known and are far fewer than the nodes, the chain is walked from
 * the ends, unless that walk is estimated to be longer.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "query/graph/cost.h"
#include "query/run/decisions.h"
#include "query/run/plan.h"
#include "query/graph/related.h"
#include "query/filter/select.h"
#include "utils/memutils.h"

/*
 * A walk from the ends is considered if there are more nodes than this for each
 * known end.
 */
#define KG_MANY_FOR_AN_END 64

/*
 * Finds the nodes of the ids that the caller gave. This is not done when
 * arguments are read, because a cursor, which is read later, may set the
 * instant of the call.
 */
static void
find_given(KgGraph *graph, KgChain *chain)
{
	for (int a = 0; a < chain->nany; a++)
		find_given(graph, &chain->any[a]);
	for (int j = 0; j < chain->nsteps; j++)
	{
		KgStepSpec *step = &chain->specs[j];

		for (int k = 0; k < step->ntests; k++)
		{
			KgNodeTest *test = &step->tests[k];

			if (test->nids == 0 || test->among != NULL)
				continue;
			kg_node_test_find(graph, test, step);
			chain->missing |= test->type != NULL &&
							  test->among->n < (uint32) test->nids;
		}
	}
}

static void
find_all_given(KgGraph *graph, const KgRelated *related)
{
	kg_decisions_begin_step();
	for (int i = 0; i < related->n; i++)
		find_given(graph, &related->chains[i]);
	kg_decisions_end_step();
}

/* Returns the known nodes at which the last step may end, or NULL. */
static const KgNodeSet *
given_ends(const KgChain *chain)
{
	const KgStepSpec *last = &chain->specs[chain->nsteps - 1];

	for (int i = 0; i < last->ntests; i++)
		if (last->tests[i].among != NULL)
			return last->tests[i].among;
	return NULL;
}

/*
 * Finds the ends that pass the filters of the last step, if indexes find them
 * and there are at most "most" of them.
 */
static void
resolve_ends(KgGraph *graph, const KgChain *chain, uint32 most)
{
	KgStepSpec *last = &chain->specs[chain->nsteps - 1];

	if (given_ends(chain) == NULL)
		for (int i = 0; i < last->ntests; i++)
			(void) kg_node_test_resolve(graph, &last->tests[i], most);
}

static bool
asks_for_one(const KgChain *chain)
{
	return chain->min_count <= 1 && chain->max_count == 0;
}

/* Returns the known ends that pass the tests of the last step. */
static int64 *
passing_ends(KgGraph *graph, const KgChain *chain, uint32 *n)
{
	const KgStepSpec *last = &chain->specs[chain->nsteps - 1];
	const KgNodeSet *given = given_ends(chain);
	Size size = Max((Size) given->n, 1);
	int64 *nodes = MemoryContextAllocHuge(graph->context, size * sizeof(int64));
	uint16 *ranks = MemoryContextAllocHuge(graph->context,
										   size * sizeof(uint16));
	bool *pass = MemoryContextAllocHuge(graph->context, size);

	*n = given->n;
	memcpy(nodes, given->nodes, (Size) given->n * sizeof(int64));
	for (int i = 0; i < last->ntests; i++)
	{
		uint32 passed = 0;

		if (kg_node_test_is_set(&last->tests[i]) &&
			last->tests[i].among == given)
			continue;
		kg_graph_types(graph, nodes, *n, ranks);
		kg_node_test(graph, &last->tests[i], nodes, *n, ranks, pass);
		for (uint32 j = 0; j < *n; j++)
			if (pass[j])
				nodes[passed++] = nodes[j];
		*n = passed;
	}
	return nodes;
}

/*
 * Returns the walk of a chain from its known ends. The ends of each step of
 * this walk are tested like the ends of the previous step of the chain. The
 * ends of the last step are tested by "start".
 */
static KgAnchor
anchor_of(KgGraph *graph, KgChain *chain, const KgNodeTest *start)
{
	KgAnchor back = {.chain = chain};

	back.specs = palloc0(chain->nsteps * sizeof(KgStepSpec));
	back.ends = passing_ends(graph, chain, &back.n);
	for (int i = 0; i < chain->nsteps; i++)
	{
		const KgStepSpec *step = &chain->specs[chain->nsteps - 1 - i];
		KgStepSpec *spec = &back.specs[i];

		kg_follow_reverse(&step->follow, &spec->follow);
		spec->min_hops = step->min_hops;
		spec->max_hops = step->max_hops;
		if (i == chain->nsteps - 1)
		{
			spec->ntests = 1;
			spec->tests[0] = *start;
			continue;
		}
		step--;
		spec->ntests = step->ntests;
		memcpy(spec->tests, step->tests, sizeof(step->tests));
	}
	return back;
}

static void
walk_back(KgGraph *graph, const KgAnchor *back, KgTraversal *t)
{
	int nsteps = back->chain->nsteps;

	kg_cost_traverse(
		graph, back->ends, back->n, back->specs, nsteps, back->chain->path);
	kg_traverse_reach(t, graph, back->ends, back->n, back->specs, nsteps);
}

/*
 * Returns whether the estimated walk of the chain from its ends is shorter than
 * that from the nodes. With an authorizer, returns true without an estimate,
 * because an estimate would request decisions.
 */
static bool
costs_less(KgGraph *graph, const KgAnchor *back, const int64 *nodes, uint32 n)
{
	const KgChain *chain = back->chain;

	return graph->catalog->authorizes ||
		   kg_anchor_cost(graph, back) <=
			   kg_cost_of(graph, nodes, n, chain->specs, chain->nsteps);
}

/*
 * Sets counts[i] to the number of ends of the chain from node i, by a walk from
 * the ends. If the chain has several steps, counts[i] is only known to be above
 * 0 if there is any end, otherwise 0. Returns false if a walk from the nodes
 * costs less.
 */
static bool
count_back(KgGraph *graph, KgChain *chain, const int64 *nodes, uint32 n,
		   uint32 *counts)
{
	KgNodeTest start;
	KgNodeSet starts;
	KgTraversal t;
	KgAnchor back;
	const KgStepResult *last;

	kg_nodeset_init(&starts, graph->context);
	for (uint32 i = 0; i < n; i++)
		(void) kg_nodeset_add(&starts, nodes[i]);
	memset(&start, 0, sizeof(start));
	start.among = &starts;
	back = anchor_of(graph, chain, &start);
	if (!costs_less(graph, &back, nodes, n))
		return false;
	walk_back(graph, &back, &t);
	last = &t.steps[chain->nsteps - 1];
	for (uint64 e = 0; e < last->first[last->nstarts]; e++)
	{
		uint32 place = kg_nodeset_find(&starts,
									   t.set.nodes[last->ends[e].node]);

		if (place != KG_NO_NODE)
			counts[place]++;
	}
	return true;
}

/* State of counting the distinct ends of the last step from one start. */
typedef struct Ends
{
	const KgTraversal *t;
	/* indexed by node: index + 1 of the start that reached the node last */
	uint32 *seen[KG_MAX_STEPS];
	uint32 start; /* index of the start + 1 */
	uint32 n;
	uint64 done;
} Ends;

static void
count_ends(Ends *ends, int step, uint32 node)
{
	const KgStepResult *result = &ends->t->steps[step];
	uint32 start = result->start_of[node];

	kg_plan_count(&ends->done, result->first[start + 1] - result->first[start]);
	for (uint64 e = result->first[start]; e < result->first[start + 1]; e++)
	{
		uint32 end = result->ends[e].node;

		if (ends->seen[step][end] == ends->start)
			continue;
		ends->seen[step][end] = ends->start;
		if (step == ends->t->nsteps - 1)
			ends->n++;
		else
			count_ends(ends, step + 1, end);
	}
}

static void
count_forth(KgGraph *graph, const KgChain *chain, const int64 *nodes, uint32 n,
			uint32 *counts)
{
	KgTraversal t;
	Ends ends;

	kg_cost_traverse(graph, nodes, n, chain->specs, chain->nsteps, chain->path);
	kg_traverse_reach(&t, graph, nodes, n, chain->specs, chain->nsteps);
	memset(&ends, 0, sizeof(ends));
	ends.t = &t;
	for (int i = 0; i < chain->nsteps && chain->nsteps > 1; i++)
		ends.seen[i] = MemoryContextAllocExtended(
			graph->context,
			Max((Size) t.set.n, 1) * sizeof(uint32),
			MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	/* Node i of "nodes" has the index i in the node set of the traversal. */
	for (uint32 i = 0; i < n; i++)
	{
		double rows = t.steps[0].rows[t.steps[0].start_of[i]];

		counts[i] = (uint32) Min(rows, PG_UINT32_MAX);
		if (rows == 0 || chain->nsteps == 1 || asks_for_one(chain))
			continue;
		ends.start = i + 1;
		ends.n = 0;
		count_ends(&ends, 0, i);
		counts[i] = ends.n;
	}
}

static bool
holds(const KgChain *chain, uint32 count)
{
	bool within = count >= Max(chain->min_count, 1) &&
				  (chain->max_count == 0 || count <= chain->max_count);

	return within != chain->negated;
}

/*
 * Sets counts[i] to the number of ends of the chain from node i. If the chain
 * requires only one end, counts[i] may be any number above 0 in place of that
 * number.
 */
static void
count(KgGraph *graph, KgChain *chain, const int64 *nodes, uint32 n,
	  uint32 *counts)
{
	const KgNodeSet *given;

	resolve_ends(graph, chain, n / KG_MANY_FOR_AN_END);
	given = given_ends(chain);
	if (given == NULL || (uint64) given->n * KG_MANY_FOR_AN_END >= n ||
		!(chain->nsteps == 1 || asks_for_one(chain)) ||
		!count_back(graph, chain, nodes, n, counts))
		count_forth(graph, chain, nodes, n, counts);
	chain->walked = true;
	for (uint32 i = 0; i < n; i++)
		chain->met |= counts[i] > 0;
}

/*
 * Sets counts[i] to 1 if an alternative is true for the node, otherwise to 0.
 */
static void
count_any(KgGraph *graph, KgChain *chain, const int64 *nodes, uint32 n,
		  uint32 *counts)
{
	Size size = Max((Size) n, 1);
	int64 *left = MemoryContextAllocHuge(graph->context, size * sizeof(int64));
	uint32 *index = MemoryContextAllocHuge(graph->context,
										   size * sizeof(uint32));
	uint32 *ends = MemoryContextAllocHuge(graph->context,
										  size * sizeof(uint32));

	for (int a = 0; a < chain->nany; a++)
	{
		uint32 nleft = 0;

		for (uint32 i = 0; i < n; i++)
			if (counts[i] == 0)
			{
				index[nleft] = i;
				left[nleft++] = nodes[i];
			}
		if (nleft == 0)
			break;
		CHECK_FOR_INTERRUPTS();
		memset(ends, 0, nleft * sizeof(uint32));
		count(graph, &chain->any[a], left, nleft, ends);
		for (uint32 i = 0; i < nleft; i++)
			counts[index[i]] = holds(&chain->any[a], ends[i]);
		chain->met |= chain->any[a].met;
		chain->missing |= chain->any[a].missing;
	}
	chain->walked = true;
	pfree(left);
	pfree(index);
	pfree(ends);
}

static uint32
keep(KgGraph *graph, KgChain *chain, int64 *nodes, uint32 n)
{
	uint32 *counts = MemoryContextAllocExtended(
		graph->context,
		Max((Size) n, 1) * sizeof(uint32),
		MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	uint32 kept = 0;

	if (chain->nany > 0)
		count_any(graph, chain, nodes, n, counts);
	else
		count(graph, chain, nodes, n, counts);
	for (uint32 i = 0; i < n; i++)
		if (holds(chain, counts[i]))
			nodes[kept++] = nodes[i];
	pfree(counts);
	return kept;
}

/*
 * Returns the number of nodes that pass an alternative; moves them to the
 * front.
 */
static uint32
keep_any(KgGraph *graph, const KgRelated *related, int64 *nodes, uint32 n)
{
	Size size = Max((Size) n, 1);
	uint16 *ranks = MemoryContextAllocHuge(graph->context,
										   size * sizeof(uint16));
	bool *pass = MemoryContextAllocHuge(graph->context, size);
	int64 *left = MemoryContextAllocHuge(graph->context, size * sizeof(int64));
	uint32 kept = 0;

	for (uint32 i = 0; i < n; i++)
		ranks[i] = related->any[0].rank;
	memcpy(left, nodes, n * sizeof(int64));
	for (int a = 0; a < related->nany; a++)
	{
		uint32 others = 0;

		CHECK_FOR_INTERRUPTS();
		kg_node_test(graph, &related->any[a], left, n, ranks, pass);
		for (uint32 i = 0; i < n; i++)
			if (pass[i])
				nodes[kept++] = left[i];
			else
				left[others++] = left[i];
		n = others;
	}
	pfree(left);
	pfree(pass);
	pfree(ranks);
	return kept;
}

uint32
kg_related_keep(KgGraph *graph, const KgRelated *related, int64 *nodes,
				uint32 n)
{
	if (n > 0)
		find_all_given(graph, related);
	for (int i = 0; i < related->n; i++)
	{
		KgChain *chain = &related->chains[i];

		CHECK_FOR_INTERRUPTS();
		if (n > 0 && chain->holds)
			chain->walked = chain->met = true;
		else if (n > 0)
			n = keep(graph, chain, nodes, n);
		chain->holds = false;
	}
	return related->nany > 0 && n > 0 ? keep_any(graph, related, nodes, n) : n;
}

/*
 * Sets *best to the chain if the ends of the chain are known and fewer than the
 * ends of *best. Ignores a negated chain and a chain of alternatives.
 */
static void
take_anchor(KgGraph *graph, KgChain *chain, uint32 most, KgChain **best)
{
	const KgNodeSet *given;

	if (chain->negated || chain->nany > 0)
		return;
	resolve_ends(graph, chain, most);
	given = given_ends(chain);
	if (given != NULL && (*best == NULL || given->n < given_ends(*best)->n))
		*best = chain;
}

/*
 * Returns whether all edges of the chain's first step begin at nodes of the
 * type. If so, a walk from the ends finds only nodes of the type, and their
 * types need not be read.
 */
static bool
begins_at(KgGraph *graph, const KgChain *chain, const KgType *type)
{
	const KgFollow *follow = &chain->specs[0].follow;
	uint16 rank = kg_graph_rank(graph, type->type_no);

	if (!kg_step_is_one_edge(&chain->specs[0]) ||
		!kg_graph_ranks_implied(graph))
		return false;
	for (int i = 0; i < graph->catalog->nrelations; i++)
	{
		int32 no = graph->catalog->relations[i].relation_no;

		if ((kg_relation_set_has(&follow->forward, no) &&
			 kg_graph_implied_rank(graph, no, false) != rank) ||
			(kg_relation_set_has(&follow->backward, no) &&
			 kg_graph_implied_rank(graph, no, true) != rank))
			return false;
	}
	return true;
}

bool
kg_related_anchor(KgGraph *graph, const KgRelated *related, KgChain *follows,
				  const KgType *type, uint32 most, KgAnchor *anchor)
{
	KgNodeTest start = {.type = type};
	KgChain *best = NULL;

	if (related != NULL)
	{
		find_all_given(graph, related);
		for (int i = 0; i < related->n; i++)
			take_anchor(graph, &related->chains[i], most, &best);
	}
	if (follows != NULL)
	{
		find_given(graph, follows);
		take_anchor(graph, follows, most, &best);
	}
	if (best == NULL)
		return false;
	if (begins_at(graph, best, type))
		start.type = NULL;
	*anchor = anchor_of(graph, best, &start);
	return true;
}

double
kg_anchor_cost(KgGraph *graph, const KgAnchor *anchor)
{
	return kg_cost_of(
		graph, anchor->ends, anchor->n, anchor->specs, anchor->chain->nsteps);
}

/*
 * If the ends of the chain are known, reduces the nodes to those for which the
 * chain is true. Does nothing for a negated chain or a chain of alternatives.
 * Returns the number of the remaining nodes.
 */
static uint32
narrow(KgGraph *graph, KgChain *chain, int64 *nodes, uint32 n)
{
	if (n == 0 || chain->holds || chain->negated || chain->nany > 0 ||
		given_ends(chain) == NULL)
		return n;
	CHECK_FOR_INTERRUPTS();
	n = keep(graph, chain, nodes, n);
	chain->holds = true;
	return n;
}

uint32
kg_related_narrow(KgGraph *graph, const KgRelated *related, KgChain *follows,
				  int64 *nodes, uint32 n)
{
	for (int i = 0; related != NULL && i < related->n; i++)
		n = narrow(graph, &related->chains[i], nodes, n);
	return follows != NULL ? narrow(graph, follows, nodes, n) : n;
}

void
kg_anchor_walk(KgGraph *graph, const KgAnchor *anchor, KgNodeSet *nodes)
{
	KgChain *chain = anchor->chain;
	const KgStepResult *last;
	KgTraversal t;

	walk_back(graph, anchor, &t);
	last = &t.steps[chain->nsteps - 1];
	for (uint64 e = 0; e < last->first[last->nstarts]; e++)
		(void) kg_nodeset_add(nodes, t.set.nodes[last->ends[e].node]);
	chain->holds = asks_for_one(chain);
}
