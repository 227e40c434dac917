/*
 * cmd_cluster.c
 *	  kgctl cluster: the databases of a cluster, and the shards of its
 *	  tenants.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/cluster/cluster.h"
#include "kgctl/commands.h"
#include "kgctl/log.h"
#include "kgctl/show.h"

static const char cluster_options[] =
	"-d, --dsn DSN\tthe front's connection string or URI (else KGCTL_DSN, "
	"PGHOST ...)\n"
	"--wait SECONDS\tmaximum time to wait for writers of a moved tenant, or "
	"calls in an upgraded database (default 10)\n"
	"--create-roles\tmake roles that the tenant's new shard does not have, "
	"without login\n"
	"--without-policies\tmove a tenant even if your policies are not in force "
	"at the new shard\n"
	"--without-functions\tmove a tenant even if functions of its tools or its "
	"authorizer do not exist at the new shard\n"
	"--delete-keys\tdelete keys with shared secrets that the first shard does "
	"not have\n"
	"-q, --quiet\tprint nothing on success\n";

/* ---- init ---- */

static int
run_init(const KgArgs *args)
{
	KgCluster c;
	bool ok;

	memset(&c, 0, sizeof(c));
	c.args = args;
	c.exit = KG_EXIT_DATABASE;
	ok = kg_db_connect(&c.front, kg_db_dsn(args), "kg_front") &&
		 (c.front.schema != NULL ||
		  kg_cluster_do(&c,
						&c.front,
						"DO 'BEGIN CREATE EXTENSION IF NOT EXISTS plproxy; "
						"CREATE EXTENSION IF NOT EXISTS kg_front; END'",
						0,
						NULL)) &&
		 kg_cluster_say(&c, "database", PQdb(c.front.conn), "is a front");
	kg_cluster_close(&c);
	return ok ? KG_EXIT_OK : c.exit;
}

/* ---- output ---- */

static bool
show_rows(KgCluster *c, const char *sql, const char *format)
{
	PGresult *res = kg_db_query(&c->front, sql, 0, NULL);

	if (res == NULL)
	{
		c->exit = c->front.exit;
		return false;
	}
	for (int i = 0; i < PQntuples(res); i++)
	{
		kg_print(stdout,
				 format,
				 PQgetvalue(res, i, 0),
				 PQgetvalue(res, i, 1),
				 PQgetvalue(res, i, 2),
				 PQgetvalue(res, i, 3));
		if (PQgetvalue(res, i, 4)[0] == 't')
			c->exit = KG_EXIT_DIFFERENT;
	}
	PQclear(res);
	return true;
}

/*
 * Prints the tenants that are not in the shard of their directory entry, or are
 * in another shard too. Returns false on failure.
 */
static bool
show_differences(KgCluster *c)
{
	return show_rows(c,
					 "SELECT tenant, problem, expected, NULL, true "
					 "FROM @.kg_cluster_differences()",
					 "tenant %s: %s; %s\n");
}

/* ---- common data of all shards ---- */

#define KEYS                                                         \
	"(SELECT coalesce(jsonb_agg(k ORDER BY k.issuer, k.kid), '[]') " \
	"FROM @.kg_auth_key k WHERE k.tenant IS NULL)"

/*
 * Returns whether the shard's keys may be replaced by those of the first shard.
 * Dumps do not contain shared secrets. So if the first shard was restored from
 * a dump, only the other shards have the secrets, and replacing the keys would
 * lose them. Then prints an error and returns false, unless the option
 * --delete-keys permits it.
 */
static bool
may_delete(KgCluster *c, KgShard *from, const char *const *keys)
{
	char *lost;
	bool ok = kg_cluster_ask(
		c,
		&from->db,
		"SELECT string_agg(concat_ws(' ', k.issuer, k.kid), ', ' "
		"ORDER BY k.issuer, k.kid) FROM @.kg_auth_key k WHERE k.tenant IS NULL "
		"AND k.secret IS NOT NULL "
		"AND NOT EXISTS (SELECT FROM jsonb_populate_recordset("
		"NULL::@.kg_auth_key, $1::jsonb) f "
		"WHERE f.issuer = k.issuer AND f.kid = k.kid)",
		1,
		keys,
		&lost);

	if (ok && lost != NULL && !kg_args_has(c->args, "delete-keys"))
		ok = kg_cluster_refuse(
			c,
			"shard %s, whose keys all shards use, lacks keys with shared "
			"secrets of shard %s: %s; add them there again, or delete them "
			"everywhere with --delete-keys",
			c->shards[0].name,
			from->name,
			lost);
	free(lost);
	return ok;
}

/*
 * Copies the token keys that belong to no tenant from the first shard to
 * another. Returns false on failure.
 */
static bool
copy_keys(KgCluster *c, KgShard *to)
{
	char *keys;
	bool ok = kg_cluster_ask(
		c, &c->shards[0].db, "SELECT " KEYS, 0, NULL, &keys);
	const char *values[] = {keys};
	char *same = NULL;

	ok = ok && may_delete(c, to, values) &&
		 kg_cluster_ask(
			 c, &to->db, "SELECT " KEYS " = $1::jsonb", 1, values, &same);
	if (ok && same != NULL && same[0] == 'f')
		ok = kg_cluster_do(c, &to->db, "BEGIN", 0, NULL) &&
			 kg_cluster_do(c,
						   &to->db,
						   "DELETE FROM @.kg_auth_key WHERE tenant IS NULL",
						   0,
						   NULL) &&
			 kg_cluster_do(c,
						   &to->db,
						   "INSERT INTO @.kg_auth_key SELECT k.* FROM "
						   "jsonb_populate_recordset(NULL::@.kg_auth_key, "
						   "$1::jsonb) k",
						   1,
						   values) &&
			 kg_cluster_do(c, &to->db, "COMMIT", 0, NULL);
	free(same);
	free(keys);
	return ok;
}

/*
 * Creates the shared secret, by which all shards sign cursors and
 * notifications. Returns false on failure.
 */
static bool
make_secret(KgCluster *c, KgShard *first)
{
	return kg_cluster_do(c,
						 &first->db,
						 "INSERT INTO @.kg_secret(name, secret) SELECT "
						 "'cluster', uuid_send(gen_random_uuid()) || "
						 "uuid_send(gen_random_uuid()) ON CONFLICT DO NOTHING",
						 0,
						 NULL);
}

/*
 * Copies the secrets that all shards share. A secret of the first shard
 * replaces that of another shard. The first shard gets only secrets that it
 * lacks, for example after a restore. Returns false on failure.
 */
static bool
copy_secrets(KgCluster *c, KgShard *from, KgShard *to)
{
	char *secrets;
	bool ok = kg_cluster_ask(c,
							 &from->db,
							 "SELECT jsonb_agg(s) FROM @.kg_secret s "
							 "WHERE s.name IN ('cluster', 'listen')",
							 0,
							 NULL,
							 &secrets);
	const char *values[] = {secrets, from == &c->shards[0] ? "true" : "false"};

	ok = ok && kg_cluster_do(c,
							 &to->db,
							 "INSERT INTO @.kg_secret AS o SELECT n.* FROM "
							 "jsonb_populate_recordset(NULL::@.kg_secret, "
							 "$1::jsonb) n ON CONFLICT (name) DO UPDATE "
							 "SET secret = excluded.secret "
							 "WHERE o.secret <> excluded.secret AND $2",
							 2,
							 values);
	free(secrets);
	return ok;
}

static bool
copy_gateways(KgCluster *c, KgShard *to)
{
	PGresult *res = kg_db_query(
		&c->front,
		"SELECT g.role_name, g.exchange FROM @.kg_gateway g JOIN pg_roles r "
		"ON r.oid = g.role AND r.rolname = g.role_name",
		0,
		NULL);
	bool ok = res != NULL;

	if (!ok)
		c->exit = c->front.exit;
	for (int i = 0; ok && i < PQntuples(res); i++)
	{
		const char *values[] = {PQgetvalue(res, i, 0), PQgetvalue(res, i, 1)};

		ok = kg_cluster_do(
			c, &to->db, "SELECT @.kg_grant_gateway($1, $2)", 2, values);
	}
	PQclear(res);
	return ok;
}

/*
 * For each key of the shard, records in the directory which claim of its tokens
 * names the tenant, or the tenant to which the key belongs. Returns false on
 * failure.
 */
static bool
note_keys(KgCluster *c, KgShard *shard)
{
	char *routes;
	bool ok = kg_cluster_ask(
		c,
		&shard->db,
		"SELECT coalesce(jsonb_agg(jsonb_build_object('issuer', issuer, 'kid', "
		"kid, 'tenant_claim', tenant_claim, 'tenant', tenant)), '[]') "
		"FROM @.kg_auth_key",
		0,
		NULL,
		&routes);
	const char *values[] = {routes};

	ok = ok && kg_cluster_do(c,
							 &c->front,
							 "INSERT INTO @.kg_key_route SELECT r.* FROM "
							 "jsonb_populate_recordset(NULL::@.kg_key_route, "
							 "$1::jsonb) r ON CONFLICT (issuer, kid) DO UPDATE "
							 "SET tenant_claim = excluded.tenant_claim, "
							 "tenant = excluded.tenant",
							 1,
							 values);
	free(routes);
	return ok;
}

/*
 * Copies keys and secrets from the first shard to all other shards. So a key
 * that was disabled or deleted in the first shard is disabled or deleted in
 * each shard, too. Returns false on failure.
 */
static bool
sync_all(KgCluster *c)
{
	KgShard *first = c->shards;
	bool ok = true;

	for (size_t i = 0; ok && i < c->nshards; i++)
		ok = kg_shard_connect(c, &c->shards[i]) &&
			 (i == 0 || copy_secrets(c, &c->shards[i], first));
	ok = ok && (c->nshards == 0 || make_secret(c, first));
	for (size_t i = 1; ok && i < c->nshards; i++)
		ok = copy_secrets(c, first, &c->shards[i]) &&
			 copy_keys(c, &c->shards[i]);
	ok = ok && kg_cluster_do(c, &c->front, "BEGIN", 0, NULL) &&
		 kg_cluster_do(c,
					   &c->front,
					   "DELETE FROM @.kg_gateway g WHERE NOT EXISTS (SELECT "
					   "FROM pg_roles r WHERE r.oid = g.role "
					   "AND r.rolname = g.role_name)",
					   0,
					   NULL) &&
		 kg_cluster_do(c, &c->front, "DELETE FROM @.kg_key_route", 0, NULL);
	for (size_t i = 0; ok && i < c->nshards; i++)
		ok = note_keys(c, &c->shards[i]);
	return ok && kg_cluster_do(c, &c->front, "COMMIT", 0, NULL) &&
		   kg_cluster_do(c,
						 &c->front,
						 "SELECT @.kg_note_grants(tenant) FROM @.kg_place "
						 "ORDER BY tenant",
						 0,
						 NULL);
}

static bool
run_sync(KgCluster *c)
{
	if (!sync_all(c))
		return false;
	c->exit = KG_EXIT_OK;
	return show_differences(c) && c->exit == KG_EXIT_OK &&
		   kg_cluster_say(
			   c, "database", PQdb(c->front.conn), "agrees with its shards");
}

/* ---- add-shard ---- */

/*
 * Requires that the database does not have the extension kg_front, because
 * kg_front and kg_graph have functions with equal names. Otherwise prints an
 * error and returns false.
 */
static bool
require_no_front(KgCluster *c, KgShard *shard)
{
	char *version;
	bool ok = kg_cluster_version(c, &shard->db, "kg_front", &version);

	if (ok && version != NULL)
		ok = kg_cluster_refuse(
			c,
			"the database \"%s\" is a front, which cannot be a shard",
			PQdb(shard->db.conn));
	free(version);
	return ok;
}

/*
 * Requires that the database is a shard of this cluster, or can become a shard.
 * Otherwise prints an error and returns false.
 */
static bool
prepare_shard(KgCluster *c, KgShard *shard)
{
	if (!kg_db_connect(&shard->db, shard->dsn, "kg_graph"))
	{
		c->exit = shard->db.exit;
		return false;
	}
	if (shard->db.schema == NULL)
	{
		KgBuf sql;
		bool ok;

		kg_buf_init(&sql);
		kg_buf_printf(&sql,
					  "DO 'BEGIN CREATE SCHEMA IF NOT EXISTS %s; "
					  "CREATE EXTENSION IF NOT EXISTS kg_graph SCHEMA %s; END'",
					  c->front.schema,
					  c->front.schema);
		ok = require_no_front(c, shard) &&
			 kg_cluster_do(c, &shard->db, sql.data, 0, NULL);
		kg_buf_free(&sql);
		if (!ok || !kg_db_find(&shard->db, "kg_graph"))
			return false;
	}
	if (strcmp(shard->db.schema, c->front.schema) != 0)
		return kg_cluster_refuse(
			c,
			"the extension is in schema %s of shard %s, and in schema %s of "
			"the front; both must have the same name",
			shard->db.schema,
			shard->name,
			c->front.schema);
	return true;
}

/*
 * Sets the shard's number: its existing number, or the next free number.
 * Returns false on failure.
 */
static bool
number_shard(KgCluster *c, KgShard *shard)
{
	const char *values[1];

	if (!kg_cluster_ask(c,
						&shard->db,
						"SELECT shard FROM @.kg_number_range",
						0,
						NULL,
						&shard->number))
		return false;
	for (size_t i = 0; i < c->nshards; i++)
		if (strcmp(c->shards[i].name, shard->name) == 0 &&
			(shard->number == NULL ||
			 strcmp(c->shards[i].number, shard->number) != 0))
			return kg_cluster_refuse(c,
									 "shard %s is another database, of number "
									 "%s",
									 shard->name,
									 c->shards[i].number);
	if (shard->number == NULL)
	{
		if (!kg_cluster_ask(c,
							&c->front,
							"SELECT min(n) FROM generate_series(1, 2047) n "
							"WHERE n NOT IN (SELECT shard FROM @.kg_shard)",
							0,
							NULL,
							&shard->number))
			return false;
		values[0] = shard->number;
		return kg_cluster_do(
			c, &shard->db, "SELECT @.kg_set_shard($1)", 1, values);
	}
	for (size_t i = 0; i < c->nshards; i++)
		if (strcmp(c->shards[i].number, shard->number) == 0 &&
			strcmp(c->shards[i].name, shard->name) != 0)
			return kg_cluster_refuse(c,
									 "this database is number %s, which is "
									 "shard %s",
									 shard->number,
									 c->shards[i].name);
	return true;
}

static bool
enter_shard(KgCluster *c, const KgShard *shard)
{
	const char *values[] = {shard->number, shard->name, shard->dsn};

	return kg_cluster_do(c,
						 &c->front,
						 "INSERT INTO @.kg_shard(shard, name, dsn) "
						 "VALUES ($1, $2, $3) ON CONFLICT (shard) DO UPDATE "
						 "SET dsn = excluded.dsn "
						 "WHERE @.kg_shard.dsn <> excluded.dsn",
						 3,
						 values);
}

/*
 * Returns whether the front accepts the shard's row. Called before any other
 * database is changed. The row itself is written last.
 */
static bool
try_entry(KgCluster *c, const KgShard *shard)
{
	const char *values[] = {shard->name, shard->dsn};

	return kg_cluster_do(c, &c->front, "BEGIN", 0, NULL) &&
		   kg_cluster_do(c,
						 &c->front,
						 "INSERT INTO @.kg_shard(shard, name, dsn) SELECT n, "
						 "$1, $2 FROM generate_series(1, 2047) n WHERE n NOT "
						 "IN (SELECT shard FROM @.kg_shard) "
						 "AND $1 NOT IN (SELECT name FROM @.kg_shard) LIMIT 1",
						 2,
						 values) &&
		   kg_cluster_do(c, &c->front, "ROLLBACK", 0, NULL);
}

static bool
run_add_shard(KgCluster *c)
{
	const char *name = c->args->rest[1];
	KgShard shard;
	bool ok;

	memset(&shard, 0, sizeof(shard));
	shard.name = (char *) name;
	shard.dsn = (char *) c->args->rest[2];
	ok = try_entry(c, &shard) && prepare_shard(c, &shard) &&
		 number_shard(c, &shard);
	if (ok && c->nshards > 0 && strcmp(c->shards[0].name, name) != 0)
		ok = kg_shard_connect(c, &c->shards[0]) &&
			 copy_secrets(c, &c->shards[0], &shard) && copy_keys(c, &shard);
	ok = ok && copy_gateways(c, &shard) && enter_shard(c, &shard) &&
		 kg_cluster_read_shards(c) && sync_all(c);
	kg_db_close(&shard.db);
	free(shard.number);
	return ok && kg_cluster_say(c, "shard", name, "exists");
}

/* ---- place ---- */

static bool
require_nowhere_else(KgCluster *c, const char *tenant, const KgShard *here)
{
	char *state;
	bool ok = true;

	for (size_t i = 0; ok && i < c->nshards; i++)
	{
		if (&c->shards[i] == here)
			continue;
		ok = kg_shard_has(c, &c->shards[i], tenant, &state);
		if (ok && state != NULL)
			ok = kg_cluster_refuse(c,
								   "shard %s already has a tenant \"%s\"",
								   c->shards[i].name,
								   tenant);
		free(state);
	}
	return ok;
}

static bool
make_tenant(KgCluster *c, const char *tenant, KgShard *shard)
{
	const char *values[] = {tenant, shard->number};
	char *state;
	bool ok = kg_shard_has(c, shard, tenant, &state);

	if (ok && state != NULL && strcmp(state, "dropping") == 0)
		ok = kg_cluster_refuse(
			c, "shard %s is dropping a tenant \"%s\"", shard->name, tenant);
	/*
	 * Create the tenant in the shard first. If the shard refuses it, the tenant
	 * gets no entry. If writing the entry then fails, the next run finds the
	 * tenant in the shard.
	 */
	ok = ok &&
		 (state != NULL ||
		  kg_cluster_do(
			  c, &shard->db, "SELECT @.kg_create_tenant($1)", 1, values)) &&
		 kg_cluster_do(c,
					   &c->front,
					   "INSERT INTO @.kg_place AS p (tenant, shard) "
					   "VALUES ($1, $2) ON CONFLICT (tenant) DO UPDATE "
					   "SET shard = excluded.shard, since = now() "
					   "WHERE p.shard <> excluded.shard",
					   2,
					   values) &&
		 kg_cluster_do(c, &c->front, "SELECT @.kg_note_grants($1)", 1, values);
	free(state);
	return ok;
}

/*
 * Requires that the tenant is in the shard "here" and no longer in the shard of
 * its directory entry. Otherwise prints an error and returns false. This state
 * follows from the restore of a database.
 */
static bool
require_gone(KgCluster *c, const char *tenant, const KgctlPlace *place,
			 KgShard *here)
{
	char *there;
	char *state = NULL;
	bool ok = kg_shard_has(c, place->shard, tenant, &there) &&
			  kg_shard_has(c, here, tenant, &state);

	if (ok &&
		(strcmp(place->state, "here") != 0 || there != NULL || state == NULL))
		ok = kg_cluster_refuse(c,
							   "tenant \"%s\" is at shard %s; kgctl cluster "
							   "move moves it",
							   tenant,
							   place->shard->name);
	free(there);
	free(state);
	return ok;
}

static bool
run_place(KgCluster *c)
{
	const char *tenant = c->args->rest[1];
	KgShard *shard = kg_cluster_shard(c, c->args->rest[2]);
	KgctlPlace place;
	bool ok = shard != NULL && kg_place_read(c, tenant, &place);

	if (!ok)
		return false;
	if (place.shard == NULL)
		ok = require_nowhere_else(c, tenant, shard);
	else if (place.shard == shard)
		ok = kg_place_require(c, tenant, &place);
	else
		ok = require_gone(c, tenant, &place, shard);
	kg_place_free(&place);
	return ok && make_tenant(c, tenant, shard) &&
		   kg_cluster_say(c, "tenant", tenant, "is placed");
}

static bool
run_move(KgCluster *c)
{
	return kg_cluster_move(c, c->args->rest[1], c->args->rest[2]) &&
		   kg_cluster_say(c, "tenant", c->args->rest[1], "is moved");
}

/* ---- upgrade ---- */

static bool
run_upgrade(KgCluster *c)
{
	return kg_cluster_upgrade(c, c->args->nrest > 1 ? c->args->rest[1] : NULL);
}

/* ---- drop-shard ---- */

static bool
run_drop_shard(KgCluster *c)
{
	const char *values[] = {c->args->rest[1]};
	char *tenant;
	bool ok = kg_cluster_ask(c,
							 &c->front,
							 "SELECT p.tenant FROM @.kg_place p "
							 "JOIN @.kg_shard s ON s.shard IN (p.shard, "
							 "p.other) WHERE s.name = $1 LIMIT 1",
							 1,
							 values,
							 &tenant);

	if (ok && tenant != NULL)
		ok = kg_cluster_refuse(
			c, "shard %s has the tenant \"%s\"", values[0], tenant);
	free(tenant);
	return ok &&
		   kg_cluster_do(c,
						 &c->front,
						 "DELETE FROM @.kg_shard WHERE name = $1",
						 1,
						 values) &&
		   kg_cluster_say(
			   c, "shard", values[0], "is no longer part of the cluster");
}

/* ---- status ---- */

/*
 * Prints the state of the cluster. Any fault makes the exit code 1. Returns
 * false if there is a fault or the state cannot be read.
 */
static bool
run_status(KgCluster *c)
{
	c->exit = KG_EXIT_OK;
	return show_rows(
			   c,
			   "SELECT s.name, s.shard, h.health ->> 'status', "
			   "concat(count(p.tenant), CASE WHEN v.version <> e.extversion "
			   "THEN format('; version %s, and the front %s: run upgrade', "
			   "v.version, e.extversion) END), h.health ->> 'status' "
			   "IN ('unhealthy', 'unreachable') OR v.version <> e.extversion "
			   "FROM @.kg_shard s JOIN @.kg_cluster_health() h "
			   "ON h.shard = s.name LEFT JOIN @.kg_place p "
			   "ON p.shard = s.shard LEFT JOIN LATERAL (SELECT o -> 'metrics' "
			   "->> 'extension_version' FROM "
			   "jsonb_array_elements(h.health -> 'components') o "
			   "WHERE o ->> 'name' = 'extension') v(version) ON true "
			   "JOIN pg_extension e ON e.extname = 'kg_front' "
			   "GROUP BY s.name, s.shard, h.health, v.version, e.extversion "
			   "ORDER BY s.shard",
			   "shard %s: number %s, %s, tenants: %s\n") &&
		   show_rows(c,
					 "SELECT h.shard, p.problem, NULL, NULL, false "
					 "FROM @.kg_cluster_health() h, LATERAL (SELECT "
					 "h.health ->> 'problem' UNION ALL SELECT "
					 "jsonb_array_elements_text(o #> '{metrics, problems}') "
					 "FROM jsonb_array_elements(h.health -> 'components') o) "
					 "p(problem) WHERE p.problem IS NOT NULL",
					 "shard %s: %s\n") &&
		   show_rows(c,
					 "SELECT tenant, state, shard, concat(', ' || other), true "
					 "FROM @.kg_cluster_tenants() WHERE state <> 'here'",
					 "tenant %s: %s, %s%s; run move again\n") &&
		   show_differences(c) && c->exit == KG_EXIT_OK;
}

/* ---- the command ---- */

static const struct
{
	const char *name;
	size_t arguments;
	bool (*run)(KgCluster *c);
	/* the subcommand only reads, so it may run on a standby of the front */
	bool reads;
} subcommands[] = {
	{"add-shard", 2, run_add_shard},
	{"place", 2, run_place},
	{"move", 2, run_move},
	{"status", 0, run_status, true},
	{"sync", 0, run_sync},
	{"upgrade", 0, run_upgrade},
	{"upgrade", 1, run_upgrade},
	{"drop-shard", 1, run_drop_shard},
};

/*
 * Requires that the front is a primary; otherwise prints an error and returns
 * false. Commands that write refuse a standby, because its data may be
 * outdated.
 */
static bool
require_primary(KgCluster *c)
{
	char *standby;
	bool ok = kg_cluster_ask(
		c, &c->front, "SELECT pg_is_in_recovery()", 0, NULL, &standby);

	if (ok && standby != NULL && standby[0] == 't')
		ok = kg_cluster_refuse(
			c, "this front is a standby; --dsn must name its primary");
	free(standby);
	return ok;
}

static int
run_subcommand(const KgArgs *args, bool (*run)(KgCluster *c), bool reads)
{
	KgCluster c;
	bool ok = kg_cluster_open(&c, args) && (reads || require_primary(&c)) &&
			  run(&c);

	kg_cluster_close(&c);
	return ok ? KG_EXIT_OK : c.exit;
}

static int
run_cluster(const KgArgs *args)
{
	const char *name = args->rest[0];
	long wait;

	if (!kgctl_args_number(args, "wait", 1, 86400, &wait))
		return KG_EXIT_USAGE;
	if (strcmp(name, "init") == 0 && args->nrest == 1)
		return run_init(args);
	for (size_t i = 0; i < sizeof(subcommands) / sizeof(subcommands[0]); i++)
		if (strcmp(name, subcommands[i].name) == 0 &&
			args->nrest == subcommands[i].arguments + 1)
			return run_subcommand(
				args, subcommands[i].run, subcommands[i].reads);
	kg_error("usage: kgctl cluster init | add-shard NAME DSN | place TENANT "
			 "SHARD | move TENANT SHARD | status | sync | upgrade [VERSION] | "
			 "drop-shard NAME");
	return KG_EXIT_USAGE;
}

const KgCommand kg_command_cluster = {
	"cluster",
	" init | add-shard NAME DSN | place TENANT SHARD | move TENANT SHARD | "
	"status | sync | upgrade [VERSION] | drop-shard NAME",
	"manage the databases of a cluster, which share the tenants",
	cluster_options,
	"",
	1,
	3,
	run_cluster};
