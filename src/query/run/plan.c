/*
 * plan.c
 *	  Saved plans: the only module that runs a tool's SQL.
 *
 * Plans are cached by SQL text, role and row_security, so a plan made under one
 * role's policies is never used for another role. Every plan is generic: the
 * statements of sql.c are written so that one plan suits all values, and
 * planning costs more than most calls. Plans are made under fixed planner
 * settings (see plan_settings). Otherwise a plan made while a table is small
 * would be a sequential scan and stay one.
 *
 * Statements on tables of the user are the exception: their indexes and values
 * are not known, so PostgreSQL plans each run with the values.  A statement
 * that selects rows by ids alone has a generic plan for each tenant.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/identity.h"
#include "base/cache.h"
#include "base/compat_explain.h"
#include "base/extension.h"
#include "base/settings.h"
#include "base/spi.h"
#include "model/catalog.h"
#include "catalog/namespace.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "executor/spi_priv.h"
#include "miscadmin.h"
#include "model/writing.h"
#include "storage/lmgr.h"
#include "query/run/decisions.h"
#include "query/run/held.h"
#include "query/run/plan.h"
#include "query/run/running.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/resowner.h"
#include "utils/rls.h"

typedef struct PlanEntry
{
	KgCacheEntry entry; /* cache entry; its hash is the hash of the SQL text */
	Oid role;
	bool row_security;
	const char *sql;
	/* tenant of the statement (KgStatement.tenant), or NULL */
	const char *tenant;
	SPIPlanPtr plan;
	MemoryContextCallback gone;
} PlanEntry;

/*
 * Returns the size in bytes of the plan, which has memory contexts of its own.
 */
static Size
bytes_of_plan(const void *entry)
{
	const SPIPlanPtr plan = ((const PlanEntry *) entry)->plan;
	const CachedPlanSource *source = linitial(plan->plancache_list);
	Size bytes = MemoryContextMemAllocated(plan->plancxt, true) +
				 MemoryContextMemAllocated(source->context, true);

	if (source->gplan != NULL)
		bytes += MemoryContextMemAllocated(source->gplan->context, true);
	return bytes;
}

/*
 * Entries never become stale: PostgreSQL analyzes a text again when a table
 * changes.
 */
static KgCache plans = {.name = "plan",
						.most = &kg_setting_plan_cache_size,
						.stale = KG_STALE_NEVER,
						.elsewhere = bytes_of_plan};

/*
 * Planner settings and table size for all plans, so that a plan does not depend
 * on the rows stored when it was made.
 *
 * For a small table the planner would read all rows of a tenant and compare
 * each with a list. Such a plan would remain in use after the table has grown.
 * With far more rows than KG_PLANNED_ROWS, an index scan could appear to cost
 * more than the penalty for the disabled sequential scan.
 */
#define KG_PLANNED_ROWS 1e8

static const char *const plan_settings[][2] = {
	{"enable_indexscan", "on"},
	{"enable_indexonlyscan", "on"},
	{"enable_nestloop", "on"},
	{"enable_sort", "on"},
	{"enable_seqscan", "off"},
	{"enable_bitmapscan", "off"},
	{"enable_hashjoin", "off"},
	{"enable_mergejoin", "off"},
	{"enable_material", "off"},
	{"enable_memoize", "off"},
	{"jit", "off"},
};

static bool
is_plan(const void *entry, const void *key)
{
	const PlanEntry *kept = entry;
	const KgStatement *statement = key;

	return kept->role == GetUserId() && kept->row_security == row_security &&
		   strcmp(kept->sql, statement->sql) == 0 &&
		   (kept->tenant == NULL || statement->tenant == NULL
				? kept->tenant == statement->tenant
				: strcmp(kept->tenant, statement->tenant) == 0);
}

static void
free_plan(void *arg)
{
	PlanEntry *gone = arg;

	if (gone->plan)
		SPI_freeplan(gone->plan);
}

/*
 * Declares the plan valid for the caller's search_path.
 *
 * A statement is analyzed with names resolved in pg_catalog only, so its plan
 * is valid under any search_path. Without this, the plan cache would analyze it
 * again under the caller's search_path. Pinning search_path for each execution
 * instead would cost a sixth of a kg_get().
 */
static void
adopt_search_path(SPIPlanPtr plan)
{
	CachedPlanSource *source = linitial(plan->plancache_list);
	List *schemas;

	if (source->search_path == NULL || kg_search_path_is(source->search_path))
		return;
	schemas = source->search_path->schemas;
	pfree(source->search_path);
	source->search_path = kg_present_search_path(source->query_context);
	list_free(schemas);
}

/* Makes the generic plan now, under plan_settings. */
static void
build_generic_plan(SPIPlanPtr plan)
{
	int nest = NewGUCNestLevel();
	double before = kg_spi_plan_for(KG_PLANNED_ROWS);

	for (int i = 0; i < lengthof(plan_settings); i++)
		(void) set_config_option(plan_settings[i][0],
								 plan_settings[i][1],
								 PGC_USERSET,
								 PGC_S_SESSION,
								 GUC_ACTION_SAVE,
								 true,
								 0,
								 false);
	PG_TRY();
	{
		ReleaseCachedPlan(SPI_plan_get_cached_plan(plan), CurrentResourceOwner);
	}
	PG_FINALLY();
	{
		(void) kg_spi_plan_for(before);
	}
	PG_END_TRY();
	AtEOXact_GUC(true, nest);
}

static PlanEntry *
make_entry(uint64 hash, const KgStatement *statement)
{
	PlanEntry *made = kg_cache_make(&plans, sizeof(*made));
	SPIPlanPtr plan = SPI_prepare_cursor(
		statement->sql,
		statement->nargs,
		(Oid *) statement->argtypes,
		statement->foreign && !statement->by_ids ? CURSOR_OPT_CUSTOM_PLAN
												 : CURSOR_OPT_GENERIC_PLAN);

	if (plan == NULL)
		elog(ERROR,
			 "could not prepare a statement: %s",
			 SPI_result_code_string(SPI_result));
	if (!SPI_is_cursor_plan(plan))
		elog(ERROR, "a tool's statement must be a SELECT");
	made->role = GetUserId();
	made->row_security = row_security;
	made->sql = MemoryContextStrdup(made->entry.context, statement->sql);
	if (statement->tenant != NULL)
		made->tenant = MemoryContextStrdup(made->entry.context,
										   statement->tenant);
	made->gone.func = free_plan;
	made->gone.arg = made;
	MemoryContextRegisterResetCallback(made->entry.context, &made->gone);
	if (SPI_keepplan(plan) != 0)
		elog(ERROR, "could not keep a plan");
	made->plan = plan;
	kg_cache_keep(&plans, made, hash);
	return made;
}

static uint64
hash_sql(const KgStatement *statement)
{
	return hash_bytes_extended(
		(const unsigned char *) statement->sql, strlen(statement->sql), 0);
}

/*
 * Returns whether the plan is valid, and remains so until it runs. Locks its
 * relations before it looks, as the plan cache does. Otherwise the plan cache
 * could wait for a lock, find the plan invalid, and analyze the statement under
 * the caller's search_path.
 */
static bool
is_valid(const PlanEntry *entry)
{
	const CachedPlanSource *source = linitial(entry->plan->plancache_list);
	ListCell *lc;

	foreach(lc, source->relationOids)
		LockRelationOid(lfirst_oid(lc), AccessShareLock);
	return SPI_plan_is_valid(entry->plan);
}

/*
 * Returns the statement's entry with a valid plan. It is pinned in the memory
 * context of the SPI connection, because the statement may run others that
 * evict it from the cache.
 */
static PlanEntry *
fetch_entry(const KgStatement *statement)
{
	uint64 hash = hash_sql(statement);
	PlanEntry *entry = kg_cache_find(&plans, hash, is_plan, statement);

	if (entry == NULL || !is_valid(entry))
	{
		int nest = kg_spi_pin_path();

		if (entry == NULL)
			entry = make_entry(hash, statement);
		kg_cache_pin(entry, CurrentMemoryContext);
		/* Both calls analyze the text again, if necessary. */
		if (statement->foreign)
			ReleaseCachedPlan(SPI_plan_get_cached_plan(entry->plan),
							  CurrentResourceOwner);
		else
			build_generic_plan(entry->plan);
		kg_spi_unpin_path(nest);
	}
	kg_cache_pin(entry, CurrentMemoryContext);
	adopt_search_path(entry->plan);
	return entry;
}

/* A DestReceiver that passes the rows of SPI to a function. */
typedef struct RowReceiver
{
	DestReceiver pub;
	KgRowFunction row;
	void *arg;
	MemoryContext caller;
	uint64 nrows;
} RowReceiver;

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	MemoryContext executor;
	bool more;

	receiver->nrows++;
	executor = MemoryContextSwitchTo(receiver->caller);
	more = receiver->row(slot, receiver->arg);
	MemoryContextSwitchTo(executor);
	return more;
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

static void
receiver_end(DestReceiver *self)
{
}

/* Stores a copy of a statement for kg_explain, once for each text. */
static void
record_statement(KgExplained *explained, const KgStatement *statement)
{
	MemoryContext old;
	KgStatement *copy;
	ListCell *lc;

	foreach(lc, explained->statements)
		if (strcmp(((KgStatement *) lfirst(lc))->sql, statement->sql) == 0)
			return;
	old = MemoryContextSwitchTo(explained->context);
	copy = palloc0(sizeof(*copy));
	copy->sql = pstrdup(statement->sql);
	copy->nargs = statement->nargs;
	copy->foreign = statement->foreign;
	copy->by_ids = statement->by_ids;
	if (statement->tenant != NULL)
		copy->tenant = pstrdup(statement->tenant);
	if (statement->nargs > 0)
	{
		Oid *types = palloc(statement->nargs * sizeof(Oid));

		memcpy(types, statement->argtypes, statement->nargs * sizeof(Oid));
		copy->argtypes = types;
	}
	explained->statements = lappend(explained->statements, copy);
	MemoryContextSwitchTo(old);
}

static ParamListInfo
make_params(const KgStatement *statement)
{
	ParamListInfo params;

	if (statement->nargs == 0)
		return NULL;
	params = makeParamList(statement->nargs);
	for (int i = 0; i < statement->nargs; i++)
	{
		ParamExternData *param = &params->params[i];

		param->value = statement->values[i];
		param->isnull = statement->nulls ? statement->nulls[i] : false;
		param->pflags = PARAM_FLAG_CONST;
		param->ptype = statement->argtypes[i];
	}
	return params;
}

static uint64 run(const KgStatement *statement, KgRowFunction row, void *arg);

/*
 * Runs the statement for each range separately. It is used if the held executor
 * was closed after kg_plan_holds().
 */
static uint64
run_ranges(const KgStatement *statement, KgRowFunction row, void *arg)
{
	const KgRanges *ranges = statement->ranges;
	uint64 n = 0;

	for (uint32 i = 0; i < ranges->n; i++)
	{
		Datum values[] = {statement->values[0],
						  Int64GetDatum(ranges->ranges[i].first),
						  Int64GetDatum(ranges->ranges[i].last)};
		KgStatement one = *statement;

		Assert(statement->nargs == lengthof(values));
		one.values = values;
		one.ranges = NULL;
		n += run(&one, row, arg);
	}
	return n;
}

static uint64
run(const KgStatement *statement, KgRowFunction row, void *arg)
{
	RowReceiver receiver;
	SPIExecuteOptions options;
	PlanEntry *entry;
	volatile int result;

	if (statement->hold && kg_held_run(statement, row, arg, &receiver.nrows))
		return receiver.nrows;
	if (statement->ranges != NULL)
		return run_ranges(statement, row, arg);
	memset(&receiver, 0, sizeof(receiver));
	receiver.pub.receiveSlot = receive_row;
	receiver.pub.rStartup = receiver_startup;
	receiver.pub.rShutdown = receiver_end;
	receiver.pub.rDestroy = receiver_end;
	/* With DestNone, SPI would return SPI_OK_UTILITY for a SELECT. */
	receiver.pub.mydest = DestTuplestore;
	receiver.row = row;
	receiver.arg = arg;
	receiver.caller = CurrentMemoryContext;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	entry = fetch_entry(statement);
	if (statement->hold && kg_held_start(statement, entry->plan, entry->sql))
	{
		MemoryContext connected = MemoryContextSwitchTo(receiver.caller);
		bool done = kg_held_run(statement, row, arg, &receiver.nrows);

		MemoryContextSwitchTo(connected);
		if (done)
		{
			SPI_finish();
			return receiver.nrows;
		}
	}
	memset(&options, 0, sizeof(options));
	options.params = make_params(statement);
	options.read_only = true;
	options.dest = &receiver.pub;
	kg_identity_enter_tool();
	PG_TRY();
	{
		result = SPI_execute_plan_extended(entry->plan, &options);
	}
	PG_FINALLY();
	{
		kg_identity_leave_tool();
	}
	PG_END_TRY();
	if (result != SPI_OK_SELECT)
		elog(ERROR,
			 "a tool's statement failed: %s",
			 SPI_result_code_string(result));
	SPI_finish();
	return receiver.nrows;
}

/*
 * Number of wanted nodes from which on an executor is opened although the
 * statement has not run before within the caller's statement.
 */
#define MANY 256

bool
kg_plan_holds(const KgStatement *statement)
{
	const PlanEntry *entry;
	bool held;

	if (kg_held_has(statement))
		return true;
	if (!kg_statement_runs() || (!kg_held_again(statement->sql) &&
								 kg_ranges_wanted(statement->ranges) < MANY))
		return false;
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	entry = fetch_entry(statement);
	held = kg_held_open(statement, entry->plan, entry->sql);
	SPI_finish();
	return held;
}

static bool
entry_reads_entities(const PlanEntry *entry)
{
	const CachedPlanSource *source = linitial(entry->plan->plancache_list);

	return list_member_oid(source->relationOids,
						   kg_relation_oid("kg_entity")) ||
		   list_member_oid(source->relationOids, kg_relation_oid("kg_history"));
}

/*
 * Returns whether the statement reads kg_entity, directly or through a policy,
 * or kg_history.
 */
static bool
reads_entities(const KgStatement *statement)
{
	PlanEntry *entry = kg_cache_find(
		&plans, hash_sql(statement), is_plan, statement);
	bool reads;

	if (entry != NULL && SPI_plan_is_valid(entry->plan))
		return entry_reads_entities(entry);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	reads = entry_reads_entities(fetch_entry(statement));
	SPI_finish();
	return reads;
}

/*
 * Returns whether the code runs as the owner of the extension
 * (kg_become_owner()). The owner needs no decisions.
 */
static bool
runs_as_owner(void)
{
	Oid role;
	int sec_context;

	GetUserIdAndSecContext(&role, &sec_context);
	return (sec_context & SECURITY_NOFORCE_RLS) != 0;
}

/*
 * Returns whether the statement may read entities that are visible only by a
 * decision.
 */
static bool
needs_decisions(const KgStatement *statement)
{
	const char *tenant;

	if (!kg_catalog_ever_authorizes || runs_as_owner())
		return false;
	tenant = kg_identity_tenant(KG_ACCESS_READ);
	return tenant != NULL && kg_catalog_get(tenant)->authorizes &&
		   reads_entities(statement);
}

/* The rows of a trial, which may have to be discarded. */
typedef struct TrialRows
{
	const KgDecisions *decisions;
	MemoryContext context;
	TupleDesc desc;
	List *rows; /* list of MinimalTuple */
} TrialRows;

static bool
keep_row(TupleTableSlot *slot, void *arg)
{
	TrialRows *trial = arg;
	MemoryContext old;

	if (kg_decisions_in_vain(trial->decisions))
		return true;
	old = MemoryContextSwitchTo(trial->context);
	if (trial->desc == NULL)
		trial->desc = CreateTupleDescCopy(slot->tts_tupleDescriptor);
	trial->rows = lappend(trial->rows, ExecCopySlotMinimalTuple(slot));
	MemoryContextSwitchTo(old);
	return true;
}

/* Returns the node in a column of the row. */
static int64
node_of(TupleTableSlot *slot, int column)
{
	return DatumGetInt64(kg_slot_datum(slot, column));
}

/*
 * Passes the rows to the function. If column is not 0, only rows whose node is
 * allowed are passed.
 */
static uint64
deliver_rows(const TrialRows *trial, int column, KgRowFunction row, void *arg)
{
	TupleTableSlot *slot;
	ListCell *lc;
	uint64 n = 0;

	if (trial->rows == NIL)
		return 0;
	slot = MakeSingleTupleTableSlot(trial->desc, &TTSOpsMinimalTuple);
	foreach(lc, trial->rows)
	{
		ExecStoreMinimalTuple(lfirst(lc), slot, false);
		if (column > 0 &&
			!kg_decisions_allow_node(trial->decisions, node_of(slot, column)))
			continue;
		n++;
		if (!row(slot, arg))
			break;
	}
	ExecDropSingleTupleTableSlot(slot);
	return n;
}

static void
try_statement(KgDecisions *decisions, const KgStatement *statement, int trials,
			  TrialRows *trial)
{
	trial->desc = NULL;
	trial->rows = NIL;
	kg_decisions_try(decisions, statement, trials);
	PG_TRY();
	{
		(void) run(statement, keep_row, trial);
	}
	PG_FINALLY();
	{
		kg_decisions_tried(decisions);
	}
	PG_END_TRY();
}

/*
 * Runs a statement in trials, until a trial has assumed the correct decision
 * for each entity that it read (query/run/decisions.h). If each row belongs to
 * one entity, the first trial suffices.
 */
static uint64
run_decided(const KgStatement *statement, KgRowFunction row, void *arg)
{
	KgDecisions *decisions = kg_decisions_of_call(kg_running_call());
	TrialRows trial = {decisions,
					   AllocSetContextCreate(CurrentMemoryContext,
											 "kg_graph trial",
											 ALLOCSET_DEFAULT_SIZES)};
	int column = 0;
	uint64 n;

	for (int trials = 0;; trials++)
	{
		try_statement(decisions, statement, trials, &trial);
		if (kg_decisions_settle(decisions))
			break;
		column = statement->node_column;
		if (column > 0)
			break;
		MemoryContextReset(trial.context);
	}
	if (kg_decisions_exhausted(decisions) && !statement->lower_bound)
		kg_decisions_throw_exhausted();
	n = deliver_rows(&trial, column, row, arg);
	MemoryContextDelete(trial.context);
	return n;
}

uint64
kg_plan_run(const KgStatement *statement, KgRowFunction row, void *arg)
{
	KgExplained *explained = kg_running_call()->explained;

	CHECK_FOR_INTERRUPTS();
	if (explained != NULL)
		record_statement(explained, statement);
	kg_audit_statement(statement->sql);
	return needs_decisions(statement) ? run_decided(statement, row, arg)
									  : run(statement, row, arg);
}

static bool
take_int64(TupleTableSlot *slot, void *arg)
{
	bool isnull;
	Datum value = slot_getattr(slot, 1, &isnull);

	if (!isnull)
		*(int64 *) arg = DatumGetInt64(value);
	return false;
}

int64
kg_plan_run_int64(const KgStatement *statement)
{
	int64 result = 0;

	(void) kg_plan_run(statement, take_int64, &result);
	return result;
}

int64
kg_plan_count_rows(const KgStatement *statement, bool *all)
{
	const KgCall *call = kg_running_call();
	int64 result = kg_plan_run_int64(statement);

	*all = call->decisions == NULL || !kg_decisions_exhausted(call->decisions);
	return result;
}

char *
kg_plan_explain(const KgStatement *statement)
{
	MemoryContext caller = CurrentMemoryContext;
	ExplainState *es = NewExplainState();
	PlanEntry *entry;
	CachedPlan *cplan;
	ListCell *lc;
	char *text;

	es->costs = false;
	es->format = EXPLAIN_FORMAT_TEXT;
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	entry = fetch_entry(statement);
	cplan = SPI_plan_get_cached_plan(entry->plan);
	foreach(lc, cplan->stmt_list)
	{
		PlannedStmt *planned = lfirst_node(PlannedStmt, lc);

		kg_explain_plan(planned, es, statement->sql);
	}
	ReleaseCachedPlan(cplan, CurrentResourceOwner);
	text = MemoryContextStrdup(caller, es->str->data);
	SPI_finish();
	return text;
}
