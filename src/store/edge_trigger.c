/*
 * edge_trigger.c
 *	  The statement trigger of kg_edge: explicit edges are checked set-wise, a
 *	  tenant at a time, in batches.
 *
 * Derived edges are written by the maintenance of references, as the owner;
 * the policies let nobody else write a row with a property.
 */
#include "postgres.h"

#include "base/extension.h"
#include "base/settings.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "store/check.h"
#include "store/edges.h"
#include "store/twice.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

PGDLLEXPORT Datum kg_sql_check_edges(PG_FUNCTION_ARGS);

/* Columns of kg_edge that are looked at. */
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
			MemoryContext context)
{
	KgErrorList errors = {NIL, kg_setting_max_errors, 0};
	MemoryContext old = MemoryContextSwitchTo(context);

	if (batch->nrows > 0)
	{
		KgEdgeReport report = {"", NULL, false, &errors};

		kg_edges_check(kg_edges_lock(tenant, batch), caller, batch, &report);
		kg_throw_violations(&errors, "edges are not valid");
		kg_refuse_edges_twice(tenant, batch);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(context);
	kg_edges_init(batch, context);
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

static void
check_rows(Tuplestorestate *store, const KgUserContext *caller,
		   TupleTableSlot *slot)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph edges", ALLOCSET_DEFAULT_SIZES);
	KgColumns batch;
	char *tenant = NULL;
	int places[NCOLS];

	kg_find_columns(slot->tts_tupleDescriptor, columns, NCOLS, places);
	kg_edges_init(&batch, context);
	tuplestore_rescan(store);
	while (tuplestore_gettupleslot(store, true, false, slot))
	{
		text *row_tenant;
		int len;

		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(slot);
		if (!slot->tts_isnull[places[COL_PROPERTY]])
			continue;
		row_tenant = DatumGetTextPP(slot->tts_values[places[COL_TENANT]]);
		len = VARSIZE_ANY_EXHDR(row_tenant);
		if (batch.nrows >= KG_EDGE_BATCH ||
			(tenant && (strlen(tenant) != len ||
						memcmp(tenant, VARDATA_ANY(row_tenant), len) != 0)))
			check_batch(tenant, caller, &batch, context);
		if (batch.nrows == 0)
			tenant = text_to_cstring(row_tenant);
		take_row(&batch, slot, places);
	}
	if (batch.nrows > 0)
		check_batch(tenant, caller, &batch, context);
	MemoryContextDelete(context);
}

PG_FUNCTION_INFO_V1(kg_sql_check_edges);

Datum
kg_sql_check_edges(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	KgUserContext saved;
	TupleTableSlot *slot;

	if (!CALLED_AS_TRIGGER(fcinfo) ||
		!TRIGGER_FIRED_AFTER(trigdata->tg_event) ||
		TRIGGER_FIRED_FOR_ROW(trigdata->tg_event) ||
		trigdata->tg_newtable == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("function \"%s\" was not called as the trigger "
						"it is",
						"kg_check_edges")));
	kg_become_owner(&saved);
	SPI_connect();
	slot = MakeSingleTupleTableSlot(RelationGetDescr(trigdata->tg_relation),
									&TTSOpsMinimalTuple);
	check_rows(trigdata->tg_newtable, &saved, slot);
	ExecDropSingleTupleTableSlot(slot);
	SPI_finish();
	kg_restore_user(&saved);
	return PointerGetDatum(NULL);
}
