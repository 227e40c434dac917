/*
 * cluster.h
 *	  A cluster: several databases with kg_graph (shards), and one with
 *	  kg_front, which stores the shard of each tenant.
 *
 * Each step that involves another database is recorded in the front's
 * directory (kg_place) before and after it. So a command that was interrupted
 * at any step is completed by running it again. Commands run one after the
 * other.
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
	int exit; /* exit code after a failure */
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

/* Connects to the front, waits for other commands and reads the shards. */
extern bool kg_cluster_open(KgCluster *c, const KgArgs *args);
extern void kg_cluster_close(KgCluster *c);
extern bool kg_cluster_read_shards(KgCluster *c);

/* Returns a shard by its name, connected. Returns NULL after a message. */
extern KgShard *kg_cluster_shard(KgCluster *c, const char *name);
extern bool kg_shard_connect(KgCluster *c, KgShard *shard);

/* Runs a statement in a database of the cluster and discards its result. */
extern bool kg_cluster_do(KgCluster *c, KgDb *db, const char *sql, int n,
						  const char *const *values);

/*
 * Like kg_cluster_do(), but sets *value to the first value (malloc'd) or NULL.
 */
extern bool kg_cluster_ask(KgCluster *c, KgDb *db, const char *sql, int n,
						   const char *const *values, char **value);

/*
 * Reads the entry of a tenant. Returns false after a message; a missing entry
 * is not a failure.
 */
extern bool kg_place_read(KgCluster *c, const char *tenant, KgctlPlace *place);
extern void kg_place_free(KgctlPlace *place);

/*
 * Returns true if the shard has the tenant of this entry. Returns false after a
 * message.
 */
extern bool kg_place_require(KgCluster *c, const char *tenant,
							 const KgctlPlace *place);

/*
 * Sets *state to the tenant's state in the shard: "open", "frozen",
 * "dropping", or NULL if the shard does not have the tenant.
 */
extern bool kg_shard_has(KgCluster *c, KgShard *shard, const char *tenant,
						 char **state);

/* Deletes a tenant from a shard, piece by piece. */
extern bool kg_shard_drop(KgCluster *c, KgShard *shard, const char *tenant);

/* Reports an error of the command. Returns false. */
extern bool kg_cluster_refuse(KgCluster *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Reports a step, unless --quiet is given. Returns true. */
extern bool kg_cluster_say(const KgCluster *c, const char *what,
						   const char *name, const char *rest);

/* Sets *version to the version of an extension in a database (malloc'd). */
extern bool kg_cluster_version(KgCluster *c, KgDb *db, const char *extension,
							   char **version);

/*
 * Runs kgctl cluster upgrade, to a version or, if it is NULL, to the newest one
 * on the front's server. Returns false after a message.
 */
extern bool kg_cluster_upgrade(KgCluster *c, const char *version);

/* Runs kgctl cluster move. Returns false after a message. */
extern bool kg_cluster_move(KgCluster *c, const char *tenant,
							const char *shard);

#endif /* KG_CLUSTER_H */
