/*
 * pending_trigger.c
 *	  The constraint trigger kg_references.
 *
 * If a statement leaves references without targets, kg_graph inserts a row
 * into kg_pending_reference. The trigger fires at the end of this insertion,
 * within the statement. After SET CONSTRAINTS ... DEFERRED, it fires at
 * commit. It checks the references again and raises an error for missing
 * targets.
 */
#include "postgres.h"

#include "base/extension.h"
#include "base/spi.h"
#include "base/trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "store/reference/pending.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/rel.h"

static const char *const columns[] = {
	"tenant", "id", "nodes", "deleted", "caller"};

static void
read_nodes(Datum array, KgNodeList *nodes)
{
	ArrayType *a = DatumGetArrayTypePCopy(array);
	int n = ArrayGetNItems(ARR_NDIM(a), ARR_DIMS(a));

	memset(nodes, 0, sizeof(*nodes));
	nodes->context = CurrentMemoryContext;
	nodes->nodes = (int64 *) ARR_DATA_PTR(a);
	nodes->n = n;
	nodes->capacity = n;
}

static void
delete_pending(Datum tenant, Datum id)
{
	KG_SPI_EXEC("DELETE FROM @kg_pending_reference WHERE tenant = $1 "
				"AND id = $2",
				kg_arg(TEXTOID, tenant),
				kg_arg(INT8OID, id));
}

static const char *const pending_tables[] = {"kg_pending_reference", NULL};

PG_FUNCTION_INFO_V1(kg_sql_check_references);

Datum
kg_sql_check_references(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	KgUserContext saved;
	TupleDesc tupdesc;
	KgNodeList nodes;
	KgNodeList deleted;
	KgUserContext caller;
	Datum values[lengthof(columns)];
	int places[lengthof(columns)];
	bool isnull;

	kg_trigger_require(fcinfo,
					   "kg_check_references",
					   KG_TRIGGER_AFTER | KG_TRIGGER_ROW,
					   pending_tables);
	kg_spi_begin_as_owner(&saved);
	tupdesc = RelationGetDescr(trigdata->tg_relation);
	kg_find_columns(tupdesc, columns, lengthof(columns), places);
	for (int i = 0; i < lengthof(columns); i++)
		values[i] = heap_getattr(
			trigdata->tg_trigtuple, places[i] + 1, tupdesc, &isnull);
	read_nodes(values[2], &nodes);
	read_nodes(values[3], &deleted);
	/*
	 * Within the statement, the current user is the owner that inserted the
	 * row. So the caller's user is read from the row.
	 */
	caller = saved;
	caller.userid = DatumGetObjectId(values[4]);
	kg_pending_check(TextDatumGetCString(values[0]), &caller, &nodes, &deleted);
	delete_pending(values[0], values[1]);
	kg_spi_end_as_owner(&saved);
	return PointerGetDatum(NULL);
}
