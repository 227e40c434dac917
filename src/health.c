/*
 * health.c
 *	  SQL function kg_health(): a quick check. (kg_check() verifies every row.)
 *
 * A component is a function that checks one area: it writes metrics and
 * reports problems. The owner and gateways get all components. Other callers
 * get the components of their own tenant. Nothing is written, so the function
 * works on a standby.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "auth/auth_key.h"
#include "auth/identity.h"
#include "auth/owner.h"
#include "auth/policies.h"
#include "auth/privileges.h"
#include "auth/token_identity.h"
#include "base/cache.h"
#include "base/catch.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/manifest.h"
#include "base/spi.h"
#include "base/text.h"
#include "model/adjacency.h"
#include "model/annotations.h"
#include "model/bound_table.h"
#include "model/catalog.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "query/run/authorizer.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

/*
 * The states of a component, in ascending order of severity. The worst state
 * is reported.
 */
typedef enum KgHealth
{
	KG_HEALTHY,
	KG_DEGRADED, /* it works, but more slowly or not for all callers */
	KG_UNHEALTHY
} KgHealth;

static const char *const health_names[] = {"healthy", "degraded", "unhealthy"};

/* Maximum number of problems that a component reports. */
#define KG_MOST_PROBLEMS 10
/* Maximum number of tenants and keys that are checked. */
#define KG_MOST_LOOKED_AT 100
/*
 * Number of nodes with edges that are checked: in one tenant, and in all
 * tenants together.
 */
#define KG_PROBES 500
#define KG_ALL_PROBES 4000

typedef struct KgComponent
{
	const char *tenant; /* tenant of the caller; NULL: check all tenants */
	void (*look)(struct KgComponent *c);
	KgHealth health;
	int nproblems;
	List *problems;	 /* List of char * */
	bool unreadable; /* the tables cannot be read; skip all other checks */
	KgJsonWriter metrics;
} KgComponent;

static void problem(KgComponent *c, KgHealth health, const char *fmt, ...)
	pg_attribute_printf(3, 4);

static void
problem(KgComponent *c, KgHealth health, const char *fmt, ...)
{
	StringInfoData text;
	va_list args;

	c->health = Max(c->health, health);
	if (++c->nproblems > KG_MOST_PROBLEMS)
		return;
	initStringInfo(&text);
	for (;;)
	{
		int needed;

		va_start(args, fmt);
		needed = appendStringInfoVA(&text, fmt, args);
		va_end(args);
		if (needed == 0)
			break;
		enlargeStringInfo(&text, needed);
	}
	c->problems = lappend(c->problems, text.data);
}

static void
look_at_extension(KgComponent *c)
{
	static KgSaved saved;
	char *version;

	kg_spi_read_args(&saved,
					 "SELECT extversion FROM pg_extension "
					 "WHERE extname = 'kg_graph'",
					 0,
					 NULL);
	version = kg_spi_cstring(0, 1);
	kg_jw_kstring(&c->metrics, "extension_version", version);
	kg_jw_kstring(&c->metrics, "library_version", KG_VERSION);
	kg_jw_kstring(&c->metrics, "server_version", PG_VERSION);
	kg_jw_kbool(&c->metrics, "standby", RecoveryInProgress());
	if (strcmp(version, KG_VERSION) != 0)
		problem(c,
				KG_DEGRADED,
				"the extension is %s and its library %s: ALTER EXTENSION "
				"kg_graph UPDATE, or reconnect",
				version,
				KG_VERSION);
}

/*
 * Checks for tables, columns and other necessary parts that are missing, for
 * example because a DBA dropped or renamed them.
 */
static void
look_at_missing(KgComponent *c)
{
	KG_SPI_SELECT_OF(kg_manifest_columns_missing, c->tenant);
	for (uint64 i = 0; i < SPI_processed; i++)
		problem(c,
				KG_UNHEALTHY,
				"%s is missing: %s; %s",
				kg_spi_cstring(i, 1),
				kg_spi_cstring(i, 2),
				kg_spi_cstring(i, 3));
	if (c->nproblems == 0)
	{
		KG_SPI_SELECT_OF(kg_manifest_parts_missing, c->tenant);
		for (uint64 i = 0; i < SPI_processed; i++)
			problem(c,
					KG_UNHEALTHY,
					"%s is missing; kg_check('{\"repair\": true}') makes it "
					"again",
					kg_spi_cstring(i, 1));
	}
	c->unreadable = c->nproblems > 0;
}

/*
 * Returns true if the absence of an object of this kind only makes replies
 * slower.
 */
static bool
is_setting(const char *kind)
{
	return strcmp(kind, "storage") == 0 ||
		   strcmp(kind, "column statistics") == 0 ||
		   strcmp(kind, "column options") == 0;
}

/*
 * Checks for objects of the install script that are missing or damaged, and
 * for other objects that expose rows.
 */
static void
look_at_definitions(KgComponent *c)
{
	kg_manifest_wrong(false, c->tenant);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		const char *kind = kg_spi_cstring(i, 1);

		problem(c,
				is_setting(kind) ? KG_DEGRADED : KG_UNHEALTHY,
				"%s \"%s\" of %s %s",
				kind,
				kg_spi_cstring(i, 3),
				kg_spi_cstring(i, 2),
				kg_spi_cstring(i, 4));
	}
	KG_SPI_SELECT_OF(kg_manifest_more, c->tenant);
	for (uint64 i = 0; i < SPI_processed; i++)
		problem(c,
				KG_UNHEALTHY,
				"%s: %s; %s",
				kg_spi_cstring(i, 1),
				kg_spi_cstring(i, 2),
				kg_spi_cstring(i, 3));
}

static void
look_at_tables(KgComponent *c)
{
	look_at_missing(c);
	if (c->unreadable)
		return;
	look_at_definitions(c);
	KG_SPI_SELECT_OF(
		"SELECT kind, count(*) FROM @kg_manifest WHERE $1 IS NULL "
		"AND kind IN ('row security', 'policy', 'trigger', 'index', "
		"'constraint') GROUP BY kind ORDER BY kind",
		c->tenant);
	for (uint64 i = 0; i < SPI_processed; i++)
		kg_jw_kint(&c->metrics, kg_spi_cstring(i, 1), kg_spi_int64(i, 2));
	kg_jw_kint(&c->metrics, "wrong", c->nproblems);
}

/*
 * Checks the planner's statistics.  Autovacuum does not analyze tables of a
 * few rows, so only larger tables need statistics.
 */
static void
look_at_statistics_of(KgComponent *c, const char *table)
{
	Oid relid = kg_relation_oid(table);
	bool analyzed = SearchSysCacheExists3(STATRELATTINH,
										  ObjectIdGetDatum(relid),
										  Int16GetDatum(1),
										  BoolGetDatum(false));
	bool isnull;

	KG_SPI_READ("SELECT greatest(reltuples, 0)::bigint, "
				"reltuples <> 0 AND pg_relation_size(oid) > 1024 * 1024, "
				"extract(epoch FROM "
				"now() - greatest(pg_stat_get_last_analyze_time(oid), "
				"pg_stat_get_last_autoanalyze_time(oid)))::bigint "
				"FROM pg_class WHERE oid = $1",
				kg_arg(OIDOID, ObjectIdGetDatum(relid)));
	kg_jw_kbegin_object(&c->metrics, table);
	kg_jw_kint(&c->metrics, "rows_estimated", kg_spi_int64(0, 1));
	kg_jw_kbool(&c->metrics, "analyzed", analyzed);
	(void) kg_spi_value(0, 3, &isnull);
	if (!isnull)
		kg_jw_kint(&c->metrics, "analyzed_seconds_ago", kg_spi_int64(0, 3));
	kg_jw_end_object(&c->metrics);
	if (!analyzed && DatumGetBool(kg_spi_value(0, 2, &isnull)))
		problem(c, KG_DEGRADED, "table %s was never analyzed", table);
}

static void
look_at_statistics(KgComponent *c)
{
	static const char *const tables[] = {"kg_entity",
										 "kg_edge",
										 "kg_index_key",
										 "kg_term",
										 "kg_trigram",
										 "kg_adjacency"};

	for (int i = 0; i < lengthof(tables); i++)
		look_at_statistics_of(c, tables[i]);
}

static void
write_packed(KgComponent *c, uint64 row, int probes)
{
	const char *tenant = kg_spi_cstring(row, 1);
	int64 nodes = kg_spi_int64(row, 2);
	int64 packed = kg_spi_int64(row, 3);

	kg_jw_begin_object(&c->metrics);
	kg_jw_kstring(&c->metrics, "tenant", tenant);
	kg_jw_kint(&c->metrics, "nodes_looked_at", nodes);
	kg_jw_kint(&c->metrics, "packed", packed);
	kg_jw_key(&c->metrics, "share");
	kg_jw_numeric(&c->metrics, DatumGetNumeric(kg_spi_datum(row, 4)));
	kg_jw_end_object(&c->metrics);
	/* With few nodes, missing packed edges have no noticeable effect. */
	if (nodes * 2 > probes && packed * 2 < nodes)
		problem(c,
				KG_DEGRADED,
				"tenant %s: less than half of its nodes have packed edges; "
				"kg_pack() makes searches faster",
				tenant);
}

/*
 * Checks the share of nodes with edges that are packed, in a sample taken at
 * regular intervals.
 */
static void
look_at_packing(KgComponent *c)
{
	static KgSaved tenants_saved;
	int64 ntenants = 1;
	int64 probes = KG_PROBES;

	if (c->tenant == NULL)
	{
		kg_spi_read_args(
			&tenants_saved, "SELECT count(*) FROM @kg_tenant", 0, NULL);
		ntenants = kg_spi_int64(0, 1);
		probes = Max(KG_ALL_PROBES / KG_MOST_LOOKED_AT,
					 Min(KG_PROBES, KG_ALL_PROBES / Max(ntenants, 1)));
		kg_jw_kint(&c->metrics, "tenants", ntenants);
	}
	KG_BATCH_READ(
		"SELECT t.tenant, s.nodes, s.packed, "
		"round(s.packed::numeric / s.nodes, 3) "
		"FROM (SELECT tenant FROM @kg_tenant "
		"WHERE tenant = coalesce($1, tenant) ORDER BY tenant LIMIT $3) t "
		"CROSS JOIN LATERAL (SELECT count(*) AS nodes, count(a.nodes) "
		"AS packed FROM (SELECT DISTINCT n.source FROM (SELECT "
		"(SELECT source FROM @kg_edge WHERE tenant = t.tenant "
		"ORDER BY source LIMIT 1) AS lo, "
		"(SELECT source FROM @kg_edge WHERE tenant = t.tenant "
		"ORDER BY source DESC LIMIT 1) AS hi) e "
		"CROSS JOIN generate_series(e.lo, e.hi, "
		"greatest(1, (e.hi - e.lo) / $2)) AS g(node) "
		"CROSS JOIN LATERAL (SELECT source FROM @kg_edge "
		"WHERE tenant = t.tenant AND source >= g.node "
		"ORDER BY source LIMIT 1) n) p "
		"LEFT JOIN @kg_adjacency a ON a.tenant = t.tenant "
		"AND a.block = (p.source - 1) / " KG_BLOCK_TEXT " + 1 "
		"AND a.nodes & (1 << ((p.source - 1) % " KG_BLOCK_TEXT ")::integer) "
		"<> 0) s WHERE s.nodes > 0 ORDER BY t.tenant",
		kg_arg_text(c->tenant),
		kg_arg_int8(probes),
		kg_arg_int8(KG_MOST_LOOKED_AT));
	kg_jw_kbegin_array(&c->metrics, "packed");
	for (uint64 i = 0; i < SPI_processed; i++)
		write_packed(c, i, probes);
	kg_jw_end_array(&c->metrics);
}

/* Checks for deferred references that were not verified yet. */
static void
look_at_references(KgComponent *c)
{
	int64 pending;

	KG_SPI_SELECT_OF("SELECT count(*) FROM (SELECT FROM @kg_pending_reference "
					 "WHERE tenant = coalesce($1, tenant) LIMIT 1000) p",
					 c->tenant);
	pending = kg_spi_int64(0, 1);
	kg_jw_kint(&c->metrics, "pending", pending);
	if (pending > 0)
		problem(c,
				KG_UNHEALTHY,
				"references that were never checked are left in "
				"kg_pending_reference: " INT64_FORMAT,
				pending);
}

static void
look_at_secrets(KgComponent *c)
{
	KG_SPI_SELECT_OF(
		"SELECT name FROM unnest('{cursor,listen}'::text[]) n(name) "
		"WHERE $1 IS NULL AND NOT EXISTS "
		"(SELECT FROM @kg_secret s WHERE s.name = n.name)",
		c->tenant);
	for (uint64 i = 0; i < SPI_processed; i++)
		problem(c,
				KG_UNHEALTHY,
				"the secret \"%s\" is missing",
				kg_spi_cstring(i, 1));
}

/*
 * Checks each key that verifies tokens: loads it in the way in which a token
 * that names it would load it.
 */
static void
look_at_keys(KgComponent *c)
{
	SPITupleTable *rows;
	int64 n;
	int64 loaded = 0;
	int64 expired = 0;

	look_at_secrets(c);
	KG_SPI_SELECT_OF(
		"SELECT issuer, kid, alg, coalesce(not_after < now(), false) "
		"FROM @kg_auth_key WHERE enabled AND $1 IS NULL "
		"ORDER BY issuer, kid LIMIT 100",
		c->tenant);
	rows = SPI_tuptable;
	n = SPI_processed;
	for (int64 i = 0; i < n; i++)
	{
		HeapTuple row = rows->vals[i];
		char *issuer = SPI_getvalue(row, rows->tupdesc, 1);
		char *kid = SPI_getvalue(row, rows->tupdesc, 2);
		KgJwtAlg alg = kg_jwt_alg(SPI_getvalue(row, rows->tupdesc, 3));
		bool isnull;

		if (DatumGetBool(SPI_getbinval(row, rows->tupdesc, 4, &isnull)))
			expired++;
		if (kg_auth_key_find(issuer, kid, alg) != NULL)
			loaded++;
		else
			problem(c,
					KG_DEGRADED,
					"key \"%s\" of issuer \"%s\" cannot be used",
					kid,
					issuer);
	}
	kg_jw_kint(&c->metrics, "keys", n);
	kg_jw_kint(&c->metrics, "loaded", loaded);
	kg_jw_kint(&c->metrics, "expired", expired);
	if (n > 0 && expired == n)
		problem(c, KG_DEGRADED, "every key has expired");
}

/* Checks the roles that have grants, and the gateways. */
static void
look_at_grants(KgComponent *c)
{
	SPITupleTable *rows;
	int64 n;

	KG_SPI_SELECT_OF(kg_privileges_of_roles, c->tenant);
	rows = SPI_tuptable;
	n = SPI_processed;
	kg_jw_kint(&c->metrics, "roles", n);
	for (int64 i = 0; i < n; i++)
	{
		HeapTuple row = rows->vals[i];
		char *name = SPI_getvalue(row, rows->tupdesc, 2);
		char *beyond = SPI_getvalue(row, rows->tupdesc, 3);
		bool isnull;
		Oid role = DatumGetObjectId(
			SPI_getbinval(row, rows->tupdesc, 1, &isnull));
		List *missing = i < KG_MOST_LOOKED_AT ? kg_privileges_missing(role)
											  : NIL;

		if (missing != NIL)
			problem(c,
					KG_DEGRADED,
					"role %s lacks a privilege that its grants give: %s%s; "
					"kg_check('{\"repair\": true}') grants it",
					name,
					(char *) linitial(missing),
					list_length(missing) > 1 ? ", and others" : "");
		if (beyond != NULL)
			problem(c, KG_DEGRADED, "role %s %s", name, beyond);
	}
}

/*
 * Checks the DBA's policies. A policy that is not in force bars the roles that
 * it names.
 */
static void
look_at_policies(KgComponent *c)
{
	if (c->tenant == NULL && kg_policies_registered())
	{
		KG_SPI_SELECT_OF(kg_policies_not_in_force, c->tenant);
		for (uint64 i = 0; i < SPI_processed; i++)
			problem(c,
					KG_DEGRADED,
					"%s is not in force: %s",
					kg_spi_cstring(i, 1),
					kg_spi_cstring(i, 2));
	}
	kg_jw_kint(&c->metrics, "not_in_force", c->nproblems);
	KG_SPI_SELECT_OF(kg_policies_for_reading_alone, c->tenant);
	for (uint64 i = 0; i < SPI_processed; i++)
		problem(c,
				KG_DEGRADED,
				"%s: %s",
				kg_spi_cstring(i, 1),
				kg_spi_cstring(i, 2));
}

/*
 * Checks for privileges on the owner's functions that ALTER DEFAULT PRIVILEGES
 * or GRANT ... ON ALL FUNCTIONS has granted.
 */
static void
look_at_functions(KgComponent *c)
{
	KG_SPI_SELECT_OF(kg_owner_execute_given, c->tenant);
	for (uint64 i = 0; i < SPI_processed; i++)
		problem(c,
				KG_DEGRADED,
				"%s: %s",
				kg_spi_cstring(i, 1),
				kg_spi_cstring(i, 2));
	kg_jw_kint(&c->metrics, "executed_by_others", c->nproblems);
}

/* Checks the authorizer functions of types with x-authorize. */
static void
look_at_authorizers(KgComponent *c)
{
	KG_SPI_SELECT_OF("SELECT tenant, coalesce(to_regprocedure(authorizer), 0) "
					 "FROM @kg_tenant WHERE authorizer IS NOT NULL "
					 "AND tenant = coalesce($1, tenant) ORDER BY tenant",
					 c->tenant);
	kg_jw_kint(&c->metrics, "tenants", SPI_processed);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		const char *fault = kg_authorizer_fault(
			DatumGetObjectId(kg_spi_datum(i, 2)));

		if (fault != NULL)
			problem(c,
					KG_DEGRADED,
					"tenant %s: the authorizer %s",
					kg_spi_cstring(i, 1),
					fault);
	}
}

/*
 * Reports faults of a type's binding to a table. Does not report that the
 * caller lacks rights on the table.
 */
static void
look_at_binding(KgComponent *c, const char *tenant, const KgType *type)
{
	KgErrorList faults = {NIL, KG_MOST_PROBLEMS, 0};
	ListCell *lc;

	(void) kg_bound_resolve(type, GetUserId(), "", &faults);
	foreach(lc, faults.errors)
		if (kg_error_code(lfirst(lc)) != KG_FORBIDDEN)
			problem(c,
					KG_DEGRADED,
					"tenant %s: entity type %s: %s",
					tenant,
					kg_type_handle(type),
					kg_error_message(lfirst(lc)));
}

/*
 * Checks for types whose table (a table of the user) was dropped or changed.
 */
static void
look_at_bindings(KgComponent *c)
{
	uint64 n;
	SPITupleTable *rows;

	KG_SPI_SELECT_OF("SELECT tenant, bundle, entity_type, schema "
					 "FROM @kg_entity_type WHERE schema ? 'x-table' "
					 "AND tenant = coalesce($1, tenant) "
					 "ORDER BY tenant, bundle, entity_type LIMIT 1000",
					 c->tenant);
	n = SPI_processed;
	rows = SPI_tuptable;
	kg_jw_kint(&c->metrics, "types", n);
	for (uint64 i = 0; i < n; i++)
	{
		KgErrorList ignored = {.limit = 1};
		const KgType *type;
		const char *tenant;

		CHECK_FOR_INTERRUPTS();
		SPI_tuptable = rows;
		SPI_processed = n;
		tenant = kg_spi_cstring(i, 1);
		type = kg_type_parse(kg_spi_cstring(i, 2),
							 kg_spi_cstring(i, 3),
							 DatumGetJsonbPCopy(kg_spi_datum(i, 4)),
							 NULL,
							 "",
							 &ignored);
		if (type->binding != NULL)
			look_at_binding(c, tenant, type);
	}
}

/*
 * Checks for stored settings of a role or database that are out of range. They
 * were stored before the library could reject them, and sessions ignore them.
 */
static void
look_at_settings(KgComponent *c)
{
	int64 n;

	KG_SPI_SELECT_OF("SELECT u.setting FROM pg_db_role_setting s "
					 "CROSS JOIN LATERAL unnest(s.setconfig) AS u(setting) "
					 "WHERE u.setting LIKE E'kg\\\\_graph.%' AND $1 IS NULL "
					 "AND s.setdatabase IN (0, (SELECT oid FROM pg_database "
					 "WHERE datname = current_database())) ORDER BY u.setting",
					 c->tenant);
	n = SPI_processed;
	for (int64 i = 0; i < n; i++)
	{
		char *name = kg_spi_cstring(i, 1);
		char *value = strchr(name, '=');

		*value++ = '\0';
		if (set_config_option(name,
							  value,
							  PGC_SUSET,
							  PGC_S_TEST,
							  GUC_ACTION_SET,
							  false,
							  DEBUG5,
							  false) == 0)
			problem(c, KG_DEGRADED, "%s cannot be \"%s\"", name, value);
	}
	kg_jw_kint(&c->metrics, "stored", n);
	kg_jw_kint(&c->metrics, "wrong", c->nproblems);
}

/*
 * Reports the memory of the backend's caches. The caches may serve many
 * tenants.
 */
static void
look_at_caches(KgComponent *c)
{
	kg_jw_kint(&c->metrics, "bytes", (int64) kg_cache_bytes());
}

/* The callers that get the result of a component. */
typedef enum KgAudience
{
	KG_EVERYBODY,
	KG_OF_TENANT,
	KG_ABOVE_TENANTS
} KgAudience;

static const struct
{
	const char *name;
	KgAudience audience;
	void (*look)(KgComponent *c);
} components[] = {
	{"extension", KG_EVERYBODY, look_at_extension},
	{"tables", KG_ABOVE_TENANTS, look_at_tables},
	{"statistics", KG_ABOVE_TENANTS, look_at_statistics},
	{"packing", KG_OF_TENANT, look_at_packing},
	{"references", KG_OF_TENANT, look_at_references},
	{"authorizer", KG_OF_TENANT, look_at_authorizers},
	{"bindings", KG_OF_TENANT, look_at_bindings},
	{"grants", KG_ABOVE_TENANTS, look_at_grants},
	{"policies", KG_ABOVE_TENANTS, look_at_policies},
	{"functions", KG_ABOVE_TENANTS, look_at_functions},
	{"keys", KG_ABOVE_TENANTS, look_at_keys},
	{"settings", KG_ABOVE_TENANTS, look_at_settings},
	{"caches", KG_ABOVE_TENANTS, look_at_caches},
};

static void
write_problems(KgComponent *c)
{
	if (c->nproblems == 0)
		return;
	kg_jw_kint(&c->metrics, "problems_found", c->nproblems);
	kg_jw_klist(&c->metrics, "problems", c->problems);
}

static void
look(void *component)
{
	KgComponent *c = component;

	kg_jw_init_object(&c->metrics);
	c->look(c);
}

/*
 * Runs a component, writes its result and returns it. If damaged tables prevent
 * the check, reports that.
 */
static KgComponent
write_component(KgJsonWriter *w, const char *name, void (*how)(KgComponent *c),
				const char *tenant)
{
	KgComponent c = {tenant, how};
	ErrorData *edata = kg_catch_refusal(KG_CATCH_KEEP, look, &c);

	if (edata != NULL)
	{
		kg_jw_init_object(&c.metrics);
		problem(&c, KG_UNHEALTHY, "it cannot be read: %s", edata->message);
	}
	write_problems(&c);
	kg_jw_end_object(&c.metrics);
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "name", name);
	kg_jw_kstring(w, "status", health_names[c.health]);
	kg_jw_kjsonb(w, "metrics", kg_jw_finish(&c.metrics));
	kg_jw_end_object(w);
	return c;
}

/*
 * Returns the caller's tenant if the caller sees the whole tenant, so that no
 * hidden row is counted. Runs as the caller.
 */
static const char *
tenant_of_caller(void)
{
	const char *tenant = kg_identity_tenant(KG_ACCESS_READ);

	if (tenant == NULL)
		return NULL;
	tenant = pstrdup(tenant);
	return kg_catalog_newest(tenant)->plain_visibility ? tenant : NULL;
}

/*
 * Returns true if the caller uses a token, which has fewer rights than its
 * role.
 */
static bool
has_token(void)
{
	return kg_token_identity() != NULL || kg_token_lapsed();
}

static bool
is_owner(Oid caller)
{
	return !has_token() && kg_has_owner_rights(caller);
}

/*
 * Returns true if the caller may see all tenants. The function runs with the
 * rights of the extension's owner, so the caller is an argument.
 */
static bool
is_above_tenants(Oid caller)
{
	return is_owner(caller) || (!has_token() && kg_is_gateway(caller));
}

static Jsonb *
tell(KgAudience audience, const char *tenant)
{
	KgHealth worst = KG_HEALTHY;
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "timestamp", kg_time_text(GetCurrentTimestamp()));
	kg_jw_kstring(&w, "version", KG_VERSION);
	kg_jw_kbegin_array(&w, "components");
	for (int i = 0; i < lengthof(components); i++)
	{
		KgComponent c;

		if (components[i].audience > audience)
			continue;
		c = write_component(&w, components[i].name, components[i].look, tenant);
		worst = Max(worst, c.health);
		if (c.unreadable)
			break;
	}
	kg_jw_end_array(&w);
	kg_jw_kstring(&w, "status", health_names[worst]);
	return kg_jw_finish(&w);
}

PG_FUNCTION_INFO_V1(kg_sql_health);

Datum
kg_sql_health(PG_FUNCTION_ARGS)
{
	MemoryContext context = CurrentMemoryContext;
	/* The owner gets a result even if a tenant's tables cannot be read. */
	const char *tenant = is_owner(GetUserId()) ? NULL : tenant_of_caller();
	KgAudience audience = tenant ? KG_OF_TENANT : KG_EVERYBODY;
	KgUserContext caller;
	Jsonb *result;
	int nest;

	kg_spi_begin_as_owner(&caller);
	nest = kg_spi_pin_quotes();
	MemoryContextSwitchTo(context);
	if (is_above_tenants(caller.userid))
	{
		audience = KG_ABOVE_TENANTS;
		tenant = NULL;
	}
	result = tell(audience, tenant);
	kg_spi_unpin_path(nest);
	kg_spi_end_as_owner(&caller);
	PG_RETURN_JSONB_P(result);
}
