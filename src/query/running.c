/*
 * running.c
 *	  The call that is running: its clock, and what kg_explain tells of it.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/error.h"
#include "base/settings.h"
#include "query/decisions.h"
#include "query/held.h"
#include "query/running.h"

static KgCall *innermost = NULL; /* ends in kg_entry(), also by an error */

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
}

void
kg_running_enter(KgCall *call)
{
	memset(call, 0, sizeof(*call));
	call->outer = innermost;
	if (innermost != NULL)
	{
		call->deadline = innermost->deadline;
		call->clock = innermost->clock;
		call->clock_ms = innermost->clock_ms;
	}
	innermost = call;
	if (call->outer == NULL && kg_setting_max_call_time > 0)
		kg_running_limit_time("kg_graph.max_call_time",
							  kg_setting_max_call_time);
}

void
kg_running_leave(KgCall *call)
{
	innermost = call->outer;
	kg_decisions_end(call);
}

KgCall *
kg_running_call(void)
{
	return innermost;
}

void
kg_running_limit_time(const char *clock, int ms)
{
	TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), ms);

	if (innermost->deadline != 0 && innermost->deadline <= end)
		return;
	innermost->deadline = end;
	innermost->clock = clock;
	innermost->clock_ms = ms;
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
	err = kg_error_new(KG_TIMEOUT,
					   "the call took longer than %s (%d ms)",
					   innermost->clock,
					   innermost->clock_ms);
	kg_error_expected(err,
					  "a narrower question: more filters, fewer hops or a "
					  "smaller limit");
	kg_error_throw(err);
}
