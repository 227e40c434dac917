/*
 * quota.c
 *	  The quotas of a tenant.
 *
 * A quota is divided into stripes, which are rows of kg_quota. Each stripe has
 * an allotment and the amount used of it; the sum of all allotments is the
 * quota. A writer uses one stripe that no other session has locked, so writers
 * do not wait for each other. The stripe stays locked until the writer's
 * transaction ends, so uncommitted rows are counted.
 *
 * If no stripe has enough left, all stripes are locked, and the remaining
 * quota is divided again. So writers wait only near the end of a quota, or if
 * a write needs more than the share of a stripe. A quota is never exceeded. No
 * write is rejected because of rows that are rolled back later.
 *
 * Counting begins when limits of the tenant are written. Each writer holds a
 * share lock on its tenant, and the first count takes an exclusive lock. So
 * each row is either visible to the first count or counted when it is written.
 * All statements in this file use the newest snapshot in every isolation
 * level.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/extension.h"
#include "base/spi.h"
#include "base/trigger.h"
#include "model/lock.h"
#include "catalog/pg_type.h"
#include "model/tenant_state.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "store/tenant/quota.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#define KG_STRIPES 16
#define KG_STRIPES_TEXT "16"

/* For each quota, a statement that returns the stored amount. */
static const char *const stored_sql[KG_NQUOTAS] = {
	[KG_LIMIT_ENTITIES -
	 KG_FIRST_QUOTA] = "SELECT count(*) FROM @kg_entity WHERE tenant = $1",
	[KG_LIMIT_EDGES -
		KG_FIRST_QUOTA] = "SELECT count(*) FROM @kg_edge WHERE tenant = $1",
	[KG_LIMIT_BUNDLES -
		KG_FIRST_QUOTA] = "SELECT count(*) FROM @kg_bundle WHERE tenant = $1",
	[KG_LIMIT_BYTES - KG_FIRST_QUOTA] =
		"SELECT int8(coalesce((SELECT sum(octet_length(data::text)) "
		"FROM @kg_entity WHERE tenant = $1), 0) "
		"+ coalesce((SELECT sum(octet_length(properties::text)) "
		"FROM @kg_edge WHERE tenant = $1 AND properties IS NOT NULL), 0) "
		"+ coalesce((SELECT sum(" KG_PIECE_BYTES ") "
		"FROM @kg_trigram g WHERE tenant = $1), 0))"};

/*
 * Returns the stored amount of a quota. Runs as the extension's owner, inside
 * SPI.
 */
static int64
count_stored(Datum tenant, KgLimit quota)
{
	static KgSaved saved[KG_NQUOTAS];
	int i = quota - KG_FIRST_QUOTA;

	kg_spi_exec_newest(&saved[i], stored_sql[i], kg_arg(TEXTOID, tenant));
	return kg_spi_int64(0, 1);
}

/*
 * Returns the tenant's current quota, or KG_UNLIMITED if it has no quota of
 * this kind. The result is the lower of the tenant's own limit and the owner's
 * ceiling. Runs as the extension's owner, inside SPI.
 */
static int64
quota_set(Datum tenant, KgLimit quota)
{
	KG_SPI_NEWEST("SELECT coalesce(min((limits ->> $2)::int8), -1) "
				  "FROM @kg_limit WHERE tenant = $1 "
				  "AND subject IN ('*', '" KG_CEILING "')",
				  kg_arg(TEXTOID, tenant),
				  kg_arg_text(kg_limit_name(quota)));
	return kg_spi_int64(0, 1);
}

/*
 * Divides the rest of a quota among the stripes. Sets *each to the share of a
 * stripe, and *first to the addition for the first stripe. If the quota was set
 * below the used amount, the rest is negative. The first stripe then gets all
 * of it, so that rows that are deleted first reduce this debt and do not make
 * room in other stripes.
 */
static void
share(int64 left, int64 *each, int64 *first)
{
	*each = left < 0 ? 0 : left / KG_STRIPES;
	*first = left < 0 ? left : left % KG_STRIPES;
}

/*
 * Deletes the stripes of a quota. If the tenant has the quota, counts the
 * stored amount and creates the stripes again. No other session may write at
 * this time. Runs as the extension's owner, inside SPI.
 */
static void
reset(Datum tenant, KgLimit quota)
{
	const char *name = kg_limit_name(quota);
	int64 most = quota_set(tenant, quota);
	int64 used;
	int64 each;
	int64 first;

	KG_SPI_NEWEST("DELETE FROM @kg_quota WHERE tenant = $1 AND quota = $2",
				  kg_arg(TEXTOID, tenant),
				  kg_arg_text(name));
	if (most == KG_UNLIMITED)
		return;
	used = count_stored(tenant, quota);
	share(most - used, &each, &first);
	KG_SPI_NEWEST(
		"INSERT INTO @kg_quota(tenant, quota, stripe, used, allotted) "
		"SELECT $1, $2, stripe, CASE stripe WHEN 0 THEN $3 ELSE 0 END, "
		"$4 + CASE stripe WHEN 0 THEN $3 + $5 ELSE 0 END "
		"FROM generate_series(0, " KG_STRIPES_TEXT " - 1) stripe",
		kg_arg(TEXTOID, tenant),
		kg_arg_text(name),
		kg_arg_int8(used),
		kg_arg_int8(each),
		kg_arg_int8(first));
}

bool
kg_quota_is_right(const char *name, KgLimit quota, KgQuotaState *state)
{
	static KgSaved saved[KG_NQUOTAS];
	int i = quota - KG_FIRST_QUOTA;
	bool isnull;

	KG_SPI_READ("SELECT int8(sum(used)), int8(sum(allotted)), "
				"(SELECT min((limits ->> $2)::int8) FROM @kg_limit "
				"WHERE tenant = $1 AND subject IN ('*', '" KG_CEILING "')) "
				"FROM @kg_quota WHERE tenant = $1 AND quota = $2",
				kg_arg_text(name),
				kg_arg_text(kg_limit_name(quota)));
	(void) kg_spi_value(0, 1, &isnull);
	/*
	 * Before the first write, there are no stripes, so no stripe can be wrong.
	 */
	if (isnull)
		return true;
	state->used = kg_spi_int64(0, 1);
	state->allotted = kg_spi_int64(0, 2);
	(void) kg_spi_value(0, 3, &isnull);
	state->set = isnull ? KG_UNLIMITED : kg_spi_int64(0, 3);
	SPI_freetuptable(SPI_tuptable);
	kg_spi_select_of(&saved[i], stored_sql[i], name);
	state->stored = kg_spi_int64(0, 1);
	SPI_freetuptable(SPI_tuptable);
	return state->used == state->stored && state->allotted == state->set;
}

void
kg_quota_count_anew(const char *name)
{
	kg_lock_tenant_exclusive(name);
	for (int i = KG_FIRST_QUOTA; i < KG_NLIMITS; i++)
		reset(CStringGetTextDatum(name), i);
}

static KG_NORETURN void
throw_exceeded(KgLimit quota, int64 most)
{
	KG_THROW(KG_QUOTA_EXCEEDED,
			 .message = psprintf(
				 "the tenant would have more %s than its quota, " INT64_FORMAT
				 ", allows",
				 kg_limit_name(quota),
				 most),
			 .expected = "the same call after a deletion, or a higher quota "
						 "set with kg_set_limits()");
}

static void
use(Datum tenant, Datum quota, int32 stripe, int64 delta)
{
	KG_SPI_NEWEST("UPDATE @kg_quota SET used = used + $4 "
				  "WHERE tenant = $1 AND quota = $2 AND stripe = $3",
				  kg_arg(TEXTOID, tenant),
				  kg_arg(TEXTOID, quota),
				  kg_arg_int4(stripe),
				  kg_arg_int8(delta));
}

/*
 * Locks a stripe that has enough left and that no other session has locked. The
 * session's own stripe is preferred. A deletion finds no stripe while the first
 * stripe has a debt (share()). Returns the number of the stripe, or -1 if there
 * is no such stripe.
 */
static int32
lock_stripe(Datum tenant, Datum quota, int64 delta)
{
	KG_SPI_NEWEST("SELECT stripe FROM @kg_quota "
				  "WHERE tenant = $1 AND quota = $2 "
				  "AND CASE WHEN $3 > 0 THEN allotted - used >= $3 "
				  "ELSE NOT EXISTS (SELECT FROM @kg_quota d "
				  "WHERE d.tenant = $1 AND d.quota = $2 AND d.stripe = 0 "
				  "AND d.used > d.allotted) END "
				  "ORDER BY (stripe + $4) % " KG_STRIPES_TEXT " "
				  "LIMIT 1 FOR UPDATE SKIP LOCKED",
				  kg_arg(TEXTOID, tenant),
				  kg_arg(TEXTOID, quota),
				  kg_arg_int8(delta),
				  kg_arg_int4(MyProcPid % KG_STRIPES));
	if (SPI_processed == 0)
		return -1;
	return DatumGetInt32(kg_spi_datum(0, 1));
}

/*
 * Locks all stripes of a quota, and sets the sums of their amounts. Returns
 * the number of stripes.
 */
static int
lock_all(Datum tenant, Datum quota, int64 *used, int64 *allotted)
{
	*used = *allotted = 0;
	KG_SPI_NEWEST("SELECT used, allotted FROM @kg_quota "
				  "WHERE tenant = $1 AND quota = $2 "
				  "ORDER BY stripe FOR UPDATE",
				  kg_arg(TEXTOID, tenant),
				  kg_arg(TEXTOID, quota));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		*used += kg_spi_int64(i, 1);
		*allotted += kg_spi_int64(i, 2);
	}
	return SPI_processed;
}

/*
 * Adds delta to the used amount of the first stripe. Then divides the remaining
 * quota, "left", among all stripes. The caller must have locked them.
 */
static void
deal(Datum tenant, Datum quota, int64 delta, int64 left)
{
	int64 each;
	int64 first;

	share(left, &each, &first);
	KG_SPI_NEWEST(
		"UPDATE @kg_quota SET "
		"used = used + CASE stripe WHEN 0 THEN $3 ELSE 0 END, "
		"allotted = used + $4 + CASE stripe WHEN 0 THEN $3 + $5 ELSE 0 END "
		"WHERE tenant = $1 AND quota = $2",
		kg_arg(TEXTOID, tenant),
		kg_arg(TEXTOID, quota),
		kg_arg_int8(delta),
		kg_arg_int8(each),
		kg_arg_int8(first));
}

/*
 * Adds delta to the used amount of a quota of the tenant "name". Raises
 * KG_QUOTA_EXCEEDED if the quota does not allow it. Runs as the extension's
 * owner, inside SPI.
 */
static void
change(const char *name, KgLimit limit, int64 delta)
{
	Datum tenant = CStringGetTextDatum(name);
	Datum quota = CStringGetTextDatum(kg_limit_name(limit));
	int32 stripe = lock_stripe(tenant, quota, delta);
	int64 used;
	int64 allotted;

	if (stripe >= 0)
	{
		use(tenant, quota, stripe, delta);
		return;
	}
	if (lock_all(tenant, quota, &used, &allotted) == 0)
	{
		/*
		 * Rows were written without kg_graph's triggers, so the stored rows
		 * are counted.
		 */
		kg_lock_tenant_exclusive(name);
		reset(tenant, limit);
		(void) lock_all(tenant, quota, &used, &allotted);
		delta = 0;
	}
	if (delta >= 0 && used + delta > allotted)
		throw_exceeded(limit, allotted);
	deal(tenant, quota, delta, allotted - used - delta);
}

/*
 * The changes by a statement: the number of rows and, if the tenant has a
 * quota of bytes, of bytes.
 */
typedef struct Counts
{
	const char *tenant;
	int64 rows;
	int64 bytes;
} Counts;

static void
add_rows(Counts *counts, Tuplestorestate *rows, TupleDesc desc,
		 const char *measured, int sign)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph row", ALLOCSET_DEFAULT_SIZES);
	int tenant = SPI_fnumber(desc, "tenant");
	int column = measured ? SPI_fnumber(desc, measured) : 0;

	tuplestore_rescan(rows);
	while (tuplestore_gettupleslot(rows, true, false, slot))
	{
		MemoryContext old = MemoryContextSwitchTo(context);
		bool isnull;
		Datum value = slot_getattr(slot, tenant, &isnull);

		CHECK_FOR_INTERRUPTS();
		if (strcmp(TextDatumGetCString(value), counts->tenant) == 0)
		{
			counts->rows += sign;
			if (column > 0)
				value = slot_getattr(slot, column, &isnull);
			if (column > 0 && !isnull)
			{
				Jsonb *data = DatumGetJsonbP(value);

				counts->bytes += sign * (int64) strlen(JsonbToCString(
											NULL, &data->root, VARSIZE(data)));
			}
		}
		MemoryContextSwitchTo(old);
		MemoryContextReset(context);
	}
	ExecDropSingleTupleTableSlot(slot);
	MemoryContextDelete(context);
}

static void
count_tenant(const TriggerData *trigdata, const char *tenant, KgLimit counted,
			 const char *measured)
{
	TupleDesc desc = RelationGetDescr(trigdata->tg_relation);
	const KgLimits *limits = kg_limits_of_tenant(tenant);
	Counts counts = {tenant, 0, 0};

	if (limits->values[KG_LIMIT_BYTES] == KG_UNLIMITED)
		measured = NULL;
	/* An update does not change the number of rows. */
	if (measured == NULL && (limits->values[counted] == KG_UNLIMITED ||
							 TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event)))
		return;
	if (trigdata->tg_newtable)
		add_rows(&counts, trigdata->tg_newtable, desc, measured, 1);
	if (trigdata->tg_oldtable)
		add_rows(&counts, trigdata->tg_oldtable, desc, measured, -1);
	if (counts.rows != 0 && limits->values[counted] != KG_UNLIMITED)
		change(tenant, counted, counts.rows);
	if (counts.bytes != 0)
		change(tenant, KG_LIMIT_BYTES, counts.bytes);
}

void
kg_quota_count(const TriggerData *trigdata, const List *tenants,
			   KgLimit counted, const char *measured)
{
	KgUserContext user;
	ListCell *lc;

	/*
	 * The tenant's name is checked before the quota. New rows must not have the
	 * name of a tenant that was deleted or renamed; deleted rows may have it.
	 */
	foreach(lc, tenants)
	{
		if (trigdata->tg_newtable)
			kg_tenant_writes(lfirst(lc));
		else
			kg_tenant_deletes(lfirst(lc));
		kg_lock_tenant_shared(lfirst(lc));
	}
	if (!kg_limits_any())
		return;
	kg_spi_begin_as_owner(&user);
	foreach(lc, tenants)
		count_tenant(trigdata, lfirst(lc), counted, measured);
	kg_spi_end_as_owner(&user);
}

bool
kg_quota_counts_bytes(const char *tenant)
{
	return kg_limits_any() &&
		   kg_limits_of_tenant(tenant)->values[KG_LIMIT_BYTES] != KG_UNLIMITED;
}

void
kg_quota_add_bytes(const char *tenant, int64 bytes)
{
	if (bytes != 0)
		change(tenant, KG_LIMIT_BYTES, bytes);
}

static const char *const limit_tables[] = {"kg_limit", NULL};

PG_FUNCTION_INFO_V1(kg_sql_reset_quotas);

/*
 * Row trigger of kg_limit: begins, ends or restarts the counting for quotas.
 * Only limits of the whole tenant (subject "*" or KG_CEILING) are quotas.
 */
Datum
kg_sql_reset_quotas(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	TupleDesc desc;
	HeapTuple row;
	KgUserContext user;
	char *tenant;
	char *subject;

	kg_trigger_require(fcinfo,
					   "kg_reset_quotas",
					   KG_TRIGGER_AFTER | KG_TRIGGER_ROW,
					   limit_tables);
	desc = RelationGetDescr(trigdata->tg_relation);
	row = TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event) ? trigdata->tg_newtuple
													  : trigdata->tg_trigtuple;
	tenant = SPI_getvalue(row, desc, SPI_fnumber(desc, "tenant"));
	subject = SPI_getvalue(row, desc, SPI_fnumber(desc, "subject"));
	if (strcmp(subject, "*") != 0 && strcmp(subject, KG_CEILING) != 0)
		return PointerGetDatum(NULL);
	kg_spi_begin_as_owner(&user);
	kg_quota_count_anew(tenant);
	kg_spi_end_as_owner(&user);
	return PointerGetDatum(NULL);
}

static const char *const bundle_tables[] = {"kg_bundle", NULL};

PG_FUNCTION_INFO_V1(kg_sql_count_bundles);

/*
 * Statement trigger of kg_bundle: counts bundles. Only functions of kg_graph
 * write this table.
 */
Datum
kg_sql_count_bundles(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	Tuplestorestate *rows;
	TupleTableSlot *slot;
	TupleDesc desc;
	List *tenants = NIL;
	ListCell *lc;

	kg_trigger_require(fcinfo,
					   "kg_count_bundles",
					   KG_TRIGGER_AFTER | KG_TRIGGER_STATEMENT |
						   KG_TRIGGER_ROWS,
					   bundle_tables);
	desc = RelationGetDescr(trigdata->tg_relation);
	rows = trigdata->tg_newtable ? trigdata->tg_newtable
								 : trigdata->tg_oldtable;
	slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	tuplestore_rescan(rows);
	while (tuplestore_gettupleslot(rows, true, false, slot))
	{
		bool isnull;
		char *tenant = TextDatumGetCString(
			slot_getattr(slot, SPI_fnumber(desc, "tenant"), &isnull));

		foreach(lc, tenants)
			if (strcmp(lfirst(lc), tenant) == 0)
				break;
		if (lc == NULL)
			tenants = lappend(tenants, tenant);
	}
	ExecDropSingleTupleTableSlot(slot);
	kg_quota_count(trigdata, tenants, KG_LIMIT_BUNDLES, NULL);
	return PointerGetDatum(NULL);
}
