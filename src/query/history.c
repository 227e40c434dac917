/*
 * history.c
 *	  Reading kg_history as the caller.
 *
 * The policy of kg_history looks at the images of a change, each as the entity
 * that it was; whether the entity is the caller's now is asked of kg_entity.
 */
#include "postgres.h"

#include "base/extension.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "query/history.h"
#include "query/plan.h"
#include "query/sql.h"
#include "utils/builtins.h"

typedef struct Reading
{
	KgChange *changes;
	int n;
} Reading;

static char *
slot_text(TupleTableSlot *slot, int column)
{
	bool isnull;
	Datum value = slot_getattr(slot, column, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

static int64
slot_int64(TupleTableSlot *slot, int column)
{
	bool isnull;

	return DatumGetInt64(slot_getattr(slot, column, &isnull));
}

static Jsonb *
slot_jsonb(TupleTableSlot *slot, int column)
{
	bool isnull;
	Datum value = slot_getattr(slot, column, &isnull);

	return isnull ? NULL : DatumGetJsonbPCopy(value);
}

static bool
take_change(TupleTableSlot *slot, void *arg)
{
	Reading *reading = arg;
	KgChange *change = &reading->changes[reading->n++];

	change->change = slot_int64(slot, 1);
	change->transaction = slot_int64(slot, 2);
	change->at = slot_text(slot, 3);
	change->by = slot_text(slot, 4);
	change->subject = slot_text(slot, 5);
	change->agent = slot_text(slot, 6);
	change->tool = slot_text(slot, 7);
	change->reason = slot_text(slot, 8);
	change->verdict = slot_text(slot, 9);
	change->version = slot_int64(slot, 10);
	change->before = slot_jsonb(slot, 11);
	change->after = slot_jsonb(slot, 12);
	return true;
}

static bool
take_none(TupleTableSlot *slot, void *arg)
{
	return false;
}

static bool
sees_entity(const KgCatalog *catalog, const KgType *type, const char *id)
{
	KgSqlBuilder b;
	KgStatement statement;

	kg_sql_start(&b, catalog);
	kg_sql_append(&b,
				  "SELECT e.node FROM %s e WHERE e.tenant" KG_EQ "$1",
				  kg_sql_table("kg_entity"));
	kg_sql_append(
		&b, " AND e.bundle" KG_EQ "$%d", kg_sql_param_text(&b, type->bundle));
	kg_sql_append(&b,
				  " AND e.entity_type" KG_EQ "$%d",
				  kg_sql_param_text(&b, type->name));
	kg_sql_append(
		&b, " AND e.entity_id" KG_EQ "$%d", kg_sql_param_text(&b, id));
	statement = kg_sql_statement(&b);
	return kg_plan_run(&statement, take_none, NULL) > 0;
}

/*
 * The change that an entity ended with, whoever sees it; 0 where it is there, or
 * has no history.
 */
static int64
last_change(const KgCatalog *catalog, const KgType *type, const char *id)
{
	static KgSaved saved;
	static const Oid argtypes[] = {TEXTOID, INT4OID, TEXTOID, TEXTOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(catalog->tenant),
					  Int32GetDatum(type->type_no),
					  CStringGetTextDatum(id),
					  CStringGetTextDatum(type->bundle),
					  CStringGetTextDatum(type->name)};
	KgUserContext user;
	int64 change = 0;

	kg_become_owner(&user);
	SPI_connect();
	kg_spi_run(&saved,
			   "SELECT h.change FROM @kg_history h WHERE h.tenant = $1 "
			   "AND h.type_no = $2 AND h.entity_id = $3 "
			   "AND NOT EXISTS (SELECT FROM @kg_entity e WHERE e.tenant = $1 "
			   "AND e.bundle = $4 AND e.entity_type = $5 "
			   "AND e.entity_id = $3) ORDER BY h.version DESC LIMIT 1",
			   lengthof(argtypes),
			   argtypes,
			   values,
			   NULL,
			   true,
			   SPI_OK_SELECT);
	if (SPI_processed > 0)
		change = kg_spi_int64(0, 1);
	SPI_finish();
	kg_restore_user(&user);
	return change;
}

static int
read_changes(const KgCatalog *catalog, const KgType *type, const char *id,
			 int64 below, int n, KgChange *changes)
{
	Reading reading = {changes, 0};
	KgSqlBuilder b;
	KgStatement statement;

	kg_sql_start(&b, catalog);
	kg_sql_append(&b,
				  "SELECT h.change, h.transaction, pg_catalog.to_char("
				  "pg_catalog.timezone('UTC', h.at), "
				  "'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), h.role, h.subject, "
				  "h.agent, h.tool, h.reason, h.verdict, h.version, h.before, "
				  "h.after FROM %s h WHERE h.tenant" KG_EQ "$1",
				  kg_sql_table("kg_history"));
	kg_sql_append(&b,
				  " AND h.type_no" KG_EQ "$%d",
				  kg_sql_param(&b, INT4OID, Int32GetDatum(type->type_no)));
	kg_sql_append(
		&b, " AND h.entity_id" KG_EQ "$%d", kg_sql_param_text(&b, id));
	if (below > 0)
		kg_sql_append(
			&b, " AND h.version" KG_LT "$%d", kg_sql_param_int64(&b, below));
	kg_sql_append(
		&b, " ORDER BY h.version DESC LIMIT $%d", kg_sql_param_int64(&b, n));
	statement = kg_sql_statement(&b);
	(void) kg_plan_run(&statement, take_change, &reading);
	return reading.n;
}

int
kg_history_read(const KgCatalog *catalog, const KgType *type, const char *id,
				int64 below, int n, KgChange *changes)
{
	int64 last;

	if (!sees_entity(catalog, type, id))
	{
		last = last_change(catalog, type, id);
		if (last == 0 || read_changes(catalog, type, id, 0, 1, changes) == 0 ||
			changes[0].change != last)
			return 0;
	}
	return read_changes(catalog, type, id, below, n, changes);
}
