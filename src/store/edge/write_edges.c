/*
 * write_edges.c
 *	  Statements that write explicit edges for a caller.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/spi.h"
#include "model/writer.h"
#include "store/edge/edges.h"
#include "store/edge/symmetric.h"
#include "store/reference/stored.h"
#include "utils/snapmgr.h"

/*
 * Inserts edges into a table that has triggers of a DBA. These triggers may
 * have written some of the edges during this statement. So a conflicting row is
 * a write of another session only if this transaction has not written the row.
 * Then kg_edge_throw_lost_race() is called.
 */
static void
insert_beside(const char *tenant, const KgColumns *edges)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static KgSaved stored = KG_SAVED_BATCH;
	uint64 inserted;

	kg_columns_exec(&saved,
					"INSERT INTO @kg_edge(tenant, source, relation_no, target, "
					"key, properties) "
					"SELECT $1, u.* FROM unnest($2, $3, $4, $5, $6) u "
					"ON CONFLICT DO NOTHING",
					tenant,
					edges);
	inserted = SPI_processed;
	if (inserted == edges->nrows)
		return;
	kg_columns_exec(&stored,
					"SELECT e.xmin FROM unnest($2, $3, $4, $5, $6) "
					"u(source, relation_no, target, key, properties) "
					"JOIN @kg_edge e ON e.tenant = $1 AND e.source = u.source "
					"AND e.relation_no = u.relation_no AND e.key = u.key "
					"AND e.target = u.target",
					tenant,
					edges);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		if (!TransactionIdIsCurrentTransactionId(
				DatumGetTransactionId(kg_spi_datum(i, 1))))
			kg_edge_throw_lost_race();
	}
	SPI_freetuptable(SPI_tuptable);
	SPI_processed = inserted;
}

/*
 * Inserts the edges whose state in "found" is "wanted" (KG_EDGE_NONE), or
 * updates them (KG_EDGE_OTHER). If "beside" is true, inserts as insert_beside()
 * does. Returns false if not all of the edges were written.
 */
static bool
write_some(const char *tenant, const KgColumns *edges, const int *found,
		   int wanted, bool beside)
{
	static KgSaved insert_saved = KG_SAVED_BATCH;
	static KgSaved update_saved = KG_SAVED_BATCH;
	KgColumns chosen;

	kg_edges_init(&chosen, CurrentMemoryContext);
	for (int i = 0; i < edges->nrows; i++)
	{
		if (found[i] == wanted)
			kg_edges_copy(&chosen, edges, i);
	}
	if (chosen.nrows == 0)
		return true;
	if (wanted == KG_EDGE_NONE && beside)
		insert_beside(tenant, &chosen);
	else if (wanted == KG_EDGE_NONE)
	{
		if (!kg_columns_insert(
				&insert_saved,
				"kg_edge_pkey",
				"INSERT INTO @kg_edge(tenant, source, relation_no, "
				"target, key, properties) "
				"SELECT $1, u.* FROM unnest($2, $3, $4, $5, $6) u",
				tenant,
				&chosen))
			kg_edge_throw_lost_race();
	}
	else
		kg_columns_exec(&update_saved,
						"UPDATE @kg_edge e SET properties = u.properties "
						"FROM unnest($2, $3, $4, $5, $6) "
						"u(source, relation_no, target, key, properties) "
						"WHERE e.tenant = $1 AND e.source = u.source "
						"AND e.relation_no = u.relation_no AND e.key = u.key "
						"AND e.target = u.target",
						tenant,
						&chosen);
	return SPI_processed == chosen.nrows;
}

static void
fate_or_kept(KgFate fate, int *verdict, bool *kept)
{
	bool same = *verdict == KG_EDGE_SAME;

	*kept = fate == KG_FATE_ABSENT || fate == KG_FATE_GONE ||
			(fate == KG_FATE_SAME && !same);
	if (fate == KG_FATE_MADE)
		*verdict = KG_EDGE_NONE;
	else if (fate == KG_FATE_CHANGED)
		*verdict = KG_EDGE_OTHER;
}

const bool *
kg_edges_write(const char *tenant, const KgColumns *edges, int *found)
{
	Snapshot before = kg_stored_begin();
	bool beside = kg_stored_has_own_triggers("kg_edge");
	bool all = write_some(tenant, edges, found, KG_EDGE_NONE, beside);
	bool *kept = NULL;

	all = write_some(tenant, edges, found, KG_EDGE_OTHER, beside) && all;
	if (!all || beside)
	{
		KgFate *fates = palloc(Max(1, edges->nrows) * sizeof(KgFate));

		kept = palloc(Max(1, edges->nrows) * sizeof(bool));
		kg_stored_edges(tenant, edges, before, fates);
		for (int i = 0; i < edges->nrows; i++)
			fate_or_kept(fates[i], &found[i], &kept[i]);
	}
	kg_stored_end(before);
	return kept;
}

typedef struct Turned
{
	const char *tenant;
	const KgColumns *edges;
	int *found;
	const bool *kept;
} Turned;

static void
write_turned(void *arg)
{
	Turned *turned = arg;

	turned->kept = kg_edges_write(turned->tenant, turned->edges, turned->found);
}

const bool *
kg_edges_write_turned(const KgCatalog *catalog, const KgColumns *edges,
					  int *found)
{
	Turned turned = {catalog->tenant, edges, found};

	kg_writer_part(kg_symmetric_any(catalog, edges), write_turned, &turned);
	return turned.kept;
}
