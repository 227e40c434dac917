/*
 * spi.c
 *	  SPI for kg_graph's own statements.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/compat.h"
#include "base/extension.h"
#include "base/invalidate.h"
#include "base/spi.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "jit/jit.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/plancat.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/selfuncs.h"
#include "utils/snapmgr.h"

char *
kg_spi_expand(const char *sql)
{
	StringInfoData out;

	initStringInfo(&out);
	while (*sql)
	{
		const char *at = strstr(sql, "@kg_");
		int len;

		if (at == NULL)
		{
			appendStringInfoString(&out, sql);
			break;
		}
		appendBinaryStringInfo(&out, sql, at - sql);
		len = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_");
		appendStringInfoString(&out, kg_qualified(pnstrdup(at + 1, len)));
		sql = at + 1 + len;
	}
	return out.data;
}

/*
 * Turns the "@FOR ..." at the end of the text into a row-locking clause, or
 * removes it if locks is false. Changes and returns the text.
 */
static char *
with_locks(char *sql, bool locks)
{
	char *at = strstr(sql, "@FOR ");

	if (at == NULL)
		return sql;
	if (locks)
		*at = ' ';
	else
		*at = '\0';
	return sql;
}

/*
 * Stale plans to free when the transaction ends. A stale plan may still be
 * executing at an outer level, if a trigger's statement fires the trigger
 * again.
 */
static List *retired = NIL;

static void
free_retired(XactEvent event, void *arg)
{
	ListCell *lc;

	if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT)
		return;
	foreach(lc, retired)
		SPI_freeplan(lfirst(lc));
	list_free(retired);
	retired = NIL;
}

static void
retire(SPIPlanPtr plan)
{
	static bool registered = false;
	MemoryContext old = MemoryContextSwitchTo(TopMemoryContext);

	if (!registered)
		RegisterXactCallback(free_retired, NULL);
	registered = true;
	retired = lappend(retired, plan);
	MemoryContextSwitchTo(old);
}

/*
 * Most statements of kg_graph run as the owner, so they must not find an
 * operator that the caller made in its own schema. A saved plan is analyzed
 * again whenever search_path differs, so the path is also pinned for execution.
 */
#define KG_PINNED_PATH "pg_catalog, pg_temp"

/* Sets a setting until the end of a new nesting level, which is returned. */
static int
pin(const char *name, const char *value)
{
	int nest = NewGUCNestLevel();

	(void) set_config_option(name,
							 value,
							 PGC_USERSET,
							 PGC_S_SESSION,
							 GUC_ACTION_SAVE,
							 true,
							 0,
							 false);
	return nest;
}

int
kg_spi_pin_path(void)
{
	if (strcmp(namespace_search_path, KG_PINNED_PATH) == 0)
		return 0;
	return pin("search_path", KG_PINNED_PATH);
}

int
kg_spi_pin_quotes(void)
{
	return quote_all_identifiers ? pin("quote_all_identifiers", "off") : 0;
}

void
kg_spi_unpin_path(int nest)
{
	if (nest > 0)
		AtEOXact_GUC(true, nest);
}

/*
 * Returns the saved plan of a statement, and prepares it first if necessary.
 * The text names kg_graph's tables with their schema, so a plan is prepared
 * again if the schema is renamed. After any other change, PostgreSQL itself
 * analyzes a saved plan again.
 */
static SPIPlanPtr
saved_plan(KgSaved *saved, const char *sql, int nargs, const KgArg *args)
{
	uint64 schema = kg_extension_schema_version();
	bool locks = !XactReadOnly;
	Oid types[KG_MAX_ARGS];
	SPIPlanPtr plan;

	if (saved->plan != NULL && saved->schema == schema &&
		(saved->locks == locks || strstr(sql, "@FOR ") == NULL))
		return saved->plan;
	if (saved->plan != NULL)
	{
		SPIPlanPtr old = saved->plan;

		saved->plan = NULL;
		retire(old);
	}

	for (int i = 0; i < nargs; i++)
		types[i] = args[i].type;
	plan = SPI_prepare_cursor(with_locks(kg_spi_expand(sql), locks),
							  nargs,
							  types,
							  CURSOR_OPT_GENERIC_PLAN);
	if (plan == NULL)
		elog(ERROR,
			 "could not prepare \"%s\": %s",
			 sql,
			 SPI_result_code_string(SPI_result));
	SPI_keepplan(plan);
	saved->plan = plan;
	saved->schema = schema;
	saved->locks = locks;
	return plan;
}

static KG_RELATION_HOOK_TYPE next_relation_info = NULL;
static get_relation_stats_hook_type next_relation_stats = NULL;
static double planned_rows = 0;

double
kg_spi_plan_for(double rows)
{
	double before = planned_rows;

	planned_rows = rows;
	return before;
}

/*
 * An assumed number of rows of a table. A prefix of four b-tree columns without
 * statistics, each assumed to have 200 values, is then still estimated to
 * select more rows than a batch has.
 */
#define KG_BATCH_ROWS 1e13
#define KG_ROWS_A_PAGE 50
#define KG_MOST_PAGES 4000000000U

static void
sized_tables(KG_RELATION_HOOK_PARAMS)
{
	BlockNumber pages = Min(planned_rows / KG_ROWS_A_PAGE, KG_MOST_PAGES);
	Oid table = KG_RELATION_HOOK_TABLE;
	ListCell *lc;

	if (next_relation_info)
		next_relation_info(KG_RELATION_HOOK_ARGS);
	if (planned_rows == 0 || !OidIsValid(table) ||
		get_rel_namespace(table) != kg_extension_schema())
		return;
	rel->tuples = planned_rows;
	rel->pages = pages;
	foreach(lc, rel->indexlist)
	{
		IndexOptInfo *index = lfirst(lc);

		index->tuples = planned_rows;
		index->pages = pages;
	}
}

/*
 * Returns whether the statistics of a column describe other tenants or types
 * rather than those of the caller. If most tenants have only a row or two, the
 * statistics suggest that the caller's tenant has a row or two.
 */
static bool
tells_of_others(Oid relation, AttrNumber attnum)
{
	char *name = get_attname(relation, attnum, true);

	return name != NULL &&
		   (strcmp(name, "tenant") == 0 || strcmp(name, "type_no") == 0);
}

/*
 * Hook of the planner. Returns true, so that the planner finds no statistics,
 * for a column whose statistics would mislead it. In a statement with a batch
 * of keys, these are all columns of kg_graph's tables.
 *
 * Statistics describe all tenants, and a plan is used long after the statistics
 * have changed. For example, if all edges led to one node when the plan was
 * made, the plan would later read all edges for each written entity.
 */
static bool
unknown_columns(PlannerInfo *root, RangeTblEntry *rte, AttrNumber attnum,
				VariableStatData *variable)
{
	if (planned_rows > 0 && rte->rtekind == RTE_RELATION &&
		get_rel_namespace(rte->relid) == kg_extension_schema() &&
		(planned_rows == KG_BATCH_ROWS || tells_of_others(rte->relid, attnum)))
	{
		variable->statsTuple = NULL;
		return true;
	}
	return next_relation_stats &&
		   next_relation_stats(root, rte, attnum, variable);
}

void
kg_spi_init(void)
{
	next_relation_info = KG_RELATION_HOOK;
	KG_RELATION_HOOK = sized_tables;
	next_relation_stats = get_relation_stats_hook;
	get_relation_stats_hook = unknown_columns;
}

/* The mode of running a statement. */
typedef struct How
{
	bool read_only;
	bool newest; /* uses the newest snapshot, at any isolation level */
	/* raises 40001 for rows that the transaction's snapshot does not show */
	bool crosschecked;
	/* receives the rows, which are not stored; or NULL */
	DestReceiver *dest;
} How;

static int
hand_out(SPIPlanPtr plan, int nargs, const KgArg *args, const How *how)
{
	SPIExecuteOptions options = {.params = makeParamList(nargs),
								 .read_only = how->read_only,
								 .dest = how->dest};

	for (int i = 0; i < nargs; i++)
	{
		ParamExternData *param = &options.params->params[i];

		param->value = args[i].value;
		param->isnull = args[i].isnull;
		param->pflags = PARAM_FLAG_CONST;
		param->ptype = args[i].type;
	}
	return SPI_execute_plan_extended(plan, &options);
}

static int
execute(SPIPlanPtr plan, int nargs, const KgArg *args, const How *how)
{
	Datum values[KG_MAX_ARGS];
	char nulls[KG_MAX_ARGS];
	Snapshot snapshot = InvalidSnapshot;
	Snapshot crosscheck = InvalidSnapshot;

	if (how->dest)
		return hand_out(plan, nargs, args, how);
	for (int i = 0; i < nargs; i++)
	{
		values[i] = args[i].value;
		nulls[i] = args[i].isnull ? 'n' : ' ';
	}
	/*
	 * As in ri_PerformCheck(), the snapshot is taken here, after any waits of
	 * the preparation.
	 */
	if (how->newest && IsolationUsesXactSnapshot())
	{
		CommandCounterIncrement();
		snapshot = GetLatestSnapshot();
		if (how->crosschecked)
			crosscheck = GetTransactionSnapshot();
	}
	return SPI_execute_snapshot(
		plan, values, nulls, snapshot, crosscheck, how->read_only, true, 0);
}

/*
 * Executes a plan with settings for its planning, which SPI_execute_snapshot()
 * does first. Returns the code of that function.
 *
 * JIT is off: for large tables the planner would have every statement compiled,
 * which takes longer than running it. If "batch" is true, the planner assumes
 * very large tables (KG_BATCH_ROWS). Hash and merge joins are then off, because
 * they would read two such tables completely although keys lead from one table
 * to the other. Rows for a callback come from an index, in the order of the
 * index and without the rows of other tenants.
 */
static int
execute_as_planned(bool batch, SPIPlanPtr plan, int nargs, const KgArg *args,
				   const How *how)
{
	double outer = kg_spi_plan_for(batch ? KG_BATCH_ROWS : 0);
	bool jit = jit_enabled;
	bool hashjoin = enable_hashjoin;
	bool mergejoin = enable_mergejoin;
	bool seqscan = enable_seqscan;
	bool sort = enable_sort;
	int rc;

	jit_enabled = false;
	if (batch)
		enable_hashjoin = enable_mergejoin = false;
	if (how->dest)
		enable_seqscan = enable_sort = false;
	PG_TRY();
	{
		rc = execute(plan, nargs, args, how);
	}
	PG_FINALLY();
	{
		planned_rows = outer;
		jit_enabled = jit;
		enable_hashjoin = hashjoin;
		enable_mergejoin = mergejoin;
		enable_seqscan = seqscan;
		enable_sort = sort;
	}
	PG_END_TRY();
	return rc;
}

void
kg_push_newest_snapshot(void)
{
	/*
	 * Parallel mode allows no new snapshot, so the caller's snapshot is used,
	 * and caches become stale when parallel mode ends.
	 */
	if (IsInParallelMode())
	{
		kg_invalidate_after_parallel_mode();
		PushActiveSnapshot(GetActiveSnapshot());
	}
	else
		PushActiveSnapshot(GetLatestSnapshot());
}

void
kg_spi_begin_load(void)
{
	kg_push_newest_snapshot();
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
}

void
kg_spi_begin_load_seen(void)
{
	PushActiveSnapshot(GetActiveSnapshot());
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
}

void
kg_spi_end_load(void)
{
	SPI_finish();
	PopActiveSnapshot();
}

void
kg_spi_begin_as_owner(KgUserContext *caller)
{
	kg_become_owner(caller);
	SPI_connect();
}

void
kg_spi_end_as_owner(const KgUserContext *caller)
{
	SPI_finish();
	kg_restore_user(caller);
}

static void
run(KgSaved *saved, const char *sql, int nargs, const KgArg *args,
	const How *how)
{
	MemoryContext caller = CurrentMemoryContext;
	int nest = kg_spi_pin_path();
	SPIPlanPtr plan;
	int rc;

	Assert(nargs <= KG_MAX_ARGS);
	plan = saved_plan(saved, sql, nargs, args);
	rc = execute_as_planned(saved->batch, plan, nargs, args, how);
	kg_spi_unpin_path(nest);
	if (rc < 0)
		elog(ERROR, "\"%s\" returned %s", sql, SPI_result_code_string(rc));
	MemoryContextSwitchTo(caller);
	/*
	 * SPI_OK_REWRITTEN means that a rule of the DBA rewrote a statement of
	 * kg_graph.
	 */
	if (rc != SPI_OK_REWRITTEN)
		return;
	KG_THROW(KG_FORBIDDEN,
			 .message = "a rule on a table of kg_graph rewrites the statement",
			 .expected = "triggers instead of rules on these tables");
}

void
kg_spi_exec_args(KgSaved *saved, const char *sql, int nargs, const KgArg *args)
{
	run(saved, sql, nargs, args, &(How){.read_only = false});
}

void
kg_spi_read_args(KgSaved *saved, const char *sql, int nargs, const KgArg *args)
{
	run(saved, sql, nargs, args, &(How){.read_only = true});
}

void
kg_spi_exec_latest_args(KgSaved *saved, const char *sql, int nargs,
						const KgArg *args)
{
	run(saved, sql, nargs, args, &(How){.newest = true, .crosschecked = true});
}

void
kg_spi_exec_newest_args(KgSaved *saved, const char *sql, int nargs,
						const KgArg *args)
{
	run(saved, sql, nargs, args, &(How){.newest = true});
}

void
kg_spi_select_of(KgSaved *saved, const char *sql, const char *tenant)
{
	kg_spi_read(saved, sql, kg_arg_text(tenant));
}

void
kg_spi_select_all_of(const char *sql, const char *tenant)
{
	static const How how = {.read_only = true};
	KgArg arg = kg_arg_text(tenant);
	int nest = kg_spi_pin_path();
	/*
	 * The plan has no parallel workers, like the plans of all statements of
	 * kg_graph.
	 */
	SPIPlanPtr plan = SPI_prepare_cursor(
		kg_spi_expand(sql), 1, &arg.type, CURSOR_OPT_CUSTOM_PLAN);
	int rc = execute_as_planned(false, plan, 1, &arg, &how);

	kg_spi_unpin_path(nest);
	if (rc != SPI_OK_SELECT)
		elog(ERROR, "\"%s\" returned %s", sql, SPI_result_code_string(rc));
	SPI_freeplan(plan);
}

Portal
kg_spi_cursor_args(const char *sql, bool read_only, int nargs,
				   const KgArg *args)
{
	Oid types[KG_MAX_ARGS];
	Datum values[KG_MAX_ARGS];
	volatile Portal portal = NULL;
	bool jit = jit_enabled;
	int nest = kg_spi_pin_path();

	for (int i = 0; i < nargs; i++)
	{
		types[i] = args[i].type;
		values[i] = args[i].value;
	}
	/*
	 * SPI_cursor_open_with_args() plans the statement now, so jit_enabled is
	 * set only for this call. Rows are fetched with this plan.
	 */
	jit_enabled = false;
	PG_TRY();
	{
		portal = SPI_cursor_open_with_args(
			NULL, kg_spi_expand(sql), nargs, types, values, NULL, read_only, 0);
	}
	PG_FINALLY();
	{
		jit_enabled = jit;
	}
	PG_END_TRY();
	kg_spi_unpin_path(nest);
	return portal;
}

Portal
kg_spi_cursor_of(const char *sql, const char *tenant)
{
	return kg_spi_cursor(sql, true, kg_arg_text(tenant));
}

bool
kg_spi_finds_args(KgSaved *saved, const char *sql, int nargs, const KgArg *args)
{
	KgUserContext user;
	bool found;

	kg_become_owner(&user);
	kg_spi_begin_load();
	kg_spi_read_args(saved, sql, nargs, args);
	found = SPI_processed > 0;
	kg_spi_end_load();
	kg_restore_user(&user);
	return found;
}

typedef struct RowReceiver
{
	DestReceiver pub;
	KgSpiRow each;
	void *arg;
	MemoryContext caller;
} RowReceiver;

static bool
receive_row(TupleTableSlot *row, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	MemoryContext executor = MemoryContextSwitchTo(receiver->caller);

	CHECK_FOR_INTERRUPTS();
	receiver->each(row, receiver->arg);
	MemoryContextSwitchTo(executor);
	return true;
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

static void
receiver_end(DestReceiver *self)
{
}

static void
run_each(KgSaved *saved, KgSpiRow each, void *arg, const char *sql, int nargs,
		 const KgArg *args, bool read_only)
{
	RowReceiver receiver = {{receive_row,
							 receiver_startup,
							 receiver_end,
							 receiver_end,
							 DestTuplestore},
							each,
							arg,
							CurrentMemoryContext};

	run(saved, sql, nargs, args, &(How){read_only, .dest = &receiver.pub});
}

void
kg_spi_each_args(KgSaved *saved, KgSpiRow each, void *arg, const char *sql,
				 int nargs, const KgArg *args)
{
	run_each(saved, each, arg, sql, nargs, args, false);
}

void
kg_spi_read_each_args(KgSaved *saved, KgSpiRow each, void *arg, const char *sql,
					  int nargs, const KgArg *args)
{
	run_each(saved, each, arg, sql, nargs, args, true);
}

bool
kg_spi_try_insert(const char *constraint, void (*insert)(void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	volatile bool inserted = true;

	PG_TRY();
	{
		insert(arg);
	}
	PG_CATCH();
	{
		ErrorData *edata;

		MemoryContextSwitchTo(context);
		edata = CopyErrorData();
		if ((edata->sqlerrcode != ERRCODE_UNIQUE_VIOLATION &&
			 edata->sqlerrcode != ERRCODE_FOREIGN_KEY_VIOLATION) ||
			edata->constraint_name == NULL ||
			strcmp(edata->constraint_name, constraint) != 0)
			PG_RE_THROW();
		FlushErrorState();
		inserted = false;
	}
	PG_END_TRY();
	return inserted;
}

typedef struct Insertion
{
	KgSaved *saved;
	const char *sql;
	int nargs;
	const KgArg *args;
} Insertion;

static void
run_insertion(void *arg)
{
	const Insertion *insertion = arg;

	kg_spi_exec_args(
		insertion->saved, insertion->sql, insertion->nargs, insertion->args);
}

bool
kg_spi_insert_args(KgSaved *saved, const char *constraint, const char *sql,
				   int nargs, const KgArg *args)
{
	Insertion insertion = {saved, sql, nargs, args};

	return kg_spi_try_insert(constraint, run_insertion, &insertion);
}

KgArg
kg_arg_text(const char *value)
{
	KgArg arg = {TEXTOID, value == NULL, (Datum) 0};

	if (value)
		arg.value = CStringGetTextDatum(value);
	return arg;
}

KgArg
kg_arg_jsonb(const Jsonb *value)
{
	return (KgArg){JSONBOID, value == NULL, JsonbPGetDatum(value)};
}

Datum
kg_spi_value(uint64 row, int column, bool *isnull)
{
	return SPI_getbinval(
		SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, isnull);
}

Datum
kg_spi_datum(uint64 row, int column)
{
	bool isnull;

	return kg_spi_value(row, column, &isnull);
}

char *
kg_spi_cstring(uint64 row, int column)
{
	return SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column);
}

int64
kg_spi_int64(uint64 row, int column)
{
	bool isnull;
	Datum value = kg_spi_value(row, column, &isnull);

	return isnull ? 0 : DatumGetInt64(value);
}

/*
 * Returns the numbers as a bigint[]. Writes the array directly, because
 * construct_array() would need an array of Datums.
 */
Datum
kg_int64_array(const int64 *values, uint32 n)
{
	Size size = ARR_OVERHEAD_NONULLS(1) + (Size) n * sizeof(int64);
	ArrayType *array;

	if (n == 0)
		return PointerGetDatum(construct_empty_array(INT8OID));
	array = palloc(size);
	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->dataoffset = 0;
	array->elemtype = INT8OID;
	ARR_DIMS(array)[0] = (int) n;
	ARR_LBOUND(array)[0] = 1;
	memcpy(ARR_DATA_PTR(array), values, (Size) n * sizeof(int64));
	return PointerGetDatum(array);
}

Datum
kg_text_array(const char *const *values, int n)
{
	Datum *texts = palloc(Max(1, n) * sizeof(Datum));
	bool *nulls = palloc(Max(1, n) * sizeof(bool));
	int lower = 1;

	for (int i = 0; i < n; i++)
	{
		nulls[i] = values[i] == NULL;
		texts[i] = nulls[i] ? (Datum) 0 : CStringGetTextDatum(values[i]);
	}
	return PointerGetDatum(construct_md_array(
		texts, nulls, 1, &n, &lower, TEXTOID, -1, false, TYPALIGN_INT));
}

const char **
kg_array_texts(ArrayType *array, bool nulls, int *n)
{
	Datum *items;
	bool *missing;
	const char **texts;

	deconstruct_array(array,
					  ARR_ELEMTYPE(array),
					  -1,
					  false,
					  TYPALIGN_INT,
					  &items,
					  nulls ? &missing : NULL,
					  n);
	texts = palloc(Max(1, *n) * sizeof(char *));
	for (int i = 0; i < *n; i++)
		texts[i] = nulls && missing[i] ? NULL : TextDatumGetCString(items[i]);
	return texts;
}

KgArg
kg_arg_int8s(const int64 *values, uint32 n)
{
	return kg_arg(INT8ARRAYOID, kg_int64_array(values, n));
}

KgArg
kg_arg_texts(const char *const *values, int n)
{
	return kg_arg(TEXTARRAYOID, kg_text_array(values, n));
}
