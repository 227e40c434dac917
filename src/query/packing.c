/*
 * packing.c
 *	  Keeping kg_adjacency true.
 *
 * A packed row stands for all edges of its node, so it must be gone in every
 * snapshot that sees the edges otherwise than the row has them:
 *
 * - Whoever changes edges deletes the packed rows of their ends in the same
 *	 transaction: a snapshot sees both changes or none.
 * - Who packs must see all changes of which it deletes nothing any more.
 *	 Changers share a lock on the tenant until they are over, the packer
 *	 excludes them, and reads with a snapshot taken after it has the lock.
 * - A changer in REPEATABLE READ or SERIALIZABLE whose snapshot is older than
 *	 a packing would not see the rows that it has to delete.  Every packing
 *	 updates the tenant's row of node 0, and such a changer inserts that row ON
 *	 CONFLICT DO NOTHING, which PostgreSQL refuses with 40001 when the row is
 *	 newer than the snapshot.
 *
 * Packing merges three streams in the order of nodes: outgoing edges, incoming
 * edges and packed rows that are there already.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/identity.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "query/adjacency.h"
#include "query/packing.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#define KG_FETCH 5000
#define KG_INSERT 500
/* A statement's share of the nodes to forget. */
#define KG_FORGET 10000

static bool
lock_tenant(const char *tenant, LOCKMODE mode, bool wait)
{
	LOCKTAG tag;

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
	/* the row at hand */
	bool done;
	int64 node;
	int32 relation_no;
	int64 neighbor;
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
	tuple = stream->table->vals[stream->next++];
	desc = stream->table->tupdesc;
	stream->node = DatumGetInt64(SPI_getbinval(tuple, desc, 1, &isnull));
	if (desc->natts == 1)
		return;
	stream->relation_no = DatumGetInt32(SPI_getbinval(tuple, desc, 2, &isnull));
	stream->neighbor = DatumGetInt64(SPI_getbinval(tuple, desc, 3, &isnull));
}

static void
open_stream(Stream *stream, const char *sql, Datum tenant)
{
	Oid types[] = {TEXTOID};

	memset(stream, 0, sizeof(*stream));
	stream->portal = SPI_cursor_open_with_args(
		NULL, kg_spi_expand(sql), 1, types, &tenant, NULL, false, 0);
	advance(stream);
}

typedef struct Packer
{
	Datum tenant;
	Stream out;
	Stream in;
	Stream packed;
	MemoryContext batch; /* of the rows not yet inserted */
	int n;
	Datum nodes[KG_INSERT];
	Datum outgoing[KG_INSERT];
	Datum incoming[KG_INSERT];
	bool no_outgoing[KG_INSERT];
	bool no_incoming[KG_INSERT];
	int64 total;
} Packer;

static Datum
make_array(Packer *p, Datum *values, bool *nulls, Oid type, int len)
{
	int dims[1] = {p->n};
	int lbs[1] = {1};

	return PointerGetDatum(
		construct_md_array(values,
						   nulls,
						   1,
						   dims,
						   lbs,
						   type,
						   len,
						   type == INT8OID,
						   type == INT8OID ? TYPALIGN_DOUBLE : TYPALIGN_INT));
}

static void
insert_batch(Packer *p)
{
	static KgSaved saved;
	static const Oid types[] = {
		TEXTOID, INT8ARRAYOID, BYTEAARRAYOID, BYTEAARRAYOID};
	Datum values[4];

	if (p->n == 0)
		return;
	values[0] = p->tenant;
	values[1] = make_array(p, p->nodes, NULL, INT8OID, sizeof(int64));
	values[2] = make_array(p, p->outgoing, p->no_outgoing, BYTEAOID, -1);
	values[3] = make_array(p, p->incoming, p->no_incoming, BYTEAOID, -1);
	kg_spi_run(&saved,
			   "INSERT INTO @kg_adjacency (tenant, node, outgoing, incoming) "
			   "SELECT $1, k.* FROM ROWS FROM (pg_catalog.unnest($2), "
			   "pg_catalog.unnest($3), pg_catalog.unnest($4)) AS k",
			   4,
			   types,
			   values,
			   NULL,
			   false,
			   SPI_OK_INSERT);
	p->total += p->n;
	p->n = 0;
	MemoryContextReset(p->batch);
}

/* Take a node's edges off a stream; NULL where it has none. */
static bytea *
take_edges(Stream *stream, int64 node, bool keep)
{
	StringInfoData packed;
	int64 *targets;
	int capacity = 64;
	int n = 0;
	int32 relation_no = 0;

	if (stream->done || stream->node != node)
		return NULL;
	initStringInfo(&packed);
	appendStringInfoSpaces(&packed, VARHDRSZ);
	targets = palloc(capacity * sizeof(int64));
	while (!stream->done && stream->node == node)
	{
		if (n > 0 && stream->relation_no != relation_no)
		{
			kg_adjacency_append(&packed, relation_no, targets, n);
			n = 0;
		}
		if (n == capacity)
		{
			capacity *= 2;
			targets = repalloc_huge(targets, (Size) capacity * sizeof(int64));
		}
		relation_no = stream->relation_no;
		if (keep)
			targets[n++] = stream->neighbor;
		advance(stream);
	}
	if (n > 0)
		kg_adjacency_append(&packed, relation_no, targets, n);
	pfree(targets);
	SET_VARSIZE(packed.data, packed.len);
	return (bytea *) packed.data;
}

static void
pack_node(Packer *p, int64 node, bool keep)
{
	MemoryContext old = MemoryContextSwitchTo(p->batch);
	bytea *outgoing = take_edges(&p->out, node, keep);
	bytea *incoming = take_edges(&p->in, node, keep);

	if (keep)
	{
		p->nodes[p->n] = Int64GetDatum(node);
		p->outgoing[p->n] = PointerGetDatum(outgoing);
		p->no_outgoing[p->n] = outgoing == NULL;
		p->incoming[p->n] = PointerGetDatum(incoming);
		p->no_incoming[p->n] = incoming == NULL;
		p->n++;
		if (p->n == KG_INSERT)
			insert_batch(p);
	}
	MemoryContextSwitchTo(old);
}

/* The row that tells changers with an old snapshot that there was a packing. */
static void
mark_packing(Datum tenant)
{
	static KgSaved saved;
	static const Oid types[] = {TEXTOID};

	kg_spi_run(&saved,
			   "INSERT INTO @kg_adjacency (tenant, node) VALUES ($1, 0) "
			   "ON CONFLICT (tenant, node) DO UPDATE SET outgoing = NULL",
			   1,
			   types,
			   &tenant,
			   NULL,
			   false,
			   SPI_OK_INSERT);
}

static void
pack_all(Packer *p)
{
	open_stream(&p->out,
				"SELECT source, relation_no, target FROM @kg_edge "
				"WHERE tenant = $1 ORDER BY source, relation_no, target",
				p->tenant);
	open_stream(&p->in,
				"SELECT target, relation_no, source FROM @kg_edge "
				"WHERE tenant = $1 ORDER BY target, relation_no, source",
				p->tenant);
	/* Its index begins with the node: pass over other tenants' nodes. */
	open_stream(&p->packed,
				"SELECT a.node FROM @kg_adjacency a, (SELECT "
				"pg_catalog.min(node), pg_catalog.max(node) FROM @kg_entity "
				"WHERE tenant = $1) e WHERE a.tenant = $1 AND a.node > 0 AND "
				"a.node >= e.min AND a.node <= e.max ORDER BY a.node",
				p->tenant);
	while (!p->out.done || !p->in.done)
	{
		int64 node = p->out.done ? p->in.node : p->out.node;

		if (!p->in.done && p->in.node < node)
			node = p->in.node;
		while (!p->packed.done && p->packed.node < node)
			advance(&p->packed);
		pack_node(p, node, p->packed.done || p->packed.node != node);
	}
	insert_batch(p);
}

int64
kg_adjacency_pack(const char *tenant, bool wait)
{
	Packer *p;
	KgUserContext user;
	int64 total;

	if (IsolationUsesXactSnapshot())
	{
		if (!wait)
			return -1;
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("edges can be packed only in a READ COMMITTED "
						"transaction")));
	}
	if (!lock_tenant(tenant, ExclusiveLock, wait))
		return -1;
	/* See what was committed while we waited. */
	PushActiveSnapshot(GetLatestSnapshot());
	kg_become_owner(&user);
	SPI_connect();
	p = palloc0(sizeof(Packer));
	p->tenant = CStringGetTextDatum(tenant);
	p->batch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph packing", ALLOCSET_DEFAULT_SIZES);
	mark_packing(p->tenant);
	pack_all(p);
	total = p->total;
	SPI_finish();
	kg_restore_user(&user);
	PopActiveSnapshot();
	return total;
}

static void
forget_piece(Datum tenant, const int64 *nodes, uint32 n)
{
	static KgSaved saved;
	static const Oid types[] = {TEXTOID, INT8ARRAYOID};
	Datum *elements = palloc(n * sizeof(Datum));
	Datum values[2];
	int nest;

	for (uint32 i = 0; i < n; i++)
		elements[i] = Int64GetDatum(nodes[i]);
	values[0] = tenant;
	values[1] = PointerGetDatum(construct_array(
		elements, n, INT8OID, sizeof(int64), true, TYPALIGN_DOUBLE));
	/* A plan made while the table was small must not become a habit. */
	nest = NewGUCNestLevel();
	(void) set_config_option("enable_seqscan",
							 "off",
							 PGC_USERSET,
							 PGC_S_SESSION,
							 GUC_ACTION_SAVE,
							 true,
							 0,
							 false);
	kg_spi_run(
		&saved,
		"DELETE FROM @kg_adjacency WHERE tenant = $1 AND node = ANY ($2)",
		2,
		types,
		values,
		NULL,
		false,
		SPI_OK_DELETE);
	AtEOXact_GUC(true, nest);
	pfree(elements);
	pfree(DatumGetPointer(values[1]));
}

/* Has this transaction's snapshot missed a packing?  Raises 40001 then. */
static void
refuse_old_snapshot(Datum tenant)
{
	static KgSaved saved;
	static const Oid types[] = {TEXTOID};

	kg_spi_run(&saved,
			   "INSERT INTO @kg_adjacency (tenant, node) VALUES ($1, 0) "
			   "ON CONFLICT (tenant, node) DO NOTHING",
			   1,
			   types,
			   &tenant,
			   NULL,
			   false,
			   SPI_OK_INSERT);
}

/* The highest node of any tenant that is packed; 0: none is. */
static int64
highest_packed(void)
{
	static KgSaved saved;
	int64 highest;

	kg_spi_run(&saved,
			   "SELECT COALESCE((SELECT node FROM @kg_adjacency "
			   "ORDER BY node DESC LIMIT 1), 0)",
			   0,
			   NULL,
			   NULL,
			   NULL,
			   false,
			   SPI_OK_SELECT);
	highest = kg_spi_int64(0, 1);
	SPI_freetuptable(SPI_tuptable);
	return highest;
}

/*
 * Nodes are numbered upwards, so those that a load makes are above all that
 * are packed: they need not be looked for.
 */
void
kg_adjacency_forget(const char *tenant, const int64 *nodes, uint32 n)
{
	KgUserContext user;
	Datum value = CStringGetTextDatum(tenant);
	int64 *old = MemoryContextAllocHuge(CurrentMemoryContext,
										(Size) Max(1, n) * sizeof(int64));
	uint32 nold = 0;
	int64 highest;

	(void) lock_tenant(tenant, RowShareLock, true);
	kg_become_owner(&user);
	SPI_connect();
	if (IsolationUsesXactSnapshot())
		refuse_old_snapshot(value);
	highest = highest_packed();
	for (uint32 i = 0; i < n; i++)
		if (nodes[i] <= highest)
			old[nold++] = nodes[i];
	for (uint32 start = 0; start < nold; start += KG_FORGET)
	{
		CHECK_FOR_INTERRUPTS();
		forget_piece(value, old + start, Min(nold - start, KG_FORGET));
	}
	pfree(old);
	SPI_finish();
	kg_restore_user(&user);
}
