/*
 * cluster.h
 *	  A cluster: several databases with kg_graph (shards), and one database
 *	  with kg_front (the front). The front's directory, the table kg_place,
 *	  stores the shard of each tenant. Each step that involves another
 *	  database is recorded in the directory before and after the step. So if a
 *	  command was interrupted, running it again completes it. Commands run one
 *	  at a time.
 */
#ifndef KG_CLUSTER_H
#define KG_CLUSTER_H

#include "kgctl/db.h"

typedef struct KgShard
{
	char *number;
	char *name;
	char *dsn;
	KgDb db; /* connected if db.conn is not NULL */
} KgShard;

typedef struct KgCluster
{
	const KgArgs *args;
	KgDb front;
	KgShard *shards; /* ordered by number */
	size_t nshards;
	int exit; /* exit code of the command after a failure */
} KgCluster;

/*
 * The entry of a tenant in the directory. Its strings belong to the result of a
 * query.
 */
typedef struct KgctlPlace
{
	PGresult *res;
	KgShard *shard; /* NULL: the tenant has no shard */
	const char *state;
	KgShard *other;
} KgctlPlace;

/*
 * Connects to the front, waits until no other cluster command runs, and reads
 * the list of shards. Returns false on failure.
 */
extern bool kg_cluster_open(KgCluster *c, const KgArgs *args);
extern void kg_cluster_close(KgCluster *c);
extern bool kg_cluster_read_shards(KgCluster *c);

/*
 * Returns the shard of a name and connects to it. On failure, prints an error
 * and returns NULL.
 */
extern KgShard *kg_cluster_shard(KgCluster *c, const char *name);
extern bool kg_shard_connect(KgCluster *c, KgShard *shard);

/*
 * Runs a statement in a database of the cluster and discards its result.
 * Returns false on failure.
 */
extern bool kg_cluster_do(KgCluster *c, KgDb *db, const char *sql, int n,
						  const char *const *values);

/*
 * Runs a statement in a database of the cluster. Sets *value to the first value
 * of its result (malloc'd), or to NULL if the result has no row or this value
 * is null. Returns false on failure.
 */
extern bool kg_cluster_ask(KgCluster *c, KgDb *db, const char *sql, int n,
						   const char *const *values, char **value);

/*
 * Reads a tenant's entry in the directory. A missing entry is not a failure. On
 * failure, prints an error and returns false.
 */
extern bool kg_place_read(KgCluster *c, const char *tenant, KgctlPlace *place);
extern void kg_place_free(KgctlPlace *place);

/*
 * Requires that the shard named in this entry has the tenant. If it does not,
 * prints an error and returns false.
 */
extern bool kg_place_require(KgCluster *c, const char *tenant,
							 const KgctlPlace *place);

/*
 * Sets *state to the tenant's state in the shard: "open", "frozen", "dropping",
 * or NULL if the shard does not have the tenant. Returns false on failure.
 */
extern bool kg_shard_has(KgCluster *c, KgShard *shard, const char *tenant,
						 char **state);

/*
 * Deletes a tenant from a shard, in several transactions. Returns false on
 * failure.
 */
extern bool kg_shard_drop(KgCluster *c, KgShard *shard, const char *tenant);

/* Prints an error of the command. Returns false. */
extern bool kg_cluster_refuse(KgCluster *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Prints a completed step, unless --quiet is given. Returns true. */
extern bool kg_cluster_say(const KgCluster *c, const char *what,
						   const char *name, const char *rest);

/*
 * Sets *version to the version of an extension in a database (malloc'd).
 * Returns false on failure.
 */
extern bool kg_cluster_version(KgCluster *c, KgDb *db, const char *extension,
							   char **version);

/*
 * Runs kgctl cluster upgrade. version NULL stands for the newest version on the
 * front's server. On failure, prints an error and returns false.
 */
extern bool kg_cluster_upgrade(KgCluster *c, const char *version);

/* Runs kgctl cluster move. On failure, prints an error and returns false. */
extern bool kg_cluster_move(KgCluster *c, const char *tenant,
							const char *shard);

#endif /* KG_CLUSTER_H */
