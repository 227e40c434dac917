/*
 * tenant_state.c
 *	  Tenants that cannot be written: frozen, or being dropped.
 *
 * The state is represented by a lock and, after the lock is released, by a row
 * of kg_tenant_state. Writers share the lock until they end. Freezing a tenant
 * takes the exclusive lock, that is, waits for the writers, then writes the row
 * and holds the lock until commit. A writer does not wait for that lock,
 * because it would be refused anyway. A later writer receives the invalidation
 * of kg_tenant_state before it gets the lock. Therefore the existence of any
 * row can be cached until a catalog table changes.
 *
 * Statements on entities and edges know their tenants at their end
 * (store/tenant/quota.c); other tables have a row trigger.
 */
#include "postgres.h"

#include "auth/grants.h"
#include "base/error.h"
#include "base/invalidate.h"
#include "base/spi.h"
#include "base/trigger.h"
#include "model/lock.h"
#include "model/tenant_state.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/*
 * Milliseconds after which a refused writer may retry: the typical duration of
 * moving a small tenant.
 */
#define KG_RETRY_MS 1000

/*
 * A running call of kg_tenant_work(). The calls can be nested; the list begins
 * with the innermost.
 */
typedef struct Work
{
	const char *tenant;
	KgTenantWork how;
	const struct Work *outer;
} Work;

static const Work *works = NULL;

static bool
any_withheld(void)
{
	static uint64 seen = 0;
	static bool any = false;
	static KgSaved saved;
	uint64 now = kg_generation();

	if (seen == now)
		return any;
	any = kg_spi_finds_args(
		&saved, "SELECT FROM @kg_tenant_state LIMIT 1", 0, NULL);
	seen = now;
	return any;
}

static bool
is_withheld(const char *tenant)
{
	static KgSaved saved;

	return kg_spi_finds(&saved,
						"SELECT FROM @kg_tenant_state WHERE tenant = $1",
						kg_arg_text(tenant));
}

/*
 * Returns true if the tenant exists. The result is cached for the last tenant
 * until a tenant's name or state changes.
 */
static bool
is_there(const char *tenant)
{
	static KgSaved saved;
	static char *known = NULL;
	static uint64 seen = 0;
	uint64 now = kg_generation();
	char *name;

	if (known != NULL && seen == now && strcmp(known, tenant) == 0)
		return true;
	if (!kg_spi_finds(&saved,
					  "SELECT FROM @kg_tenant WHERE tenant = $1",
					  kg_arg_text(tenant)))
		return false;
	name = MemoryContextStrdup(TopMemoryContext, tenant);
	if (known != NULL)
		pfree(known);
	known = name;
	seen = now;
	return true;
}

static KG_NORETURN void
throw_later(const char *tenant, const char *what, const char *expected)
{
	KgError *err = kg_error_new(KG_CONFLICT, "tenant \"%s\" %s", tenant, what);

	kg_error_expected(err, "%s", expected);
	kg_error_retry_after(err, KG_RETRY_MS);
	kg_error_throw(err);
}

static KG_NORETURN void
throw_withheld(const char *tenant, const char *what)
{
	throw_later(tenant, what, "the same call, sent again later");
}

static bool
is_worked_on(const char *tenant)
{
	for (const Work *work = works; work != NULL; work = work->outer)
		if (strcmp(work->tenant, tenant) == 0)
			return true;
	return false;
}

void
kg_tenant_deletes(const char *tenant)
{
	if (is_worked_on(tenant))
		return;
	switch (kg_lock_writes_shared(tenant))
	{
		case KG_LOCKED_BY_OTHER:
			throw_withheld(tenant, "is being frozen");
		case KG_LOCKED_ALREADY:
			return;
		case KG_LOCKED_NOW:
			break;
	}
	if (any_withheld() && is_withheld(tenant))
		throw_withheld(tenant, "is frozen: it can be read but not written");
}

void
kg_tenant_writes(const char *tenant)
{
	kg_tenant_deletes(tenant);
	kg_tenant_require_name(tenant);
}

void
kg_tenant_require_name(const char *tenant)
{
	if (!is_worked_on(tenant) && !is_there(tenant))
		throw_later(tenant,
					"does not exist: it was renamed or dropped at the same "
					"time, or a restore loads its rows before the tenant",
					"the same call, sent again later; for a restore, the "
					"sections pre-data and data without pg_restore -j");
}

void
kg_tenant_refuse_renamed(const char *former, const char *tenant)
{
	if (kg_tenant_became(former, tenant))
		throw_withheld(former, psprintf("was renamed to \"%s\"", tenant));
}

void
kg_tenant_work(const char *tenant, KgTenantWork how, void (*work)(void *arg),
			   void *arg)
{
	const Work frame = {tenant, how, works};

	works = &frame;
	PG_TRY();
	{
		work(arg);
	}
	PG_FINALLY();
	{
		works = frame.outer;
	}
	PG_END_TRY();
}

bool
kg_tenant_is_worked_on(Datum tenant, KgTenantWork how)
{
	char *name;

	if (likely(works == NULL))
		return false;
	name = TextDatumGetCString(tenant);
	for (const Work *work = works; work != NULL; work = work->outer)
		if (work->how == how && strcmp(work->tenant, name) == 0)
			return true;
	return false;
}

static void
hold(HeapTuple row, TupleDesc desc, bool leaves)
{
	bool isnull;
	Datum tenant = SPI_getbinval(
		row, desc, SPI_fnumber(desc, "tenant"), &isnull);

	/* a token key may belong to no tenant */
	if (isnull)
		return;
	if (leaves)
		kg_tenant_deletes(TextDatumGetCString(tenant));
	else
		kg_tenant_writes(TextDatumGetCString(tenant));
}

static const char *const held_tables[] = {"kg_tenant",
										  "kg_tenant_role",
										  "kg_bundle",
										  "kg_entity_type",
										  "kg_relation",
										  "kg_tool",
										  "kg_tool_version",
										  "kg_history",
										  "kg_auth_key",
										  "kg_agent",
										  "kg_agent_bundle",
										  "kg_limit",
										  "kg_idempotency",
										  "kg_load",
										  NULL};

PG_FUNCTION_INFO_V1(kg_sql_hold_tenant);

Datum
kg_sql_hold_tenant(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;
	TupleDesc desc;

	kg_trigger_require(fcinfo,
					   "kg_hold_tenant",
					   KG_TRIGGER_BEFORE | KG_TRIGGER_ROW,
					   held_tables);
	desc = RelationGetDescr(trigdata->tg_relation);
	hold(trigdata->tg_trigtuple,
		 desc,
		 !TRIGGER_FIRED_BY_INSERT(trigdata->tg_event));
	if (!TRIGGER_FIRED_BY_UPDATE(trigdata->tg_event))
		return PointerGetDatum(trigdata->tg_trigtuple);
	hold(trigdata->tg_newtuple, desc, false);
	return PointerGetDatum(trigdata->tg_newtuple);
}
