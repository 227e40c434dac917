/*
 * centrality.c
 *	  Measures that give each node of a network a number.
 *
 * Core numbers are computed as by Batagelj and Zaversnik (An O(m) Algorithm for
 * Cores Decomposition of Networks, 2003). Betweenness is computed as by Brandes
 * (A Faster Algorithm for Betweenness Centrality, 2001), from random pivots as
 * by Brandes and Pich (2007).
 */
#include "postgres.h"

#include <math.h>

#include "query/measure/centrality.h"

#define DAMPING 0.85
/*
 * A round of PageRank multiplies the error by at most DAMPING. So the error
 * after a change is below the change * DAMPING / (1 - DAMPING).
 */
#define LEAST_CHANGE 1e-9
/* Number of arcs over which all searches of a sampled betweenness may go. */
#define SAMPLED_ARCS UINT64CONST(30000000)
#define FEWEST_PIVOTS 16

double *
kg_measure_degree(KgNetwork *net)
{
	double *degree = kg_network_zeroed(net, net->set.n, sizeof(double));

	for (uint64 i = 0; i < net->nedges; i++)
	{
		double weight = net->weights != NULL ? net->weights[i] : 1;
		bool once = net->from[i] == net->to[i] && !net->query->both &&
					net->ways[i] == (KG_ALONG | KG_AGAINST);

		if (net->ways[i] & KG_ALONG)
			degree[net->from[i]] += weight;
		if ((net->ways[i] & KG_AGAINST) && !once)
			degree[net->to[i]] += weight;
	}
	return degree;
}

/* ---- PageRank ---- */

typedef struct Walk
{
	KgNetwork *net;
	KgArcs in;
	/* indexed by node: the sum of the weights of the node's arcs */
	double *passed;
	double *score;
	double *next;
	/* indexed by node: its score for each unit of weight */
	double *part;
} Walk;

static void
sum_passed(Walk *w)
{
	w->passed = kg_network_zeroed(w->net, w->net->set.n, sizeof(double));
	for (uint64 i = 0; i < w->in.start[w->net->set.n]; i++)
		w->passed[w->in.ends[i]] += w->in.weights != NULL ? w->in.weights[i]
														  : 1;
}

static double
sum_parts(const Walk *w, uint32 node)
{
	double sum = 0;

	for (uint64 i = w->in.start[node]; i < w->in.start[node + 1]; i++)
		sum += w->in.weights != NULL ? w->part[w->in.ends[i]] * w->in.weights[i]
									 : w->part[w->in.ends[i]];
	return sum;
}

/* Lets the walker take a step. Returns the sum of the changes of scores. */
static double
step(Walk *w)
{
	uint32 n = w->net->set.n;
	double stuck = 0;
	double change = 0;
	double anywhere;

	for (uint32 i = 0; i < n; i++)
	{
		w->part[i] = w->passed[i] > 0 ? w->score[i] / w->passed[i] : 0;
		if (w->passed[i] == 0)
			stuck += w->score[i];
	}
	anywhere = (1 - DAMPING + DAMPING * stuck) / n;
	for (uint32 i = 0; i < n; i++)
	{
		w->next[i] = anywhere + DAMPING * sum_parts(w, i);
		change += fabs(w->next[i] - w->score[i]);
		kg_plan_count(&w->net->done, w->in.start[i + 1] - w->in.start[i] + 1);
	}
	return change;
}

double *
kg_measure_pagerank(KgNetwork *net)
{
	uint32 n = net->set.n;
	Walk w;

	w.net = net;
	kg_network_arcs(net, KG_ARCS_IN, false, &w.in);
	sum_passed(&w);
	w.part = kg_network_array(net, n, sizeof(double));
	w.score = kg_network_array(net, n, sizeof(double));
	w.next = kg_network_array(net, n, sizeof(double));
	for (uint32 i = 0; i < n; i++)
		w.score[i] = 1.0 / n;
	while (n > 0 && step(&w) > LEAST_CHANGE)
	{
		double *before = w.score;

		w.score = w.next;
		w.next = before;
	}
	return w.score;
}

/* ---- cores ---- */

typedef struct Cores
{
	/* indexed by node: the number of neighbours that are left */
	uint32 *degree;
	uint32 *order; /* nodes by degree */
	uint32 *place; /* indexed by node: the node's position in the array order */
	/*
	 * indexed by degree: index in the array order of the first node of this
	 * degree
	 */
	uint32 *first;
} Cores;

/*
 * Lowers the degree of a node by 1 and moves the node in order. The node must
 * not be the next node in order.
 */
static void
lower_degree(Cores *c, uint32 node)
{
	uint32 degree = c->degree[node];
	uint32 at = c->place[node];
	uint32 front = c->first[degree];
	uint32 other = c->order[front];

	c->order[front] = node;
	c->place[node] = front;
	c->order[at] = other;
	c->place[other] = at;
	c->first[degree]++;
	c->degree[node]--;
}

static void
order_by_degree(const KgNetwork *net, const KgArcs *arcs, Cores *c)
{
	uint32 n = net->set.n;

	c->degree = kg_network_array(net, n, sizeof(uint32));
	c->order = kg_network_array(net, n, sizeof(uint32));
	c->place = kg_network_array(net, n, sizeof(uint32));
	c->first = kg_network_zeroed(net, (uint64) n + 1, sizeof(uint32));
	for (uint32 i = 0; i < n; i++)
	{
		c->degree[i] = (uint32) (arcs->start[i + 1] - arcs->start[i]);
		c->first[c->degree[i] + 1]++;
	}
	for (uint32 i = 0; i < n; i++)
		c->first[i + 1] += c->first[i];
	for (uint32 i = 0; i < n; i++)
	{
		c->place[i] = c->first[c->degree[i]]++;
		c->order[c->place[i]] = i;
	}
	for (uint32 i = n; i > 0; i--)
		c->first[i] = c->first[i - 1];
	c->first[0] = 0;
}

double *
kg_measure_core(KgNetwork *net)
{
	uint32 n = net->set.n;
	double *core = kg_network_array(net, n, sizeof(double));
	KgArcs arcs;
	Cores c;

	kg_network_arcs(net, KG_ARCS_ALL, true, &arcs);
	order_by_degree(net, &arcs, &c);
	for (uint32 i = 0; i < n; i++)
	{
		uint32 node = c.order[i];

		core[node] = c.degree[node];
		for (uint64 a = arcs.start[node]; a < arcs.start[node + 1]; a++)
			if (c.degree[arcs.ends[a]] > c.degree[node])
				lower_degree(&c, arcs.ends[a]);
		kg_plan_count(&net->done, arcs.start[node + 1] - arcs.start[node] + 1);
	}
	return core;
}

/* ---- betweenness ---- */

/* The number of shortest paths to a node, as paths * 2^(UNIT * units). */
#define UNIT 500

typedef struct Reach
{
	int32 distance; /* -1: not reached */
	int32 units;
	double paths;
	/* the share of pairs from the source whose paths go on from the node */
	double dependency;
} Reach;

typedef struct Between
{
	KgNetwork *net;
	KgArcs arcs;
	Reach *reach;
	uint32 *queue; /* reached nodes, by distance */
	uint32 n;
	double *score;
} Between;

static void
add_paths(Reach *to, const Reach *from)
{
	if (to->units == from->units)
		to->paths += from->paths;
	else if (to->units > from->units)
		to->paths += ldexp(from->paths, UNIT * (from->units - to->units));
	else
	{
		to->paths = from->paths +
					ldexp(to->paths, UNIT * (to->units - from->units));
		to->units = from->units;
	}
}

/* Counts the shortest paths from a node to all others. */
static void
count_paths(Between *b, uint32 source)
{
	b->queue[0] = source;
	b->n = 1;
	b->reach[source] = (Reach){0, 0, 1, 0};
	for (uint32 i = 0; i < b->n; i++)
	{
		uint32 node = b->queue[i];
		Reach *from = &b->reach[node];

		if (from->paths > ldexp(1, UNIT))
		{
			from->paths = ldexp(from->paths, -UNIT);
			from->units++;
		}
		for (uint64 a = b->arcs.start[node]; a < b->arcs.start[node + 1]; a++)
		{
			Reach *to = &b->reach[b->arcs.ends[a]];

			if (to->distance < 0)
			{
				*to = (Reach){from->distance + 1, from->units, from->paths, 0};
				b->queue[b->n++] = b->arcs.ends[a];
			}
			else if (to->distance == from->distance + 1)
				add_paths(to, from);
		}
		kg_plan_count(&b->net->done,
					  b->arcs.start[node + 1] - b->arcs.start[node] + 1);
	}
}

/* Adds the dependencies of the source, from the farthest nodes back to it. */
static void
add_dependencies(Between *b)
{
	while (b->n > 0)
	{
		uint32 node = b->queue[--b->n];
		Reach *from = &b->reach[node];
		double dependency = 0;

		for (uint64 a = b->arcs.start[node]; a < b->arcs.start[node + 1]; a++)
		{
			const Reach *to = &b->reach[b->arcs.ends[a]];
			double part;

			if (to->distance != from->distance + 1)
				continue;
			part = from->paths / to->paths;
			if (from->units != to->units)
				part = ldexp(part, UNIT * (from->units - to->units));
			dependency += part * (1 + to->dependency);
		}
		from->dependency = dependency;
		if (from->distance > 0)
			b->score[node] += dependency;
		kg_plan_count(&b->net->done,
					  b->arcs.start[node + 1] - b->arcs.start[node] + 1);
	}
}

static void
add_source(Between *b, uint32 source)
{
	uint32 n;

	if (b->arcs.start[source] == b->arcs.start[source + 1])
		return;
	count_paths(b, source);
	n = b->n;
	add_dependencies(b);
	for (uint32 i = 0; i < n; i++)
		b->reach[b->queue[i]].distance = -1;
}

/* Returns the pivots, which are all different; NULL: every node is a pivot. */
static uint32 *
choose_pivots(const Between *b, int64 seed, uint32 *n)
{
	KgRandom random = {(uint64) seed};
	uint32 nodes = b->net->set.n;
	uint64 most = SAMPLED_ARCS / Max(b->arcs.start[nodes], 1);
	uint32 *pivots;

	*n = 0;
	most = Max(most, FEWEST_PIVOTS);
	if (b->net->nedges <= KG_EXACT_EDGES || most >= nodes)
		return NULL;
	pivots = kg_network_array(b->net, nodes, sizeof(uint32));
	for (uint32 i = 0; i < nodes; i++)
		pivots[i] = i;
	for (*n = 0; *n < most; (*n)++)
	{
		uint32 other = *n + kg_random_below(&random, nodes - *n);
		uint32 pivot = pivots[other];

		pivots[other] = pivots[*n];
		pivots[*n] = pivot;
	}
	return pivots;
}

double *
kg_measure_betweenness(KgNetwork *net, int64 seed, uint32 *pivots)
{
	uint32 n = net->set.n;
	uint32 *chosen;
	Between b;
	double pairs;

	b.net = net;
	b.score = kg_network_zeroed(net, n, sizeof(double));
	kg_network_arcs(net, KG_ARCS_OUT, true, &b.arcs);
	b.reach = kg_network_array(net, n, sizeof(Reach));
	b.queue = kg_network_array(net, n, sizeof(uint32));
	for (uint32 i = 0; i < n; i++)
		b.reach[i].distance = -1;
	chosen = choose_pivots(&b, seed, pivots);
	for (uint32 i = 0; i < (chosen != NULL ? *pivots : n); i++)
		add_source(&b, chosen != NULL ? chosen[i] : i);
	pairs = ((double) n - 1) * ((double) n - 2);
	if (chosen != NULL)
		pairs *= (double) *pivots / n;
	for (uint32 i = 0; i < n && pairs > 0; i++)
		b.score[i] = Min(b.score[i] / pairs, 1);
	return b.score;
}
