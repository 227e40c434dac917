/*
 * held.c
 *	  Executors held open between the calls of one statement.
 *
 * A held executor answers only where a fresh one would answer the same: same
 * SQL text, role, security context, row_security, outer statement, an equal
 * snapshot, and a plan that is still valid.  It has a resource owner of its own
 * below the transaction's, so that it survives subtransactions, and a memory
 * context of its own.  It is closed when the context of the calling expression
 * goes, which is when the calling statement ends, and at the latest before
 * commit; an abort takes owner and context away by itself.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/snapshot.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "query/held.h"
#include "query/running.h"
#include "tcop/dest.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/resowner.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#define KG_HELD 8
#define KG_OFFERS 8

typedef struct Held
{
	uint64 id; /* 0: free */
	const char *sql;
	Oid role;
	int sec_context;
	bool row_security;
	MemoryContext host;
	TimestampTz statement;
	MemoryContext context; /* of everything below */
	ResourceOwner owner;
	CachedPlan *plan;
	Snapshot snapshot;
	QueryDesc *desc;
	ParamListInfo params;
	bool busy; /* running, or broken off by an error */
} Held;

/* Calls us when a host goes, whatever it holds by then. */
typedef struct Watch
{
	MemoryContextCallback callback;
	MemoryContext host;
} Watch;

static Held held[KG_HELD];
static uint64 next_id = 1;
static MemoryContext watched[KG_HELD]; /* hosts with a Watch */

/* What was run once, in turn; a graph tool runs a few statements by turns. */
static struct
{
	MemoryContext host;
	const char *sql;
} offers[KG_OFFERS];
static int next_offer = 0;

static void
close_held(Held *h)
{
	ResourceOwner owner = h->owner;
	MemoryContext context = h->context;

	memset(h, 0, sizeof(*h));
	/* Not as a commit: what is still open is expected to be. */
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_LOCKS, false, false);
	ResourceOwnerRelease(owner, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
	ResourceOwnerDelete(owner);
	MemoryContextDelete(context);
}

static void
at_transaction_end(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
		case XACT_EVENT_PARALLEL_PRE_COMMIT:
		case XACT_EVENT_PRE_PREPARE:
			for (int i = 0; i < KG_HELD; i++)
				if (held[i].id != 0)
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

void
kg_held_end(MemoryContext host)
{
	for (int i = 0; i < KG_HELD; i++)
		if (held[i].id != 0 && held[i].host == host)
			close_held(&held[i]);
	for (int i = 0; i < KG_OFFERS; i++)
		if (offers[i].host == host)
			offers[i].host = NULL;
}

void
kg_held_abandon(MemoryContext host)
{
	for (int i = 0; i < KG_HELD; i++)
		if (held[i].id != 0 && held[i].host == host)
			held[i].host = NULL;
}

static void
host_gone(void *arg)
{
	Watch *watch = arg;

	kg_held_end(watch->host);
	for (int i = 0; i < KG_HELD; i++)
		if (watched[i] == watch->host)
			watched[i] = NULL;
}

/*
 * Watch the current host, once: executors come and go by the thousand where a
 * statement writes between its calls.
 */
static void
watch_host(MemoryContext host)
{
	static int next = 0;
	Watch *watch;

	for (int i = 0; i < KG_HELD; i++)
		if (watched[i] == host)
			return;
	watch = MemoryContextAlloc(host, sizeof(Watch));
	watch->host = host;
	watch->callback.func = host_gone;
	watch->callback.arg = watch;
	MemoryContextRegisterResetCallback(host, &watch->callback);
	watched[next] = host;
	next = (next + 1) % KG_HELD;
}

static bool
still_good(const Held *h)
{
	Oid role;
	int sec_context;

	GetUserIdAndSecContext(&role, &sec_context);
	return !h->busy && h->role == role && h->sec_context == sec_context &&
		   h->row_security == row_security &&
		   h->statement == GetCurrentStatementStartTimestamp() &&
		   h->plan->is_valid &&
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
 * Every row is fetched also when the function wants no more: a scan that came
 * to its end has let go of its buffers.
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
			return n;
		if ((++n & 255) == 0)
			kg_plan_check();
		if (!more)
			continue;
		MemoryContextSwitchTo(caller);
		more = row(slot, arg);
		MemoryContextSwitchTo(query_context);
	}
}

static uint64
run_held(Held *h, KgRowFunction row, void *arg)
{
	MemoryContext caller = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile uint64 n = 0;

	h->busy = true;
	kg_plan_enter();
	PG_TRY();
	{
		CurrentResourceOwner = h->owner;
		n = fetch_rows(h, row, arg, caller);
	}
	PG_FINALLY();
	{
		kg_plan_leave();
		CurrentResourceOwner = owner;
		MemoryContextSwitchTo(caller);
	}
	PG_END_TRY();
	h->busy = false;
	return n;
}

bool
kg_held_run(const KgStatement *statement, KgRowFunction row, void *arg,
			uint64 *nrows)
{
	MemoryContext host = kg_running_host();

	if (host == NULL)
		return false;
	for (int i = 0; i < KG_HELD; i++)
	{
		Held *h = &held[i];

		if (h->id == 0 || h->host != host ||
			strcmp(h->sql, statement->sql) != 0)
			continue;
		if (!still_good(h))
		{
			/* One that runs now further up must stay. */
			if (!h->busy)
				close_held(h);
			return false;
		}
		set_params(h, statement);
		*nrows = run_held(h, row, arg);
		return true;
	}
	return false;
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
	MemoryContext host = kg_running_host();

	watch_host(host);
	memset(h, 0, sizeof(*h));
	h->context = AllocSetContextCreate(
		TopTransactionContext, "kg_graph held executor", ALLOCSET_SMALL_SIZES);
	h->owner = ResourceOwnerCreate(TopTransactionResourceOwner,
								   "kg_graph held");
	h->id = next_id++;
	h->busy = true;
	h->host = host;
	h->row_security = row_security;
	h->statement = GetCurrentStatementStartTimestamp();
	GetUserIdAndSecContext(&h->role, &h->sec_context);
	PG_TRY();
	{
		CurrentResourceOwner = h->owner;
		MemoryContextSwitchTo(h->context);
		h->sql = pstrdup(sql);
		h->plan = SPI_plan_get_cached_plan(plan);
		/* A copy, because the active one may be advanced in place. */
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
	h->busy = false;
}

/*
 * Does a rescan look at everything again?  Scans of an index do, below a
 * condition of its own too; what keeps rows (functions, sorts, subplans) only
 * where it knows that a parameter changed, which it does not of ours.
 */
static bool
rescans_all(const PlannedStmt *statement)
{
	const Plan *plan = statement->planTree;

	if (statement->subplans != NIL)
		return false;
	if (IsA(plan, Result))
		plan = plan->lefttree;
	return plan != NULL && (IsA(plan, IndexScan) || IsA(plan, IndexOnlyScan));
}

/* Was it run before for this host?  It is noted for the next time. */
static bool
offered(MemoryContext host, const char *sql)
{
	for (int i = 0; i < KG_OFFERS; i++)
		if (offers[i].host == host && offers[i].sql == sql)
			return true;
	offers[next_offer].host = host;
	offers[next_offer].sql = sql;
	next_offer = (next_offer + 1) % KG_OFFERS;
	return false;
}

bool
kg_held_start(const KgStatement *statement, SPIPlanPtr plan, const char *sql)
{
	static bool registered = false;
	Held *slot = NULL;
	CachedPlan *cached;
	MemoryContext host = kg_running_host();
	bool suitable;

	if (host == NULL || !offered(host, sql))
		return false;
	cached = SPI_plan_get_cached_plan(plan);
	suitable = rescans_all(linitial_node(PlannedStmt, cached->stmt_list));
	ReleaseCachedPlan(cached, CurrentResourceOwner);
	if (!suitable)
		return false;
	for (int i = 0; i < KG_HELD; i++)
		if (held[i].id == 0)
			slot = &held[i];
	if (slot == NULL)
		return false;
	if (!registered)
		RegisterXactCallback(at_transaction_end, NULL);
	registered = true;
	start_held(slot, statement, plan, sql);
	return true;
}
