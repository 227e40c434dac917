/*
 * communities.c
 *	  Communities by the Leiden algorithm (Traag, Waltman, van Eck: From Louvain
 *	  to Leiden: guaranteeing well-connected communities, 2019).
 *
 * A round moves nodes to the neighbouring community that raises the modularity
 * most, until no move does. It then refines each community into parts whose
 * nodes are well connected, and makes a graph of the parts, with which the next
 * round begins. The refinement does not choose a random part among the parts
 * that raise the modularity. It takes the part that raises the modularity most.
 *
 * Weights are rounded to multiples of a 2^50th of their sum. So all sums of
 * weights are exact: they depend neither on the order of additions nor on the
 * number of moves.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "query/measure/groups.h"

#define SUM_OF_WEIGHTS ldexp(1, 50)
/*
 * Number of passes over the whole graph. Each pass begins with the communities
 * of the previous pass.
 */
#define PASSES 2
/* A move has to raise the modularity by more than an error of rounding. */
#define LEAST_GAIN 1e-10

/* A graph whose nodes are the nodes of the network, or parts of the network. */
typedef struct Level
{
	uint32 n;
	KgArcs arcs; /* without loops */
	/* indexed by node: sum of the weights of its arcs, loops counted twice */
	double *degree;
} Level;

typedef struct Leiden
{
	KgNetwork *net;
	KgRandom random;
	double all; /* twice the sum of all weights */
	Level level;
	/* indexed by node of the level: its community, below level.n */
	uint32 *community;
	/* indexed by node of the network: the node of the level that contains it */
	uint32 *flat;
	/* the arrays below have as many members as the network has nodes: */
	/* indexed by community, or part: the sum of the degrees of its nodes */
	double *total;
	/* indexed by community, or part: the number of its nodes */
	uint32 *size;
	/*
	 * indexed by community, or part: the weight of its arcs to the current node
	 */
	double *weight;
	/* the communities, or parts, that have arcs to the current node */
	uint32 *near;
	uint32 nnear;
	/* nodes of the level, in the order in which they are moved */
	uint32 *order;
	/* indexed by node of the level: its part in the refinement */
	uint32 *part;
	/* indexed by part: the weight of its arcs to the rest of its community */
	double *out;
	/* indexed by node: whether it is in the queue */
	bool *waits;
	uint32 *empty; /* communities without nodes */
	uint32 nempty;
} Leiden;

static void
count_degree(const Leiden *l, uint32 node)
{
	kg_plan_count(&l->net->done,
				  l->level.arcs.start[node + 1] - l->level.arcs.start[node] +
					  1);
}

/* Sets a random order of the nodes. */
static void
shuffle(Leiden *l)
{
	for (uint32 i = 0; i < l->level.n; i++)
	{
		uint32 other = kg_random_below(&l->random, i + 1);

		l->order[i] = l->order[other];
		l->order[other] = i;
	}
}

/*
 * Sets the weights of a node's arcs to each group of nodes. If "within" is set,
 * only arcs within its community count.
 */
static void
weigh_near(Leiden *l, uint32 node, const uint32 *group, const uint32 *within)
{
	const KgArcs *arcs = &l->level.arcs;

	l->nnear = 0;
	for (uint64 a = arcs->start[node]; a < arcs->start[node + 1]; a++)
	{
		uint32 end = arcs->ends[a];

		if ((within != NULL && within[end] != within[node]) ||
			arcs->weights[a] == 0)
			continue;
		if (l->weight[group[end]] == 0)
			l->near[l->nnear++] = group[end];
		l->weight[group[end]] += arcs->weights[a];
	}
	count_degree(l, node);
}

static void
forget_near(Leiden *l)
{
	for (uint32 i = 0; i < l->nnear; i++)
		l->weight[l->near[i]] = 0;
}

/*
 * Returns the gain in modularity, in units of weight, if a node is added to a
 * group that does not have the node.
 */
static double
gain_in(const Leiden *l, uint32 node, uint32 group)
{
	return l->weight[group] -
		   l->level.degree[node] * (l->total[group] / l->all);
}

/* ---- moving nodes ---- */

static void
begin_communities(Leiden *l)
{
	memset(l->total, 0, l->level.n * sizeof(double));
	memset(l->size, 0, l->level.n * sizeof(uint32));
	for (uint32 i = 0; i < l->level.n; i++)
	{
		l->total[l->community[i]] += l->level.degree[i];
		l->size[l->community[i]]++;
	}
	l->nempty = 0;
	for (uint32 i = l->level.n; i-- > 0;)
		if (l->size[i] == 0)
			l->empty[l->nempty++] = i;
}

/*
 * Returns the best community of a node, which is in no community now. "own" is
 * the community that the node has just left.
 */
static uint32
best_community(const Leiden *l, uint32 node, uint32 own)
{
	double least = LEAST_GAIN * l->level.degree[node];
	double best_gain = gain_in(l, node, own);
	uint32 best = own;

	for (uint32 i = 0; i < l->nnear; i++)
	{
		double gain = gain_in(l, node, l->near[i]);

		if (l->near[i] != own && gain > best_gain + least)
		{
			best = l->near[i];
			best_gain = gain;
		}
	}
	/* A node alone in a community has the gain 0, which is more than a loss. */
	if (best_gain < -least && l->size[own] > 0)
		best = l->empty[l->nempty - 1];
	return best;
}

/*
 * Moves a node to its best community. Returns whether this is another
 * community.
 */
static bool
move_node(Leiden *l, uint32 node)
{
	uint32 own = l->community[node];
	uint32 best;

	weigh_near(l, node, l->community, NULL);
	l->total[own] -= l->level.degree[node];
	l->size[own]--;
	best = best_community(l, node, own);
	forget_near(l);
	if (l->size[best] == 0 && best != own)
		l->nempty--;
	l->total[best] += l->level.degree[node];
	l->size[best]++;
	if (l->size[own] == 0)
		l->empty[l->nempty++] = own;
	l->community[node] = best;
	return best != own;
}

static void
move_nodes(Leiden *l)
{
	const KgArcs *arcs = &l->level.arcs;
	uint32 n = l->level.n;
	uint32 head = 0;
	uint32 waiting = n;

	shuffle(l);
	begin_communities(l);
	memset(l->waits, true, n);
	/* The array "order" is the queue, used as a ring. */
	while (waiting > 0)
	{
		uint32 node = l->order[head];

		head = head + 1 < n ? head + 1 : 0;
		waiting--;
		l->waits[node] = false;
		if (!move_node(l, node))
			continue;
		for (uint64 a = arcs->start[node]; a < arcs->start[node + 1]; a++)
		{
			uint32 end = arcs->ends[a];

			if (l->waits[end] || l->community[end] == l->community[node])
				continue;
			l->waits[end] = true;
			l->order[(head + (uint64) waiting++) % n] = end;
		}
	}
}

/* ---- refinement ---- */

static bool
is_well_connected(const Leiden *l, double out, double total, double whole)
{
	return out >= total * ((whole - total) / l->all);
}

/*
 * If a node is the only node of its part, merges the node with the best other
 * part, if there is such a part.
 */
static void
merge_node(Leiden *l, uint32 node, double whole)
{
	double best_gain = 0;
	uint32 best = node;

	weigh_near(l, node, l->part, l->community);
	for (uint32 i = 0; i < l->nnear; i++)
	{
		uint32 part = l->near[i];
		double gain = gain_in(l, node, part);

		if (part != node && gain > best_gain &&
			is_well_connected(l, l->out[part], l->total[part], whole))
		{
			best = part;
			best_gain = gain;
		}
	}
	if (best != node)
	{
		l->out[best] += l->out[node] - 2 * l->weight[best];
		l->total[best] += l->total[node];
		l->size[best]++;
		l->size[node] = 0;
		l->part[node] = best;
	}
	forget_near(l);
}

/* Divides each community into parts. */
static void
refine(Leiden *l)
{
	const KgArcs *arcs = &l->level.arcs;
	uint32 n = l->level.n;
	double *whole = kg_network_array(l->net, n, sizeof(double));

	memcpy(whole, l->total, n * sizeof(double));
	for (uint32 i = 0; i < n; i++)
	{
		l->part[i] = i;
		l->total[i] = l->level.degree[i];
		l->size[i] = 1;
		l->out[i] = 0;
		for (uint64 a = arcs->start[i]; a < arcs->start[i + 1]; a++)
			if (l->community[arcs->ends[a]] == l->community[i])
				l->out[i] += arcs->weights[a];
		count_degree(l, i);
	}
	shuffle(l);
	for (uint32 i = 0; i < n; i++)
	{
		uint32 node = l->order[i];

		if (l->part[node] == node && l->size[node] == 1 &&
			is_well_connected(
				l, l->out[node], l->total[node], whole[l->community[node]]))
			merge_node(l, node, whole[l->community[node]]);
	}
	pfree(whole);
}

/* ---- the next level ---- */

/*
 * Numbers groups in the order of their first nodes. Returns the number of
 * groups.
 */
static uint32
renumber(const Leiden *l, uint32 *group, uint32 n)
{
	uint32 *number = l->near;
	uint32 count = 0;

	for (uint32 i = 0; i < l->level.n; i++)
		number[i] = KG_NO_NODE;
	for (uint32 i = 0; i < n; i++)
	{
		if (number[group[i]] == KG_NO_NODE)
			number[group[i]] = count++;
		group[i] = number[group[i]];
	}
	return count;
}

/*
 * Makes the arcs between the parts for the next level. order has the nodes
 * sorted by their parts.
 */
static void
join_arcs(Leiden *l, const uint32 *start, const uint32 *order, Level *next)
{
	uint64 most = l->level.arcs.start[l->level.n];
	uint64 n = 0;

	next->arcs.start = kg_network_array(
		l->net, (uint64) next->n + 1, sizeof(uint64));
	next->arcs.ends = kg_network_array(l->net, most, sizeof(uint32));
	next->arcs.weights = kg_network_array(l->net, most, sizeof(double));
	next->degree = kg_network_zeroed(l->net, next->n, sizeof(double));
	next->arcs.start[0] = 0;
	for (uint32 part = 0; part < next->n; part++)
	{
		uint32 ends = 0;

		for (uint32 i = start[part]; i < start[part + 1]; i++)
		{
			const KgArcs *arcs = &l->level.arcs;
			uint32 node = order[i];

			next->degree[part] += l->level.degree[node];
			for (uint64 a = arcs->start[node]; a < arcs->start[node + 1]; a++)
			{
				uint32 end = l->part[arcs->ends[a]];

				if (end == part || arcs->weights[a] == 0)
					continue;
				if (l->weight[end] == 0)
					next->arcs.ends[n + ends++] = end;
				l->weight[end] += arcs->weights[a];
			}
			count_degree(l, node);
		}
		for (uint32 i = 0; i < ends; i++, n++)
		{
			next->arcs.weights[n] = l->weight[next->arcs.ends[n]];
			l->weight[next->arcs.ends[n]] = 0;
		}
		next->arcs.start[part + 1] = n;
	}
}

static void
free_level(Level *level)
{
	kg_arcs_free(&level->arcs);
	pfree(level->degree);
}

/*
 * Makes the next level, whose nodes are the parts. Returns false if each part
 * has a single node.
 */
static bool
aggregate(Leiden *l, const Level *first)
{
	uint32 n = l->level.n;
	Level next;
	uint32 *start;

	next.n = renumber(l, l->part, n);
	if (next.n == n)
		return false;
	start = kg_network_zeroed(l->net, (uint64) next.n + 1, sizeof(uint32));
	for (uint32 i = 0; i < n; i++)
		start[l->part[i] + 1]++;
	for (uint32 i = 0; i < next.n; i++)
		start[i + 1] += start[i];
	for (uint32 i = 0; i < n; i++)
		l->order[start[l->part[i]]++] = i;
	for (uint32 i = next.n; i > 0; i--)
		start[i] = start[i - 1];
	start[0] = 0;
	join_arcs(l, start, l->order, &next);
	/* A part is in the community of its nodes. */
	for (uint32 i = 0; i < next.n; i++)
		l->near[i] = l->community[l->order[start[i]]];
	memcpy(l->community, l->near, next.n * sizeof(uint32));
	(void) renumber(l, l->community, next.n);
	for (uint32 i = 0; i < l->net->set.n; i++)
		l->flat[i] = l->part[l->flat[i]];
	pfree(start);
	if (l->level.degree != first->degree)
		free_level(&l->level);
	l->level = next;
	return true;
}

/* ---- the whole ---- */

/*
 * Goes over the whole graph once, from the first level to the last. Sets flat
 * to the communities of the network's nodes.
 */
static void
pass(Leiden *l, const Level *first)
{
	uint32 n = l->net->set.n;

	l->level = *first;
	memcpy(l->community, l->flat, n * sizeof(uint32));
	for (uint32 i = 0; i < n; i++)
		l->flat[i] = i;
	do
	{
		CHECK_FOR_INTERRUPTS();
		move_nodes(l);
		refine(l);
	} while (aggregate(l, first));
	for (uint32 i = 0; i < n; i++)
		l->flat[i] = l->community[l->flat[i]];
	if (l->level.degree != first->degree)
		free_level(&l->level);
	l->level = *first;
	(void) renumber(l, l->flat, n);
}

/*
 * Rounds the weights of the network, and makes the first level from the
 * network.
 */
static void
make_first(Leiden *l, Level *first)
{
	KgNetwork *net = l->net;
	double sum = 0;

	if (net->weights != NULL)
	{
		double unit;

		for (uint64 i = 0; i < net->nedges; i++)
			sum += net->weights[i];
		unit = sum > 0 ? SUM_OF_WEIGHTS / sum : 0;
		for (uint64 i = 0; i < net->nedges; i++)
			net->weights[i] = rint(net->weights[i] * unit);
	}
	first->n = net->set.n;
	kg_network_arcs(net, KG_ARCS_ALL, true, &first->arcs);
	first->degree = kg_network_zeroed(net, first->n, sizeof(double));
	for (uint64 i = 0; i < net->nedges; i++)
	{
		double weight = net->weights != NULL ? net->weights[i] : 1;

		first->degree[net->from[i]] += weight;
		first->degree[net->to[i]] += weight;
		l->all += 2 * weight;
	}
}

static double
modularity(const Leiden *l, const Level *first, const KgGroups *groups)
{
	const KgNetwork *net = l->net;
	double *total = kg_network_zeroed(net, groups->n, sizeof(double));
	double within = 0;
	double expected = 0;

	for (uint64 i = 0; i < net->nedges; i++)
		if (groups->of[net->from[i]] == groups->of[net->to[i]])
			within += net->weights != NULL ? net->weights[i] : 1;
	for (uint32 i = 0; i < first->n; i++)
		total[groups->of[i]] += first->degree[i];
	for (uint32 i = 0; i < groups->n; i++)
		expected += (total[i] / l->all) * (total[i] / l->all);
	pfree(total);
	return l->all > 0 ? 2 * within / l->all - expected : 0;
}

double
kg_measure_communities(KgNetwork *net, int64 seed, KgGroups *groups)
{
	uint32 n = net->set.n;
	Leiden l;
	Level first;

	memset(&l, 0, sizeof(l));
	l.net = net;
	l.random.state = (uint64) seed;
	make_first(&l, &first);
	l.community = kg_network_array(net, n, sizeof(uint32));
	l.flat = kg_network_array(net, n, sizeof(uint32));
	l.total = kg_network_array(net, n, sizeof(double));
	l.size = kg_network_array(net, n, sizeof(uint32));
	l.weight = kg_network_zeroed(net, n, sizeof(double));
	l.near = kg_network_array(net, n, sizeof(uint32));
	l.order = kg_network_array(net, n, sizeof(uint32));
	l.part = kg_network_array(net, n, sizeof(uint32));
	l.out = kg_network_array(net, n, sizeof(double));
	l.waits = kg_network_array(net, n, sizeof(bool));
	l.empty = kg_network_array(net, n, sizeof(uint32));
	for (uint32 i = 0; i < n; i++)
		l.flat[i] = i;
	for (int i = 0; i < PASSES && l.all > 0; i++)
		pass(&l, &first);
	kg_groups_connect(net, l.flat, groups);
	return modularity(&l, &first, groups);
}
