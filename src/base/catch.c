/*
 * catch.c
 *	  Functions that catch errors.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/catch.h"
#include "base/error.h"
#include "base/json.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "nodes/memnodes.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/wait_event.h"

static Size
bytes_used(MemoryContext context)
{
	static Size of_empty = 0;
	MemoryContextCounters counters = {0};
	Size used;

	/*
	 * The context is nearly always empty. Counting its memory would cost more
	 * than the rest of this function.
	 */
	if (context->isReset && of_empty > 0)
		return of_empty;
	context->methods->stats(context, NULL, NULL, &counters, false);
	used = counters.totalspace - counters.freespace;
	if (context->isReset)
		of_empty = used;
	return used;
}

/*
 * Releases the memory of an empty subtransaction. If any memory was allocated
 * in the subtransaction, such as for a statement's transition tables, its
 * memory context would otherwise remain until the end of the transaction, even
 * if all of it was freed. This would be 8 kB for each call in a loop that
 * writes.
 */
static void
release(MemoryContext of_subtransaction, Size used_when_begun)
{
	if (CurTransactionContext == of_subtransaction &&
		of_subtransaction->firstchild == NULL &&
		bytes_used(of_subtransaction) == used_when_begun)
		MemoryContextReset(of_subtransaction);
	ReleaseCurrentSubTransaction();
}

static ErrorData *
catch_if(bool (*is_caught)(const ErrorData *edata), KgCatch how,
		 void (*work)(void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData *volatile edata = NULL;
	volatile MemoryContext of_subtransaction = NULL;
	volatile Size used = 0;

	if (how != KG_CATCH_MEMORY)
		BeginInternalSubTransaction(NULL);
	if (how == KG_CATCH_KEEP)
	{
		of_subtransaction = CurTransactionContext;
		used = bytes_used(of_subtransaction);
	}
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		work(arg);
		if (how == KG_CATCH_KEEP)
			release(of_subtransaction, used);
		else if (how == KG_CATCH_UNDO)
			RollbackAndReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		edata = CopyErrorData();
		FlushErrorState();
		if (how != KG_CATCH_MEMORY)
			RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	if (edata != NULL && !is_caught(edata))
		ReThrowError(edata);
	return edata;
}

ErrorData *
kg_catch(KgCatch how, void (*work)(void *arg), void *arg)
{
	return catch_if(kg_error_is_answer, how, work, arg);
}

ErrorData *
kg_catch_refusal(KgCatch how, void (*work)(void *arg), void *arg)
{
	return catch_if(kg_error_is_refusal, how, work, arg);
}

/* Maximum number of times that kg_again() calls its work. */
#define KG_TRIES 5
/*
 * Bound of the random wait after a conflict, in milliseconds; doubled with each
 * conflict.
 */
#define KG_STAGGER_MS 5

/*
 * The running try of kg_again(). It is a static variable because triggers that
 * raise errors have no parameter for it.
 */
typedef struct Try
{
	struct Try *outer;
	/* kg_throw_again() raised the error that ended this try */
	bool again;
} Try;

static Try *innermost = NULL;

void
kg_throw_again(KgError *err)
{
	if (innermost)
		innermost->again = true;
	kg_error_throw(err);
}

static bool
met_another(const Try *try, int sqlerrcode)
{
	return sqlerrcode == ERRCODE_T_R_DEADLOCK_DETECTED ||
		   (sqlerrcode == ERRCODE_T_R_SERIALIZATION_FAILURE && try->again);
}

/*
 * Calls work. Returns false if work conflicted with another session and was
 * rolled back.
 */
static bool
try_once(void (*work)(void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	ErrorData *volatile edata = NULL;
	volatile bool met = false;
	Try try = {innermost};

	PG_TRY();
	{
		innermost = &try;
		edata = kg_catch(KG_CATCH_KEEP, work, arg);
		innermost = try.outer;
	}
	PG_CATCH();
	{
		innermost = try.outer;
		/* The subtransaction has been rolled back already. */
		if (!met_another(&try, geterrcode()))
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		met = true;
	}
	PG_END_TRY();
	if (edata != NULL && !met_another(&try, edata->sqlerrcode))
		ReThrowError(edata);
	return !met && edata == NULL;
}

/*
 * Waits for a random time, longer after each conflict, so that sessions that
 * conflicted do not meet again.
 */
static void
stagger(int conflicts)
{
	long ms = 1 + (long) (pg_prng_double(&pg_global_prng_state) *
						  (KG_STAGGER_MS << conflicts));

	(void) WaitLatch(MyLatch,
					 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 ms,
					 PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

void
kg_again(void (*work)(void *arg), void *arg)
{
	for (int i = 1; i < KG_TRIES && !IsolationUsesXactSnapshot(); i++)
	{
		if (try_once(work, arg))
			return;
		stagger(i);
	}
	work(arg);
}

void
kg_again_if_few(void (*work)(void *arg), void *arg)
{
	if (MyProc->subxidStatus.count < PGPROC_MAX_CACHED_SUBXIDS / 2)
		kg_again(work, arg);
	else
		work(arg);
}

void
kg_catch_amend(void (*work)(void *arg),
			   void (*amend)(ErrorData *edata, void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		work(arg);
	}
	PG_CATCH();
	{
		ErrorData *edata;

		MemoryContextSwitchTo(context);
		edata = CopyErrorData();
		FlushErrorState();
		amend(edata, arg);
		ReThrowError(edata);
	}
	PG_END_TRY();
}

typedef struct Below
{
	const char *path;
	void (*work)(void *arg);
	void *arg;
} Below;

static void
work_below(void *arg)
{
	const Below *below = arg;

	below->work(below->arg);
}

static void
place_below(ErrorData *edata, void *arg)
{
	const Below *below = arg;
	const char *path = "";
	Jsonb *detail;
	KgJsonWriter w;

	if (!kg_error_is_ours(edata))
		return;
	detail = kg_json_parse(edata->detail);
	kg_jw_init_object(&w);
	kg_json_each(it, &detail->root)
	{
		if (kg_json_string_is(&it.key, "path"))
			path = kg_json_cstring(&it.value);
		else
			kg_jw_member(&w, &it);
	}
	kg_jw_kstring(&w, "path", psprintf("%s%s", below->path, path));
	detail = kg_jw_finish(&w);
	edata->detail = JsonbToCString(NULL, &detail->root, VARSIZE(detail));
}

void
kg_catch_below(const char *path, void (*work)(void *arg), void *arg)
{
	Below below = {path, work, arg};

	kg_catch_amend(work_below, place_below, &below);
}
