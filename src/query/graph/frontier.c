/*
 * frontier.c
 *	  Expansion of frontiers.
 *
 * A frontier is expanded by one statement for each direction, in pieces of
 * KG_PIECE nodes. So the arrays passed to the executor stay small, and limits
 * are checked between pieces. If a row of kg_adjacency has the bit of a node,
 * the packed edges in this table are all edges of the node. For other nodes the
 * rows of kg_edge are read. The results of a piece are passed to found() while
 * the executor runs. So found() must store data in the memory context of the
 * search.
 */
#include "postgres.h"

#include "base/spi.h"
#include "model/adjacency.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "query/graph/foreign.h"
#include "query/graph/frontier.h"
#include "query/time/validity.h"
#include "utils/array.h"
#include "utils/memutils.h"

/*
 * Maximum number of words of a bitmap that sorts nodes. A bitmap may have more
 * words if they are at most one for each node.
 */
#define KG_SORT_WORDS 16384
/*
 * A range of rows is read by one scan if it has at most this many rows for
 * each wanted row. The next row of an index scan takes a tenth of the time of
 * a lookup.
 */
#define KG_ROWS_BETWEEN 4
/* If fewer rows than this are wanted, they are looked up one by one. */
#define KG_FEWEST_IN_RANGE 8
/* Number of blocks stored between two checks of the memory limit. */
#define KG_BLOCKS_UNCHECKED 1024

typedef struct Expansion
{
	KgGraph *graph;
	const KgFollow *walk;
	/* receives packed edges; NULL: they are passed to found(), too */
	KgPackedFunction packed;
	KgNeighborFunction found;
	void *arg;
	bool backward;
	bool with_properties;
	/* The current piece of the frontier: nodes in ascending order. */
	const int64 *piece;
	uint32 n;
	/*
	 * index in piece; the nodes before this index belong to blocks before the
	 * block of the last row
	 */
	uint32 at;
	uint64 *seen;
	uint64 *own;
	uint32 nseen;
	/*
	 * Nodes of the piece that have a row of their own in kg_adjacency: the keys
	 * of these rows, and the number of such rows in all blocks that were read.
	 */
	int64 *alone;
	uint32 nalone;
	uint32 alone_there;
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
follows(const KgRelationSet *relations)
{
	return relations->all || relations->n > 0;
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

/* Reads the rows of kg_edge of the nodes in one direction. */
static void
expand_edges(Expansion *e, const KgRelationSet *relations, bool backward,
			 Datum nodes)
{
	static const Oid types[] = {TEXTOID, INT8ARRAYOID, INT4ARRAYOID};
	Datum values[3];
	KgGraphSql which;

	if (!follows(relations))
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

/* Passes a node's packed edges in one direction to found() or packed(). */
static void
visit_packed(Expansion *e, int64 node, const uint8 *edges, Size len,
			 bool backward)
{
	KgPacked packed = {node, backward, edges, len};
	const KgRelationSet *relations = backward ? &e->walk->backward
											  : &e->walk->forward;

	kg_graph_charge_edges(
		e->graph,
		e->packed != NULL
			? e->packed(&packed, relations, e->arg)
			: kg_adjacency_visit(&packed, relations, e->found, e->arg));
}

/* ---- rows of kg_adjacency ---- */

typedef struct PackedRow
{
	int64 key;
	uint32 nodes;
	uint32 alone;
	Datum stored[2]; /* outgoing, incoming */
	bool none[2];
} PackedRow;

static void
read_row(TupleTableSlot *slot, PackedRow *row)
{
	slot_getallattrs(slot);
	row->key = DatumGetInt64(slot->tts_values[1]);
	row->nodes = (uint32) DatumGetInt32(slot->tts_values[2]);
	row->alone = (uint32) DatumGetInt32(slot->tts_values[3]);
	for (int i = 0; i < 2; i++)
	{
		row->stored[i] = slot->tts_values[4 + i];
		row->none[i] = slot->tts_isnull[4 + i];
	}
}

static void
run_packed(Expansion *e, const int64 *keys, uint32 n, KgRowFunction receive)
{
	static const Oid types[] = {TEXTOID, INT8ARRAYOID};
	Datum values[2];

	values[1] = kg_int64_array(keys, n);
	kg_graph_run(e->graph, KG_SQL_PACKED, 2, types, values, receive, e);
	pfree(DatumGetPointer(values[1]));
}

/* Reads all rows from the first key to the last. */
static void
run_range(Expansion *e, int64 first, int64 last, KgRowFunction receive)
{
	static const Oid types[] = {TEXTOID, INT8OID, INT8OID};
	Datum values[3];

	values[1] = Int64GetDatum(first);
	values[2] = Int64GetDatum(last);
	kg_graph_run(e->graph, KG_SQL_PACKED_RANGE, 3, types, values, receive, e);
}

/* ---- cached blocks ---- */

typedef struct KgBlocks
{
	KgNodeSet numbers;
	/* cached blocks, by the index of the block's number in numbers */
	PackedRow *rows;
	uint32 room;
} KgBlocks;

void
kg_graph_keep_blocks(KgGraph *graph)
{
	if (graph->blocks != NULL)
		return;
	graph->blocks = MemoryContextAllocZero(graph->context, sizeof(KgBlocks));
	kg_nodeset_init(&graph->blocks->numbers, graph->context);
}

static bool
is_kept(const KgGraph *graph, int64 block)
{
	return graph->blocks != NULL &&
		   kg_nodeset_has(&graph->blocks->numbers, block);
}

static void
keep_block(KgGraph *graph, const PackedRow *row)
{
	KgBlocks *blocks = graph->blocks;
	MemoryContext old = MemoryContextSwitchTo(graph->context);
	PackedRow *kept;

	if (blocks->numbers.n == blocks->room)
	{
		blocks->room = Max(64, blocks->room * 2);
		blocks->rows = blocks->rows == NULL
						   ? palloc(blocks->room * sizeof(PackedRow))
						   : repalloc_huge(blocks->rows,
										   blocks->room * sizeof(PackedRow));
	}
	kept = &blocks->rows[kg_nodeset_add(&blocks->numbers, row->key)];
	*kept = *row;
	for (int i = 0; i < 2; i++)
		if (!row->none[i])
			kept->stored[i] = PointerGetDatum(
				DatumGetByteaPCopy(row->stored[i]));
	MemoryContextSwitchTo(old);
	if (blocks->numbers.n % KG_BLOCKS_UNCHECKED == 0)
		kg_graph_check_memory(graph);
}

/* ---- one node, whose edges are cached ---- */

static void
keep_edges(KgGraph *graph, int i, const uint8 *edges, Size len)
{
	graph->kept.edges[i] = MemoryContextAllocHuge(graph->context, len);
	graph->kept.lengths[i] = len;
	memcpy(graph->kept.edges[i], edges, len);
}

/*
 * Caches the edges of one node from a row of kg_adjacency: the row of the
 * node's block, or the row of the node alone. If the block's row says that the
 * node has a row of its own, sets e->nalone to 1.
 */
static bool
receive_kept(TupleTableSlot *slot, void *arg)
{
	Expansion *e = arg;
	KgGraph *graph = e->graph;
	KgKept *kept = &graph->kept;
	uint32 bit = kg_block_bit(kept->node);
	PackedRow row;

	read_row(slot, &row);
	if (row.key > 0 && (row.nodes & row.alone & bit) != 0)
		e->nalone = 1;
	if (row.key > 0 && (row.nodes & ~row.alone & bit) == 0)
		return true;
	kept->packed = true;
	for (int i = 0; i < 2; i++)
	{
		bytea *stored;
		KgBlockReader block;
		const uint8 *edges;
		Size len;

		if (row.none[i])
			continue;
		stored = DatumGetByteaPP(row.stored[i]);
		if (row.key < 0)
			keep_edges(graph,
					   i,
					   (const uint8 *) VARDATA_ANY(stored),
					   VARSIZE_ANY_EXHDR(stored));
		else
		{
			kg_block_open(&block, stored);
			edges = kg_block_edges(&block, kept->node, &len);
			if (edges != NULL)
				keep_edges(graph, i, edges, len);
		}
		if ((Pointer) stored != DatumGetPointer(row.stored[i]))
			pfree(stored);
	}
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

/* Expands one node. Returns false if its edges are not packed. */
static bool
expand_one(Expansion *e, int64 node)
{
	KgKept *kept = &e->graph->kept;

	if (kept->node != node)
	{
		int64 block = kg_block_of(node);
		int64 own = -node;

		forget_kept(kept);
		kept->node = node;
		e->nalone = 0;
		run_packed(e, &block, 1, receive_kept);
		if (e->nalone > 0)
			run_packed(e, &own, 1, receive_kept);
	}
	if (kept->edges[0] != NULL && follows(&e->walk->forward))
		visit_packed(e, node, kept->edges[0], kept->lengths[0], false);
	if (kept->edges[1] != NULL && follows(&e->walk->backward))
		visit_packed(e, node, kept->edges[1], kept->lengths[1], true);
	return kept->packed;
}

/* ---- several nodes ---- */

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

/*
 * Returns the index of the first node of the piece that is not less than the
 * node. The nodes of rows mostly ascend, so the search starts at the index that
 * was found last.
 */
static uint32
find_in_piece(Expansion *e, int64 node)
{
	if (e->at > 0 && e->piece[e->at - 1] >= node)
		e->at = lower_bound(e->piece, e->n, node);
	while (e->at < e->n && e->piece[e->at] < node)
		e->at++;
	return e->at;
}

static void
set_bit(uint64 *bits, uint32 i)
{
	bits[i >> 6] |= UINT64CONST(1) << (i & 63);
}

static bool
has_bit(const uint64 *bits, uint32 i)
{
	return (bits[i >> 6] >> (i & 63) & 1) != 0;
}

static void
note_seen(Expansion *e, uint32 i)
{
	set_bit(e->seen, i);
	e->nseen++;
}

static void
note_alone(Expansion *e, uint32 i)
{
	set_bit(e->own, i);
	e->alone[e->nalone++] = -e->piece[i];
}

static void
receive_alone(Expansion *e, const PackedRow *row)
{
	int64 node = -row->key;
	uint32 i = find_in_piece(e, node);

	if (i == e->n || e->piece[i] != node || !has_bit(e->own, i))
		return;
	note_seen(e, i);
	for (int d = 0; d < 2; d++)
	{
		bytea *edges;

		if (row->none[d] ||
			!follows(d == 1 ? &e->walk->backward : &e->walk->forward))
			continue;
		edges = DatumGetByteaPP(row->stored[d]);
		visit_packed(e,
					 node,
					 (const uint8 *) VARDATA_ANY(edges),
					 VARSIZE_ANY_EXHDR(edges),
					 d == 1);
		if ((Pointer) edges != DatumGetPointer(row->stored[d]))
			pfree(edges);
	}
}

/*
 * Passes edges in one direction: the edges of the nodes of the block that are
 * in the piece, from index i on.
 */
static void
visit_block(Expansion *e, const PackedRow *row, uint32 i, bool backward)
{
	Datum stored = row->stored[backward ? 1 : 0];
	bytea *packed = DatumGetByteaPP(stored);
	uint32 nodes = row->nodes & ~row->alone;
	int64 first = kg_block_first(row->key);
	KgBlockReader block;

	kg_block_open(&block, packed);
	for (; i < e->n && e->piece[i] - first < KG_BLOCK; i++)
	{
		int64 node = e->piece[i];
		const uint8 *edges;
		Size len;

		if ((nodes & kg_block_bit(node)) == 0)
			continue;
		edges = kg_block_edges(&block, node, &len);
		if (edges != NULL)
			visit_packed(e, node, edges, len, backward);
	}
	if ((Pointer) packed != DatumGetPointer(stored))
		pfree(packed);
}

static void
receive_block(Expansion *e, const PackedRow *row)
{
	int64 first = kg_block_first(row->key);
	uint32 start = find_in_piece(e, first);

	e->alone_there += pg_popcount32(row->nodes & row->alone);
	if (start == e->n || e->piece[start] - first >= KG_BLOCK)
		return;
	for (uint32 i = start; i < e->n && e->piece[i] - first < KG_BLOCK; i++)
	{
		uint32 bit = kg_block_bit(e->piece[i]);

		if ((row->nodes & bit) == 0)
			continue;
		if (row->alone & bit)
			note_alone(e, i);
		else
			note_seen(e, i);
	}
	if (!row->none[0] && follows(&e->walk->forward))
		visit_block(e, row, start, false);
	if (!row->none[1] && follows(&e->walk->backward))
		visit_block(e, row, start, true);
}

static bool
receive_packed(TupleTableSlot *slot, void *arg)
{
	Expansion *e = arg;
	PackedRow row;

	read_row(slot, &row);
	if (row.key < 0)
		receive_alone(e, &row);
	else if (!is_kept(e->graph, row.key))
	{
		receive_block(e, &row);
		if (e->graph->blocks != NULL)
			keep_block(e->graph, &row);
	}
	return true;
}

/*
 * Passes to found() or packed() the edges of the nodes whose blocks are cached.
 * Moves the blocks that are not cached to the front and returns their number.
 */
static uint32
visit_kept(Expansion *e, int64 *blocks, uint32 n)
{
	const KgBlocks *kept = e->graph->blocks;
	uint32 left = 0;

	for (uint32 i = 0; i < n; i++)
	{
		uint32 place = kg_nodeset_find(&kept->numbers, blocks[i]);

		CHECK_FOR_INTERRUPTS();
		if (place == KG_NO_NODE)
			blocks[left++] = blocks[i];
		else
			receive_block(e, &kept->rows[place]);
	}
	return left;
}

/*
 * Returns whether reading a range that has "there" rows costs less than looking
 * up the n wanted rows.
 */
static bool
pays_in_range(const KgGraph *graph, uint32 n, int64 there)
{
	return n >= (graph->blocks != NULL ? 2 : KG_FEWEST_IN_RANGE) &&
		   there <= (int64) n * KG_ROWS_BETWEEN;
}

/*
 * Reads the blocks of the piece. Returns whether one range scan read all
 * blocks, so that alone_there counts all rows of single nodes.
 */
static bool
read_blocks(Expansion *e)
{
	int64 *blocks = palloc(e->n * sizeof(int64));
	uint32 n = 0;
	bool in_range;

	for (uint32 i = 0; i < e->n; i++)
	{
		int64 block = kg_block_of(e->piece[i]);

		if (n == 0 || blocks[n - 1] != block)
			blocks[n++] = block;
	}
	if (e->graph->blocks != NULL)
		n = visit_kept(e, blocks, n);
	in_range = n > 0 &&
			   pays_in_range(e->graph, n, blocks[n - 1] - blocks[0] + 1);
	if (in_range)
		run_range(e, blocks[0], blocks[n - 1], receive_packed);
	else if (n > 0)
		run_packed(e, blocks, n, receive_packed);
	pfree(blocks);
	return in_range && e->graph->blocks == NULL;
}

/*
 * Reads the rows that belong to a single node each. in_range is the result of
 * read_blocks(). The keys of these rows descend if the blocks ascend.
 */
static void
read_alone(Expansion *e, bool in_range)
{
	if (in_range && pays_in_range(e->graph, e->nalone, e->alone_there))
		run_range(e, e->alone[e->nalone - 1], e->alone[0], receive_packed);
	else if (e->nalone > 0)
		run_packed(e, e->alone, e->nalone, receive_packed);
}

/*
 * Reads the edges of ascending nodes from kg_adjacency. Stores in rest the
 * nodes whose edges are not packed, and returns their number.
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
	e->nalone = 0;
	e->alone_there = 0;
	memset(e->seen, 0, KG_PIECE / 8);
	memset(e->own, 0, KG_PIECE / 8);
	e->alone = palloc(n * sizeof(int64));
	read_alone(e, read_blocks(e));
	pfree(e->alone);
	for (uint32 i = 0; i < n && e->nseen < n; i++)
		if (!has_bit(e->seen, i))
			rest[nrest++] = nodes[i];
	return nrest;
}

/*
 * Sorts nodes by a bitmap with a bit for each number from the lowest to the
 * highest. Returns the number of distinct nodes.
 */
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

	qsort_interruptible(nodes, n, sizeof(int64), kg_compare_nodes, NULL);
	for (uint32 i = 1; i < n; i++)
		if (nodes[i] != nodes[count - 1])
			nodes[count++] = nodes[i];
	return count;
}

uint32
kg_graph_sort_nodes(int64 *nodes, uint32 n)
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

/*
 * Expands the foreign nodes, and the edges from other nodes to foreign nodes.
 * Returns the nodes that are not foreign, and sets *n to their number.
 */
static int64 *
expand_foreign(KgGraph *graph, const KgFollow *walk, int64 *nodes, uint32 *n,
			   KgNeighborFunction found, void *arg)
{
	uint32 nforeign;

	graph->foreign->expand(graph, walk, nodes, *n, found, arg);
	nodes = kg_foreign_apart(graph, nodes, *n, &nforeign);
	*n -= nforeign;
	return nodes + nforeign;
}

void
kg_graph_expand(KgGraph *graph, const KgFollow *walk, int64 *nodes, uint32 n,
				KgNeighborFunction found, void *arg)
{
	kg_graph_expand_packed(graph, walk, nodes, n, NULL, found, arg);
}

void
kg_graph_expand_packed(KgGraph *graph, const KgFollow *walk, int64 *nodes,
					   uint32 n, KgPackedFunction packed,
					   KgNeighborFunction found, void *arg)
{
	Expansion e;
	int64 *rest = NULL;

	if (graph->foreign != NULL)
		nodes = expand_foreign(graph, walk, nodes, &n, found, arg);
	memset(&e, 0, sizeof(e));
	e.graph = graph;
	e.walk = walk;
	e.packed = packed;
	e.found = found;
	e.arg = arg;
	e.with_properties = walk->properties || walk->accept != NULL;
	if (graph->packed && !e.with_properties && n > 0 &&
		!kg_validity_hides_edges(&walk->forward) &&
		!kg_validity_hides_edges(&walk->backward))
	{
		n = kg_graph_sort_nodes(nodes, n);
		e.seen = palloc(KG_PIECE / 8);
		e.own = palloc(KG_PIECE / 8);
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
		pfree(e.own);
		pfree(rest);
	}
}
