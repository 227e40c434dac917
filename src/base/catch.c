/*
 * catch.c
 *	  Catching errors.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/catch.h"
#include "base/error.h"
#include "utils/resowner.h"

ErrorData *
kg_catch(KgCatch how, void (*work)(void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData *volatile edata = NULL;

	if (how != KG_CATCH_MEMORY)
		BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		work(arg);
		if (how == KG_CATCH_KEEP)
			ReleaseCurrentSubTransaction();
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
