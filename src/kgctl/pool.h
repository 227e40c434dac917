/*
 * pool.h
 *	  Connections to the database, and the statements that run on them:
 *	  SELECT kg_mcp($1, $2, $3), or that with decisions, a transaction of its
 *	  own each time.
 *
 * Because no other statement is ever sent and identity is bound to the
 * transaction, nothing of one caller is left on a connection for the next.
 */
#ifndef KG_POOL_H
#define KG_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include <libpq-fe.h>

#include "kgctl/buf.h"
#include "kgctl/loop.h"

/* What a server is, where there are several: kg_graph.mcp_server. */
#define KG_SERVER_PRIMARY "primary"
#define KG_SERVER_STANDBY "standby"

typedef struct KgPoolOptions
{
	const char *dsn;
	const char *server;	  /* NULL: it is the only one */
	const char *tenant;	  /* kg_graph.tenant of the connections, or NULL */
	const char *toolsets; /* kg_graph.toolsets, or NULL: as the role has it */
	const char *function; /* qualified; NULL: kg_mcp of the extension */
	int size;			  /* connections at most */
	int queue;			  /* waiting queries at most */
	long timeout_ms;	  /* of a statement */
	bool prepare;		  /* false for poolers without prepared statements */
	bool exchange;		  /* messages may have decisions */
} KgPoolOptions;

typedef enum KgOutcome
{
	KG_OUTCOME_RESULT,		/* res holds one row */
	KG_OUTCOME_ERROR,		/* res holds the SQL error */
	KG_OUTCOME_LOST,		/* the connection broke during the query */
	KG_OUTCOME_UNAVAILABLE, /* no connection could be had */
	KG_OUTCOME_TIMEOUT		/* the database did not keep its time-out */
} KgOutcome;

typedef struct KgPool KgPool;
typedef struct KgQuery KgQuery;

/* done owns res.  The query is gone when done is called. */
typedef void (*KgQueryDone)(void *arg, KgOutcome outcome, PGresult *res);
/* A NOTICE with SQLSTATE KGMCP while the query runs. */
typedef void (*KgQueryNotice)(void *arg, const char *text);

extern KgPool *kg_pool_new(KgLoop *loop, const KgPoolOptions *options);
extern void kg_pool_free(KgPool *pool);

/* A message, and what of it is decided. */
typedef struct KgPoolMessage
{
	const char *text;
	size_t len;
	const char *token;	   /* or NULL */
	const char *decisions; /* NULL: there is no exchange */
	const char *exchange;  /* of the round before, or NULL */
} KgPoolMessage;

/*
 * Queue a query; the message is copied.  NULL when the queue is full (done is
 * not called then).
 */
extern KgQuery *kg_pool_query(KgPool *pool, const KgPoolMessage *message,
							  KgQueryDone done, KgQueryNotice notice,
							  void *arg);

/* kg_limits() of who has the token; NULL when the queue is full. */
extern KgQuery *kg_pool_limits(KgPool *pool, const char *token,
							   KgQueryDone done, void *arg);

/* kg_health(); NULL when the queue is full. */
extern KgQuery *kg_pool_health(KgPool *pool, KgQueryDone done, void *arg);

/* How far the primary is, as text that kg_pool_reached() takes. */
extern KgQuery *kg_pool_position(KgPool *pool, KgQueryDone done, void *arg);

/* Whether a standby has replayed that: "t" or not. */
extern KgQuery *kg_pool_reached(KgPool *pool, const char *position,
								KgQueryDone done, void *arg);

/* Give up a query: it is cancelled where it runs, done is never called. */
extern void kg_query_cancel(KgQuery *query);

/* Whether a connection is there, for /readyz. */
extern bool kg_pool_healthy(const KgPool *pool);

/* How full it is, for /metrics; and its connections alone. */
extern void kg_pool_write(const KgPool *pool, KgBuf *out);
extern void kg_pool_write_connections(const KgPool *pool, const char *name,
									  const char *labels, KgBuf *out);

/* Connecting in the loop, as the pool and listen.c do. */
extern PGconn *kg_pg_start(const char *dsn, const char *name);
/* Watch the socket, which may change while libpq tries several hosts. */
extern bool kg_pg_watch(PGconn *pg, KgLoop *loop, KgWatch **watch,
						uint32_t events, KgWatchFn fn, void *arg);
/* After an event: 1 where it is connected, -1 where it cannot be. */
extern int kg_pg_poll(PGconn *pg, KgLoop *loop, KgWatch **watch, KgWatchFn fn,
					  void *arg);

#endif /* KG_POOL_H */
