/*
 * pack.c
 *	  SQL function kg_pack(), and the trigger that removes packed rows that
 *	  differ from kg_edge.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/identity.h"
#include "auth/visibility.h"
#include "base/trigger.h"
#include "model/catalog.h"
#include "model/tenant_state.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "query/graph/nodeset.h"
#include "query/run/running.h"
#include "store/edge/edge_ends.h"
#include "store/derived/packing.h"
#include "store/tenant/quota.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

/*
 * Packs the edges of the caller's tenant, and sets *packed to the number of
 * packed nodes. Returns true if this number may be reported to the caller.
 */
static bool
pack(int64 *packed)
{
	const char *tenant = kg_identity_require(KG_ACCESS_WRITE);
	bool whole = kg_catalog_newest(tenant)->plain_visibility;

	kg_visibility_require_tenant("pack its edges");
	*packed = kg_adjacency_pack(tenant, true, whole);
	/* The number must not reveal hidden rows. */
	return whole;
}

KG_AUDITED(kg_sql_pack, KG_AUDIT_WRITES)
{
	volatile int64 packed = 0;
	volatile bool told = false;
	KgCall call;

	kg_running_enter(&call, true);
	PG_TRY();
	{
		int64 n;

		kg_running_limit();
		kg_running_admit();
		told = pack(&n);
		packed = n;
	}
	PG_FINALLY();
	{
		kg_running_leave(&call);
	}
	PG_END_TRY();
	if (!told)
		PG_RETURN_NULL();
	PG_RETURN_INT64(packed);
}

/* The nodes of one tenant whose edges change. */
typedef struct Changes
{
	char *tenant;
	KgNodeSet nodes;
} Changes;

/*
 * Returns the tenant's entry in the list *all, and adds the entry if it is
 * missing. On a shard, a statement may change edges of several tenants.
 */
static Changes *
changes_of(List **all, const text *tenant)
{
	ListCell *lc;
	Changes *changes;
	int len = VARSIZE_ANY_EXHDR(tenant);

	foreach(lc, *all)
	{
		changes = lfirst(lc);
		if (strlen(changes->tenant) == len &&
			memcmp(changes->tenant, VARDATA_ANY(tenant), len) == 0)
			return changes;
	}
	changes = palloc(sizeof(Changes));
	changes->tenant = text_to_cstring(tenant);
	kg_nodeset_init(&changes->nodes, CurrentMemoryContext);
	*all = lappend(*all, changes);
	return changes;
}

static void
collect_changes(Tuplestorestate *rows, TupleDesc desc, List **all)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	int tenant = SPI_fnumber(desc, "tenant");
	int source = SPI_fnumber(desc, "source");
	int target = SPI_fnumber(desc, "target");

	if (tenant <= 0 || source <= 0 || target <= 0)
		elog(ERROR, "kg_edge lacks a column");
	tuplestore_rescan(rows);
	while (tuplestore_gettupleslot(rows, true, false, slot))
	{
		bool isnull;
		Datum of = slot_getattr(slot, tenant, &isnull);
		Changes *changes;

		CHECK_FOR_INTERRUPTS();
		if (kg_tenant_is_worked_on(of, KG_TENANT_WHOLE))
			continue;
		changes = changes_of(all, DatumGetTextPP(of));
		(void) kg_nodeset_add(
			&changes->nodes,
			DatumGetInt64(slot_getattr(slot, source, &isnull)));
		(void) kg_nodeset_add(
			&changes->nodes,
			DatumGetInt64(slot_getattr(slot, target, &isnull)));
	}
	ExecDropSingleTupleTableSlot(slot);
}

static const char *const edge_tables[] = {"kg_edge", NULL};

PG_FUNCTION_INFO_V1(kg_sql_clear_packed);

/*
 * AFTER statement trigger of kg_edge: discards packed edges, and counts the
 * edges for the quota. It uses only the rows of the statement, so a caller
 * cannot forge its arguments.
 */
Datum
kg_sql_clear_packed(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;
	MemoryContext context;
	MemoryContext old;
	List *all = NIL;
	List *tenants = NIL;
	ListCell *lc;

	kg_trigger_require(fcinfo,
					   "kg_clear_packed",
					   KG_TRIGGER_AFTER | KG_TRIGGER_STATEMENT,
					   edge_tables);
	context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph changed edges", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	if (trigger->tg_oldtable != NULL)
		collect_changes(
			trigger->tg_oldtable, RelationGetDescr(trigger->tg_relation), &all);
	if (trigger->tg_newtable != NULL)
		collect_changes(
			trigger->tg_newtable, RelationGetDescr(trigger->tg_relation), &all);
	foreach(lc, all)
	{
		Changes *changes = lfirst(lc);

		if (!kg_edge_ends_take(
				changes->tenant, changes->nodes.nodes, changes->nodes.n))
			kg_adjacency_forget(
				changes->tenant, changes->nodes.nodes, changes->nodes.n);
		tenants = lappend(tenants, changes->tenant);
	}
	kg_quota_count(trigger, tenants, KG_LIMIT_EDGES, "properties");
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return PointerGetDatum(NULL);
}
