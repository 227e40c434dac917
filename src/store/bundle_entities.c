/*
 * bundle_entities.c
 *	  Writing a bundle's entities: what is new is inserted, what differs is
 *	  updated, what is gone is deleted, what is the same is not touched.
 *
 * The statements run as the caller, under row security, in batches; their
 * triggers validate and derive.  References are checked when the write scope
 * that the apply has open is closed.
 */
#include "postgres.h"

#include "base/json.h"
#include "base/spi.h"
#include "catalog/lock.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "store/bundle.h"
#include "store/check.h"
#include "store/columns.h"
#include "store/derive.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Entities, and bytes of them, in one statement. */
#define KG_WRITE_BATCH 5000
#define KG_WRITE_BATCH_BYTES (8 * 1024 * 1024)

typedef enum Verdict
{
	VERDICT_CREATE,
	VERDICT_UPDATE,
	VERDICT_SAME
} Verdict;

static const Oid batch_types[] = {TEXTOID, JSONBOID};

static void
count_written(KgApply *apply, KgCounts *counts, const Verdict *verdicts,
			  KgPayloadItem *items, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (verdicts[i] == VERDICT_SAME)
		{
			counts->unchanged++;
			continue;
		}
		if (verdicts[i] == VERDICT_CREATE)
			counts->created++;
		else
			counts->updated++;
		kg_apply_sample(apply,
						verdicts[i] == VERDICT_CREATE ? KG_CHANGE_CREATED
													  : KG_CHANGE_UPDATED,
						counts->name,
						items[i].id);
		apply->changed = true;
	}
}

/* Which items of a batch are stored, and with the same data? */
static void
compare_batch(const Datum *values, Verdict *verdicts)
{
	static KgSaved saved;
	static const Oid argtypes[] = {
		TEXTOID, TEXTOID, TEXTOID, TEXTARRAYOID, JSONBARRAYOID};

	kg_spi_run(&saved,
			   "SELECT u.ord, (e.data = u.data)::int::bigint "
			   "FROM unnest($4, $5) WITH ORDINALITY AS u(id, data, ord) "
			   "JOIN @kg_entity e ON e.tenant = $1 AND e.bundle = $2 "
			   "AND e.entity_type = $3 AND e.entity_id = u.id",
			   5,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_SELECT);
	for (uint64 i = 0; i < SPI_processed; i++)
		verdicts[kg_spi_int64(i, 1) - 1] = kg_spi_int64(i, 2) ? VERDICT_SAME
															  : VERDICT_UPDATE;
	SPI_freetuptable(SPI_tuptable);
}

static void
run_batch(Datum *values, const KgColumns *columns, Verdict wanted,
		  const Verdict *verdicts)
{
	static KgSaved insert_saved;
	static KgSaved update_saved;
	static const Oid argtypes[] = {
		TEXTOID, TEXTOID, TEXTOID, TEXTARRAYOID, JSONBARRAYOID};
	KgColumns chosen;

	kg_columns_init(&chosen, CurrentMemoryContext, 2, batch_types);
	for (int i = 0; i < columns->nrows; i++)
	{
		if (verdicts[i] != wanted)
			continue;
		kg_columns_add_row(&chosen);
		kg_columns_datum(&chosen, 0, columns->values[0][i]);
		kg_columns_datum(&chosen, 1, columns->values[1][i]);
	}
	if (chosen.nrows == 0)
		return;
	kg_columns_arrays(&chosen, &values[3]);
	if (wanted == VERDICT_CREATE)
		kg_spi_run(&insert_saved,
				   "INSERT INTO @kg_entity(tenant, bundle, entity_type, "
				   "entity_id, data) "
				   "SELECT $1, $2, $3, u.id, u.data "
				   "FROM unnest($4, $5) u(id, data)",
				   5,
				   argtypes,
				   values,
				   NULL,
				   false,
				   SPI_OK_INSERT);
	else
		kg_spi_run(&update_saved,
				   "UPDATE @kg_entity e SET data = u.data "
				   "FROM unnest($4, $5) u(id, data) WHERE e.tenant = $1 "
				   "AND e.bundle = $2 AND e.entity_type = $3 "
				   "AND e.entity_id = u.id",
				   5,
				   argtypes,
				   values,
				   NULL,
				   false,
				   SPI_OK_UPDATE);
}

/* One batch of items of a type; is_new: none can be stored. */
static void
write_batch(KgApply *apply, KgCounts *counts, KgPayloadItem *items, int n,
			bool is_new)
{
	Datum values[5] = {CStringGetTextDatum(apply->tenant),
					   CStringGetTextDatum(apply->payload->name),
					   CStringGetTextDatum(counts->name)};
	Verdict *verdicts = palloc0(n * sizeof(Verdict));
	KgColumns columns;

	kg_columns_init(&columns, CurrentMemoryContext, 2, batch_types);
	for (int i = 0; i < n; i++)
	{
		kg_columns_add_row(&columns);
		kg_columns_text(&columns, 0, items[i].id);
		kg_columns_datum(
			&columns, 1, JsonbPGetDatum(kg_payload_data(&items[i])));
	}
	if (!is_new)
	{
		kg_columns_arrays(&columns, &values[3]);
		compare_batch(values, verdicts);
	}
	run_batch(values, &columns, VERDICT_CREATE, verdicts);
	run_batch(values, &columns, VERDICT_UPDATE, verdicts);
	count_written(apply, counts, verdicts, items, n);
}

static void
write_set(KgApply *apply, KgPayloadSet *set, MemoryContext scratch)
{
	KgCounts *counts = kg_apply_counts(
		apply, &apply->entity_counts, set->type->name);
	bool is_new = kg_catalog_type_in(apply->before,
									 apply->payload->name,
									 set->type->name) == NULL;
	int start = 0;

	while (start < set->nitems)
	{
		MemoryContext old = MemoryContextSwitchTo(scratch);
		int end = start;
		Size bytes = 0;

		CHECK_FOR_INTERRUPTS();
		while (end < set->nitems && end - start < KG_WRITE_BATCH &&
			   bytes < KG_WRITE_BATCH_BYTES)
			bytes += set->items[end++].len;
		write_batch(apply, counts, set->items + start, end - start, is_new);
		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
		start = end;
	}
}

/* The ids of a type that the payload holds. */
static Datum
payload_ids(const KgApply *apply, const char *type)
{
	static const Oid text_type[] = {TEXTOID};
	const KgPayload *payload = apply->payload;
	KgColumns ids;
	Datum array;

	kg_columns_init(&ids, CurrentMemoryContext, 1, text_type);
	for (int i = 0; i < payload->nsets; i++)
	{
		const KgPayloadSet *set = &payload->sets[i];

		if (strcmp(set->type_name, type) != 0)
			continue;
		for (int j = 0; j < set->nitems; j++)
		{
			kg_columns_add_row(&ids);
			kg_columns_text(&ids, 0, set->items[j].id);
		}
	}
	kg_columns_arrays(&ids, &array);
	return array;
}

/*
 * What is stored of a type and not in the payload.  EXCEPT is linear whatever
 * the planner thinks of the array's length; <> ALL and NOT EXISTS are not.
 */
static void
delete_missing(KgApply *apply, const KgType *type)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID, TEXTOID, TEXTOID, TEXTARRAYOID};
	Datum values[] = {CStringGetTextDatum(apply->tenant),
					  CStringGetTextDatum(apply->payload->name),
					  CStringGetTextDatum(type->name),
					  payload_ids(apply, type->name)};
	KgCounts *counts;

	kg_spi_run(&saved,
			   "DELETE FROM @kg_entity e USING ("
			   "SELECT entity_id FROM @kg_entity WHERE tenant = $1 "
			   "AND bundle = $2 AND entity_type = $3 "
			   "EXCEPT SELECT unnest($4)) gone "
			   "WHERE e.tenant = $1 AND e.bundle = $2 AND e.entity_type = $3 "
			   "AND e.entity_id = gone.entity_id RETURNING e.entity_id",
			   4,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_DELETE_RETURNING);
	if (SPI_processed == 0)
		return;
	counts = kg_apply_counts(apply, &apply->entity_counts, type->name);
	counts->deleted += SPI_processed;
	apply->changed = true;
	for (uint64 i = 0; i < Min(SPI_processed, KG_MAX_SAMPLES); i++)
		kg_apply_sample(
			apply, KG_CHANGE_DELETED, type->name, kg_spi_cstring(i, 1));
	SPI_freetuptable(SPI_tuptable);
}

void
kg_bundle_write_entities(KgApply *apply)
{
	KgPayload *payload = apply->payload;
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph write", ALLOCSET_DEFAULT_SIZES);

	if (!apply->options.merge)
	{
		for (int i = 0; i < apply->before->ntypes; i++)
			if (strcmp(apply->before->types[i]->bundle, payload->name) == 0)
				delete_missing(apply, apply->before->types[i]);
	}
	for (int i = 0; i < payload->nsets; i++)
		write_set(apply, &payload->sets[i], scratch);
	MemoryContextDelete(scratch);
}

/* A stored entity that the new schema refuses is reported like the others. */
static void
revalidate(KgApply *apply, const KgType *type, const char *id,
		   const Jsonb *data)
{
	char *new_id = kg_entity_id(type, data, "", &apply->errors);

	(void) kg_entity_check(type, id, data, "", &apply->errors);
	if (new_id && strcmp(new_id, id) != 0)
	{
		KgError *err = kg_error_new(KG_VALIDATION_FAILED,
									"stored entity would have another id");

		kg_error_keyword(err, "x-id-field");
		kg_error_entity(err, type->name, apply->errors.withhold ? NULL : id);
		if (!apply->errors.withhold)
			kg_error_got_string(err, new_id);
		kg_error_expected(err, "\"x-id-field\" naming the same values");
		kg_error_report(&apply->errors, err);
	}
}

static void
rebuild_type(KgApply *apply, const KgType *type)
{
	static const Oid argtypes[] = {TEXTOID, INT4OID};
	Datum values[] = {CStringGetTextDatum(apply->tenant),
					  Int32GetDatum(type->type_no)};
	Portal portal;
	KgDerivation *d;

	portal = SPI_cursor_open_with_args(
		NULL,
		kg_spi_expand("SELECT entity_id, node, data FROM @kg_entity "
					  "WHERE tenant = $1 AND type_no = $2"),
		2,
		(Oid *) argtypes,
		values,
		NULL,
		false,
		0);
	d = kg_derive_begin(apply->tenant);
	for (;;)
	{
		SPITupleTable *rows;

		SPI_cursor_fetch(portal, true, KG_WRITE_BATCH);
		rows = SPI_tuptable;
		if (SPI_processed == 0)
			break;
		for (uint64 i = 0; i < rows->numvals; i++)
		{
			bool isnull;
			char *id = SPI_getvalue(rows->vals[i], rows->tupdesc, 1);
			int64 node = DatumGetInt64(
				SPI_getbinval(rows->vals[i], rows->tupdesc, 2, &isnull));
			Jsonb *data = DatumGetJsonbP(
				SPI_getbinval(rows->vals[i], rows->tupdesc, 3, &isnull));

			CHECK_FOR_INTERRUPTS();
			revalidate(apply, type, id, data);
			kg_derive_again(d, type->type_no, id, node, data);
		}
		SPI_freetuptable(rows);
	}
	SPI_cursor_close(portal);
	kg_derive_end(d);
}

void
kg_bundle_rebuild(KgApply *apply)
{
	ListCell *lc;

	apply->errors.withhold = !apply->sees_all;
	foreach(lc, apply->type_changes[KG_CHANGE_UPDATED])
		rebuild_type(
			apply,
			kg_catalog_type_in(apply->after, apply->payload->name, lfirst(lc)));
	apply->errors.withhold = false;
}
