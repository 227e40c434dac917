/*
 * relevance.c
 *	  Personalized PageRank by forward push.
 *
 * The residual of a node is the share of the walker's time that has reached
 * the node and was not distributed yet. The search goes in rounds. In each
 * round, every node whose residual is at least the mean adds a part of it to
 * its score, and pushes the rest along its edges to other nodes. The edges of
 * the nodes that push for the first time are read together. If there are many
 * such nodes, the edges of all nodes with a residual are read with them. A
 * round reduces the total residual by the part added to scores, and most
 * rounds push half of the residual or more. So the number of rounds depends on
 * the bound, not on the graph.
 *
 * The last part of the residual takes most of the pushes and reads, but
 * changes the order of only a few nodes in a hundred calls. So if only the
 * best few nodes are requested, the search predicts whether they will remain
 * the best, each time the residual has halved. The prediction assumes that
 * each node gains from the rest of the residual in the same proportion as
 * since the previous check. This is safer than testing whether the best nodes
 * have changed, because a node that gains steadily shows only when it
 * overtakes another node.
 */
#include "postgres.h"

#include <math.h>

#include "base/settings.h"
#include "lib/binaryheap.h"
#include "lib/pairingheap.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "query/graph/relevance.h"
#include "utils/memutils.h"

/*
 * Maximum number of visible nodes of a small graph. For a small graph, the
 * bound of the residual is divided by this number, because more exact scores
 * cost little there.
 */
#define KG_RANK_SMALL 1000
/*
 * If at least this many nodes need their edges, edges of further nodes are read
 * with them.
 */
#define KG_READ_AHEAD 500

typedef struct Round
{
	KgRanking *r;
	bool all_both;
	int64 from;		/* the node whose edges were received last */
	uint32 at;		/* the index of that node in the set */
	uint32 *pushed; /* nodes that push in this round */
	/* the share that each pushed node sends along each of its edges */
	uint64 *shares;
	uint32 npushed;
	uint32 capacity_pushed;
	uint64 done;
} Round;

static void *
room(const KgRanking *r, void *array, Size size)
{
	return array == NULL ? MemoryContextAllocHuge(r->graph->context, size)
						 : repalloc_huge(array, size);
}

/*
 * Frees an array and returns a new array of this size, without the content of
 * the old array.
 */
static void *
replace(const KgRanking *r, void *array, Size size)
{
	if (array != NULL)
		pfree(array);
	return MemoryContextAllocHuge(r->graph->context, size);
}

/* Enlarges the arrays by node to the capacity of the set. */
static void
enlarge_arrays(KgRanking *r)
{
	r->capacity = r->set.capacity;
	r->scores = room(r, r->scores, (Size) r->capacity * sizeof(uint64));
	r->left = room(r, r->left, (Size) r->capacity * sizeof(uint64));
	r->first = room(r, r->first, (Size) r->capacity * sizeof(uint64));
	r->degree = room(r, r->degree, (Size) r->capacity * sizeof(uint32));
	if (r->graph->check_nodes)
		r->ranks = room(r, r->ranks, (Size) r->capacity * sizeof(uint16));
}

/*
 * Makes the members of the arrays for the nodes added to the set. Memory after
 * these members is not touched, so that the kernel need not provide it.
 */
static void
room_for_nodes(KgRanking *r)
{
	if (r->set.n > r->capacity)
		enlarge_arrays(r);
	for (uint32 i = r->nranks; i < r->set.n; i++)
	{
		r->scores[i] = 0;
		r->left[i] = 0;
		r->degree[i] = KG_NO_NODE;
	}
}

static bool
is_seen(const KgRanking *r, uint32 node)
{
	return r->ranks == NULL || r->ranks[node] != 0;
}

/* Reads which of the nodes added to the set the caller sees. */
static void
rank_new_nodes(KgRanking *r)
{
	uint32 n = r->set.n - r->nranks;

	if (n == 0)
		return;
	if (r->ranks != NULL)
		kg_graph_types(
			r->graph, r->set.nodes + r->nranks, n, r->ranks + r->nranks);
	for (; r->nranks < r->set.n; r->nranks++)
		r->seen += is_seen(r, r->nranks);
}

/*
 * Returns the share of the total that remains after each node has added its
 * part to its score.
 */
static double
residual(const KgRanking *r)
{
	return (double) r->undecided * r->query->damping / (double) KG_RANK_ALL;
}

/*
 * Returns whether the search is likely to end before much more of the residual
 * is pushed along edges.
 */
static bool
ends_soon(const KgRanking *r)
{
	return r->query->best > 0 && residual(r) > KG_RANK_BOUND_OF_BEST;
}

/* ---- edges ---- */

static void
room_for_steps(KgRanking *r, uint64 more)
{
	if (r->nsteps + more <= r->capacity_steps)
		return;
	r->capacity_steps = (r->nsteps + more) * 2 + 4096;
	r->ends = room(r, r->ends, r->capacity_steps * sizeof(uint32));
	r->ways = room(r, r->ways, r->capacity_steps * sizeof(uint32));
}

/*
 * Moves the steps of a node to the end of the array, so that more can be added.
 * They rarely have to move, because edges come node by node, at most once for
 * each direction.
 */
static void
go_to_end(KgRanking *r, uint32 node)
{
	uint32 degree = r->degree[node];

	if (degree > 0 && r->first[node] + degree == r->nsteps)
		return;
	room_for_steps(r, degree);
	if (degree > 0)
	{
		memcpy(r->ends + r->nsteps,
			   r->ends + r->first[node],
			   degree * sizeof(uint32));
		memcpy(r->ways + r->nsteps,
			   r->ways + r->first[node],
			   degree * sizeof(uint32));
	}
	r->first[node] = r->nsteps;
	r->nsteps += degree;
}

static void
found_steps(const KgNeighbors *found, void *arg)
{
	Round *round = arg;
	KgRanking *r = round->r;
	bool both = round->all_both ||
				kg_follow_both(&r->query->follow, found->relation_no);
	uint32 way = (uint32) found->relation_no |
				 (found->backward ? KG_RANK_BACKWARD : 0);
	uint64 n;

	if (found->node != round->from)
	{
		round->from = found->node;
		round->at = kg_nodeset_find(&r->set, found->node);
	}
	go_to_end(r, round->at);
	room_for_steps(r, found->n);
	n = r->nsteps;
	for (int i = 0; i < found->n; i++)
	{
		/* A loop is one edge in both directions. */
		if (both && found->backward && found->neighbors[i] == found->node)
			continue;
		r->ends[n] = kg_nodeset_add(&r->set, found->neighbors[i]);
		r->ways[n++] = way;
	}
	r->degree[round->at] += n - r->nsteps;
	r->nsteps = n;
	if (r->set.n > (uint32) kg_setting_max_visited)
		kg_graph_check_visited(r->graph, r->set.n);
}

/*
 * Removes those steps of a node that lead to nodes that the caller does not
 * see.
 */
static void
drop_hidden(KgRanking *r, uint32 node)
{
	uint32 *ends = r->ends + r->first[node];
	uint32 *ways = r->ways + r->first[node];
	uint32 n = 0;

	for (uint32 i = 0; i < r->degree[node]; i++)
		if (is_seen(r, ends[i]))
		{
			ends[n] = ends[i];
			ways[n++] = ways[i];
		}
	r->degree[node] = n;
}

static bool
is_unread(const KgRanking *r, uint32 node)
{
	return r->degree[node] == KG_NO_NODE;
}

/* Returns the number of nodes with a residual whose edges were not read. */
static uint32
count_ahead(const KgRanking *r)
{
	uint32 n = 0;

	for (uint32 i = 0; i < r->set.n; i++)
		n += r->left[i] > 0 && is_unread(r, i);
	return n;
}

/*
 * Reads the edges of the nodes that push for the first time. Returns false if
 * the number of read nodes would exceed the maximum.
 *
 * If these nodes are many, most other nodes will push later unless the search
 * ends first. So in this case the edges of all nodes with a residual are read,
 * because edges of nodes with near numbers are packed together.
 */
static bool
read_edges(Round *round)
{
	KgRanking *r = round->r;
	int64 *nodes;
	uint32 n = 0;
	uint32 ahead;

	for (uint32 i = 0; i < round->npushed; i++)
		n += is_unread(r, round->pushed[i]);
	if (n == 0)
		return true;
	if (r->read + n > r->query->most && r->read > 0)
		return false;
	ahead = n < KG_READ_AHEAD || ends_soon(r) ? 0 : count_ahead(r);
	if (r->read + ahead > r->query->most)
		ahead = 0;
	nodes = MemoryContextAllocHuge(r->graph->context,
								   (Size) Max(n, ahead) * sizeof(int64));
	n = 0;
	for (uint32 i = 0; i < (ahead > 0 ? r->set.n : round->npushed); i++)
	{
		uint32 node = ahead > 0 ? i : round->pushed[i];

		if (r->left[node] == 0 || !is_unread(r, node))
			continue;
		nodes[n++] = r->set.nodes[node];
		r->degree[node] = 0;
		r->first[node] = r->nsteps;
	}
	r->read += n;
	round->from = 0;
	kg_graph_expand(r->graph, &r->query->follow, nodes, n, found_steps, round);
	room_for_nodes(r);
	kg_graph_check_memory(r->graph);
	rank_new_nodes(r);
	for (uint32 i = 0; i < n && r->ranks != NULL; i++)
	{
		uint32 node = kg_nodeset_find(&r->set, nodes[i]);

		kg_plan_count(&round->done, r->degree[node] + 1);
		drop_hidden(r, node);
	}
	pfree(nodes);
	return true;
}

/* ---- pushing ---- */

/*
 * Distributes a share to the seeds by their weights. The first seed gets the
 * remainder of the divisions.
 */
static void
give_seeds(KgRanking *r, uint64 share)
{
	const KgRankQuery *query = r->query;
	double all = 0;
	uint64 given = 0;

	for (uint32 i = 0; i < query->nseeds; i++)
		all += query->seeds[i].weight;
	for (uint32 i = query->nseeds; i-- > 1;)
	{
		uint64 part = (uint64) ((double) share *
								(query->seeds[i].weight / all));

		part = Min(part, share - given);
		r->left[i] += part;
		given += part;
	}
	r->left[0] += share - given;
}

/* Finds the nodes whose residual is at least the mean. */
static void
choose_pushed(Round *round)
{
	KgRanking *r = round->r;
	const uint64 *left = r->left;
	uint32 n = r->set.n;
	uint64 holders = 0;
	uint32 chosen = 0;
	uint32 *pushed;
	uint64 least;

	for (uint32 i = 0; i < n; i++)
		holders += left[i] > 0;
	least = Max(r->undecided / Max(holders, 1), 1);
	kg_plan_count(&round->done, n);
	if (round->capacity_pushed < n)
	{
		round->capacity_pushed = r->capacity;
		round->pushed = replace(
			r, round->pushed, (Size) r->capacity * sizeof(uint32));
		round->shares = replace(
			r, round->shares, (Size) r->capacity * sizeof(uint64));
	}
	pushed = round->pushed;
	/*
	 * The loop has no branch, because the processor would predict half of the
	 * branches wrongly.
	 */
	for (uint32 i = 0; i < n; i++)
	{
		pushed[chosen] = i;
		chosen += left[i] >= least;
	}
	round->npushed = chosen;
}

static void
take_shares(Round *round)
{
	KgRanking *r = round->r;

	for (uint32 i = 0; i < round->npushed; i++)
	{
		uint32 node = round->pushed[i];
		uint64 kept = (uint64) ((double) r->left[node] *
								(1 - r->query->damping));
		uint64 share = r->left[node] - Min(kept, r->left[node]);

		round->shares[i] = share;
		/* The remainder of the division is added to the score. */
		if (r->degree[node] > 0)
		{
			round->shares[i] = share / r->degree[node];
			share = round->shares[i] * r->degree[node];
		}
		r->scores[node] += r->left[node] - share;
		r->undecided -= r->left[node] - share;
		r->left[node] = 0;
	}
}

static void
pass_on(Round *round)
{
	KgRanking *r = round->r;
	uint64 *left = r->left;

	for (uint32 i = 0; i < round->npushed; i++)
	{
		uint32 node = round->pushed[i];
		uint32 degree = r->degree[node];
		const uint32 *ends;
		uint64 share;

		if (degree == 0)
		{
			give_seeds(r, round->shares[i]);
			continue;
		}
		kg_plan_count(&round->done, degree);
		share = round->shares[i];
		ends = r->ends + r->first[node];
		for (uint32 s = 0; s < degree; s++)
			left[ends[s]] += share;
	}
}

/* Returns whether the graph is so small that exact scores cost little. */
static bool
is_small(const KgRanking *r)
{
	return r->seen <= KG_RANK_SMALL;
}

static bool
is_bound_met(const KgRanking *r)
{
	double bound = r->query->bound;

	return residual(r) <= (is_small(r) ? bound / KG_RANK_SMALL : bound);
}

/* ---- prediction of the best nodes ---- */

typedef struct Look
{
	const KgRanking *r;
	/* residual at or below which the next check is made */
	double next;
	double then;   /* residual at the last check */
	uint32 nknown; /* number of nodes at the last check */
	double *known; /* scores of these nodes at the last check */
	/* ratio of the residual to the score added since the last check */
	double share;
} Look;

static double
known_score(const KgRanking *r, uint32 node)
{
	return (double) r->scores[node] +
		   (double) r->left[node] * (1 - r->query->damping);
}

static double
expected_score(const Look *look, uint32 node)
{
	double known = known_score(look->r, node);
	double before = node < look->nknown ? look->known[node] : 0;

	return known + (known - before) * look->share;
}

/*
 * Returns whether a node ranks before another. Of two nodes with equal scores,
 * the node with the lower number is first.
 */
static bool
is_before(const Look *look, double score, uint32 node, double other_score,
		  uint32 other)
{
	if (score != other_score)
		return score > other_score;
	return look->r->set.nodes[node] < look->r->set.nodes[other];
}

/* Orders the heap so that the last of the best nodes is at the top. */
static int
compare_known(Datum a, Datum b, void *arg)
{
	const Look *look = arg;
	uint32 x = DatumGetUInt32(a);
	uint32 y = DatumGetUInt32(b);

	return is_before(
			   look, known_score(look->r, x), x, known_score(look->r, y), y)
			   ? -1
			   : 1;
}

/*
 * Returns the best nodes by the scores known so far; NULL if there are fewer
 * nodes than requested.
 */
static binaryheap *
best_known(Look *look)
{
	const KgRanking *r = look->r;
	binaryheap *best;
	uint32 last = 0;
	double least = 0;

	if (r->set.n < r->query->best)
		return NULL;
	best = binaryheap_allocate((int) r->query->best, compare_known, look);
	for (uint32 i = 0; i < r->set.n; i++)
	{
		double known = known_score(r, i);

		if (i < r->query->best)
			binaryheap_add(best, UInt32GetDatum(i));
		else if (is_before(look, known, i, least, last))
			binaryheap_replace_first(best, UInt32GetDatum(i));
		else
			continue;
		last = DatumGetUInt32(binaryheap_first(best));
		least = known_score(r, last);
	}
	return best;
}

/*
 * Returns whether each of the best nodes also ranks before all other nodes by
 * the expected scores.
 */
static bool
stay_best(Look *look)
{
	const KgRanking *r = look->r;
	binaryheap *best = best_known(look);
	uint32 border;
	uint32 last;
	double least;
	double least_expected;

	if (best == NULL)
		return false;
	border = last = DatumGetUInt32(binaryheap_first(best));
	least = known_score(r, border);
	least_expected = expected_score(look, last);
	while (!binaryheap_empty(best))
	{
		uint32 node = DatumGetUInt32(binaryheap_remove_first(best));
		double expected = expected_score(look, node);

		if (is_before(look, least_expected, last, expected, node))
		{
			last = node;
			least_expected = expected;
		}
	}
	binaryheap_free(best);
	if (least == 0)
		return false;
	for (uint32 i = 0; i < r->set.n; i++)
		if (is_before(look, expected_score(look, i), i, least_expected, last) &&
			is_before(look, least, border, known_score(r, i), i))
			return false;
	return true;
}

static void
note_known(Look *look)
{
	const KgRanking *r = look->r;

	look->known = replace(r, look->known, (Size) r->set.n * sizeof(double));
	look->nknown = r->set.n;
	for (uint32 i = 0; i < r->set.n; i++)
		look->known[i] = known_score(r, i);
}

/*
 * Returns whether the search may end because the best nodes are known well
 * enough.
 */
static bool
is_settled(Look *look)
{
	const KgRanking *r = look->r;
	double now = residual(r);

	if (r->query->best == 0 || is_small(r) || now > look->next)
		return false;
	if (look->known != NULL)
	{
		look->share = now / (look->then - now);
		if (stay_best(look))
			return true;
	}
	note_known(look);
	look->then = now;
	look->next = Min(now / 2, KG_RANK_BOUND_OF_BEST);
	return false;
}

/* ---- the whole search ---- */

/*
 * For each node, adds the part of the residual that the node does not pass on
 * to its score. This needs no edges.
 */
static void
keep_parts(KgRanking *r)
{
	for (uint32 i = 0; i < r->set.n; i++)
	{
		uint64 kept = (uint64) ((double) r->left[i] * (1 - r->query->damping));

		kept = Min(kept, r->left[i]);
		r->scores[i] += kept;
		r->left[i] -= kept;
		r->undecided -= kept;
	}
}

void
kg_rank(KgGraph *graph, const KgRankQuery *query, KgRanking *ranking)
{
	Round round;
	Look look;

	memset(ranking, 0, sizeof(*ranking));
	memset(&round, 0, sizeof(round));
	memset(&look, 0, sizeof(look));
	ranking->graph = graph;
	ranking->query = query;
	round.r = ranking;
	round.all_both = query->follow.forward.all && query->follow.backward.all;
	look.r = ranking;
	look.next = 2 * KG_RANK_BOUND_OF_BEST;
	kg_nodeset_init(&ranking->set, graph->context);
	kg_graph_keep_blocks(graph);
	for (uint32 i = 0; i < query->nseeds; i++)
		(void) kg_nodeset_add(&ranking->set, query->seeds[i].node);
	Assert(ranking->set.n == query->nseeds);
	room_for_nodes(ranking);
	rank_new_nodes(ranking);
	ranking->undecided = KG_RANK_ALL;
	give_seeds(ranking, KG_RANK_ALL);
	while (!is_bound_met(ranking) && !is_settled(&look))
	{
		CHECK_FOR_INTERRUPTS();
		choose_pushed(&round);
		if (!read_edges(&round))
			break;
		take_shares(&round);
		pass_on(&round);
	}
	keep_parts(ranking);
}

/* ---- the best nodes ---- */

double
kg_six_digits(double value)
{
	double unit = value > 0 ? pow(10, 5 - floor(log10(value))) : 1;

	return rint(value * unit) / unit;
}

static double
six_digits(uint64 share)
{
	return kg_six_digits((double) share / (double) KG_RANK_ALL);
}

double
kg_rank_residual(const KgRanking *ranking)
{
	return six_digits(ranking->undecided);
}

static int
compare_places(const void *a, const void *b, void *arg)
{
	const uint64 *places = arg;
	uint32 x = *(const uint32 *) a;
	uint32 y = *(const uint32 *) b;

	if (places[x] != places[y])
		return places[x] < places[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

KgReachOrder *
kg_rank_order(KgGraph *graph, const KgReach *reach)
{
	KgRankSeed *known = palloc((reach->level[1] + 1) * sizeof(KgRankSeed));
	KgRankQuery query = {.follow = *reach->walk,
						 .damping = KG_RANK_DAMPING,
						 .bound = KG_RANK_BOUND,
						 .most = (uint32) kg_setting_max_ranked,
						 .seeds = known};
	KgReachOrder *order = MemoryContextAlloc(graph->context,
											 sizeof(KgReachOrder));
	uint32 n = reach->set.n;
	KgRanking ranking;

	/* The seeds are the first nodes of the search (depth 0), each once. */
	for (; query.nseeds < reach->level[1]; query.nseeds++)
	{
		known[query.nseeds].node = reach->set.nodes[query.nseeds];
		known[query.nseeds].weight = 1;
	}
	kg_rank(graph, &query, &ranking);
	order->places = MemoryContextAllocHuge(graph->context, n * sizeof(uint64));
	order->nodes = MemoryContextAllocHuge(graph->context, n * sizeof(uint32));
	for (uint32 i = 0; i < n; i++)
	{
		uint32 node = kg_nodeset_find(&ranking.set, reach->set.nodes[i]);
		double score = node == KG_NO_NODE ? 0
										  : six_digits(ranking.scores[node]);

		order->places[i] = KG_RANK_ALL -
						   (uint64) (score * (double) KG_RANK_ALL);
		order->nodes[i] = i;
	}
	qsort_interruptible(
		order->nodes, n, sizeof(uint32), compare_places, order->places);
	kg_graph_check_memory(graph);
	return order;
}

static int
compare_ranked(const void *a, const void *b, void *arg)
{
	const KgRanked *x = a;
	const KgRanked *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return kg_ref_compare(&x->ref, &y->ref);
}

/*
 * Classes of scores: by the six binary digits after the first digit, and by the
 * number of further digits.
 */
#define KG_CLASS_BITS 6
#define KG_CLASSES (64 << KG_CLASS_BITS)

static int
class_of(uint64 score)
{
	int digits = pg_leftmost_one_pos64(score);
	int shift = Max(digits - KG_CLASS_BITS, 0);

	return shift == 0 ? (int) score
					  : (shift << KG_CLASS_BITS) + (int) (score >> shift);
}

/* Returns the least score of a class. */
static uint64
class_floor(int class)
{
	int shift = Max((class >> KG_CLASS_BITS) - 1, 0);

	return ((uint64) class - ((uint64) shift << KG_CLASS_BITS)) << shift;
}

typedef struct Resolving
{
	const KgRanking *r;
	const bool *wanted;
	uint64 floor;
	KgRanked *ranked;
	uint32 n;
	/* number of resolved nodes with a score of at least floor */
	uint32 sure;
	uint64 done;
} Resolving;

static void
add_ranked(const KgRef *ref, void *arg)
{
	Resolving *s = arg;
	KgRanked *ranked;

	if (s->wanted != NULL && !s->wanted[ref->rank])
		return;
	ranked = &s->ranked[s->n++];
	memset(ranked, 0, sizeof(*ranked));
	ranked->node = kg_nodeset_find(&s->r->set, ref->node);
	ranked->score = six_digits(s->r->scores[ranked->node]);
	ranked->ref = kg_ref_copy(ref, s->r->graph->context);
	s->sure += s->r->scores[ranked->node] >= s->floor;
}

/* Resolves the nodes with low <= score < high. */
static void
resolve_between(Resolving *s, uint64 low, uint64 high, int64 *nodes)
{
	const KgRanking *r = s->r;
	uint32 n = 0;

	for (uint32 i = 0; i < r->set.n; i++)
		if (r->scores[i] >= low && r->scores[i] < high)
			nodes[n++] = r->set.nodes[i];
	kg_plan_count(&s->done, r->set.n);
	s->ranked = room(r, s->ranked, (Size) (s->n + n + 1) * sizeof(KgRanked));
	kg_graph_resolve(r->graph, nodes, n, false, add_ranked, s);
}

/*
 * Resolves the nodes of the classes of scores, from the highest class on,
 * until there are more nodes than the limit. Scores that are equal when
 * rounded for the reply are in one class, or just below the least score of the
 * class.
 */
static void
resolve_best(Resolving *s, uint32 limit)
{
	const KgRanking *r = s->r;
	uint32 *counts = palloc0(KG_CLASSES * sizeof(uint32));
	int64 *nodes = MemoryContextAllocHuge(
		r->graph->context, Max((Size) r->set.n, 1) * sizeof(int64));
	uint64 high = PG_UINT64_MAX;
	uint64 piece = (uint64) limit + 1;
	uint64 count = 0;

	for (uint32 i = 0; i < r->set.n; i++)
		if (r->scores[i] > 0)
			counts[class_of(r->scores[i])]++;
	for (int class = KG_CLASSES - 1; class > 0 && s->sure <= limit; class --)
	{
		uint64 low;

		count += counts[class];
		if (count<piece &&class> 1)
			continue;
		s->floor = class_floor(class);
		low = class == 1 ? 1 : s->floor - (s->floor >> 18);
		s->sure = 0;
		for (uint32 i = 0; i < s->n; i++)
			s->sure += r->scores[s->ranked[i].node] >= s->floor;
		resolve_between(s, low, high, nodes);
		high = low;
		count = 0;
		piece *= 2;
	}
	pfree(nodes);
	pfree(counts);
}

KgRanked *
kg_rank_best(const KgRanking *ranking, const bool *wanted, uint32 limit,
			 uint32 *n, bool *more)
{
	Resolving s;

	memset(&s, 0, sizeof(s));
	s.r = ranking;
	s.wanted = wanted;
	resolve_best(&s, limit);
	qsort_interruptible(s.ranked, s.n, sizeof(KgRanked), compare_ranked, NULL);
	*n = Min(s.n, limit);
	*more = s.n > limit;
	return s.ranked;
}

/* ---- paths ---- */

/* The strongest path to a node that is known so far. */
typedef struct Way
{
	pairingheap_node entry;
	uint32 node;
	double strength;
	/* previous node of the path; KG_NO_NODE: the path begins here, at a seed */
	uint32 from;
	int length;
	bool settled;
} Way;

typedef struct Ways
{
	const KgRanking *r;
	Way **ways; /* indexed by node; NULL: not reached */
	pairingheap *heap;
} Ways;

/*
 * Orders paths: the stronger first, then the shorter, then by the number of the
 * node.
 */
static int
compare_ways(const pairingheap_node *a, const pairingheap_node *b, void *arg)
{
	const Ways *w = arg;
	const Way *x = pairingheap_const_container(Way, entry, a);
	const Way *y = pairingheap_const_container(Way, entry, b);
	const int64 *numbers = w->r->set.nodes;

	if (x->strength != y->strength)
		return x->strength > y->strength ? 1 : -1;
	if (x->length != y->length)
		return x->length < y->length ? 1 : -1;
	return numbers[x->node] < numbers[y->node] ? 1 : -1;
}

static bool
better(const Ways *w, const Way *way, double strength, uint32 from, int length)
{
	if (strength != way->strength)
		return strength > way->strength;
	if (length != way->length)
		return length < way->length;
	return way->from != KG_NO_NODE && from != KG_NO_NODE &&
		   w->r->set.nodes[from] < w->r->set.nodes[way->from];
}

static void
reach(Ways *w, uint32 node, double strength, uint32 from, int length)
{
	Way *way = w->ways[node];

	if (way == NULL)
	{
		way = w->ways[node] = MemoryContextAlloc(w->r->graph->context,
												 sizeof(Way));
		way->node = node;
		way->settled = false;
	}
	else if (way->settled || !better(w, way, strength, from, length))
		return;
	else
		pairingheap_remove(w->heap, &way->entry);
	way->strength = strength;
	way->from = from;
	way->length = length;
	pairingheap_add(w->heap, &way->entry);
}

/*
 * Returns the first way between two nodes. A way is a direction and a relation.
 * Of parallel edges, the first by direction and relation counts.
 */
static uint32
way_between(const KgRanking *r, uint32 from, uint32 to)
{
	const uint32 *ends = r->ends + r->first[from];
	const uint32 *ways = r->ways + r->first[from];
	uint32 best = PG_UINT32_MAX;

	for (uint32 i = 0; i < r->degree[from]; i++)
		if (ends[i] == to)
			best = Min(best, ways[i]);
	return best;
}

static void
write_path(const Ways *w, KgRanked *ranked)
{
	uint32 node = ranked->node;

	if (w->ways[node] == NULL)
		return;
	ranked->length = w->ways[node]->length;
	ranked->nodes = palloc((ranked->length + 1) * sizeof(uint32));
	ranked->ways = palloc((ranked->length + 1) * sizeof(uint32));
	for (int i = ranked->length; i >= 0; i--)
	{
		uint32 from = w->ways[node]->from;

		ranked->nodes[i] = node;
		if (i > 0)
			ranked->ways[i - 1] = way_between(w->r, from, node);
		node = from;
	}
}

/* Extends the path to a node, which is final, by each edge of the node. */
static void
go_on(Ways *w, const Way *way, uint64 *done)
{
	const KgRanking *r = w->r;
	uint32 degree = r->degree[way->node];

	kg_plan_count(done, 1);
	if (r->scores[way->node] == 0 || is_unread(r, way->node))
		return;
	kg_plan_count(done, degree);
	for (uint32 s = 0; s < degree; s++)
		reach(w,
			  r->ends[r->first[way->node] + s],
			  way->strength * r->query->damping / degree,
			  way->node,
			  way->length + 1);
}

void
kg_rank_paths(const KgRanking *ranking, KgRanked *ranked, uint32 n)
{
	const KgRankQuery *query = ranking->query;
	uint64 done = 0;
	uint32 at = 0;
	Ways w;

	w.r = ranking;
	w.ways = MemoryContextAllocExtended(ranking->graph->context,
										((Size) ranking->set.n + 1) *
											sizeof(Way *),
										MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	w.heap = pairingheap_allocate(compare_ways, &w);
	for (uint32 i = 0; i < query->nseeds; i++)
		reach(&w, i, query->seeds[i].weight, KG_NO_NODE, 0);
	/*
	 * Finds the final path of each requested node in turn. Paths become final
	 * in about this order.
	 */
	while (at < n)
	{
		Way *way = w.ways[ranked[at].node];

		if ((way != NULL && way->settled) || pairingheap_is_empty(w.heap))
		{
			at++;
			continue;
		}
		way = pairingheap_container(
			Way, entry, pairingheap_remove_first(w.heap));
		way->settled = true;
		go_on(&w, way, &done);
	}
	for (uint32 i = 0; i < n; i++)
		write_path(&w, &ranked[i]);
}
