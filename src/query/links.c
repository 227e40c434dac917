/*
 * links.c
 *	  A piece of the graph in memory.
 *
 * Its size is bounded by kg_graph.max_edges, which counts what is read, and
 * kg_graph.max_search_memory.
 */
#include "postgres.h"

#include "base/settings.h"
#include "query/links.h"
#include "query/plan.h"
#include "query/sort.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

void
kg_links_init(KgLinks *links, KgGraph *graph, KgNodeSet *set)
{
	memset(links, 0, sizeof(*links));
	links->graph = graph;
	links->set = set;
	links->capacity = 256;
	links->links = MemoryContextAlloc(graph->context,
									  links->capacity * sizeof(KgLink));
}

static KgLink *
add_link(KgLinks *links)
{
	if (links->n == links->capacity)
	{
		links->capacity += links->capacity / 2;
		links->links = repalloc_huge(links->links,
									 links->capacity * sizeof(KgLink));
		kg_graph_check_memory(links->graph);
	}
	return &links->links[links->n++];
}

/* Note a step between a node and a neighbour of it. */
static KgLink *
note_step(KgLinks *links, uint32 node, uint32 neighbor, int32 relation_no,
		  bool backward)
{
	KgLink *link = add_link(links);

	link->from = links->reversed ? neighbor : node;
	link->to = links->reversed ? node : neighbor;
	link->relation_no = relation_no;
	/* "backward" is relative to the walk, which is the other way round. */
	link->backward = backward != links->reversed;
	link->weight = NULL;
	return link;
}

static void
check_visited(const KgLinks *links)
{
	if (links->set->n > (uint32) kg_setting_max_visited)
		kg_graph_check_visited(links->graph, links->set->n);
}

static void
found_links(const KgNeighbors *found, void *arg)
{
	KgLinks *links = arg;
	uint32 node = kg_nodeset_find(links->set, found->node);
	Numeric weight = NULL;

	if (links->weigh != NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(links->graph->context);
		bool weighs = links->weigh(
			found->relation_no, found->properties, &weight, links->weigh_arg);

		MemoryContextSwitchTo(old);
		if (!weighs)
			return;
	}
	for (int i = 0; i < found->n; i++)
		note_step(links,
				  node,
				  kg_nodeset_add(links->set, found->neighbors[i]),
				  found->relation_no,
				  found->backward)
			->weight = weight;
	check_visited(links);
}

static void
mark_room(KgLinks *links)
{
	uint32 size = links->set->n;

	if (links->expanded == NULL)
		links->expanded = MemoryContextAllocExtended(links->graph->context,
													 Max(size, 64),
													 MCXT_ALLOC_HUGE |
														 MCXT_ALLOC_ZERO);
	else if (size > links->expanded_size)
	{
		links->expanded = repalloc_huge(links->expanded, size);
		memset(links->expanded + links->expanded_size,
			   0,
			   size - links->expanded_size);
	}
	else
		return;
	links->expanded_size = Max(size, 64);
}

/* Deliver the steps of those of the nodes that were not expanded yet. */
static void
expand(KgLinks *links, const KgFollow *walk, const uint32 *nodes, uint32 n,
	   bool reversed, KgNeighborFunction found)
{
	KgFollow opposite;
	int64 *numbers;
	uint32 count = 0;

	mark_room(links);
	numbers = MemoryContextAllocHuge(links->graph->context,
									 Max((Size) n, 1) * sizeof(int64));
	for (uint32 i = 0; i < n; i++)
	{
		if (links->expanded[nodes[i]] & (reversed ? 2 : 1))
			continue;
		links->expanded[nodes[i]] |= reversed ? 2 : 1;
		numbers[count++] = links->set->nodes[nodes[i]];
	}
	links->reversed = reversed;
	if (reversed)
	{
		kg_follow_reverse(walk, &opposite);
		walk = &opposite;
	}
	kg_graph_expand(links->graph, walk, numbers, count, found, links);
	pfree(numbers);
}

void
kg_links_expand(KgLinks *links, const KgFollow *walk, const uint32 *nodes,
				uint32 n, bool reversed)
{
	expand(links, walk, nodes, n, reversed, found_links);
}

/* ---- in two ---- */

static void
steps_room(KgLinks *links, uint32 more)
{
	KgStepList *steps = &links->steps;
	MemoryContext context = links->graph->context;

	if (steps->groups == NULL)
	{
		steps->room = 64;
		steps->capacity = 1024;
		steps->groups = MemoryContextAlloc(context,
										   steps->room * sizeof(KgStepGroup));
		steps->neighbors = MemoryContextAlloc(context,
											  steps->capacity * sizeof(int64));
	}
	if (steps->ngroups == steps->room)
	{
		steps->room *= 2;
		steps->groups = repalloc_huge(steps->groups,
									  (Size) steps->room * sizeof(KgStepGroup));
	}
	if (steps->n + more > steps->capacity)
	{
		steps->capacity = (steps->n + more) * 2;
		steps->neighbors = repalloc_huge(steps->neighbors,
										 steps->capacity * sizeof(int64));
		kg_graph_check_memory(links->graph);
	}
}

static void
found_steps(const KgNeighbors *found, void *arg)
{
	KgLinks *links = arg;
	KgStepList *steps = &links->steps;

	steps_room(links, found->n);
	steps->groups[steps->ngroups++] = (KgStepGroup){
		kg_nodeset_find(links->set, found->node),
		found->relation_no,
		found->backward,
		found->n};
	memcpy(steps->neighbors + steps->n,
		   found->neighbors,
		   found->n * sizeof(int64));
	steps->n += found->n;
}

void
kg_links_read(KgLinks *links, const KgFollow *walk, const uint32 *nodes,
			  uint32 n, bool reversed)
{
	links->steps.ngroups = 0;
	links->steps.n = 0;
	expand(links, walk, nodes, n, reversed, found_steps);
}

void
kg_links_note_step(KgLinks *links, const KgStepGroup *group, uint32 neighbor)
{
	(void) note_step(
		links, group->node, neighbor, group->relation_no, group->backward);
}

void
kg_links_note(KgLinks *links)
{
	const KgStepList *steps = &links->steps;
	const int64 *neighbor = steps->neighbors;
	uint64 done = 0;

	for (uint32 g = 0; g < steps->ngroups; g++)
	{
		const KgStepGroup *group = &steps->groups[g];

		kg_plan_count(&done, group->n);
		for (uint32 i = 0; i < group->n; i++)
			kg_links_note_step(
				links, group, kg_nodeset_add(links->set, *neighbor++));
		check_visited(links);
	}
}

static int
compare_links(const void *a, const void *b, void *arg)
{
	const KgLink *x = a;
	const KgLink *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->relation_no != y->relation_no)
		return x->relation_no < y->relation_no ? -1 : 1;
	return (int) x->backward - (int) y->backward;
}

/*
 * The same stored edge, or one parallel to it?  A loop walked backward is the
 * loop walked forward.
 */
static bool
same_step(const KgLink *x, const KgLink *y)
{
	return x->from == y->from && x->to == y->to &&
		   x->relation_no == y->relation_no &&
		   (x->backward == y->backward || x->from == x->to);
}

/* Of parallel edges the lightest is walked. */
static bool
lighter(const KgLink *x, const KgLink *y)
{
	return x->weight != NULL && y->weight != NULL &&
		   DatumGetBool(DirectFunctionCall2(numeric_lt,
											NumericGetDatum(x->weight),
											NumericGetDatum(y->weight)));
}

void
kg_links_sort(KgLinks *links, const uint16 *ranks)
{
	uint64 n = 0;
	uint64 done = 0;
	uint32 nodes = links->set->n;

	for (uint64 i = 0; ranks != NULL && i < links->n; i++)
	{
		kg_plan_count(&done, 1);
		if (ranks[links->links[i].from] != 0 && ranks[links->links[i].to] != 0)
			links->links[n++] = links->links[i];
	}
	if (ranks != NULL)
		links->n = n;
	kg_sort(links->links, links->n, sizeof(KgLink), compare_links, NULL);
	n = 0;
	for (uint64 i = 0; i < links->n; i++)
	{
		kg_plan_count(&done, 1);
		if (n == 0 || !same_step(&links->links[n - 1], &links->links[i]))
			links->links[n++] = links->links[i];
		else if (lighter(&links->links[i], &links->links[n - 1]))
			links->links[n - 1].weight = links->links[i].weight;
	}
	links->n = n;
	if (n > PG_UINT32_MAX)
		elog(ERROR, "too many edges in one search");
	links->nodes = nodes;
	links->start = MemoryContextAllocHuge(links->graph->context,
										  ((Size) nodes + 1) * sizeof(uint32));
	n = 0;
	for (uint32 node = 0; node < nodes; node++)
	{
		links->start[node] = (uint32) n;
		kg_plan_count(&done, 1);
		while (n < links->n && links->links[n].from == node)
			n++;
	}
	links->start[nodes] = (uint32) n;
}

static void
make_room(KgRanks *ranks, KgGraph *graph, const KgNodeSet *set)
{
	if (set->n <= ranks->capacity)
		return;
	ranks->capacity = set->n + set->n / 2 + 64;
	if (ranks->ranks == NULL)
		ranks->ranks = MemoryContextAllocHuge(graph->context,
											  ranks->capacity * sizeof(uint16));
	else
		ranks->ranks = repalloc_huge(ranks->ranks,
									 ranks->capacity * sizeof(uint16));
}

void
kg_ranks_of_type(KgRanks *ranks, KgGraph *graph, const KgNodeSet *set,
				 const KgType *type)
{
	uint16 rank = kg_graph_rank(graph, type->type_no);

	make_room(ranks, graph, set);
	for (; ranks->n < set->n; ranks->n++)
		ranks->ranks[ranks->n] = rank;
}

void
kg_ranks_update(KgRanks *ranks, KgGraph *graph, const KgNodeSet *set)
{
	make_room(ranks, graph, set);
	if (set->n > ranks->n && ranks->presumed)
		memset(ranks->ranks + ranks->n,
			   1,
			   (Size) (set->n - ranks->n) * sizeof(uint16));
	else if (set->n > ranks->n)
		kg_graph_types(graph,
					   set->nodes + ranks->n,
					   set->n - ranks->n,
					   ranks->ranks + ranks->n);
	ranks->n = set->n;
}
