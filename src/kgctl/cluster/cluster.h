/*
 * cluster.h
 *	  Several databases with kg_graph, the shards, and the one with kg_front that
 *	  knows where each tenant is.
 *
 * What is done is written down in the directory (kg_place) before and after each
 * step that another database takes part in, so that a command that ended anywhere
 * is done by running it again.  Commands wait for each other.
 */
#ifndef KG_CLUSTER_H
#define KG_CLUSTER_H

#include "kgctl/db.h"

typedef struct KgShard
{
	char *number;
	char *name;
	char *dsn;
	KgDb db; /* connected where db.conn is not NULL */
} KgShard;

typedef struct KgCluster
{
	const KgArgs *args;
	KgDb front;
	KgShard *shards; /* in the order of their numbers */
	size_t nshards;
	int exit; /* after a failure */
} KgCluster;

/* Where a tenant is; strings of the result of a query. */
typedef struct KgPlace
{
	PGresult *res;
	KgShard *shard; /* NULL: nowhere */
	const char *state;
	KgShard *other;
} KgPlace;

/* Connect to the front, wait for other commands and read the shards. */
extern bool kg_cluster_open(KgCluster *c, const KgArgs *args);
extern void kg_cluster_close(KgCluster *c);
extern bool kg_cluster_read_shards(KgCluster *c);

/* A shard by its name, connected; NULL after a message. */
extern KgShard *kg_cluster_shard(KgCluster *c, const char *name);
extern bool kg_shard_connect(KgCluster *c, KgShard *shard);

/* A statement at a database of the cluster; what it answers is thrown away. */
extern bool kg_cluster_do(KgCluster *c, KgDb *db, const char *sql, int n,
						  const char *const *values);

/* The same; its first value, malloc'd, or NULL. */
extern bool kg_cluster_ask(KgCluster *c, KgDb *db, const char *sql, int n,
						   const char *const *values, char **value);

/* False after a message; no place is no failure. */
extern bool kg_place_read(KgCluster *c, const char *tenant, KgPlace *place);
extern void kg_place_free(KgPlace *place);

/* False after a message unless the shard has the tenant that is its. */
extern bool kg_place_require(KgCluster *c, const char *tenant,
							 const KgPlace *place);

/*
 * Whether a shard has the tenant: "open", "frozen", "dropping", or NULL where it
 * has not.
 */
extern bool kg_shard_has(KgCluster *c, KgShard *shard, const char *tenant,
						 char **state);

/* Deletes a tenant from a shard that has it, piece by piece. */
extern bool kg_shard_drop(KgCluster *c, KgShard *shard, const char *tenant);

/* Says why, and that it is the command's fault. */
extern bool kg_cluster_refuse(KgCluster *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Says what is done, unless told to be quiet; true. */
extern bool kg_cluster_say(const KgCluster *c, const char *what,
						   const char *name, const char *rest);

/* The version of an extension that a database has, malloc'd. */
extern bool kg_cluster_version(KgCluster *c, KgDb *db, const char *extension,
							   char **version);

/*
 * kgctl cluster upgrade, to a version or (NULL) to the newest that the front's
 * server has; false after a message.
 */
extern bool kg_cluster_upgrade(KgCluster *c, const char *version);

/* kgctl cluster move; false after a message. */
extern bool kg_cluster_move(KgCluster *c, const char *tenant,
							const char *shard);

#endif /* KG_CLUSTER_H */
