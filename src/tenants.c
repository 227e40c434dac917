/*
 * tenants.c
 *	  SQL functions kg_create_tenant, kg_rename_tenant, kg_tenant_size,
 *	  kg_drop_tenant, kg_freeze_tenant, kg_thaw_tenant, kg_mark_moved.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/grants.h"
#include "auth/owner.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/spi.h"
#include "model/lock.h"
#include "catalog/pg_type.h"
#include "model/tenant_state.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "store/tenant/rows.h"
#include "utils/builtins.h"

KG_AUDITED(kg_sql_create_tenant, KG_AUDIT_WRITES)
{
	char *tenant = text_to_cstring(PG_GETARG_TEXT_PP(0));
	KgUserContext user;

	kg_owner_require("create tenants");
	kg_tenant_check_name(tenant);
	kg_spi_begin_as_owner(&user);
	KG_SPI_EXEC("INSERT INTO @kg_tenant(tenant) VALUES ($1) "
				"ON CONFLICT DO NOTHING",
				kg_arg(TEXTOID, PG_GETARG_DATUM(0)));
	if (SPI_processed == 0)
		kg_tenant_throw_exists(tenant);
	kg_tenant_take_name(PG_GETARG_DATUM(0));
	kg_spi_end_as_owner(&user);
	PG_RETURN_VOID();
}

KG_AUDITED(kg_sql_freeze_tenant, KG_AUDIT_WRITES)
{
	Datum tenant = PG_GETARG_DATUM(0);
	KgUserContext user;

	kg_owner_require("freeze tenants");
	kg_spi_begin_as_owner(&user);
	kg_require_tenant(tenant);
	kg_lock_writes_exclusive(TextDatumGetCString(tenant));
	KG_SPI_NEWEST(
		"INSERT INTO @kg_tenant_state(tenant, state) VALUES ($1, 'frozen') "
		"ON CONFLICT DO NOTHING",
		kg_arg(TEXTOID, tenant));
	kg_spi_end_as_owner(&user);
	PG_RETURN_VOID();
}

KG_AUDITED(kg_sql_thaw_tenant, KG_AUDIT_WRITES)
{
	Datum tenant = PG_GETARG_DATUM(0);
	KgUserContext user;

	kg_owner_require("thaw tenants");
	kg_spi_begin_as_owner(&user);
	kg_require_tenant(tenant);
	KG_SPI_NEWEST("DELETE FROM @kg_tenant_state WHERE tenant = $1 "
				  "AND state = 'frozen'",
				  kg_arg(TEXTOID, tenant));
	kg_spi_end_as_owner(&user);
	PG_RETURN_VOID();
}

/* A tenant, and the new name that it gets. */
typedef struct Rename
{
	Datum tenant;
	Datum name;
} Rename;

static void
give(void *arg)
{
	Rename *rename = arg;

	kg_tenant_give(rename->tenant, rename->name);
	KG_SPI_NEWEST("DELETE FROM @kg_tenant WHERE tenant = $1",
				  kg_arg(TEXTOID, rename->tenant));
}

/* Transfers the tenant's rows while writers are excluded under both names. */
static void
give_as_both(void *arg)
{
	Rename *rename = arg;

	kg_tenant_work(
		TextDatumGetCString(rename->name), KG_TENANT_WHOLE, give, arg);
}

/*
 * Raises an error unless the tenant is frozen. Locks its row, so that no
 * caller can thaw the tenant before this transaction ends.
 */
static void
require_frozen(Datum tenant)
{
	KG_SPI_NEWEST("SELECT FROM @kg_tenant_state WHERE tenant = $1 "
				  "AND state = 'frozen' FOR UPDATE",
				  kg_arg(TEXTOID, tenant));
	if (SPI_processed > 0)
		return;
	KG_THROW(KG_FORBIDDEN,
			 .message = psprintf("tenant \"%s\" is not frozen",
								 TextDatumGetCString(tenant)),
			 .expected = "a tenant that kg_freeze_tenant() froze");
}

/*
 * Inserts a row of kg_tenant for the new name, and records the former name.
 * Raises an error if a tenant has the new name.
 */
static void
begin_name(Datum tenant, Datum name)
{
	KG_SPI_NEWEST("INSERT INTO @kg_tenant SELECT n.* FROM @kg_tenant t, "
				  "jsonb_populate_record(t, jsonb_build_object('tenant', "
				  "$2)) n WHERE t.tenant = $1 ON CONFLICT DO NOTHING",
				  kg_arg(TEXTOID, tenant),
				  kg_arg(TEXTOID, name));
	if (SPI_processed == 0)
		kg_tenant_throw_exists(TextDatumGetCString(name));
	kg_tenant_take_name(name);
	KG_SPI_NEWEST("UPDATE @kg_former_name SET became = $2 "
				  "WHERE became = $1",
				  kg_arg(TEXTOID, tenant),
				  kg_arg(TEXTOID, name));
	KG_SPI_NEWEST("INSERT INTO @kg_former_name(name, became) "
				  "VALUES ($1, $2)",
				  kg_arg(TEXTOID, tenant),
				  kg_arg(TEXTOID, name));
}

KG_AUDITED(kg_sql_rename_tenant, KG_AUDIT_WRITES)
{
	Rename rename = {PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)};
	char *tenant = TextDatumGetCString(rename.tenant);
	char *name = TextDatumGetCString(rename.name);
	KgUserContext user;

	kg_owner_require("rename tenants");
	kg_tenant_check_name(name);
	kg_spi_begin_as_owner(&user);
	kg_require_tenant(rename.tenant);
	kg_lock_writes_exclusive(tenant);
	kg_lock_writes_exclusive(name);
	require_frozen(rename.tenant);
	begin_name(rename.tenant, rename.name);
	kg_tenant_work(tenant, KG_TENANT_WHOLE, give_as_both, &rename);
	kg_spi_end_as_owner(&user);
	PG_RETURN_VOID();
}

KG_AUDITED(kg_sql_free_tenant_name, KG_AUDIT_WRITES)
{
	Datum name = PG_GETARG_DATUM(0);
	KgUserContext user;

	kg_owner_require("free names of tenants");
	kg_spi_begin_as_owner(&user);
	/*
	 * Also transfers records of calls that began before the rename and ended
	 * after it.
	 */
	KG_SPI_NEWEST(
		"UPDATE @kg_audit a SET tenant = t.tenant FROM @kg_former_name f "
		"JOIN @kg_tenant t ON t.tenant = f.became WHERE f.name = $1 "
		"AND a.tenant = $1",
		kg_arg(TEXTOID, name));
	KG_SPI_NEWEST("DELETE FROM @kg_former_name WHERE name = $1",
				  kg_arg(TEXTOID, name));
	if (SPI_processed == 0)
		KG_THROW(
			KG_NOT_FOUND,
			.message = psprintf("\"%s\" is not a reserved name",
								TextDatumGetCString(name)),
			.expected =
				"a former name of a tenant that kg_rename_tenant() renamed");
	kg_spi_end_as_owner(&user);
	PG_RETURN_VOID();
}

KG_AUDITED(kg_sql_tenant_size, KG_AUDIT_READS)
{
	MemoryContext caller = CurrentMemoryContext;
	KgUserContext user;
	Jsonb *reply;

	kg_owner_require("measure tenants");
	kg_spi_begin_as_owner(&user);
	kg_require_tenant(PG_GETARG_DATUM(0));
	reply = kg_tenant_measure(PG_GETARG_DATUM(0));
	MemoryContextSwitchTo(caller);
	reply = (Jsonb *) pg_detoast_datum_copy((struct varlena *) reply);
	kg_spi_end_as_owner(&user);
	PG_RETURN_JSONB_P(reply);
}

/* Number of rows that one DELETE finds by their TIDs. */
#define KG_DROP_BATCH 10000

#define KG_DELETE(table, condition)                               \
	"DELETE FROM @" table " WHERE ctid = ANY (ARRAY(SELECT ctid " \
	"FROM @" table " WHERE tenant = $1 " condition "LIMIT $2))"

/*
 * Statements for the largest tables, with referencing tables first. Packed
 * edges are deleted while edges exist, because they are located by the nodes
 * of edges.
 */
static const char *const delete_rows[] = {
	KG_DELETE("kg_adjacency", "AND " KG_HUBS_OF_TENANT " "),
	KG_DELETE("kg_adjacency", "AND " KG_BLOCKS_OF_TENANT " "),
	KG_DELETE("kg_edge", ""),
	KG_DELETE("kg_index_key", "AND " KG_KEYS_OF_TENANT " "),
	KG_DELETE("kg_unique_key", ""),
	KG_DELETE("kg_term", ""),
	KG_DELETE("kg_trigram", ""),
	KG_DELETE("kg_word", ""),
	KG_DELETE("kg_word_count", ""),
	KG_DELETE("kg_entity", ""),
	KG_DELETE("kg_history", ""),
	KG_DELETE("kg_freed", ""),
	KG_DELETE("kg_idempotency", ""),
	KG_DELETE("kg_load", ""),
	("DELETE FROM @kg_audit WHERE tenant = $1 AND (at, id) IN "
	 "(SELECT at, id FROM @kg_audit WHERE tenant = $1 LIMIT $2)")};

/*
 * Tables whose rows are deleted first. A table may be missing if the
 * extension's SQL is older than the library.
 */
static const struct
{
	const char *table;
	const char *rows;
} delete_new[] = {
	{"kg_embedding", KG_DELETE("kg_embedding", "")},
	{"kg_change_transaction", KG_DELETE("kg_change_transaction", "")},
};

/*
 * Statements for the other tables, including the tables that identify the
 * tenant.
 */
static const char *const delete_last[] = {
	"DELETE FROM @kg_adjacency WHERE tenant = $1 AND block = 0",
	"DELETE FROM @kg_relation WHERE tenant = $1",
	"DELETE FROM @kg_tool_version WHERE tenant = $1",
	"DELETE FROM @kg_tool WHERE tenant = $1",
	"DELETE FROM @kg_entity_type WHERE tenant = $1",
	"DELETE FROM @kg_bundle WHERE tenant = $1",
	"DELETE FROM @kg_tenant WHERE tenant = $1"};

typedef struct Drop
{
	Datum tenant;
	int64 rows; /* maximum number of rows to delete; negative: all */
	bool done;
} Drop;

/*
 * Deletes rows in batches, at most drop->rows rows; if this number is negative,
 * all rows. Returns false if more rows may remain.
 */
static bool
delete_most(Drop *drop, KgSaved *saved, const char *sql)
{
	int64 limit;

	do
	{
		CHECK_FOR_INTERRUPTS();
		if (drop->rows == 0)
			return false;
		limit = drop->rows < 0 ? KG_DROP_BATCH : Min(drop->rows, KG_DROP_BATCH);
		kg_spi_exec_newest(
			saved, sql, kg_arg(TEXTOID, drop->tenant), kg_arg_int8(limit));
		if (drop->rows > 0)
			drop->rows -= SPI_processed;
	} while (SPI_processed == limit);
	return true;
}

/*
 * Revokes all access to the tenant. Call it before the first row is deleted.
 */
static void
take_away(Datum tenant)
{
	List *roles = kg_granted_roles(tenant);

	KG_SPI_NEWEST(
		"INSERT INTO @kg_tenant_state AS s (tenant, state) "
		"VALUES ($1, 'dropping') ON CONFLICT (tenant) DO UPDATE "
		"SET state = 'dropping', since = now() WHERE s.state = 'frozen'",
		kg_arg(TEXTOID, tenant));
	KG_SPI_NEWEST("DELETE FROM @kg_tenant_role WHERE tenant = $1",
				  kg_arg(TEXTOID, tenant));
	KG_SPI_NEWEST("DELETE FROM @kg_auth_key WHERE tenant = $1",
				  kg_arg(TEXTOID, tenant));
	kg_sync_roles(roles);
}

static void
drop_rows(void *arg)
{
	static KgSaved added[lengthof(delete_new)];
	static KgSaved saved[lengthof(delete_rows)];
	static KgSaved last[lengthof(delete_last)];
	Drop *drop = arg;

	take_away(drop->tenant);
	for (int i = 0; i < lengthof(delete_new); i++)
		if (OidIsValid(kg_find_relation(delete_new[i].table)) &&
			!delete_most(drop, &added[i], delete_new[i].rows))
			return;
	for (int i = 0; i < lengthof(delete_rows); i++)
		if (!delete_most(drop, &saved[i], delete_rows[i]))
			return;
	for (int i = 0; i < lengthof(delete_last); i++)
		kg_spi_exec_newest(
			&last[i], delete_last[i], kg_arg(TEXTOID, drop->tenant));
	drop->done = true;
}

/*
 * Raises an error unless the tenant exists. The tenant may be in the process
 * of being dropped.
 */
static void
require_dropped(Datum tenant)
{
	KG_SPI_NEWEST("SELECT FROM @kg_tenant_state WHERE tenant = $1 "
				  "AND state = 'dropping'",
				  kg_arg(TEXTOID, tenant));
	if (SPI_processed == 0)
		kg_require_tenant(tenant);
}

static bool
drop_tenant(Datum tenant, int64 rows)
{
	Drop drop = {tenant, rows, false};
	char *name = TextDatumGetCString(tenant);
	KgUserContext user;

	kg_spi_begin_as_owner(&user);
	require_dropped(tenant);
	kg_lock_writes_exclusive(name);
	kg_tenant_work(name, KG_TENANT_WHOLE, drop_rows, &drop);
	kg_spi_end_as_owner(&user);
	return drop.done;
}

KG_AUDITED(kg_sql_drop_tenant, KG_AUDIT_WRITES)
{
	kg_owner_require("drop tenants");
	(void) drop_tenant(PG_GETARG_DATUM(0), -1);
	PG_RETURN_VOID();
}

KG_AUDITED(kg_sql_drop_tenant_rows, KG_AUDIT_WRITES)
{
	int32 rows = PG_GETARG_INT32(1);

	kg_owner_require("drop tenants");
	if (rows < 1)
		KG_THROW(
			KG_INVALID_INPUT,
			.message = "rows must be at least 1",
			.path = "/rows",
			.expected = "the maximum number of rows that a call may delete");
	PG_RETURN_BOOL(drop_tenant(PG_GETARG_DATUM(0), rows));
}

static void
leave(void *arg)
{
	Datum tenant = PointerGetDatum(arg);

	KG_SPI_NEWEST("INSERT INTO @kg_moved_tenant(name, roles) "
				  "SELECT $1, ARRAY(SELECT role_name FROM @kg_tenant_role "
				  "WHERE tenant = $1 ORDER BY 1)",
				  kg_arg(TEXTOID, tenant));
	take_away(tenant);
}

KG_AUDITED(kg_sql_mark_moved, KG_AUDIT_WRITES)
{
	Datum tenant = PG_GETARG_DATUM(0);
	char *name = TextDatumGetCString(tenant);
	KgUserContext user;

	kg_owner_require("move tenants");
	kg_spi_begin_as_owner(&user);
	kg_require_tenant(tenant);
	kg_lock_writes_exclusive(name);
	require_frozen(tenant);
	kg_tenant_work(name, KG_TENANT_WHOLE, leave, DatumGetPointer(tenant));
	kg_spi_end_as_owner(&user);
	PG_RETURN_VOID();
}
