/*
 * db.c
 *	  The connection of a command to the database.
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
#include "kgctl/show.h"
#include "kgctl/result.h"

const char kg_db_options[] =
	"-d, --dsn DSN\tconnection string or URI (else KGCTL_DSN, PGHOST ...)\n"
	"-t, --tenant NAME\ttenant to act for, among those granted (else "
	"KGCTL_TENANT)\n"
	"--token-file FILE\tfile with a bearer token (else KGCTL_TOKEN, then "
	"kgctl login's)\n";

/* Maximal time that a server may take to end a cancelled statement. */
#define CANCEL_SECONDS 5

static volatile sig_atomic_t interrupted;
/* set from the time COMMIT is sent until the result of COMMIT is known */
static volatile sig_atomic_t committing;

static void
on_interrupt(int sig)
{
	interrupted = 1;
	alarm(CANCEL_SECONDS);
}

#define NOT_KNOWN "it is not known whether the changes were made"

/* The text about the outcome if the transaction is not committed. */
static const char *volatile unchanged = "nothing was changed";

void
kg_db_unchanged(const char *text)
{
	unchanged = text;
}

bool
kg_db_interrupted(void)
{
	return interrupted;
}

/*
 * Ends the program if the server does not react: it answers neither the cancel
 * request nor the statement, or sends data endlessly. This is done in a signal
 * handler, because libpq may be in any state.
 */
static void
on_alarm(int sig)
{
	static const char start[] =
		"kgctl: the server does not end the statement; ";
	const char *text = committing ? NOT_KNOWN : unchanged;

	if (write(STDERR_FILENO, start, sizeof(start) - 1) < 0 ||
		write(STDERR_FILENO, text, strlen(text)) < 0 ||
		write(STDERR_FILENO, "\n", 1) < 0)
		_exit(KG_EXIT_INTERNAL);
	_exit(KG_EXIT_INTERRUPTED);
}

static const char *
what_changed(void)
{
	return committing ? NOT_KNOWN : unchanged;
}

/*
 * Parses the progress of a statement: {"what": "writing entities", "done":
 * 5000, "total": 30000}, or null at its end.
 */
static void
take_progress(KgProgress *progress, const char *text)
{
	KgArena *arena = kg_arena_new();
	char *error = NULL;
	const KgJson *root = kgctl_json_parse(
		arena, text, strlen(text), NULL, &error);
	const char *what = kg_json_get_text(root, "what");
	const KgJson *done = kgctl_json_get(root, "done");
	const KgJson *total = kgctl_json_get(root, "total");

	if (what != NULL && kg_json_is_integer(done))
		kg_progress_told(
			progress,
			what,
			strtoull(done->u.text, NULL, 10),
			kg_json_is_integer(total) ? strtoull(total->u.text, NULL, 10) : 0);
	free(error);
	kg_arena_free(arena);
}

/*
 * Receives notices. Takes the progress of a statement, and prints messages for
 * the user. Logs all other notices at level debug. arg is the progress of the
 * current statement, or NULL.
 */
static void
take_notice(void *arg, const PGresult *res)
{
	const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);
	const char *text = kg_result_words(res, PG_DIAG_MESSAGE_PRIMARY);

	if (arg != NULL && state != NULL && text != NULL &&
		strcmp(state, "KGPRO") == 0)
		take_progress(arg, text);
	else if (state != NULL && text != NULL && strcmp(state, "KGNOT") == 0)
		kg_print(stderr, "kgctl: %s\n", text);
	else if (kg_log_wanted(KG_LOG_DEBUG))
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

static void
cancel_query(KgDb *db)
{
	PGcancel *cancel = PQgetCancel(db->conn);
	char error[256];

	if (cancel != NULL && !PQcancel(cancel, error, sizeof(error)))
		kg_error("cannot cancel: %s", error);
	PQfreeCancel(cancel);
}

/* The state of a wait for a statement's result. */
typedef struct Wait
{
	KgProgress own; /* used unless the command shows progress itself */
	/* the progress to show; NULL: progress is not shown */
	KgProgress *progress;
	struct timespec start;
	double cancelled; /* time of the last cancel request, or -1 */
} Wait;

static void
start_wait(KgDb *db, Wait *wait)
{
	wait->cancelled = -1;
	wait->progress = db->progress;
	clock_gettime(CLOCK_MONOTONIC, &wait->start);
	if (db->progress == NULL && db->label != NULL)
	{
		kg_progress_start(&wait->own, db->label);
		wait->progress = &wait->own;
		PQsetNoticeReceiver(db->conn, take_notice, &wait->own);
	}
}

static void
end_wait(KgDb *db, Wait *wait)
{
	PQsetNoticeReceiver(db->conn, take_notice, NULL);
	if (wait->progress == &wait->own)
		kg_progress_end(&wait->own);
}

/*
 * Reacts to Ctrl-C: sends a cancel request, and repeats it, because a server
 * that has not read the whole statement yet ignores the request.
 */
static void
heed_interrupt(KgDb *db, Wait *wait)
{
	if (!interrupted ||
		(wait->cancelled >= 0 &&
		 kg_seconds_since(&wait->start) - wait->cancelled <= 0.5))
		return;
	wait->cancelled = kg_seconds_since(&wait->start);
	cancel_query(db);
}

/* Waits until PQgetResult() would not block, or the connection is broken. */
static void
wait_ready(KgDb *db, Wait *wait)
{
	int flushing = 1;

	while (PQstatus(db->conn) == CONNECTION_OK)
	{
		struct pollfd fd = {PQsocket(db->conn), POLLIN, 0};

		heed_interrupt(db, wait);
		if (flushing == 1)
			flushing = PQflush(db->conn);
		if (flushing != 1 && !PQisBusy(db->conn))
			return;
		if (flushing == 1)
			fd.events |= POLLOUT;
		if (poll(&fd, 1, 200) < 0 && errno != EINTR)
			return;
		if (!PQconsumeInput(db->conn))
			return;
		if (wait->progress != NULL)
			kg_progress_show(wait->progress, flushing == 1);
	}
}

/*
 * Returns the first result of the statement, and discards other results. No
 * statement of kgctl has several results or starts a COPY. If a server sends
 * them anyway, the caller of this function reports the unexpected result.
 */
static PGresult *
wait_for_result(KgDb *db)
{
	Wait wait;
	PGresult *first = NULL;
	PGresult *res;
	ExecStatusType status;

	start_wait(db, &wait);
	do
	{
		wait_ready(db, &wait);
		res = PQgetResult(db->conn);
		status = PQresultStatus(res);
		if (first == NULL)
			first = res;
		else
			PQclear(res);
		/*
		 * libpq would return the result that starts a COPY again and again, so
		 * stop there.
		 */
	} while (res != NULL && status != PGRES_COPY_IN &&
			 status != PGRES_COPY_OUT && status != PGRES_COPY_BOTH);
	end_wait(db, &wait);
	return first;
}

static PGresult *
run(KgDb *db, const char *sql, int n, const char *const *values)
{
	PQsetnonblocking(db->conn, 1);
	if (!PQsendQueryParams(db->conn, sql, n, NULL, values, NULL, NULL, 0))
		return NULL;
	return wait_for_result(db);
}

static bool
is_missing(const PGresult *res)
{
	const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);

	return state != NULL &&
		   (strcmp(state, "P0002") == 0 || strcmp(state, "42704") == 0);
}

static void
report_failure(KgDb *db, const PGresult *res)
{
	bool answered = res != NULL &&
					PQresultErrorField(res, PG_DIAG_SQLSTATE) != NULL;

	db->exit = KG_EXIT_DATABASE;
	/*
	 * If the server has answered COMMIT, the outcome is known, even if it is an
	 * error.
	 */
	if (answered)
		committing = 0;
	if (interrupted)
	{
		db->exit = KG_EXIT_INTERRUPTED;
		kg_error("cancelled; %s", what_changed());
	}
	else if (answered)
		kg_report_result(db, res);
	else if (res != NULL && PQstatus(db->conn) == CONNECTION_OK)
		kg_db_nonsense(db);
	else
		kg_error("the connection to the database was lost: %s%s",
				 PQerrorMessage(db->conn),
				 committing ? NOT_KNOWN : "");
}

void
kg_db_nonsense(KgDb *db)
{
	db->exit = KG_EXIT_DATABASE;
	kg_error("the server does not answer as PostgreSQL with kg_graph does; %s",
			 what_changed());
}

bool
kg_result_is_row(const PGresult *res, int columns)
{
	return PQresultStatus(res) == PGRES_TUPLES_OK && PQntuples(res) == 1 &&
		   PQnfields(res) == columns;
}

/* Runs a query. On failure, prints an error and returns NULL. */
static PGresult *
run_query(KgDb *db, const char *sql, int n, const char *const *values)
{
	PGresult *res = run(db, sql, n, values);

	if (PQresultStatus(res) == PGRES_TUPLES_OK ||
		(db->missing_ok && is_missing(res)))
		return res;
	report_failure(db, res);
	PQclear(res);
	return NULL;
}

/*
 * Runs a command that returns no rows, and requires that the server returns the
 * command tag. Otherwise prints an error and returns false.
 */
static bool
run_tagged(KgDb *db, const char *sql, const char *tag)
{
	PGresult *res = run(db, sql, 0, NULL);
	bool ok = PQresultStatus(res) == PGRES_COMMAND_OK;

	if (!ok)
		report_failure(db, res);
	else if (strcmp(PQcmdStatus(res), tag) != 0)
	{
		ok = false;
		/* The tag is ROLLBACK if COMMIT was sent in a failed transaction. */
		if (strcmp(PQcmdStatus(res), "ROLLBACK") == 0)
		{
			committing = 0;
			db->exit = KG_EXIT_DATABASE;
			kg_error("the server rolled the transaction back; %s",
					 what_changed());
		}
		else
			kg_db_nonsense(db);
	}
	PQclear(res);
	return ok;
}

/*
 * Runs a command whose tag is the text of the command. Returns false on
 * failure.
 */
static bool
run_command(KgDb *db, const char *sql)
{
	return run_tagged(db, sql, sql);
}

bool
kg_db_find(KgDb *db, const char *extensions)
{
	const char *values[] = {extensions};
	PGresult *res = run_query(
		db,
		"SELECT pg_catalog.quote_ident(n.nspname) "
		"FROM pg_catalog.pg_extension e "
		"JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) "
		"e.extnamespace WHERE e.extname::pg_catalog.text "
		"OPERATOR(pg_catalog.=) "
		"ANY (pg_catalog.string_to_array($1, ' ')) "
		"ORDER BY e.extname DESC LIMIT 1",
		1,
		values);
	bool ok = kg_result_is_row(res, 1);

	if (ok)
	{
		free(db->schema);
		db->schema = kg_strdup(PQgetvalue(res, 0, 0));
	}
	else if (res != NULL && PQntuples(res) == 0)
		ok = true;
	else if (res != NULL)
		kg_db_nonsense(db);
	PQclear(res);
	return ok;
}

/*
 * Finds the schema of the extension kg_graph or kg_front. Both have the
 * functions that commands call. On failure, prints an error and returns false.
 */
static bool
find_extension(KgDb *db)
{
	if (!kg_db_find(db, "kg_graph kg_front"))
		return false;
	if (db->schema == NULL)
		kg_error("the database \"%s\" has no extension kg_graph",
				 PQdb(db->conn));
	return db->schema != NULL;
}

static bool
connect_database(KgDb *db, const char *dsn)
{
	const char *names[] = {
		"dbname", "fallback_application_name", "client_encoding", NULL};
	const char *values[] = {dsn, "kgctl", "UTF8", NULL};
	struct sigaction action;

	db->conn = PQconnectdbParams(names, values, 1);
	if (PQstatus(db->conn) != CONNECTION_OK)
	{
		kg_error("cannot connect: %s", PQerrorMessage(db->conn));
		return false;
	}
	PQsetNoticeReceiver(db->conn, take_notice, NULL);
	memset(&action, 0, sizeof(action));
	action.sa_handler = on_interrupt;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	action.sa_handler = on_alarm;
	sigaction(SIGALRM, &action, NULL);
	return true;
}

bool
kg_db_connect(KgDb *db, const char *dsn, const char *extension)
{
	memset(db, 0, sizeof(*db));
	db->exit = KG_EXIT_DATABASE;
	return connect_database(db, dsn) && kg_db_find(db, extension);
}

/*
 * Returns sql (malloc'd) with the name of the extension's schema in place of
 * each "@".
 */
static char *
with_schema(const KgDb *db, const char *sql)
{
	KgBuf text;

	kg_buf_init(&text);
	for (; *sql != '\0'; sql++)
		if (*sql == '@')
			kg_buf_puts(&text, db->schema);
		else
			kg_buf_putc(&text, *sql);
	return kg_buf_detach(&text);
}

PGresult *
kg_db_query(KgDb *db, const char *sql, int n, const char *const *values)
{
	char *text = with_schema(db, sql);
	PGresult *res = run(db, text, n, values);

	free(text);
	if (PQresultStatus(res) == PGRES_TUPLES_OK ||
		PQresultStatus(res) == PGRES_COMMAND_OK)
		return res;
	report_failure(db, res);
	PQclear(res);
	return NULL;
}

/*
 * Sets a setting. sql is a statement with the parameters name and value.
 * Returns false on failure.
 */
static bool
set(KgDb *db, const char *sql, const char *name, const char *value)
{
	const char *values[] = {name, value};
	PGresult *res = run_query(db, sql, 2, values);
	bool ok = kg_result_is_row(res, 1);

	if (!ok && res != NULL)
		kg_db_nonsense(db);
	PQclear(res);
	return ok;
}

bool
kg_db_set(KgDb *db, const char *name, const char *value)
{
	return set(db, "SELECT pg_catalog.set_config($1, $2, true)", name, value);
}

/*
 * Sets the label, and makes the server report its progress each second. An
 * older library of kg_graph, once loaded, refuses this setting, because that
 * library does not define the setting. Before the library is loaded, any
 * setting is accepted, and loading removes settings that the library does not
 * define. Returns false on failure.
 */
bool
kg_db_label(KgDb *db, const char *label)
{
	db->label = label;
	return set(db,
			   "SELECT CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_settings "
			   "WHERE name OPERATOR(pg_catalog.=) $1) OR NOT EXISTS "
			   "(SELECT FROM pg_catalog.pg_settings "
			   "WHERE pg_catalog.starts_with(name, 'kg_graph.')) "
			   "THEN pg_catalog.set_config($1, $2, true) END",
			   "kg_graph.progress",
			   "1s");
}

bool
kg_db_begin(KgDb *db)
{
	bool ok = run_command(db, "BEGIN");

	ok = ok &&
		 (db->tenant == NULL || kg_db_set(db, "kg_graph.tenant", db->tenant));
	if (ok && db->token != NULL)
	{
		const char *values[] = {db->token};
		char *ignored;

		ok = kg_db_call(db, "kg_login", "text", values, &ignored);
		free(ignored);
	}
	return ok;
}

bool
kg_db_open(KgDb *db, const KgArgs *args)
{
	memset(db, 0, sizeof(*db));
	db->exit = KG_EXIT_INPUT;
	db->tenant = kg_db_tenant(args);
	if (!kg_token_find(args, true, &db->token))
		return false;
	db->exit = KG_EXIT_DATABASE;
	return connect_database(db, kg_db_dsn(args)) && find_extension(db) &&
		   kg_db_begin(db);
}

void
kg_db_close(KgDb *db)
{
	PQfinish(db->conn);
	free(db->schema);
	free(db->token);
	memset(db, 0, sizeof(*db));
}

bool
kg_db_commit(KgDb *db)
{
	bool ok;

	committing = 1;
	db->label = NULL;
	ok = run_command(db, "COMMIT");
	committing = 0;
	return ok;
}

bool
kg_db_rollback(KgDb *db)
{
	return run_command(db, "ROLLBACK");
}

bool
kg_db_savepoint(KgDb *db)
{
	return run_tagged(db, "SAVEPOINT kgctl", "SAVEPOINT");
}

bool
kg_db_release(KgDb *db)
{
	return run_tagged(db, "RELEASE SAVEPOINT kgctl", "RELEASE");
}

bool
kg_db_undo(KgDb *db)
{
	return run_tagged(db, "ROLLBACK TO SAVEPOINT kgctl", "ROLLBACK");
}

static char *
call_text(const KgDb *db, const char *function, const char *types, int *n)
{
	KgBuf sql;

	*n = 0;
	kg_buf_init(&sql);
	kg_buf_printf(&sql, "SELECT %s.%s(", db->schema, function);
	while (*types != '\0')
	{
		size_t len = strcspn(types, " ");

		kg_buf_printf(&sql,
					  "%s$%d::pg_catalog.%.*s",
					  *n > 0 ? ", " : "",
					  *n + 1,
					  (int) len,
					  types);
		types += len + (types[len] == ' ');
		(*n)++;
	}
	kg_buf_putc(&sql, ')');
	return kg_buf_detach(&sql);
}

/*
 * Sets *result to the single value of a call's result as text. Returns false on
 * failure.
 */
static bool
take_value(KgDb *db, PGresult *res, char **result)
{
	bool ok = kg_result_is_row(res, 1) || is_missing(res);

	if (!ok)
		kg_db_nonsense(db);
	else if (PQntuples(res) > 0 && !PQgetisnull(res, 0, 0))
		*result = kg_strdup(PQgetvalue(res, 0, 0));
	PQclear(res);
	return ok;
}

bool
kg_db_call(KgDb *db, const char *function, const char *types,
		   const char *const *values, char **result)
{
	int n;
	char *sql = call_text(db, function, types, &n);
	PGresult *res = run_query(db, sql, n, values);

	free(sql);
	*result = NULL;
	return res != NULL && take_value(db, res, result);
}

/*
 * Returns the error object that functions of kg_graph write into DETAIL. For
 * another error, returns an object with the code DATABASE, the SQLSTATE and the
 * message.
 */
static char *
error_object(const PGresult *res, const char *state)
{
	const char *detail = kg_result_words(res, PG_DIAG_MESSAGE_DETAIL);
	const char *message = kg_result_words(res, PG_DIAG_MESSAGE_PRIMARY);
	const char *code;
	size_t len;
	KgBuf text;

	kg_buf_init(&text);
	if (detail != NULL &&
		kg_json_scan(detail, strlen(detail), "code", &code, &len))
		kg_buf_puts(&text, detail);
	else
	{
		kg_buf_puts(&text, "{\"code\": \"DATABASE\", \"sqlstate\": ");
		kg_buf_json(&text, state, strlen(state));
		kg_buf_puts(&text, ", \"message\": ");
		message = message ? message : "error";
		kg_buf_json(&text, message, strlen(message));
		kg_buf_putc(&text, '}');
	}
	return kg_buf_detach(&text);
}

bool
kg_db_try(KgDb *db, const char *function, const char *types,
		  const char *const *values, char **result, KgDbError *error)
{
	int n;
	char *sql = call_text(db, function, types, &n);
	PGresult *res = run(db, sql, n, values);
	const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);

	free(sql);
	*result = NULL;
	memset(error, 0, sizeof(*error));
	if (PQresultStatus(res) == PGRES_TUPLES_OK)
		return take_value(db, res, result);
	if (state != NULL && !interrupted &&
		PQtransactionStatus(db->conn) == PQTRANS_INERROR)
	{
		snprintf(error->state, sizeof(error->state), "%s", state);
		error->object = error_object(res, state);
	}
	else
		report_failure(db, res);
	PQclear(res);
	return false;
}

const KgJson *
kg_db_read(KgDb *db, KgArena *arena, const char *text, const char *member)
{
	char *error = NULL;
	const KgJson *root = NULL;

	if (text != NULL)
		root = kgctl_json_parse(arena, text, strlen(text), NULL, &error);
	free(error);
	if (root != NULL &&
		(member == NULL || kgctl_json_get(root, member) != NULL))
		return root;
	kg_db_nonsense(db);
	return NULL;
}

/*
 * Calls the function each() for one row. Returns false if the following rows
 * are to be ignored.
 */
static bool
take_row(KgDb *db, PGresult *res, KgRowFn each, void *arg)
{
	ExecStatusType status = PQresultStatus(res);

	if (status == PGRES_TUPLES_OK || (db->missing_ok && is_missing(res)))
		return true;
	if (status != PGRES_SINGLE_TUPLE)
		report_failure(db, res);
	else if (each(arg, res))
		return true;
	else
		kg_db_nonsense(db);
	return false;
}

bool
kg_db_rows(KgDb *db, const char *sql, const char *value, KgRowFn each,
		   void *arg)
{
	char *text = with_schema(db, sql);
	Wait wait;
	PGresult *res;
	bool ok;
	bool any = false;

	PQsetnonblocking(db->conn, 1);
	ok = PQsendQueryParams(db->conn, text, 1, NULL, &value, NULL, NULL, 0) &&
		 PQsetSingleRowMode(db->conn);
	free(text);
	start_wait(db, &wait);
	while (ok)
	{
		wait_ready(db, &wait);
		res = PQgetResult(db->conn);
		if (res == NULL)
			break;
		any = true;
		ok = take_row(db, res, each, arg);
		PQclear(res);
	}
	end_wait(db, &wait);
	if (!any)
		report_failure(db, NULL);
	return ok && any;
}
