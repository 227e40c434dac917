/*
 * packing.c
 *	  Packs edges.
 *
 * The packed edges of a node represent all its edges. A bit in the packed row
 * marks a node whose packed edges are valid. If a snapshot shows edges that
 * differ from the packed edges, it must show the bit as cleared:
 *
 * - A writer of edges clears the bits of the ends in the same transaction. So
 *   a snapshot shows both changes or neither.
 *
 * - A packer must see all changes for which bits are already cleared. Writers
 *   hold a share lock on the tenant until their transactions end. The packer
 *   takes a lock that excludes writers, and reads with a snapshot taken after
 *   that.
 *
 * - A writer in REPEATABLE READ or SERIALIZABLE may have a snapshot older than
 *   a packing. It would not see the bits that it must clear. Therefore each
 *   packing updates the tenant's row with key 0. Such a writer inserts that
 *   row ON CONFLICT DO NOTHING; PostgreSQL raises SQLSTATE 40001 if the row is
 *   newer than the snapshot.
 *
 * A stored row has a set bit, or belongs to a single node whose bit is set;
 * other rows are deleted. So all rows are within the range of the tenant's
 * nodes.
 *
 * Packing merges four streams in the order of nodes: outgoing edges, incoming
 * edges, the stored rows of blocks, and the stored rows of single nodes.
 * Stored rows are compared with the edges, so kg_pack() also repairs them.
 * Rows outside the range of the tenant's nodes with edges are left to
 * kg_rebuild().
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/extension.h"
#include "base/progress.h"
#include "base/spi.h"
#include "model/adjacency.h"
#include "model/lock.h"
#include "catalog/pg_type.h"
#include "model/tenant_state.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/lmgr.h"
#include "store/derived/packing.h"
#include "store/reference/references.h"
#include "store/tenant/rows.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#define KG_FETCH 5000
/*
 * When the collected rows reach this number, or this number of packed bytes,
 * they are inserted.
 */
#define KG_INSERT 500
#define KG_INSERT_BYTES (1024 * 1024)
/*
 * Maximum number of collected rows. A block adds one row, and at most one row
 * for each of its nodes.
 */
#define KG_ROWS (KG_INSERT + KG_BLOCK)

bool
kg_adjacency_lock(const char *tenant, LOCKMODE mode, bool wait)
{
	LOCKTAG tag;

	kg_check_lock_mode(mode);
	SET_LOCKTAG_OBJECT(tag,
					   MyDatabaseId,
					   kg_relation_oid("kg_adjacency"),
					   string_hash(tenant, NAMEDATALEN),
					   0);
	return LockAcquire(&tag, mode, false, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

/* ---- streams of rows in the order of a node ---- */

typedef struct Stream
{
	Portal portal;
	SPITupleTable *table;
	uint64 n;
	uint64 next;
	/* The current row: an edge, or a packed row and its nodes. */
	bool done;
	int64 key;
	int32 number;
	int64 neighbor;
	HeapTuple tuple;
	TupleDesc desc;
} Stream;

static void
advance(Stream *stream)
{
	HeapTuple tuple;
	TupleDesc desc;
	bool isnull;

	if (stream->next == stream->n)
	{
		CHECK_FOR_INTERRUPTS();
		if (stream->table != NULL)
			SPI_freetuptable(stream->table);
		SPI_cursor_fetch(stream->portal, true, KG_FETCH);
		stream->table = SPI_tuptable;
		stream->n = SPI_processed;
		stream->next = 0;
		if (stream->n == 0)
		{
			stream->done = true;
			return;
		}
	}
	stream->tuple = tuple = stream->table->vals[stream->next++];
	stream->desc = desc = stream->table->tupdesc;
	stream->key = DatumGetInt64(SPI_getbinval(tuple, desc, 1, &isnull));
	stream->number = DatumGetInt32(SPI_getbinval(tuple, desc, 2, &isnull));
	if (desc->natts == 3)
		stream->neighbor = DatumGetInt64(
			SPI_getbinval(tuple, desc, 3, &isnull));
}

static void
open_stream(Stream *stream, const char *sql, Datum tenant)
{
	memset(stream, 0, sizeof(*stream));
	stream->portal = kg_spi_cursor(sql, false, kg_arg(TEXTOID, tenant));
	advance(stream);
}

static void
close_stream(Stream *stream)
{
	if (stream->table != NULL)
		SPI_freetuptable(stream->table);
	SPI_cursor_close(stream->portal);
}

typedef struct Packer
{
	Datum tenant;
	Stream out;
	Stream in;
	Stream packed;
	Stream alone_packed;
	KgNodeList gone;	 /* keys of packed rows whose nodes have no edges */
	MemoryContext batch; /* memory for the rows since the last insertion */
	Size nbytes;
	int n; /* number of rows to insert */
	Datum keys[KG_ROWS];
	Datum nodes[KG_ROWS];
	Datum alone[KG_ROWS];
	Datum outgoing[KG_ROWS];
	Datum incoming[KG_ROWS];
	bool no_outgoing[KG_ROWS];
	bool no_incoming[KG_ROWS];
	int64 total;
	KgWork work;
	int seen; /* number of nodes processed since the last insertion */
} Packer;

static Datum
make_array(Packer *p, Datum *values, bool *nulls, Oid type)
{
	int dims[1] = {p->n};
	int lbs[1] = {1};
	int16 len;
	bool byval;
	char align;

	get_typlenbyvalalign(type, &len, &byval, &align);
	return PointerGetDatum(construct_md_array(
		values, nulls, 1, dims, lbs, type, len, byval, align));
}

static void
insert_rows(Packer *p)
{
	KG_SPI_EXEC("INSERT INTO @kg_adjacency "
				"(tenant, block, nodes, alone, outgoing, incoming) "
				"SELECT $1, k.* FROM ROWS FROM (pg_catalog.unnest($2), "
				"pg_catalog.unnest($3), pg_catalog.unnest($4), "
				"pg_catalog.unnest($5), pg_catalog.unnest($6)) AS k "
				"ON CONFLICT (block, tenant) DO UPDATE SET "
				"nodes = EXCLUDED.nodes, alone = EXCLUDED.alone, "
				"outgoing = EXCLUDED.outgoing, incoming = EXCLUDED.incoming",
				kg_arg(TEXTOID, p->tenant),
				kg_arg(INT8ARRAYOID, make_array(p, p->keys, NULL, INT8OID)),
				kg_arg(INT4ARRAYOID, make_array(p, p->nodes, NULL, INT4OID)),
				kg_arg(INT4ARRAYOID, make_array(p, p->alone, NULL, INT4OID)),
				kg_arg(BYTEAARRAYOID,
					   make_array(p, p->outgoing, p->no_outgoing, BYTEAOID)),
				kg_arg(BYTEAARRAYOID,
					   make_array(p, p->incoming, p->no_incoming, BYTEAOID)));
}

static void
end_batch(Packer *p)
{
	if (p->n > 0)
		insert_rows(p);
	kg_work_done(&p->work, p->seen);
	p->seen = 0;
	p->n = 0;
	p->nbytes = 0;
	MemoryContextReset(p->batch);
}

/* Adds a row to insert. Its values are in the memory context p->batch. */
static void
add_row(Packer *p, int64 key, uint32 nodes, uint32 alone, bytea *outgoing,
		bytea *incoming)
{
	p->keys[p->n] = Int64GetDatum(key);
	p->nodes[p->n] = Int32GetDatum((int32) nodes);
	p->alone[p->n] = Int32GetDatum((int32) alone);
	p->outgoing[p->n] = PointerGetDatum(outgoing);
	p->no_outgoing[p->n] = outgoing == NULL;
	p->incoming[p->n] = PointerGetDatum(incoming);
	p->no_incoming[p->n] = incoming == NULL;
	p->n++;
}

/*
 * Appends the targets of a relation to "packed". Targets are in ascending
 * order, unless the relation has a key, because the key precedes the target in
 * the order of edges.
 */
static void
append_group(StringInfo packed, int32 relation_no, int64 *targets, int n)
{
	bool ascending = true;

	for (int i = 1; i < n && ascending; i++)
		ascending = targets[i - 1] <= targets[i];
	if (!ascending)
		qsort_arg(targets, n, sizeof(int64), kg_compare_nodes, NULL);
	kg_adjacency_append(packed, relation_no, targets, n);
}

/*
 * Reads a node's edges from a stream and appends them to "packed", after space
 * for the header. If the node has no edges, "packed" has only this space.
 */
static void
take_edges(Stream *stream, int64 node, StringInfo packed)
{
	int64 *targets;
	int capacity = 64;
	int n = 0;
	int32 relation_no = 0;

	initStringInfo(packed);
	appendStringInfoSpaces(packed, VARHDRSZ);
	if (stream->done || stream->key != node)
		return;
	targets = palloc(capacity * sizeof(int64));
	while (!stream->done && stream->key == node)
	{
		if (n > 0 && stream->number != relation_no)
		{
			append_group(packed, relation_no, targets, n);
			n = 0;
		}
		if (n == capacity)
		{
			capacity *= 2;
			targets = repalloc_huge(targets, (Size) capacity * sizeof(int64));
		}
		relation_no = stream->number;
		targets[n++] = stream->neighbor;
		advance(stream);
	}
	append_group(packed, relation_no, targets, n);
	pfree(targets);
}

static bytea *
edges_alone(StringInfo packed)
{
	if (packed->len == VARHDRSZ)
		return NULL;
	SET_VARSIZE(packed->data, packed->len);
	return (bytea *) packed->data;
}

static void
add_to_block(KgBlockBuilder *builder, int64 node, StringInfo packed)
{
	if (packed->len > VARHDRSZ)
		kg_block_add(
			builder, node, packed->data + VARHDRSZ, packed->len - VARHDRSZ);
	pfree(packed->data);
}

/*
 * Returns the next node in the streams of edges, or PG_INT64_MAX at their end.
 * A node with this number is never packed.
 */
static int64
next_node(const Packer *p)
{
	return Min(p->out.done ? PG_INT64_MAX : p->out.key,
			   p->in.done ? PG_INT64_MAX : p->in.key);
}

/* Returns the absolute value. PostgreSQL 18 no longer has a macro for it. */
static int64
magnitude(int64 key)
{
	return key < 0 ? -key : key;
}

/*
 * Advances a stream to the packed row of a block or a single node. Returns
 * whether this row exists. Adds the rows that it skips to p->gone: their nodes
 * have no edges, or too few for a row of their own.
 */
static bool
find_packed(Packer *p, Stream *packed, int64 key)
{
	while (!packed->done && magnitude(packed->key) < magnitude(key))
	{
		kg_node_add(&p->gone, packed->key);
		advance(packed);
	}
	return !packed->done && packed->key == key;
}

/*
 * Returns whether the stream's current packed row has these edges in the
 * column, which belongs to one direction. edges is NULL if there are no edges
 * in this direction. Adds the size of the stored edges to p->nbytes.
 */
static bool
is_packed(Packer *p, const Stream *packed, int column, const bytea *edges)
{
	bool isnull;
	Datum datum = SPI_getbinval(packed->tuple, packed->desc, column, &isnull);
	bytea *stored;
	Size size;

	if (isnull || edges == NULL)
		return isnull && edges == NULL;
	stored = DatumGetByteaPP(datum);
	size = VARSIZE_ANY_EXHDR(stored);
	p->nbytes += size;
	return size == VARSIZE_ANY_EXHDR(edges) &&
		   memcmp(VARDATA_ANY(stored), VARDATA_ANY(edges), size) == 0;
}

#define KG_OUTGOING 4
#define KG_INCOMING 5

static void
pack_row(Packer *p, Stream *packed, int64 key, uint32 nodes, uint32 alone,
		 bytea *outgoing, bytea *incoming)
{
	bool isnull;

	if (find_packed(p, packed, key) && packed->number == (int32) nodes &&
		DatumGetInt32(SPI_getbinval(packed->tuple, packed->desc, 3, &isnull)) ==
			(int32) alone &&
		is_packed(p, packed, KG_OUTGOING, outgoing) &&
		is_packed(p, packed, KG_INCOMING, incoming))
	{
		advance(packed);
		return;
	}
	add_row(p, key, nodes, alone, outgoing, incoming);
	if (!packed->done && packed->key == key)
		advance(packed);
}

/*
 * Packs the nodes of a block. Does not change nodes that are packed correctly.
 */
static void
pack_block(Packer *p, int64 block)
{
	MemoryContext old = MemoryContextSwitchTo(p->batch);
	int64 first = kg_block_first(block);
	uint32 packed = find_packed(p, &p->packed, block) ? p->packed.number : 0;
	KgBlockBuilder outgoing;
	KgBlockBuilder incoming;
	uint32 nodes = 0;
	uint32 alone = 0;
	int64 node;

	kg_block_begin(&outgoing);
	kg_block_begin(&incoming);
	while ((node = next_node(p)) != PG_INT64_MAX && node - first < KG_BLOCK)
	{
		uint32 bit = kg_block_bit(node);
		StringInfoData out;
		StringInfoData in;

		take_edges(&p->out, node, &out);
		take_edges(&p->in, node, &in);
		nodes |= bit;
		p->nbytes += out.len + in.len;
		if (out.len + in.len - 2 * VARHDRSZ <= KG_BLOCK_SHARE)
		{
			add_to_block(&outgoing, node, &out);
			add_to_block(&incoming, node, &in);
			continue;
		}
		alone |= bit;
		pack_row(p,
				 &p->alone_packed,
				 -node,
				 0,
				 0,
				 edges_alone(&out),
				 edges_alone(&in));
	}
	p->seen += pg_popcount32(nodes);
	p->total += pg_popcount32(nodes & ~packed);
	pack_row(p,
			 &p->packed,
			 block,
			 nodes,
			 alone,
			 kg_block_end(&outgoing),
			 kg_block_end(&incoming));
	MemoryContextSwitchTo(old);
}

/*
 * Deletes the remaining packed rows, whose nodes have no edges, and the rows
 * that were skipped before.
 */
static void
delete_gone(Packer *p)
{
	(void) find_packed(p, &p->packed, PG_INT64_MAX);
	(void) find_packed(p, &p->alone_packed, PG_INT64_MAX);
	if (p->gone.n > 0)
		KG_BATCH_EXEC("DELETE FROM @kg_adjacency WHERE tenant = $1 "
					  "AND block = ANY ($2)",
					  kg_arg(TEXTOID, p->tenant),
					  kg_arg_int8s(p->gone.nodes, p->gone.n));
}

/*
 * Updates the row by which writers with an older snapshot detect the packing.
 */
static void
mark_packing(Datum tenant)
{
	KG_SPI_EXEC("INSERT INTO @kg_adjacency (tenant, block) VALUES ($1, 0) "
				"ON CONFLICT (block, tenant) DO UPDATE SET outgoing = NULL",
				kg_arg(TEXTOID, tenant));
}

static void
pack_all(Packer *p)
{
	int64 node;

	open_stream(&p->out,
				"SELECT source, relation_no, target FROM @kg_edge "
				"WHERE tenant = $1 ORDER BY source, relation_no, key, target",
				p->tenant);
	open_stream(&p->in,
				"SELECT target, relation_no, source FROM @kg_edge "
				"WHERE tenant = $1 ORDER BY target, relation_no, source",
				p->tenant);
	/*
	 * The index begins with the block. This condition skips the blocks of
	 * other tenants.
	 */
	open_stream(&p->packed,
				"SELECT block, nodes, alone, outgoing, incoming "
				"FROM @kg_adjacency WHERE tenant = $1 "
				"AND block > 0 AND " KG_BLOCKS_OF_TENANT " ORDER BY block",
				p->tenant);
	open_stream(&p->alone_packed,
				"SELECT block, nodes, alone, outgoing, incoming "
				"FROM @kg_adjacency WHERE tenant = $1 "
				"AND block < 0 AND " KG_HUBS_OF_TENANT " ORDER BY block DESC",
				p->tenant);
	while ((node = next_node(p)) != PG_INT64_MAX)
	{
		pack_block(p, kg_block_of(node));
		if (p->n >= KG_INSERT || p->nbytes >= KG_INSERT_BYTES)
			end_batch(p);
	}
	end_batch(p);
	delete_gone(p);
	close_stream(&p->out);
	close_stream(&p->in);
	close_stream(&p->packed);
	close_stream(&p->alone_packed);
}

int64
kg_adjacency_pack(const char *tenant, bool wait, bool sees_all)
{
	Packer *p;
	KgUserContext user;
	int64 total;
	int nest;

	if (IsolationUsesXactSnapshot())
	{
		if (!wait)
			return -1;
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("edges can be packed only in a READ COMMITTED "
						"transaction")));
	}
	kg_tenant_writes(tenant);
	if (!kg_adjacency_lock(tenant, ExclusiveLock, wait))
		return -1;
	/*
	 * The new snapshot shows rows that were committed during the wait for the
	 * lock.
	 */
	PushActiveSnapshot(GetLatestSnapshot());
	kg_become_owner(&user);
	/*
	 * The statements of the streams are analyzed here, with the owner's
	 * rights.
	 */
	nest = kg_spi_pin_path();
	SPI_connect();
	p = palloc0(sizeof(Packer));
	p->tenant = CStringGetTextDatum(tenant);
	p->gone.context = CurrentMemoryContext;
	p->batch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph packing", ALLOCSET_DEFAULT_SIZES);
	mark_packing(p->tenant);
	if (sees_all)
		kg_work_begin(&p->work, "packing the edges of nodes", -1);
	pack_all(p);
	total = p->total;
	SPI_finish();
	kg_spi_unpin_path(nest);
	kg_restore_user(&user);
	PopActiveSnapshot();
	return total;
}
