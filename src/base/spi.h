/*
 * spi.h
 *	  SPI for our own maintenance statements: static SQL text, run as whoever
 *	  is the current user, with plans kept per backend.  (What a tool's
 *	  arguments are compiled to goes through query/run/plan.h instead.)
 */
#ifndef KG_SPI_H
#define KG_SPI_H

#include "base/error.h"
#include "base/extension.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"

/*
 * A statement whose text is fixed; every "@kg_name" in it stands for the
 * qualified name.  "@FOR ..." at its end locks what it reads; in a read-only
 * transaction, which may look but writes nothing, it locks nothing.  The plan is
 * kept, per backend, as long as our schema has its name.
 *
 *	  KG_SPI_EXEC("... WHERE tenant = $1 AND source = $2",
 *				  kg_arg_text(tenant),
 *				  kg_arg_int8(source));
 *
 * A macro keeps the plan itself, for the place where it stands; who runs a
 * statement for others is given theirs.
 */
typedef struct KgSaved
{
	SPIPlanPtr plan;
	uint64 schema; /* version of the schema's name */
	bool batch;
	bool locks; /* what "@FOR" stands for in it */
} KgSaved;

/*
 * For statements that look up a batch of keys, given as arrays: planned as if
 * our tables were boundless.  A plan outlives what the statistics say when it
 * is made (nothing, in a new database), and one that reads a tenant's rows once
 * for a handful of expected keys reads them once for each of thousands later.
 *
 *	  KG_BATCH_EXEC("... WHERE tenant = $1 AND source = ANY ($2)", ...);
 */
#define KG_SAVED_BATCH \
	{                  \
		NULL, 0, true  \
	}

/* A parameter: its type is said where its value is. */
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

/* NULL is a null; so are those of an array of texts. */
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
 * Run a statement, inside SPI_connect(); the current memory context is the
 * caller's again afterwards.
 */
#define kg_spi_exec(saved, sql, ...) \
	kg_spi_exec_args(saved, sql, KG_ARGS(__VA_ARGS__))
extern void kg_spi_exec_args(KgSaved *saved, const char *sql, int nargs,
							 const KgArg *args);

/* The same, as the snapshot of the caller has it: what it wrote since is not. */
#define kg_spi_read(saved, sql, ...) \
	kg_spi_read_args(saved, sql, KG_ARGS(__VA_ARGS__))
extern void kg_spi_read_args(KgSaved *saved, const char *sql, int nargs,
							 const KgArg *args);

/*
 * With a snapshot that sees everything committed by now, whatever the isolation
 * level: for checks of referential integrity, which must not miss what a
 * concurrent transaction did.
 */
#define kg_spi_exec_latest(saved, sql, ...) \
	kg_spi_exec_latest_args(saved, sql, KG_ARGS(__VA_ARGS__))
extern void kg_spi_exec_latest_args(KgSaved *saved, const char *sql, int nargs,
									const KgArg *args);

/*
 * The same for rows that are no one's data, such as counters: what the
 * transaction's snapshot does not show is written as well.
 */
#define kg_spi_exec_newest(saved, sql, ...) \
	kg_spi_exec_newest_args(saved, sql, KG_ARGS(__VA_ARGS__))
extern void kg_spi_exec_newest_args(KgSaved *saved, const char *sql, int nargs,
									const KgArg *args);

/* Each of them with a plan of the place where it stands, and for a batch. */
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
 * A statement over arrays, and the same for one element of each: unpacking and
 * joining them is most of what the statement of a single row costs.
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

/* A SELECT that writes nothing and has a tenant, or NULL, as its parameter. */
extern void kg_spi_select_of(KgSaved *saved, const char *sql,
							 const char *tenant);
#define KG_SPI_SELECT_OF(sql, tenant)                  \
	do                                                 \
	{                                                  \
		static KgSaved kg_saved_here;                  \
		kg_spi_select_of(&kg_saved_here, sql, tenant); \
	} while (0)

/*
 * The same, of what goes through all that the tenant has: planned anew, for as
 * much as that is.  A plan for any tenant reads everybody's nodes where few
 * tenants have most.
 */
extern void kg_spi_select_all_of(const char *sql, const char *tenant);

/*
 * A cursor of a statement that is planned so, too, in the caller's SPI
 * connection; read-only, with a tenant as its parameter.
 */
#define kg_spi_cursor(sql, read_only, ...) \
	kg_spi_cursor_args(sql, read_only, KG_ARGS(__VA_ARGS__))
extern Portal kg_spi_cursor_args(const char *sql, bool read_only, int nargs,
								 const KgArg *args);
extern Portal kg_spi_cursor_of(const char *sql, const char *tenant);

/*
 * A SELECT in the order of an index, whose rows are handed out while it runs
 * and not kept: there may be very many.  What is called runs no SQL.
 */
typedef void (*KgSpiRow)(TupleTableSlot *row, void *arg);

#define kg_spi_each(saved, each, arg, sql, ...) \
	kg_spi_each_args(saved, each, arg, sql, KG_ARGS(__VA_ARGS__))
extern void kg_spi_each_args(KgSaved *saved, KgSpiRow each, void *arg,
							 const char *sql, int nargs, const KgArg *args);

/*
 * An INSERT of rows that were not there when it was looked, below one that was.
 * False where the constraint, a key or a foreign key, refuses it after all: the
 * transaction cannot go on, and the caller raises an error of its own.
 */
#define kg_spi_insert(saved, constraint, sql, ...) \
	kg_spi_insert_args(saved, constraint, sql, KG_ARGS(__VA_ARGS__))
extern bool kg_spi_insert_args(KgSaved *saved, const char *constraint,
							   const char *sql, int nargs, const KgArg *args);
/* The same of what inserts otherwise. */
extern bool kg_spi_try_insert(const char *constraint, void (*insert)(void *arg),
							  void *arg);

/*
 * SPI_connect() and SPI_finish() around the reading of what a cache keeps: the
 * newest committed state is read, whatever the caller's snapshot, because the
 * cache outlives it.  In parallel mode, where there is no new snapshot, the
 * caller's serves, and every cache is stale as soon as that mode ends.
 */
extern void kg_spi_begin_load(void);
extern void kg_spi_end_load(void);

/* SPI_connect() and SPI_finish() around what is done as the extension's owner. */
extern void kg_spi_begin_as_owner(KgUserContext *caller);
extern void kg_spi_end_as_owner(const KgUserContext *caller);

/*
 * For what a cache keeps: does the SELECT find a row?  As the owner of the
 * extension, whatever the caller sees.
 */
#define kg_spi_finds(saved, sql, ...) \
	kg_spi_finds_args(saved, sql, KG_ARGS(__VA_ARGS__))
extern bool kg_spi_finds_args(KgSaved *saved, const char *sql, int nargs,
							  const KgArg *args);

/* Only the snapshot of it; PopActiveSnapshot() ends it. */
extern void kg_push_newest_snapshot(void);

/* The same with the state that the caller's snapshot shows. */
extern void kg_spi_begin_load_seen(void);

/*
 * Between the two, names are looked up in pg_catalog only, whatever the
 * caller's search_path.  Every SQL text of ours that is not run through
 * kg_spi_exec() and has an operator or a function in it goes between them.
 */
extern int kg_spi_pin_path(void);
extern void kg_spi_unpin_path(int nest);

/* "@kg_name" replaced by the qualified name, in the current context. */
extern char *kg_spi_expand(const char *sql);

/*
 * Have what is planned from here on be planned for tables of ours of so many
 * rows, or of as many as they have (0); returns what was so before, to be
 * restored also after an error.
 */
extern double kg_spi_plan_for(double rows);

/* Sets the planner's hook for that; when the module is loaded. */
extern void kg_spi_init(void);

/* Value of column (from 1) of row (from 0) of SPI_tuptable. */
extern Datum kg_spi_value(uint64 row, int column, bool *isnull);
/* The same of a column that is never null. */
extern Datum kg_spi_datum(uint64 row, int column);
extern char *kg_spi_cstring(uint64 row, int column);
extern int64 kg_spi_int64(uint64 row, int column);

/* A bigint[] and a text[], as parameters; NULL is a null. */
extern Datum kg_int64_array(const int64 *values, uint32 n);
extern Datum kg_text_array(const char *const *values, int n);

#endif /* KG_SPI_H */
