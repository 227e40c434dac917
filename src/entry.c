/*
 * entry.c
 *	  What is around every SQL function that runs a tool's statements.
 */
#include "postgres.h"

#include "entry.h"
#include "query/running.h"

Datum
kg_entry(FunctionCallInfo fcinfo, KgEntryBody body)
{
	Jsonb *volatile result = NULL;
	KgRunning outer;

	kg_running_enter(&outer);
	PG_TRY();
	{
		result = body(fcinfo);
	}
	PG_FINALLY();
	{
		kg_running_leave(&outer);
	}
	PG_END_TRY();
	if (result == NULL)
		PG_RETURN_NULL();
	PG_RETURN_JSONB_P(result);
}
