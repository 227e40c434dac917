/*
 * catch.c
 *	  Catching errors.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/catch.h"
#include "base/error.h"
#include "nodes/memnodes.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

static Size
bytes_used(MemoryContext context)
{
	MemoryContextCounters counters = {0};

	context->methods->stats(context, NULL, NULL, &counters, false);
	return counters.totalspace - counters.freespace;
}

/*
 * A subtransaction's memory stays until the transaction is over once anything
 * was allocated in it, such as a statement's transition tables, also where all
 * of that was freed: 8 kB for each call of a loop that writes.
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

ErrorData *
kg_catch(KgCatch how, void (*work)(void *arg), void *arg)
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
	if (edata != NULL && !kg_error_is_answer(edata))
		ReThrowError(edata);
	return edata;
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
