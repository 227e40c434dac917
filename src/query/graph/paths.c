/*
 * paths.c
 *	  Paths between two sets of nodes: reads the part of the graph that can
 *	  contain them.
 *
 * Both sides are expanded level by level, the smaller frontier first, until
 * their depths add up to the maximum length. Then every edge of every walk of
 * at most that length has been read from one of its ends. Between two single
 * nodes the shortest path is found when the frontiers meet, and reading stops.
 * The last hop then stores only the links that join the frontiers.
 *
 * Links that are on no such walk are removed before any node is resolved or a
 * path is listed. Often there are many shortest paths. The first of them is
 * found node by node, and only the candidates for its next node are resolved.
 */
#include "postgres.h"

#include "base/json.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "query/graph/paths.h"
#include "query/run/plan.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#define KG_FAR 0xff

/*
 * Number of bits of the bitmap for each node of the set, and minimum number of
 * its bits.
 */
#define KG_BITS_A_NODE 32
#define KG_FEWEST_BITS 16384

/* The search from one end of the paths (side). */
typedef struct Side
{
	bool backward;
	uint8 *depth; /* indexed by node; KG_FAR: not reached */
	uint32 size;  /* length of depth */
	uint32 *frontier;
	uint32 n;
	int hops;
} Side;

typedef struct Reading
{
	KgPaths *paths;
	Side sides[2];
	/* distance between the two ends, once the sides have met */
	int distance;
	/* The side that is being expanded, and the other side. */
	Side *side;
	const Side *other;
	/*
	 * A bitmap of the nodes that the search from the other end has reached;
	 * the bit of a node is its number modulo the bitmap's length. Most nodes
	 * have no bit set, which saves a lookup in the set.
	 */
	uint64 *bits;
	uint64 mask;
} Reading;

static void
side_room(Reading *reading, Side *side)
{
	uint32 n = reading->paths->set.n;
	uint32 size;

	if (n <= side->size)
		return;
	size = n + n / 2 + 64;
	if (side->depth == NULL)
		side->depth = MemoryContextAllocHuge(reading->paths->graph->context,
											 size);
	else
		side->depth = repalloc_huge(side->depth, size);
	memset(side->depth + side->size, KG_FAR, size - side->size);
	side->size = size;
}

/*
 * Returns whether the types (ranks) of nodes are needed, to check their
 * visibility or whether they may be inner nodes.
 */
static bool
needs_ranks(const KgPaths *paths)
{
	return paths->graph->check_nodes || paths->query->inner != NULL ||
		   paths->query->test != NULL;
}

/*
 * Tests whether the nodes that were not tested yet may be inner nodes of a
 * path.
 */
static void
test_nodes(KgPaths *paths)
{
	KgNodeTest *test = paths->query->test;
	uint32 n = paths->set.n - paths->npasses;

	if (paths->set.n > paths->passes_room)
	{
		paths->passes_room = paths->set.n + paths->set.n / 2 + 64;
		paths->passes = paths->passes == NULL
							? MemoryContextAllocHuge(paths->graph->context,
													 paths->passes_room)
							: repalloc_huge(paths->passes, paths->passes_room);
	}
	kg_node_test(paths->graph,
				 test,
				 paths->set.nodes + paths->npasses,
				 n,
				 paths->ranks.ranks + paths->npasses,
				 paths->passes + paths->npasses);
	paths->npasses = paths->set.n;
}

/*
 * Reads the types of the nodes that were reached, if the search needs types,
 * and tests the nodes, if the query has a test.
 */
static void
look_at_nodes(KgPaths *paths)
{
	if (needs_ranks(paths))
		kg_ranks_update(&paths->ranks, paths->graph, &paths->set);
	if (paths->query->test != NULL)
		test_nodes(paths);
}

static void
start_side(Reading *reading, Side *side, const int64 *nodes, uint32 n,
		   bool backward)
{
	KgPaths *paths = reading->paths;

	side->backward = backward;
	side->frontier = MemoryContextAllocHuge(paths->graph->context,
											Max((Size) n, 1) * sizeof(uint32));
	for (uint32 i = 0; i < n; i++)
		(void) kg_nodeset_add(&paths->set, nodes[i]);
	side_room(reading, side);
	for (uint32 i = 0; i < n; i++)
	{
		uint32 node = kg_nodeset_find(&paths->set, nodes[i]);

		if (side->depth[node] == 0)
			continue;
		side->depth[node] = 0;
		side->frontier[side->n++] = node;
	}
}

/*
 * Returns whether a path is complete at the node. The caller must see the node,
 * and the search from the other end must have reached it. Unless the node is
 * itself the other end, it must be allowed between the ends of a path.
 */
static bool
is_met(const KgPaths *paths, const Side *other, uint32 node)
{
	if (needs_ranks(paths) && paths->ranks.ranks[node] == 0)
		return false;
	return other->depth[node] == 0 ||
		   (other->depth[node] != KG_FAR && kg_path_inner(paths, node));
}

/*
 * Makes the bitmap of the nodes that the search from the other end has reached.
 * A new bitmap for each hop is cheap, because the number of reached nodes is
 * small in comparison with the edges of a hub.
 */
static void
mark_other(Reading *reading)
{
	const KgNodeSet *set = &reading->paths->set;
	uint64 nbits = pg_nextpower2_64(
		Max((uint64) set->n * KG_BITS_A_NODE, KG_FEWEST_BITS));
	uint64 done = 0;

	reading->mask = nbits - 1;
	reading->bits = MemoryContextAllocExtended(reading->paths->graph->context,
											   nbits / 8,
											   MCXT_ALLOC_HUGE |
												   MCXT_ALLOC_ZERO);
	kg_plan_count(&done, set->n);
	for (uint32 i = 0; i < set->n; i++)
	{
		uint64 bit = (uint64) set->nodes[i] & reading->mask;

		if (reading->other->depth[i] != KG_FAR)
			reading->bits[bit >> 6] |= UINT64CONST(1) << (bit & 63);
	}
}

static inline bool
is_marked(const Reading *reading, int64 node)
{
	uint64 bit = (uint64) node & reading->mask;

	return (reading->bits[bit >> 6] >> (bit & 63) & 1) != 0;
}

/* Adds the step if the search from the other end has reached the neighbour. */
static void
note_if_met(Reading *reading, uint32 from, const KgPackedGroup *group,
			int64 neighbor, bool backward)
{
	KgPaths *paths = reading->paths;
	Side *side = reading->side;
	uint32 node = kg_nodeset_find(&paths->set, neighbor);

	if (node == KG_NO_NODE || side->depth[node] < side->hops ||
		!is_met(paths, reading->other, node))
		return;
	side->depth[node] = (uint8) side->hops;
	reading->distance = Min(reading->distance,
							side->hops + reading->other->depth[node]);
	kg_links_note_step(&paths->links, from, node, group->relation_no, backward);
}

static int64
look_at_steps(uint32 node, const KgPacked *packed,
			  const KgRelationSet *relations, void *arg)
{
	Reading *reading = arg;
	const uint8 *at = packed->edges;
	KgPackedGroup group;
	int64 n = 0;

	while (kg_packed_group(packed, &at, relations, &group))
	{
		int64 neighbor = 0;

		for (; group.at < group.end; n++)
		{
			neighbor = kg_group_next(&group, neighbor);
			if (is_marked(reading, neighbor))
				note_if_met(reading, node, &group, neighbor, packed->backward);
		}
	}
	return n;
}

/*
 * Reads the steps of the side's frontier and adds the steps to nodes that the
 * other side has reached. Returns whether there are such steps.
 */
static bool
read_meeting(Reading *reading, Side *side, const Side *other)
{
	KgPaths *paths = reading->paths;
	uint64 before = paths->links.n;

	reading->side = side;
	reading->other = other;
	mark_other(reading);
	kg_links_read(&paths->links,
				  &paths->query->follow,
				  side->frontier,
				  side->n,
				  side->backward,
				  look_at_steps,
				  reading);
	pfree(reading->bits);
	return paths->links.n > before;
}

/*
 * Sets the next frontier: the nodes to which the links from index "before" on
 * lead.
 */
static void
next_frontier(Reading *reading, Side *side, uint64 before)
{
	KgPaths *paths = reading->paths;
	uint64 done = 0;
	uint32 *next = MemoryContextAllocHuge(
		paths->graph->context,
		Max((Size) (paths->links.n - before), 1) * sizeof(uint32));
	uint32 nnext = 0;

	for (uint64 i = before; i < paths->links.n; i++)
	{
		const KgLink *link = &paths->links.links[i];
		uint32 node = side->backward ? link->from : link->to;

		kg_plan_count(&done, 1);
		if (side->depth[node] != KG_FAR)
			continue;
		side->depth[node] = (uint8) side->hops;
		if (needs_ranks(paths) && paths->ranks.ranks[node] == 0)
			continue;
		if (kg_path_inner(paths, node))
			next[nnext++] = node;
	}
	/*
	 * A node that the other side expanded is not skipped: "expanded" has one
	 * flag for each direction.
	 */
	pfree(side->frontier);
	side->frontier = next;
	side->n = nnext;
}

/*
 * Expands one more level. Returns true if the sides have met and the search
 * stops when they meet; otherwise false.
 */
static bool
expand_side(Reading *reading, Side *side, Side *other)
{
	KgPaths *paths = reading->paths;
	const KgFollow *walk = &paths->query->follow;
	KgLinks *links = &paths->links;
	uint64 before = links->n;

	side->hops++;
	if (kg_paths_stop_when_met(paths->query))
	{
		if (read_meeting(reading, side, other))
			return true;
		kg_links_note(links);
	}
	else
		kg_links_expand(links, walk, side->frontier, side->n, side->backward);
	look_at_nodes(paths);
	side_room(reading, side);
	side_room(reading, other);
	next_frontier(reading, side, before);
	kg_graph_check_memory(paths->graph);
	return false;
}

/*
 * Returns whether the link can be on a shortest path. A side has the depths
 * only of nodes within the hops that it walked.
 */
static bool
is_short(const Reading *reading, const KgLink *link)
{
	const Side *out = &reading->sides[0];
	const Side *in = &reading->sides[1];
	uint8 before = out->depth[link->from];
	uint8 after = in->depth[link->to];

	if (before != KG_FAR && after != KG_FAR)
		return before + 1 + after == reading->distance;
	if (before != KG_FAR)
		return out->depth[link->to] == before + 1 &&
			   reading->distance - before - 1 > in->hops;
	if (after != KG_FAR)
		return in->depth[link->from] == after + 1 &&
			   reading->distance - after - 1 > out->hops;
	return false;
}

/*
 * Removes links that are not on a shortest path. This is done before sorting,
 * because it removes most links.
 */
static void
drop_longer(Reading *reading)
{
	KgLinks *links = &reading->paths->links;
	uint64 n = 0;
	uint64 done = 0;

	for (uint64 i = 0; i < links->n; i++)
	{
		kg_plan_count(&done, 1);
		if (is_short(reading, &links->links[i]))
			links->links[n++] = links->links[i];
	}
	links->n = n;
}

/*
 * Adds a node of the previous set to the new set. Returns the node's index in
 * the new set.
 */
static uint32
keep_node(KgPaths *paths, const KgNodeSet *before, uint16 *ranks, bool *passes,
		  uint32 node)
{
	uint32 kept = kg_nodeset_add(&paths->set, before->nodes[node]);

	if (ranks != NULL)
		ranks[kept] = paths->ranks.ranks[node];
	if (passes != NULL)
		passes[kept] = paths->passes[node];
	return kept;
}

/* Reduces the set to the two ends and the nodes of the links. */
static void
forget_nodes(KgPaths *paths)
{
	KgNodeSet before = paths->set;
	MemoryContext context = paths->graph->context;
	uint16 *ranks = NULL;
	bool *passes = NULL;

	kg_nodeset_init(&paths->set, context);
	if (needs_ranks(paths))
		ranks = MemoryContextAllocHuge(context,
									   (Size) before.n * sizeof(uint16));
	if (paths->passes != NULL)
		passes = MemoryContextAllocHuge(context, before.n);
	(void) keep_node(paths,
					 &before,
					 ranks,
					 passes,
					 kg_nodeset_find(&before, paths->query->from[0]));
	(void) keep_node(paths,
					 &before,
					 ranks,
					 passes,
					 kg_nodeset_find(&before, paths->query->to[0]));
	for (uint64 i = 0; i < paths->links.n; i++)
	{
		KgLink *link = &paths->links.links[i];

		link->from = keep_node(paths, &before, ranks, passes, link->from);
		link->to = keep_node(paths, &before, ranks, passes, link->to);
	}
	kg_nodeset_free(&before);
	paths->passes = passes;
	if (ranks == NULL)
		return;
	pfree(paths->ranks.ranks);
	paths->ranks = (KgRanks){ranks, paths->set.n, before.n};
}

static void
read_graph(KgPaths *paths)
{
	const KgPathQuery *query = paths->query;
	bool met = false;
	Reading reading;
	Side *out = &reading.sides[0];
	Side *in = &reading.sides[1];

	memset(&reading, 0, sizeof(reading));
	reading.paths = paths;
	reading.distance = KG_FAR;
	start_side(&reading, out, query->from, query->nfrom, false);
	start_side(&reading, in, query->to, query->nto, true);
	kg_graph_check_visited(paths->graph, paths->set.n);
	if (query->test != NULL && query->test->nids > 0)
		kg_node_test_find(paths->graph, query->test, NULL);
	look_at_nodes(paths);
	side_room(&reading, out);
	while (!met && out->hops + in->hops < query->max_hops && out->n > 0 &&
		   in->n > 0)
		met = out->n <= in->n ? expand_side(&reading, out, in)
							  : expand_side(&reading, in, out);
	if (!kg_paths_stop_when_met(query))
		return;
	if (met)
		drop_longer(&reading);
	else
		paths->links.n = 0;
	forget_nodes(paths);
}

/* ---- weights ---- */

/*
 * Reads the weight of an edge from its property. Returns false if the edge has
 * no weight; such an edge is not walked.
 */
static bool
weigh_edge(int32 relation_no, const Jsonb *properties, Numeric *weight,
		   void *arg)
{
	KgPaths *paths = arg;
	JsonbValue value;

	if (properties == NULL ||
		kg_json_get(&properties->root, paths->query->weight, &value) == NULL ||
		value.type != jbvNumeric)
		return false;
	*weight = DatumGetNumericCopy(NumericGetDatum(value.val.numeric));
	return true;
}

/* ---- pruning ---- */

/*
 * Returns, for each node, the least number of links from any start, along or
 * against the links. The number is KG_FAR if it would exceed max_hops. A walk
 * leads on only through starts and nodes that may be inner nodes of a path.
 */
static uint8 *
measure_depths(KgPaths *paths, const uint32 *starts, uint32 n, bool against)
{
	uint8 *depth = MemoryContextAllocHuge(paths->graph->context,
										  Max(paths->set.n, 1));
	uint32 *queue = MemoryContextAllocHuge(
		paths->graph->context, Max((Size) paths->set.n, 1) * sizeof(uint32));
	uint32 head = 0;
	uint32 tail = 0;
	uint64 done = 0;

	memset(depth, KG_FAR, paths->set.n);
	for (uint32 i = 0; i < n; i++)
		if (depth[starts[i]] != 0)
		{
			depth[starts[i]] = 0;
			queue[tail++] = starts[i];
		}
	while (head < tail)
	{
		uint32 node = queue[head++];
		uint32 first;
		uint32 last;

		if (depth[node] >= paths->query->max_hops)
			break;
		if (depth[node] > 0 && !kg_path_inner(paths, node))
			continue;
		first = against ? paths->incoming_start[node]
						: paths->links.start[node];
		last = against ? paths->incoming_start[node + 1]
					   : paths->links.start[node + 1];
		kg_plan_count(&done, last - first + 1);
		for (uint32 i = first; i < last; i++)
		{
			const KgLink *link =
				&paths->links.links[against ? paths->incoming[i] : i];
			uint32 other = against ? link->from : link->to;

			if (depth[other] != KG_FAR)
				continue;
			depth[other] = depth[node] + 1;
			queue[tail++] = other;
		}
	}
	pfree(queue);
	return depth;
}

static void
index_incoming(KgPaths *paths)
{
	Size nodes = paths->set.n;
	uint32 *start = MemoryContextAllocExtended(paths->graph->context,
											   (nodes + 2) * sizeof(uint32),
											   MCXT_ALLOC_HUGE |
												   MCXT_ALLOC_ZERO);
	uint32 *fill;
	uint64 done = 0;

	paths->incoming = MemoryContextAllocHuge(
		paths->graph->context, Max((Size) paths->links.n, 1) * sizeof(uint32));
	for (uint64 i = 0; i < paths->links.n; i++)
	{
		kg_plan_count(&done, 1);
		start[paths->links.links[i].to + 1]++;
	}
	for (Size i = 0; i < nodes; i++)
		start[i + 1] += start[i];
	fill = MemoryContextAllocHuge(paths->graph->context,
								  (nodes + 1) * sizeof(uint32));
	memcpy(fill, start, (nodes + 1) * sizeof(uint32));
	for (uint64 i = 0; i < paths->links.n; i++)
	{
		kg_plan_count(&done, 1);
		paths->incoming[fill[paths->links.links[i].to]++] = (uint32) i;
	}
	pfree(fill);
	paths->incoming_start = start;
}

static void
keep_ref(const KgRef *ref, void *arg)
{
	KgPaths *paths = arg;
	uint32 node = kg_nodeset_find(&paths->set, ref->node);

	if (node != KG_NO_NODE)
		paths->refs[node] = kg_ref_copy(ref, paths->graph->context);
}

/*
 * Returns whether there is a path between two single nodes, which must be
 * different. "after" has the distances of the nodes from the start.
 */
static bool
is_path(const KgPaths *paths, const uint8 *after)
{
	return after[paths->to[0]] != KG_FAR && paths->from[0] != paths->to[0];
}

/*
 * Returns the maximum length of the requested paths. Between two single nodes a
 * shortest path is as long as their distance.
 */
static int
useful_length(const KgPaths *paths, const uint8 *after)
{
	const KgPathQuery *query = paths->query;

	return kg_paths_stop_when_met(query) && is_path(paths, after)
			   ? after[paths->to[0]]
			   : query->max_hops;
}

/* Resolves the nodes that are not resolved yet. */
static void
resolve_nodes(KgPaths *paths, const uint32 *nodes, uint32 n)
{
	int64 *numbers = MemoryContextAllocHuge(paths->graph->context,
											Max((Size) n, 1) * sizeof(int64));
	uint32 count = 0;

	for (uint32 i = 0; i < n; i++)
		if (paths->refs[nodes[i]].id == NULL)
			numbers[count++] = paths->set.nodes[nodes[i]];
	kg_graph_resolve(paths->graph, numbers, count, false, keep_ref, paths);
	pfree(numbers);
}

/*
 * Retains the links that a walk of the length can use, between nodes that exist
 * and are visible.
 */
static void
keep_useful(KgPaths *paths, const uint8 *after, const uint8 *before, int length)
{
	KgLinks *links = &paths->links;
	uint32 *nodes = MemoryContextAllocHuge(
		paths->graph->context, Max((Size) paths->set.n, 1) * sizeof(uint32));
	uint32 nnodes = 0;
	uint64 n = 0;
	uint64 done = 0;

	for (uint32 i = 0; i < paths->set.n; i++)
		if (after[i] != KG_FAR && before[i] != KG_FAR &&
			after[i] + before[i] <= length)
			nodes[nnodes++] = i;
	resolve_nodes(paths, nodes, nnodes);
	pfree(nodes);
	for (uint64 i = 0; i < links->n; i++)
	{
		const KgLink *link = &links->links[i];

		kg_plan_count(&done, 1);
		if (after[link->from] != KG_FAR && before[link->to] != KG_FAR &&
			after[link->from] + 1 + before[link->to] <= length &&
			paths->refs[link->from].id != NULL &&
			paths->refs[link->to].id != NULL)
			links->links[n++] = *link;
	}
	links->n = n;
}

/* ---- the first of the shortest paths between two nodes ---- */

static bool
first_suffices(const KgPathQuery *query)
{
	return kg_paths_stop_when_met(query) && query->mode == KG_PATH_SHORTEST;
}

/*
 * Returns the first node, in the order of replies, among the nodes that follow
 * a node at the distance "left" from the end. Returns KG_NO_NODE if there is
 * no such node.
 */
static uint32
first_next(KgPaths *paths, const uint8 *before, uint32 node, int left)
{
	uint32 nlinks;
	const KgLink *links = kg_path_links(paths, node, &nlinks);
	uint32 *next = MemoryContextAllocHuge(paths->graph->context,
										  ((Size) nlinks + 1) * sizeof(uint32));
	uint32 n = 0;
	uint32 first;
	uint64 done = 0;

	kg_plan_count(&done, nlinks);
	for (uint32 i = 0; i < nlinks; i++)
		if (before[links[i].to] == left &&
			(n == 0 || next[n - 1] != links[i].to) &&
			(left == 0 || kg_path_inner(paths, links[i].to)))
			next[n++] = links[i].to;
	if (n > 1)
		resolve_nodes(paths, next, n);
	first = n > 0 ? next[0] : KG_NO_NODE;
	for (uint32 i = 1; i < n; i++)
	{
		const KgRef *ref = &paths->refs[next[i]];

		if (ref->id != NULL && (paths->refs[first].id == NULL ||
								kg_ref_compare(ref, &paths->refs[first]) < 0))
			first = next[i];
	}
	pfree(next);
	return first;
}

/*
 * Retains only the links of the first path of this length, in the order of
 * replies. Does not resolve the nodes of the other paths. Retains no link if a
 * node of this path does not exist.
 */
static void
keep_first(KgPaths *paths, const uint8 *before, int length)
{
	KgLinks *links = &paths->links;
	uint32 nodes[KG_MAX_PATH_HOPS + 1] = {paths->from[0]};
	uint64 n = 0;
	uint64 done = 0;

	for (int i = 0; i < length; i++)
	{
		nodes[i + 1] = first_next(paths, before, nodes[i], length - i - 1);
		if (nodes[i + 1] == KG_NO_NODE)
		{
			links->n = 0;
			return;
		}
	}
	resolve_nodes(paths, nodes, length + 1);
	for (uint64 i = 0; i < links->n; i++)
	{
		const KgLink *link = &links->links[i];
		int hop = length - 1 - before[link->to];

		kg_plan_count(&done, 1);
		if (hop >= 0 && link->from == nodes[hop] &&
			link->to == nodes[hop + 1] && paths->refs[link->from].id != NULL &&
			paths->refs[link->to].id != NULL)
			links->links[n++] = *link;
	}
	links->n = n;
}

static int
compare_by_reply(const void *a, const void *b, void *arg)
{
	const KgPaths *paths = arg;
	const KgLink *x = a;
	const KgLink *y = b;
	const KgRelation *p;
	const KgRelation *q;
	int order;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return kg_ref_compare(&paths->refs[x->to], &paths->refs[y->to]);
	if (x->relation_no != y->relation_no)
	{
		p = kg_catalog_relation_no(paths->graph->catalog, x->relation_no);
		q = kg_catalog_relation_no(paths->graph->catalog, y->relation_no);
		order = p != NULL && q != NULL ? strcmp(p->name, q->name) : 0;
		if (order != 0)
			return order;
		return x->relation_no < y->relation_no ? -1 : 1;
	}
	return (int) x->backward - (int) y->backward;
}

/*
 * Retains the links that a walk of an allowed length can use, in the order of
 * replies. If only one of the shortest paths between two nodes is wanted,
 * retains only the links of the first one.
 */
static void
prune(KgPaths *paths)
{
	const uint8 *after;
	const uint8 *before;
	int length;
	uint64 n = 0;
	uint64 done = 0;

	kg_links_sort(&paths->links,
				  needs_ranks(paths) ? paths->ranks.ranks : NULL);
	index_incoming(paths);
	after = measure_depths(paths, paths->from, paths->nfrom, false);
	before = measure_depths(paths, paths->to, paths->nto, true);
	length = useful_length(paths, after);
	paths->refs = MemoryContextAllocExtended(paths->graph->context,
											 Max((Size) paths->set.n, 1) *
												 sizeof(KgRef),
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	if (!first_suffices(paths->query))
		keep_useful(paths, after, before, length);
	else if (is_path(paths, after))
		keep_first(paths, before, length);
	else
		paths->links.n = 0;
	qsort_interruptible(paths->links.links,
						paths->links.n,
						sizeof(KgLink),
						compare_by_reply,
						paths);
	n = 0;
	for (uint32 node = 0; node < paths->set.n; node++)
	{
		paths->links.start[node] = (uint32) n;
		kg_plan_count(&done, 1);
		while (n < paths->links.n && paths->links.links[n].from == node)
			n++;
	}
	paths->links.start[paths->set.n] = (uint32) n;
	index_incoming(paths);
}

static int
compare_ends(const void *a, const void *b, void *arg)
{
	const KgPaths *paths = arg;

	return kg_ref_compare(&paths->refs[*(const uint32 *) a],
						  &paths->refs[*(const uint32 *) b]);
}

/* Retains the ends that have a path, in the order of replies. */
static void
sort_ends(KgPaths *paths, uint32 *ends, uint32 *n)
{
	uint32 kept = 0;

	for (uint32 i = 0; i < *n; i++)
		if (paths->refs[ends[i]].id != NULL)
			ends[kept++] = ends[i];
	*n = kept;
	qsort_interruptible(ends, kept, sizeof(uint32), compare_ends, paths);
}

static uint32 *
find_ends(KgPaths *paths, const int64 *nodes, uint32 n)
{
	uint32 *ends = MemoryContextAllocHuge(paths->graph->context,
										  Max((Size) n, 1) * sizeof(uint32));

	for (uint32 i = 0; i < n; i++)
		ends[i] = kg_nodeset_find(&paths->set, nodes[i]);
	return ends;
}

void
kg_paths_find(KgPaths *paths, KgGraph *graph, const KgPathQuery *query)
{
	memset(paths, 0, sizeof(*paths));
	paths->graph = graph;
	paths->query = query;
	kg_nodeset_init(&paths->set, graph->context);
	kg_links_init(&paths->links, graph, &paths->set);
	if (query->weight != NULL)
	{
		paths->links.weigh = weigh_edge;
		paths->links.weigh_arg = paths;
	}
	read_graph(paths);
	paths->nfrom = query->nfrom;
	paths->nto = query->nto;
	paths->from = find_ends(paths, query->from, query->nfrom);
	paths->to = find_ends(paths, query->to, query->nto);
	prune(paths);
	sort_ends(paths, paths->from, &paths->nfrom);
	sort_ends(paths, paths->to, &paths->nto);
	paths->is_to = MemoryContextAllocExtended(graph->context,
											  Max(paths->set.n, 1),
											  MCXT_ALLOC_HUGE |
												  MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < paths->nto; i++)
		paths->is_to[paths->to[i]] = true;
	paths->paths = MemoryContextAllocHuge(
		graph->context, ((Size) query->limit * 2 + 1) * sizeof(KgPath));
	if (query->weight != NULL)
		kg_paths_list_lightest(paths);
	else
		kg_paths_list(paths);
	kg_paths_finish(paths);
}
