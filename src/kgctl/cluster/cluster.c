/*
 * cluster.c
 *	  The databases of a cluster, and the directory of its tenants.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/cluster/cluster.h"
#include "kgctl/log.h"
#include "kgctl/show.h"

bool
kg_cluster_refuse(KgCluster *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	kg_verror(fmt, args);
	va_end(args);
	c->exit = KG_EXIT_REFUSED;
	return false;
}

bool
kg_cluster_say(const KgCluster *c, const char *what, const char *name,
			   const char *rest)
{
	if (!kg_args_has(c->args, "quiet"))
		kg_print(stdout, "%s %s %s\n", what, name, rest);
	return true;
}

bool
kg_cluster_do(KgCluster *c, KgDb *db, const char *sql, int n,
			  const char *const *values)
{
	PGresult *res = kg_db_query(db, sql, n, values);

	if (res == NULL)
		c->exit = db->exit;
	PQclear(res);
	return res != NULL;
}

bool
kg_cluster_ask(KgCluster *c, KgDb *db, const char *sql, int n,
			   const char *const *values, char **value)
{
	PGresult *res = kg_db_query(db, sql, n, values);
	bool ok = res != NULL;

	*value = NULL;
	if (!ok)
		c->exit = db->exit;
	else if (PQntuples(res) > 0 && !PQgetisnull(res, 0, 0))
		*value = kg_strdup(PQgetvalue(res, 0, 0));
	PQclear(res);
	return ok;
}

bool
kg_cluster_version(KgCluster *c, KgDb *db, const char *extension,
				   char **version)
{
	const char *values[] = {extension};

	return kg_cluster_ask(
		c,
		db,
		"SELECT extversion FROM pg_catalog.pg_extension WHERE extname = $1",
		1,
		values,
		version);
}

static void
free_shards(KgCluster *c)
{
	for (size_t i = 0; i < c->nshards; i++)
	{
		free(c->shards[i].number);
		free(c->shards[i].name);
		free(c->shards[i].dsn);
		kg_db_close(&c->shards[i].db);
	}
	free(c->shards);
	c->shards = NULL;
	c->nshards = 0;
}

bool
kg_cluster_read_shards(KgCluster *c)
{
	PGresult *res = kg_db_query(
		&c->front,
		"SELECT shard, name, dsn FROM @.kg_shard ORDER BY shard",
		0,
		NULL);

	if (res == NULL)
	{
		c->exit = c->front.exit;
		return false;
	}
	free_shards(c);
	c->nshards = (size_t) PQntuples(res);
	c->shards = kg_calloc(c->nshards + 1, sizeof(KgShard));
	for (size_t i = 0; i < c->nshards; i++)
	{
		c->shards[i].number = kg_strdup(PQgetvalue(res, (int) i, 0));
		c->shards[i].name = kg_strdup(PQgetvalue(res, (int) i, 1));
		c->shards[i].dsn = kg_strdup(PQgetvalue(res, (int) i, 2));
	}
	PQclear(res);
	return true;
}

bool
kg_cluster_open(KgCluster *c, const KgArgs *args)
{
	memset(c, 0, sizeof(*c));
	c->args = args;
	c->exit = KG_EXIT_DATABASE;
	if (!kg_db_connect(&c->front, kg_db_dsn(args), "kg_front"))
		return false;
	if (c->front.schema == NULL)
		return kg_cluster_refuse(
			c,
			"the database \"%s\" does not have the extension kg_front; run "
			"kgctl cluster init to create it",
			PQdb(c->front.conn));
	kg_db_unchanged("run the same command again to finish it");
	/* The advisory lock is held until the session ends, also after an error. */
	return kg_cluster_do(c,
						 &c->front,
						 "SELECT pg_catalog.pg_advisory_lock(e.oid::bigint) "
						 "FROM pg_catalog.pg_extension e "
						 "WHERE e.extname = 'kg_front'",
						 0,
						 NULL) &&
		   kg_cluster_read_shards(c);
}

void
kg_cluster_close(KgCluster *c)
{
	free_shards(c);
	kg_db_close(&c->front);
}

bool
kg_shard_connect(KgCluster *c, KgShard *shard)
{
	if (shard->db.conn != NULL)
		return true;
	if (!kg_db_connect(&shard->db, shard->dsn, "kg_graph"))
	{
		c->exit = shard->db.exit;
		return false;
	}
	if (shard->db.schema == NULL)
		return kg_cluster_refuse(
			c,
			"shard %s: its database does not have the extension kg_graph",
			shard->name);
	return true;
}

static KgShard *
find_shard(KgCluster *c, const char *name)
{
	for (size_t i = 0; i < c->nshards; i++)
		if (strcmp(c->shards[i].name, name) == 0)
			return &c->shards[i];
	return NULL;
}

KgShard *
kg_cluster_shard(KgCluster *c, const char *name)
{
	KgShard *shard = find_shard(c, name);

	if (shard == NULL)
		(void) kg_cluster_refuse(c, "shard \"%s\" does not exist", name);
	else if (!kg_shard_connect(c, shard))
		return NULL;
	return shard;
}

bool
kg_place_read(KgCluster *c, const char *tenant, KgctlPlace *place)
{
	const char *values[] = {tenant};

	memset(place, 0, sizeof(*place));
	place->res = kg_db_query(
		&c->front,
		"SELECT s.name, p.state, o.name FROM @.kg_place p "
		"JOIN @.kg_shard s ON s.shard = p.shard "
		"LEFT JOIN @.kg_shard o ON o.shard = p.other WHERE p.tenant = $1",
		1,
		values);
	if (place->res == NULL)
	{
		c->exit = c->front.exit;
		return false;
	}
	if (PQntuples(place->res) == 0)
		return true;
	place->shard = find_shard(c, PQgetvalue(place->res, 0, 0));
	place->state = PQgetvalue(place->res, 0, 1);
	place->other = find_shard(c, PQgetvalue(place->res, 0, 2));
	return true;
}

void
kg_place_free(KgctlPlace *place)
{
	PQclear(place->res);
	memset(place, 0, sizeof(*place));
}

bool
kg_shard_has(KgCluster *c, KgShard *shard, const char *tenant, char **state)
{
	const char *values[] = {tenant};

	*state = NULL;
	return kg_shard_connect(c, shard) &&
		   kg_cluster_ask(
			   c,
			   &shard->db,
			   "SELECT coalesce(s.state, 'open') FROM @.kg_tenant t "
			   "LEFT JOIN @.kg_tenant_state s ON s.tenant = t.tenant "
			   "WHERE t.tenant = $1",
			   1,
			   values,
			   state);
}

bool
kg_place_require(KgCluster *c, const char *tenant, const KgctlPlace *place)
{
	char *state;
	bool ok = kg_shard_has(c, place->shard, tenant, &state);

	if (ok && state == NULL)
		ok = kg_cluster_refuse(c,
							   "tenant \"%s\" is not at shard %s, to which its "
							   "calls go; see kgctl cluster status",
							   tenant,
							   place->shard->name);
	free(state);
	return ok;
}

bool
kg_shard_drop(KgCluster *c, KgShard *shard, const char *tenant)
{
	const char *values[] = {tenant};
	char *done = NULL;
	bool ok;

	do
	{
		free(done);
		ok = kg_cluster_ask(c,
							&shard->db,
							"SELECT @.kg_drop_tenant($1, 10000)",
							1,
							values,
							&done);
	} while (ok && done != NULL && done[0] == 'f');
	free(done);
	return ok;
}
