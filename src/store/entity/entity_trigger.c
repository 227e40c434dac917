/*
 * entity_trigger.c
 *	  The triggers of kg_entity before a row or a statement.
 *
 * The BEFORE ROW trigger finds the tenant and the type. It sets entity_id,
 * type_no, scope and version from the data, and rejects rows that violate the
 * type's schema (store/entity/entity_row.c). If triggers of a DBA fire after
 * it, the stored rows are checked again.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/error.h"
#include "base/trigger.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "model/tenant_state.h"
#include "replication/logicalworker.h"
#include "store/derived/columns.h"
#include "store/entity/entity_row.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

static const char *const entity_tables[] = {"kg_entity", NULL};

/*
 * Raises an error for a write by logical replication. The apply worker fires
 * no statement triggers, so keys, terms and edges would be missing and other
 * sessions would not be notified. A superuser that sets
 * session_replication_role is permitted, because kg_graph's triggers are
 * ENABLE ALWAYS.
 */
static void
refuse_replication(const TriggerData *trigdata)
{
	if (IsLogicalWorker())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("table \"%s\" of kg_graph cannot be a target of "
						"logical replication",
						RelationGetRelationName(trigdata->tg_relation)),
				 errhint("Use a physical standby, pg_dump, or "
						 "kg_export_bundle() and kg_apply_bundle().")));
}

/*
 * A row: "stored" has all columns in the order of the table, and "values" has
 * the columns in kg_row_columns, in the order of KG_ROW_*.
 */
typedef struct Row
{
	Datum *stored;
	bool *stored_nulls;
	Datum values[KG_ROW_COLUMNS];
	bool nulls[KG_ROW_COLUMNS];
} Row;

static void
read_row(Row *row, HeapTuple tuple, TupleDesc desc, const int *places)
{
	row->stored = palloc(desc->natts * sizeof(Datum));
	row->stored_nulls = palloc(desc->natts * sizeof(bool));
	heap_deform_tuple(tuple, desc, row->stored, row->stored_nulls);
	for (int i = 0; i < KG_ROW_COLUMNS; i++)
	{
		row->values[i] = row->stored[places[i]];
		row->nulls[i] = row->stored_nulls[places[i]];
	}
}

static HeapTuple
form_row(Row *row, TupleDesc desc, const int *places)
{
	for (int i = 0; i < KG_ROW_COLUMNS; i++)
	{
		row->stored[places[i]] = row->values[i];
		row->stored_nulls[places[i]] = row->nulls[i];
	}
	return heap_form_tuple(desc, row->stored, row->stored_nulls);
}

PG_FUNCTION_INFO_V1(kg_sql_check_entity);

Datum
kg_sql_check_entity(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	TupleDesc tupdesc;
	HeapTuple tuple;
	Row old;
	Row new;
	int places[KG_ROW_COLUMNS];
	const KgType *type;
	bool update;

	kg_trigger_require(fcinfo,
					   "kg_check_entity",
					   KG_TRIGGER_BEFORE | KG_TRIGGER_ROW,
					   entity_tables);
	refuse_replication(trigdata);
	tupdesc = RelationGetDescr(trigdata->tg_relation);
	kg_find_columns(tupdesc, kg_row_columns, KG_ROW_COLUMNS, places);
	update = TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event);
	tuple = update ? trigdata->tg_newtuple : trigdata->tg_trigtuple;
	if (update)
		read_row(&old, trigdata->tg_trigtuple, tupdesc, places);
	read_row(&new, tuple, tupdesc, places);
	if (update && !new.nulls[KG_ROW_TENANT] &&
		kg_tenant_is_worked_on(new.values[KG_ROW_TENANT], KG_TENANT_WHOLE))
		return PointerGetDatum(tuple);
	if (update)
		kg_row_check_unchanged(old.values, new.values, new.nulls);
	type = kg_row_complete(
		trigdata, update ? old.values : NULL, new.values, new.nulls);
	if (!update)
	{
		kg_row_fill_node(new.values, new.nulls);
		kg_row_refuse_given(new.values);
	}
	if (!update || !kg_row_same_id(old.values, new.values))
		kg_row_begin_version(type, new.values);
	return PointerGetDatum(form_row(&new, tupdesc, places));
}

bool
kg_row_is_overwritten(const TriggerData *trigdata)
{
	const TriggerDesc *desc = trigdata->tg_relation->trigdesc;
	bool update = TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event);

	for (int i = 0; desc && i < desc->numtriggers; i++)
	{
		const Trigger *trigger = &desc->triggers[i];
		bool fires = update ? TRIGGER_FOR_UPDATE(trigger->tgtype)
							: TRIGGER_FOR_INSERT(trigger->tgtype);

		if (fires && TRIGGER_FOR_BEFORE(trigger->tgtype) &&
			TRIGGER_FOR_ROW(trigger->tgtype) &&
			strcmp(trigger->tgname, "kg_entity_before") > 0 &&
			strcmp(trigger->tgname, "kg_no_replication") != 0)
			return true;
	}
	return false;
}

static KG_NORETURN void
throw_overwritten(const char *column)
{
	KG_THROW(
		KG_FORBIDDEN,
		.message = psprintf("a trigger that fires after kg_entity_before sets "
							"a wrong value in column \"%s\" of kg_entity",
							column),
		.path = psprintf("/%s", column),
		.expected = "a trigger whose name comes before kg_entity_before, and "
					"which changes no column but data");
}

static void
read_slot(const TupleTableSlot *slot, const int *places, Datum *values,
		  bool *nulls)
{
	for (int i = 0; i < KG_ROW_COLUMNS; i++)
	{
		values[i] = slot->tts_values[places[i]];
		nulls[i] = slot->tts_isnull[places[i]];
	}
}

/*
 * Raises an error if the stored row differs from the row that kg_graph's
 * trigger returned.
 */
static void
check_final_row(const TriggerData *trigdata, TupleTableSlot *before,
				TupleTableSlot *after, const int *places)
{
	TupleDesc tupdesc = after->tts_tupleDescriptor;
	Datum old[KG_ROW_COLUMNS];
	Datum values[KG_ROW_COLUMNS];
	bool nulls[KG_ROW_COLUMNS];
	Datum version;

	if (before)
		read_slot(before, places, old, nulls);
	read_slot(after, places, values, nulls);
	version = values[KG_ROW_VERSION];
	if (before)
		kg_row_check_unchanged(old, values, nulls);
	else
		kg_row_require_node(values, nulls);
	kg_row_complete(trigdata, old, values, nulls);
	if (!before)
	{
		const char *given = kg_row_given_column(values, true);

		if (given)
			throw_overwritten(given);
	}
	/*
	 * kg_entity_before has set the version above the last version of the new
	 * id, so a higher stored version is correct. If another session has freed
	 * the id since then, kg_freed_end() corrects the version.
	 */
	else if (!kg_row_same_id(old, values) &&
			 DatumGetInt64(version) > DatumGetInt64(values[KG_ROW_VERSION]))
		values[KG_ROW_VERSION] = version;
	for (int i = 0; i < KG_ROW_COLUMNS; i++)
	{
		Form_pg_attribute column = TupleDescAttr(tupdesc, places[i]);

		if (nulls[i] != after->tts_isnull[places[i]] ||
			(!nulls[i] && !datum_image_eq(values[i],
										  after->tts_values[places[i]],
										  column->attbyval,
										  column->attlen)))
			throw_overwritten(NameStr(column->attname));
	}
}

void
kg_rows_check_final(TriggerData *trigdata, const int *places)
{
	TupleDesc tupdesc = RelationGetDescr(trigdata->tg_relation);
	bool update = TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event);
	TupleTableSlot *before = MakeSingleTupleTableSlot(tupdesc,
													  &TTSOpsMinimalTuple);
	TupleTableSlot *after = MakeSingleTupleTableSlot(tupdesc,
													 &TTSOpsMinimalTuple);
	MemoryContext row_context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph row", ALLOCSET_DEFAULT_SIZES);

	tuplestore_rescan(trigdata->tg_newtable);
	if (update)
		tuplestore_rescan(trigdata->tg_oldtable);
	while (kg_row_next(trigdata->tg_newtable, after))
	{
		MemoryContext old;

		if (update && !kg_row_next(trigdata->tg_oldtable, before))
			break;
		if (kg_tenant_is_worked_on(after->tts_values[places[KG_ROW_TENANT]],
								   KG_TENANT_WHOLE))
			continue;
		old = MemoryContextSwitchTo(row_context);
		check_final_row(trigdata, update ? before : NULL, after, places);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row_context);
	}
	ExecDropSingleTupleTableSlot(before);
	ExecDropSingleTupleTableSlot(after);
	MemoryContextDelete(row_context);
}

PG_FUNCTION_INFO_V1(kg_sql_refuse_replication);

Datum
kg_sql_refuse_replication(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;

	kg_trigger_require(fcinfo,
					   "kg_refuse_replication",
					   KG_TRIGGER_BEFORE | KG_TRIGGER_ROW,
					   NULL);
	refuse_replication(trigdata);
	return PointerGetDatum(TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event)
							   ? trigdata->tg_newtuple
							   : trigdata->tg_trigtuple);
}

PG_FUNCTION_INFO_V1(kg_sql_refuse_truncate);

/*
 * Refuses TRUNCATE, which would leave derived rows, and references without
 * targets.
 */
Datum
kg_sql_refuse_truncate(PG_FUNCTION_ARGS)
{
	kg_trigger_require(fcinfo,
					   "kg_refuse_truncate",
					   KG_TRIGGER_BEFORE | KG_TRIGGER_STATEMENT,
					   NULL);
	KG_THROW(KG_FORBIDDEN,
			 .message = psprintf(
				 "table \"%s\" of kg_graph cannot be truncated",
				 RelationGetRelationName(
					 ((TriggerData *) fcinfo->context)->tg_relation)),
			 .expected = "DELETE, kg_drop_bundle() or kg_drop_tenant()");
}
