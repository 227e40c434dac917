/*
 * checks.c
 *	  SQL function kg_check(): verifies every row, and the definitions of the
 *	  extension's tables.
 *
 * Each check of a definition is a statement that returns an object, a message
 * and a repair. The statement runs as the owner of the extension. If an admin
 * calls kg_check(), $1 is the admin's tenant, and only the tenant's own data
 * is reported. store/check/verify.c compares rows.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/identity.h"
#include "auth/owner.h"
#include "auth/policies.h"
#include "auth/privileges.h"
#include "auth/token_identity.h"
#include "auth/visibility.h"
#include "base/catch.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/manifest.h"
#include "base/spi.h"
#include "model/catalog.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "store/check/verify.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

typedef struct KgCheck
{
	const char *kind;
	bool repair; /* the repair is a statement */
	const char *sql;
} KgCheck;

static const KgCheck checks[] = {
	{"grant_orphaned",
	 false,
	 "SELECT format('grant of tenant %s to role %s', t.tenant, t.role_name), "
	 "CASE WHEN r.rolname IS NULL THEN format('no role has its number, %s; "
	 "the grant does not count', t.role::oid) "
	 "ELSE format('its number, %s, is of role %s now; "
	 "the grant does not count', t.role::oid, r.rolname) END, "
	 "format('SELECT kg_revoke(%L, %L), or kg_grant() to the role that is "
	 "meant', t.tenant, t.role_name) "
	 "FROM @kg_tenant_role t LEFT JOIN pg_roles r ON r.oid = t.role "
	 "WHERE r.rolname IS DISTINCT FROM t.role_name "
	 "AND t.tenant = coalesce($1, t.tenant) "
	 "ORDER BY t.tenant, t.role_name"},
	{"policy_not_in_force", false, kg_policies_not_in_force},
	{"policy_for_reading_alone", false, kg_policies_for_reading_alone},
	{"execute_given", false, kg_owner_execute_given},
	/*
	 * A table keeps the mark of CLUSTER after CLUSTER was run, so the mark is
	 * not a fault.
	 */
	{"not_in_dumps",
	 false,
	 "SELECT s, 'pg_dump leaves out what a DBA made on our tables', "
	 "CASE WHEN s LIKE 'CREATE POLICY%' THEN 'kg_add_policy() makes policies "
	 "that dumps keep' ELSE 'run what kg_dump_customizations() says after a "
	 "restore' END FROM @kg_dump_customizations() s "
	 "WHERE $1 IS NULL AND s NOT LIKE 'ALTER TABLE % CLUSTER ON %' "
	 /* The check kg_manifest_more reports these statements. */
	 "AND s NOT LIKE 'CREATE POLICY % AS PERMISSIVE FOR %'"},
	{"not_ours", false, kg_manifest_more},
	/*
	 * Reports objects that belong neither to the extension (definition_wrong
	 * reports its objects) nor to a DBA. kg_dump_customizations() omits them.
	 */
	{"index_left",
	 false,
	 "SELECT format('index %s of %s', d.name, d.on_table), "
	 "CASE WHEN d.sound THEN 'it is a copy of an index that an interrupted "
	 "REINDEX CONCURRENTLY left, or makes now' "
	 "ELSE 'it is not valid: a REINDEX or CREATE INDEX CONCURRENTLY left it, "
	 "or makes it now' END, format('DROP INDEX %s, unless it is being made', "
	 "x.oid::regclass) FROM (SELECT d.* FROM @kg_definitions() d "
	 "WHERE $1 IS NULL AND d.kind = 'index' AND NOT EXISTS (SELECT "
	 "FROM @kg_manifest m WHERE m.kind = d.kind AND m.on_table = d.on_table "
	 "AND m.name = d.name) OFFSET 0) d JOIN pg_extension e "
	 "ON e.extname = 'kg_graph' JOIN pg_class x ON x.relname = d.name "
	 "AND x.relnamespace = e.extnamespace WHERE NOT d.sound "
	 "OR d.definition NOT IN (SELECT @kg_dump_customizations()) "
	 "ORDER BY d.on_table, d.name"},
	/*
	 * Reports columns that a dump's COPY command names, but that CREATE
	 * EXTENSION does not create.
	 */
	{"not_in_dumps",
	 false,
	 "SELECT format('column %s of %s', c.name, m.on_table), "
	 "'a dump of the table cannot be restored: its data is lost there', "
	 "'keep it in a table of your own' "
	 "FROM @kg_table_settings() d JOIN @kg_manifest m "
	 "ON m.on_table = d.on_table AND m.kind = d.kind "
	 "CROSS JOIN LATERAL (SELECT unnest(string_to_array(d.definition, ',')) "
	 "EXCEPT SELECT unnest(string_to_array(m.definition, ','))) c(name) "
	 "WHERE $1 IS NULL AND d.kind = 'columns' ORDER BY 1"},
	/*
	 * Reports stored idempotency keys for which a retry finds no reply, or
	 * finds a reply that cannot be sent.
	 */
	{"idempotency_wrong",
	 false,
	 "SELECT format('idempotency key %s of tenant %s', left(i.key, 128), "
	 "i.tenant), CASE WHEN octet_length(i.request) <> 32 THEN "
	 "'the digest of its request does not have 32 bytes' "
	 "WHEN jsonb_typeof(i.reply) <> 'object' THEN 'its reply is not an object' "
	 "ELSE 'its created_at is in "
	 "the future, so it does not expire in time' END, "
	 "'delete its row of kg_idempotency; the write can then be done again' "
	 "FROM @kg_idempotency i WHERE i.tenant = coalesce($1, i.tenant) "
	 "AND (octet_length(i.request) <> 32 OR jsonb_typeof(i.reply) <> 'object' "
	 "OR i.created_at > clock_timestamp() + '1 minute'::interval) "
	 "ORDER BY 1"},
	/*
	 * Reports types and relations whose number is below 1: their sequence has
	 * passed the maximum of an integer.
	 */
	{"number_wrong",
	 false,
	 "SELECT format('%s %s of tenant %s', w.kind, w.name, w.tenant), "
	 "format('its number is %s', w.number), 'drop it, and "
	 "apply its bundle again' FROM (SELECT 'type', entity_type, "
	 "tenant, type_no FROM @kg_entity_type UNION SELECT 'relation', relation, "
	 "tenant, relation_no FROM @kg_relation) w(kind, name, tenant, number) "
	 "WHERE w.number < 1 AND w.tenant = coalesce($1, w.tenant) ORDER BY 1"},
	/*
	 * Reports a sequence that is behind the stored numbers, so that the next
	 * row would get an existing number.
	 */
	{"sequence_behind",
	 true,
	 "WITH n AS (SELECT coalesce((SELECT shard FROM @kg_number_range), 0) "
	 "AS shard) SELECT format('sequence %s', s.name), "
	 "format('it is at %s, and %s is in use', l.last, s.used), "
	 "format('SELECT setval(%L, %s)', s.oid::regclass, s.used) "
	 "FROM (SELECT 'kg_node_seq', q.*, q.tableoid, (SELECT max(node) "
	 "FROM @kg_entity WHERE node >> 40 = n.shard) FROM @kg_node_seq q, n "
	 "UNION ALL SELECT 'kg_type_seq', q.*, q.tableoid, (SELECT max(type_no) "
	 "FROM @kg_entity_type WHERE type_no >> 20 = n.shard) "
	 "FROM @kg_type_seq q, n "
	 "UNION ALL SELECT 'kg_relation_seq', q.*, q.tableoid, "
	 "(SELECT max(relation_no) FROM @kg_relation "
	 "WHERE relation_no >> 20 = n.shard) FROM @kg_relation_seq q, n "
	 "UNION ALL SELECT 'kg_change_seq', q.*, q.tableoid, "
	 "(SELECT max(change) FROM @kg_history) FROM @kg_change_seq q) "
	 "s(name, last_value, log_cnt, is_called, oid, used) "
	 "CROSS JOIN LATERAL (SELECT CASE WHEN s.is_called THEN s.last_value "
	 "ELSE s.last_value - 1 END) l(last) "
	 "WHERE $1 IS NULL AND s.used > l.last ORDER BY 1"},
};

typedef struct KgCheckCall
{
	const char *tenant; /* NULL: check all tenants and the definitions */
	bool repair;
	int64 limit;
	List *refused; /* repairs that failed */
	KgDifferences differences;
	int64 tenants;
	int64 entities;
	/* user context of the calling admin; NULL: the owner calls */
	const KgUserContext *admin;
} KgCheckCall;

/*
 * Runs statements of kg_graph. All names in them are qualified or in
 * pg_catalog.
 */
static void
run_statements(void *statements)
{
	int nest = kg_spi_pin_path();

	if (SPI_execute(statements, false, 0) < 0)
		elog(ERROR, "\"%s\" failed", (char *) statements);
	kg_spi_unpin_path(nest);
}

/*
 * Runs a repair. Returns NULL if it succeeds. If it fails, it has no effect,
 * and its error is returned.
 */
static ErrorData *
mend(const char *statements)
{
	return kg_catch_refusal(KG_CATCH_KEEP, run_statements, (void *) statements);
}

/*
 * Repeats failed repairs, which may succeed after the other repairs. Warns of
 * repairs that still fail.
 */
static void
mend_refused(KgCheckCall *call)
{
	ErrorData *refusal = NULL;
	int before;

	do
	{
		List *again = call->refused;
		ListCell *lc;

		before = list_length(again);
		call->refused = NIL;
		foreach(lc, again)
		{
			ErrorData *edata = mend(lfirst(lc));

			if (edata == NULL)
				continue;
			refusal = edata;
			call->refused = lappend(call->refused, lfirst(lc));
		}
	} while (list_length(call->refused) < before);
	if (call->refused != NIL)
		ereport(WARNING,
				(errcode(refusal->sqlerrcode),
				 errmsg("%d repairs failed; the last error was: %s",
						list_length(call->refused),
						refusal->message),
				 errdetail("The failed statement was: %s",
						   (char *) llast(call->refused))));
	call->refused = NIL;
}

/*
 * Adds a difference. If "repair" is true, its repair is a statement, which is
 * run if the call repairs. A repair that fails is added to call->refused.
 */
static void
report(KgCheckCall *call, const KgDifference *difference, bool repair)
{
	kg_differences_add(&call->differences, difference);
	if (call->repair && repair && mend(difference->repair) != NULL)
		call->refused = lappend(call->refused, (void *) difference->repair);
}

/* Adds a difference from a row of a check's statement. */
static void
add_difference(KgCheckCall *call, const KgCheck *check, HeapTuple row,
			   TupleDesc desc)
{
	KgDifference difference = {check->kind};

	difference.tenant = call->tenant;
	difference.object = SPI_getvalue(row, desc, 1);
	difference.got = SPI_getvalue(row, desc, 2);
	difference.repair = SPI_getvalue(row, desc, 3);
	report(call, &difference, check->repair);
}

/* Runs a check. Returns the number of differences that it finds. */
static uint64
run_check(KgCheckCall *call, const KgCheck *check, KgSaved *saved)
{
	SPITupleTable *rows;
	uint64 n;

	kg_spi_select_of(saved, check->sql, call->tenant);
	rows = SPI_tuptable;
	n = SPI_processed;
	for (uint64 i = 0; i < n; i++)
		add_difference(call, check, rows->vals[i], rows->tupdesc);
	SPI_freetuptable(rows);
	return n;
}

/* Returns true if a row of kg_manifest_wrong() reports an altered column. */
static bool
is_altered_column(HeapTuple row, TupleDesc desc)
{
	/* A missing column has its own kind of difference, column_missing. */
	return strcmp(SPI_getvalue(row, desc, 1), "column type") == 0 &&
		   strcmp(SPI_getvalue(row, desc, 4), "is missing") != 0;
}

static void
add_wrong(KgCheckCall *call, HeapTuple row, TupleDesc desc, bool altered)
{
	KgDifference difference = {altered ? "column_altered" : "definition_wrong"};

	difference.tenant = call->tenant;
	difference.object = psprintf("%s %s of %s",
								 altered ? "column"
										 : SPI_getvalue(row, desc, 1),
								 SPI_getvalue(row, desc, 3),
								 SPI_getvalue(row, desc, 2));
	difference.got = altered ? "the type of the column was changed, and "
							   "queries that read the table may fail"
							 : SPI_getvalue(row, desc, 4);
	difference.repair = SPI_getvalue(row, desc, 5);
	report(call, &difference, !altered);
}

/*
 * Checks definitions. Returns false if tables or columns are missing or
 * altered, because then nothing else can be read or repaired. The definitions
 * are compared only once, because that takes most of the time for an empty
 * database.
 */
static bool
check_definitions(KgCheckCall *call)
{
	static const KgCheck missing = {
		"column_missing", false, kg_manifest_columns_missing};
	static const KgCheck functions = {
		"definition_wrong", true, kg_manifest_parts_missing};
	static KgSaved saved[2];
	SPITupleTable *rows;
	uint64 n;
	bool readable = true;

	if (run_check(call, &missing, &saved[0]) > 0)
		return false;
	if (run_check(call, &functions, &saved[1]) > 0)
	{
		if (!call->repair)
			return false;
		mend_refused(call);
	}
	/* Makes the effects of the repairs visible. */
	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	kg_manifest_wrong(true, call->tenant);
	PopActiveSnapshot();
	rows = SPI_tuptable;
	n = SPI_processed;
	for (uint64 i = 0; i < n; i++)
		readable &= !is_altered_column(rows->vals[i], rows->tupdesc);
	/*
	 * If a column is altered, the other differences may be consequences of
	 * that.
	 */
	for (uint64 i = 0; i < n; i++)
	{
		bool altered = is_altered_column(rows->vals[i], rows->tupdesc);

		if (altered != readable)
			add_wrong(call, rows->vals[i], rows->tupdesc, altered);
	}
	SPI_freetuptable(rows);
	mend_refused(call);
	return readable;
}

/*
 * Checks for missing privileges of roles with grants, and for roles that bypass
 * all policies. If the call repairs, grants the missing privileges.
 */
static void
check_privileges(KgCheckCall *call)
{
	SPITupleTable *rows;
	uint64 n;

	KG_SPI_SELECT_OF(kg_privileges_of_roles, call->tenant);
	rows = SPI_tuptable;
	n = SPI_processed;
	for (uint64 i = 0; i < n; i++)
	{
		bool isnull;
		Oid role = DatumGetObjectId(
			SPI_getbinval(rows->vals[i], rows->tupdesc, 1, &isnull));
		char *beyond = SPI_getvalue(rows->vals[i], rows->tupdesc, 3);
		List *missing = kg_privileges_missing(role);
		ListCell *lc;

		if (beyond != NULL)
		{
			KgDifference difference = {"role_beyond"};

			difference.object = psprintf(
				"role %s", SPI_getvalue(rows->vals[i], rows->tupdesc, 2));
			difference.got = beyond;
			difference.repair = SPI_getvalue(rows->vals[i], rows->tupdesc, 4);
			kg_differences_add(&call->differences, &difference);
		}
		foreach(lc, missing)
		{
			KgDifference difference = {"privilege_missing"};

			difference.object = psprintf(
				"role %s", SPI_getvalue(rows->vals[i], rows->tupdesc, 2));
			difference.expected = lfirst(lc);
			difference.repair = kg_is_gateway(role)
									? "call kg_grant_gateway() again"
									: "call kg_grant() again";
			kg_differences_add(&call->differences, &difference);
		}
		if (call->repair && missing != NIL)
			kg_privileges_sync(role);
	}
	SPI_freetuptable(rows);
}

/*
 * Selects the distinct tenants of a table, with one index scan for each
 * tenant. The table needs an index that begins with the tenant.
 */
#define KG_STEPS(table)                                                     \
	"WITH RECURSIVE t AS ((SELECT tenant FROM " table                       \
	" ORDER BY tenant LIMIT 1) UNION ALL SELECT (SELECT n.tenant "          \
	"FROM " table " n WHERE n.tenant > t.tenant ORDER BY n.tenant LIMIT 1)" \
	" FROM t WHERE t.tenant IS NOT NULL) SELECT tenant FROM t"
#define KG_OF_NO_TENANT(table, tenants)                                    \
	"SELECT format('rows of tenant %s in " table "', o.tenant), "          \
	"'there is no such tenant', "                                          \
	"format('DELETE FROM " table " WHERE tenant = %L', o.tenant) "         \
	"FROM (" tenants ") o WHERE $1 IS NULL AND o.tenant IS NOT NULL "      \
	"AND NOT EXISTS (SELECT FROM @kg_tenant t WHERE t.tenant = o.tenant) " \
	"ORDER BY 1"

/*
 * Checks for rows of tenants that do not exist. The checks of single tenants
 * do not find them.
 */
static void
check_no_tenant(KgCheckCall *call)
{
	static const char *const statements[] = {
		KG_OF_NO_TENANT("@kg_edge", KG_STEPS("@kg_edge")),
		KG_OF_NO_TENANT("@kg_term", KG_STEPS("@kg_term")),
		KG_OF_NO_TENANT("@kg_trigram", KG_STEPS("@kg_trigram")),
		KG_OF_NO_TENANT("@kg_word", KG_STEPS("@kg_word")),
		KG_OF_NO_TENANT("@kg_word_count", KG_STEPS("@kg_word_count")),
		KG_OF_NO_TENANT("@kg_unique_key", KG_STEPS("@kg_unique_key")),
		KG_OF_NO_TENANT("@kg_pending_reference",
						"SELECT DISTINCT tenant FROM @kg_pending_reference"),
		KG_OF_NO_TENANT("@kg_adjacency",
						"SELECT DISTINCT tenant FROM @kg_adjacency")};
	static KgSaved saved[lengthof(statements)];

	for (int i = 0; i < lengthof(statements); i++)
	{
		KgCheck check = {"tenant_unknown", true, statements[i]};

		run_check(call, &check, &saved[i]);
	}
}

/* Checks for embeddings of missing entities. */
static void
check_embeddings(KgCheckCall *call)
{
	static const KgCheck check = {
		"embedding_extra",
		true,
		"SELECT format('kg_embedding of node %s', v.node), "
		"'there is no such entity', format('DELETE FROM @kg_embedding "
		"WHERE tenant = %L AND node = %s', v.tenant, v.node) "
		"FROM @kg_embedding v WHERE v.tenant = coalesce($1, v.tenant) "
		"AND NOT EXISTS (SELECT FROM @kg_entity e WHERE e.tenant = v.tenant "
		"AND e.node = v.node) ORDER BY v.tenant, v.node"};
	static KgSaved saved;

	if (OidIsValid(kg_find_relation("kg_embedding")))
		run_check(call, &check, &saved);
}

/*
 * Checks for keys of types that do not exist. The checks of single tenants do
 * not find them.
 */
static void
check_key_types(KgCheckCall *call)
{
	KG_SPI_SELECT_OF(
		"SELECT k.tenant, k.type_no FROM (SELECT DISTINCT tenant, type_no "
		"FROM @kg_index_key) k WHERE $1 IS NULL AND NOT EXISTS "
		"(SELECT FROM @kg_entity_type t WHERE t.tenant = k.tenant "
		"AND t.type_no = k.type_no)",
		call->tenant);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgDifference difference = {"type_unknown", "kg_index_key"};

		difference.tenant = kg_spi_cstring(i, 1);
		difference.got = psprintf("type_no %s", kg_spi_cstring(i, 2));
		difference.repair = "DELETE FROM kg_index_key of this type_no";
		kg_differences_add(&call->differences, &difference);
	}
	SPI_freetuptable(SPI_tuptable);
}

static void
repair_key_types(void)
{
	static KgSaved saved;

	kg_spi_exec_args(&saved,
					 "DELETE FROM @kg_index_key k WHERE NOT EXISTS "
					 "(SELECT FROM @kg_entity_type t WHERE t.tenant = k.tenant "
					 "AND t.type_no = k.type_no)",
					 0,
					 NULL);
}

static void
check_tenants(KgCheckCall *call)
{
	SPITupleTable *rows;
	uint64 n;

	KG_SPI_SELECT_OF(
		"SELECT tenant FROM @kg_tenant t WHERE tenant = coalesce($1, tenant) "
		"AND NOT EXISTS (SELECT FROM @kg_tenant_state s "
		"WHERE s.tenant = t.tenant AND s.state = 'dropping') "
		"ORDER BY tenant",
		call->tenant);
	rows = SPI_tuptable;
	n = SPI_processed;
	for (uint64 i = 0; i < n; i++)
	{
		char *tenant = SPI_getvalue(rows->vals[i], rows->tupdesc, 1);

		call->tenants++;
		call->entities += kg_verify_tenant(
			tenant, call->admin, &call->differences);
		if (call->repair)
			kg_verify_repair(tenant, &call->differences);
	}
	SPI_freetuptable(rows);
	if (call->tenant != NULL && n == 0)
		kg_error_throw(kg_error_new(
			KG_NOT_FOUND, "tenant \"%s\" does not exist", call->tenant));
}

static void
check_all(KgCheckCall *call)
{
	static KgSaved saved[lengthof(checks)];

	kg_differences_init(&call->differences, call->limit);
	call->tenants = 0;
	call->entities = 0;
	if (!check_definitions(call))
		return;
	for (int i = 0; i < lengthof(checks); i++)
		run_check(call, &checks[i], &saved[i]);
	mend_refused(call);
	check_privileges(call);
	check_no_tenant(call);
	check_embeddings(call);
	check_key_types(call);
	if (call->repair && call->tenant == NULL)
		repair_key_types();
	check_tenants(call);
}

/*
 * Repeats the check without repairs. Returns the number of differences that
 * remain.
 */
static int64
count_left(const KgCheckCall *call)
{
	KgCheckCall again = *call;

	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	again.repair = false;
	again.limit = 0;
	check_all(&again);
	PopActiveSnapshot();
	return again.differences.total;
}

static Jsonb *
tell(KgCheckCall *call, TimestampTz start, int64 left)
{
	KgDifferences *differences = &call->differences;
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kbool(&w, "ok", left == 0);
	kg_jw_kjsonb(&w, "differences", kg_jw_finish(&differences->written));
	if (differences->total > call->limit)
		kg_jw_kbool(&w, "truncated", true);
	kg_jw_kbegin_object(&w, "counts");
	kg_jw_kint(&w, "tenants", call->tenants);
	kg_jw_kint(&w, "entities", call->entities);
	kg_jw_kint(&w, "differences", differences->total);
	kg_differences_write_counts(differences, &w);
	kg_jw_end_object(&w);
	if (call->repair)
		kg_jw_kint(&w, "left", left);
	kg_jw_kint(&w,
			   "ms",
			   TimestampDifferenceMilliseconds(start, GetCurrentTimestamp()));
	return kg_jw_finish(&w);
}

static void
read_options(const Jsonb *options, KgCheckCall *call)
{
	static const char *const known[] = {"repair", "limit", "tenant", NULL};
	JsonbValue value;

	kg_check_options(options, known);
	call->limit = 100;
	call->repair = kg_option_is_on(options, "repair");
	if (kg_json_get(&options->root, "limit", &value) &&
		(!kg_json_int64(&value, &call->limit) || call->limit < 0 ||
		 call->limit > 10000))
		kg_error_throw_option("limit", &value, "an integer from 0 to 10000");
	if (kg_json_get(&options->root, "tenant", &value))
	{
		if (value.type != jbvString)
			kg_error_throw_option("tenant", &value, "a tenant's name");
		call->tenant = kg_json_cstring(&value);
	}
}

/*
 * Raises an error unless the caller is the owner, or an admin that checks its
 * own tenant. Returns true if the caller is an admin.
 */
static bool
require_right(KgCheckCall *call)
{
	const char *mine;

	if (kg_token_identity() == NULL && !kg_token_lapsed() &&
		kg_has_owner_rights(GetUserId()))
		return false;
	mine = kg_identity_require(KG_ACCESS_ADMIN);
	kg_visibility_require_tenant("check it");
	/*
	 * The report includes ids, contents and numbers of rows, so the caller
	 * must see the whole tenant.
	 */
	if (!kg_catalog_newest(mine)->plain_visibility)
		kg_visibility_refuse_part("check it",
								  "the owner of the extension, or an admin "
								  "from whom no policy and no authorizer hides "
								  "entities");
	if (call->tenant && strcmp(call->tenant, mine) != 0)
		kg_error_throw(kg_error_new(
			KG_FORBIDDEN,
			"only the owner of the extension may check another tenant"));
	call->tenant = mine;
	return true;
}

KG_AUDITED(kg_sql_check, KG_AUDIT_WRITES)
{
	MemoryContext context = CurrentMemoryContext;
	TimestampTz start = GetCurrentTimestamp();
	KgCheckCall call;
	KgUserContext user;
	Jsonb *result;
	bool is_admin;
	int64 left;
	int nest;

	memset(&call, 0, sizeof(call));
	read_options(PG_GETARG_JSONB_P(0), &call);
	is_admin = require_right(&call);
	kg_spi_begin_as_owner(&user);
	nest = kg_spi_pin_quotes();
	if (is_admin)
		call.admin = &user;
	MemoryContextSwitchTo(context);
	check_all(&call);
	left = call.repair ? count_left(&call) : call.differences.total;
	/* Utility statements leave SPI's memory context as the current context. */
	MemoryContextSwitchTo(context);
	result = tell(&call, start, left);
	kg_spi_unpin_path(nest);
	kg_spi_end_as_owner(&user);
	PG_RETURN_JSONB_P(result);
}
