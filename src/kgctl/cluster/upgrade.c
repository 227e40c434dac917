/*
 * cluster/upgrade.c
 *	  Upgrading all databases of a cluster to one version, one after the
 *	  other, while they are in use.
 *
 * Later versions of kg_graph have all functions of earlier ones, with equal
 * names and arguments. A front calls functions of its own version. So a front
 * may be older than a shard, but not newer, and is upgraded last. Each database
 * is upgraded in one transaction. The catalogs show which databases are done,
 * so no other state is needed.
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/cluster/cluster.h"
#include "kgctl/log.h"

typedef struct Member
{
	KgDb *db;
	const char *extension;
	const char *kind; /* "shard" or "front" */
	const char *name;
} Member;

static Member
front_of(KgCluster *c)
{
	Member m = {&c->front, "kg_front", "front", PQdb(c->front.conn)};

	return m;
}

static Member
shard_of(KgShard *shard)
{
	Member m = {&shard->db, "kg_graph", "shard", shard->name};

	return m;
}

/*
 * Checks that the database can be upgraded. Sets *done if the database already
 * has the version. If it cannot be upgraded, prints an error and returns false.
 */
static bool
look_at(KgCluster *c, const Member *m, const char *version, bool *done)
{
	const char *values[] = {m->extension, version};
	PGresult *res = kg_db_query(
		m->db,
		"SELECT e.extversion, e.extversion = $2, EXISTS (SELECT "
		"FROM pg_available_extension_versions v "
		"WHERE v.name = e.extname AND v.version = $2), "
		"EXISTS (SELECT FROM pg_extension_update_paths(e.extname) p "
		"WHERE p.source = e.extversion AND p.target = $2 "
		"AND p.path IS NOT NULL) FROM pg_extension e WHERE e.extname = $1",
		2,
		values);
	bool ok = res != NULL;

	if (!ok)
		c->exit = m->db->exit;
	else if (!kg_result_is_row(res, 4))
	{
		kg_db_nonsense(m->db);
		ok = false;
	}
	else if (PQgetvalue(res, 0, 1)[0] == 't')
		*done = true;
	else if (PQgetvalue(res, 0, 2)[0] == 'f')
		ok = kg_cluster_refuse(c,
							   "the server of %s %s has no %s %s; install its "
							   "package there",
							   m->kind,
							   m->name,
							   m->extension,
							   version);
	else if (PQgetvalue(res, 0, 3)[0] == 'f')
		ok = kg_cluster_refuse(
			c,
			"%s %s has version %s, from which no update leads to %s",
			m->kind,
			m->name,
			PQgetvalue(res, 0, 0),
			version);
	PQclear(res);
	return ok;
}

/*
 * The statement that upgrades a database. It waits for a lock at most half a
 * second, which is less than deadlock_timeout, and then retries. So it never
 * delays concurrent calls longer. If an earlier run was killed, its upgrade may
 * still be running; this statement then waits for its end.
 */
static const char update[] =
	"DO $$ DECLARE "
	"  last timestamptz := clock_timestamp() "
	"    + current_setting('kgctl.wait')::interval; "
	"BEGIN "
	"  PERFORM set_config('lock_timeout', '500ms', true); "
	"  LOOP "
	"    BEGIN "
	"      PERFORM pg_advisory_xact_lock(e.oid::bigint) FROM pg_extension e "
	"        WHERE e.extname = current_setting('kgctl.extension'); "
	"      EXECUTE format('ALTER EXTENSION %I UPDATE TO %L', "
	"        current_setting('kgctl.extension'), "
	"        current_setting('kgctl.version')); "
	"      RETURN; "
	"    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN "
	"      IF clock_timestamp() > last THEN "
	"        RAISE EXCEPTION USING ERRCODE = 'lock_not_available', "
	"          MESSAGE = 'calls use the extension all the time, so it cannot "
	"be upgraded', "
	"          HINT = 'Run it again, with a longer --wait.'; "
	"      END IF; "
	"    END; "
	"    PERFORM pg_sleep(0.1); "
	"  END LOOP; "
	"END $$";

static bool
upgrade(KgCluster *c, const Member *m, const char *version)
{
	const char *wait = kg_args_get(c->args, "wait");
	const char *values[] = {m->extension, version, wait ? wait : "10"};
	char *said;
	bool done = false;
	bool ok = look_at(c, m, version, &done);

	if (ok && !done)
		ok = kg_cluster_do(c,
						   m->db,
						   "SELECT set_config('kgctl.extension', $1, false), "
						   "set_config('kgctl.version', $2, false), "
						   "set_config('kgctl.wait', $3 || 's', false)",
						   3,
						   values) &&
			 kg_cluster_do(c, m->db, update, 0, NULL);
	said = kg_format("has version %s %s", version, done ? "already" : "now");
	ok = ok && kg_cluster_say(c, m->kind, m->name, said);
	free(said);
	return ok;
}

/*
 * Upgrades all databases of the cluster, after it has checked all of them. On
 * failure, prints an error and returns false.
 */
static bool
upgrade_all(KgCluster *c, const char *version)
{
	Member front = front_of(c);
	bool done;
	bool ok = look_at(c, &front, version, &done);

	for (size_t i = 0; ok && i < c->nshards; i++)
	{
		Member m = shard_of(&c->shards[i]);

		ok = kg_shard_connect(c, &c->shards[i]) &&
			 look_at(c, &m, version, &done);
	}
	for (size_t i = 0; ok && i < c->nshards; i++)
	{
		Member m = shard_of(&c->shards[i]);

		ok = upgrade(c, &m, version);
	}
	return ok && upgrade(c, &front, version);
}

bool
kg_cluster_upgrade(KgCluster *c, const char *version)
{
	char *newest = NULL;
	bool ok = version != NULL ||
			  kg_cluster_ask(c,
							 &c->front,
							 "SELECT default_version FROM "
							 "pg_available_extensions WHERE name = 'kg_front'",
							 0,
							 NULL,
							 &newest);

	if (ok && version == NULL && newest == NULL)
		ok = kg_cluster_refuse(c, "the front's server has no kg_front");
	ok = ok && upgrade_all(c, version ? version : newest);
	free(newest);
	return ok;
}
