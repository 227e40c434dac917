/*
 * entry.c
 *	  Wrappers of SQL functions that write or run a tool's statements.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/json.h"
#include "entry.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "store/idempotency.h"
#include "utils/builtins.h"
#include "utils/guc.h"

typedef struct Entry
{
	KgEntryBody body;
	bool open; /* the body applies the limits itself */
	bool writes;
	/* Index of the argument that may have an idempotency key, or -1. */
	int options;
	/* the first argument names the type of the items in the reply */
	bool of_type;
} Entry;

/*
 * Runs the body of a write and returns its reply. If the options have an
 * idempotency key that was used before, returns the stored reply instead. A dry
 * run has no effect, so it is always run.
 */
static Jsonb *
write_once(FunctionCallInfo fcinfo, const Entry *entry, KgCall *call)
{
	int place = entry->options;
	const Jsonb *options = place < 0 ? NULL : PG_GETARG_JSONB_P(place);
	const char *key = NULL;
	KgRequest request;
	Jsonb *reply;

	if (options && JB_ROOT_IS_OBJECT(options))
		key = kg_idempotency_key(options);
	if (key == NULL || kg_json_is_true(&options->root, "dry_run"))
		return entry->body(fcinfo, call);
	reply = kg_idempotency_begin(&request, key, fcinfo);
	if (reply != NULL && entry->of_type)
		return kg_idempotency_seen(text_to_cstring(PG_GETARG_TEXT_PP(0)),
								   reply);
	if (reply != NULL)
		return reply;
	reply = entry->body(fcinfo, call);
	kg_idempotency_keep(&request, reply);
	return reply;
}

typedef struct Reading
{
	KgEntryBody body;
	FunctionCallInfo fcinfo;
	KgCall *call;
	Jsonb *result;
} Reading;

static void
read_in_time(void *arg)
{
	Reading *it = arg;

	it->result = it->body(it->fcinfo, it->call);
}

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
		if (entry->writes)
		{
			/* The result is allocated in the caller's context. */
			SPI_connect();
			MemoryContextSwitchTo(caller);
			result = write_once(fcinfo, entry, &call);
			SPI_finish();
		}
		else if (entry->open)
			result = entry->body(fcinfo, &call);
		else
		{
			Reading reading = {entry->body, fcinfo, &call};

			kg_running_timed(read_in_time, &reading);
			result = reading.result;
		}
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

/*
 * Runs the body of a write and returns its reply. The SQL function that calls
 * this function records the call.
 */
Datum
kg_entry_write(FunctionCallInfo fcinfo, KgEntryBody body, int options)
{
	Entry entry = {.body = body, .writes = true, .options = options};

	return run(fcinfo, &entry);
}

Datum
kg_entry_write_type(FunctionCallInfo fcinfo, KgEntryBody body, int options)
{
	Entry entry = {
		.body = body, .writes = true, .options = options, .of_type = true};

	return run(fcinfo, &entry);
}

void
kg_contained(void (*work)(void *arg), void *arg)
{
	Oid userid;
	int sec_context;
	int nest = NewGUCNestLevel();
	bool read_only = XactReadOnly;
	KgCall *call = kg_running_call();

	call->contained = true;
	call->read_only = read_only;
	GetUserIdAndSecContext(&userid, &sec_context);
	SetUserIdAndSecContext(userid,
						   sec_context | SECURITY_LOCAL_USERID_CHANGE |
							   SECURITY_RESTRICTED_OPERATION);
	XactReadOnly = true;
	work(arg);
	XactReadOnly = read_only;
	SetUserIdAndSecContext(userid, sec_context);
	AtEOXact_GUC(false, nest);
}
