/*
 * pool.c
 *	  Connections to the database, and the queries that wait for them.
 *
 * A connection goes through the states CONNECTING, SETUP (find the extension,
 * set the time-out), PREPARE, SERVER (only with several servers: check that the
 * server's library supports them), IDLE and BUSY. A broken connection is closed
 * at once. New connections are opened when queries wait, with growing pauses
 * after failures. If a restart of the database interrupts a query, the query
 * fails with KG_OUTCOME_LOST. It is not sent again, because only the caller
 * knows whether that is correct.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/queue.h>

#include "kgctl/buf.h"
#include "kgctl/cancel.h"
#include "kgctl/db.h"
#include "kgctl/log.h"
#include "kgctl/metrics.h"
#include "kgctl/pool.h"
#include "kgctl/result.h"

#define CONNECT_TIMEOUT_MS 10000
/* Maximal time that a query waits while the database is unavailable. */
#define AWAY_GRACE_MS 2500
/* Maximal time that a query waits while all connections are busy. */
#define QUEUE_TIMEOUT_MS 20000
#define TIMEOUT_GRACE_MS 5000
#define CANCEL_AGAIN_MS 500
#define PAUSE_MIN_MS 100
#define PAUSE_MAX_MS 2000

typedef enum ConnState
{
	CONN_CLOSED,
	CONN_CONNECTING,
	CONN_SETUP,
	CONN_PREPARE,
	CONN_SERVER,
	CONN_IDLE,
	CONN_BUSY
} ConnState;

typedef enum Statement
{
	RUN_MCP,
	RUN_EXCHANGE, /* kg_mcp() with the decisions of an external authorizer */
	RUN_HEALTH,
	RUN_LIMITS,
	RUN_LIMITS_OF_TOKEN,
	RUN_SERVER,
	RUN_POSITION,
	RUN_REACHED,
	NSTATEMENTS
} Statement;

/*
 * Number of prepared statements if there is an authorizer. Without an
 * authorizer, only the first statement is prepared.
 */
#define PREPARED RUN_HEALTH

static const Oid param_types[5] = {
	3802 /* jsonb */, 25 /* text */, 25, 3802, 25};

static const struct
{
	const char *name; /* name of the prepared statement */
	const char *sql;  /* "@" stands for the extension's schema */
	int first;		  /* index in values of the statement's first parameter */
	int nparams;
	const char *front; /* SQL used instead of sql if the database is a front
					    * (kg_front); or NULL */
} statements[NSTATEMENTS] = {
	{"kg_mcp", "SELECT @kg_mcp($1, $2, $3)", 0, 3},
	{"kg_mcp_authorized",
	 "SELECT @kg_mcp_authorized($1, $2, $3, $4, $5)",
	 0,
	 5},
	{NULL, "SELECT @kg_health()", 0, 0},
	{NULL, "SELECT @kg_limits()", 0, 0},
	/*
	 * kg_limits() reports the limits of the caller that kg_login() has logged
	 * in within this transaction.
	 */
	{NULL,
	 "SELECT @kg_limits() FROM @kg_login($1)",
	 1,
	 1,
	 "SELECT @kg_token_limits($1)"},
	/*
	 * kg_tenant() loads the extension's library, if it is not loaded yet. If
	 * the library does not define this setting, loading removes it, and the
	 * result is NULL.
	 */
	{NULL,
	 "SELECT pg_catalog.current_setting('kg_graph.mcp_server', true) "
	 "FROM @kg_tenant()",
	 0,
	 0},
	{NULL, "SELECT pg_catalog.pg_current_wal_lsn()", 0, 0},
	{NULL,
	 "SELECT pg_catalog.pg_is_in_recovery() AND "
	 "pg_catalog.pg_last_wal_replay_lsn() OPERATOR(pg_catalog.>=) "
	 "$1::pg_catalog.pg_lsn",
	 1,
	 1},
};

typedef struct Conn
{
	KgPool *pool;
	PGconn *pg;
	KgWatch *watch;
	ConnState state;
	int64_t since;
	/* query of a BUSY connection; NULL: the query was cancelled */
	KgQuery *query;
	PGresult *res; /* first result of the running query */
	bool cancelling;
	int64_t cancelled; /* time of the last cancel request */
	bool timed_out;
	int prepared; /* number of prepared statements */
} Conn;

struct KgQuery
{
	KgPool *pool;
	TAILQ_ENTRY(KgQuery) link; /* entry in the list of waiting queries */
	Conn *conn;				   /* NULL while the query waits */
	Statement statement;
	char *values[5]; /* parameters: message, token, tenant ... */
	int64_t since;
	KgQueryDone done;
	KgQueryNotice notice;
	void *arg;
};

struct KgPool
{
	KgLoop *loop;
	KgPoolOptions options;
	KgCanceller *canceller;
	Conn *conns;
	char *sql[NSTATEMENTS];
	TAILQ_HEAD(, KgQuery) waiting;
	int nwaiting;
	int64_t next_connect;
	int64_t pause;
	bool away;	  /* the last attempt to connect has failed */
	char *reason; /* reason of the last failure, or NULL */
};

static void serve(KgPool *pool);
static void on_socket(void *arg, uint32_t events);

static void
free_query(KgQuery *query)
{
	int i;

	/* Overwrite the token, so that it does not remain in freed memory. */
	if (query->values[1] != NULL)
		memset(query->values[1], 0, strlen(query->values[1]));
	for (i = 0; i < 5; i++)
		free(query->values[i]);
	free(query);
}

static void
finish_query(KgQuery *query, KgctlOutcome outcome, PGresult *res)
{
	KgQueryDone done = query->done;
	void *arg = query->arg;

	free_query(query);
	done(arg, outcome, res);
}

/*
 * Removes the query that has waited longest from the list and returns it.
 * Returns NULL if no query waits.
 */
static KgQuery *
next_waiting(KgPool *pool)
{
	KgQuery *query = TAILQ_FIRST(&pool->waiting);

	if (query != NULL)
	{
		TAILQ_REMOVE(&pool->waiting, query, link);
		pool->nwaiting--;
	}
	return query;
}

static void
set_state(Conn *conn, ConnState state)
{
	conn->state = state;
	conn->since = kg_now();
}

static void
close_conn(Conn *conn)
{
	kg_watch_remove(conn->watch);
	conn->watch = NULL;
	PQclear(conn->res);
	conn->res = NULL;
	PQfinish(conn->pg);
	conn->pg = NULL;
	set_state(conn, CONN_CLOSED);
}

/*
 * Stores the reason why no connection can be used, without trailing newlines.
 */
static void
set_reason(KgPool *pool, const char *text)
{
	size_t len = strlen(text);

	while (len > 0 && text[len - 1] == '\n')
		len--;
	free(pool->reason);
	pool->reason = kg_strndup(text, len);
}

/*
 * Closes an unusable connection. Its query fails with the outcome. If the
 * connection was never usable, stores the reason, or libpq's error if reason is
 * NULL.
 */
static void
lose_conn_because(Conn *conn, KgctlOutcome outcome, const char *reason)
{
	KgQuery *query = conn->query;
	KgPool *pool = conn->pool;

	if (conn->state < CONN_IDLE)
	{
		kg_count(KG_COUNT_CONNECT_FAIL);
		set_reason(pool, reason ? reason : PQerrorMessage(conn->pg));
		kg_log(KG_LOG_WARNING, "cannot use the database: %s", pool->reason);
		pool->away = true;
		pool->pause = pool->pause ? pool->pause * 2 : PAUSE_MIN_MS;
		if (pool->pause > PAUSE_MAX_MS)
			pool->pause = PAUSE_MAX_MS;
		pool->next_connect = kg_now() + pool->pause;
	}
	else if (conn->state == CONN_BUSY || PQstatus(conn->pg) != CONNECTION_OK)
	{
		kg_count(KG_COUNT_LOST);
		kg_log(KG_LOG_WARNING, "a connection to the database was lost");
	}
	conn->query = NULL;
	close_conn(conn);
	if (query != NULL)
		finish_query(query, outcome, NULL);
}

static void
lose_conn(Conn *conn, KgctlOutcome outcome)
{
	lose_conn_because(conn, outcome, NULL);
}

static void
on_notice(void *arg, const PGresult *res)
{
	Conn *conn = arg;
	const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);
	const char *text = kg_result_words(res, PG_DIAG_MESSAGE_PRIMARY);

	/*
	 * Other code in the database raises notices too; handle only the notices of
	 * kg_graph.
	 */
	if (state != NULL && strcmp(state, "KGMCP") == 0 && text != NULL &&
		conn->query != NULL && conn->query->notice != NULL)
		conn->query->notice(conn->query->arg, text);
}

PGconn *
kg_pg_start(const char *dsn, const char *name)
{
	const char *names[] = {
		"dbname", "fallback_application_name", "client_encoding", NULL};
	const char *values[] = {dsn, name, "UTF8", NULL};

	return PQconnectStartParams(names, values, 1);
}

bool
kg_pg_watch(PGconn *pg, KgLoop *loop, KgWatch **watch, uint32_t events,
			KgWatchFn fn, void *arg)
{
	kg_watch_remove(*watch);
	*watch = PQsocket(pg) < 0
				 ? NULL
				 : kg_watch_add(loop, PQsocket(pg), events, fn, arg);
	return *watch != NULL;
}

int
kg_pg_poll(PGconn *pg, KgLoop *loop, KgWatch **watch, KgWatchFn fn, void *arg)
{
	PostgresPollingStatusType next = PQconnectPoll(pg);

	if (next == PGRES_POLLING_OK)
		return 1;
	if (next == PGRES_POLLING_FAILED)
		return -1;
	return kg_pg_watch(pg,
					   loop,
					   watch,
					   next == PGRES_POLLING_READING ? EPOLLIN : EPOLLOUT,
					   fn,
					   arg)
			   ? 0
			   : -1;
}

static bool
rewatch(Conn *conn, uint32_t events)
{
	return kg_pg_watch(
		conn->pg, conn->pool->loop, &conn->watch, events, on_socket, conn);
}

static void
open_conn(Conn *conn)
{
	conn->pg = kg_pg_start(conn->pool->options.dsn, "kgctl");
	set_state(conn, CONN_CONNECTING);
	conn->cancelling = conn->timed_out = false;
	if (PQstatus(conn->pg) == CONNECTION_BAD || !rewatch(conn, EPOLLOUT))
		lose_conn(conn, KG_OUTCOME_UNAVAILABLE);
	else
		PQsetNoticeReceiver(conn->pg, on_notice, conn);
}

/*
 * Sends data that libpq could not send at once. Returns false if the connection
 * is broken.
 */
static bool
flush_conn(Conn *conn)
{
	int more = PQflush(conn->pg);

	kg_watch_set(conn->watch, more == 1 ? EPOLLIN | EPOLLOUT : EPOLLIN);
	return more >= 0;
}

#define SETUP_COLUMNS 12

static bool
send_setup(Conn *conn)
{
	static const char sql[] =
		"SELECT pg_catalog.quote_ident(n.nspname), "
		"pg_catalog.set_config('statement_timeout', $1, false), "
		"pg_catalog.set_config('kg_graph.tenant', $2, false), "
		"pg_catalog.set_config('kg_graph.mcp_edges', 'on', false), "
		"CASE WHEN $3 OPERATOR(pg_catalog.<>) '' THEN "
		"pg_catalog.set_config('kg_graph.toolsets', $3, false) ELSE '' END, "
		"pg_catalog.set_config('client_min_messages', 'notice', false), "
		"CASE WHEN $4 OPERATOR(pg_catalog.<>) '' THEN "
		"pg_catalog.set_config('kg_graph.mcp_server', $4, false) ELSE '' END, "
		"CASE WHEN $5 OPERATOR(pg_catalog.<>) '' THEN "
		"pg_catalog.set_config('kg_graph.schema_profile', $5, false) "
		"ELSE '' END, "
		"CASE WHEN $6 OPERATOR(pg_catalog.<>) '' THEN "
		"pg_catalog.set_config('kg_graph.schema_lax', $6, false) ELSE '' END, "
		/* A standby's connections remain read-only even after its promotion. */
		"CASE WHEN $4 OPERATOR(pg_catalog.=) 'standby' THEN "
		"pg_catalog.set_config('default_transaction_read_only', 'on', false) "
		"ELSE '' END, "
		"pg_catalog.pg_is_in_recovery(), "
		"e.extname OPERATOR(pg_catalog.=) 'kg_front' "
		"FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n "
		"ON n.oid OPERATOR(pg_catalog.=) e.extnamespace "
		"WHERE e.extname OPERATOR(pg_catalog.=) ANY ('{kg_graph,kg_front}') "
		"ORDER BY e.extname DESC LIMIT 1";
	const KgPoolOptions *options = &conn->pool->options;
	char timeout[32];
	const char *values[6];

	snprintf(timeout, sizeof(timeout), "%ld", options->timeout_ms);
	values[0] = timeout;
	values[1] = options->tenant ? options->tenant : "";
	values[2] = options->toolsets ? options->toolsets : "";
	values[3] = options->server ? options->server : "";
	values[4] = options->profile ? options->profile : "";
	values[5] = options->lax ? options->lax : "";
	set_state(conn, CONN_SETUP);
	return PQsetnonblocking(conn->pg, 1) == 0 &&
		   PQsendQueryParams(conn->pg, sql, 6, NULL, values, NULL, NULL, 0) &&
		   rewatch(conn, EPOLLIN) && flush_conn(conn);
}

/*
 * Returns the SQL of the i-th statement. If --function is given, its function
 * replaces kg_mcp() and kg_mcp_authorized().
 */
static char *
make_sql(const KgPool *pool, int i, const char *schema, bool front)
{
	const char *function = i < PREPARED ? pool->options.function : NULL;
	const char *from = front && statements[i].front ? statements[i].front
													: statements[i].sql;
	KgBuf sql;

	kg_buf_init(&sql);
	for (; *from != '\0'; from++)
		if (*from != '@')
			kg_buf_putc(&sql, *from);
		else if (function == NULL)
			kg_buf_printf(&sql, "%s.", schema);
		else
		{
			kg_buf_puts(&sql, function);
			from = strchr(from, '(') - 1;
		}
	return kg_buf_detach(&sql);
}

static void
make_all_sql(KgPool *pool, const char *schema, bool front)
{
	int i;

	for (i = 0; i < NSTATEMENTS; i++)
	{
		free(pool->sql[i]);
		pool->sql[i] = make_sql(pool, i, schema, front);
	}
}

static void
become_idle(Conn *conn)
{
	set_state(conn, CONN_IDLE);
	conn->pool->away = false;
	conn->pool->pause = 0;
}

/*
 * Returns the reason (malloc'd) if the server is not a primary or standby as
 * the pool requires. Otherwise returns NULL.
 */
static char *
why_unfit(const Conn *conn, const PGresult *setup)
{
	const char *server = conn->pool->options.server;
	bool front = PQgetvalue(setup, 0, SETUP_COLUMNS - 1)[0] == 't';
	bool standby = PQgetvalue(setup, 0, SETUP_COLUMNS - 2)[0] == 't';
	const char *what = NULL;
	KgBuf reason;

	if (server == NULL)
		return NULL;
	if (front)
		what = "is a front; --read-dsn is for standbys of the one server of "
			   "--dsn";
	else if (strcmp(server, KG_SERVER_STANDBY) == 0 && !standby)
		what = "is not a standby, so it is not used for reads";
	else if (strcmp(server, KG_SERVER_PRIMARY) == 0 && standby)
		what = "is a standby; with --read-dsn, the server of --dsn must be the "
			   "primary";
	if (what == NULL)
		return NULL;
	kg_buf_init(&reason);
	kg_buf_printf(&reason,
				  "the server of the database \"%s\" at %s:%s %s",
				  PQdb(conn->pg),
				  PQhost(conn->pg),
				  PQport(conn->pg),
				  what);
	return kg_buf_detach(&reason);
}

/*
 * Returns the reason (malloc'd) why a result of the set-up shows that the
 * server cannot be used. Returns NULL if the connection itself has failed.
 */
static char *
why_refused(const Conn *conn, const PGresult *res)
{
	KgBuf reason;

	if (PQresultStatus(res) != PGRES_TUPLES_OK)
		return NULL;
	kg_buf_init(&reason);
	if (conn->state == CONN_SERVER)
		kg_buf_printf(&reason,
					  "the library of kg_graph at %s:%s is too old for "
					  "--read-dsn; upgrade it on every server",
					  PQhost(conn->pg),
					  PQport(conn->pg));
	else
		kg_buf_printf(&reason,
					  "the database \"%s\" has no extension kg_graph",
					  PQdb(conn->pg));
	return kg_buf_detach(&reason);
}

static bool
send_server(Conn *conn)
{
	set_state(conn, CONN_SERVER);
	return PQsendQueryParams(conn->pg,
							 conn->pool->sql[RUN_SERVER],
							 0,
							 NULL,
							 NULL,
							 NULL,
							 NULL,
							 0) &&
		   flush_conn(conn);
}

static void
become_usable(Conn *conn)
{
	kg_count(KG_COUNT_CONNECTS);
	become_idle(conn);
}

/* Sends the next statement to prepare. Returns false on failure. */
static bool
send_prepare(Conn *conn)
{
	int i = conn->prepared;

	set_state(conn, CONN_PREPARE);
	return PQsendPrepare(conn->pg,
						 statements[i].name,
						 conn->pool->sql[i],
						 statements[i].nparams,
						 param_types) &&
		   flush_conn(conn);
}

static bool
send_query(Conn *conn, KgQuery *query)
{
	int first = statements[query->statement].first;
	const char *const *values = (const char *const *) query->values + first;
	int n = statements[query->statement].nparams;
	int ok;

	set_state(conn, CONN_BUSY);
	conn->query = query;
	conn->timed_out = false;
	query->conn = conn;
	if (conn->pool->options.prepare && query->statement < PREPARED)
		ok = PQsendQueryPrepared(conn->pg,
								 statements[query->statement].name,
								 n,
								 values,
								 NULL,
								 NULL,
								 0);
	else
		ok = PQsendQueryParams(conn->pg,
							   conn->pool->sql[query->statement],
							   n,
							   param_types + first,
							   values,
							   NULL,
							   NULL,
							   0);
	return ok && flush_conn(conn);
}

/*
 * Returns whether an error means that a prepared statement is stale and must be
 * prepared again.
 */
static bool
is_stale(const PGresult *res)
{
	const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);

	return state != NULL &&
		   (strcmp(state, "42883") == 0 || strcmp(state, "3F000") == 0 ||
			strcmp(state, "0A000") == 0 || strcmp(state, "26000") == 0 ||
			strcmp(state, "XX000") == 0);
}

/*
 * Returns whether an error means that the connection was ended, not that the
 * query was wrong.
 */
static bool
is_shutdown(const PGresult *res)
{
	const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);

	return state == NULL || strncmp(state, "08", 2) == 0 ||
		   strncmp(state, "57P", 3) == 0;
}

static void
query_answered(Conn *conn, PGresult *res)
{
	KgQuery *query = conn->query;
	bool ok = kg_result_is_row(res, 1);
	bool lost = !ok && is_shutdown(res);

	conn->query = NULL;
	if (!ok && (lost || is_stale(res)))
	{
		kg_count(KG_COUNT_LOST);
		kg_log(KG_LOG_WARNING,
			   "the database says: %s",
			   kg_result_words(res, PG_DIAG_MESSAGE_PRIMARY)
				   ? kg_result_words(res, PG_DIAG_MESSAGE_PRIMARY)
				   : PQerrorMessage(conn->pg));
		close_conn(conn);
	}
	else
		become_idle(conn);
	if (query == NULL)
		PQclear(res);
	else if (lost)
	{
		PQclear(res);
		finish_query(query, KG_OUTCOME_LOST, NULL);
	}
	else
		finish_query(query, ok ? KG_OUTCOME_RESULT : KG_OUTCOME_ERROR, res);
}

/*
 * Takes the result of the statement that a connection has run: ends its query,
 * or continues to set the connection up.
 */
static void
answered(Conn *conn)
{
	PGresult *res = conn->res;
	bool ok = kg_result_is_row(res, SETUP_COLUMNS);
	char *reason = NULL;

	conn->res = NULL;
	if (conn->state == CONN_BUSY)
	{
		query_answered(conn, res);
		return;
	}
	if (conn->state == CONN_SETUP && ok)
	{
		reason = why_unfit(conn, res);
		if (reason != NULL)
		{
			lose_conn_because(conn, KG_OUTCOME_UNAVAILABLE, reason);
			free(reason);
			PQclear(res);
			return;
		}
		make_all_sql(conn->pool,
					 PQgetvalue(res, 0, 0),
					 PQgetvalue(res, 0, SETUP_COLUMNS - 1)[0] == 't');
		conn->prepared = 0;
		if (!send_prepare(conn))
			lose_conn(conn, KG_OUTCOME_UNAVAILABLE);
	}
	else if (conn->state == CONN_PREPARE &&
			 PQresultStatus(res) == PGRES_COMMAND_OK)
	{
		if (++conn->prepared < (conn->pool->options.exchange ? PREPARED : 1))
		{
			if (!send_prepare(conn))
				lose_conn(conn, KG_OUTCOME_UNAVAILABLE);
		}
		else if (conn->pool->options.server == NULL)
			become_usable(conn);
		else if (!send_server(conn))
			lose_conn(conn, KG_OUTCOME_UNAVAILABLE);
	}
	else if (conn->state == CONN_SERVER && kg_result_is_row(res, 1) &&
			 strcmp(PQgetvalue(res, 0, 0), conn->pool->options.server) == 0)
		become_usable(conn);
	else
	{
		reason = why_refused(conn, res);
		lose_conn_because(conn, KG_OUTCOME_UNAVAILABLE, reason);
		free(reason);
	}
	PQclear(res);
}

static void
read_conn(Conn *conn)
{
	if (!PQconsumeInput(conn->pg))
	{
		lose_conn(conn, KG_OUTCOME_LOST);
		return;
	}
	if (conn->state == CONN_IDLE)
	{
		/*
		 * No query is running, so this result is a notice or reports the end of
		 * the connection.
		 */
		PGresult *res;

		if (!PQisBusy(conn->pg) && (res = PQgetResult(conn->pg)) != NULL)
			PQclear(res);
		if (PQstatus(conn->pg) != CONNECTION_OK)
			lose_conn(conn, KG_OUTCOME_LOST);
		return;
	}
	while (!PQisBusy(conn->pg))
	{
		PGresult *res = PQgetResult(conn->pg);
		ExecStatusType status = PQresultStatus(res);

		if (res == NULL)
		{
			answered(conn);
			return;
		}
		if (conn->res == NULL)
			conn->res = res;
		else
			PQclear(res);
		/*
		 * Treat a COPY as a lost connection. The gateway starts no COPY, and
		 * libpq would stay in the COPY state.
		 */
		if (PQstatus(conn->pg) == CONNECTION_BAD || status == PGRES_COPY_IN ||
			status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH)
		{
			lose_conn(conn, KG_OUTCOME_LOST);
			return;
		}
	}
}

static void
continue_connecting(Conn *conn)
{
	int state = kg_pg_poll(
		conn->pg, conn->pool->loop, &conn->watch, on_socket, conn);

	if (state < 0 || (state > 0 && !send_setup(conn)))
		lose_conn(conn, KG_OUTCOME_UNAVAILABLE);
}

static void
on_socket(void *arg, uint32_t events)
{
	Conn *conn = arg;
	KgPool *pool = conn->pool;

	if (conn->state == CONN_CONNECTING)
		continue_connecting(conn);
	else
	{
		if ((events & EPOLLOUT) && !flush_conn(conn))
			lose_conn(conn, KG_OUTCOME_LOST);
		else if (events & ~(uint32_t) EPOLLOUT)
			read_conn(conn);
	}
	serve(pool);
}

/*
 * Assigns waiting queries to idle connections. Opens more connections if
 * necessary.
 */
static void
serve(KgPool *pool)
{
	int opening = 0;
	int i;

	for (i = 0; i < pool->options.size && pool->nwaiting > 0; i++)
	{
		Conn *conn = &pool->conns[i];

		if (conn->state == CONN_IDLE && !conn->cancelling &&
			!send_query(conn, next_waiting(pool)))
			lose_conn(conn, KG_OUTCOME_LOST);
	}
	for (i = 0; i < pool->options.size; i++)
		if (pool->conns[i].state > CONN_CLOSED &&
			pool->conns[i].state < CONN_IDLE)
			opening++;
	for (i = 0; i < pool->options.size && opening < pool->nwaiting; i++)
	{
		Conn *conn = &pool->conns[i];

		if (conn->state != CONN_CLOSED || conn->cancelling ||
			kg_now() < pool->next_connect)
			continue;
		/*
		 * While the database is unavailable, attempt only one connection at a
		 * time.
		 */
		if (pool->away && opening > 0)
			break;
		open_conn(conn);
		opening++;
	}
}

static void
cancel_sent(void *arg)
{
	Conn *conn = arg;

	conn->cancelling = false;
	serve(conn->pool);
}

static void
cancel_conn(Conn *conn)
{
	PGcancel *request;

	if (conn->cancelling || conn->state != CONN_BUSY)
		return;
	request = PQgetCancel(conn->pg);
	if (request == NULL)
		return;
	conn->cancelling = true;
	conn->cancelled = kg_now();
	kg_cancel(conn->pool->canceller, request, cancel_sent, conn);
}

static void
check_conn(Conn *conn, int64_t now)
{
	long limit = conn->pool->options.timeout_ms;

	if (conn->state > CONN_CLOSED && conn->state < CONN_IDLE &&
		now - conn->since > CONNECT_TIMEOUT_MS)
		lose_conn(conn, KG_OUTCOME_UNAVAILABLE);
	/*
	 * Send the cancel request again, because a server that has not read the
	 * whole query yet ignores it.
	 */
	if (conn->state == CONN_BUSY && conn->query == NULL &&
		now - conn->cancelled > CANCEL_AGAIN_MS)
		cancel_conn(conn);
	if (conn->state == CONN_BUSY && limit > 0 &&
		now - conn->since > limit + TIMEOUT_GRACE_MS)
	{
		/*
		 * After a time-out, first send a cancel request. If that has no effect,
		 * close the connection.
		 */
		if (!conn->timed_out)
		{
			conn->timed_out = true;
			cancel_conn(conn);
		}
		else if (now - conn->since > limit + 2 * TIMEOUT_GRACE_MS)
			lose_conn(conn, KG_OUTCOME_TIMEOUT);
	}
}

static bool
any_usable(const KgPool *pool)
{
	int i;

	for (i = 0; i < pool->options.size; i++)
		if (pool->conns[i].state >= CONN_IDLE)
			return true;
	return false;
}

static void
on_tick(void *arg)
{
	KgPool *pool = arg;
	int64_t now = kg_now();
	int64_t patience;
	int i;

	for (i = 0; i < pool->options.size; i++)
		check_conn(&pool->conns[i], now);
	patience = any_usable(pool) ? QUEUE_TIMEOUT_MS : AWAY_GRACE_MS;
	while (pool->nwaiting > 0 &&
		   now - TAILQ_FIRST(&pool->waiting)->since > patience)
	{
		kg_count(KG_COUNT_QUEUE_EXPIRED);
		finish_query(next_waiting(pool), KG_OUTCOME_UNAVAILABLE, NULL);
	}
	/*
	 * Open a connection if no connection is usable, so that /readyz reports the
	 * current state.
	 */
	if (!any_usable(pool) && pool->conns[0].state == CONN_CLOSED &&
		!pool->conns[0].cancelling && now >= pool->next_connect)
		open_conn(&pool->conns[0]);
	serve(pool);
}

/* Sends queued queries. kg_pool_query() only queues them. */
static void
on_wait(void *arg)
{
	KgPool *pool = arg;

	if (pool->nwaiting > 0)
		serve(pool);
}

KgPool *
kg_pool_new(KgLoop *loop, const KgPoolOptions *options)
{
	KgPool *pool = kg_calloc(1, sizeof(KgPool));
	int i;

	TAILQ_INIT(&pool->waiting);
	pool->loop = loop;
	pool->options = *options;
	pool->canceller = kg_canceller_new(loop);
	pool->conns = kg_calloc((size_t) options->size, sizeof(Conn));
	for (i = 0; i < options->size; i++)
		pool->conns[i].pool = pool;
	kg_loop_on_tick(loop, on_tick, pool);
	kg_loop_on_wait(loop, on_wait, pool);
	open_conn(&pool->conns[0]);
	return pool;
}

void
kg_pool_free(KgPool *pool)
{
	KgQuery *query;
	int i;

	while ((query = next_waiting(pool)) != NULL)
		free_query(query);
	kg_canceller_free(pool->canceller);
	for (i = 0; i < pool->options.size; i++)
	{
		if (pool->conns[i].query != NULL)
			free_query(pool->conns[i].query);
		if (pool->conns[i].pg != NULL)
			close_conn(&pool->conns[i]);
	}
	free(pool->conns);
	for (i = 0; i < NSTATEMENTS; i++)
		free(pool->sql[i]);
	free(pool->reason);
	free(pool);
}

static char *
copy(const char *text)
{
	return text ? kg_strdup(text) : NULL;
}

static KgQuery *
add_query(KgPool *pool, Statement statement, KgQueryDone done, void *arg)
{
	KgQuery *query;

	if (pool->nwaiting >= pool->options.queue)
	{
		kg_count(KG_COUNT_QUEUE_FULL);
		return NULL;
	}
	query = kg_calloc(1, sizeof(KgQuery));
	query->pool = pool;
	query->statement = statement;
	query->since = kg_now();
	query->done = done;
	query->arg = arg;
	TAILQ_INSERT_TAIL(&pool->waiting, query, link);
	pool->nwaiting++;
	return query;
}

KgQuery *
kg_pool_query(KgPool *pool, const KgPoolMessage *message, KgQueryDone done,
			  KgQueryNotice notice, void *arg)
{
	KgQuery *query = add_query(
		pool, message->decisions ? RUN_EXCHANGE : RUN_MCP, done, arg);

	if (query == NULL)
		return NULL;
	query->values[0] = kg_strndup(message->text, message->len);
	query->values[1] = copy(message->token);
	query->values[3] = copy(message->decisions);
	query->values[4] = copy(message->exchange);
	query->notice = notice;
	return query;
}

KgQuery *
kg_pool_limits(KgPool *pool, const char *token, KgQueryDone done, void *arg)
{
	KgQuery *query = add_query(
		pool, token ? RUN_LIMITS_OF_TOKEN : RUN_LIMITS, done, arg);

	if (query != NULL)
		query->values[1] = copy(token);
	return query;
}

KgQuery *
kg_pool_health(KgPool *pool, KgQueryDone done, void *arg)
{
	return add_query(pool, RUN_HEALTH, done, arg);
}

void
kg_query_cancel(KgQuery *query)
{
	Conn *conn = query->conn;

	if (conn == NULL)
	{
		TAILQ_REMOVE(&query->pool->waiting, query, link);
		query->pool->nwaiting--;
	}
	else
	{
		conn->query = NULL;
		cancel_conn(conn);
	}
	free_query(query);
}

KgQuery *
kg_pool_position(KgPool *pool, KgQueryDone done, void *arg)
{
	return add_query(pool, RUN_POSITION, done, arg);
}

KgQuery *
kg_pool_reached(KgPool *pool, const char *position, KgQueryDone done, void *arg)
{
	KgQuery *query = add_query(pool, RUN_REACHED, done, arg);

	if (query != NULL)
		query->values[1] = kg_strdup(position);
	return query;
}

const char *
kg_pool_away(const KgPool *pool)
{
	return pool->away ? pool->reason : NULL;
}

bool
kg_pool_healthy(const KgPool *pool)
{
	return any_usable(pool);
}

void
kg_pool_write_connections(const KgPool *pool, const char *name,
						  const char *labels, KgBuf *out)
{
	static const char *const states[] = {"opening", "idle", "busy"};
	int counts[3] = {0, 0, 0};
	int i;

	for (i = 0; i < pool->options.size; i++)
		if (pool->conns[i].state > CONN_CLOSED)
			counts[pool->conns[i].state < CONN_IDLE	   ? 0
				   : pool->conns[i].state == CONN_IDLE ? 1
													   : 2]++;
	for (i = 0; i < 3; i++)
		kg_buf_printf(
			out, "%s{%sstate=\"%s\"} %d\n", name, labels, states[i], counts[i]);
}

void
kg_pool_write(const KgPool *pool, KgBuf *out)
{
	static const char name[] = "kgctl_pool_connections";

	kg_metric_head(
		out, name, "gauge", "Connections to the database, by state.");
	kg_pool_write_connections(pool, name, "", out);
	kg_metric_gauge(out,
					"kgctl_pool_connections_max",
					"Connections to the database at most (--pool).",
					pool->options.size);
	kg_metric_gauge(out,
					"kgctl_queue_length",
					"Messages that wait for a connection.",
					pool->nwaiting);
	kg_metric_gauge(out,
					"kgctl_queue_length_max",
					"Messages that may wait (--queue).",
					pool->options.queue);
}
