/*
 * rebuild.c
 *	  Derives all rows of a tenant anew.
 *
 * This is needed if triggers did not fire, for example in a restore with
 * disabled triggers or for a table loaded by replication. It is also needed if
 * the code that derives keys or terms has changed. Writers of the tenant wait
 * until the transaction ends.
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/identity.h"
#include "auth/visibility.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/settings.h"
#include "base/spi.h"
#include "model/lock.h"
#include "model/tenant_state.h"
#include "miscadmin.h"
#include "store/derived/counted.h"
#include "store/derived/derive.h"
#include "store/entity/entities.h"
#include "store/derived/extract.h"
#include "store/entity/put.h"
#include "store/derived/rebuild.h"
#include "store/reference/enforce.h"
#include "store/reference/scope.h"
#include "store/reference/seen.h"
#include "store/tenant/quota.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Number of entities read at a time. */
#define KG_REBUILD_BATCH 1000

static const char *const deletions[] = {
	"DELETE FROM @kg_adjacency WHERE tenant = $1",
	"DELETE FROM @kg_edge WHERE tenant = $1 AND property IS NOT NULL",
	("DELETE FROM @kg_index_key WHERE tenant = $1 AND type_no IN "
	 "(SELECT type_no FROM @kg_entity_type WHERE tenant = $1)"),
	"DELETE FROM @kg_unique_key WHERE tenant = $1",
	"DELETE FROM @kg_term WHERE tenant = $1",
	"DELETE FROM @kg_trigram WHERE tenant = $1",
	"DELETE FROM @kg_word WHERE tenant = $1",
	"DELETE FROM @kg_word_count WHERE tenant = $1"};

static const struct
{
	const char *name;
	const char *sql;
} counts[] = {{"entities", "SELECT count(*) FROM @kg_entity WHERE tenant = $1"},
			  {"keys",
			   "SELECT count(*) FROM @kg_index_key WHERE tenant = $1 AND "
			   "type_no IN (SELECT type_no FROM @kg_entity_type "
			   "WHERE tenant = $1)"},
			  {"terms", "SELECT count(*) FROM @kg_term WHERE tenant = $1"},
			  {"edges",
			   "SELECT count(*) FROM @kg_edge WHERE tenant = $1 "
			   "AND property IS NOT NULL"}};

/*
 * Returns the tenant's catalog after locking each type against writers. A
 * deletion does not take this lock, so rows are locked, too, when they are
 * read.
 */
static const KgCatalog *
lock_types(const char *tenant)
{
	const KgCatalog *catalog;
	bool waited;

	do
	{
		catalog = kg_catalog_newest(tenant);
		waited = false;
		for (int i = 0; i < catalog->ntypes; i++)
			waited |= kg_lock_type_exclusive(catalog->types[i].type_no);
	} while (waited);
	return catalog;
}

static void
delete_derived(const char *tenant)
{
	static KgSaved saved[lengthof(deletions)];

	for (int i = 0; i < lengthof(deletions); i++)
		kg_spi_exec(&saved[i], deletions[i], kg_arg_text(tenant));
}

/*
 * Derives rows from entities with their stored keys. Adds nodes with outdated
 * keys or an outdated scope to the list "changed".
 */
static void
derive_rows(KgDerivation *d, const KgCatalog *catalog,
			const SPITupleTable *rows, KgNodeList *changed)
{
	for (uint64 i = 0; i < rows->numvals; i++)
	{
		HeapTuple row = rows->vals[i];
		bool isnull;
		int32 type_no = DatumGetInt32(
			SPI_getbinval(row, rows->tupdesc, 1, &isnull));
		int64 node = DatumGetInt64(
			SPI_getbinval(row, rows->tupdesc, 3, &isnull));
		Jsonb *data = DatumGetJsonbP(
			SPI_getbinval(row, rows->tupdesc, 4, &isnull));
		bytea *keys = DatumGetByteaPP(
			SPI_getbinval(row, rows->tupdesc, 5, &isnull));
		Datum scope = SPI_getbinval(row, rows->tupdesc, 6, &isnull);

		CHECK_FOR_INTERRUPTS();
		kg_derive_inserted(
			d, type_no, SPI_getvalue(row, rows->tupdesc, 2), node, data, keys);
		if (!kg_extract_is_stored(kg_catalog_type_no(catalog, type_no),
								  data,
								  keys,
								  isnull ? NULL : DatumGetTextPP(scope)))
			kg_node_add(changed, node);
	}
}

/*
 * Raises an error if the transaction has a fixed snapshot and not exactly n
 * entities are stored now. n is the number of locked entities. An entity that
 * was updated or deleted since the snapshot could not be locked. An entity that
 * was inserted since is not visible.
 */
static void
require_all_shown(const char *tenant, uint64 n)
{
	if (!IsolationUsesXactSnapshot())
		return;
	KG_SPI_LATEST("SELECT count(*) FROM @kg_entity WHERE tenant = $1",
				  kg_arg_text(tenant));
	if (kg_spi_int64(0, 1) != n)
		kg_refuse_newer();
	SPI_freetuptable(SPI_tuptable);
}

static void
derive_all(const KgCatalog *catalog, KgWork *work)
{
	const char *tenant = catalog->tenant;
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph rebuild", ALLOCSET_DEFAULT_SIZES);
	KgNodeList changed = {CurrentMemoryContext};
	Portal portal = kg_spi_cursor(
		"SELECT type_no, entity_id, node, data, index_keys, "
		"scope FROM @kg_entity WHERE tenant = $1 FOR KEY SHARE",
		false,
		kg_arg_text(tenant));
	KgDerivation *d = kg_derive_begin(tenant, NULL);
	uint64 n = 0;

	kg_derive_uncounted(d);
	for (;;)
	{
		SPITupleTable *rows;
		MemoryContext old;

		SPI_cursor_fetch(portal, true, KG_REBUILD_BATCH);
		rows = SPI_tuptable;
		if (SPI_processed == 0)
			break;
		n += SPI_processed;
		old = MemoryContextSwitchTo(scratch);
		derive_rows(d, catalog, rows, &changed);
		kg_work_done(work, rows->numvals);
		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
		SPI_freetuptable(rows);
	}
	SPI_cursor_close(portal);
	/*
	 * Fetching from a cursor leaves SPI's memory context as the current
	 * context.
	 */
	MemoryContextSwitchTo(caller);
	require_all_shown(tenant, n);
	kg_derive_end(d);
	kg_entities_write_again(tenant, &changed);
	MemoryContextDelete(scratch);
}

static int64
count_of(const char *tenant, int which)
{
	static KgSaved saved[lengthof(counts)];
	int64 n;

	kg_spi_exec(&saved[which], counts[which].sql, kg_arg_text(tenant));
	n = kg_spi_int64(0, 1);
	SPI_freetuptable(SPI_tuptable);
	return n;
}

/*
 * Returns the numbers of rows. "whole" is false if the caller sees only a part
 * of the tenant. The numbers are then null, so that they do not reveal the
 * number of hidden rows.
 */
static Jsonb *
count_all(const char *tenant, bool whole)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	for (int i = 0; i < lengthof(counts); i++)
	{
		if (!whole)
		{
			kg_jw_key(&w, counts[i].name);
			kg_jw_null(&w);
			continue;
		}
		kg_jw_kint(&w, counts[i].name, count_of(tenant, i));
	}
	return kg_jw_finish(&w);
}

static void
rebuild(const char *tenant, const KgUserContext *user, bool whole)
{
	const KgCatalog *catalog;
	KgScope *scope;
	KgWork work = {NULL};

	kg_tenant_writes(tenant);
	catalog = lock_types(tenant);
	kg_counted_exclude(catalog);
	scope = kg_scope_begin(tenant);
	for (int i = 0; i < catalog->ntypes; i++)
		kg_scope_rewrites(scope, catalog->types[i].type_no);
	delete_derived(tenant);
	if (whole && kg_setting_progress >= 0)
		kg_work_begin(&work, "deriving entities again", count_of(tenant, 0));
	derive_all(catalog, &work);
	kg_scope_end(scope, user);
	/*
	 * The quota of bytes counts rows of kg_trigram, so the quotas are counted
	 * again.
	 */
	if (kg_limits_any())
		kg_quota_count_anew(tenant);
}

void
kg_rebuild_tenant(const char *tenant)
{
	KgUserContext owner;

	GetUserIdAndSecContext(&owner.userid, &owner.sec_context);
	rebuild(tenant, &owner, true);
}

Jsonb *
kg_rebuild(void)
{
	const char *tenant = kg_identity_require(KG_ACCESS_ADMIN);
	KgUserContext user;
	Jsonb *result;
	bool whole = kg_catalog_newest(tenant)->plain_visibility;

	kg_visibility_require_tenant("rebuild its derived data");
	kg_become_owner(&user);
	rebuild(tenant, &user, whole);
	result = count_all(tenant, whole);
	kg_restore_user(&user);
	return result;
}
