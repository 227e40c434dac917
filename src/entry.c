/*
 * entry.c
 *	  What is around every SQL function that runs a tool's statements, or writes.
 */
#include "postgres.h"

#include "entry.h"
#include "executor/spi.h"

typedef struct Entry
{
	KgEntryBody body;
	bool open; /* limits itself */
	bool writes;
} Entry;

static Datum
run(FunctionCallInfo fcinfo, void *arg)
{
	const Entry *entry = arg;
	Jsonb *volatile result = NULL;
	MemoryContext caller = CurrentMemoryContext;
	KgCall call;

	kg_running_enter(&call, entry->writes);
	PG_TRY();
	{
		if (!entry->open)
		{
			kg_running_limit();
			kg_running_admit();
		}
		/* The result of a write belongs to the caller too. */
		if (entry->writes)
			SPI_connect();
		MemoryContextSwitchTo(caller);
		result = entry->body(fcinfo, &call);
		if (entry->writes)
			SPI_finish();
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

static Datum
run_audited(FunctionCallInfo fcinfo, int audit, Entry *entry)
{
	if (likely(kg_setting_audit == KG_AUDIT_OFF))
		return run(fcinfo, entry);
	return kg_audit_run(fcinfo, audit, run, entry);
}

Datum
kg_entry(FunctionCallInfo fcinfo, int audit, KgEntryBody body)
{
	Entry entry = {.body = body};

	return run_audited(fcinfo, audit, &entry);
}

Datum
kg_entry_open(FunctionCallInfo fcinfo, int audit, KgEntryBody body)
{
	Entry entry = {.body = body, .open = true};

	return run_audited(fcinfo, audit, &entry);
}

/* Recorded by who calls this. */
Datum
kg_entry_write(FunctionCallInfo fcinfo, KgEntryBody body)
{
	Entry entry = {.body = body, .writes = true};

	return run(fcinfo, &entry);
}
