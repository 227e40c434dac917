/*
 * running.c
 *	  The call that is running: its clock, and where its executors are held.
 *
 * The context of a calling expression is good to hold executors in only where
 * it is that of a query that runs: it goes when the query ends.  PL/pgSQL keeps
 * the state of a simple expression until the transaction is over.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/compat.h"
#include "base/error.h"
#include "base/settings.h"
#include "executor/executor.h"
#include "query/held.h"
#include "query/running.h"

static KgRunning current;
static MemoryContext running_query = NULL;
static ExecutorRun_hook_type next_run = NULL;

static void
run_query(KG_EXECUTOR_RUN_PARAMS)
{
	MemoryContext outer = running_query;

	running_query = desc->estate->es_query_cxt;
	PG_TRY();
	{
		kg_executor_run_next(next_run);
	}
	PG_FINALLY();
	{
		running_query = outer;
	}
	PG_END_TRY();
}

/* A search that an error ended, caught within the call or outside of it. */
static void
at_subtransaction_end(SubXactEvent event, SubTransactionId subid,
					  SubTransactionId parent, void *arg)
{
	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	kg_held_end(NULL);
	if (current.own_host &&
		current.nest_level >= GetCurrentTransactionNestLevel())
		kg_running_end_search(current.host);
}

void
kg_running_init(void)
{
	RegisterSubXactCallback(at_subtransaction_end, NULL);
	next_run = ExecutorRun_hook;
	ExecutorRun_hook = run_query;
}

void
kg_running_enter(KgRunning *outer, MemoryContext host)
{
	*outer = current;
	if (!current.timed)
		current.deadline = kg_setting_max_call_time > 0
							   ? TimestampTzPlusMilliseconds(
									 GetCurrentTimestamp(),
									 kg_setting_max_call_time)
							   : 0;
	current.timed = true;
	current.host = host == running_query ? host : NULL;
	current.own_host = false;
}

void
kg_running_leave(const KgRunning *outer)
{
	/* Only an error leaves it so. */
	if (current.own_host)
		kg_held_abandon(current.host);
	current = *outer;
}

bool
kg_running_late(void)
{
	Assert(current.timed);
	return current.deadline != 0 && GetCurrentTimestamp() > current.deadline;
}

void
kg_running_check(void)
{
	KgError *err;

	if (!kg_running_late())
		return;
	err = kg_error_new(
		KG_TIMEOUT,
		"the call took longer than kg_graph.max_call_time (%d ms)",
		kg_setting_max_call_time);
	kg_error_expected(err,
					  "a narrower question: more filters, fewer hops or a "
					  "smaller limit");
	kg_error_throw(err);
}

MemoryContext
kg_running_host(void)
{
	return current.host;
}

void
kg_running_begin_search(MemoryContext search)
{
	if (current.host != NULL)
		return;
	current.host = search;
	current.own_host = true;
	current.nest_level = GetCurrentTransactionNestLevel();
}

void
kg_running_end_search(MemoryContext search)
{
	if (current.host != search)
		return;
	kg_held_end(search);
	current.host = NULL;
	current.own_host = false;
}
