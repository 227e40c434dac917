/*
 * running.c
 *	  The call that is running, and the statements around it.
 *
 * What is held open for the calls of a statement (query/held.c) ends with the
 * outermost one: PL/pgSQL keeps the state of its expressions until the
 * transaction is over.  A utility statement meets nothing that is held, since
 * DDL needs the tables for itself.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/compat.h"
#include "base/error.h"
#include "base/settings.h"
#include "executor/executor.h"
#include "query/held.h"
#include "query/running.h"
#include "tcop/utility.h"

static KgCall *innermost = NULL; /* ends in kg_entry(), also by an error */
static int depth = 0; /* of statements that run; 0 as well between them */
static ExecutorRun_hook_type next_run = NULL;
static ExecutorFinish_hook_type next_finish = NULL;
static ProcessUtility_hook_type next_utility = NULL;

/* Around what runs within a statement; an error ends what is held otherwise. */
#define WITHIN_STATEMENT(what) \
	do                         \
	{                          \
		depth++;               \
		PG_TRY();              \
		{                      \
			what;              \
		}                      \
		PG_FINALLY();          \
		{                      \
			depth--;           \
		}                      \
		PG_END_TRY();          \
		if (depth == 0)        \
			kg_held_end();     \
	} while (0)

static void
run_query(KG_EXECUTOR_RUN_PARAMS)
{
	WITHIN_STATEMENT(kg_executor_run_next(next_run));
}

static void
finish_query(QueryDesc *desc)
{
	WITHIN_STATEMENT(
		(next_finish ? next_finish : standard_ExecutorFinish)(desc));
}

static void
run_utility(PlannedStmt *statement, const char *source, bool read_only_tree,
			ProcessUtilityContext context, ParamListInfo params,
			QueryEnvironment *environment, DestReceiver *dest,
			QueryCompletion *completion)
{
	kg_held_end();
	WITHIN_STATEMENT(
		(next_utility ? next_utility : standard_ProcessUtility)(statement,
																source,
																read_only_tree,
																context,
																params,
																environment,
																dest,
																completion));
}

static void
at_subtransaction_end(SubXactEvent event, SubTransactionId subid,
					  SubTransactionId parent, void *arg)
{
	if (event == SUBXACT_EVENT_ABORT_SUB)
		kg_held_end_broken(GetCurrentTransactionNestLevel());
}

void
kg_running_init(void)
{
	RegisterSubXactCallback(at_subtransaction_end, NULL);
	next_run = ExecutorRun_hook;
	ExecutorRun_hook = run_query;
	next_finish = ExecutorFinish_hook;
	ExecutorFinish_hook = finish_query;
	next_utility = ProcessUtility_hook;
	ProcessUtility_hook = run_utility;
}

bool
kg_running_within_statement(void)
{
	return depth > 0;
}

void
kg_running_enter(KgCall *call)
{
	memset(call, 0, sizeof(*call));
	if (innermost != NULL)
		call->deadline = innermost->deadline;
	else if (kg_setting_max_call_time > 0)
		call->deadline = TimestampTzPlusMilliseconds(GetCurrentTimestamp(),
													 kg_setting_max_call_time);
	call->outer = innermost;
	innermost = call;
}

void
kg_running_leave(KgCall *call)
{
	innermost = call->outer;
}

KgCall *
kg_running_call(void)
{
	return innermost;
}

bool
kg_running_late(void)
{
	Assert(innermost != NULL);
	return innermost->deadline != 0 &&
		   GetCurrentTimestamp() > innermost->deadline;
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
