/*
 * cost.c
 *	  Estimates of the cost of searches, in edges read.
 *
 * The fan-out of a hop is the mean degree of a few nodes at that distance from
 * the start (query/graph/probe.c). Fan-outs multiply, but a search reads each
 * edge once. So if the product exceeds kg_graph.max_cost, the nodes that the
 * caller sees are counted and the degrees of a sample are read. A breadth-first
 * search costs at most the number of nodes times the mean degree.
 *
 * A step in memory over an edge that was already read costs a tenth of reading
 * an edge.
 */
#include "postgres.h"

#include <math.h>

#include "base/error.h"
#include "base/settings.h"
#include "query/graph/cost.h"
#include "query/run/decisions.h"
#include "query/graph/neighbors.h"
#include "query/graph/probe.h"

/* Cost of a step over an edge already read, in edges read. */
#define KG_STEP 0.1
/* Cost of storing an end of a step for one start, in edges read. */
#define KG_END 0.2
/*
 * The estimate assumes that listing simple paths takes at most this many steps.
 */
#define KG_SIMPLE_STEPS 2000000

static const KgBound unbounded = {.nodes = INFINITY};

/* ---- searches ---- */

#define KG_LEVELS Max(KG_MAX_PATH_HOPS, KG_MAX_REACH_HOPS)

/*
 * The estimate of a walk: its fan-outs (edges of a node at each hop), and the
 * maximum number of edges.
 */
typedef struct Fan
{
	const KgFollow *walk;
	int hops;
	int min_hops;
	/* mean number of edges read at a node, by hop */
	double read[KG_LEVELS];
	/* mean number of these edges that are followed, by hop */
	double out[KG_LEVELS];
	/* share (0 to 1) of the ends that pass the tests */
	double passes;
	double edges; /* maximum; INFINITY: not known */
} Fan;

/*
 * Returns whether the search is so small that an estimate would cost as much as
 * the search itself.
 */
static bool
is_small(const KgGraph *graph, double starts, int hops)
{
	/* kg_explain always reports an estimate. */
	if (graph->call->explained != NULL)
		return false;
	return hops <= 1 ? starts <= 100 : hops == 2 && starts <= 2;
}

/*
 * Returns the number of edges that a breadth-first search from "starts" nodes
 * reads. Sets *reached to the number of nodes reached by at least fan->min_hops
 * hops.
 */
static double
spread(const Fan *fan, const KgBound *bound, double starts, double *reached)
{
	double frontier = starts;
	double edges = 0;

	*reached = 0;
	for (int hop = 0; hop < fan->hops; hop++)
	{
		frontier = Min(frontier, bound->nodes);
		edges += frontier * fan->read[hop];
		frontier *= fan->out[hop];
		if (hop + 1 >= fan->min_hops)
			*reached += frontier;
	}
	*reached = Min(*reached, bound->nodes);
	return Min(edges, fan->edges);
}

/*
 * Returns the number of steps of the walks from each start. A node counts once
 * for each length of a walk that reaches it.
 */
static double
walks(const Fan *fan, const KgBound *bound, double starts)
{
	double frontier = fan->out[0];
	double steps = Min(starts * frontier, fan->edges);

	for (int hop = 1; hop < fan->hops; hop++)
	{
		frontier = Min(frontier, bound->nodes) * fan->out[hop];
		steps += starts * Min(frontier, fan->edges);
	}
	return steps;
}

/*
 * Returns the number of ends that are stored for all starts. Each start stores
 * an end once.
 */
static double
kept_ends(const Fan *fan, const KgBound *bound, double starts)
{
	double reached;

	(void) spread(fan, bound, 1, &reached);
	return starts * Min(reached, fan->edges);
}

/*
 * Samples the fan-outs of a walk. A last hop from at most KG_SAMPLE nodes is
 * assumed to have the fan-out of the previous hop, because reading the sample
 * would cost as much as the search.
 */
static void
probe_fan(KgProbe *probe, Fan *fan, double starts)
{
	double frontier = starts;

	for (int hop = 0; hop < fan->hops; hop++)
	{
		if (hop > 0 && hop == fan->hops - 1 && frontier <= KG_SAMPLE &&
			is_small(probe->graph, frontier, 1))
		{
			fan->read[hop] = fan->read[hop - 1];
			fan->out[hop] = fan->out[hop - 1];
		}
		else
		{
			fan->out[hop] = kg_probe_hop(probe, fan->walk);
			fan->read[hop] = probe->read;
		}
		frontier *= fan->out[hop];
	}
	fan->passes = 1;
	fan->edges = INFINITY;
}

/*
 * Samples the fan-outs of a step of a chain. The next step starts from a sample
 * of the ends of all hops, in which each hop has the same share as in all ends.
 */
static void
probe_step(KgProbe *probe, Fan *fan)
{
	int64 found[KG_MAX_STEP_HOPS][KG_SAMPLE];
	int64 sample[KG_SAMPLE];
	int nfound[KG_MAX_STEP_HOPS];
	double ends[KG_MAX_STEP_HOPS];
	double frontier = 1;
	double all = 0;
	int n = 0;

	for (int hop = 0; hop < fan->hops; hop++)
	{
		fan->out[hop] = kg_probe_hop(probe, fan->walk);
		fan->read[hop] = probe->read;
		frontier *= fan->out[hop];
		ends[hop] = hop + 1 >= fan->min_hops ? frontier : 0;
		all += ends[hop];
		nfound[hop] = probe->nsample;
		memcpy(found[hop], probe->sample, sizeof(found[hop]));
	}
	fan->passes = 1;
	fan->edges = INFINITY;
	for (int hop = 0; hop < fan->hops && all > 0; hop++)
	{
		int share = (int) ceil(KG_SAMPLE * ends[hop] / all);

		share = Min(share, Min(nfound[hop], KG_SAMPLE - n));
		for (int i = 0; i < share; i++)
			sample[n++] = found[hop][i * nfound[hop] / share];
	}
	kg_probe_go_on(probe, sample, n);
}

/*
 * Tests the sample by a step's tests. Sets the share that passes, and goes on
 * from the nodes that pass.
 */
static void
test_sample(KgProbe *probe, Fan *fan, const KgStepSpec *spec)
{
	for (int i = 0; i < spec->ntests && probe->nsample > 0; i++)
	{
		uint16 ranks[KG_SAMPLE];
		bool pass[KG_SAMPLE];
		int n = 0;

		kg_graph_types(
			probe->graph, probe->sample, (uint32) probe->nsample, ranks);
		kg_node_test(probe->graph,
					 &spec->tests[i],
					 probe->sample,
					 (uint32) probe->nsample,
					 ranks,
					 pass);
		for (int j = 0; j < probe->nsample; j++)
			if (pass[j])
				probe->sample[n++] = probe->sample[j];
		/*
		 * If no node of a small sample passes, some other node may pass, so the
		 * share is not 0.
		 */
		fan->passes *= Max(n, 0.5) / probe->nsample;
		if (n > 0)
			probe->nsample = n;
	}
}

/*
 * Rounds up to two digits. More digits would suggest that the estimate is
 * exact.
 */
double
kg_cost_rounded(double cost)
{
	double unit = 1;

	while (cost / unit >= 100)
		unit *= 10;
	return ceil(cost / unit) * unit;
}

static KG_NORETURN void
throw_cost(double cost, const char *path)
{
	KG_THROW(
		KG_LIMIT_EXCEEDED,
		.message = psprintf("the call would read about %.0f edges, more than "
							"kg_graph.max_cost (%d)",
							kg_cost_rounded(cost),
							kg_setting_max_cost),
		.path = path,
		.got_string = psprintf("an estimate of %.0f", kg_cost_rounded(cost)),
		.expected = "fewer hops, fewer starting nodes or pairs of them, named "
					"relationship types, or filters on the starting nodes");
}

static bool
too_much(const KgGraph *graph, double cost)
{
	return graph->cost + cost > kg_setting_max_cost;
}

static void
add_cost(KgGraph *graph, double cost, const char *path)
{
	KgExplained *explained = graph->call->explained;
	bool open = kg_decisions_left_open() > 0;

	kg_decisions_end_estimate(!too_much(graph, cost));
	if (open)
	{
		/*
		 * The types that the estimate cached are discarded, so that the search
		 * reads them again and requests the decisions of the authorizer that
		 * are still open.
		 */
		kg_graph_forget_types(graph);
		return;
	}
	graph->cost += cost;
	if (explained != NULL)
		explained->cost = Max(explained->cost, 0) + cost;
	if (too_much(graph, 0))
		throw_cost(graph->cost, path);
}

void
kg_cost_reach(KgGraph *graph, const KgFollow *walk, const int64 *starts,
			  uint32 n, int hops, bool each, const char *path)
{
	/*
	 * The cost of hops beyond KG_LEVELS is not estimated; the limits of work
	 * apply to them.
	 */
	Fan fan = {.walk = walk, .hops = Min(hops, KG_LEVELS)};
	double rounds = each ? n : 1;
	KgBound bound = unbounded;
	KgProbe probe;
	double reached;
	double cost;

	if (is_small(graph, n, hops) && (!each || n <= 2))
		return;
	kg_decisions_begin_estimate();
	kg_probe_start(&probe, graph, starts, n);
	probe_fan(&probe, &fan, n / rounds);
	cost = rounds * spread(&fan, &bound, n / rounds, &reached);
	if (too_much(graph, cost))
	{
		kg_bound_count(graph, &bound);
		fan.edges = kg_bound_edges(graph, &bound, walk);
		cost = rounds * spread(&fan, &bound, n / rounds, &reached);
	}
	add_cost(graph, cost, path);
}

/*
 * Returns the cost of reading the edges of each step, and of finding and
 * storing the ends of the step for each start.
 */
static double
traverse_cost(const Fan *fans, int nsteps, const KgBound *bound, double starts)
{
	double cost = 0;

	for (int i = 0; i < nsteps; i++)
	{
		double reached;

		cost += spread(&fans[i], bound, starts, &reached);
		cost += KG_STEP * walks(&fans[i], bound, starts);
		cost += KG_END * kept_ends(&fans[i], bound, starts);
		starts = reached * fans[i].passes;
	}
	return cost;
}

/* Samples the fan-outs of a chain of steps. */
static void
probe_steps(KgGraph *graph, const int64 *starts, uint32 n,
			const KgStepSpec *specs, int nsteps, Fan *fans)
{
	KgProbe probe;

	kg_probe_start(&probe, graph, starts, n);
	for (int i = 0; i < nsteps; i++)
	{
		fans[i].walk = &specs[i].follow;
		fans[i].hops = specs[i].max_hops;
		fans[i].min_hops = specs[i].min_hops;
		probe_step(&probe, &fans[i]);
		test_sample(&probe, &fans[i], &specs[i]);
	}
}

double
kg_cost_of(KgGraph *graph, const int64 *starts, uint32 n,
		   const KgStepSpec *specs, int nsteps)
{
	Fan fans[KG_MAX_STEPS] = {{0}};

	if (n == 0)
		return 0;
	probe_steps(graph, starts, n, specs, nsteps, fans);
	return traverse_cost(fans, nsteps, &unbounded, n);
}

void
kg_cost_traverse(KgGraph *graph, const int64 *starts, uint32 n,
				 const KgStepSpec *specs, int nsteps, const char *path)
{
	Fan fans[KG_MAX_STEPS] = {{0}};
	KgBound bound = unbounded;
	double cost;
	int hops = 0;

	for (int i = 0; i < nsteps; i++)
		hops += specs[i].max_hops;
	if (is_small(graph, n, hops))
		return;
	kg_decisions_begin_estimate();
	probe_steps(graph, starts, n, specs, nsteps, fans);
	cost = traverse_cost(fans, nsteps, &bound, n);
	if (too_much(graph, cost))
	{
		kg_bound_count(graph, &bound);
		for (int i = 0; i < nsteps; i++)
			fans[i].edges = kg_bound_edges(graph, &bound, fans[i].walk);
		cost = traverse_cost(fans, nsteps, &bound, n);
	}
	add_cost(graph, cost, path);
}

/* ---- paths ---- */

/*
 * One side of a bidirectional search. Its fan-outs are sampled for as many hops
 * as the search would walk from this side.
 */
typedef struct Side
{
	KgFollow walk;
	/* types that inner nodes may have, as in KgPathQuery.inner */
	const bool *inner;
	Fan fan;
	/* share of the neighbours that may be inner nodes, by hop */
	double go_on[KG_LEVELS];
	KgProbe probe;
	double starts;
} Side;

/*
 * Removes from the sample the nodes that may not be inner nodes of a path.
 * Returns the share of the remaining nodes.
 */
static double
inner_part(Side *side)
{
	KgProbe *probe = &side->probe;
	uint16 ranks[KG_SAMPLE];
	int n = 0;
	double part;

	if (side->inner == NULL || probe->nsample == 0)
		return 1;
	kg_graph_types(probe->graph, probe->sample, (uint32) probe->nsample, ranks);
	for (int i = 0; i < probe->nsample; i++)
		if (side->inner[ranks[i]])
			probe->sample[n++] = probe->sample[i];
	part = Max(n, 0.5) / probe->nsample;
	if (n > 0)
		probe->nsample = n;
	return part;
}

static void
read_side(Side *side, int hop)
{
	while (side->fan.hops <= hop)
	{
		side->fan.out[side->fan.hops] = kg_probe_hop(&side->probe, &side->walk);
		side->fan.read[side->fan.hops] = side->probe.read;
		side->go_on[side->fan.hops++] = inner_part(side);
	}
}

/*
 * Returns the estimated number of edges that paths.c reads, which always
 * expands the smaller frontier.
 */
static double
region(Side *sides, int max_hops, const KgBound *bound)
{
	double frontier[2] = {sides[0].starts, sides[1].starts};
	double edges[2] = {0, 0};
	int hops[2] = {0, 0};

	while (hops[0] + hops[1] < max_hops && frontier[0] > 0 && frontier[1] > 0)
	{
		int i = frontier[0] <= frontier[1] ? 0 : 1;

		read_side(&sides[i], hops[i]);
		frontier[i] = Min(frontier[i], bound->nodes);
		edges[i] += frontier[i] * sides[i].fan.read[hops[i]];
		frontier[i] *= sides[i].fan.out[hops[i]] * sides[i].go_on[hops[i]];
		hops[i]++;
	}
	return Min(edges[0], sides[0].fan.edges) +
		   Min(edges[1], sides[1].fan.edges);
}

/*
 * Returns the cost of reading the part of the graph that can contain the paths,
 * and of the steps on this part in memory.
 */
static double
paths_cost(const KgPathQuery *query, Side *sides, const KgBound *bound)
{
	double edges = region(sides, query->max_hops, bound);
	double steps = edges * KG_STEP;

	if (query->weight != NULL && query->mode == KG_PATH_SHORTEST)
		return edges + (double) query->nto * query->max_hops * steps;
	switch (query->mode)
	{
		case KG_PATH_SHORTEST:
		case KG_PATH_ALL_SHORTEST:
			return edges + query->nto * steps;
		case KG_PATH_SIMPLE:
		case KG_PATH_TRAILS:
			return edges + query->max_hops * steps +
				   KG_STEP * Min(pow(edges, query->max_hops), KG_SIMPLE_STEPS);
		case KG_PATH_WALKS:
			break;
	}
	return edges + query->max_hops * steps;
}

void
kg_cost_paths(KgGraph *graph, const KgPathQuery *query)
{
	Side sides[2];
	KgBound bound = unbounded;
	double cost;

	if (is_small(graph, query->nfrom + query->nto, (query->max_hops + 1) / 2) ||
		(graph->call->explained == NULL && kg_paths_stop_when_met(query)))
		return;
	kg_decisions_begin_estimate();
	memset(sides, 0, sizeof(sides));
	for (int i = 0; i < 2; i++)
	{
		const int64 *nodes = i == 0 ? query->from : query->to;
		uint32 n = i == 0 ? query->nfrom : query->nto;

		sides[i].walk = query->follow;
		if (i == 1)
			kg_follow_reverse(&query->follow, &sides[i].walk);
		sides[i].inner = query->inner;
		sides[i].fan.edges = INFINITY;
		sides[i].starts = n;
		kg_probe_start(&sides[i].probe, graph, nodes, n);
	}
	cost = paths_cost(query, sides, &bound);
	if (too_much(graph, cost))
	{
		kg_bound_count(graph, &bound);
		for (int i = 0; i < 2; i++)
			sides[i].fan.edges = kg_bound_edges(graph, &bound, &sides[i].walk);
		cost = paths_cost(query, sides, &bound);
	}
	add_cost(graph, cost, "/max_hops");
}
