/*
 * entry.c
 *	  What is around every SQL function that runs a tool's statements.
 */
#include "postgres.h"

#include "entry.h"

static Datum
run(FunctionCallInfo fcinfo, void *arg)
{
	KgEntryBody body = *(KgEntryBody *) arg;
	Jsonb *volatile result = NULL;
	KgCall call;

	kg_running_enter(&call);
	PG_TRY();
	{
		result = body(fcinfo, &call);
	}
	PG_FINALLY();
	{
		kg_running_leave(&call);
	}
	PG_END_TRY();
	if (result == NULL)
		PG_RETURN_NULL();
	PG_RETURN_JSONB_P(result);
}

Datum
kg_entry(FunctionCallInfo fcinfo, int audit, KgEntryBody body)
{
	if (likely(kg_setting_audit == KG_AUDIT_OFF))
		return run(fcinfo, &body);
	return kg_audit_run(fcinfo, audit, run, &body);
}
