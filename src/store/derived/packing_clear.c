/*
 * packing_clear.c
 *	  Clearing packed edges when edges change; packing.c explains the
 *	  protocol.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/extension.h"
#include "base/spi.h"
#include "model/adjacency.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "store/derived/packing.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* Number of nodes per statement. */
#define KG_FORGET 10000

/* Blocks, and for each block the nodes whose bits are cleared. */
typedef struct Forgotten
{
	int64 *blocks;
	Datum *bits;
	uint32 n;
	int64 *rows; /* keys of rows that become empty */
	uint32 nrows;
} Forgotten;

/*
 * Clears bits in the order of blocks, so that two sessions do not deadlock. If
 * two sessions clear the same bit, the second session finds it cleared, and
 * leaves the node's own row to the first session.
 */
static void
clear_bits(Datum tenant, Forgotten *f)
{
	KG_BATCH_EXEC(
		"UPDATE @kg_adjacency a SET nodes = a.nodes & ~k.bits "
		"FROM ROWS FROM (unnest($2), unnest($3)) AS k (block, bits) "
		"WHERE a.tenant = $1 AND a.block = k.block "
		"AND a.nodes & k.bits <> 0 "
		"RETURNING a.block, a.nodes, a.alone & k.bits",
		kg_arg(TEXTOID, tenant),
		kg_arg_int8s(f->blocks, f->n),
		kg_arg(
			INT4ARRAYOID,
			PointerGetDatum(construct_array(
				f->bits, f->n, INT4OID, sizeof(int32), true, TYPALIGN_INT))));
	f->rows = palloc((SPI_processed * (KG_BLOCK + 1) + 1) * sizeof(int64));
	f->nrows = 0;
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		int64 block = kg_spi_int64(i, 1);
		uint32 alone = (uint32) DatumGetInt32(kg_spi_datum(i, 3));

		if (DatumGetInt32(kg_spi_datum(i, 2)) == 0)
			f->rows[f->nrows++] = block;
		for (; alone != 0; alone &= alone - 1)
			f->rows[f->nrows++] = -(kg_block_first(block) +
									pg_rightmost_one_pos32(alone));
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * Deletes empty rows. Does not delete the row of a block in which other
 * sessions have set bits again.
 */
static void
delete_rows(Datum tenant, const Forgotten *f)
{
	KgArg blocks = kg_arg_int8s(f->rows, f->nrows);

	KG_BATCH_EXEC("DELETE FROM @kg_adjacency WHERE tenant = $1 "
				  "AND block = ANY ($2) AND nodes = 0",
				  kg_arg(TEXTOID, tenant),
				  blocks);
	pfree(DatumGetPointer(blocks.value));
}

/*
 * Discards the packed edges of some nodes, which must be in ascending order.
 */
static void
forget_piece(Datum tenant, const int64 *nodes, uint32 n)
{
	Forgotten f;

	f.blocks = palloc(n * sizeof(int64));
	f.bits = palloc(n * sizeof(Datum));
	f.n = 0;
	for (uint32 i = 0; i < n; i++)
	{
		int64 block = kg_block_of(nodes[i]);

		if (f.n == 0 || f.blocks[f.n - 1] != block)
		{
			f.blocks[f.n] = block;
			f.bits[f.n++] = 0;
		}
		f.bits[f.n - 1] |= Int32GetDatum((int32) kg_block_bit(nodes[i]));
	}
	clear_bits(tenant, &f);
	if (f.nrows > 0)
		delete_rows(tenant, &f);
	pfree(f.rows);
	pfree(f.blocks);
	pfree(f.bits);
}

/*
 * Raises SQLSTATE 40001 if this transaction's snapshot does not show the last
 * packing.
 */
static void
refuse_old_snapshot(Datum tenant)
{
	KG_SPI_EXEC("INSERT INTO @kg_adjacency (tenant, block) VALUES ($1, 0) "
				"ON CONFLICT (block, tenant) DO NOTHING",
				kg_arg(TEXTOID, tenant));
}

/* Returns the last block of all tenants, or 0 if no block exists. */
static int64
last_block(void)
{
	static KgSaved saved = KG_SAVED_BATCH;
	int64 last;

	kg_spi_exec_args(&saved,
					 "SELECT COALESCE((SELECT block FROM @kg_adjacency "
					 "WHERE block > 0 ORDER BY block DESC LIMIT 1), 0)",
					 0,
					 NULL);
	last = kg_spi_int64(0, 1);
	SPI_freetuptable(SPI_tuptable);
	return last;
}

/*
 * Discards the packed edges of nodes. Node numbers ascend, so new nodes are
 * above all packed nodes and are not looked up.
 */
void
kg_adjacency_forget(const char *tenant, const int64 *nodes, uint32 n)
{
	KgUserContext user;
	Datum value = CStringGetTextDatum(tenant);
	int64 *old = MemoryContextAllocHuge(CurrentMemoryContext,
										(Size) Max(1, n) * sizeof(int64));
	uint32 nold = 0;
	int64 last;

	(void) kg_adjacency_lock(tenant, RowShareLock, true);
	kg_spi_begin_as_owner(&user);
	if (IsolationUsesXactSnapshot())
		refuse_old_snapshot(value);
	last = last_block();
	for (uint32 i = 0; i < n; i++)
		/*
		 * Only a damaged row contains a node number below 1; such a number is
		 * ignored.
		 */
		if (nodes[i] > 0 && kg_block_of(nodes[i]) <= last)
			old[nold++] = nodes[i];
	qsort_interruptible(old, nold, sizeof(int64), kg_compare_nodes, NULL);
	for (uint32 start = 0; start < nold; start += KG_FORGET)
	{
		CHECK_FOR_INTERRUPTS();
		forget_piece(value, old + start, Min(nold - start, KG_FORGET));
	}
	pfree(old);
	kg_spi_end_as_owner(&user);
}
