/*
 * neighbors.c
 *	  Breadth-first search, and pages of its result.
 *
 * A search stores only the set of nodes in the order of discovery; a depth is a
 * slice of this set. Ids are read only for the levels that a page needs, and
 * only the smallest ids are stored. So memory for ids depends on the page, not
 * on the number of nodes.
 */
#include "postgres.h"

#include "base/settings.h"
#include "miscadmin.h"
#include "query/run/decisions.h"
#include "query/graph/neighbors.h"
#include "utils/memutils.h"

void
kg_edge_list_init(KgEdgeList *list, MemoryContext context)
{
	list->n = 0;
	list->capacity = 64;
	list->edges = MemoryContextAlloc(context,
									 list->capacity * sizeof(KgEdgeRef));
}

void
kg_edge_list_add(KgEdgeList *list, uint32 source, uint32 target,
				 int32 relation_no)
{
	KgEdgeRef *edge;

	if (list->n == list->capacity)
	{
		list->capacity += list->capacity / 2;
		list->edges = repalloc_huge(list->edges,
									(Size) list->capacity * sizeof(KgEdgeRef));
	}
	edge = &list->edges[list->n++];
	edge->source = source;
	edge->target = target;
	edge->relation_no = relation_no;
}

/* ---- the search ---- */

typedef struct ReachState
{
	KgGraph *graph;
	const KgFollow *walk;
	KgReach *reach;
	/* the current frontier is from here to level_end */
	uint32 level_start;
	uint32 level_end;
	uint32 nranks; /* allocated length of reach->ranks */
	bool collect;  /* edges are listed or counted */
	bool count;	   /* edges are counted only */
	/* edges of the current relation counted so far */
	uint64 counted;
	/* types of nodes are taken from the relations that determine them */
	bool imply;
	/* every relation is followed in both directions */
	bool all_both;
} ReachState;

/*
 * Lists or counts an edge once. If the relation is followed in both directions,
 * the edge may be read from both its ends. In this case the edge counts at the
 * end that was expanded first. If both ends are in the same frontier, it counts
 * at its source.
 */
static void
note_edge(ReachState *state, const KgNeighbors *found, uint32 from, uint32 to,
		  bool both)
{
	if (both)
	{
		if (to < state->level_start)
			return;
		if (to < state->level_end && found->backward)
			return;
	}
	if (state->count)
		state->counted++;
	else if (found->backward)
		kg_edge_list_add(&state->reach->edges, to, from, found->relation_no);
	else
		kg_edge_list_add(&state->reach->edges, from, to, found->relation_no);
}

/* Adds the number of edges counted over one relation to the result. */
static void
flush_count(ReachState *state, int32 relation_no)
{
	KgReach *reach = state->reach;
	MemoryContext old;

	if (state->counted == 0)
		return;
	reach->nedges += state->counted;
	state->counted = 0;
	if (reach->relations != NIL && llast_int(reach->relations) == relation_no)
		return;
	old = MemoryContextSwitchTo(state->graph->context);
	reach->relations = list_append_unique_int(reach->relations, relation_no);
	MemoryContextSwitchTo(old);
}

static void
room_for_ranks(ReachState *state, uint32 n)
{
	KgReach *reach = state->reach;

	if (n <= state->nranks && reach->ranks != NULL)
		return;
	state->nranks = Max(n, reach->set.capacity);
	if (reach->ranks == NULL)
		reach->ranks = MemoryContextAllocHuge(
			state->graph->context, (Size) state->nranks * sizeof(uint16));
	else
		reach->ranks = repalloc_huge(reach->ranks,
									 (Size) state->nranks * sizeof(uint16));
}

/*
 * Sets the rank (number of the type) of the nodes that were added from index
 * "before" on: the rank that the relation determines, or 0.
 */
static void
imply_ranks(ReachState *state, int64 node, int32 relation_no, bool backward,
			uint32 before)
{
	KgReach *reach = state->reach;

	if (reach->set.n > before)
	{
		uint16 rank = kg_graph_implied_rank(
			state->graph, relation_no, !backward);

		room_for_ranks(state, reach->set.n);
		for (uint32 i = before; i < reach->set.n; i++)
			reach->ranks[i] = rank;
	}
	if (state->level_start == 0)
	{
		/* The relation determines the type of a seed, too. */
		uint32 seed = kg_nodeset_find(&reach->set, node);

		if (reach->ranks[seed] == 0)
			reach->ranks[seed] = kg_graph_implied_rank(
				state->graph, relation_no, backward);
	}
}

static void
found_neighbors(const KgNeighbors *found, void *arg)
{
	ReachState *state = arg;
	KgNodeSet *set = &state->reach->set;
	uint32 before = set->n;

	if (state->collect)
	{
		uint32 from = kg_nodeset_find(set, found->node);
		bool both = state->all_both ||
					kg_follow_both(state->walk, found->relation_no);

		for (int i = 0; i < found->n; i++)
			note_edge(state,
					  found,
					  from,
					  kg_nodeset_add(set, found->neighbors[i]),
					  both);
		flush_count(state, found->relation_no);
	}
	else
		for (int i = 0; i < found->n; i++)
			kg_nodeset_include(set, found->neighbors[i]);
	if (state->imply)
		imply_ranks(
			state, found->node, found->relation_no, found->backward, before);
	if (set->n > (uint32) kg_setting_max_visited)
		kg_graph_check_visited(state->graph, set->n);
}

/*
 * Receives packed edges like found_neighbors(), if no edges are listed or
 * counted.
 */
static int64
found_packed(const KgPacked *packed, const KgRelationSet *relations, void *arg)
{
	ReachState *state = arg;
	KgNodeSet *set = &state->reach->set;
	const uint8 *at = packed->edges;
	KgPackedGroup group;
	int64 total = 0;

	while (kg_packed_group(packed, &at, relations, &group))
	{
		uint32 before = set->n;
		int64 target = 0;

		for (; group.at < group.end; total++)
		{
			target = kg_group_next(&group, target);
			kg_nodeset_include(set, target);
		}
		if (state->imply)
			imply_ranks(state,
						packed->node,
						group.relation_no,
						packed->backward,
						before);
	}
	if (set->n > (uint32) kg_setting_max_visited)
		kg_graph_check_visited(state->graph, set->n);
	return total;
}

/* Lists or counts the edges among the outermost nodes. Adds no node. */
static void
found_ring(const KgNeighbors *found, void *arg)
{
	ReachState *state = arg;
	KgNodeSet *set = &state->reach->set;
	uint32 from = kg_nodeset_find(set, found->node);
	bool both = state->all_both ||
				kg_follow_both(state->walk, found->relation_no);

	for (int i = 0; i < found->n; i++)
	{
		uint32 to = kg_nodeset_find(set, found->neighbors[i]);

		if (to != KG_NO_NODE && to >= state->level_start)
			note_edge(state, found, from, to, both);
	}
	flush_count(state, found->relation_no);
}

static void
rank_level(ReachState *state, uint32 start, uint32 end)
{
	KgReach *reach = state->reach;

	room_for_ranks(state, end);
	kg_graph_types(state->graph,
				   reach->set.nodes + start,
				   end - start,
				   reach->ranks + start);
}

/*
 * Looks up the types (ranks) of the nodes whose types no relation determined.
 */
static void
rank_rest(ReachState *state)
{
	KgReach *reach = state->reach;
	MemoryContext context = state->graph->context;
	uint32 n = 0;
	uint32 count = 0;
	int64 *nodes;
	uint32 *indexes;
	uint16 *ranks;

	for (uint32 i = 0; i < reach->set.n; i++)
		n += reach->ranks[i] == 0;
	if (n == 0)
		return;
	nodes = MemoryContextAllocHuge(context, (Size) n * sizeof(int64));
	indexes = MemoryContextAllocHuge(context, (Size) n * sizeof(uint32));
	ranks = MemoryContextAllocHuge(context, (Size) n * sizeof(uint16));
	for (uint32 i = 0; i < reach->set.n; i++)
		if (reach->ranks[i] == 0)
		{
			nodes[count] = reach->set.nodes[i];
			indexes[count++] = i;
		}
	kg_graph_types(state->graph, nodes, n, ranks);
	for (uint32 i = 0; i < n; i++)
		reach->ranks[indexes[i]] = ranks[i];
	pfree(nodes);
	pfree(indexes);
	pfree(ranks);
}

/* Expands the nodes of the current level that the caller may see. */
static void
expand_level(ReachState *state, KgNeighborFunction found)
{
	KgReach *reach = state->reach;
	uint32 start = state->level_start;
	uint32 n = state->level_end - start;
	int64 *nodes;
	uint32 count = 0;

	/*
	 * Expands a copy of the nodes, because the array of the set moves when the
	 * set grows.
	 */
	nodes = MemoryContextAllocHuge(state->graph->context,
								   Max((Size) n, 1) * sizeof(int64));
	for (uint32 i = 0; i < n; i++)
		if (!state->graph->check_nodes || reach->ranks[start + i] != 0)
			nodes[count++] = reach->set.nodes[start + i];
	kg_graph_expand_packed(state->graph,
						   state->walk,
						   nodes,
						   count,
						   state->collect ? NULL : found_packed,
						   found,
						   state);
	pfree(nodes);
}

void
kg_reach_end_level(KgGraph *graph, KgReach *reach, int depth)
{
	if (depth + 1 >= reach->room)
	{
		reach->room = Max(reach->room * 2, depth + 8);
		if (reach->level == NULL)
			reach->level = MemoryContextAlloc(graph->context,
											  reach->room * sizeof(uint32));
		else
			reach->level = repalloc(reach->level, reach->room * sizeof(uint32));
		reach->level[0] = 0;
	}
	reach->level[depth + 1] = reach->set.n;
}

void
kg_reach(KgGraph *graph, const KgFollow *walk, const int64 *seeds,
		 uint32 nseeds, int hops, int flags, KgReach *reach)
{
	ReachState state;
	bool per_level = graph->check_nodes;
	int depth;

	memset(reach, 0, sizeof(*reach));
	reach->walk = walk;
	reach->flags = flags;
	kg_nodeset_init(&reach->set, graph->context);
	if (flags & KG_REACH_EDGES)
		kg_edge_list_init(&reach->edges, graph->context);
	memset(&state, 0, sizeof(state));
	state.graph = graph;
	state.walk = walk;
	state.reach = reach;
	state.count = (flags & KG_REACH_COUNT) != 0;
	state.collect = state.count || (flags & KG_REACH_EDGES) != 0;
	state.imply = (flags & KG_REACH_RANKS) && !per_level &&
				  kg_graph_ranks_implied(graph);
	state.all_both = walk->forward.all && walk->backward.all;
	for (uint32 i = 0; i < nseeds; i++)
		(void) kg_nodeset_add(&reach->set, seeds[i]);
	kg_reach_end_level(graph, reach, 0);
	if (per_level)
		rank_level(&state, 0, reach->set.n);
	else if (state.imply)
	{
		room_for_ranks(&state, reach->set.n);
		memset(reach->ranks, 0, reach->set.n * sizeof(uint16));
	}
	for (depth = 0; depth < hops; depth++)
	{
		state.level_start = reach->level[depth];
		state.level_end = reach->level[depth + 1];
		if (state.level_start == state.level_end)
			break;
		expand_level(&state, found_neighbors);
		kg_reach_end_level(graph, reach, depth + 1);
		kg_graph_check_memory(graph);
		if (per_level)
			rank_level(&state, reach->level[depth + 1], reach->set.n);
	}
	reach->hops = depth;
	reach->nlevels = depth + 1;
	if (state.imply)
		rank_rest(&state);
	else if ((flags & KG_REACH_RANKS) && !per_level)
		rank_level(&state, 0, reach->set.n);
	if ((flags & KG_REACH_RING) && state.collect)
	{
		state.level_start = reach->level[depth];
		state.level_end = reach->level[depth + 1];
		if (state.level_start < state.level_end)
			expand_level(&state, found_ring);
	}
}

/* ---- completeness of a search ---- */

/*
 * Numbers of outermost nodes, and of nodes beyond them, that are checked first.
 * Each later batch is KG_LOOK_MORE times as large. Batches begin small, because
 * a single visible node beyond the outermost nodes shows that the search is not
 * complete. If a gateway decides (query/run/exchange.h), all nodes are checked
 * in one round.
 */
#define KG_FIRST_OUTERMOST 2
#define KG_FIRST_BEYOND 1
#define KG_LOOK_MORE 4
#define KG_MOST_OUTERMOST 1024

typedef struct Beyond
{
	const KgReach *reach;
	MemoryContext context;
	bool at_once;
	int64 *nodes; /* neighbours that the search has not found */
	uint32 n;
	uint32 room;
} Beyond;

static void
found_beyond(const KgNeighbors *found, void *arg)
{
	Beyond *beyond = arg;

	for (int i = 0; i < found->n; i++)
	{
		if (kg_nodeset_has(&beyond->reach->set, found->neighbors[i]))
			continue;
		if (beyond->n == beyond->room)
		{
			beyond->room = Max(beyond->room * 2, 64);
			beyond->nodes = beyond->nodes
								? repalloc_huge(beyond->nodes,
												(Size) beyond->room *
													sizeof(int64))
								: MemoryContextAllocHuge(beyond->context,
														 (Size) beyond->room *
															 sizeof(int64));
		}
		beyond->nodes[beyond->n++] = found->neighbors[i];
	}
}

/*
 * Returns whether the caller may see at least one of the nodes beyond the
 * outermost nodes.
 */
static bool
any_visible(KgGraph *graph, const Beyond *beyond)
{
	uint32 most = beyond->at_once ? beyond->n : KG_FIRST_BEYOND;
	uint16 *ranks;
	bool any = false;

	if (beyond->n == 0 || !graph->check_nodes)
		return beyond->n > 0;
	ranks = MemoryContextAllocHuge(graph->context,
								   (Size) beyond->n * sizeof(uint16));
	for (uint32 start = 0; start < beyond->n && !any;)
	{
		uint32 n = Min(beyond->n - start, most);

		kg_graph_types(graph, beyond->nodes + start, n, ranks);
		for (uint32 i = 0; i < n && !any; i++)
			any = ranks[i] != 0;
		start += n;
		most = Min(most, KG_PIECE) * KG_LOOK_MORE;
	}
	pfree(ranks);
	return any;
}

/*
 * Adds to "beyond" the neighbours, of at most "most" outermost nodes, that the
 * search has not found. Advances *start past these outermost nodes.
 */
static void
look_beyond(KgGraph *graph, Beyond *beyond, uint32 *start, uint32 end,
			uint32 most)
{
	const KgReach *reach = beyond->reach;
	int64 nodes[KG_MOST_OUTERMOST];
	uint32 n = 0;

	CHECK_FOR_INTERRUPTS();
	for (; *start < end && n < most; (*start)++)
		if (reach->ranks == NULL || reach->ranks[*start] != 0)
			nodes[n++] = reach->set.nodes[*start];
	kg_graph_expand(graph, reach->walk, nodes, n, found_beyond, beyond);
}

bool
kg_reach_is_complete(KgGraph *graph, const KgReach *reach)
{
	Beyond beyond = {.reach = reach, .context = graph->context};
	uint32 start = reach->level[reach->hops];
	uint32 end = reach->level[reach->hops + 1];
	uint32 most = KG_FIRST_OUTERMOST;

	beyond.at_once = kg_decisions_ask_all();
	while (start < end)
	{
		look_beyond(graph,
					&beyond,
					&start,
					end,
					beyond.at_once ? KG_MOST_OUTERMOST : most);
		if (beyond.at_once && start < end)
			continue;
		if (any_visible(graph, &beyond))
			return false;
		beyond.n = 0;
		most = Min(most * KG_LOOK_MORE, KG_MOST_OUTERMOST);
	}
	return true;
}

int
kg_reach_depth(const KgReach *reach, uint32 index)
{
	int depth = 0;

	while (index >= reach->level[depth + 1])
		depth++;
	return depth;
}

/* ---- pages ---- */

/*
 * Maximum number of nodes whose data is read with their ids, if all may be on
 * the page.
 */
#define KG_DATA_AT_ONCE 2000
/* Initial number of candidates allocated. */
#define KG_CANDIDATES 64

typedef struct Candidate
{
	KgRef ref;
	uint64 place;
	uint32 index;
} Candidate;

/*
 * A run: the nodes at some successive places. A place is the number by which
 * nodes are ordered. Only the first "keep" nodes of the run are needed, so the
 * list is cut when it has twice this number of nodes.
 */
typedef struct Run
{
	KgGraph *graph;
	const KgReach *reach;
	KgPage *page;
	MemoryContext context;
	/* index of the first node of the run, in the order of all nodes */
	uint32 start;
	uint32 end;
	uint32 kept; /* nodes of the run that may be on the page */
	Candidate *items;
	uint64 n;
	uint64 capacity;
	uint64 keep;
	uint32 found;  /* nodes that exist and are visible */
	uint64 before; /* found nodes at or before the page's key */
} Run;

static uint32
index_at(const Run *run, uint32 i)
{
	return run->page->order ? run->page->order->nodes[i] : i;
}

static uint64
place_of(const KgReach *reach, const KgPage *page, uint32 index)
{
	return page->order ? page->order->places[index]
					   : (uint64) kg_reach_depth(reach, index);
}

uint64
kg_page_place(const KgReach *reach, const KgPage *page, uint32 number)
{
	return place_of(reach, page, page->indexes[number]);
}

static int
compare_candidates(const void *a, const void *b, void *arg)
{
	const Candidate *x = a;
	const Candidate *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return kg_ref_compare(&x->ref, &y->ref);
}

static void
cut_smallest(Run *run)
{
	qsort_interruptible(
		run->items, run->n, sizeof(Candidate), compare_candidates, NULL);
	for (uint64 i = run->keep; i < run->n; i++)
	{
		pfree((void *) run->items[i].ref.id);
		if (run->items[i].ref.data != NULL)
			pfree((void *) run->items[i].ref.data);
	}
	run->n = Min(run->n, run->keep);
}

/*
 * Returns whether the node is on an earlier page: at or before the key after
 * which the page starts.
 */
static bool
is_before(const Run *run, uint64 place, const KgRef *ref)
{
	const KgPageKey *after = run->page->after;

	if (after == NULL || place != after->place)
		return after != NULL && place < after->place;
	return kg_ref_compare(ref, &after->ref) <= 0;
}

static void
add_candidate(const KgRef *ref, void *arg)
{
	Run *run = arg;
	uint32 index = kg_nodeset_find(&run->reach->set, ref->node);
	uint64 place;

	if (index == KG_NO_NODE || run->page->position[index] == KG_NOT_KEPT)
		return;
	place = place_of(run->reach, run->page, index);
	run->found++;
	if (is_before(run, place, ref))
	{
		run->page->position[index] = KG_BEFORE_PAGE;
		run->before++;
		return;
	}
	if (run->n == run->capacity)
	{
		if (run->n > run->keep * 2 + 1024)
			cut_smallest(run);
		else
		{
			run->capacity *= 2;
			run->items = repalloc_huge(run->items,
									   run->capacity * sizeof(Candidate));
		}
	}
	run->items[run->n].ref = kg_ref_copy(ref, run->context);
	run->items[run->n].place = place;
	run->items[run->n].index = index;
	run->n++;
}

/*
 * Adds the nodes of a run (successive nodes in the order of the result) to the
 * page. The first "skip" nodes belong to earlier pages.
 */
static void
page_run(Run *run, uint64 skip)
{
	KgPage *page = run->page;
	int64 *nodes;
	uint32 n = 0;

	run->n = 0;
	run->found = 0;
	run->before = 0;
	run->keep = skip + (page->limit - page->n);
	nodes = MemoryContextAllocHuge(run->context,
								   Max((Size) run->kept, 1) * sizeof(int64));
	for (uint32 i = run->start; i < run->end; i++)
		if (page->position[index_at(run, i)] != KG_NOT_KEPT)
			nodes[n++] = run->reach->set.nodes[index_at(run, i)];
	kg_graph_resolve(run->graph,
					 nodes,
					 n,
					 page->with_data && n <= run->keep && n <= KG_DATA_AT_ONCE,
					 add_candidate,
					 run);
	pfree(nodes);
	/*
	 * The nodes that were not found were deleted after the edges were read, and
	 * do not count.
	 */
	page->total -= n - run->found;
	cut_smallest(run);
	for (uint64 i = 0; i < run->n; i++)
	{
		Candidate *item = &run->items[i];

		if (i < skip)
			page->position[item->index] = KG_BEFORE_PAGE;
		else
		{
			page->position[item->index] = page->n;
			page->refs[page->n] = item->ref;
			page->indexes[page->n] = item->index;
			page->n++;
		}
	}
}

/*
 * Returns the index at which a run ends, for nodes that are ordered by places.
 * A run contains either all nodes of a place or none. It ends when it has the
 * wanted number of nodes, or at the place of the page's key.
 */
static uint32
end_of_places(const Run *run, uint64 wanted)
{
	const KgPage *page = run->page;
	const uint64 *places = page->order->places;
	const uint32 *nodes = page->order->nodes;
	uint64 after = page->after ? page->after->place : 0;
	bool before = places[nodes[run->start]] < after;
	uint64 kept = 0;
	uint32 i = run->start;

	for (; i < run->reach->set.n; i++)
	{
		uint64 place = places[nodes[i]];

		if (before && place >= after)
			break;
		if (!before && kept >= wanted && place != places[nodes[i - 1]])
			break;
		kept += page->position[nodes[i]] != KG_NOT_KEPT;
	}
	return i;
}

/* Initializes the run that begins at index "start" of the ordered nodes. */
static void
begin_run(Run *run, uint32 start, uint64 wanted)
{
	const KgReach *reach = run->reach;

	run->start = start;
	run->end = run->page->order
				   ? end_of_places(run, Max(wanted, 1))
				   : reach->level[kg_reach_depth(reach, start) + 1];
	run->kept = 0;
	for (uint32 i = start; i < run->end; i++)
		run->kept += run->page->position[index_at(run, i)] != KG_NOT_KEPT;
}

/*
 * Returns whether the places of all nodes of the run are before the place of
 * the page's key.
 */
static bool
places_before(const Run *run)
{
	return place_of(run->reach, run->page, index_at(run, run->end - 1)) <
		   run->page->after->place;
}

void
kg_reach_page(KgGraph *graph, const KgReach *reach, KgPage *page)
{
	Run run;
	uint32 n = reach->set.n;
	uint64 skipped = 0;
	uint64 before = 0;

	page->total = 0;
	page->n = 0;
	page->position = MemoryContextAllocHuge(graph->context,
											Max(n, 1) * sizeof(uint32));
	for (uint32 i = 0; i < n; i++)
	{
		bool kept = page->keep == NULL || page->keep[i];

		if (kept && reach->ranks != NULL && reach->ranks[i] == 0)
			kept = false;
		page->position[i] = kept ? KG_AFTER_PAGE : KG_NOT_KEPT;
		page->total += kept;
	}
	page->limit = Min(page->limit, page->total);
	page->refs = MemoryContextAllocHuge(graph->context,
										Max(page->limit, 1) * sizeof(KgRef));
	page->indexes = MemoryContextAllocHuge(
		graph->context, Max(page->limit, 1) * sizeof(uint32));
	memset(&run, 0, sizeof(run));
	run.graph = graph;
	run.reach = reach;
	run.page = page;
	run.context = graph->context;
	run.capacity = KG_CANDIDATES;
	run.items = MemoryContextAlloc(graph->context,
								   run.capacity * sizeof(Candidate));
	for (uint32 start = 0; start < n; start = run.end)
	{
		uint64 skip = page->offset > skipped ? page->offset - skipped : 0;

		CHECK_FOR_INTERRUPTS();
		begin_run(&run, start, skip + (page->limit - page->n));
		if (page->after != NULL ? places_before(&run) : run.kept <= skip)
		{
			for (uint32 i = start; i < run.end; i++)
				if (page->position[index_at(&run, i)] != KG_NOT_KEPT)
					page->position[index_at(&run, i)] = KG_BEFORE_PAGE;
			skipped += run.kept;
			before += run.kept;
			continue;
		}
		if (page->n == page->limit || run.kept == 0)
			continue;
		page_run(&run, skip);
		before += skip + run.before;
		skipped += run.kept;
	}
	page->more = before + page->n < page->total;
}

/* ---- edges of pages ---- */

/*
 * Returns whether the edge belongs to the page. At least one of its nodes must
 * be on this page. None of its nodes may be on a later page, or have been
 * removed from the result.
 */
static bool
on_page(const KgPage *page, uint32 one, uint32 two)
{
	uint32 a = page->position[one];
	uint32 b = page->position[two];

	if (a == KG_NOT_KEPT || b == KG_NOT_KEPT)
		return false;
	if (a == KG_AFTER_PAGE || b == KG_AFTER_PAGE)
		return false;
	return a != KG_BEFORE_PAGE || b != KG_BEFORE_PAGE;
}

typedef struct PageEdges
{
	const KgReach *reach;
	const KgPage *page;
	/*
	 * the page has one node, and no node precedes this node. So only loops can
	 * be edges of the page
	 */
	bool alone;
	KgEdgeList list;
} PageEdges;

/* Returns whether the search walked the edge from one of its ends. */
static bool
walked(const KgReach *reach, const KgEdgeRef *edge)
{
	const KgFollow *walk = reach->walk;
	uint32 outer = reach->level[reach->hops];
	bool ring = (reach->flags & KG_REACH_RING) != 0 && edge->source >= outer &&
				edge->target >= outer;

	if ((edge->source < outer || ring) &&
		kg_relation_set_has(&walk->forward, edge->relation_no))
		return true;
	return (edge->target < outer || ring) &&
		   kg_relation_set_has(&walk->backward, edge->relation_no);
}

/*
 * Adds the edges between a node of the page and its neighbours. An edge between
 * two nodes of the page is found from both nodes; it is added only when it is
 * found from its source.
 */
static void
found_page_edges(const KgNeighbors *found, void *arg)
{
	PageEdges *edges = arg;
	const KgNodeSet *set = &edges->reach->set;
	uint32 from = kg_nodeset_find(set, found->node);

	for (int i = 0; i < found->n; i++)
	{
		uint32 to;
		KgEdgeRef edge;

		if (edges->alone && found->neighbors[i] != found->node)
			continue;
		to = kg_nodeset_find(set, found->neighbors[i]);
		if (to == KG_NO_NODE || !on_page(edges->page, from, to))
			continue;
		if (found->backward && edges->page->position[to] != KG_BEFORE_PAGE)
			continue;
		edge.source = found->backward ? to : from;
		edge.target = found->backward ? from : to;
		edge.relation_no = found->relation_no;
		if (walked(edges->reach, &edge))
			kg_edge_list_add(
				&edges->list, edge.source, edge.target, edge.relation_no);
	}
}

static void
unite(KgGraph *graph, KgRelationSet *set, const KgRelationSet *other)
{
	int32 *numbers;
	int n = 0;
	int i = 0;
	int j = 0;

	if (set->all || other->all)
	{
		set->all = true;
		return;
	}
	numbers = MemoryContextAlloc(graph->context,
								 (set->n + other->n + 1) * sizeof(int32));
	while (i < set->n || j < other->n)
	{
		if (j == other->n ||
			(i < set->n && set->numbers[i] < other->numbers[j]))
			numbers[n++] = set->numbers[i++];
		else
		{
			if (i < set->n && set->numbers[i] == other->numbers[j])
				i++;
			numbers[n++] = other->numbers[j++];
		}
	}
	set->numbers = numbers;
	set->n = n;
}

/*
 * Reads the edges around the nodes of the page again, so that a search need not
 * store all its edges.
 */
static void
find_page_edges(KgGraph *graph, PageEdges *edges)
{
	const KgReach *reach = edges->reach;
	const KgPage *page = edges->page;
	KgFollow walk = *reach->walk;
	int64 *nodes;

	unite(graph, &walk.forward, &reach->walk->backward);
	walk.backward = walk.forward;
	nodes = MemoryContextAllocHuge(graph->context,
								   Max((Size) page->n, 1) * sizeof(int64));
	for (uint32 i = 0; i < page->n; i++)
		nodes[i] = reach->set.nodes[page->indexes[i]];
	kg_graph_expand(graph, &walk, nodes, page->n, found_page_edges, edges);
	pfree(nodes);
}

uint32
kg_reach_page_edges(KgGraph *graph, const KgReach *reach, const KgPage *page,
					KgEdgeRef **edges)
{
	PageEdges found;

	found.reach = reach;
	found.page = page;
	found.alone = page->n == 1 && page->after == NULL && page->offset == 0;
	kg_edge_list_init(&found.list, graph->context);
	if (reach->edges.edges == NULL)
		find_page_edges(graph, &found);
	for (uint32 i = 0; i < reach->edges.n; i++)
	{
		const KgEdgeRef *edge = &reach->edges.edges[i];

		if ((i & 0xffff) == 0)
			CHECK_FOR_INTERRUPTS();
		if (on_page(page, edge->source, edge->target))
			kg_edge_list_add(
				&found.list, edge->source, edge->target, edge->relation_no);
	}
	*edges = found.list.edges;
	return found.list.n;
}
