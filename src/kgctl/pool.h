/*
 * pool.h
 *	  A pool of connections to the database. The queries of callers are SELECT
 *	  kg_mcp($1, $2, $3), or its variant with an authorizer's decisions. Each
 *	  query is its own transaction.
 *
 * Connections run no other statements of callers, and the caller's identity is
 * bound to the transaction. So no state of a caller is left on a connection for
 * the next caller.
 */
#ifndef KG_POOL_H
#define KG_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include <libpq-fe.h>

#include "kgctl/buf.h"
#include "kgctl/loop.h"

/* Values of the setting kg_graph.mcp_server if there are several servers. */
#define KG_SERVER_PRIMARY "primary"
#define KG_SERVER_STANDBY "standby"

typedef struct KgPoolOptions
{
	const char *dsn;
	/* KG_SERVER_PRIMARY or KG_SERVER_STANDBY; NULL: there is only one server */
	const char *server;
	const char *tenant;	  /* kg_graph.tenant of the connections, or NULL */
	const char *toolsets; /* kg_graph.toolsets; NULL: the role's setting */
	const char *profile; /* kg_graph.schema_profile; NULL: the role's setting */
	const char *lax;	 /* kg_graph.schema_lax; NULL: the role's setting */
	/* qualified name of the function to call; NULL: the extension's kg_mcp */
	const char *function;
	int size;		 /* maximal number of connections */
	int queue;		 /* maximal number of waiting queries */
	long timeout_ms; /* timeout of a statement in milliseconds */
	/* false for connection poolers that do not support prepared statements */
	bool prepare;
	bool exchange; /* there is an authorizer, so messages may have decisions */
} KgPoolOptions;

typedef enum KgctlOutcome
{
	KG_OUTCOME_RESULT,		/* res has one row */
	KG_OUTCOME_ERROR,		/* res has the SQL error */
	KG_OUTCOME_LOST,		/* the connection broke during the query */
	KG_OUTCOME_UNAVAILABLE, /* no connection was available */
	KG_OUTCOME_TIMEOUT /* the database has exceeded the statement's time-out */
} KgctlOutcome;

typedef struct KgPool KgPool;
typedef struct KgQuery KgQuery;

/*
 * Called at the end of a query, after the query was freed. The function must
 * free res.
 */
typedef void (*KgQueryDone)(void *arg, KgctlOutcome outcome, PGresult *res);
/* Called for a NOTICE with SQLSTATE KGMCP while the query runs. */
typedef void (*KgQueryNotice)(void *arg, const char *text);

extern KgPool *kg_pool_new(KgLoop *loop, const KgPoolOptions *options);
extern void kg_pool_free(KgPool *pool);

/* A message of a client, and the authorizer's decisions about it. */
typedef struct KgPoolMessage
{
	const char *text;
	size_t len;
	const char *token;	   /* bearer token, or NULL */
	const char *decisions; /* JSON text; NULL: there is no authorizer */
	/*
	 * text that the database returned in the previous round of the dialogue
	 * about decisions, or NULL
	 */
	const char *exchange;
} KgPoolMessage;

/*
 * Queues a query and copies the message. If the queue is full, returns NULL and
 * does not call done.
 */
extern KgQuery *kg_pool_query(KgPool *pool, const KgPoolMessage *message,
							  KgQueryDone done, KgQueryNotice notice,
							  void *arg);

/*
 * Queues kg_limits() for the bearer of the token. Returns NULL if the queue is
 * full.
 */
extern KgQuery *kg_pool_limits(KgPool *pool, const char *token,
							   KgQueryDone done, void *arg);

/* Queues kg_health(). Returns NULL if the queue is full. */
extern KgQuery *kg_pool_health(KgPool *pool, KgQueryDone done, void *arg);

/*
 * Queues a query of the primary's WAL position. Its result is a text for
 * kg_pool_reached(). Returns NULL if the queue is full.
 */
extern KgQuery *kg_pool_position(KgPool *pool, KgQueryDone done, void *arg);

/*
 * Queues a query whether a standby has replayed the WAL up to the position. The
 * result is "t" if it has. Returns NULL if the queue is full.
 */
extern KgQuery *kg_pool_reached(KgPool *pool, const char *position,
								KgQueryDone done, void *arg);

/* Cancels a query. Its done function is not called. */
extern void kg_query_cancel(KgQuery *query);

/*
 * Returns the reason if the last attempt to connect has failed, otherwise NULL.
 * The text is valid until the next attempt.
 */
extern const char *kg_pool_away(const KgPool *pool);

/* Returns whether a connection is open. For /readyz. */
extern bool kg_pool_healthy(const KgPool *pool);

/* Write the metrics of the pool, or only of its connections. */
extern void kg_pool_write(const KgPool *pool, KgBuf *out);
extern void kg_pool_write_connections(const KgPool *pool, const char *name,
									  const char *labels, KgBuf *out);

/*
 * Starts to connect, without waiting; kg_pg_poll() continues at each event.
 * These three functions are used by the pool and by listen.c.
 */
extern PGconn *kg_pg_start(const char *dsn, const char *name);
/*
 * Watches the connection's socket. The socket may change while libpq tries
 * several hosts. Returns false if it cannot be watched.
 */
extern bool kg_pg_watch(PGconn *pg, KgLoop *loop, KgWatch **watch,
						uint32_t events, KgWatchFn fn, void *arg);
/*
 * Continues to connect after an event. Returns 1 if connected, -1 after a
 * failure, otherwise 0.
 */
extern int kg_pg_poll(PGconn *pg, KgLoop *loop, KgWatch **watch, KgWatchFn fn,
					  void *arg);

#endif /* KG_POOL_H */
