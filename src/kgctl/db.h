/*
 * db.h
 *	  The one connection of a command: connect, identify, call functions of the
 *	  extension, show progress, cancel on Ctrl-C, explain errors.
 *
 * Everything a command does is one transaction, because a token is bound to
 * one; what loads in batches begins one for each.  Values are always parameters.
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
	const char *label;	  /* what is shown while a statement runs, or NULL */
	KgProgress *progress; /* of a command that shows its own, or NULL */
	KgBundle *bundle;	  /* by whose lines errors are told, or NULL */
	bool missing_ok;	  /* that a thing does not exist is a NULL result */
	int exit; /* what the command should exit with after a failure */
} KgDb;

/* --dsn, --tenant, --token-file */
extern const char kg_db_options[];

/* One row of so many columns: what a query of ours answers. */
extern bool kg_result_is_row(const PGresult *res, int columns);

/* Say that the answer is none that a server with the extension gives. */
extern void kg_db_nonsense(KgDb *db);

/* Connect and begin; false after a message, with db->exit set. */
extern bool kg_db_open(KgDb *db, const KgArgs *args);
extern void kg_db_close(KgDb *db);
extern bool kg_db_commit(KgDb *db);
extern bool kg_db_rollback(KgDb *db);

/* The next transaction: as the same tenant, with the same token. */
extern bool kg_db_begin(KgDb *db);

/* What is undone alone after an error: one at a time. */
extern bool kg_db_savepoint(KgDb *db);
extern bool kg_db_release(KgDb *db);
extern bool kg_db_undo(KgDb *db);

/* Whether the user wants an end: it comes with the next statement. */
extern bool kg_db_interrupted(void);

/*
 * What is said to be so where a transaction is not committed, instead of that
 * nothing was changed.  It is kept.
 */
extern void kg_db_unchanged(const char *text);

/*
 * Connect to a database by its string, and find an extension there, of several
 * names the last by the alphabet: schema is NULL where it has none.  Every
 * statement is a transaction of its own.
 */
extern bool kg_db_connect(KgDb *db, const char *dsn, const char *extension);
extern bool kg_db_find(KgDb *db, const char *extensions);

/*
 * The result of a statement, "@" in which stands for the extension's schema; NULL
 * when the failure has been reported.
 */
extern PGresult *kg_db_query(KgDb *db, const char *sql, int n,
							 const char *const *values);

/* A setting, until the transaction ends. */
extern bool kg_db_set(KgDb *db, const char *name, const char *value);

/*
 * What is shown while what follows in the transaction runs, until the server
 * tells how far it is, as it is asked to.
 */
extern bool kg_db_label(KgDb *db, const char *label);

/*
 * SELECT schema.function($1, ...) with values of types, "jsonb text"; the text
 * of the one value in *result (malloc'd; NULL for SQL NULL).  False: the error
 * has been reported.
 */
extern bool kg_db_call(KgDb *db, const char *function, const char *types,
					   const char *const *values, char **result);

/*
 * The same, but an error that ended no more than the transaction is handed out
 * and not reported: object is the JSON of its DETAIL (malloc'd), or NULL where
 * the failure has been reported.
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
 * The JSON of such a text; NULL after a message where it is none, or has no
 * member of that name (NULL: any JSON will do).
 */
extern const KgJson *kg_db_read(KgDb *db, KgArena *arena, const char *text,
								const char *member);

/*
 * The rows of a query with one parameter, each as it comes: there may be more
 * of them than fit into memory.  "@" in sql stands for the extension's schema.
 * each answers false for a row that is not what was asked for.
 */
typedef bool (*KgRowFn)(void *arg, const PGresult *row);

extern bool kg_db_rows(KgDb *db, const char *sql, const char *value,
					   KgRowFn each, void *arg);

/* Print one error object, or the list of them it holds (db_report.c). */
extern size_t kg_report_errors(KgBundle *bundle, const KgJson *error);
/* Print what is wrong with a row of a file. */
extern void kg_report_row(const char *path, unsigned long row,
						  const KgJson *error);
extern void kg_report_result(KgDb *db, const PGresult *res);

/*
 * A longer token is none.  The database's own limit, kg_graph.max_token_bytes,
 * may be set to less, and to more than a request's headers hold.
 */
#define KG_MAX_TOKEN (32 * 1024)

/* The token from --token-file, KGCTL_TOKEN or what login saved (token.c). */
extern bool kg_token_find(const KgArgs *args, bool saved, char **token);
extern bool kg_token_read(const char *path, char **token);
extern bool kg_token_save(const char *token);
extern bool kg_token_forget(void);

/* Connection parameters shared with the gateway; NULL-terminated arrays. */
extern const char *kg_db_dsn(const KgArgs *args);
extern const char *kg_db_tenant(const KgArgs *args);

#endif /* KG_DB_H */
