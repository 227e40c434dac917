/*
 * groups.c
 *	  Connected components, and the order of groups.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "query/measure/groups.h"

/*
 * Returns the root of a node. Shortens the node's way to the root for later
 * calls.
 */
static uint32
find_root(uint32 *parent, uint32 node)
{
	while (parent[node] != node)
		node = parent[node] = parent[parent[node]];
	return node;
}

static int
compare_sizes(const void *a, const void *b, void *arg)
{
	const uint32 *sizes = arg;
	uint32 x = *(const uint32 *) a;
	uint32 y = *(const uint32 *) b;

	if (sizes[x] != sizes[y])
		return sizes[x] > sizes[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

/*
 * Numbers the groups by size. Before the call, a group has the number of its
 * first node.
 */
static void
number_groups(KgNetwork *net, KgGroups *groups)
{
	uint32 n = net->set.n;
	uint32 *sizes = kg_network_zeroed(net, n, sizeof(uint32));
	uint32 *order = kg_network_array(net, n, sizeof(uint32));
	uint32 *number = kg_network_array(net, n, sizeof(uint32));

	groups->n = 0;
	for (uint32 i = 0; i < n; i++)
	{
		if (groups->of[i] == i)
			order[groups->n++] = i;
		sizes[groups->of[i]]++;
	}
	qsort_interruptible(order, groups->n, sizeof(uint32), compare_sizes, sizes);
	groups->sizes = kg_network_array(net, groups->n, sizeof(uint32));
	for (uint32 i = 0; i < groups->n; i++)
	{
		number[order[i]] = i;
		groups->sizes[i] = sizes[order[i]];
	}
	for (uint32 i = 0; i < n; i++)
		groups->of[i] = number[groups->of[i]];
	pfree(sizes);
	pfree(order);
	pfree(number);
}

void
kg_groups_connect(KgNetwork *net, const uint32 *part, KgGroups *groups)
{
	uint32 n = net->set.n;
	uint32 *parent = kg_network_array(net, n, sizeof(uint32));

	for (uint32 i = 0; i < n; i++)
		parent[i] = i;
	for (uint64 i = 0; i < net->nedges; i++)
	{
		uint32 from = find_root(parent, net->from[i]);
		uint32 to = find_root(parent, net->to[i]);

		kg_plan_count(&net->done, 1);
		if (from == to ||
			(part != NULL && part[net->from[i]] != part[net->to[i]]) ||
			(net->weights != NULL && net->weights[i] == 0))
			continue;
		/* The first node of a group is the root of the group. */
		if (from < to)
			parent[to] = from;
		else
			parent[from] = to;
	}
	for (uint32 i = 0; i < n; i++)
		parent[i] = find_root(parent, i);
	groups->of = parent;
	number_groups(net, groups);
}

void
kg_measure_components(KgNetwork *net, KgGroups *groups)
{
	kg_groups_connect(net, NULL, groups);
}
