/*
 * invalidate.c
 *	  The relcache callback, and the callbacks for schemas, functions, operators
 *	  and roles.
 *
 * The triggers of base/catalog_trigger.c send a relcache invalidation of their
 * table, which is transactional and reaches every backend. The callback only
 * increments a counter. If it freed cached data, it might free data that a
 * caller is reading. A backend has few callback slots, which cannot be
 * released. So the extension has a single relcache callback.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/invalidate.h"
#include "miscadmin.h"
#include "utils/inval.h"
#include "utils/syscache.h"

#define KG_MAX_WATCHED 32

static Oid watched[KG_MAX_WATCHED];
static int nwatched = 0;
static uint64 generation = 1;
static uint64 own_changes = 0;
static uint64 namespace_changes = 1;
static uint64 role_changes = 1;
static uint64 function_changes = 1;
static uint64 table_changes = 1;
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

uint64
kg_table_changes(void)
{
	return table_changes;
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
	 * The array is full only after many DROP EXTENSION in a session. Forgets
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
	table_changes++;
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
operator_callback(Datum arg, int cache, uint32 hash)
{
	table_changes++;
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
	CacheRegisterSyscacheCallback(OPEROID, operator_callback, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHOID, role_callback, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHMEMMEMROLE, role_callback, (Datum) 0);
}

void
kg_invalidate_own(void)
{
	generation++;
	own_changes++;
}
