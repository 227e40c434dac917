/*
 * paths_weight.c
 *	  The lightest paths with a maximum number of hops.
 *
 * Because of this maximum, it is not enough to know the lightest walk to a
 * node: a heavier walk with fewer hops may be the only walk that can continue.
 * So the least weight is stored by node and number of hops to the target, in
 * one round for each hop. This is Dijkstra's relaxation without its queue,
 * which would be wrong under a hop limit. Weights are not negative, so the
 * lightest walk with the fewest hops repeats no node. Weights are exact
 * integers in units of 10^-15.
 *
 * The lightest of all simple paths, trails or walks are found best first (A*).
 * The least weights to the targets estimate the rest of a path.
 */
#include "postgres.h"

#include "base/error.h"
#include "miscadmin.h"
#include "query/graph/paths.h"
#include "query/run/plan.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

typedef struct Lightest
{
	KgPaths *paths;
	/* least weight of a walk, by number of hops left and node; -1: no walk */
	KgWeight *least[KG_MAX_PATH_HOPS + 1];
} Lightest;

static char *
end_handle(const KgPaths *paths, uint32 node)
{
	const KgRef *ref = &paths->refs[node];

	return psprintf(
		"%s:%s", kg_row_handle(paths->graph->ranked[ref->rank - 1]), ref->id);
}

/*
 * Raises KG_INVALID_INPUT for the weight of an edge that a path could use. The
 * caller sees the edge.
 */
static KG_NORETURN void
throw_weight(const KgPaths *paths, const KgLink *link, bool negative)
{
	const KgRelation *relation = kg_catalog_relation_no(paths->graph->catalog,
														link->relation_no);
	const char *from = end_handle(paths,
								  link->backward ? link->to : link->from);
	const char *to = end_handle(paths, link->backward ? link->from : link->to);
	const char *name = relation != NULL ? relation->name : "*";
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf(
				 "the weight of the edge \"%s\" from \"%s\" to \"%s\" %s",
				 name,
				 from,
				 to,
				 negative ? "is negative" : "has too many digits"),
			 .path = "/weight",
			 .got_string = DatumGetCString(DirectFunctionCall1(
				 numeric_out, NumericGetDatum(link->weight))),
			 .expected = psprintf("weights of at least 0, below 10^21, with at "
								  "most %d digits after the point",
								  KG_WEIGHT_DIGITS));
}

/*
 * Returns whether link a is before link b, by the node at which it begins and
 * then by position. So the error names the same edge in whatever order the
 * edges were read.
 */
static bool
link_before(const KgPaths *paths, const KgLink *a, const KgLink *b)
{
	int order = kg_ref_compare(&paths->refs[a->from], &paths->refs[b->from]);

	return order < 0 || (order == 0 && a < b);
}

static void
read_weights(KgPaths *paths)
{
	const KgLink *bad = NULL;
	bool negative = false;

	paths->weights = MemoryContextAllocHuge(
		paths->graph->context, Max(paths->links.n, 1) * sizeof(KgWeight));
	for (uint64 i = 0; i < paths->links.n; i++)
	{
		bool usable;

		if ((i & 0xffff) == 0)
			CHECK_FOR_INTERRUPTS();
		paths->weights[i] = kg_weight_read(paths->links.links[i].weight,
										   &usable);
		if ((!usable || paths->weights[i] < 0) &&
			(bad == NULL || link_before(paths, &paths->links.links[i], bad)))
		{
			bad = &paths->links.links[i];
			negative = paths->weights[i] < 0;
		}
	}
	if (bad != NULL)
		throw_weight(paths, bad, negative);
}

/* Sets "least" for the walks to a target; KG_NO_NODE: to any target. */
static void
measure_target(Lightest *l, uint32 target)
{
	KgPaths *paths = l->paths;
	uint64 done = 0;

	for (uint32 node = 0; node < paths->set.n; node++)
		l->least[0][node] = (target == KG_NO_NODE ? paths->is_to[node]
												  : node == target)
								? 0
								: -1;
	for (int left = 1; left <= paths->query->max_hops; left++)
	{
		KgWeight *least = l->least[left];

		CHECK_FOR_INTERRUPTS();
		for (uint32 node = 0; node < paths->set.n; node++)
		{
			uint32 first = paths->links.start[node];
			uint32 last = paths->links.start[node + 1];

			least[node] = -1;
			kg_plan_count(&done, last - first + 1);
			for (uint32 i = first; i < last; i++)
			{
				uint32 to = paths->links.links[i].to;
				KgWeight rest = l->least[left - 1][to];

				if (rest < 0 || (left > 1 && !kg_path_inner(paths, to)))
					continue;
				rest += paths->weights[i];
				if (least[node] < 0 || rest < least[node])
					least[node] = rest;
			}
		}
	}
	kg_graph_charge_edges(paths->graph,
						  (int64) paths->links.n * paths->query->max_hops);
}

/*
 * Sets *path to a lightest path with "hops" links from a node to the target of
 * measure_target(). Of several such paths, takes the first in the order of
 * replies. Links are sorted by their ends, so the first link with the least
 * weight is taken at each hop.
 */
static void
trace(Lightest *l, uint32 from, int hops, KgPath *path)
{
	KgPaths *paths = l->paths;
	uint32 node = from;

	memset(path, 0, sizeof(*path));
	path->length = hops;
	path->weight = l->least[hops][from];
	path->nodes[0] = from;
	for (int hop = 0; hop < hops; hop++)
	{
		int left = hops - hop;
		uint32 i = paths->links.start[node];

		for (;; i++)
		{
			uint32 to = paths->links.links[i].to;
			KgWeight rest = l->least[left - 1][to];

			Assert(i < paths->links.start[node + 1]);
			if (rest >= 0 && (left == 1 || kg_path_inner(paths, to)) &&
				rest + paths->weights[i] == l->least[left][node])
				break;
		}
		path->links[hop] = i;
		node = paths->links.links[i].to;
		path->nodes[hop + 1] = node;
	}
}

/* ---- the lightest paths of all ---- */

/*
 * A path, or the beginning of paths. A beginning has the weight and the length
 * of the lightest walk that begins with it. This weight and length do not
 * exceed those of any path that begins with it, and beginnings are ordered
 * before their continuations. So if the first of all candidates is a path, it
 * is the next path in the order of replies.
 */
typedef struct Candidate
{
	KgPath path; /* sum of the weights of the path's links */
	KgWeight weight;
	int length;
	bool whole;
} Candidate;

/*
 * A binary heap: the candidate at i is before the candidates at 2 * i + 1 and 2
 * * i + 2.
 */
typedef struct Candidates
{
	const KgPaths *paths;
	Candidate *heap;
	Size n;
	Size room;
} Candidates;

static bool
is_before(const KgPaths *paths, const Candidate *x, const Candidate *y)
{
	if (x->weight != y->weight)
		return x->weight < y->weight;
	if (x->length != y->length)
		return x->length < y->length;
	for (int i = 0; i <= x->path.length && i <= y->path.length; i++)
		if (x->path.nodes[i] != y->path.nodes[i])
			return kg_ref_compare(&paths->refs[x->path.nodes[i]],
								  &paths->refs[y->path.nodes[i]]) < 0;
	if (x->path.length != y->path.length)
		return x->path.length < y->path.length;
	for (int i = 0; i < x->path.length; i++)
		if (x->path.links[i] != y->path.links[i])
			return x->path.links[i] < y->path.links[i];
	return x->whole && !y->whole;
}

static void
add_candidate(Candidates *c, const Candidate *added)
{
	Size i = c->n++;

	if (c->n > c->room)
	{
		c->room = Max(256, c->room * 2);
		c->heap = c->heap == NULL
					  ? MemoryContextAllocHuge(c->paths->graph->context,
											   c->room * sizeof(Candidate))
					  : repalloc_huge(c->heap, c->room * sizeof(Candidate));
		kg_graph_check_memory(c->paths->graph);
	}
	for (; i > 0 && is_before(c->paths, added, &c->heap[(i - 1) / 2]);
		 i = (i - 1) / 2)
		c->heap[i] = c->heap[(i - 1) / 2];
	c->heap[i] = *added;
}

static Candidate
take_candidate(Candidates *c)
{
	Candidate first = c->heap[0];
	const Candidate *last = &c->heap[--c->n];
	Size i = 0;

	for (Size next = 1; next < c->n; next = 2 * i + 1)
	{
		if (next + 1 < c->n &&
			is_before(c->paths, &c->heap[next + 1], &c->heap[next]))
			next++;
		if (!is_before(c->paths, &c->heap[next], last))
			break;
		c->heap[i] = c->heap[next];
		i = next;
	}
	c->heap[i] = *last;
	return first;
}

/* Adds the beginning of a path, if a walk from its end reaches a target. */
static void
add_beginning(const Lightest *l, Candidates *c, const KgPath *path)
{
	uint32 end = path->nodes[path->length];
	int left = l->paths->query->max_hops - path->length;
	Candidate added = {.path = *path};

	for (int hops = 1; hops <= left; hops++)
	{
		KgWeight rest = l->least[hops][end];

		if (rest < 0 ||
			(added.length > 0 && added.weight <= path->weight + rest))
			continue;
		added.weight = path->weight + rest;
		added.length = path->length + hops;
	}
	if (added.length > 0)
		add_candidate(c, &added);
}

/* Adds the paths and beginnings of paths with one more link. */
static void
go_on(const Lightest *l, Candidates *c, const KgPath *path)
{
	KgPaths *paths = l->paths;
	uint32 node = path->nodes[path->length];
	uint32 last = paths->links.start[node + 1];

	kg_graph_charge_edges(paths->graph, last - paths->links.start[node]);
	for (uint32 i = paths->links.start[node]; i < last; i++)
	{
		uint32 to = paths->links.links[i].to;
		KgPath longer = *path;

		longer.links[longer.length++] = i;
		longer.nodes[longer.length] = to;
		longer.weight += paths->weights[i];
		if (!kg_path_may_end(paths, &longer))
			continue;
		if (paths->is_to[to])
		{
			Candidate whole = {longer, longer.weight, longer.length, true};

			add_candidate(c, &whole);
		}
		if (kg_path_inner(paths, to))
			add_beginning(l, c, &longer);
	}
}

/* Lists the lightest paths of the mode, of all pairs. */
static void
list_best(Lightest *l)
{
	KgPaths *paths = l->paths;
	Candidates c = {.paths = paths};

	measure_target(l, KG_NO_NODE);
	for (uint32 s = 0; s < paths->nfrom; s++)
	{
		KgPath start = {.nodes = {paths->from[s]}};

		add_beginning(l, &c, &start);
	}
	while (c.n > 0 && paths->n < paths->query->limit)
	{
		Candidate first = take_candidate(&c);

		CHECK_FOR_INTERRUPTS();
		if (first.whole)
			kg_paths_add(paths, &first.path);
		else
			go_on(l, &c, &first.path);
	}
	kg_paths_count(paths);
	paths->total = Max(paths->total, paths->n);
}

void
kg_paths_list_lightest(KgPaths *paths)
{
	Lightest l;

	read_weights(paths);
	l.paths = paths;
	for (int left = 0; left <= paths->query->max_hops; left++)
		l.least[left] = MemoryContextAllocHuge(paths->graph->context,
											   Max((Size) paths->set.n, 1) *
												   sizeof(KgWeight));
	if (paths->query->mode != KG_PATH_SHORTEST)
	{
		list_best(&l);
		return;
	}
	for (uint32 t = 0; t < paths->nto; t++)
	{
		measure_target(&l, paths->to[t]);
		for (uint32 s = 0; s < paths->nfrom; s++)
		{
			uint32 from = paths->from[s];
			int best = 0;
			KgPath path;

			if (from == paths->to[t])
				continue;
			for (int hops = 1; hops <= paths->query->max_hops; hops++)
				if (l.least[hops][from] >= 0 &&
					(best == 0 || l.least[hops][from] < l.least[best][from]))
					best = hops;
			if (best == 0)
				continue;
			paths->total += 1;
			trace(&l, from, best, &path);
			kg_paths_add(paths, &path);
		}
	}
}
