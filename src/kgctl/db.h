/*
 * db.h
 *	  The connection of a command: it connects, sets the identity, calls
 *	  functions of the extension, shows progress, cancels on Ctrl-C and
 *	  explains errors.
 *
 * A command is one transaction, because a token is bound to a transaction. A
 * load in batches begins one for each batch. Values are always sent as
 * parameters.
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
	const char *label;	  /* shown while a statement runs, or NULL */
	KgProgress *progress; /* of a command that shows progress itself, or NULL */
	KgctlBundle *bundle;  /* the source of line numbers in errors, or NULL */
	bool missing_ok;	  /* a missing object gives a NULL result, no error */
	int exit;			  /* exit code of the command after a failure */
} KgDb;

/* --dsn, --tenant, --token-file */
extern const char kg_db_options[];

/* Returns whether the result is one row with this number of columns. */
extern bool kg_result_is_row(const PGresult *res, int columns);

/* Reports that the result cannot be from a server with the extension. */
extern void kg_db_nonsense(KgDb *db);

/*
 * Connects and begins a transaction. Returns false after a message and sets
 * db->exit.
 */
extern bool kg_db_open(KgDb *db, const KgArgs *args);
extern void kg_db_close(KgDb *db);
extern bool kg_db_commit(KgDb *db);
extern bool kg_db_rollback(KgDb *db);

/* Begins the next transaction, for the same tenant and with the same token. */
extern bool kg_db_begin(KgDb *db);

/*
 * A savepoint, to undo a part after an error. There is at most one at a time.
 */
extern bool kg_db_savepoint(KgDb *db);
extern bool kg_db_release(KgDb *db);
extern bool kg_db_undo(KgDb *db);

/*
 * Returns whether the user has pressed Ctrl-C. The next statement then fails.
 */
extern bool kg_db_interrupted(void);

/*
 * Sets the text that replaces "nothing was changed" if a transaction is not
 * committed. text is not copied.
 */
extern void kg_db_unchanged(const char *text);

/*
 * kg_db_connect() connects to a database by its connection string.
 * kg_db_find() finds an extension in this database. If several names match, it
 * takes the last name in alphabetical order. schema becomes NULL if there is
 * no such extension. Each statement is its own transaction.
 */
extern bool kg_db_connect(KgDb *db, const char *dsn, const char *extension);
extern bool kg_db_find(KgDb *db, const char *extensions);

/*
 * Returns the result of a statement, in which "@" stands for the extension's
 * schema. Returns NULL after the failure was reported.
 */
extern PGresult *kg_db_query(KgDb *db, const char *sql, int n,
							 const char *const *values);

/* Sets a setting until the transaction ends. */
extern bool kg_db_set(KgDb *db, const char *name, const char *value);

/*
 * Sets the label that is shown for the following statements of the transaction,
 * until the server reports its progress.
 */
extern bool kg_db_label(KgDb *db, const char *label);

/*
 * Runs SELECT schema.function($1, ...). types has the types of the values, such
 * as "jsonb text". Sets *result to the text of the value (malloc'd), or NULL
 * for SQL NULL. Returns false after the error was reported.
 */
extern bool kg_db_call(KgDb *db, const char *function, const char *types,
					   const char *const *values, char **result);

/*
 * Like kg_db_call(), but an error that ends only the transaction is returned in
 * *error instead of reported. object is the JSON of its DETAIL (malloc'd), or
 * NULL if the failure was reported.
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
 * Parses a result of the database as JSON. Returns NULL after a message if it
 * is not JSON or lacks the member; member NULL accepts any JSON.
 */
extern const KgJson *kg_db_read(KgDb *db, KgArena *arena, const char *text,
								const char *member);

/*
 * Calls each for the rows of a query with one parameter, as they arrive,
 * because they may not fit into memory. "@" in sql stands for the extension's
 * schema. each returns false for an unexpected row.
 */
typedef bool (*KgRowFn)(void *arg, const PGresult *row);

extern bool kg_db_rows(KgDb *db, const char *sql, const char *value,
					   KgRowFn each, void *arg);

/*
 * Prints an error object, or the list of errors that it contains (db_report.c).
 * Returns their number.
 */
extern size_t kg_report_errors(KgctlBundle *bundle, const KgJson *error);
/* Prints an error in a row of a file. */
extern void kg_report_row(const char *path, unsigned long row,
						  const KgJson *error);
extern void kg_report_result(KgDb *db, const PGresult *res);

/*
 * Maximal length of a token, in bytes. The database's own limit,
 * kg_graph.max_token_bytes, may be less, or more than the headers of a request
 * can hold.
 */
#define KG_MAX_TOKEN (32 * 1024)

/* Finds the token of --token-file, KGCTL_TOKEN or login (token.c). */
extern bool kg_token_find(const KgArgs *args, bool saved, char **token);
extern bool kg_token_read(const char *path, char **token);
extern bool kg_token_save(const char *token);
extern bool kg_token_forget(void);

/* Connection parameters that commands and the gateway share. */
extern const char *kg_db_dsn(const KgArgs *args);
extern const char *kg_db_tenant(const KgArgs *args);

#endif /* KG_DB_H */
