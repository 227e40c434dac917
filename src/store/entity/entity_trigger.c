/*
 * entity_trigger.c
 *	  The triggers of kg_entity.
 *
 * The BEFORE ROW trigger finds the tenant and the type, fills in entity_id,
 * type_no, scope and version from the data, and refuses rows that the type's
 * schema refuses. The AFTER STATEMENT triggers update the derived rows
 * (store/derived/derive.h) as the extension's owner, from the transition
 * tables.
 *
 * The table is never looked up by its name, because it has another name on a
 * shard.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "auth/agent.h"
#include "auth/identity.h"
#include "auth/owner.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/settings.h"
#include "base/trigger.h"
#include "model/lock.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_trigger.h"
#include "model/tenant_state.h"
#include "model/writing.h"
#include "commands/sequence.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "replication/logicalworker.h"
#include "store/check/check.h"
#include "store/derived/derive.h"
#include "store/derived/extract.h"
#include "store/history/freed.h"
#include "store/history/history.h"
#include "store/tenant/quota.h"
#include "store/reference/scope.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

/* Columns of kg_entity, as indexes into arrays of values. */
enum
{
	COL_TENANT,
	COL_BUNDLE,
	COL_TYPE,
	COL_ID,
	COL_NODE,
	COL_TYPE_NO,
	COL_SCOPE,
	COL_VERSION,
	COL_CREATED,
	COL_UPDATED,
	COL_DATA,
	COL_KEYS,
	NCOLS
};

static const char *const columns[NCOLS] = {"tenant",
										   "bundle",
										   "entity_type",
										   "entity_id",
										   "node",
										   "type_no",
										   "scope",
										   "version",
										   "created_at",
										   "updated_at",
										   "data",
										   "index_keys"};

static const char *const entity_tables[] = {"kg_entity", NULL};

/*
 * Returns the tenant of a row. A role that is subject to row security writes
 * only for its own tenant. The policy requires this too, but only after this
 * trigger has read the tenant's catalog.
 */
static char *
row_tenant(const Datum *values, const bool *nulls, bool bound)
{
	char *tenant;
	char *own;

	if (nulls[COL_TENANT])
		return (char *) kg_identity_require(KG_ACCESS_WRITE);
	tenant = TextDatumGetCString(values[COL_TENANT]);
	if (!bound)
		return tenant;
	own = (char *) kg_identity_require(KG_ACCESS_WRITE);
	if (strcmp(own, tenant) == 0)
		return tenant;
	kg_tenant_refuse_renamed(tenant, own);
	kg_error_throw(
		kg_error_new(KG_FORBIDDEN, "row of another tenant than the caller's"));
}

/*
 * Returns the type of a row, locked against changes of its schema. Runs as the
 * owner, so the result does not depend on policies of the catalog tables. For a
 * caller with an agent, types of other bundles do not exist, and their schemas
 * are not used in errors.
 */
static const KgType *
locked_type(const char *tenant, const char *bundle, const char *name,
			bool bound)
{
	KgUserContext saved;
	const KgType *type;
	char *handle = psprintf("%s/%s", bundle, name);

	if (bound && kg_agent_hides_bundles())
		(void) kg_catalog_require_type(
			kg_catalog_newest(tenant), handle, "/entity_type");
	kg_become_owner(&saved);
	for (;;)
	{
		type = kg_catalog_require_type(
			kg_catalog_newest(tenant), handle, "/entity_type");
		if (!kg_lock_type_shared(type->type_no))
			break;
	}
	kg_restore_user(&saved);
	return type;
}

static char *
required_text(const Datum *values, const bool *nulls, int column,
			  const char *name)
{
	KgError *err;

	if (!nulls[column])
		return TextDatumGetCString(values[column]);
	err = kg_error_new(
		KG_INVALID_INPUT, "column \"%s\" of kg_entity has no value", name);
	kg_error_path(err, "/%s", name);
	kg_error_expected(
		err, "INSERT INTO kg_entity(bundle, entity_type, data) VALUES (...)");
	kg_error_throw(err);
}

static void
refuse_change(const char *column)
{
	KgError *err = kg_error_new(KG_INVALID_INPUT,
								"column \"%s\" of kg_entity cannot be changed",
								column);

	kg_error_path(err, "/%s", column);
	kg_error_throw_expected(err, "DELETE and INSERT instead");
}

static bool
same_text(Datum a, Datum b)
{
	return DatumGetBool(DirectFunctionCall2Coll(texteq, C_COLLATION_OID, a, b));
}

static bool
same_id(const Datum *old, const Datum *values)
{
	return same_text(old[COL_ID], values[COL_ID]);
}

/* Refuses an UPDATE of columns that cannot change. */
static void
check_unchanged(const Datum *old, const Datum *values, const bool *nulls)
{
	static const struct
	{
		int column;
		const char *name;
	} fixed[] = {{COL_TENANT, "tenant"},
				 {COL_BUNDLE, "bundle"},
				 {COL_TYPE, "entity_type"}};

	for (int i = 0; i < lengthof(fixed); i++)
	{
		int column = fixed[i].column;

		if (nulls[column] || !same_text(old[column], values[column]))
			refuse_change(fixed[i].name);
	}
	if (nulls[COL_NODE] || old[COL_NODE] != values[COL_NODE])
		refuse_change("node");
}

/* Fills in version and times, which change if the data changes. */
static void
fill_version(bool update, const Datum *old, Datum *values, bool *nulls)
{
	TimestampTz now = GetCurrentTransactionStartTimestamp();

	if (update)
	{
		/* 1.00 instead of 1.0 is a change, too. */
		bool same = datum_image_eq(old[COL_DATA], values[COL_DATA], false, -1);

		values[COL_VERSION] = same ? old[COL_VERSION]
								   : Int64GetDatum(kg_version_plus(
										 DatumGetInt64(old[COL_VERSION]), 1));
		values[COL_UPDATED] = same ? old[COL_UPDATED]
								   : TimestampTzGetDatum(now);
		values[COL_CREATED] = old[COL_CREATED];
	}
	else
	{
		if (nulls[COL_VERSION])
			values[COL_VERSION] = Int64GetDatum(1);
		if (nulls[COL_CREATED])
			values[COL_CREATED] = TimestampTzGetDatum(now);
		if (nulls[COL_UPDATED])
			values[COL_UPDATED] = TimestampTzGetDatum(now);
	}
	nulls[COL_VERSION] = nulls[COL_CREATED] = nulls[COL_UPDATED] = false;
}

/*
 * Raises the version of a row that gets an id above the last version of that
 * id.
 */
static void
begin_version(const KgType *type, Datum *values)
{
	int64 freed = kg_freed_version(TextDatumGetCString(values[COL_TENANT]),
								   type,
								   TextDatumGetCString(values[COL_ID]));

	if (DatumGetInt64(values[COL_VERSION]) <= freed)
		values[COL_VERSION] = Int64GetDatum(kg_version_plus(freed, 1));
}

/*
 * Returns whether the role may restore a dump: the owner, or a role that
 * bypasses row security.
 */
static bool
may_restore(void)
{
	return kg_has_owner_rights(GetUserId()) ||
		   has_bypassrls_privilege(GetUserId());
}

/*
 * Returns the name of a column of a new row whose given value is not permitted,
 * or NULL. If users could choose versions, a version that a client has read
 * could match a later entity. For a stored row, the version from which it began
 * is not known.
 */
static const char *
given_column(const Datum *values, bool stored)
{
	TimestampTz now = GetCurrentTransactionStartTimestamp();
	int64 version = DatumGetInt64(values[COL_VERSION]);
	bool restores = may_restore();

	if (version < 1 || (version > 1 && !stored && !restores))
		return "version";
	(void) kg_version_plus(version, 0);
	if (restores)
		return NULL;
	if (DatumGetTimestampTz(values[COL_CREATED]) != now)
		return "created_at";
	return DatumGetTimestampTz(values[COL_UPDATED]) != now ? "updated_at"
														   : NULL;
}

static void
refuse_given(const Datum *values)
{
	const char *column = given_column(values, false);
	KgError *err;

	if (column == NULL)
		return;
	err = kg_error_new(
		KG_INVALID_INPUT, "column \"%s\" of kg_entity cannot be given", column);
	kg_error_path(err, "/%s", column);
	kg_error_throw_expected(err, "no value: it is filled");
}

/*
 * Returns whether an error may contain values of the row. The role may see them
 * if it wrote or may select them.
 */
static bool
may_see_data(const TriggerData *trigdata)
{
	Oid relid = RelationGetRelid(trigdata->tg_relation);
	int attno = COL_DATA + 1;

	return !TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event) ||
		   bms_is_member(attno - FirstLowInvalidHeapAttributeNumber,
						 trigdata->tg_updatedcols) ||
		   pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		   pg_attribute_aclcheck(relid, attno, GetUserId(), ACL_SELECT) ==
			   ACLCHECK_OK;
}

static void
check_given_id(const char *id, const Datum *values, const bool *nulls,
			   const KgType *type, bool withhold)
{
	KgError *err;

	if (nulls[COL_ID] || strcmp(TextDatumGetCString(values[COL_ID]), id) == 0)
		return;
	err = kg_error_new(KG_VALIDATION_FAILED,
					   "entity_id differs from property \"%s\"",
					   type->id_field->name);
	kg_error_path(err, "/entity_id");
	kg_error_got_string(err, TextDatumGetCString(values[COL_ID]));
	if (!withhold)
		kg_error_expected(err, "\"%s\", or no value", id);
	kg_error_throw(err);
}

/*
 * Returns whether the node number was assigned. Caches the last value of the
 * sequence, which only grows.
 */
static bool
was_assigned(int64 node)
{
	static Oid sequence = InvalidOid;
	static int64 known = 0;
	Oid current = kg_relation_oid("kg_node_seq");
	KgUserContext user;
	LOCAL_FCINFO(last, 1);

	if (sequence == current && node <= known)
		return true;
	sequence = current;
	kg_become_owner(&user);
	InitFunctionCallInfoData(*last, NULL, 1, InvalidOid, NULL, NULL);
	last->args[0].value = ObjectIdGetDatum(current);
	last->args[0].isnull = false;
	known = DatumGetInt64(pg_sequence_last_value(last));
	if (last->isnull)
		known = 0;
	kg_restore_user(&user);
	return node <= known;
}

static KG_NORETURN void
throw_given_node(void)
{
	KgError *err = kg_error_new(KG_INVALID_INPUT,
								"column \"node\" of kg_entity is not a number "
								"that was assigned");

	kg_error_path(err, "/node");
	kg_error_throw_expected(err, "no value: a number is assigned");
}

/*
 * Returns whether the role may give this node number. A role that restores a
 * dump may. 0 is refused, because it means "no entity" in look-ups; numbers
 * below have meanings too.
 */
static bool
may_give_node(Datum node)
{
	if (DatumGetInt64(node) <= 0)
		throw_given_node();
	return may_restore();
}

/*
 * Returns whether the history contains the entity with this node, so that the
 * entity is created again.
 */
static bool
had_node(const Datum *values)
{
	static KgSaved saved;

	return kg_spi_finds(&saved,
						"SELECT FROM @kg_history WHERE tenant = $1 "
						"AND type_no = $2 AND entity_id = $3 AND node = $4 "
						"LIMIT 1",
						kg_arg(TEXTOID, values[COL_TENANT]),
						kg_arg(INT4OID, values[COL_TYPE_NO]),
						kg_arg(TEXTOID, values[COL_ID]),
						kg_arg(INT8OID, values[COL_NODE]));
}

/*
 * Fills in the node. Other roles cannot choose it, because rows about a node,
 * such as the history of its edges, belong to the entity that had it.
 */
static void
fill_node(Datum *values, bool *nulls)
{
	if (nulls[COL_NODE])
	{
		values[COL_NODE] = Int64GetDatum(
			nextval_internal(kg_relation_oid("kg_node_seq"), false));
		nulls[COL_NODE] = false;
	}
	else if (!may_give_node(values[COL_NODE]) && !had_node(values))
		throw_given_node();
}

/* Fills in the columns of one row, and raises an error for its faults. */
static const KgType *
complete_row(const TriggerData *trigdata, const Datum *old, Datum *values,
			 bool *nulls)
{
	bool update = TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event);
	KgErrorList errors = {
		NIL, kg_setting_max_errors, 0, !may_see_data(trigdata)};
	bool bound = check_enable_rls(RelationGetRelid(trigdata->tg_relation),
								  InvalidOid,
								  true) == RLS_ENABLED;
	char *tenant = row_tenant(values, nulls, bound);
	char *bundle = required_text(values, nulls, COL_BUNDLE, "bundle");
	char *name = required_text(values, nulls, COL_TYPE, "entity_type");
	const KgType *type;
	Jsonb *data;
	text *scope;
	char *id;

	if (nulls[COL_DATA])
		(void) required_text(values, nulls, COL_DATA, "data");
	type = locked_type(tenant, bundle, name, bound);
	data = DatumGetJsonbP(values[COL_DATA]);
	id = kg_entity_id(type, data, "", &errors);
	(void) kg_entity_check(type, id, data, "", &errors);
	kg_throw_violations(&errors, "entity is not valid");

	if (update && !nulls[COL_ID] && same_id(old, values))
		nulls[COL_ID] = true; /* it is computed from the data */
	check_given_id(id, values, nulls, type, errors.withhold);
	values[COL_TENANT] = CStringGetTextDatum(tenant);
	values[COL_ID] = CStringGetTextDatum(id);
	values[COL_TYPE_NO] = Int32GetDatum(type->type_no);
	nulls[COL_TENANT] = nulls[COL_ID] = nulls[COL_TYPE_NO] = false;
	values[COL_KEYS] = PointerGetDatum(kg_extract_keys(type, data));
	nulls[COL_KEYS] = false;
	scope = kg_extract_scope(type, data);
	values[COL_SCOPE] = PointerGetDatum(scope);
	nulls[COL_SCOPE] = scope == NULL;
	fill_version(update, old, values, nulls);
	kg_writing_row(type->type_no);
	return type;
}

/*
 * Refuses writes by logical replication. Its worker fires no statement
 * triggers, so keys, terms and edges would be missing and other sessions would
 * not be notified. A superuser who sets session_replication_role is permitted,
 * because kg_graph's triggers always fire.
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
 * A row in the order of the table's columns, and its values in the order of
 * COL_*.
 */
typedef struct Row
{
	Datum *stored;
	bool *stored_nulls;
	Datum values[NCOLS];
	bool nulls[NCOLS];
} Row;

static void
read_row(Row *row, HeapTuple tuple, TupleDesc desc, const int *places)
{
	row->stored = palloc(desc->natts * sizeof(Datum));
	row->stored_nulls = palloc(desc->natts * sizeof(bool));
	heap_deform_tuple(tuple, desc, row->stored, row->stored_nulls);
	for (int i = 0; i < NCOLS; i++)
	{
		row->values[i] = row->stored[places[i]];
		row->nulls[i] = row->stored_nulls[places[i]];
	}
}

static HeapTuple
form_row(Row *row, TupleDesc desc, const int *places)
{
	for (int i = 0; i < NCOLS; i++)
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
	int places[NCOLS];
	const KgType *type;
	bool update;

	kg_trigger_require(fcinfo,
					   "kg_check_entity",
					   KG_TRIGGER_BEFORE | KG_TRIGGER_ROW,
					   entity_tables);
	refuse_replication(trigdata);
	tupdesc = RelationGetDescr(trigdata->tg_relation);
	kg_find_columns(tupdesc, columns, NCOLS, places);
	update = TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event);
	tuple = update ? trigdata->tg_newtuple : trigdata->tg_trigtuple;
	if (update)
		read_row(&old, trigdata->tg_trigtuple, tupdesc, places);
	read_row(&new, tuple, tupdesc, places);
	if (update && !new.nulls[COL_TENANT] &&
		kg_tenant_is_worked_on(new.values[COL_TENANT], KG_TENANT_WHOLE))
		return PointerGetDatum(tuple);
	if (update)
		check_unchanged(old.values, new.values, new.nulls);
	type = complete_row(
		trigdata, update ? old.values : NULL, new.values, new.nulls);
	if (!update)
	{
		fill_node(new.values, new.nulls);
		refuse_given(new.values);
	}
	if (!update || !same_id(old.values, new.values))
		begin_version(type, new.values);
	return PointerGetDatum(form_row(&new, tupdesc, places));
}

/*
 * Reads the next row. Rows beyond work_mem are read from a file into the
 * current context, and freed with the next row. So the current context must not
 * be reset between them.
 */
static bool
next_row(Tuplestorestate *store, TupleTableSlot *slot)
{
	CHECK_FOR_INTERRUPTS();
	if (!tuplestore_gettupleslot(store, true, false, slot))
		return false;
	slot_getallattrs(slot);
	return true;
}

/*
 * Returns whether the table has a BEFORE trigger of a DBA that fires after
 * kg_graph's, in the order of names, and may have changed the row.
 */
static bool
others_come_after(const TriggerData *trigdata)
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
	KgError *err = kg_error_new(KG_FORBIDDEN,
								"a trigger that comes after kg_entity_before "
								"leaves column \"%s\" of kg_entity as it may "
								"not be",
								column);

	kg_error_path(err, "/%s", column);
	kg_error_throw_expected(
		err,
		"a trigger whose name comes before kg_entity_before, and "
		"which changes no column but data");
}

static void
read_slot(const TupleTableSlot *slot, const int *places, Datum *values,
		  bool *nulls)
{
	for (int i = 0; i < NCOLS; i++)
	{
		values[i] = slot->tts_values[places[i]];
		nulls[i] = slot->tts_isnull[places[i]];
	}
}

/*
 * Raises an error if the row differs from the one that kg_graph's trigger
 * returned.
 */
static void
check_final_row(const TriggerData *trigdata, TupleTableSlot *before,
				TupleTableSlot *after, const int *places)
{
	TupleDesc tupdesc = after->tts_tupleDescriptor;
	Datum old[NCOLS];
	Datum values[NCOLS];
	bool nulls[NCOLS];
	Datum version;

	if (before)
		read_slot(before, places, old, nulls);
	read_slot(after, places, values, nulls);
	version = values[COL_VERSION];
	if (before)
		check_unchanged(old, values, nulls);
	else if (nulls[COL_NODE] ||
			 (!may_give_node(values[COL_NODE]) &&
			  !was_assigned(DatumGetInt64(values[COL_NODE]))))
		throw_given_node();
	complete_row(trigdata, old, values, nulls);
	if (!before)
	{
		const char *given = given_column(values, true);

		if (given)
			throw_overwritten(given);
	}
	/*
	 * Above the last version of the id. Versions that other sessions have freed
	 * since are handled later.
	 */
	else if (!same_id(old, values) &&
			 DatumGetInt64(version) > DatumGetInt64(values[COL_VERSION]))
		values[COL_VERSION] = version;
	for (int i = 0; i < NCOLS; i++)
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

/*
 * Checks the stored rows once more, as the caller, before anything is derived.
 */
static void
check_final_rows(TriggerData *trigdata, const int *places)
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
	while (next_row(trigdata->tg_newtable, after))
	{
		MemoryContext old;

		if (update && !next_row(trigdata->tg_oldtable, before))
			break;
		if (kg_tenant_is_worked_on(after->tts_values[places[COL_TENANT]],
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

/* The changes of a statement in one tenant. */
typedef struct Work
{
	char *tenant;
	KgDerivation *derivation;
	KgFreed *freed;
	KgHistory *history; /* NULL: none yet */
	const KgCatalog *catalog;
	int32 locked;		/* the type of the last deleted row */
	const KgType *type; /* of the last row */
} Work;

typedef struct Statement
{
	List *work;	   /* of Work * */
	List *tenants; /* of char *, in the order of work */
	Work *current;
	KgUserContext caller;
	MemoryContext context;
	int places[NCOLS]; /* positions of the columns in the rows */
	bool overtaken;	   /* see model/writing.h */
	bool restores;	   /* the caller may give creation times */
	bool takes;		   /* begin_version() may be wrong for some ids */
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
	 * Rows mostly come grouped by tenant: write the rows of the previous
	 * tenants.
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
		TextDatumGetCString(slot_value(statement, slot, COL_ID)),
		DatumGetJsonbP(slot_value(statement, slot, COL_DATA)),
		DatumGetByteaPP(slot_value(statement, slot, COL_KEYS))};

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
 * Returns whether the row is restored. A role that restores a dump brings the
 * rows' history too. No other role may give a creation time.
 */
static bool
is_restored(const Statement *statement, const TupleTableSlot *slot)
{
	if (kg_tenant_is_worked_on(slot_value(statement, slot, COL_TENANT),
							   KG_TENANT_RESTORED))
		return true;
	return statement->restores &&
		   DatumGetTimestampTz(slot_value(statement, slot, COL_CREATED)) !=
			   GetCurrentTransactionStartTimestamp();
}

static void
read_image(const Statement *statement, const TupleTableSlot *slot,
		   KgImage *image)
{
	image->entity_id = TextDatumGetCString(slot_value(statement, slot, COL_ID));
	image->version = DatumGetInt64(slot_value(statement, slot, COL_VERSION));
	image->data = DatumGetJsonbP(slot_value(statement, slot, COL_DATA));
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
	kg_history_entity(
		work->history,
		type,
		DatumGetInt64(slot_value(statement, after ? after : before, COL_NODE)),
		before ? &was : NULL,
		after ? &now : NULL);
}

/* Notes ids that were given up and taken, and records the history of a row. */
static void
note_row(Statement *statement, Work *work, const TupleTableSlot *before,
		 const TupleTableSlot *after)
{
	const KgType *type = type_of(
		work,
		DatumGetInt32(
			slot_value(statement, after ? after : before, COL_TYPE_NO)));
	char *was = NULL;
	char *now = NULL;

	if (type == NULL)
		return;
	if (before)
		was = TextDatumGetCString(slot_value(statement, before, COL_ID));
	if (after)
		now = TextDatumGetCString(slot_value(statement, after, COL_ID));
	if (was == NULL || now == NULL || strcmp(was, now) != 0)
	{
		if (was)
			kg_freed_id(
				work->freed,
				type,
				was,
				DatumGetInt64(slot_value(statement, before, COL_VERSION)));
		if (now)
			kg_freed_taken(work->freed, type, now);
	}
	if (type->history)
		keep_history(statement, work, type, before, after);
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
	while (next_row(trigdata->tg_newtable, after))
	{
		bool changed = update && next_row(trigdata->tg_oldtable, before);
		Datum tenant = slot_value(statement, after, COL_TENANT);
		int32 type_no = DatumGetInt32(
			slot_value(statement, after, COL_TYPE_NO));
		int64 node = DatumGetInt64(slot_value(statement, after, COL_NODE));
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
			note_row(statement, work, changed ? before : NULL, after);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row_context);
	}
}

/*
 * Locks the type of a deleted row. The BEFORE trigger has not locked it, and
 * its schema may have changed while the row's lock was waited for.
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
	while (next_row(trigdata->tg_oldtable, slot))
	{
		Datum tenant = slot_value(statement, slot, COL_TENANT);
		Work *work;
		KgDerivation *d;
		MemoryContext old;
		int32 type_no = DatumGetInt32(slot_value(statement, slot, COL_TYPE_NO));
		int64 node = DatumGetInt64(slot_value(statement, slot, COL_NODE));
		KgVersion was;

		if (kg_tenant_is_worked_on(tenant, KG_TENANT_WHOLE))
			continue;
		work = work_of(statement, tenant);
		d = work->derivation;
		old = MemoryContextSwitchTo(row_context);
		was.entity_id = TextDatumGetCString(
			slot_value(statement, slot, COL_ID));
		was.data = NULL;
		was.keys = DatumGetByteaPP(slot_value(statement, slot, COL_KEYS));
		lock_type(work, type_no);
		if (statement->overtaken)
		{
			/*
			 * It may have been created again: its old edges are deleted before
			 * new ones are inserted.
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
	kg_find_columns(tupdesc, columns, NCOLS, statement.places);
	others = trigdata->tg_newtable && others_come_after(trigdata);
	if (others)
		check_final_rows(trigdata, statement.places);
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

/* TRUNCATE would leave derived rows, and references without targets. */
Datum
kg_sql_refuse_truncate(PG_FUNCTION_ARGS)
{
	KgError *err;

	kg_trigger_require(fcinfo,
					   "kg_refuse_truncate",
					   KG_TRIGGER_BEFORE | KG_TRIGGER_STATEMENT,
					   NULL);
	err = kg_error_new(KG_FORBIDDEN, "this table cannot be truncated");
	kg_error_throw_expected(err,
							"DELETE, kg_drop_bundle() or kg_drop_tenant()");
}
