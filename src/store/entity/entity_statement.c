/*
 * entity_statement.c
 *	  The triggers of kg_entity at the end of a statement.
 *
 * They update the derived rows (store/derived/derive.h) as the extension's
 * owner, from the transition tables.
 */
#include "postgres.h"

#include "base/extension.h"
#include "base/trigger.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "model/tenant_state.h"
#include "model/writing.h"
#include "store/derived/columns.h"
#include "store/derived/derive.h"
#include "store/entity/entity_row.h"
#include "store/history/freed.h"
#include "store/history/history.h"
#include "store/reference/bound_targets.h"
#include "store/reference/pending.h"
#include "store/reference/scope.h"
#include "store/tenant/quota.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/tuplestore.h"

/* Number of references to rows of users' tables that are looked up at once. */
#define KG_BOUND_AT_ONCE 10000

static const char *const entity_tables[] = {"kg_entity", NULL};

/* The changes of a statement in one tenant. */
typedef struct Work
{
	char *tenant;
	KgDerivation *derivation;
	KgFreed *freed;
	KgHistory *history;	   /* NULL: no change to record yet */
	KgReferenceList bound; /* references to types that read a table */
	const KgCatalog *catalog;
	/* number of the type of the last deleted row; this type is locked */
	int32 locked;
	const KgType *type; /* type of the last row */
} Work;

typedef struct Statement
{
	List *work;	   /* one Work * for each tenant */
	List *tenants; /* names (char *) of the tenants, in the order of work */
	Work *current;
	KgUserContext caller;
	MemoryContext context;
	int places[KG_ROW_COLUMNS]; /* positions of the columns in the rows */
	/*
	 * Another statement may have derived rows from the written entities before
	 * this trigger fired (model/writing.h).
	 */
	bool overtaken;
	bool restores; /* the caller may choose creation times */
	/* versions set by kg_row_begin_version() may be too low for some ids */
	bool takes;
} Statement;

static Work *
work_of(Statement *statement, Datum tenant_datum)
{
	text *tenant = DatumGetTextPP(tenant_datum);
	int len = VARSIZE_ANY_EXHDR(tenant);
	Work *work = statement->current;
	ListCell *lc;

	if (work && strlen(work->tenant) == len &&
		memcmp(work->tenant, VARDATA_ANY(tenant), len) == 0)
		return work;
	/*
	 * Rows of one tenant are mostly adjacent. So when the tenant changes, the
	 * rows derived for the previous tenant are written.
	 */
	if (work)
		kg_derive_flush(work->derivation);
	foreach(lc, statement->work)
	{
		work = lfirst(lc);
		if (strlen(work->tenant) == len &&
			memcmp(work->tenant, VARDATA_ANY(tenant), len) == 0)
			return statement->current = work;
	}
	work = palloc0(sizeof(Work));
	work->tenant = text_to_cstring(tenant);
	work->derivation = kg_derive_begin(work->tenant, &statement->caller);
	kg_derive_of_statement(work->derivation);
	work->freed = kg_freed_begin(work->tenant, statement->takes);
	work->catalog = kg_catalog_newest(work->tenant);
	work->bound.context = AllocSetContextCreate(statement->context,
												"kg_graph bound references",
												ALLOCSET_DEFAULT_SIZES);
	statement->tenants = lappend(statement->tenants, work->tenant);
	statement->work = lappend(statement->work, work);
	return statement->current = work;
}

static Datum
slot_value(const Statement *statement, const TupleTableSlot *slot, int column)
{
	return slot->tts_values[statement->places[column]];
}

static KgVersion
slot_version(const Statement *statement, const TupleTableSlot *slot)
{
	KgVersion version = {
		TextDatumGetCString(slot_value(statement, slot, KG_ROW_ID)),
		DatumGetJsonbP(slot_value(statement, slot, KG_ROW_DATA)),
		DatumGetByteaPP(slot_value(statement, slot, KG_ROW_KEYS))};

	return version;
}

static const KgType *
type_of(Work *work, int32 type_no)
{
	if (work->type == NULL || work->type->type_no != type_no)
		work->type = kg_catalog_type_no(work->catalog, type_no);
	return work->type;
}

/*
 * Returns whether the row is restored from a dump. A role that restores a dump
 * also restores the history of the rows. Only such a role may choose a
 * creation time.
 */
static bool
is_restored(const Statement *statement, const TupleTableSlot *slot)
{
	if (kg_tenant_is_worked_on(slot_value(statement, slot, KG_ROW_TENANT),
							   KG_TENANT_RESTORED))
		return true;
	return statement->restores &&
		   DatumGetTimestampTz(slot_value(statement, slot, KG_ROW_CREATED)) !=
			   GetCurrentTransactionStartTimestamp();
}

static void
read_image(const Statement *statement, const TupleTableSlot *slot,
		   KgImage *image)
{
	image->entity_id = TextDatumGetCString(
		slot_value(statement, slot, KG_ROW_ID));
	image->version = DatumGetInt64(slot_value(statement, slot, KG_ROW_VERSION));
	image->data = DatumGetJsonbP(slot_value(statement, slot, KG_ROW_DATA));
}

static void
keep_history(Statement *statement, Work *work, const KgType *type,
			 const TupleTableSlot *before, const TupleTableSlot *after)
{
	KgImage was;
	KgImage now;
	MemoryContext row_context;

	if (before == NULL && is_restored(statement, after))
		return;
	if (work->history == NULL)
	{
		row_context = MemoryContextSwitchTo(statement->context);
		work->history = kg_history_begin(work->tenant, &statement->caller);
		MemoryContextSwitchTo(row_context);
	}
	if (before)
		read_image(statement, before, &was);
	if (after)
		read_image(statement, after, &now);
	kg_history_entity(work->history,
					  type,
					  DatumGetInt64(slot_value(
						  statement, after ? after : before, KG_ROW_NODE)),
					  before ? &was : NULL,
					  after ? &now : NULL);
}

/*
 * Notes the ids that a row gives up and takes, and records the change in the
 * history.
 */
static void
note_row(Statement *statement, Work *work, const TupleTableSlot *before,
		 const TupleTableSlot *after)
{
	const KgType *type = type_of(
		work,
		DatumGetInt32(
			slot_value(statement, after ? after : before, KG_ROW_TYPE_NO)));
	char *was = NULL;
	char *now = NULL;

	if (type == NULL)
		return;
	if (before)
		was = TextDatumGetCString(slot_value(statement, before, KG_ROW_ID));
	if (after)
		now = TextDatumGetCString(slot_value(statement, after, KG_ROW_ID));
	if (was == NULL || now == NULL || strcmp(was, now) != 0)
	{
		if (was)
			kg_freed_id(
				work->freed,
				type,
				was,
				DatumGetInt64(slot_value(statement, before, KG_ROW_VERSION)));
		if (now)
			kg_freed_taken(work->freed, type, now);
	}
	if (type->history)
		keep_history(statement, work, type, before, after);
}

/*
 * Raises an error if a reference in work->bound leads to a row of a table that
 * does not exist or that the caller does not see.
 */
static void
check_bound(const Statement *statement, Work *work)
{
	MemoryContext context = work->bound.context;
	MemoryContext old = MemoryContextSwitchTo(context);
	KgReferenceList missing = {context};

	kg_bound_references_find(
		work->catalog, &statement->caller, &work->bound, &missing);
	kg_pending_throw(work->catalog, &missing);
	MemoryContextSwitchTo(old);
	MemoryContextReset(context);
	work->bound = (KgReferenceList){context};
}

/*
 * Notes the references of a written row to types that read a table. Does
 * nothing for a role that bypasses policies: it may restore a dump, and the
 * tables may have no rows yet.
 */
static void
note_bound(const Statement *statement, Work *work, int32 type_no, int64 node,
		   const Jsonb *before, const Jsonb *data)
{
	const KgType *type = type_of(work, type_no);

	if (type == NULL || statement->restores)
		return;
	kg_bound_references_of(type, node, before, data, &work->bound);
	if (work->bound.n >= KG_BOUND_AT_ONCE)
		check_bound(statement, work);
}

static void
derive_changed(Statement *statement, TriggerData *trigdata,
			   TupleTableSlot *before, TupleTableSlot *after,
			   MemoryContext row_context)
{
	bool update = TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event);

	tuplestore_rescan(trigdata->tg_newtable);
	if (update)
		tuplestore_rescan(trigdata->tg_oldtable);
	while (kg_row_next(trigdata->tg_newtable, after))
	{
		bool changed = update && kg_row_next(trigdata->tg_oldtable, before);
		Datum tenant = slot_value(statement, after, KG_ROW_TENANT);
		int32 type_no = DatumGetInt32(
			slot_value(statement, after, KG_ROW_TYPE_NO));
		int64 node = DatumGetInt64(slot_value(statement, after, KG_ROW_NODE));
		Work *work;
		KgDerivation *d;
		MemoryContext old;
		KgVersion now;

		if (kg_tenant_is_worked_on(tenant, KG_TENANT_WHOLE))
			continue;
		work = work_of(statement, tenant);
		d = work->derivation;
		old = MemoryContextSwitchTo(row_context);
		now = slot_version(statement, after);
		if (statement->overtaken)
		{
			KgVersion was = changed ? slot_version(statement, before) : now;

			kg_derive_overtaken(d, type_no, node, &was);
			if (changed)
				kg_derive_overtaken(d, type_no, node, &now);
		}
		else if (changed)
		{
			KgVersion was = slot_version(statement, before);

			kg_derive_updated(d, type_no, node, &was, &now);
		}
		else if (!update)
			kg_derive_inserted(
				d, type_no, now.entity_id, node, now.data, now.keys);
		if (changed || !update)
		{
			note_bound(statement,
					   work,
					   type_no,
					   node,
					   changed ? slot_version(statement, before).data : NULL,
					   now.data);
			note_row(statement, work, changed ? before : NULL, after);
		}
		MemoryContextSwitchTo(old);
		MemoryContextReset(row_context);
	}
}

/*
 * Locks the type of a deleted row. The BEFORE trigger has not locked it, and
 * the type's schema may have changed while the statement waited for the row's
 * lock.
 */
static void
lock_type(Work *work, int32 type_no)
{
	if (work->locked == type_no)
		return;
	work->catalog = kg_derive_lock_type(work->derivation, type_no);
	work->locked = type_no;
	work->type = NULL;
}

static void
derive_deleted(Statement *statement, TriggerData *trigdata,
			   TupleTableSlot *slot, MemoryContext row_context)
{
	tuplestore_rescan(trigdata->tg_oldtable);
	while (kg_row_next(trigdata->tg_oldtable, slot))
	{
		Datum tenant = slot_value(statement, slot, KG_ROW_TENANT);
		Work *work;
		KgDerivation *d;
		MemoryContext old;
		int32 type_no = DatumGetInt32(
			slot_value(statement, slot, KG_ROW_TYPE_NO));
		int64 node = DatumGetInt64(slot_value(statement, slot, KG_ROW_NODE));
		KgVersion was;

		if (kg_tenant_is_worked_on(tenant, KG_TENANT_WHOLE))
			continue;
		work = work_of(statement, tenant);
		d = work->derivation;
		old = MemoryContextSwitchTo(row_context);
		was.entity_id = TextDatumGetCString(
			slot_value(statement, slot, KG_ROW_ID));
		was.data = NULL;
		was.keys = DatumGetByteaPP(slot_value(statement, slot, KG_ROW_KEYS));
		lock_type(work, type_no);
		if (statement->overtaken)
		{
			/*
			 * The entity may have been created again. So its old edges are
			 * deleted before new edges are inserted.
			 */
			kg_writing_row(type_no);
			kg_derive_overtaken(d, type_no, node, &was);
		}
		else
			kg_derive_deleted(d, type_no, was.entity_id, node, was.keys);
		note_row(statement, work, slot, NULL);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row_context);
	}
}

PG_FUNCTION_INFO_V1(kg_sql_derive_entities);

Datum
kg_sql_derive_entities(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	Statement statement = {NIL};
	TupleDesc tupdesc;
	TupleTableSlot *before;
	TupleTableSlot *after;
	MemoryContext row_context;
	bool others;
	ListCell *lc;

	kg_trigger_require(fcinfo,
					   "kg_derive_entities",
					   KG_TRIGGER_AFTER | KG_TRIGGER_STATEMENT |
						   KG_TRIGGER_ROWS,
					   entity_tables);
	tupdesc = RelationGetDescr(trigdata->tg_relation);
	kg_find_columns(tupdesc, kg_row_columns, KG_ROW_COLUMNS, statement.places);
	others = trigdata->tg_newtable && kg_row_is_overwritten(trigdata);
	if (others)
		kg_rows_check_final(trigdata, statement.places);
	statement.overtaken = kg_writing_overtaken();
	statement.restores = check_enable_rls(
							 RelationGetRelid(trigdata->tg_relation),
							 InvalidOid,
							 true) != RLS_ENABLED;
	statement.takes = trigdata->tg_newtable &&
					  (others || !kg_writing_undisturbed());
	kg_become_owner(&statement.caller);
	SPI_connect();
	statement.context = CurrentMemoryContext;
	before = MakeSingleTupleTableSlot(tupdesc, &TTSOpsMinimalTuple);
	after = MakeSingleTupleTableSlot(tupdesc, &TTSOpsMinimalTuple);
	row_context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph row", ALLOCSET_DEFAULT_SIZES);
	if (TRIGGER_FIRED_BY_DELETE(trigdata->tg_event))
		derive_deleted(&statement, trigdata, before, row_context);
	else
		derive_changed(&statement, trigdata, before, after, row_context);
	foreach(lc, statement.work)
	{
		Work *work = lfirst(lc);

		if (work->history)
			kg_history_end(work->history);
		check_bound(&statement, work);
		kg_derive_settle(work->derivation);
	}
	kg_writing_derived(trigdata->tg_event);
	foreach(lc, kg_statement_tenants(NIL))
		(void) work_of(&statement,
					   PointerGetDatum(cstring_to_text(lfirst(lc))));
	foreach(lc, statement.work)
	{
		Work *work = lfirst(lc);

		kg_derive_end(work->derivation);
		kg_freed_end(work->freed);
	}
	kg_quota_count(trigdata, statement.tenants, KG_LIMIT_ENTITIES, "data");
	ExecDropSingleTupleTableSlot(before);
	ExecDropSingleTupleTableSlot(after);
	SPI_finish();
	kg_restore_user(&statement.caller);
	return PointerGetDatum(NULL);
}
