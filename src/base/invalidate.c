/*
 * invalidate.c
 *	  The relcache callback, and the callbacks for schemas, functions and roles.
 *
 * The statement triggers kg_catalog_changed send a relcache invalidation of
 * their table, which is transactional and reaches every backend.  The callback
 * only counts, because a caller may be reading data that it would free.  A
 * backend has few callback slots and none can be released, so the extension
 * uses one.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/extension.h"
#include "base/invalidate.h"
#include "base/spi.h"
#include "base/trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#define KG_MAX_WATCHED 32

static Oid watched[KG_MAX_WATCHED];
static int nwatched = 0;
static uint64 generation = 1;
static uint64 own_changes = 0;
static uint64 namespace_changes = 1;
static uint64 role_changes = 1;
static uint64 function_changes = 1;
static bool provisional = false; /* data was read in parallel mode */

uint64
kg_generation(void)
{
	if (provisional && !IsInParallelMode())
	{
		provisional = false;
		generation++;
	}
	return generation;
}

uint64
kg_own_changes(void)
{
	return own_changes;
}

uint64
kg_namespace_changes(void)
{
	return namespace_changes;
}

uint64
kg_role_changes(void)
{
	return role_changes;
}

uint64
kg_function_changes(void)
{
	return function_changes;
}

void
kg_invalidate_after_parallel_mode(void)
{
	provisional = true;
}

void
kg_watch(Oid relid)
{
	for (int i = 0; i < nwatched; i++)
		if (watched[i] == relid)
			return;

	/*
	 * The array is full only after many DROP EXTENSION in a session.  Forget
	 * the oldest half, which are dropped relations.
	 */
	if (nwatched == KG_MAX_WATCHED)
	{
		nwatched = KG_MAX_WATCHED / 2;
		memmove(watched, watched + nwatched, nwatched * sizeof(Oid));
	}
	watched[nwatched++] = relid;
}

static void
relcache_callback(Datum arg, Oid relid)
{
	if (!OidIsValid(relid))
	{
		generation++;
		return;
	}
	for (int i = 0; i < nwatched; i++)
	{
		if (watched[i] == relid)
		{
			generation++;
			return;
		}
	}
}

static void
namespace_callback(Datum arg, int cache, uint32 hash)
{
	namespace_changes++;
	function_changes++;
}

static void
function_callback(Datum arg, int cache, uint32 hash)
{
	function_changes++;
}

static void
role_callback(Datum arg, int cache, uint32 hash)
{
	role_changes++;
}

void
kg_invalidate_init(void)
{
	CacheRegisterRelcacheCallback(relcache_callback, (Datum) 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, namespace_callback, (Datum) 0);
	CacheRegisterSyscacheCallback(PROCOID, function_callback, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHOID, role_callback, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHMEMMEMROLE, role_callback, (Datum) 0);
}

static const char *const catalog_tables[] = {"kg_tenant",
											 "kg_tenant_role",
											 "kg_tenant_state",
											 "kg_bundle",
											 "kg_entity_type",
											 "kg_relation",
											 "kg_tool",
											 "kg_tool_version",
											 "kg_auth_key",
											 "kg_agent",
											 "kg_agent_bundle",
											 "kg_policy",
											 "kg_secret",
											 "kg_limit",
											 "kg_vectors",
											 NULL};

PG_FUNCTION_INFO_V1(kg_sql_invalidate_catalog);

/*
 * Rewrites the bundle's row after the owner changed a type or relation
 * manually.  The rows of a tenant's kg_bundle identify the catalog that a
 * snapshot shows (model/version.h).  Applying a bundle writes its row at the
 * end.
 */
static void
renew_bundle(const TriggerData *trigdata)
{
	TupleDesc tupdesc = RelationGetDescr(trigdata->tg_relation);
	HeapTuple tuple = trigdata->tg_trigtuple;
	KgUserContext user;
	Datum tenant;
	Datum bundle;
	bool isnull;

	tenant = SPI_getbinval(
		tuple, tupdesc, SPI_fnumber(tupdesc, "tenant"), &isnull);
	bundle = SPI_getbinval(
		tuple, tupdesc, SPI_fnumber(tupdesc, "bundle"), &isnull);
	if (isnull)
		return; /* a tool's name without a bundle */
	kg_become_owner(&user);
	if (user.sec_context & SECURITY_NOFORCE_RLS)
	{
		kg_restore_user(&user);
		return; /* functions of kg_graph */
	}
	SPI_connect();
	KG_SPI_EXEC("UPDATE @kg_bundle SET revision = revision "
				"WHERE tenant = $1 AND bundle = $2",
				kg_arg(TEXTOID, tenant),
				kg_arg(TEXTOID, bundle));
	SPI_finish();
	kg_restore_user(&user);
}

/*
 * Trigger on every watched table.  It is a row trigger on tables for which
 * kg_graph runs statements that may change no rows.
 */
Datum
kg_sql_invalidate_catalog(PG_FUNCTION_ARGS)
{
	TriggerData *trigdata = (TriggerData *) fcinfo->context;

	kg_trigger_require(fcinfo, "kg_invalidate_catalog", 0, catalog_tables);
	CacheInvalidateRelcache(trigdata->tg_relation);
	/*
	 * The rest of this command must see the change before the message arrives.
	 */
	generation++;
	own_changes++;
	if (trigdata->tg_trigger->tgnargs > 0)
		renew_bundle(trigdata);
	return PointerGetDatum(NULL);
}
