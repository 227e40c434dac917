/*
 * db.h
 *	  The connection of a command. It sets the identity, calls functions of
 *	  the extension, shows progress, cancels on Ctrl-C and explains errors. A
 *	  command is one transaction, because a token is bound to a transaction. A
 *	  load in batches begins one transaction for each batch. Values are always
 *	  sent as parameters.
 */
#ifndef KG_DB_H
#define KG_DB_H

#include <stdbool.h>

#include <libpq-fe.h>

#include "kgctl/args.h"
#include "kgctl/bundle/bundle.h"
#include "kgctl/progress.h"

typedef struct KgDb
{
	PGconn *conn;
	char *schema; /* quoted name of the extension's schema */
	const char *tenant;
	char *token;
	const char *label; /* text shown while a statement runs, or NULL */
	/* progress of a command that shows progress itself, or NULL */
	KgProgress *progress;
	/* the bundle whose line numbers errors name, or NULL */
	KgctlBundle *bundle;
	/* an error that an object is missing becomes a NULL result */
	bool missing_ok;
	int exit; /* exit code of the command after a failure */
} KgDb;

/* --dsn, --tenant, --token-file */
extern const char kg_db_options[];

/* Returns whether the result is one row with the given number of columns. */
extern bool kg_result_is_row(const PGresult *res, int columns);

/* Prints the error for a result that the extension cannot have returned. */
extern void kg_db_nonsense(KgDb *db);

/*
 * Connects and begins a transaction. On failure, prints an error, sets db->exit
 * and returns false.
 */
extern bool kg_db_open(KgDb *db, const KgArgs *args);
extern void kg_db_close(KgDb *db);
extern bool kg_db_commit(KgDb *db);
extern bool kg_db_rollback(KgDb *db);

/*
 * Begins the next transaction, for the same tenant and with the same token.
 * Returns false on failure.
 */
extern bool kg_db_begin(KgDb *db);

/*
 * Create, release and roll back to a savepoint. At most one savepoint exists at
 * a time. Each function returns false on failure.
 */
extern bool kg_db_savepoint(KgDb *db);
extern bool kg_db_release(KgDb *db);
extern bool kg_db_undo(KgDb *db);

/*
 * Returns whether the user has pressed Ctrl-C. After Ctrl-C, the next statement
 * fails.
 */
extern bool kg_db_interrupted(void);

/*
 * Sets the text that errors contain instead of "nothing was changed" if a
 * transaction is not committed. text is not copied.
 */
extern void kg_db_unchanged(const char *text);

/*
 * kg_db_connect() connects to a database by its connection string. It begins no
 * transaction. kg_db_find() looks up the extension in the database of an open
 * connection.
 *
 * Both functions set db->schema to the schema of the extension with one of the
 * given names, which are separated by spaces. If several of them are installed,
 * they take the last in alphabetical order. If none is installed, db->schema is
 * NULL. On failure, both print an error and return false.
 */
extern bool kg_db_connect(KgDb *db, const char *dsn, const char *extension);
extern bool kg_db_find(KgDb *db, const char *extensions);

/*
 * Returns the result of a statement, in which "@" stands for the extension's
 * schema. On failure, prints an error and returns NULL.
 */
extern PGresult *kg_db_query(KgDb *db, const char *sql, int n,
							 const char *const *values);

/*
 * Sets a setting until the transaction ends (SET LOCAL). Returns false on
 * failure.
 */
extern bool kg_db_set(KgDb *db, const char *name, const char *value);

/*
 * Sets the label shown with the following statements of the transaction. When
 * the server reports progress, the progress replaces the label. Returns false
 * on failure.
 */
extern bool kg_db_label(KgDb *db, const char *label);

/*
 * Runs SELECT schema.function($1, ...). types has the SQL types of the
 * parameters, such as "jsonb text". Sets *result to the text of the returned
 * value (malloc'd), or NULL for SQL NULL. On failure, prints an error and
 * returns false.
 */
extern bool kg_db_call(KgDb *db, const char *function, const char *types,
					   const char *const *values, char **result);

/*
 * An SQL error. kg_db_try() calls a function like kg_db_call(). But if an error
 * ends only the transaction, kg_db_try() returns the error in *error and does
 * not print it. object is the JSON in DETAIL (malloc'd), or NULL if the failure
 * was printed.
 */
typedef struct KgDbError
{
	char state[6];
	char *object;
} KgDbError;

extern bool kg_db_try(KgDb *db, const char *function, const char *types,
					  const char *const *values, char **result,
					  KgDbError *error);

/*
 * Parses a result of the database as JSON. If the result is not JSON or lacks
 * the member, prints an error and returns NULL. member NULL accepts any JSON.
 */
extern const KgJson *kg_db_read(KgDb *db, KgArena *arena, const char *text,
								const char *member);

/*
 * Calls the function each() for every row of a query with one parameter. Rows
 * are handled as they arrive, because the result may not fit into memory. "@"
 * in sql stands for the extension's schema. each returns false for an
 * unexpected row.
 */
typedef bool (*KgRowFn)(void *arg, const PGresult *row);

extern bool kg_db_rows(KgDb *db, const char *sql, const char *value,
					   KgRowFn each, void *arg);

/*
 * Prints an error object, or the list of errors that it contains (in
 * db_report.c). Returns the number of printed errors.
 */
extern size_t kg_report_errors(KgctlBundle *bundle, const KgJson *error);
/* Prints an error in a row of a file. */
extern void kg_report_row(const char *path, unsigned long row,
						  const KgJson *error);
extern void kg_report_result(KgDb *db, const PGresult *res);

/*
 * Maximal length of a token, in bytes. The database has its own limit,
 * kg_graph.max_token_bytes. It may be less than this limit, or more than the
 * headers of a request can hold.
 */
#define KG_MAX_TOKEN (32 * 1024)

/*
 * Sets *token to the token (malloc'd): from the file of --token-file, from
 * KGCTL_TOKEN or, if saved is set, from the file that kgctl login writes (in
 * token.c). Sets it to NULL if there is no token. On failure, prints an error
 * and returns false.
 */
extern bool kg_token_find(const KgArgs *args, bool saved, char **token);
extern bool kg_token_read(const char *path, char **token);
extern bool kg_token_save(const char *token);
extern bool kg_token_forget(void);

/* Return connection parameters of commands and of the gateway. */
extern const char *kg_db_dsn(const KgArgs *args);
extern const char *kg_db_tenant(const KgArgs *args);

#endif /* KG_DB_H */
