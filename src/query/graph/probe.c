/*
 * probe.c
 *	  Probes of the graph.
 *
 * A probe follows a walk from a sample of nodes, to find the mean number of
 * edges of a node at each hop. At each hop it reads the edges of at most
 * KG_SAMPLE nodes and takes the next sample from their neighbours. A sample
 * takes every n-th node, so equal calls have equal estimates. Estimates are
 * reported, so neighbours that the caller may not see are not counted. Edges
 * that a probe reads do not count for kg_graph.max_edges.
 */
#include "postgres.h"

#include <math.h>

#include "base/invalidate.h"
#include "base/settings.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "query/run/decisions.h"
#include "query/time/past.h"
#include "query/run/plan.h"
#include "query/graph/foreign.h"
#include "query/graph/probe.h"
#include "query/graph/sql_graph.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/*
 * Maximum number of nodes counted. A search of more nodes would exceed other
 * limits.
 */
#define KG_COUNT_MOST 200000
#define KG_COUNT_KEPT 10000 /* milliseconds for which a count is cached */
/*
 * Maximum number of visible neighbours that are counted for a sample, if each
 * is checked, and number of neighbours checked at once.
 */
#define KG_CHECKED_MOST 4096
#define KG_CHECKED_PIECE 1024

/* ---- probes ---- */

void
kg_probe_start(KgProbe *probe, KgGraph *graph, const int64 *nodes, uint32 n)
{
	memset(probe, 0, sizeof(*probe));
	probe->graph = graph;
	probe->nsample = (int) Min(n, KG_SAMPLE);
	for (int i = 0; i < probe->nsample; i++)
		probe->sample[i] = nodes[(uint64) i * n / probe->nsample];
}

/*
 * Adds every stride-th neighbour to the next sample. The stride doubles when
 * the array of the sample is full.
 */
static void
note_neighbor(KgProbe *probe, int64 node)
{
	if (probe->seen++ % probe->stride != 0)
		return;
	if (probe->nnext == lengthof(probe->next))
	{
		probe->nnext /= 2;
		for (int i = 0; i < probe->nnext; i++)
			probe->next[i] = probe->next[2 * i];
		probe->stride *= 2;
		if ((probe->seen - 1) % probe->stride != 0)
			return;
	}
	probe->next[probe->nnext++] = node;
}

static bool
has_most(const KgProbe *probe)
{
	return probe->visible + kg_decisions_left_open() >= KG_CHECKED_MOST;
}

static void
check_neighbors(KgProbe *probe)
{
	uint16 ranks[KG_CHECKED_PIECE];
	uint32 place[KG_CHECKED_PIECE];
	KgNodeSet set;

	kg_nodeset_init(&set, probe->graph->context);
	for (uint32 i = 0; i < probe->nunchecked; i++)
		place[i] = kg_nodeset_add(&set, probe->unchecked[i]);
	kg_graph_types(probe->graph, set.nodes, set.n, ranks);
	for (uint32 i = 0; i < probe->nunchecked; i++)
		if (ranks[place[i]] != 0 && !has_most(probe))
		{
			probe->visible++;
			if (probe->walked[i])
				note_neighbor(probe, probe->unchecked[i]);
		}
	kg_nodeset_free(&set);
	probe->nunchecked = 0;
}

static void
found_neighbors(const KgNeighbors *found, void *arg)
{
	KgProbe *probe = arg;
	const KgFollow *walk = probe->walk;
	bool walked = probe->unchecked == NULL || walk->accept == NULL ||
				  walk->accept(
					  found->relation_no, found->properties, walk->accept_arg);

	for (int i = 0; i < found->n; i++)
	{
		if (probe->unchecked == NULL)
		{
			note_neighbor(probe, found->neighbors[i]);
			continue;
		}
		if (has_most(probe))
			return;
		probe->walked[probe->nunchecked] = walked;
		probe->unchecked[probe->nunchecked++] = found->neighbors[i];
		if (probe->nunchecked == KG_CHECKED_PIECE)
			check_neighbors(probe);
	}
}

static int
distinct(int64 *nodes, int n)
{
	int kept = 0;

	for (int i = 0; i < n; i++)
	{
		bool before = false;

		for (int j = 0; j < kept && !before; j++)
			before = nodes[j] == nodes[i];
		if (!before)
			nodes[kept++] = nodes[i];
	}
	return kept;
}

void
kg_probe_go_on(KgProbe *probe, const int64 *nodes, int n)
{
	memcpy(probe->sample, nodes, n * sizeof(int64));
	probe->nsample = distinct(probe->sample, n);
}

double
kg_probe_hop(KgProbe *probe, const KgFollow *walk)
{
	KgGraph *graph = probe->graph;
	int64 scratch[KG_SAMPLE];
	int64 charged = graph->edges;
	int n = probe->nsample;
	KgFollow unfiltered = *walk;

	probe->read = 0;
	if (n == 0)
		return 0;
	memcpy(scratch, probe->sample, n * sizeof(int64));
	probe->nnext = 0;
	probe->stride = 1;
	probe->seen = 0;
	probe->visible = 0;
	probe->walk = walk;
	if (graph->check_nodes && probe->unchecked == NULL)
	{
		probe->unchecked = MemoryContextAlloc(graph->context,
											  KG_CHECKED_PIECE * sizeof(int64));
		probe->walked = MemoryContextAlloc(graph->context,
										   KG_CHECKED_PIECE * sizeof(bool));
	}
	/*
	 * A search also reads the edges that its filter rejects. They count here
	 * if they are visible.
	 */
	if (graph->check_nodes && walk->accept != NULL)
	{
		unfiltered.accept = NULL;
		unfiltered.properties = true;
	}
	/*
	 * Edges that a probe reads must not count for kg_graph.max_edges, so the
	 * counter is set far below 0.
	 */
	graph->edges = PG_INT64_MIN / 2;
	kg_graph_expand(
		graph, &unfiltered, scratch, (uint32) n, found_neighbors, probe);
	if (probe->nunchecked > 0)
		check_neighbors(probe);
	/* Edges to hidden nodes were read, but must not be reported. */
	probe->read = (double) (graph->check_nodes
								? probe->visible
								: (uint64) (graph->edges - PG_INT64_MIN / 2)) /
				  n;
	graph->edges = charged;
	probe->nnext = distinct(probe->next, probe->nnext);
	/* The next sample is unknown while a decision of the authorizer is open. */
	probe->nsample = kg_decisions_left_open() > 0
						 ? 0
						 : Min(probe->nnext, KG_SAMPLE);
	for (int i = 0; i < probe->nsample; i++)
		probe->sample[i] = probe->next[i * probe->nnext / probe->nsample];
	return (double) probe->seen / n;
}

/* ---- numbers of nodes and edges ---- */

/*
 * The last count of nodes, for callers that see a whole tenant. It is cached
 * because an agent often calls more than once, and may be slightly out of date.
 */
typedef struct Counted
{
	bool valid;
	Oid role;
	char *tenant;
	uint64 generation;
	TimestampTz until;
	KgBound bound;
} Counted;

static Counted counted;

static inline uint64
hash_node(int64 node)
{
	uint64 h = (uint64) node;

	h = (h ^ (h >> 33)) * UINT64CONST(0xff51afd7ed558ccd);
	h = (h ^ (h >> 33)) * UINT64CONST(0xc4ceb9fe1a85ec53);
	return h ^ (h >> 33);
}

static bool
count_node(TupleTableSlot *slot, void *arg)
{
	KgBound *bound = arg;
	int64 node = DatumGetInt64(kg_slot_datum(slot, 1));
	uint64 hash = hash_node(node);
	int at;

	bound->seen++;
	if (bound->nsample < KG_DEGREE_SAMPLE)
		at = bound->nsample++;
	else if (hash < bound->hashes[bound->highest])
		at = bound->highest;
	else
		return bound->seen < KG_COUNT_MOST;
	bound->sample[at] = node;
	bound->hashes[at] = hash;
	bound->highest = 0;
	for (int i = 1; i < bound->nsample; i++)
		if (bound->hashes[i] > bound->hashes[bound->highest])
			bound->highest = i;
	return bound->seen < KG_COUNT_MOST;
}

static bool
counted_before(const KgGraph *graph)
{
	return counted.valid && !graph->check_nodes &&
		   counted.role == GetUserId() &&
		   strcmp(counted.tenant, graph->catalog->tenant) == 0 &&
		   counted.generation == kg_generation() &&
		   GetCurrentTimestamp() < counted.until;
}

static void
keep_count(const KgGraph *graph, const KgBound *bound)
{
	if (graph->check_nodes || kg_past_asked())
		return;
	counted.valid = false;
	if (counted.tenant != NULL)
		pfree(counted.tenant);
	counted.tenant = MemoryContextStrdup(TopMemoryContext,
										 graph->catalog->tenant);
	counted.role = GetUserId();
	counted.generation = kg_generation();
	counted.until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(),
												KG_COUNT_KEPT);
	counted.bound = *bound;
	counted.valid = true;
}

void
kg_bound_count(KgGraph *graph, KgBound *bound)
{
	static const Oid types[] = {TEXTOID};
	Datum values[lengthof(types)];
	KgStatement statement;

	/*
	 * Rows of other tables are not counted, so the number of nodes is unknown.
	 */
	if (graph->foreign != NULL)
	{
		memset(bound, 0, sizeof(*bound));
		bound->nodes = INFINITY;
		return;
	}
	if (counted_before(graph))
	{
		*bound = counted.bound;
		return;
	}
	memset(bound, 0, sizeof(*bound));
	memset(&statement, 0, sizeof(statement));
	statement.sql = kg_graph_sql(KG_SQL_NODES);
	values[0] = graph->tenant;
	statement.nargs = lengthof(types);
	statement.argtypes = types;
	statement.values = values;
	(void) kg_plan_run(&statement, count_node, bound);
	bound->nodes = (double) (bound->seen < KG_COUNT_MOST
								 ? bound->seen
								 : Max(kg_setting_max_visited, KG_COUNT_MOST));
	keep_count(graph, bound);
}

/*
 * Returns the number of edges that a walk from every node would read. A few
 * nodes may have most of the edges, so the mean is computed from a large
 * sample. A hub in the sample would stand for many hubs, so the part of the
 * sample with the most edges is left out.
 */
double
kg_bound_edges(KgGraph *graph, const KgBound *bound, const KgFollow *walk)
{
	double sum = 0;
	double most = 0;
	int n = bound->nsample;

	if (n == 0)
		return isinf(bound->nodes) ? INFINITY : 0;
	for (int i = 0; i < n; i += KG_SAMPLE)
	{
		uint32 part = (uint32) Min(n - i, KG_SAMPLE);
		KgProbe probe;

		kg_probe_start(&probe, graph, bound->sample + i, part);
		(void) kg_probe_hop(&probe, walk);
		sum += probe.read * part;
		if (part == KG_SAMPLE)
			most = Max(most, probe.read * part);
	}
	if (n < KG_DEGREE_SAMPLE)
		return bound->nodes * sum / n;
	return bound->nodes * (sum - most) / (n - KG_SAMPLE);
}
