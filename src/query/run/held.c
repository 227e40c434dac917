/*
 * held.c
 *	  Executors held open between the calls of one statement.
 *
 * A held executor is used only if a fresh executor would return equal rows. SQL
 * text, role, security context and row_security must be equal, snapshots must
 * be equal, and the plan must be valid. A held executor has its own resource
 * owner, below the transaction's resource owner, so that the executor survives
 * subtransactions. It also has its own memory context. model/writing.c closes
 * it when the outermost statement ends, and before any utility statement. An
 * abort frees its resource owner and its memory context.
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/identity.h"
#include "base/snapshot.h"
#include "model/writing.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "query/run/held.h"
#include "tcop/dest.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/resowner.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

#define KG_HELD 16
#define KG_OFFERS 16

typedef struct Held
{
	/* value of "uses" at the last use; 0: the slot is free */
	uint64 used;
	const char *sql;
	Oid role;
	int sec_context;
	bool row_security;
	MemoryContext context; /* memory context of all the members below */
	ResourceOwner owner;
	CachedPlan *plan;
	Snapshot snapshot;
	QueryDesc *desc;
	ParamListInfo params;
	/* subtransaction level of the running call; 0: idle */
	int busy;
} Held;

/* The arrays held and offers are empty between transactions. */
static Held held[KG_HELD];
/*
 * A ring buffer of the statements that ran once: a statement gets a held
 * executor when it runs again. A graph tool runs a few statements in turn.
 */
static const char *offers[KG_OFFERS];
static uint64 uses = 0;
static int next_offer = 0;

static void
close_held(Held *h)
{
	ResourceOwner owner = h->owner;
	MemoryContext context = h->context;

	memset(h, 0, sizeof(*h));
	/*
	 * Releases the resources as an abort does, because a commit would warn
	 * about resources that are still open.
	 */
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
	ResourceOwnerDelete(owner);
	MemoryContextDelete(context);
}

void
kg_held_end(void)
{
	for (int i = 0; i < KG_HELD; i++)
		if (held[i].used != 0 && held[i].busy == 0)
			close_held(&held[i]);
	memset(offers, 0, sizeof(offers));
}

/* Closes the executors that an error interrupted in the subtransaction. */
static void
at_subtransaction_end(SubXactEvent event, SubTransactionId subid,
					  SubTransactionId parent, void *arg)
{
	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	for (int i = 0; i < KG_HELD; i++)
		if (held[i].used != 0 &&
			held[i].busy >= GetCurrentTransactionNestLevel())
			close_held(&held[i]);
}

static void
at_transaction_end(XactEvent event, void *arg)
{
	switch ((int) event)
	{
		case XACT_EVENT_PRE_COMMIT:
		case XACT_EVENT_PARALLEL_PRE_COMMIT:
		case XACT_EVENT_PRE_PREPARE:
			for (int i = 0; i < KG_HELD; i++)
				if (held[i].used != 0)
					close_held(&held[i]);
			break;
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PARALLEL_ABORT:
			memset(held, 0, sizeof(held));
			break;
		default:
			break;
	}
	memset(offers, 0, sizeof(offers));
}

static bool
still_good(const Held *h)
{
	Oid role;
	int sec_context;

	GetUserIdAndSecContext(&role, &sec_context);
	return h->role == role && h->sec_context == sec_context &&
		   h->row_security == row_security && h->plan->is_valid &&
		   kg_same_snapshot(h->snapshot, GetActiveSnapshot());
}

static void
set_params(Held *h, const KgStatement *statement)
{
	for (int i = 0; i < statement->nargs; i++)
	{
		h->params->params[i].value = statement->values[i];
		h->params->params[i].isnull = statement->nulls ? statement->nulls[i]
													   : false;
	}
}

/*
 * Runs the executor and passes its rows to the function. All rows are fetched
 * even if the function wants no more, because a scan that reaches its end
 * releases its buffers. A scan under a limit does not reach its end, so it is
 * restarted to release them.
 */
static uint64
fetch_rows(Held *h, KgRowFunction row, void *arg, MemoryContext caller)
{
	PlanState *state = h->desc->planstate;
	MemoryContext query_context = h->desc->estate->es_query_cxt;
	bool more = true;
	uint64 n = 0;

	MemoryContextSwitchTo(query_context);
	ExecReScan(state);
	for (;;)
	{
		TupleTableSlot *slot = ExecProcNode(state);

		if (TupIsNull(slot))
			break;
		if ((++n & 255) == 0)
			CHECK_FOR_INTERRUPTS();
		if (!more)
			continue;
		MemoryContextSwitchTo(caller);
		more = row(slot, arg);
		MemoryContextSwitchTo(query_context);
	}
	if (IsA(state, LimitState))
		ExecReScan(state);
	return n;
}

/* Runs the executor once for each range. */
static uint64
fetch_ranges(Held *h, const KgRanges *ranges, KgRowFunction row, void *arg,
			 MemoryContext caller)
{
	uint64 n = 0;

	for (uint32 i = 0; i < ranges->n; i++)
	{
		if ((i & 255) == 255)
			CHECK_FOR_INTERRUPTS();
		h->params->params[1].value = Int64GetDatum(ranges->ranges[i].first);
		h->params->params[2].value = Int64GetDatum(ranges->ranges[i].last);
		n += fetch_rows(h, row, arg, caller);
	}
	return n;
}

static uint64
run_held(Held *h, const KgStatement *statement, KgRowFunction row, void *arg)
{
	MemoryContext caller = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile uint64 n = 0;

	h->used = ++uses;
	h->busy = GetCurrentTransactionNestLevel();
	if (!statement->plain)
		kg_identity_enter_tool();
	PG_TRY();
	{
		CurrentResourceOwner = h->owner;
		n = statement->ranges != NULL
				? fetch_ranges(h, statement->ranges, row, arg, caller)
				: fetch_rows(h, row, arg, caller);
	}
	PG_FINALLY();
	{
		if (!statement->plain)
			kg_identity_leave_tool();
		CurrentResourceOwner = owner;
		MemoryContextSwitchTo(caller);
	}
	PG_END_TRY();
	h->busy = 0;
	return n;
}

/*
 * Returns the valid, idle executor of a statement, or NULL. Closes an executor
 * that is no longer valid, unless it is running.
 */
static Held *
find_held(const KgStatement *statement)
{
	for (int i = 0; i < KG_HELD; i++)
	{
		Held *h = &held[i];

		if (h->used == 0 || h->busy != 0 || strcmp(h->sql, statement->sql) != 0)
			continue;
		if (still_good(h))
			return h;
		close_held(h);
		return NULL;
	}
	return NULL;
}

bool
kg_held_has(const KgStatement *statement)
{
	return find_held(statement) != NULL;
}

bool
kg_held_run(const KgStatement *statement, KgRowFunction row, void *arg,
			uint64 *nrows)
{
	Held *h = find_held(statement);

	if (h == NULL)
		return false;
	set_params(h, statement);
	*nrows = run_held(h, statement, row, arg);
	return true;
}

static ParamListInfo
copy_params(const KgStatement *statement)
{
	ParamListInfo params = makeParamList(statement->nargs);

	for (int i = 0; i < statement->nargs; i++)
	{
		params->params[i].value = (Datum) 0;
		params->params[i].isnull = true;
		params->params[i].pflags = PARAM_FLAG_CONST;
		params->params[i].ptype = statement->argtypes[i];
	}
	return params;
}

static void
start_held(Held *h, const KgStatement *statement, SPIPlanPtr plan,
		   const char *sql)
{
	ResourceOwner owner = CurrentResourceOwner;
	MemoryContext caller = CurrentMemoryContext;

	memset(h, 0, sizeof(*h));
	h->context = AllocSetContextCreate(
		TopTransactionContext, "kg_graph held executor", ALLOCSET_SMALL_SIZES);
	h->owner = ResourceOwnerCreate(TopTransactionResourceOwner,
								   "kg_graph held");
	h->used = ++uses;
	h->busy = GetCurrentTransactionNestLevel();
	h->row_security = row_security;
	GetUserIdAndSecContext(&h->role, &h->sec_context);
	PG_TRY();
	{
		CurrentResourceOwner = h->owner;
		MemoryContextSwitchTo(h->context);
		h->sql = pstrdup(sql);
		h->plan = SPI_plan_get_cached_plan(plan);
		/* Uses a copy, because the active snapshot may be changed in place. */
		PushCopiedSnapshot(GetActiveSnapshot());
		h->snapshot = RegisterSnapshot(GetActiveSnapshot());
		PopActiveSnapshot();
		h->params = copy_params(statement);
		h->desc = CreateQueryDesc(
			linitial_node(PlannedStmt, h->plan->stmt_list),
			h->sql,
			h->snapshot,
			InvalidSnapshot,
			None_Receiver,
			h->params,
			NULL,
			0);
		ExecutorStart(h->desc, 0);
	}
	PG_FINALLY();
	{
		CurrentResourceOwner = owner;
		MemoryContextSwitchTo(caller);
	}
	PG_END_TRY();
	h->busy = 0;
}

/*
 * Returns whether a rescan reads everything again.
 *
 * An index scan reads everything again, also below a Result or a Limit. A node
 * that caches rows (function scan, sort, subplan) rescans only if it knows that
 * a parameter has changed. It does not know of the parameters that set_params()
 * changes.
 */
static bool
rescans_all(const PlannedStmt *statement)
{
	const Plan *plan = statement->planTree;

	if (statement->subplans != NIL)
		return false;
	if (IsA(plan, Limit))
		plan = plan->lefttree;
	if (plan != NULL && IsA(plan, Result))
		plan = plan->lefttree;
	return plan != NULL && (IsA(plan, IndexScan) || IsA(plan, IndexOnlyScan));
}

/*
 * Returns whether the statement is among the recorded statements, which have
 * run before. If not, records it.
 */
static bool
offered(const char *sql)
{
	for (int i = 0; i < KG_OFFERS; i++)
		if (offers[i] == sql)
			return true;
	offers[next_offer] = sql;
	next_offer = (next_offer + 1) % KG_OFFERS;
	return false;
}

/*
 * Returns a free slot, or NULL if all executors are busy. If no slot is free,
 * closes the least recently used idle executor and returns its slot.
 */
static Held *
find_place(void)
{
	Held *place = NULL;

	for (int i = 0; i < KG_HELD; i++)
		if (held[i].busy == 0 && (place == NULL || held[i].used < place->used))
			place = &held[i];
	if (place != NULL && place->used != 0)
		close_held(place);
	return place;
}

bool
kg_held_again(const char *sql)
{
	return kg_statement_runs() && offered(sql);
}

bool
kg_held_start(const KgStatement *statement, SPIPlanPtr plan, const char *sql)
{
	return kg_held_again(sql) && kg_held_open(statement, plan, sql);
}

bool
kg_held_open(const KgStatement *statement, SPIPlanPtr plan, const char *sql)
{
	static bool registered = false;
	Held *place;
	CachedPlan *cached;
	bool suitable;

	cached = SPI_plan_get_cached_plan(plan);
	suitable = rescans_all(linitial_node(PlannedStmt, cached->stmt_list));
	ReleaseCachedPlan(cached, CurrentResourceOwner);
	place = suitable ? find_place() : NULL;
	if (place == NULL)
		return false;
	if (!registered)
	{
		RegisterXactCallback(at_transaction_end, NULL);
		RegisterSubXactCallback(at_subtransaction_end, NULL);
	}
	registered = true;
	start_held(place, statement, plan, sql);
	return true;
}
