/*
 * db.c
 *	  The one connection of a command.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kgctl/db.h"
#include "kgctl/log.h"

const KgOption kg_db_options[] = {
	{"dsn",
	 'd',
	 "DSN",
	 false,
	 "connection string or URI (else KGCTL_DSN, PGHOST ...)"},
	{"tenant",
	 't',
	 "NAME",
	 false,
	 "tenant to act for, among those granted (else KGCTL_TENANT)"},
	{"token-file",
	 0,
	 "FILE",
	 false,
	 "file with a bearer token (else KGCTL_TOKEN, then kgctl login's)"},
	{NULL, 0, NULL, false, NULL}};

static volatile sig_atomic_t interrupted;

static void
on_interrupt(int sig)
{
	(void) sig;
	interrupted = 1;
}

static void
ignore_notice(void *arg, const PGresult *res)
{
	(void) arg;
	if (kg_log_wanted(KG_LOG_DEBUG))
		kg_log(KG_LOG_DEBUG, "%s", PQresultErrorMessage(res));
}

const char *
kg_db_dsn(const KgArgs *args)
{
	const char *dsn = kg_args_get(args, "dsn");

	if (dsn == NULL)
		dsn = getenv("KGCTL_DSN");
	return dsn ? dsn : "";
}

const char *
kg_db_tenant(const KgArgs *args)
{
	const char *tenant = kg_args_get(args, "tenant");

	if (tenant == NULL)
		tenant = getenv("KGCTL_TENANT");
	return tenant && *tenant ? tenant : NULL;
}

static double
seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) (now.tv_sec - start->tv_sec) +
		   (double) (now.tv_nsec - start->tv_nsec) / 1e9;
}

static void
cancel_query(KgDb *db)
{
	PGcancel *cancel = PQgetCancel(db->conn);
	char error[256];

	if (cancel != NULL && !PQcancel(cancel, error, sizeof(error)))
		kg_error("cannot cancel: %s", error);
	PQfreeCancel(cancel);
}

/* Wait for the answer; shows label and seconds on a terminal meanwhile. */
static PGresult *
wait_for_result(KgDb *db, const char *label)
{
	bool show = label != NULL && isatty(STDERR_FILENO);
	bool shown = false;
	double cancelled = -1;
	struct timespec start;
	PGresult *res;
	PGresult *more;
	int flushing = 1;

	clock_gettime(CLOCK_MONOTONIC, &start);
	while (PQstatus(db->conn) == CONNECTION_OK)
	{
		struct pollfd fd = {PQsocket(db->conn), POLLIN, 0};

		if (flushing == 1)
			flushing = PQflush(db->conn);
		if (flushing == 1)
			fd.events |= POLLOUT;
		if (poll(&fd, 1, 200) < 0 && errno != EINTR)
			break;
		/* A server that still reads the statement drops the request. */
		if (interrupted &&
			(cancelled < 0 || seconds_since(&start) - cancelled > 0.5))
		{
			cancelled = seconds_since(&start);
			cancel_query(db);
		}
		if (!PQconsumeInput(db->conn))
			break;
		if (flushing != 1 && !PQisBusy(db->conn))
			break;
		if (show && seconds_since(&start) > 0.3)
		{
			fprintf(stderr,
					"\r%s ... %.1f s%s",
					label,
					seconds_since(&start),
					flushing == 1 ? " (sending)" : "          ");
			shown = true;
		}
	}
	PQsetnonblocking(db->conn, 0);
	res = PQgetResult(db->conn);
	while ((more = PQgetResult(db->conn)) != NULL)
		PQclear(more);
	if (shown)
		fprintf(
			stderr, "\r%s: %.1f s            \n", label, seconds_since(&start));
	return res;
}

static PGresult *
run(KgDb *db, const char *sql, int n, const char *const *values,
	const char *label)
{
	PQsetnonblocking(db->conn, 1);
	if (!PQsendQueryParams(db->conn, sql, n, NULL, values, NULL, NULL, 0))
		return NULL;
	return wait_for_result(db, label);
}

static bool
is_missing(const PGresult *res)
{
	const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);

	return state != NULL &&
		   (strcmp(state, "P0002") == 0 || strcmp(state, "42704") == 0);
}

/* Run a statement; reports a failure. */
static PGresult *
run_checked(KgDb *db, const char *sql, int n, const char *const *values,
			const char *label, KgBundle *bundle)
{
	PGresult *res = run(db, sql, n, values, label);
	ExecStatusType status = PQresultStatus(res);

	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK ||
		(db->missing_ok && is_missing(res)))
		return res;
	db->exit = KG_EXIT_DATABASE;
	if (interrupted)
	{
		db->exit = KG_EXIT_INTERRUPTED;
		kg_error("cancelled; nothing was changed");
	}
	else if (res == NULL || PQresultErrorField(res, PG_DIAG_SQLSTATE) == NULL)
		kg_error("the connection to the database was lost: %s",
				 PQerrorMessage(db->conn));
	else
		kg_report_result(db, res, bundle);
	PQclear(res);
	return NULL;
}

static bool
run_plain(KgDb *db, const char *sql)
{
	PGresult *res = run_checked(db, sql, 0, NULL, NULL, NULL);

	PQclear(res);
	return res != NULL;
}

static bool
find_extension(KgDb *db)
{
	PGresult *res = run_checked(
		db,
		"SELECT n.nspname FROM pg_catalog.pg_extension e "
		"JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) "
		"e.extnamespace WHERE e.extname OPERATOR(pg_catalog.=) 'kg_graph'",
		0,
		NULL,
		NULL,
		NULL);
	char *quoted;

	if (res == NULL)
		return false;
	if (PQntuples(res) != 1)
	{
		kg_error("the database \"%s\" has no extension kg_graph",
				 PQdb(db->conn));
		PQclear(res);
		return false;
	}
	quoted = PQescapeIdentifier(
		db->conn, PQgetvalue(res, 0, 0), strlen(PQgetvalue(res, 0, 0)));
	PQclear(res);
	db->schema = kg_strdup(quoted ? quoted : "public");
	PQfreemem(quoted);
	return true;
}

static bool
connect_database(KgDb *db, const KgArgs *args)
{
	const char *names[] = {
		"dbname", "fallback_application_name", "client_encoding", NULL};
	const char *values[] = {kg_db_dsn(args), "kgctl", "UTF8", NULL};
	struct sigaction action;

	db->conn = PQconnectdbParams(names, values, 1);
	if (PQstatus(db->conn) != CONNECTION_OK)
	{
		kg_error("cannot connect: %s", PQerrorMessage(db->conn));
		return false;
	}
	PQsetNoticeReceiver(db->conn, ignore_notice, NULL);
	memset(&action, 0, sizeof(action));
	action.sa_handler = on_interrupt;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	return true;
}

bool
kg_db_open(KgDb *db, const KgArgs *args)
{
	const char *tenant = kg_db_tenant(args);
	char *token = NULL;
	bool ok;

	memset(db, 0, sizeof(*db));
	db->exit = KG_EXIT_INPUT;
	if (!kg_token_find(args, true, &token))
		return false;
	db->exit = KG_EXIT_DATABASE;
	ok = connect_database(db, args) && find_extension(db) &&
		 run_plain(db, "BEGIN");
	if (ok && tenant != NULL)
	{
		PGresult *res = run_checked(
			db,
			"SELECT pg_catalog.set_config('kg_graph.tenant', $1, true)",
			1,
			&tenant,
			NULL,
			NULL);

		ok = res != NULL;
		PQclear(res);
	}
	if (ok && token != NULL)
	{
		const char *values[1];
		char *ignored;

		values[0] = token;
		ok = kg_db_call(
			db, "kg_login", "text", 1, values, NULL, NULL, &ignored);
		free(ignored);
	}
	free(token);
	return ok;
}

void
kg_db_close(KgDb *db)
{
	PQfinish(db->conn);
	free(db->schema);
	memset(db, 0, sizeof(*db));
}

bool
kg_db_commit(KgDb *db)
{
	return run_plain(db, "COMMIT");
}

bool
kg_db_call(KgDb *db, const char *function, const char *types, int nvalues,
		   const char *const *values, const char *what, KgBundle *bundle,
		   char **result)
{
	KgBuf sql;
	PGresult *res;
	int i;

	*result = NULL;
	kg_buf_init(&sql);
	kg_buf_printf(&sql, "SELECT %s.%s(", db->schema, function);
	for (i = 0; i < nvalues; i++)
	{
		size_t n = strcspn(types, " ");

		kg_buf_printf(&sql,
					  "%s$%d::pg_catalog.%.*s",
					  i ? ", " : "",
					  i + 1,
					  (int) n,
					  types);
		types += n + (types[n] == ' ');
	}
	kg_buf_putc(&sql, ')');
	res = run_checked(db, sql.data, nvalues, values, what, bundle);
	kg_buf_free(&sql);
	if (res == NULL)
		return false;
	if (PQntuples(res) > 0 && !PQgetisnull(res, 0, 0))
		*result = kg_strdup(PQgetvalue(res, 0, 0));
	PQclear(res);
	return true;
}
