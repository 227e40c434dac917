/*
 * paths_list.c
 *	  Lists and counts paths in the order of replies: by length, then by the
 *	  handles of their nodes, then by their edges.
 *
 * Walks are counted by length and node, starting at the targets. The counts
 * also show which links reach a target, so the listing follows no dead end.
 * Shortest paths are listed for each target by the distances to it. Simple
 * paths and trails must be walked to be counted, so their count ends after
 * KG_COUNT_STEPS steps and is then a lower bound.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "query/graph/paths.h"
#include "query/run/plan.h"
#include "utils/memutils.h"

#define KG_FAR 0xff
#define KG_COUNT_STEPS 2000000

/* ---- the first limit paths ---- */

static int
compare_paths(const void *a, const void *b, void *arg)
{
	const KgPaths *paths = arg;
	const KgPath *x = a;
	const KgPath *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? -1 : 1;
	if (x->length != y->length)
		return x->length - y->length;
	for (int i = 0; i <= x->length; i++)
		if (x->nodes[i] != y->nodes[i])
			return kg_ref_compare(&paths->refs[x->nodes[i]],
								  &paths->refs[y->nodes[i]]);
	for (int i = 0; i < x->length; i++)
		if (x->links[i] != y->links[i])
			return x->links[i] < y->links[i] ? -1 : 1;
	return 0;
}

void
kg_paths_finish(KgPaths *paths)
{
	qsort_arg(paths->paths, paths->n, sizeof(KgPath), compare_paths, paths);
	paths->n = Min(paths->n, paths->query->limit);
}

void
kg_paths_add(KgPaths *paths, const KgPath *path)
{
	if (paths->n == paths->query->limit * 2)
		kg_paths_finish(paths);
	paths->paths[paths->n++] = *path;
}

/* ---- walking ---- */

/* The links of each node that can lead to a target; links NULL: all links. */
typedef struct Ways
{
	/*
	 * indexed by node: the first index of its links in "links"; number of
	 * nodes + 1 members
	 */
	uint32 *start;
	/* indexes of links, in the order of replies */
	uint32 *links;
} Ways;

typedef struct Walker
{
	KgPaths *paths;
	/*
	 * walks that repeat a node or an edge are left out, so the remaining walks
	 * can only be counted by listing them
	 */
	bool listed;
	/* For walks: the number of walks of each length from a node to a target. */
	double *counts[KG_MAX_PATH_HOPS + 1];
	/* For walks: the links with which the walks of each length begin. */
	Ways ways[KG_MAX_PATH_HOPS + 1];
	/* For shortest paths: the distance to the target; NULL for walks. */
	const uint8 *distance;
	uint32 room; /* number of paths that are still wanted */
	int64 steps;
	uint64 looked; /* number of links examined */
	bool stop;
	KgPath path;
	uint32 width[KG_MAX_PATH_HOPS]; /* number of parallel links of each hop */
} Walker;

/*
 * Returns whether the walk can reach a target from the node with this number
 * of hops left.
 */
static bool
leads_on(const Walker *w, uint32 node, int left)
{
	if (w->distance != NULL)
		return w->distance[node] == left;
	return w->counts[left][node] > 0;
}

bool
kg_path_may_end(const KgPaths *paths, const KgPath *path)
{
	int last = path->length - 1;

	for (int i = 0; i <= last; i++)
	{
		if (paths->query->mode == KG_PATH_SIMPLE &&
			path->nodes[i] == path->nodes[last + 1])
			return false;
		if (paths->query->mode == KG_PATH_TRAILS && i < last &&
			kg_link_same_edge(&paths->links.links[path->links[i]],
							  &paths->links.links[path->links[last]]))
			return false;
	}
	return true;
}

/*
 * Returns whether the walk cannot go to the node at depth + 1. In the mode of
 * simple paths, no node may be repeated. In the other modes that forbid
 * repetitions, an edge without parallel edges may not be repeated.
 */
static bool
is_repeated(const Walker *w, int depth)
{
	const KgLink *links = w->paths->links.links;
	bool simple = w->paths->query->mode == KG_PATH_SIMPLE;

	for (int i = 0; i <= depth && w->listed; i++)
	{
		if (simple && w->path.nodes[i] == w->path.nodes[depth + 1])
			return true;
		if (!simple && i < depth && w->width[i] == 1 && w->width[depth] == 1 &&
			kg_link_same_edge(&links[w->path.links[i]],
							  &links[w->path.links[depth]]))
			return true;
	}
	return false;
}

/* Returns whether the path uses no edge twice. */
static bool
is_trail(const KgPaths *paths, const KgPath *path)
{
	KgPath part = *path;

	for (part.length = 2; part.length <= path->length; part.length++)
		if (!kg_path_may_end(paths, &part))
			return false;
	return true;
}

static void
count_step(Walker *w)
{
	if ((++w->steps & 0xffff) != 0)
		return;
	CHECK_FOR_INTERRUPTS();
	if (w->room == 0 && w->steps > KG_COUNT_STEPS)
	{
		w->paths->at_least = true;
		w->stop = true;
	}
	else
		kg_graph_charge_edges(w->paths->graph, 0x10000);
}

/*
 * Adds the current sequence of nodes with every combination of parallel links
 * that the mode allows.
 */
static void
add_choices(Walker *w)
{
	bool trails = w->listed && w->paths->query->mode == KG_PATH_TRAILS;
	KgPath path = w->path;
	double choices = 1;
	uint32 choice[KG_MAX_PATH_HOPS];
	int hop;

	for (int i = 0; i < path.length; i++)
	{
		choices *= w->width[i];
		choice[i] = 0;
	}
	if (w->listed && !trails)
		w->paths->total += choices;
	while ((w->room > 0 || trails) && !w->stop)
	{
		for (int i = 0; i < path.length; i++)
			path.links[i] = w->path.links[i] + choice[i];
		if (!trails || is_trail(w->paths, &path))
		{
			w->paths->total += trails;
			if (w->room > 0)
			{
				kg_paths_add(w->paths, &path);
				w->room--;
			}
		}
		if (trails)
			count_step(w);
		for (hop = path.length - 1; hop >= 0; hop--)
		{
			if (++choice[hop] < w->width[hop])
				break;
			choice[hop] = 0;
		}
		if (hop < 0)
			break;
	}
	if (w->room == 0 && !w->listed)
		w->stop = true;
}

static void
walk(Walker *w, int depth)
{
	const KgPaths *paths = w->paths;
	const KgLink *links = paths->links.links;
	int left = w->path.length - depth;
	uint32 node = w->path.nodes[depth];
	const Ways *ways = &w->ways[left];
	const uint32 *start = ways->links ? ways->start : paths->links.start;
	uint32 last = start[node + 1];

	check_stack_depth();
	count_step(w);
	if (left == 0)
	{
		add_choices(w);
		return;
	}
	kg_plan_count(&w->looked, last - start[node]);
	for (uint32 i = start[node], width; i < last && !w->stop; i += width)
	{
		uint32 link = ways->links ? ways->links[i] : i;
		uint32 to = links[link].to;

		/* Parallel links are adjacent in both lists. */
		for (width = 1; i + width < last && links[link + width].to == to;)
			width++;
		if (!leads_on(w, to, left - 1))
			continue;
		if (left > 1 && !kg_path_inner(paths, to))
			continue;
		w->path.nodes[depth + 1] = to;
		w->path.links[depth] = link;
		w->width[depth] = width;
		if (is_repeated(w, depth))
			continue;
		walk(w, depth + 1);
	}
}

/* ---- walks and simple paths ---- */

static void
count_walks(KgPaths *paths, Walker *w)
{
	uint32 nodes = paths->set.n;
	uint64 done = 0;

	for (int left = 0; left <= paths->query->max_hops; left++)
	{
		double *counts = MemoryContextAllocHuge(
			paths->graph->context, Max((Size) nodes, 1) * sizeof(double));

		w->counts[left] = counts;
		CHECK_FOR_INTERRUPTS();
		kg_graph_check_memory(paths->graph);
		for (uint32 node = 0; node < nodes; node++)
		{
			const KgLink *link;
			uint32 n;

			counts[node] = left == 0 && paths->is_to[node];
			if (left == 0)
				continue;
			link = kg_path_links(paths, node, &n);
			kg_plan_count(&done, n + 1);
			for (; n > 0; n--, link++)
				if (left == 1 || kg_path_inner(paths, link->to))
					counts[node] += w->counts[left - 1][link->to];
		}
	}
}

/*
 * Lists the links with which a walk of "left" hops can begin. A hub may have
 * many links and few such links. Without the list, every walk would examine
 * all links of the hub. Makes no list if such links are more than a quarter of
 * all links.
 */
static void
list_ways(KgPaths *paths, Walker *w, int left)
{
	Ways *ways = &w->ways[left];
	const KgLinks *links = &paths->links;
	MemoryContext context = paths->graph->context;
	Size nodes = paths->set.n;
	uint64 most = links->n / 4;
	uint64 n = 0;
	uint64 done = 0;

	ways->start = MemoryContextAllocHuge(context, (nodes + 1) * sizeof(uint32));
	ways->links = MemoryContextAllocHuge(context, (most + 1) * sizeof(uint32));
	kg_graph_check_memory(paths->graph);
	for (Size node = 0; node < nodes; node++)
	{
		ways->start[node] = (uint32) n;
		kg_plan_count(&done, links->start[node + 1] - links->start[node] + 1);
		for (uint32 i = links->start[node]; i < links->start[node + 1]; i++)
			if (w->counts[left - 1][links->links[i].to] > 0)
			{
				if (n == most)
				{
					pfree(ways->start);
					pfree(ways->links);
					ways->links = NULL;
					return;
				}
				ways->links[n++] = i;
			}
	}
	ways->start[nodes] = (uint32) n;
	ways->links = repalloc_huge(ways->links, (n + 1) * sizeof(uint32));
}

static void
list_walks(KgPaths *paths, uint32 room)
{
	Walker w;

	memset(&w, 0, sizeof(w));
	w.paths = paths;
	w.listed = paths->query->mode != KG_PATH_WALKS;
	w.room = room;
	count_walks(paths, &w);
	for (int left = 1; left <= paths->query->max_hops && w.listed; left++)
		list_ways(paths, &w, left);
	for (int length = 1; length <= paths->query->max_hops; length++)
		for (uint32 i = 0; i < paths->nfrom; i++)
		{
			uint32 from = paths->from[i];

			if (!w.listed)
				paths->total += w.counts[length][from];
			if (w.counts[length][from] == 0 || w.stop ||
				(room == 0 && !w.listed))
				continue;
			w.path.length = length;
			w.path.nodes[0] = from;
			walk(&w, 0);
		}
}

/* ---- shortest paths ---- */

typedef struct ToTarget
{
	uint8 *distance; /* indexed by node; KG_FAR: not reached */
	double *counts;	 /* number of shortest paths, by node */
	/* nodes with a distance, by ascending distance */
	uint32 *queue;
	uint32 n;
} ToTarget;

/*
 * Computes the distances of the nodes to a target over allowed inner nodes, and
 * the numbers of shortest paths.
 */
static void
measure_target(KgPaths *paths, uint32 target, ToTarget *tt)
{
	uint32 head = 0;
	uint64 done = 0;

	/* Clear only the distances that were set for the previous target. */
	for (uint32 i = 0; i < tt->n; i++)
		tt->distance[tt->queue[i]] = KG_FAR;
	tt->n = 0;
	tt->distance[target] = 0;
	tt->counts[target] = 1;
	tt->queue[tt->n++] = target;
	while (head < tt->n)
	{
		uint32 node = tt->queue[head++];
		uint8 distance = tt->distance[node];

		if (distance >= paths->query->max_hops)
			break;
		if (node != target && !kg_path_inner(paths, node))
			continue;
		kg_plan_count(&done,
					  1 + paths->incoming_start[node + 1] -
						  paths->incoming_start[node]);
		for (uint32 i = paths->incoming_start[node];
			 i < paths->incoming_start[node + 1];
			 i++)
		{
			uint32 from = paths->links.links[paths->incoming[i]].from;

			if (tt->distance[from] == KG_FAR)
			{
				tt->distance[from] = distance + 1;
				tt->counts[from] = 0;
				tt->queue[tt->n++] = from;
			}
			if (tt->distance[from] == distance + 1)
				tt->counts[from] += tt->counts[node];
		}
	}
}

static void
list_shortest(KgPaths *paths)
{
	MemoryContext context = paths->graph->context;
	Size nodes = Max((Size) paths->set.n, 1);
	bool all = paths->query->mode == KG_PATH_ALL_SHORTEST;
	ToTarget tt;

	tt.distance = MemoryContextAllocHuge(context, nodes);
	memset(tt.distance, KG_FAR, nodes);
	tt.counts = MemoryContextAllocHuge(context, nodes * sizeof(double));
	tt.queue = MemoryContextAllocHuge(context, nodes * sizeof(uint32));
	tt.n = 0;
	for (uint32 t = 0; t < paths->nto; t++)
	{
		uint32 target = paths->to[t];

		CHECK_FOR_INTERRUPTS();
		measure_target(paths, target, &tt);
		kg_graph_charge_edges(paths->graph, tt.n);
		for (uint32 s = 0; s < paths->nfrom; s++)
		{
			uint32 from = paths->from[s];
			Walker w;

			if (from == target || tt.distance[from] == KG_FAR)
				continue;
			paths->total += all ? tt.counts[from] : 1;
			memset(&w, 0, sizeof(w));
			w.paths = paths;
			w.distance = tt.distance;
			w.room = all ? paths->query->limit : 1;
			w.path.length = tt.distance[from];
			w.path.nodes[0] = from;
			walk(&w, 0);
		}
	}
}

void
kg_paths_list(KgPaths *paths)
{
	switch (paths->query->mode)
	{
		case KG_PATH_SHORTEST:
		case KG_PATH_ALL_SHORTEST:
			list_shortest(paths);
			break;
		case KG_PATH_SIMPLE:
		case KG_PATH_TRAILS:
		case KG_PATH_WALKS:
			list_walks(paths, paths->query->limit);
			break;
	}
}

void
kg_paths_count(KgPaths *paths)
{
	list_walks(paths, 0);
}
