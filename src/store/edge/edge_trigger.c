/*
 * edge_trigger.c
 *	  The statement triggers of kg_edge. They check explicit edges in batches,
 *	  one tenant at a time, record the history of edges, and update counts of
 *	  edges.
 *
 * Derived edges (rows with a property) are written as the extension's owner by
 * the functions that maintain references. Policies prevent other roles from
 * writing such rows.
 */
#include "postgres.h"

#include "base/extension.h"
#include "base/settings.h"
#include "base/trigger.h"
#include "catalog/pg_collation.h"
#include "model/tenant_state.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "store/check/check.h"
#include "store/derived/counted.h"
#include "store/edge/edge_ends.h"
#include "store/edge/edges.h"
#include "store/history/history.h"
#include "store/edge/symmetric.h"
#include "store/edge/twice.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/tuplestore.h"

/* Columns of kg_edge that the triggers read. */
enum
{
	COL_TENANT,
	COL_SOURCE,
	COL_RELATION,
	COL_TARGET,
	COL_KEY,
	COL_PROPERTY,
	COL_PROPERTIES,
	NCOLS
};

static const char *const columns[NCOLS] = {"tenant",
										   "source",
										   "relation_no",
										   "target",
										   "key",
										   "property",
										   "properties"};

#define KG_EDGE_BATCH 10000

static void
check_batch(const char *tenant, const KgUserContext *caller, KgColumns *batch,
			bool made, MemoryContext context)
{
	KgErrorList errors = {NIL, kg_setting_max_errors, 0};
	MemoryContext old = MemoryContextSwitchTo(context);

	if (batch->nrows > 0)
	{
		KgEdgeReport report = {"", NULL, false, &errors};
		const KgCatalog *catalog = kg_edges_lock(tenant, batch);

		if (made)
			kg_symmetric_lock(catalog, batch);
		kg_edges_check(catalog, caller, batch, &report);
		kg_throw_violations(&errors, "edges are not valid");
		kg_refuse_edges_twice(tenant, batch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(context);
	kg_edges_init(batch, context);
}

static bool
next_row(Tuplestorestate *store, TupleTableSlot *slot)
{
	CHECK_FOR_INTERRUPTS();
	return tuplestore_gettupleslot(store, true, false, slot);
}

static bool
is_empty(Datum key)
{
	return VARSIZE_ANY_EXHDR(DatumGetPointer(key)) == 0;
}

static void
take_row(KgColumns *batch, TupleTableSlot *slot, const int *places)
{
	MemoryContext old = MemoryContextSwitchTo(batch->context);

	kg_edges_add(
		batch,
		DatumGetInt64(slot->tts_values[places[COL_SOURCE]]),
		DatumGetInt32(slot->tts_values[places[COL_RELATION]]),
		DatumGetInt64(slot->tts_values[places[COL_TARGET]]),
		is_empty(slot->tts_values[places[COL_KEY]])
			? ""
			: TextDatumGetCString(slot->tts_values[places[COL_KEY]]),
		slot->tts_isnull[places[COL_PROPERTIES]]
			? NULL
			: DatumGetJsonbPCopy(slot->tts_values[places[COL_PROPERTIES]]));
	MemoryContextSwitchTo(old);
}

/* Returns whether an update changes the identity of an edge. */
static bool
is_another(const TupleTableSlot *before, const TupleTableSlot *after,
		   const int *places)
{
	const Datum *was = before->tts_values;
	const Datum *now = after->tts_values;
	Datum was_key = was[places[COL_KEY]];
	Datum now_key = now[places[COL_KEY]];

	return DatumGetInt64(was[places[COL_SOURCE]]) !=
			   DatumGetInt64(now[places[COL_SOURCE]]) ||
		   DatumGetInt32(was[places[COL_RELATION]]) !=
			   DatumGetInt32(now[places[COL_RELATION]]) ||
		   DatumGetInt64(was[places[COL_TARGET]]) !=
			   DatumGetInt64(now[places[COL_TARGET]]) ||
		   !DatumGetBool(DirectFunctionCall2Coll(
			   texteq, C_COLLATION_OID, was_key, now_key));
}

static void
check_rows(TriggerData *trigdata, const KgUserContext *caller)
{
	TupleDesc desc = RelationGetDescr(trigdata->tg_relation);
	Tuplestorestate *old_rows = trigdata->tg_oldtable;
	Tuplestorestate *new_rows = trigdata->tg_newtable;
	TupleTableSlot *before = MakeSingleTupleTableSlot(desc,
													  &TTSOpsMinimalTuple);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	bool made = false; /* the batch contains a new edge */

	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph edges", ALLOCSET_DEFAULT_SIZES);
	KgColumns batch;
	char *tenant = NULL;
	int places[NCOLS];

	kg_find_columns(desc, columns, NCOLS, places);
	kg_edges_init(&batch, context);
	tuplestore_rescan(new_rows);
	if (old_rows)
		tuplestore_rescan(old_rows);
	while (next_row(new_rows, slot) &&
		   (old_rows == NULL || next_row(old_rows, before)))
	{
		text *row_tenant;
		int len;

		slot_getallattrs(slot);
		if (old_rows)
			slot_getallattrs(before);
		if (!slot->tts_isnull[places[COL_PROPERTY]] ||
			kg_tenant_is_worked_on(slot->tts_values[places[COL_TENANT]],
								   KG_TENANT_WHOLE))
			continue;
		row_tenant = DatumGetTextPP(slot->tts_values[places[COL_TENANT]]);
		len = VARSIZE_ANY_EXHDR(row_tenant);
		if (batch.nrows >= KG_EDGE_BATCH ||
			(tenant && (strlen(tenant) != len ||
						memcmp(tenant, VARDATA_ANY(row_tenant), len) != 0)))
			check_batch(tenant, caller, &batch, made, context);
		if (batch.nrows == 0)
		{
			tenant = text_to_cstring(row_tenant);
			made = false;
		}
		made |= old_rows == NULL || is_another(before, slot, places);
		take_row(&batch, slot, places);
	}
	if (batch.nrows > 0)
		check_batch(tenant, caller, &batch, made, context);
	MemoryContextDelete(context);
	ExecDropSingleTupleTableSlot(before);
	ExecDropSingleTupleTableSlot(slot);
}

/* ---- history and counts ---- */

/* The history and the counts that a statement writes, one tenant at a time. */
typedef struct Keeping
{
	const KgUserContext *caller;
	bool restored;
	int places[NCOLS];
	MemoryContext row; /* memory for reading one row */
	char *tenant;	   /* NULL: before the first row */
	/* the statement rewrites the whole tenant, with all derived rows */
	bool whole;
	/* the history is restored or rewritten too, so it is not recorded */
	bool own;
	const KgCatalog *catalog;
	KgCountChanges *counts;		/* NULL: the tenant has no counts */
	bool counts_later;			/* an outer call writes the counts */
	KgHistory *history;			/* NULL: there are no changes to write yet */
	const KgRelation *relation; /* relation of the last row, or NULL */
	int32 relation_no;
} Keeping;

static void
end_tenant(Keeping *keeping)
{
	if (keeping->history)
		kg_history_end(keeping->history);
	keeping->history = NULL;
	if (keeping->counts && !keeping->counts_later)
		kg_counted_end(keeping->counts);
	keeping->counts = NULL;
}

static void
begin_tenant(Keeping *keeping, Datum tenant_datum)
{
	text *tenant = DatumGetTextPP(tenant_datum);
	int len = VARSIZE_ANY_EXHDR(tenant);

	if (keeping->tenant && strlen(keeping->tenant) == len &&
		memcmp(keeping->tenant, VARDATA_ANY(tenant), len) == 0)
		return;
	end_tenant(keeping);
	keeping->tenant = text_to_cstring(tenant);
	keeping->whole = kg_tenant_is_worked_on(tenant_datum, KG_TENANT_WHOLE);
	keeping->own = keeping->restored || keeping->whole ||
				   kg_tenant_is_worked_on(tenant_datum, KG_TENANT_RESTORED);
	keeping->relation_no = 0;
	if (keeping->whole)
		return;
	keeping->catalog = kg_counted_share(keeping->tenant);
	if (!kg_catalog_has(keeping->catalog, KG_TRAIT_COUNTS))
		return;
	keeping->counts = kg_edge_ends_counts(keeping->catalog);
	keeping->counts_later = keeping->counts != NULL;
	if (keeping->counts == NULL)
		keeping->counts = kg_counted_begin(keeping->catalog);
}

/*
 * Returns the relation of a row, or NULL if the relation has no history. If no
 * relation of the tenant has history, reads only the tenant of the row.
 */
static const KgRelation *
kept_relation(Keeping *keeping, TupleTableSlot *slot)
{
	int tenant = keeping->places[COL_TENANT];
	int32 number;

	slot_getsomeattrs(slot, tenant + 1);
	begin_tenant(keeping, slot->tts_values[tenant]);
	if (!keeping->catalog->edge_history)
		return NULL;
	slot_getallattrs(slot);
	number = DatumGetInt32(slot->tts_values[keeping->places[COL_RELATION]]);
	if (keeping->relation_no != number)
		keeping->relation = kg_catalog_relation_no(keeping->catalog, number);
	keeping->relation_no = number;
	return keeping->relation && keeping->relation->history ? keeping->relation
														   : NULL;
}

static void
read_image(const Keeping *keeping, const TupleTableSlot *slot,
		   KgEdgeImage *image)
{
	const Datum *values = slot->tts_values;
	int properties = keeping->places[COL_PROPERTIES];

	image->source = DatumGetInt64(values[keeping->places[COL_SOURCE]]);
	image->target = DatumGetInt64(values[keeping->places[COL_TARGET]]);
	image->key = DatumGetTextPP(values[keeping->places[COL_KEY]]);
	image->properties = slot->tts_isnull[properties]
							? NULL
							: DatumGetJsonbP(values[properties]);
}

static void
keep_image(Keeping *keeping, const KgRelation *relation,
		   const TupleTableSlot *before, const TupleTableSlot *after)
{
	KgEdgeImage was;
	KgEdgeImage now;
	MemoryContext old;

	if (relation == NULL)
		return;
	if (keeping->history == NULL)
		keeping->history = kg_history_begin(keeping->tenant, keeping->caller);
	old = MemoryContextSwitchTo(keeping->row);
	if (before)
		read_image(keeping, before, &was);
	if (after)
		read_image(keeping, after, &now);
	kg_history_edge(
		keeping->history, relation, before ? &was : NULL, after ? &now : NULL);
	MemoryContextSwitchTo(old);
	MemoryContextReset(keeping->row);
}

static void
count_row(Keeping *keeping, TupleTableSlot *slot, bool made)
{
	int tenant = keeping->places[COL_TENANT];
	const Datum *values = slot->tts_values;

	slot_getsomeattrs(slot, tenant + 1);
	begin_tenant(keeping, values[tenant]);
	if (keeping->counts == NULL)
		return;
	slot_getallattrs(slot);
	kg_counted_edge(keeping->counts,
					DatumGetInt64(values[keeping->places[COL_SOURCE]]),
					DatumGetInt32(values[keeping->places[COL_RELATION]]),
					DatumGetInt64(values[keeping->places[COL_TARGET]]),
					made);
}

/*
 * Counts the change of an edge. Records it in the history, unless the function
 * that makes the change writes the history itself. If the relation changes,
 * records a deletion and a creation.
 */
static void
keep_row(Keeping *keeping, TupleTableSlot *before, TupleTableSlot *after)
{
	const KgRelation *was;
	const KgRelation *now;

	if (before)
		count_row(keeping, before, false);
	if (after)
		count_row(keeping, after, true);
	if (keeping->own)
		return;
	was = before ? kept_relation(keeping, before) : NULL;
	now = after ? kept_relation(keeping, after) : NULL;
	if (was && was == now)
	{
		keep_image(keeping, now, before, after);
		return;
	}
	if (before)
		keep_image(keeping, was, before, NULL);
	if (after)
		keep_image(keeping, now, NULL, after);
}

/*
 * Returns whether a dump is being restored. The script of a dump turns row
 * security off, and contains the history of edges.
 */
static bool
is_restored(void)
{
	return !row_security && has_bypassrls_privilege(GetOuterUserId());
}

static void
follow_rows(TriggerData *trigdata, const KgUserContext *caller)
{
	TupleDesc desc = RelationGetDescr(trigdata->tg_relation);
	Tuplestorestate *old_rows = trigdata->tg_oldtable;
	Tuplestorestate *new_rows = trigdata->tg_newtable;
	TupleTableSlot *before;
	TupleTableSlot *after;
	Keeping keeping = {caller, is_restored()};

	before = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	after = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	keeping.row = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph row", ALLOCSET_DEFAULT_SIZES);
	kg_find_columns(desc, columns, NCOLS, keeping.places);
	if (old_rows)
		tuplestore_rescan(old_rows);
	if (new_rows)
		tuplestore_rescan(new_rows);
	while ((old_rows == NULL || next_row(old_rows, before)) &&
		   (new_rows == NULL || next_row(new_rows, after)))
		keep_row(&keeping, old_rows ? before : NULL, new_rows ? after : NULL);
	end_tenant(&keeping);
	MemoryContextDelete(keeping.row);
	ExecDropSingleTupleTableSlot(before);
	ExecDropSingleTupleTableSlot(after);
}

static const char *const edge_tables[] = {"kg_edge", NULL};

PG_FUNCTION_INFO_V1(kg_sql_check_edges);

Datum
kg_sql_check_edges(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	KgUserContext saved;

	kg_trigger_require(fcinfo,
					   "kg_check_edges",
					   KG_TRIGGER_AFTER | KG_TRIGGER_STATEMENT |
						   KG_TRIGGER_ROWS,
					   edge_tables);
	kg_become_owner(&saved);
	SPI_connect();
	if (trigdata->tg_newtable)
		check_rows(trigdata, &saved);
	follow_rows(trigdata, &saved);
	SPI_finish();
	kg_restore_user(&saved);
	return PointerGetDatum(NULL);
}
