/*
 * frontier.c
 *	  The expansion of frontiers.
 *
 * A frontier is expanded by one statement a direction, in pieces of
 * KG_PIECE nodes so that the arrays handed to the executor stay small and the
 * limits are looked at in between.  Where kg_adjacency has a row for a node,
 * that row stands for all its edges; for the other nodes the rows of kg_edge
 * are read.  What a piece finds is handed over while the executor runs, so the
 * receiving functions keep what they keep in the search's own context.
 */
#include "postgres.h"

#include "base/spi.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "query/adjacency.h"
#include "query/frontier.h"
#include "query/sort.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/memutils.h"

/*
 * A row that is passed over costs a fraction of a descent of the index, and a
 * range more than a descent: so many nodes or more, each so near to the next,
 * are read as a range, where ranges hold so many nodes of a piece.
 */
#define KG_NEAR 8
#define KG_CLUSTER 5
#define KG_CLUSTERED 32
/* Nodes are sorted by a bit each where that takes at most so many words. */
#define KG_SORT_WORDS 16384

typedef struct Expansion
{
	KgGraph *graph;
	const KgFollow *walk;
	KgNeighborFunction found;
	void *arg;
	bool backward;
	bool with_properties;
	/* the piece at hand, ascending; a bit each for those with a packed row */
	const int64 *piece;
	uint32 n;
	uint32 at; /* all before are less than the last row's node */
	uint64 *seen;
	uint32 nseen;
} Expansion;

static Datum
relation_array(const KgRelationSet *set)
{
	Datum *values = palloc(Max(set->n, 1) * sizeof(Datum));
	ArrayType *array;

	for (int i = 0; i < set->n; i++)
		values[i] = Int32GetDatum(set->numbers[i]);
	array = construct_array(
		values, set->n, INT4OID, sizeof(int32), true, TYPALIGN_INT);
	pfree(values);
	return PointerGetDatum(array);
}

static bool
receive_edge(TupleTableSlot *slot, void *arg)
{
	Expansion *e = arg;
	KgNeighbors found;
	int64 neighbor;
	Jsonb *properties = NULL;

	slot_getallattrs(slot);
	kg_graph_charge_edges(e->graph, 1);
	found.node = DatumGetInt64(slot->tts_values[0]);
	found.relation_no = DatumGetInt32(slot->tts_values[1]);
	neighbor = DatumGetInt64(slot->tts_values[2]);
	found.backward = e->backward;
	found.neighbors = &neighbor;
	found.n = 1;
	if (e->with_properties && !slot->tts_isnull[3])
		properties = DatumGetJsonbP(slot->tts_values[3]);
	found.properties = properties;
	if (e->walk->accept == NULL ||
		e->walk->accept(found.relation_no, properties, e->walk->accept_arg))
		e->found(&found, e->arg);
	if (properties != NULL &&
		(Pointer) properties != DatumGetPointer(slot->tts_values[3]))
		pfree(properties);
	return true;
}

/* Read the rows of kg_edge of these nodes in one direction. */
static void
expand_edges(Expansion *e, const KgRelationSet *relations, bool backward,
			 Datum nodes)
{
	static const Oid types[] = {TEXTOID, INT8ARRAYOID, INT4ARRAYOID};
	Datum values[3];
	KgGraphSql which;

	if (!relations->all && relations->n == 0)
		return;
	if (relations->all)
		which = backward ? KG_SQL_IN : KG_SQL_OUT;
	else
		which = backward ? KG_SQL_IN_OF : KG_SQL_OUT_OF;
	if (e->with_properties)
		which += KG_SQL_OUT_PROPERTIES - KG_SQL_OUT;
	values[1] = nodes;
	values[2] = relations->all ? (Datum) 0 : relation_array(relations);
	e->backward = backward;
	kg_graph_run(e->graph,
				 which,
				 relations->all ? 2 : 3,
				 types,
				 values,
				 receive_edge,
				 e);
	if (!relations->all)
		pfree(DatumGetPointer(values[2]));
}

/* Deliver a node's packed edges of one direction, as they are stored. */
static void
visit_packed(Expansion *e, int64 node, Datum stored, bool backward)
{
	const KgRelationSet *relations = backward ? &e->walk->backward
											  : &e->walk->forward;
	bytea *packed;

	if (!relations->all && relations->n == 0)
		return;
	packed = DatumGetByteaPP(stored);
	kg_graph_charge_edges(
		e->graph,
		kg_adjacency_visit(
			node, packed, backward, relations, e->found, e->arg));
	if ((Pointer) packed != DatumGetPointer(stored))
		pfree(packed);
}

static bool
receive_kept(TupleTableSlot *slot, void *arg)
{
	KgGraph *graph = arg;
	MemoryContext old = MemoryContextSwitchTo(graph->context);

	slot_getallattrs(slot);
	graph->kept.packed = true;
	for (int i = 0; i < 2; i++)
		if (!slot->tts_isnull[i])
			graph->kept.edges[i] = (struct varlena *) DatumGetPointer(
				datumCopy(slot->tts_values[i], false, -1));
	MemoryContextSwitchTo(old);
	return true;
}

static void
forget_kept(KgKept *kept)
{
	kept->node = 0;
	kept->packed = false;
	for (int i = 0; i < 2; i++)
	{
		if (kept->edges[i] != NULL)
			pfree(kept->edges[i]);
		kept->edges[i] = NULL;
	}
}

/* Expand one node; false where it has no packed row. */
static bool
expand_one(Expansion *e, int64 node)
{
	static const Oid types[] = {TEXTOID, INT8OID};
	KgKept *kept = &e->graph->kept;
	Datum values[2];

	if (kept->node != node)
	{
		forget_kept(kept);
		values[1] = Int64GetDatum(node);
		kg_graph_run(e->graph,
					 KG_SQL_PACKED_ONE,
					 2,
					 types,
					 values,
					 receive_kept,
					 e->graph);
		kept->node = node;
	}
	for (int i = 0; i < 2; i++)
		if (kept->edges[i] != NULL)
			visit_packed(e, node, PointerGetDatum(kept->edges[i]), i == 1);
	return kept->packed;
}

static uint32
lower_bound(const int64 *nodes, uint32 n, int64 node)
{
	uint32 low = 0;

	while (n > 0)
	{
		uint32 half = n / 2;

		if (nodes[low + half] < node)
		{
			low += half + 1;
			n -= half + 1;
		}
		else
			n = half;
	}
	return low;
}

/* Is the node of the piece?  Then it has been seen.  Rows mostly ascend. */
static bool
note_seen(Expansion *e, int64 node)
{
	if (e->at > 0 && e->piece[e->at - 1] >= node)
		e->at = lower_bound(e->piece, e->n, node);
	while (e->at < e->n && e->piece[e->at] < node)
		e->at++;
	if (e->at == e->n || e->piece[e->at] != node)
		return false;
	e->seen[e->at >> 6] |= UINT64CONST(1) << (e->at & 63);
	e->nseen++;
	return true;
}

static bool
receive_packed(TupleTableSlot *slot, void *arg)
{
	Expansion *e = arg;
	int natts = slot->tts_tupleDescriptor->natts;
	int64 node;

	slot_getallattrs(slot);
	node = DatumGetInt64(slot->tts_values[0]);
	if (!note_seen(e, node))
		return true;
	for (int i = 1; i < natts; i++)
		if (!slot->tts_isnull[i])
			visit_packed(e,
						 node,
						 slot->tts_values[i],
						 natts == 3 ? i == 2 : e->backward);
	return true;
}

/* Which of kg_adjacency's values the walk needs. */
static int
packed_values(const KgFollow *walk)
{
	bool forward = walk->forward.all || walk->forward.n > 0;
	bool backward = walk->backward.all || walk->backward.n > 0;

	if (forward && backward)
		return KG_SQL_PACKED_BOTH - KG_SQL_PACKED_OUT;
	return backward ? KG_SQL_PACKED_IN - KG_SQL_PACKED_OUT : 0;
}

static void
run_packed(Expansion *e, KgGraphSql first, int nargs, const Oid *types,
		   Datum *values)
{
	kg_graph_run(e->graph,
				 first + packed_values(e->walk),
				 nargs,
				 types,
				 values,
				 receive_packed,
				 e);
}

static void
read_ranges(Expansion *e, const int64 *first, const int64 *last, uint32 n)
{
	static const Oid types[] = {TEXTOID, INT8ARRAYOID, INT8ARRAYOID};
	Datum values[3];

	values[1] = kg_int64_array(first, n);
	values[2] = kg_int64_array(last, n);
	run_packed(e, KG_SQL_RANGES_OUT, 3, types, values);
	pfree(DatumGetPointer(values[1]));
	pfree(DatumGetPointer(values[2]));
}

static void
read_nodes(Expansion *e, const int64 *nodes, uint32 n)
{
	static const Oid types[] = {TEXTOID, INT8ARRAYOID};
	Datum values[2];

	values[1] = kg_int64_array(nodes, n);
	run_packed(e, KG_SQL_PACKED_OUT, 2, types, values);
	pfree(DatumGetPointer(values[1]));
}

/* Where the cluster ends that begins with this node of the piece. */
static uint32
cluster_end(const Expansion *e, uint32 start)
{
	uint32 end = start + 1;

	while (end < e->n && e->piece[end] - e->piece[end - 1] <= KG_NEAR)
		end++;
	return end;
}

/* Read the clusters of the piece as ranges, and the other nodes one by one. */
static void
read_piece(Expansion *e)
{
	int64 *first;
	int64 *last;
	int64 *others;
	uint32 nranges = 0;
	uint32 nothers = 0;
	uint32 end;

	if (e->n < KG_CLUSTERED)
	{
		read_nodes(e, e->piece, e->n);
		return;
	}
	first = palloc(e->n * sizeof(int64));
	last = palloc(e->n * sizeof(int64));
	others = palloc(e->n * sizeof(int64));
	for (uint32 i = 0; i < e->n; i = end)
	{
		end = cluster_end(e, i);
		if (end - i >= KG_CLUSTER)
		{
			first[nranges] = e->piece[i];
			last[nranges++] = e->piece[end - 1];
		}
		else
			for (; i < end; i++)
				others[nothers++] = e->piece[i];
	}
	if (e->n - nothers < KG_CLUSTERED)
		read_nodes(e, e->piece, e->n);
	else
	{
		read_ranges(e, first, last, nranges);
		if (nothers > 0)
			read_nodes(e, others, nothers);
	}
	pfree(first);
	pfree(last);
	pfree(others);
}

/*
 * Read what kg_adjacency has of these ascending nodes; put those that it has
 * no row for into rest and return their number.
 */
static uint32
expand_packed(Expansion *e, const int64 *nodes, uint32 n, int64 *rest)
{
	uint32 nrest = 0;

	if (n == 1)
	{
		rest[0] = nodes[0];
		return expand_one(e, nodes[0]) ? 0 : 1;
	}
	e->piece = nodes;
	e->n = n;
	e->at = 0;
	e->nseen = 0;
	memset(e->seen, 0, KG_PIECE / 8);
	e->backward = !(e->walk->forward.all || e->walk->forward.n > 0);
	read_piece(e);
	for (uint32 i = 0; i < n && e->nseen < n; i++)
		if ((e->seen[i >> 6] >> (i & 63) & 1) == 0)
			rest[nrest++] = nodes[i];
	return nrest;
}

static int
compare_nodes(const void *a, const void *b, void *arg)
{
	int64 x = *(const int64 *) a;
	int64 y = *(const int64 *) b;

	return x < y ? -1 : x > y;
}

/* By a bit for each number from the lowest to the highest. */
static uint32
sort_by_bits(int64 *nodes, uint32 n, int64 low, uint64 words)
{
	uint64 *bits = palloc0(words * sizeof(uint64));
	uint32 count = 0;

	for (uint32 i = 0; i < n; i++)
		bits[(uint64) (nodes[i] - low) >> 6] |= UINT64CONST(1)
												<< ((nodes[i] - low) & 63);
	for (uint64 w = 0; w < words; w++)
		for (; bits[w] != 0; bits[w] &= bits[w] - 1)
			nodes[count++] = low + (int64) (w * 64) +
							 pg_rightmost_one_pos64(bits[w]);
	pfree(bits);
	return count;
}

static uint32
sort_by_comparing(int64 *nodes, uint32 n)
{
	uint32 count = 1;

	kg_sort(nodes, n, sizeof(int64), compare_nodes, NULL);
	for (uint32 i = 1; i < n; i++)
		if (nodes[i] != nodes[count - 1])
			nodes[count++] = nodes[i];
	return count;
}

/* Ascending, each once; their number. */
static uint32
sort_nodes(int64 *nodes, uint32 n)
{
	int64 low = nodes[0];
	int64 high = nodes[0];
	uint64 words;

	for (uint32 i = 1; i < n; i++)
	{
		low = Min(low, nodes[i]);
		high = Max(high, nodes[i]);
	}
	words = ((uint64) (high - low) >> 6) + 1;
	if (words <= Max(n, KG_SORT_WORDS))
		return sort_by_bits(nodes, n, low, words);
	return sort_by_comparing(nodes, n);
}

void
kg_graph_expand(KgGraph *graph, const KgFollow *walk, int64 *nodes, uint32 n,
				KgNeighborFunction found, void *arg)
{
	Expansion e;
	int64 *rest = NULL;

	memset(&e, 0, sizeof(e));
	e.graph = graph;
	e.walk = walk;
	e.found = found;
	e.arg = arg;
	e.with_properties = walk->properties || walk->accept != NULL;
	if (graph->packed && !e.with_properties && n > 0)
	{
		n = sort_nodes(nodes, n);
		e.seen = palloc(KG_PIECE / 8);
		rest = palloc(Min(n, KG_PIECE) * sizeof(int64));
	}
	for (uint32 start = 0; start < n; start += KG_PIECE)
	{
		const int64 *piece = nodes + start;
		uint32 count = Min(n - start, KG_PIECE);
		Datum array;

		CHECK_FOR_INTERRUPTS();
		kg_graph_check_memory(graph);
		if (rest != NULL)
		{
			count = expand_packed(&e, piece, count, rest);
			piece = rest;
			if (count == 0)
				continue;
		}
		array = kg_int64_array(piece, count);
		expand_edges(&e, &walk->forward, false, array);
		expand_edges(&e, &walk->backward, true, array);
		pfree(DatumGetPointer(array));
	}
	if (rest != NULL)
	{
		pfree(e.seen);
		pfree(rest);
	}
}
