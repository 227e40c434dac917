/*
 * network.c
 *	  The part of the graph that is measured, as arrays.
 *
 * The nodes are read by one statement under the caller's policies, and their
 * edges are read like the edges of any frontier (query/graph/frontier.c),
 * packed or as rows. An edge is in the network if both its ends are.
 */
#include "postgres.h"

#include <math.h>

#include "base/error.h"
#include "base/json.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "query/graph/frontier.h"
#include "query/graph/nodes.h"
#include "query/measure/network.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

/*
 * Maximum weight of an edge. Sums of such weights are far from the largest
 * double.
 */
#define MAX_WEIGHT 1e15

typedef struct Reading
{
	KgNetwork *net;
	/* the nodes while they are read, in any order */
	int64 *nodes;
	uint32 n;
	uint32 capacity;
	int64 from; /* the last node whose edges were received */
	uint32 at;	/* index of that node in nodes */
	/* the first edge whose weight cannot be used */
	bool bad;
	int64 bad_ends[2];
	const char *bad_handles[2];
	int32 bad_relation;
	double bad_weight;
} Reading;

void *
kg_network_array(const KgNetwork *net, uint64 n, Size size)
{
	void *array = MemoryContextAllocHuge(net->graph->context, Max(n, 1) * size);

	/* Raises an error at the memory limit before the array is written. */
	kg_graph_check_memory(net->graph);
	return array;
}

void *
kg_network_zeroed(const KgNetwork *net, uint64 n, Size size)
{
	void *array = kg_network_array(net, n, size);

	memset(array, 0, Max(n, 1) * size);
	return array;
}

uint32
kg_random_below(KgRandom *random, uint32 n)
{
	uint64 z = random->state += UINT64CONST(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64CONST(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64CONST(0x94D049BB133111EB);
	z ^= z >> 31;
	return (uint32) (((z >> 32) * n) >> 32);
}

/* ---- nodes ---- */

static bool
receive_node(TupleTableSlot *slot, void *arg)
{
	Reading *r = arg;
	MemoryContext context = r->net->graph->context;

	slot_getallattrs(slot);
	if (r->n == r->capacity)
	{
		r->capacity = Max(r->capacity * 2, 1024);
		r->nodes = r->nodes == NULL
					   ? MemoryContextAllocHuge(context,
												r->capacity * sizeof(int64))
					   : repalloc_huge(r->nodes, r->capacity * sizeof(int64));
		kg_graph_check_memory(r->net->graph);
	}
	r->nodes[r->n++] = DatumGetInt64(slot->tts_values[0]);
	kg_graph_check_visited(r->net->graph, r->n);
	return true;
}

/* Reads the nodes of those requested types that the caller knows. */
static void
read_nodes(Reading *r)
{
	static const Oid types[] = {TEXTOID, INT4ARRAYOID};
	KgNetwork *net = r->net;
	KgGraph *graph = net->graph;
	const bool *wanted = net->query->types;
	Datum *numbers = palloc((graph->nranks + 1) * sizeof(Datum));
	Datum values[2];
	int n = 0;

	for (int rank = 1; rank <= graph->nranks; rank++)
		if (wanted == NULL || wanted[rank])
			numbers[n++] = Int32GetDatum(
				kg_graph_type(graph, rank - 1)->type_no);
	values[1] = PointerGetDatum(construct_array(
		numbers, n, INT4OID, sizeof(int32), true, TYPALIGN_INT));
	kg_graph_run(
		graph, KG_SQL_NODES_OF_TYPES, 2, types, values, receive_node, r);
	if (r->n > 0)
		r->n = kg_graph_sort_nodes(r->nodes, r->n);
	for (uint32 i = 0; i < r->n; i++)
		(void) kg_nodeset_add(&net->set, r->nodes[i]);
	kg_nodeset_place(&net->set);
	kg_graph_check_memory(graph);
}

/* ---- edges ---- */

static void *
enlarged(const KgNetwork *net, void *array, Size size)
{
	size *= net->capacity;
	return array == NULL ? MemoryContextAllocHuge(net->graph->context, size)
						 : repalloc_huge(array, size);
}

static void
room_for_edges(KgNetwork *net, uint64 more)
{
	if (net->nedges + more <= net->capacity)
		return;
	net->capacity = (net->nedges + more) * 2 + 4096;
	net->from = enlarged(net, net->from, sizeof(uint32));
	net->to = enlarged(net, net->to, sizeof(uint32));
	net->ways = enlarged(net, net->ways, sizeof(uint8));
	if (net->query->weight != NULL)
		net->weights = enlarged(net, net->weights, sizeof(double));
	kg_graph_check_memory(net->graph);
}

/* Reads an edge's weight; returns false if it has no weight. */
static bool
read_weight(const KgNetwork *net, const Jsonb *properties, double *weight)
{
	JsonbValue value;

	if (properties == NULL ||
		kg_json_get(&properties->root, net->query->weight, &value) == NULL ||
		value.type != jbvNumeric)
		return false;
	*weight = DatumGetFloat8(DirectFunctionCall1(
		numeric_float8_no_overflow, NumericGetDatum(value.val.numeric)));
	return true;
}

/*
 * Notes an edge whose weight cannot be used. If there are several such edges,
 * the error names the first by its ends, whatever the order of reading.
 */
static void
note_bad(Reading *r, const KgNeighbors *found, double weight)
{
	int64 ends[] = {found->node, found->neighbors[0]};
	bool before = !r->bad || ends[0] < r->bad_ends[0];

	if (r->bad && ends[0] == r->bad_ends[0])
		before = ends[1] != r->bad_ends[1] ? ends[1] < r->bad_ends[1]
				 : found->relation_no != r->bad_relation
					 ? found->relation_no < r->bad_relation
					 : weight < r->bad_weight;
	if (!before)
		return;
	r->bad = true;
	memcpy(r->bad_ends, ends, sizeof(ends));
	r->bad_relation = found->relation_no;
	r->bad_weight = weight;
}

static void
found_edges(const KgNeighbors *found, void *arg)
{
	Reading *r = arg;
	KgNetwork *net = r->net;
	const KgFollow *follow = &net->query->follow;
	uint8 ways = 0;

	if (found->node != r->from)
	{
		r->from = found->node;
		r->at = kg_nodeset_find(&net->set, found->node);
	}
	if (kg_relation_set_has(&follow->forward, found->relation_no))
		ways |= KG_ALONG;
	if (kg_relation_set_has(&follow->backward, found->relation_no))
		ways |= KG_AGAINST;
	room_for_edges(net, found->n);
	for (int i = 0; i < found->n; i++)
	{
		uint32 to = kg_nodeset_find(&net->set, found->neighbors[i]);

		if (to == KG_NO_NODE)
			continue;
		if (net->weights != NULL)
		{
			double *weight = &net->weights[net->nedges];

			if (!read_weight(net, found->properties, weight))
				continue;
			if (!(*weight >= 0 && *weight <= MAX_WEIGHT))
				note_bad(r, found, *weight);
		}
		net->from[net->nedges] = r->at;
		net->to[net->nedges] = to;
		net->ways[net->nedges++] = ways;
	}
}

static void
take_handle(const KgRef *ref, void *arg)
{
	Reading *r = arg;
	const KgGraph *graph = r->net->graph;

	for (int i = 0; i < 2; i++)
		if (ref->node == r->bad_ends[i])
			r->bad_handles[i] = MemoryContextStrdup(
				graph->context,
				psprintf("%s:%.*s",
						 kg_row_handle(graph->ranked[ref->rank - 1]),
						 ref->idlen,
						 ref->id));
}

/* Raises KG_INVALID_INPUT for an edge whose weight cannot be used. */
static KG_NORETURN void
throw_weight(Reading *r)
{
	const KgRelation *relation = kg_catalog_relation_no(r->net->graph->catalog,
														r->bad_relation);
	int64 ends[] = {r->bad_ends[0], r->bad_ends[1]};
	KgError *err;

	kg_graph_resolve(r->net->graph, ends, 2, false, take_handle, r);
	err = kg_error_new(KG_INVALID_INPUT,
					   "the weight of the edge \"%s\" from \"%s\" to \"%s\" "
					   "is %s",
					   relation != NULL ? relation->name : "*",
					   r->bad_handles[0],
					   r->bad_handles[1],
					   r->bad_weight < 0 ? "negative" : "out of range");
	kg_error_path(err, "/weight");
	kg_error_throw_expected(err, "weights from 0 to 1e15");
}

/* Adds the relations of b to a. Both are ascending. */
static void
join_relations(KgRelationSet *a, const KgRelationSet *b)
{
	int32 *numbers = palloc((a->n + b->n + 1) * sizeof(int32));
	int n = 0;
	int i = 0;
	int j = 0;

	while (i < a->n || j < b->n)
	{
		bool first = j == b->n || (i < a->n && a->numbers[i] <= b->numbers[j]);
		int32 number = first ? a->numbers[i++] : b->numbers[j++];

		if (n == 0 || numbers[n - 1] != number)
			numbers[n++] = number;
	}
	a->numbers = numbers;
	a->n = n;
	a->all |= b->all;
}

static void
read_edges(Reading *r)
{
	KgNetwork *net = r->net;
	KgFollow walk;

	memset(&walk, 0, sizeof(walk));
	walk.forward = net->query->follow.forward;
	join_relations(&walk.forward, &net->query->follow.backward);
	walk.properties = net->query->weight != NULL;
	room_for_edges(net, 1);
	kg_graph_expand(net->graph, &walk, r->nodes, r->n, found_edges, r);
	pfree(r->nodes);
	if (r->bad)
		throw_weight(r);
}

/* ---- the order of edges and arcs ---- */

/*
 * Sets "by" to the positions of the items, sorted by their keys, which are
 * below n. Items with equal keys stay in their order. Returns the first
 * position of each key.
 */
static uint64 *
order_by_key(KgNetwork *net, const uint32 *keys, const uint64 *items,
			 uint64 nitems, uint64 *by)
{
	uint32 n = net->set.n;
	uint64 *start = kg_network_zeroed(net, (uint64) n + 1, sizeof(uint64));

	for (uint64 i = 0; i < nitems; i++)
		start[keys[i] + 1]++;
	for (uint32 i = 0; i < n; i++)
		start[i + 1] += start[i];
	for (uint64 i = 0; i < nitems; i++)
	{
		uint64 item = items != NULL ? items[i] : i;

		by[start[keys[item]]++] = item;
	}
	for (uint32 i = n; i > 0; i--)
		start[i] = start[i - 1];
	start[0] = 0;
	kg_plan_count(&net->done, nitems + n);
	return start;
}

/*
 * Orders parallel edges, which are at these positions, by weight and by
 * directions (ways).
 */
static void
order_parallel(KgNetwork *net, uint64 *edges, uint64 n)
{
	for (uint64 i = 1; i < n; i++)
	{
		uint64 edge = edges[i];
		uint64 j = i;

		for (; j > 0; j--)
		{
			uint64 other = edges[j - 1];

			if (net->weights[other] < net->weights[edge] ||
				(net->weights[other] == net->weights[edge] &&
				 net->ways[other] <= net->ways[edge]))
				break;
			edges[j] = other;
		}
		edges[j] = edge;
		kg_plan_count(&net->done, i - j);
	}
}

/*
 * Sorts the edges by their ends, so that sums do not depend on the order of
 * reading.
 */
static void
sort_edges(KgNetwork *net)
{
	uint64 n = net->nedges;
	uint64 *by_end = kg_network_array(net, n, sizeof(uint64));
	uint64 *order = kg_network_array(net, n, sizeof(uint64));
	uint64 *start = order_by_key(net, net->to, NULL, n, by_end);
	uint32 *ends = kg_network_array(net, n, sizeof(uint32));
	uint8 *ways = kg_network_array(net, n, sizeof(uint8));

	pfree(start);
	start = order_by_key(net, net->from, by_end, n, order);
	pfree(start);
	pfree(by_end);
	if (net->weights != NULL)
	{
		double *weights = kg_network_array(net, n, sizeof(double));
		uint64 last = 0;

		for (uint64 i = 1; i <= n; i++)
			if (i == n || net->from[order[i]] != net->from[order[last]] ||
				net->to[order[i]] != net->to[order[last]])
			{
				order_parallel(net, order + last, i - last);
				last = i;
			}
		for (uint64 i = 0; i < n; i++)
			weights[i] = net->weights[order[i]];
		pfree(net->weights);
		net->weights = weights;
	}
	for (uint64 i = 0; i < n; i++)
	{
		ends[i] = net->to[order[i]];
		ways[i] = net->ways[order[i]];
	}
	pfree(net->to);
	pfree(net->ways);
	net->to = ends;
	net->ways = ways;
	ends = kg_network_array(net, n, sizeof(uint32));
	for (uint64 i = 0; i < n; i++)
		ends[i] = net->from[order[i]];
	pfree(net->from);
	net->from = ends;
	pfree(order);
	net->capacity = n;
	kg_plan_count(&net->done, n);
}

void
kg_network_read(KgNetwork *net, KgGraph *graph, const KgNetworkQuery *query)
{
	Reading reading;

	memset(net, 0, sizeof(*net));
	memset(&reading, 0, sizeof(reading));
	reading.net = net;
	net->graph = graph;
	net->query = query;
	kg_nodeset_init(&net->set, graph->context);
	read_nodes(&reading);
	if (reading.n == 0)
		return;
	read_edges(&reading);
	sort_edges(net);
}

/* ---- arcs ---- */

/* Arcs in the order in which they are added, before they are sorted. */
typedef struct Unsorted
{
	uint32 *sources;
	uint32 *ends;
	double *weights;
	uint64 n;
} Unsorted;

static void
add_arc(Unsorted *arcs, uint32 source, uint32 end, double weight)
{
	arcs->sources[arcs->n] = source;
	arcs->ends[arcs->n] = end;
	if (arcs->weights != NULL)
		arcs->weights[arcs->n] = weight;
	arcs->n++;
}

static void
add_arcs(const KgNetwork *net, KgArcKind kind, bool simple, Unsorted *arcs)
{
	for (uint64 i = 0; i < net->nedges; i++)
	{
		uint32 from = net->from[i];
		uint32 to = net->to[i];
		double weight = net->weights != NULL ? net->weights[i] : 1;
		uint8 ways = kind == KG_ARCS_ALL ? KG_ALONG | KG_AGAINST : net->ways[i];

		if (from == to)
		{
			if (!simple)
				add_arc(arcs, from, to, weight);
			continue;
		}
		if (kind == KG_ARCS_IN && ways != (KG_ALONG | KG_AGAINST))
			ways = ways == KG_ALONG ? KG_AGAINST : KG_ALONG;
		if (ways & KG_ALONG)
			add_arc(arcs, from, to, weight);
		if (ways & KG_AGAINST)
			add_arc(arcs, to, from, weight);
	}
}

/* Replaces parallel arcs by a single arc. */
static void
merge_parallel(KgNetwork *net, KgArcs *arcs)
{
	uint64 n = 0;
	uint64 at = 0;

	for (uint32 node = 0; node < net->set.n; node++)
	{
		uint64 first = n;

		for (; at < arcs->start[node + 1]; at++)
			if (n > first && arcs->ends[n - 1] == arcs->ends[at])
				arcs->weights[n - 1] += arcs->weights[at];
			else
			{
				arcs->ends[n] = arcs->ends[at];
				arcs->weights[n++] = arcs->weights[at];
			}
		arcs->start[node + 1] = n;
	}
	kg_plan_count(&net->done, at);
}

void
kg_network_arcs(KgNetwork *net, KgArcKind kind, bool simple, KgArcs *arcs)
{
	uint64 most = net->nedges * 2;
	bool weighted = simple || net->weights != NULL;
	Unsorted all = {NULL, NULL, NULL, 0};
	uint64 *by_end;
	uint64 *order;

	all.sources = kg_network_array(net, most, sizeof(uint32));
	all.ends = kg_network_array(net, most, sizeof(uint32));
	if (weighted)
		all.weights = kg_network_array(net, most, sizeof(double));
	add_arcs(net, kind, simple, &all);
	by_end = kg_network_array(net, all.n, sizeof(uint64));
	order = kg_network_array(net, all.n, sizeof(uint64));
	pfree(order_by_key(net, all.ends, NULL, all.n, by_end));
	arcs->start = order_by_key(net, all.sources, by_end, all.n, order);
	pfree(by_end);
	pfree(all.sources);
	arcs->ends = kg_network_array(net, all.n, sizeof(uint32));
	arcs->weights = NULL;
	for (uint64 i = 0; i < all.n; i++)
		arcs->ends[i] = all.ends[order[i]];
	pfree(all.ends);
	if (weighted)
	{
		arcs->weights = kg_network_array(net, all.n, sizeof(double));
		for (uint64 i = 0; i < all.n; i++)
			arcs->weights[i] = all.weights[order[i]];
		pfree(all.weights);
	}
	pfree(order);
	kg_plan_count(&net->done, all.n);
	if (simple)
		merge_parallel(net, arcs);
}

void
kg_arcs_free(KgArcs *arcs)
{
	pfree(arcs->start);
	pfree(arcs->ends);
	if (arcs->weights != NULL)
		pfree(arcs->weights);
}
