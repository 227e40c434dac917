/*
 * edges.c
 *	  Batches of explicit edges: reading, comparing, locking and deleting
 *	  stored edges.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/catch.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "model/writer.h"
#include "store/edge/edges.h"
#include "storage/itemptr.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

static const Oid edge_types[] = {INT8OID, INT4OID, INT8OID, TEXTOID, JSONBOID};
void
kg_edges_init(KgColumns *edges, MemoryContext context)
{
	kg_columns_init(edges, context, KG_EDGE_COLUMNS, edge_types);
}

void
kg_edges_add(KgColumns *edges, int64 source, int32 relation_no, int64 target,
			 const char *key, const Jsonb *properties)
{
	static union
	{
		varattrib_4b header;
		char data[sizeof(varattrib_4b)];
	} empty;

	SET_VARSIZE(&empty, VARHDRSZ);
	kg_columns_add_row(edges);
	kg_columns_int64(edges, KG_EDGE_SOURCE, source);
	kg_columns_int32(edges, KG_EDGE_RELATION, relation_no);
	kg_columns_int64(edges, KG_EDGE_TARGET, target);
	if (*key == '\0')
		kg_columns_datum(edges, KG_EDGE_KEY, PointerGetDatum(&empty));
	else
		kg_columns_text(edges, KG_EDGE_KEY, key);
	if (properties)
		kg_columns_datum(edges, KG_EDGE_PROPERTIES, JsonbPGetDatum(properties));
}

void
kg_edges_copy(KgColumns *edges, const KgColumns *from, int row)
{
	kg_columns_add_row(edges);
	for (int i = 0; i < KG_EDGE_COLUMNS; i++)
		if (!from->nulls[i][row])
			kg_columns_datum(edges, i, from->values[i][row]);
}

List *
kg_row_counts(void)
{
	List *counts = NIL;

	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgRowCount *count = palloc(sizeof(KgRowCount));

		count->number = kg_spi_int64(i, 1);
		count->n = kg_spi_int64(i, 2);
		counts = lappend(counts, count);
	}
	SPI_freetuptable(SPI_tuptable);
	return counts;
}

List *
kg_edges_count(const char *tenant, bool read_only)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const char sql[] =
		"SELECT relation_no::bigint, count(*) FROM @kg_edge "
		"WHERE tenant = $1 AND property IS NULL GROUP BY relation_no";

	if (read_only)
		kg_spi_read(&saved, sql, kg_arg_text(tenant));
	else
		kg_spi_exec(&saved, sql, kg_arg_text(tenant));
	return kg_row_counts();
}

void
kg_edges_read(const char *tenant, int32 relation_no, KgEdgePlace *place,
			  int limit, KgColumns *edges)
{
	MemoryContext old = MemoryContextSwitchTo(edges->context);

	KG_BATCH_LATEST("SELECT source, target, key, properties FROM @kg_edge "
					"WHERE tenant = $1 AND relation_no = $2 "
					"AND property IS NULL AND source >= $3 "
					"AND (source, key, target) > ($3, $4 COLLATE \"C\", $5) "
					"ORDER BY source, key, target LIMIT $6",
					kg_arg_text(tenant),
					kg_arg_int4(relation_no),
					kg_arg_int8(place->source),
					kg_arg_text(place->key),
					kg_arg_int8(place->target),
					kg_arg_int4(limit));
	MemoryContextSwitchTo(edges->context);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool isnull;
		Datum properties = kg_spi_value(i, 4, &isnull);

		kg_edges_add(edges,
					 kg_spi_int64(i, 1),
					 relation_no,
					 kg_spi_int64(i, 2),
					 kg_spi_cstring(i, 3),
					 isnull ? NULL : DatumGetJsonbPCopy(properties));
	}
	if (SPI_processed > 0)
	{
		place->source = kg_spi_int64(SPI_processed - 1, 1);
		place->target = kg_spi_int64(SPI_processed - 1, 2);
		strlcpy(place->key,
				kg_spi_cstring(SPI_processed - 1, 3),
				sizeof(place->key));
	}
	SPI_freetuptable(SPI_tuptable);
	MemoryContextSwitchTo(old);
}

#define KG_COMPARE                                              \
	"SELECT u.ord, (e.properties IS NOT DISTINCT FROM "         \
	"u.properties)::int::bigint, e.xmin, e.ctid "               \
	"FROM unnest($2, $3, $4, $5, $6) WITH ORDINALITY "          \
	"AS u(source, relation_no, target, key, properties, ord) "  \
	"JOIN @kg_edge e ON e.tenant = $1 AND e.source = u.source " \
	"AND e.relation_no = u.relation_no AND e.key = u.key "      \
	"AND e.target = u.target"

int64
kg_edge_state(uint64 row, int column)
{
	TransactionId xmin = DatumGetTransactionId(kg_spi_datum(row, column));
	ItemPointer place = (ItemPointer) DatumGetPointer(
		kg_spi_datum(row, column + 1));
	uint64 state = hash_combine64((uint64) xmin << 32 |
									  ItemPointerGetBlockNumber(place),
								  ItemPointerGetOffsetNumber(place));

	return (int64) (state >> 1 | 1);
}

static void
take_compared(int *found, int64 *states)
{
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		int64 ord = kg_spi_int64(i, 1);

		found[ord - 1] = kg_spi_int64(i, 2) ? KG_EDGE_SAME : KG_EDGE_OTHER;
		if (states != NULL)
			states[ord - 1] = kg_edge_state(i, 3);
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * Some rows of a batch, their indexes in the batch, and the results of their
 * comparison with the stored edges.
 */
typedef struct Chosen
{
	KgColumns rows;
	int *numbers;
	int *found;
	int64 *states;
} Chosen;

static void
choose(Chosen *chosen, const KgColumns *edges, const bool *wanted)
{
	Size n = Max(1, edges->nrows);

	kg_edges_init(&chosen->rows, CurrentMemoryContext);
	chosen->numbers = palloc(n * sizeof(int));
	for (int i = 0; i < edges->nrows; i++)
	{
		if (!wanted[i])
			continue;
		chosen->numbers[chosen->rows.nrows] = i;
		kg_edges_copy(&chosen->rows, edges, i);
	}
	chosen->found = palloc0(n * sizeof(int));
	chosen->states = palloc0(n * sizeof(int64));
}

void
kg_edges_compare(const char *tenant, const KgColumns *edges, int *found)
{
	kg_edges_compare_states(tenant, edges, found, NULL);
}

void
kg_edges_compare_states(const char *tenant, const KgColumns *edges, int *found,
						int64 *states)
{
	static KgSaved saved = KG_SAVED_BATCH;

	kg_columns_exec(&saved, KG_COMPARE, tenant, edges);
	take_compared(found, states);
}

/*
 * Tries to lock the wanted rows. A row is no longer wanted if it is locked, or
 * found to be deleted. This also applies to an unchanged row that a policy
 * prevents from being locked, because the policy prevents its update, too.
 *
 * Returns whether wanted rows remain. Another session has deleted these rows
 * and written them again, so the caller must try again.
 */
static bool
hold_some(const char *tenant, const KgColumns *edges, bool *wanted, int *found,
		  int64 *states)
{
	static KgSaved saved = KG_SAVED_BATCH;
	Chosen chosen;
	Chosen missed;
	bool again = false;

	choose(&chosen, edges, wanted);
	if (chosen.rows.nrows == 0)
		return false;
	kg_columns_exec(&saved,
					KG_COMPARE
					" ORDER BY e.source, e.relation_no, e.key, e.target "
					"@FOR NO KEY UPDATE OF e",
					tenant,
					&chosen.rows);
	take_compared(chosen.found, chosen.states);
	for (int i = 0; i < chosen.rows.nrows; i++)
	{
		int row = chosen.numbers[i];

		if (chosen.found[i] == KG_EDGE_NONE)
			continue;
		wanted[row] = false;
		found[row] = chosen.found[i];
		states[row] = chosen.states[i];
	}
	choose(&missed, edges, wanted);
	if (missed.rows.nrows == 0)
		return false;
	kg_edges_compare_states(tenant, &missed.rows, missed.found, missed.states);
	for (int i = 0; i < missed.rows.nrows; i++)
	{
		int row = missed.numbers[i];

		wanted[row] = missed.found[i] == KG_EDGE_OTHER &&
					  missed.states[i] != states[row];
		again |= wanted[row];
		found[row] = missed.found[i];
		states[row] = missed.states[i];
	}
	return again;
}

void
kg_edges_hold(const char *tenant, const KgColumns *edges, int *found,
			  int64 *states)
{
	bool *wanted = palloc(Max(1, edges->nrows) * sizeof(bool));

	for (int i = 0; i < edges->nrows; i++)
		wanted[i] = found[i] == KG_EDGE_OTHER;
	while (hold_some(tenant, edges, wanted, found, states))
		CHECK_FOR_INTERRUPTS();
}

void
kg_edges_find_newer(const char *tenant, const KgColumns *edges, Snapshot than,
					bool *newer)
{
	static KgSaved saved = KG_SAVED_BATCH;

	kg_columns_exec(&saved, KG_COMPARE, tenant, edges);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		TransactionId xmin = DatumGetTransactionId(kg_spi_datum(i, 3));

		newer[kg_spi_int64(i, 1) - 1] = !TransactionIdIsCurrentTransactionId(
											xmin) &&
										XidInMVCCSnapshot(xmin, than);
	}
	SPI_freetuptable(SPI_tuptable);
}

void
kg_edges_compare_latest(const char *tenant, const KgColumns *edges, int *found)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgArg args[KG_EDGE_COLUMNS + 1] = {kg_arg_text(tenant)};

	kg_columns_args(edges, &args[1]);
	kg_spi_exec_latest_args(&saved, KG_COMPARE, lengthof(args), args);
	take_compared(found, NULL);
}

void
kg_edges_delete(const char *tenant, const KgColumns *edges, bool whole)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgArg args[KG_EDGE_COLUMNS + 2] = {kg_arg_text(tenant), kg_arg_bool(whole)};

	kg_columns_args(edges, &args[2]);
	kg_spi_exec_args(&saved,
					 "DELETE FROM @kg_edge e "
					 "USING unnest($3, $4, $5, $6, $7) WITH ORDINALITY "
					 "u(source, relation_no, target, key, properties, ord) "
					 "WHERE e.tenant = $1 AND e.source = u.source "
					 "AND e.relation_no = u.relation_no AND e.key = u.key "
					 "AND e.target = u.target AND e.property IS NULL "
					 "AND ($2 OR (EXISTS (SELECT FROM @kg_entity v "
					 "WHERE v.tenant = $1 AND v.node = u.source) AND "
					 "EXISTS (SELECT FROM @kg_entity v WHERE v.tenant = $1 "
					 "AND v.node = u.target))) RETURNING u.ord, e.xmin, e.ctid",
					 lengthof(args),
					 args);
}

KgError *
kg_edge_lost_race(void)
{
	return KG_ERROR(
		KG_CONFLICT,
		.message = "another session wrote the edge at the same time",
		.expected = "the same call, sent again");
}

void
kg_edge_throw_lost_race(void)
{
	if (kg_writer()->again)
		kg_throw_again(kg_edge_lost_race());
	kg_error_throw(kg_edge_lost_race());
}
