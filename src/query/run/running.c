/*
 * running.c
 *	  The running call: its clock, its limits, and the data that
 *	  kg_explain reports about it.
 */
#include "postgres.h"

#include <signal.h>

#include "auth/agent.h"
#include "auth/identity.h"
#include "auth/limits.h"
#include "base/error.h"
#include "base/invalidate.h"
#include "base/settings.h"
#include "miscadmin.h"
#include "query/run/running.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timeout.h"

/* The innermost running call. kg_entry() removes it, also after an error. */
static KgCall *innermost = NULL;

void
kg_running_enter(KgCall *call, bool writes)
{
	KgCall *outer = innermost;

	memset(call, 0, sizeof(*call));
	call->writes = writes;
	call->outer = outer;
	innermost = call;
	if (writes)
		return;
	if (outer != NULL && !outer->writes)
	{
		call->clock = outer->clock;
		call->asked = outer->asked;
	}
	else if (kg_setting_max_call_time > 0)
		kg_running_limit_time("kg_graph.max_call_time",
							  kg_setting_max_call_time);
}

void
kg_running_leave(KgCall *call)
{
	innermost = call->outer;
	if (call->context != NULL)
		MemoryContextDelete(call->context);
	if (call->lowered)
		kg_settings_restore();
	kg_place_leave(&call->place);
}

MemoryContext
kg_running_memory(KgCall *call)
{
	if (call->context == NULL)
		call->context = AllocSetContextCreate(
			TopTransactionContext, "kg_graph call", ALLOCSET_SMALL_SIZES);
	return call->context;
}

/*
 * Applies the caller's limits that correspond to settings, except to a call
 * that writes.
 */
static void
lower_settings(KgCall *call)
{
	for (int i = 0; i < KG_NLOWERED; i++)
	{
		int64 most = call->limits->values[kg_limit_of_setting(i)];

		if (most == KG_UNLIMITED || call->writes)
			continue;
		/* A limit of 0 refuses the call later. */
		call->lowered = true;
		kg_settings_lower(i, Max(most, 1));
		if (i == KG_LOWER_CALL_TIME && most > 0)
			kg_running_limit_time("the limit max_call_time", most);
	}
}

void
kg_running_limit(void)
{
	KgCall *call = innermost;
	const char *tenant;

	if (call->outer != NULL || call->limits != NULL || !kg_limits_any())
		return;
	tenant = kg_identity_tenant(KG_ACCESS_READ);
	if (tenant == NULL)
		return;
	call->limits = kg_limits_of_caller(pstrdup(tenant));
	lower_settings(call);
}

/* Milliseconds after which the caller may retry a refused call. */
#define KG_RETRY_AFTER_MS 100

static KG_NORETURN void
throw_refused(const KgLimits *limits, KgLimit limit)
{
	int64 most = limits->values[limit];
	KgError *err;

	if (most == 0)
		err = kg_error_new(KG_LIMIT_EXCEEDED,
						   "the limit %s of the caller is 0, which allows no "
						   "call",
						   kg_limit_name(limit));
	else
		err = kg_error_new(
			KG_LIMIT_EXCEEDED,
			"the caller has more calls at once than the limit %s, " INT64_FORMAT
			", allows",
			kg_limit_name(limit),
			most);
	kg_error_expected(
		err,
		most == 0 ? "a higher limit, set by an admin of the "
					"tenant with kg_set_limits()"
				  : "the same call, sent again when another call has ended");
	if (most > 0)
		kg_error_retry_after(err, KG_RETRY_AFTER_MS);
	kg_error_throw(err);
}

void
kg_running_admit(void)
{
	KgCall *call = innermost;
	const KgLimits *limits = call->limits;
	const KgLimit at_once = KG_LIMIT_CONCURRENT_CALLS;

	if (limits == NULL || call->place.taken)
		return;
	for (int i = 0; i < KG_NLOWERED; i++)
		if (!call->writes && limits->values[kg_limit_of_setting(i)] == 0)
			throw_refused(limits, kg_limit_of_setting(i));
	if (limits->values[at_once] == KG_UNLIMITED)
		return;
	if (!kg_place_take(&call->place,
					   limits->tenant,
					   limits->counted[at_once],
					   limits->values[at_once]))
		throw_refused(limits, at_once);
}

KgCall *
kg_running_call(void)
{
	KgCall *call = innermost;

	while (call != NULL && call->writes)
		call = call->outer;
	return call;
}

bool
kg_running_writes(void)
{
	return innermost != NULL && innermost->writes;
}

static bool
has_catalog(const KgCall *call)
{
	return call->catalog != NULL && call->catalog->role == GetUserId() &&
		   call->catalog_changes == kg_own_changes();
}

const KgCatalog *
kg_running_catalog(void)
{
	KgCall *call = innermost;

	if (call == NULL)
		return kg_catalog_of_caller();
	if (!has_catalog(call))
	{
		call->catalog = kg_catalog_of_caller();
		call->catalog_changes = kg_own_changes();
	}
	return call->catalog;
}

const KgCatalog *
kg_running_catalog_read(void)
{
	const KgCall *call = kg_running_call();
	const char *agent;

	if (call == NULL || !has_catalog(call))
		return NULL;
	agent = kg_identity_agent();
	if ((agent == NULL) != (call->catalog->agent == NULL) ||
		(agent != NULL && strcmp(agent, call->catalog->agent) != 0))
		return NULL;
	return call->catalog;
}

/*
 * The function that a call runs may set another tenant on purpose, so a tenant
 * named by the setting is not compared.
 */
void
kg_running_require_tenant(const char *tenant)
{
	const KgCatalog *catalog = kg_running_catalog_read();
	const char *named = kg_setting_tenant;

	if (catalog == NULL || (named != NULL && named[0] != '\0' &&
							strcmp(named, catalog->tenant) != 0))
		return;
	if (tenant == NULL)
		(void) kg_identity_require(KG_ACCESS_READ);
	else if (strcmp(tenant, catalog->tenant) != 0)
		kg_catalog_throw_named(tenant);
}

void
kg_running_require_bundle(const char *bundle, int len)
{
	const KgCatalog *catalog = kg_running_catalog_read();

	if (catalog == NULL)
		return;
	kg_agent_require(catalog->tenant);
	for (int i = 0; i < catalog->nbundles; i++)
	{
		if (strlen(catalog->bundles[i].name) != len ||
			memcmp(catalog->bundles[i].name, bundle, len) != 0)
			continue;
		KG_THROW(KG_CONFLICT,
				 .message = psprintf("another session removed bundle \"%s\" "
									 "from the agent since the call began",
									 catalog->bundles[i].name),
				 .expected = "the same call, sent again");
	}
}

void
kg_running_begin_tool(void)
{
	KgCall *call = kg_running_call();

	if (call == NULL)
		return;
	call->validity = NULL;
	call->past = NULL;
	call->tool = NULL;
	call->arguments = NULL;
	call->measured = NULL;
}

void
kg_running_measured(const Jsonb *reply, Size size)
{
	KgCall *call = kg_running_call();

	if (call == NULL)
		return;
	call->measured = reply;
	call->measured_size = size;
}

Size
kg_running_size(const Jsonb *reply)
{
	const KgCall *call = kg_running_call();

	return call != NULL && call->measured == reply ? call->measured_size : 0;
}

static void
limit(KgClock *clock, const char *name, int ms)
{
	TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), ms);

	if (clock->end == 0 || clock->end > end)
		*clock = (KgClock){end, name, ms};
}

void
kg_running_limit_time(const char *name, int ms)
{
	limit(&innermost->clock, name, ms);
}

void
kg_running_limit_asked(const char *name, int ms)
{
	limit(&innermost->clock, name, ms);
	limit(&innermost->asked, name, ms);
}

static bool
is_over(const KgClock *clock)
{
	return clock->end != 0 && GetCurrentTimestamp() >= clock->end;
}

bool
kg_running_late(void)
{
	Assert(kg_running_call() != NULL);
	return is_over(&kg_running_call()->clock);
}

static KG_NORETURN void
throw_late(const KgClock *clock)
{
	KG_THROW(KG_TIMEOUT,
			 .message = psprintf("the call took longer than %s (%d ms)",
								 clock->name,
								 clock->ms),
			 .expected = "a narrower question: more filters, fewer hops or a "
						 "smaller limit; or fewer items in one call");
}

/*
 * Work under a timer, with the clock of its call. Nested work uses the earliest
 * end of all enclosing clocks.
 */
typedef struct Timed
{
	const KgClock *clock;
	/* the clock has ended, but the timer's cancel was caught by a function */
	bool met;
	/* nested work has raised KG_TIMEOUT for this clock */
	bool told;
	struct Timed *outer;
} Timed;

/*
 * Milliseconds until the timer cancels again, if a user's function caught the
 * cancel.
 */
#define KG_AGAIN_MS 50

/* A value of QueryCancelPending: the timer alone requested the cancel. */
#define KG_BY_TIMER 2

static Timed *timed = NULL; /* the innermost work, or NULL */
static TimeoutId timer;
/* the timer has expired since it was set */
static volatile sig_atomic_t expired = false;
/* a cancel other than the timer's has come */
static volatile sig_atomic_t cancelled = false;
static struct sigaction server_cancel;

/*
 * Requests a cancel when the timer expires. Runs in a signal handler, like the
 * handler of statement_timeout. If no cancel is pending, an earlier cancel was
 * raised and did not end the work; so the timer alone requests the new one.
 */
static void
expire(void)
{
	expired = true;
	if (!QueryCancelPending)
	{
		cancelled = false;
		QueryCancelPending = KG_BY_TIMER;
	}
	InterruptPending = true;
	SetLatch(MyLatch);
}

/*
 * Records that a cancel other than the timer's has come, and calls the server's
 * handler. All such cancels come by SIGINT.
 */
static void
note_cancel(int signal, siginfo_t *info, void *context)
{
	cancelled = true;
	if (server_cancel.sa_flags & SA_SIGINFO)
		server_cancel.sa_sigaction(signal, info, context);
	else
		server_cancel.sa_handler(signal);
}

static void
watch_cancels(void)
{
	struct sigaction action;

	sigaction(SIGINT, NULL, &server_cancel);
	if ((server_cancel.sa_flags & SA_SIGINFO) == 0 &&
		(server_cancel.sa_handler == SIG_DFL ||
		 server_cancel.sa_handler == SIG_IGN))
		return;
	action = server_cancel;
	action.sa_flags |= SA_SIGINFO;
	action.sa_sigaction = note_cancel;
	sigaction(SIGINT, &action, NULL);
}

/*
 * Sets the timer for the earliest end that was not reported yet. The timer
 * fires repeatedly, because a user's function may catch the cancel and
 * continue.
 */
static void
set_timer(void)
{
	TimestampTz end = 0;

	for (const Timed *at = timed; at != NULL; at = at->outer)
		if (!at->told && at->clock->end != 0 &&
			(end == 0 || at->clock->end < end))
			end = at->clock->end;
	expired = false;
	if (end != 0)
		enable_timeout_every(timer, end, KG_AGAIN_MS);
	else
		disable_timeout(timer, false);
}

static void
begin_timed(Timed *here)
{
	static bool registered = false;

	if (!registered)
	{
		timer = RegisterTimeout(USER_TIMEOUT, expire);
		watch_cancels();
	}
	registered = true;
	if (timed == NULL)
		cancelled = QueryCancelPending;
	/* The timer's cancel was raised, but did not end the work. */
	else if (expired && QueryCancelPending != KG_BY_TIMER)
		for (Timed *at = timed; at != NULL; at = at->outer)
			at->met |= is_over(at->clock);
	here->outer = timed;
	timed = here;
	set_timer();
}

/*
 * Withdraws the pending cancel of the timer. If another cancel has also
 * arrived, a cancel remains pending.
 */
static void
take_back(void)
{
	if (QueryCancelPending != KG_BY_TIMER)
		return;
	QueryCancelPending = false;
	if (cancelled)
		QueryCancelPending = true;
}

/*
 * Removes the innermost work and sets the timer for the enclosing work. Returns
 * whether the time of the removed work is over.
 */
static bool
end_timed(const Timed *here)
{
	bool late;

	disable_timeout(timer, false);
	late = (expired || here->met) && !here->told && is_over(here->clock);
	take_back();
	timed = here->outer;
	if (timed != NULL)
		set_timer();
	return late;
}

/*
 * Raises KG_TIMEOUT. Enclosing work of the same clock is not cancelled again.
 */
static KG_NORETURN void
tell_late(const KgClock *clock)
{
	for (Timed *at = timed; at != NULL; at = at->outer)
		at->told |= at->clock == clock;
	if (timed != NULL)
	{
		disable_timeout(timer, false);
		take_back();
		set_timer();
	}
	throw_late(clock);
}

void
kg_running_timed(void (*work)(void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	const KgClock *clock = &innermost->clock;
	Timed here = {clock};

	if (timed != NULL && timed->told && timed->clock == clock)
		throw_late(clock);
	begin_timed(&here);
	PG_TRY();
	{
		work(arg);
	}
	PG_CATCH();
	{
		if (!end_timed(&here) || cancelled ||
			geterrcode() != ERRCODE_QUERY_CANCELED)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		tell_late(clock);
	}
	PG_END_TRY();
	if (end_timed(&here))
	{
		CHECK_FOR_INTERRUPTS();
		tell_late(clock);
	}
}

void
kg_running_read(void (*work)(void *arg), void *arg)
{
	KgCall call;

	kg_running_enter(&call, false);
	PG_TRY();
	{
		kg_running_timed(work, arg);
	}
	PG_FINALLY();
	{
		kg_running_leave(&call);
	}
	PG_END_TRY();
}

static void
set_clock(KgCall *call, KgClock clock)
{
	call->clock = clock;
	if (timed != NULL)
		set_timer();
}

void
kg_running_writing(void (*work)(void *arg), void *arg)
{
	KgCall *volatile call = kg_running_call();
	KgClock clock = call->clock;
	TimestampTz begun = GetCurrentTimestamp();

	set_clock(call, call->asked);
	PG_TRY();
	{
		work(arg);
	}
	PG_FINALLY();
	{
		if (clock.end != 0)
			clock.end += GetCurrentTimestamp() - begun;
		if (call->asked.end != 0 && call->asked.end < clock.end)
			clock = call->asked;
		set_clock(call, clock);
	}
	PG_END_TRY();
}

/*
 * A function that a registered tool runs may call tools by name, so outer calls
 * are checked too.
 */
void
kg_running_begin_registered(void)
{
	for (const KgCall *call = innermost->outer; call; call = call->outer)
		if (call->registered)
			kg_error_throw(
				kg_error_new(KG_INVALID_INPUT,
							 "registered tools cannot call registered tools"));
	innermost->registered = true;
}

void
kg_running_end_registered(void)
{
	innermost->registered = false;
}

void
kg_running_set_function(KgFunctionRuns function)
{
	innermost->function = function;
}

KgFunctionRuns
kg_running_function(void)
{
	for (const KgCall *call = innermost; call; call = call->outer)
		if (call->function != KG_NO_FUNCTION)
			return call->function;
	return KG_NO_FUNCTION;
}
