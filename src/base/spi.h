/*
 * spi.h
 *	  SPI for kg_graph's own statements.
 *
 * The SQL text of these statements is static. They run as the current user, and
 * each backend caches their plans. Statements compiled from the arguments of a
 * tool use query/run/plan.h instead.
 */
#ifndef KG_SPI_H
#define KG_SPI_H

#include "base/error.h"
#include "base/extension.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"

/*
 * A statement with fixed text, and its cached plan.
 *
 * Every "@kg_name" in the text stands for the qualified name.  "@FOR ..." at
 * its end is a row-locking clause; it is omitted in a read-only transaction.
 * The plan is cached per backend until the schema is renamed.
 *
 *	  KG_SPI_EXEC("... WHERE tenant = $1 AND source = $2",
 *				  kg_arg_text(tenant),
 *				  kg_arg_int8(source));
 *
 * The macros declare a KgSaved of their own. A function that runs a statement
 * of its caller takes the caller's KgSaved as a parameter.
 */
typedef struct KgSaved
{
	SPIPlanPtr plan;
	uint64 schema; /* version of the schema's name */
	bool batch;
	bool locks; /* is planned with the row-locking clause */
} KgSaved;

/*
 * Initializer for a statement that looks up a batch of keys, given as arrays.
 *
 * It is planned as if kg_graph's tables were very large, because a plan is
 * used longer than the statistics from which it was made; a new database has
 * no statistics. A plan that expects a few keys may scan all rows of the
 * tenant, and would later repeat this scan for each of thousands of keys.
 *
 *	  KG_BATCH_EXEC("... WHERE tenant = $1 AND source = ANY ($2)", ...);
 */
#define KG_SAVED_BATCH \
	{                  \
		NULL, 0, true  \
	}

/* A parameter: its type and value. */
typedef struct KgArg
{
	Oid type;
	bool isnull;
	Datum value;
} KgArg;

static inline KgArg
kg_arg(Oid type, Datum value)
{
	return (KgArg){type, false, value};
}

static inline KgArg
kg_arg_int4(int32 value)
{
	return kg_arg(INT4OID, Int32GetDatum(value));
}

static inline KgArg
kg_arg_int8(int64 value)
{
	return kg_arg(INT8OID, Int64GetDatum(value));
}

static inline KgArg
kg_arg_bool(bool value)
{
	return kg_arg(BOOLOID, BoolGetDatum(value));
}

/*
 * Return a parameter; a NULL pointer is a null, also within an array of texts.
 */
extern KgArg kg_arg_text(const char *value);
extern KgArg kg_arg_jsonb(const Jsonb *value);
extern KgArg kg_arg_int8s(const int64 *values, uint32 n);
extern KgArg kg_arg_texts(const char *const *values, int n);

#define KG_MAX_ARGS 24
#define KG_ARGS(...)                                          \
	lengthof(((const KgArg[]){__VA_ARGS__})), (const KgArg[]) \
	{                                                         \
		__VA_ARGS__                                           \
	}

/*
 * Runs a statement, within SPI_connect().  The caller's memory context is
 * current again afterwards.
 */
#define kg_spi_exec(saved, sql, ...) \
	kg_spi_exec_args(saved, sql, KG_ARGS(__VA_ARGS__))
extern void kg_spi_exec_args(KgSaved *saved, const char *sql, int nargs,
							 const KgArg *args);

/*
 * Runs a statement with the caller's snapshot, which does not show later
 * writes of the caller.
 */
#define kg_spi_read(saved, sql, ...) \
	kg_spi_read_args(saved, sql, KG_ARGS(__VA_ARGS__))
extern void kg_spi_read_args(KgSaved *saved, const char *sql, int nargs,
							 const KgArg *args);

/*
 * Runs a statement with a snapshot of everything committed, whatever the
 * isolation level. Used by checks of referential integrity, which must see the
 * effects of concurrent transactions.
 */
#define kg_spi_exec_latest(saved, sql, ...) \
	kg_spi_exec_latest_args(saved, sql, KG_ARGS(__VA_ARGS__))
extern void kg_spi_exec_latest_args(KgSaved *saved, const char *sql, int nargs,
									const KgArg *args);

/*
 * Runs a statement with the newest snapshot on rows that are not data of a
 * user, such as counters.  It also writes rows that the transaction's snapshot
 * does not show.
 */
#define kg_spi_exec_newest(saved, sql, ...) \
	kg_spi_exec_newest_args(saved, sql, KG_ARGS(__VA_ARGS__))
extern void kg_spi_exec_newest_args(KgSaved *saved, const char *sql, int nargs,
									const KgArg *args);

/*
 * Variants of these functions that cache the plan in a static KgSaved at the
 * call. The variants with KG_BATCH_ are for batches.
 */
#define KG_SPI_HERE(run, sql, ...)                      \
	do                                                  \
	{                                                   \
		static KgSaved kg_saved_here;                   \
		run(&kg_saved_here, sql, KG_ARGS(__VA_ARGS__)); \
	} while (0)
#define KG_BATCH_HERE(run, sql, ...)                    \
	do                                                  \
	{                                                   \
		static KgSaved kg_saved_here = KG_SAVED_BATCH;  \
		run(&kg_saved_here, sql, KG_ARGS(__VA_ARGS__)); \
	} while (0)

#define KG_SPI_EXEC(...) KG_SPI_HERE(kg_spi_exec_args, __VA_ARGS__)
#define KG_SPI_READ(...) KG_SPI_HERE(kg_spi_read_args, __VA_ARGS__)
#define KG_SPI_LATEST(...) KG_SPI_HERE(kg_spi_exec_latest_args, __VA_ARGS__)
#define KG_SPI_NEWEST(...) KG_SPI_HERE(kg_spi_exec_newest_args, __VA_ARGS__)
#define KG_BATCH_EXEC(...) KG_BATCH_HERE(kg_spi_exec_args, __VA_ARGS__)
#define KG_BATCH_READ(...) KG_BATCH_HERE(kg_spi_read_args, __VA_ARGS__)
#define KG_BATCH_LATEST(...) KG_BATCH_HERE(kg_spi_exec_latest_args, __VA_ARGS__)
#define KG_BATCH_NEWEST(...) KG_BATCH_HERE(kg_spi_exec_newest_args, __VA_ARGS__)

/*
 * A statement over arrays, and a variant of it for arrays of one element. For
 * a single row, unnesting and joining the arrays would be most of the cost.
 *
 *	  static KgForms forms = KG_FORMS("... unnest($2)", "... $2");
 */
typedef struct KgForms
{
	const char *many;
	const char *one;
	KgSaved saved_many;
	KgSaved saved_one;
} KgForms;

#define KG_FORMS(many, one)                       \
	{                                             \
		many, one, KG_SAVED_BATCH, KG_SAVED_BATCH \
	}

/* Runs a read-only SELECT whose parameter is a tenant, or NULL. */
extern void kg_spi_select_of(KgSaved *saved, const char *sql,
							 const char *tenant);
#define KG_SPI_SELECT_OF(sql, tenant)                  \
	do                                                 \
	{                                                  \
		static KgSaved kg_saved_here;                  \
		kg_spi_select_of(&kg_saved_here, sql, tenant); \
	} while (0)

/*
 * Runs a read-only SELECT that scans all rows of a tenant. It is planned anew
 * for the number of these rows. A generic plan scans the nodes of all tenants
 * if a few tenants have most of the nodes.
 */
extern void kg_spi_select_all_of(const char *sql, const char *tenant);

/*
 * Opens a cursor of a statement that is planned anew, in the caller's SPI
 * connection.  kg_spi_cursor_of() is read-only, and its parameter is a tenant.
 */
#define kg_spi_cursor(sql, read_only, ...) \
	kg_spi_cursor_args(sql, read_only, KG_ARGS(__VA_ARGS__))
extern Portal kg_spi_cursor_args(const char *sql, bool read_only, int nargs,
								 const KgArg *args);
extern Portal kg_spi_cursor_of(const char *sql, const char *tenant);

/*
 * Runs a SELECT in index order and calls "each" for each row as it is fetched;
 * rows are not collected because there may be very many.  The callback may not
 * run SQL.
 */
typedef void (*KgSpiRow)(TupleTableSlot *row, void *arg);

#define kg_spi_each(saved, each, arg, sql, ...) \
	kg_spi_each_args(saved, each, arg, sql, KG_ARGS(__VA_ARGS__))
extern void kg_spi_each_args(KgSaved *saved, KgSpiRow each, void *arg,
							 const char *sql, int nargs, const KgArg *args);
/* A variant of kg_spi_each() that runs with the caller's snapshot. */
#define kg_spi_read_each(saved, each, arg, sql, ...) \
	kg_spi_read_each_args(saved, each, arg, sql, KG_ARGS(__VA_ARGS__))
extern void kg_spi_read_each_args(KgSaved *saved, KgSpiRow each, void *arg,
								  const char *sql, int nargs,
								  const KgArg *args);

/*
 * Runs an INSERT of rows after a check that found no such rows, but found the
 * rows that they reference. Returns false if the constraint (a key or foreign
 * key) refuses a row nevertheless. In this case the transaction cannot
 * continue, and the caller must raise an error.
 */
#define kg_spi_insert(saved, constraint, sql, ...) \
	kg_spi_insert_args(saved, constraint, sql, KG_ARGS(__VA_ARGS__))
extern bool kg_spi_insert_args(KgSaved *saved, const char *constraint,
							   const char *sql, int nargs, const KgArg *args);
/*
 * Calls insert(), which inserts rows in its own way. Returns false if the
 * constraint refuses a row, as kg_spi_insert() does.
 */
extern bool kg_spi_try_insert(const char *constraint, void (*insert)(void *arg),
							  void *arg);

/*
 * kg_spi_begin_load() and kg_spi_end_load() enclose the statements that read
 * the content of a cache. They call SPI_connect() and SPI_finish().
 *
 * The newest committed state is read, whatever the caller's snapshot, because
 * the cache outlives that snapshot. Parallel mode does not allow a new
 * snapshot. In this mode, the caller's snapshot is used, and every cache is
 * stale when the mode ends.
 */
extern void kg_spi_begin_load(void);
extern void kg_spi_end_load(void);

/*
 * kg_spi_begin_as_owner() becomes the extension's owner and calls
 * SPI_connect(). kg_spi_end_as_owner() calls SPI_finish() and returns to the
 * caller's role.
 */
extern void kg_spi_begin_as_owner(KgUserContext *caller);
extern void kg_spi_end_as_owner(const KgUserContext *caller);

/*
 * Returns true if the SELECT returns a row.  Runs as the owner of the
 * extension, independently of the caller's rights.  For the content of caches.
 */
#define kg_spi_finds(saved, sql, ...) \
	kg_spi_finds_args(saved, sql, KG_ARGS(__VA_ARGS__))
extern bool kg_spi_finds_args(KgSaved *saved, const char *sql, int nargs,
							  const KgArg *args);

/*
 * Pushes the snapshot in which kg_spi_begin_load() reads, but does not call
 * SPI_connect(). The caller pops the snapshot with PopActiveSnapshot().
 */
extern void kg_push_newest_snapshot(void);

/*
 * Begins to read the content of a cache, like kg_spi_begin_load(), but in the
 * state that the caller's snapshot shows.
 */
extern void kg_spi_begin_load_seen(void);

/*
 * kg_spi_pin_path() begins a section in which names are looked up in pg_catalog
 * only, whatever the caller's search_path. It returns a nesting level, which
 * kg_spi_unpin_path() takes to end the section. All SQL of kg_graph with
 * operators or functions must be in such a section, unless it runs through
 * kg_spi_exec().
 */
extern int kg_spi_pin_path(void);
/*
 * Begins a section in which texts that PostgreSQL makes quote names only if
 * necessary, whatever the caller's quote_all_identifiers. Texts that are
 * compared with stored texts need this. Returns a nesting level, which
 * kg_spi_unpin_path() takes to end the section.
 */
extern int kg_spi_pin_quotes(void);
extern void kg_spi_unpin_path(int nest);

/*
 * Returns the text with each "@kg_name" replaced by the qualified name, in the
 * current context.
 */
extern char *kg_spi_expand(const char *sql);

/*
 * Makes later planning assume this number of rows in kg_graph's tables (0:
 * their real number).  Returns the previous value, which the caller must
 * restore, also after an error.
 */
extern double kg_spi_plan_for(double rows);

/* Installs the planner hook of kg_spi_plan_for() when the module is loaded. */
extern void kg_spi_init(void);

/* Return the value of a column (from 1) and row (from 0) of SPI_tuptable. */
extern Datum kg_spi_value(uint64 row, int column, bool *isnull);
/*
 * Return the value of a column (from 1) and row (from 0) of SPI_tuptable, for
 * columns that are never null.
 */
extern Datum kg_spi_datum(uint64 row, int column);
extern char *kg_spi_cstring(uint64 row, int column);
extern int64 kg_spi_int64(uint64 row, int column);

/* Return a bigint[] and a text[] as parameters; a NULL text is a null. */
extern Datum kg_int64_array(const int64 *values, uint32 n);
extern Datum kg_text_array(const char *const *values, int n);
/*
 * Returns the texts of a text[] (or varchar[]), and sets *n to their number. A
 * null is NULL if nulls is true, and raises an error otherwise.
 */
extern const char **kg_array_texts(ArrayType *array, bool nulls, int *n);

#endif /* KG_SPI_H */
