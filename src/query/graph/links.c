/*
 * links.c
 *	  A part of the graph in memory.
 *
 * The size of this part is limited by kg_graph.max_edges, which counts edges
 * read, and by kg_graph.max_search_memory.
 */
#include "postgres.h"

#include "base/settings.h"
#include "query/graph/links.h"
#include "query/run/plan.h"
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

/*
 * Adds the step between a node and a neighbour to the links. Returns the new
 * link, which has no weight yet.
 */
static KgLink *
note_step(KgLinks *links, uint32 node, uint32 neighbor, int32 relation_no,
		  bool backward)
{
	KgLink *link = add_link(links);

	link->from = links->reversed ? neighbor : node;
	link->to = links->reversed ? node : neighbor;
	link->relation_no = relation_no;
	/*
	 * A reversed expansion goes against the direction of the walk, so the flag
	 * is then inverted.
	 */
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

/*
 * Expands the nodes that were not expanded in this direction yet. found()
 * receives edges, and packed() receives packed edges (see
 * kg_graph_expand_packed()).
 */
static void
expand(KgLinks *links, const KgFollow *walk, const uint32 *nodes, uint32 n,
	   bool reversed, KgPackedFunction packed, KgNeighborFunction found)
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
	links->steps.relations[0] = walk->forward;
	links->steps.relations[1] = walk->backward;
	kg_graph_expand_packed(
		links->graph, walk, numbers, count, packed, found, links);
	pfree(numbers);
}

void
kg_links_expand(KgLinks *links, const KgFollow *walk, const uint32 *nodes,
				uint32 n, bool reversed)
{
	expand(links, walk, nodes, n, reversed, NULL, found_links);
}

/* ---- expansion in two passes: read, then note ---- */

static void
start_steps(KgStepList *steps, MemoryContext context)
{
	steps->n = 0;
	steps->len = 0;
	if (steps->pieces != NULL)
		return;
	steps->capacity = 64;
	steps->pieces = MemoryContextAlloc(context,
									   steps->capacity * sizeof(KgStepPiece));
	steps->room = 4096;
	steps->bytes = MemoryContextAlloc(context, steps->room);
	context = MemoryContextSwitchTo(context);
	initStringInfo(&steps->row);
	MemoryContextSwitchTo(context);
}

static void
steps_room(KgLinks *links, Size len)
{
	KgStepList *steps = &links->steps;

	if (steps->n == steps->capacity)
	{
		steps->capacity *= 2;
		steps->pieces = repalloc_huge(
			steps->pieces, (Size) steps->capacity * sizeof(KgStepPiece));
		kg_graph_check_memory(links->graph);
	}
	if (steps->len + len > steps->room)
	{
		steps->room = (steps->len + len) * 2;
		steps->bytes = repalloc_huge(steps->bytes, steps->room);
		kg_graph_check_memory(links->graph);
	}
}

/*
 * Stores a node's packed edges, passes them to the caller's function, and
 * returns the result of that function.
 */
static int64
packed_steps(const KgPacked *packed, const KgRelationSet *relations, void *arg)
{
	KgLinks *links = arg;
	KgStepList *steps = &links->steps;
	uint32 node = kg_nodeset_find(links->set, packed->node);

	steps_room(links, packed->len);
	steps->pieces[steps->n++] = (KgStepPiece){
		node, packed->backward, steps->len, packed->len};
	memcpy(steps->bytes + steps->len, packed->edges, packed->len);
	steps->len += packed->len;
	return links->look(node, packed, relations, links->look_arg);
}

static void
found_steps(const KgNeighbors *found, void *arg)
{
	KgLinks *links = arg;
	StringInfo row = &links->steps.row;
	KgPacked packed;

	resetStringInfo(row);
	kg_adjacency_append(row, found->relation_no, found->neighbors, found->n);
	packed.node = found->node;
	packed.backward = found->backward;
	packed.edges = (const uint8 *) row->data;
	packed.len = row->len;
	(void) packed_steps(
		&packed, &links->steps.relations[found->backward ? 1 : 0], links);
}

void
kg_links_read(KgLinks *links, const KgFollow *walk, const uint32 *nodes,
			  uint32 n, bool reversed, KgStepFunction look, void *arg)
{
	start_steps(&links->steps, links->graph->context);
	links->look = look;
	links->look_arg = arg;
	expand(links, walk, nodes, n, reversed, packed_steps, found_steps);
}

void
kg_links_note_step(KgLinks *links, uint32 node, uint32 neighbor,
				   int32 relation_no, bool backward)
{
	(void) note_step(links, node, neighbor, relation_no, backward);
}

static void
note_piece(KgLinks *links, const KgStepPiece *piece)
{
	KgPacked packed = {links->set->nodes[piece->node],
					   piece->backward,
					   links->steps.bytes + piece->start,
					   piece->len};
	const uint8 *at = packed.edges;
	KgPackedGroup group;

	while (kg_packed_group(
		&packed, &at, &links->steps.relations[piece->backward ? 1 : 0], &group))
	{
		int64 neighbor = 0;

		while (group.at < group.end)
		{
			neighbor = kg_group_next(&group, neighbor);
			(void) note_step(links,
							 piece->node,
							 kg_nodeset_add(links->set, neighbor),
							 group.relation_no,
							 piece->backward);
		}
	}
}

void
kg_links_note(KgLinks *links)
{
	const KgStepList *steps = &links->steps;
	uint64 done = 0;

	for (uint32 i = 0; i < steps->n; i++)
	{
		kg_plan_count(&done, steps->pieces[i].len);
		note_piece(links, &steps->pieces[i]);
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
 * Returns whether the two links are the same stored edge, or parallel edges. A
 * loop is one edge in both directions.
 */
static bool
same_step(const KgLink *x, const KgLink *y)
{
	return x->from == y->from && x->to == y->to &&
		   x->relation_no == y->relation_no &&
		   (x->backward == y->backward || x->from == x->to);
}

/*
 * Returns whether both links have weights and the first link has the lower
 * weight. Of parallel edges, only the edge with the lowest weight is walked.
 */
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
	qsort_interruptible(
		links->links, links->n, sizeof(KgLink), compare_links, NULL);
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
kg_ranks_imply(KgRanks *ranks, const KgLinks *links, uint64 first)
{
	KgGraph *graph = links->graph;
	uint64 done = 0;

	if (ranks->presumed || graph->foreign != NULL ||
		!kg_graph_ranks_implied(graph))
		return;
	make_room(ranks, graph, links->set);
	for (uint64 i = first; i < links->n; i++)
	{
		const KgLink *link = &links->links[i];
		uint16 rank;

		kg_plan_count(&done, 1);
		if (link->to < ranks->n)
			continue;
		rank = kg_graph_implied_rank(graph, link->relation_no, !link->backward);
		if (rank == 0)
			return;
		ranks->ranks[link->to] = rank;
	}
	ranks->n = links->set->n;
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
