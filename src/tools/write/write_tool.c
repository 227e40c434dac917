/*
 * write_tool.c
 *	  The generated tools that write: arguments, access, and the reply.
 *
 *	  While the server handles a message of a gateway, kg_contained()
 *	  (src/entry.h) prevents writes. A tool that writes first checks the
 *	  caller's access, then lifts this restriction while it writes. If it
 *	  raises an error, the abort of the call's subtransaction restores the
 *	  restriction.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "auth/audit.h"
#include "auth/identity.h"
#include "base/catch.h"
#include "base/error.h"
#include "base/json.h"
#include "model/writer.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "query/run/decisions.h"
#include "query/run/running.h"
#include "store/idempotency.h"
#include "store/entity/put.h"
#include "store/merge/merge.h"
#include "tools/write/confirm.h"
#include "tools/input/input.h"
#include "tools/write/write_errors.h"
#include "tools/write/write_schema.h"
#include "tools/write/write_tool.h"
#include "virtual/write.h"

typedef struct WriteCall
{
	const KgTool *tool;
	const Jsonb *arguments;
	KgInput input;
	KgRepairs repairs;
	const JsonbContainer *items;
	const char *key; /* the argument idempotency_key, or NULL */
	bool atomic;
	bool dry_run;
	KgWriter writer;
	KgConfirm confirm;
	KgOutcomes *outcomes;
	Jsonb *reply;
} WriteCall;

/* Returns the name of the argument that contains the array of items. */
static const char *
items_argument(const WriteCall *call)
{
	switch (call->tool->operation)
	{
		case KG_EXPOSE_DELETE:
			return "ids";
		case KG_EXPOSE_MERGE:
			return "others";
		default:
			return "items";
	}
}

/* ---- arguments ---- */

char *
kg_write_reason(const KgInput *in)
{
	char *reason = kg_input_string(in, "reason");
	JsonbValue got;

	if (reason == NULL || pg_mbstrlen(reason) <= KG_MAX_REASON_CHARS)
		return reason;
	got = kg_json_string_value(reason);
	kg_error_throw(kg_args_error(
		kg_input_path(in, "reason"),
		&got,
		psprintf("a string of at most %d characters", KG_MAX_REASON_CHARS)));
}

static void
read_arguments(WriteCall *call)
{
	const KgInput *in = &call->input;

	kg_input_open(&call->input,
				  call->arguments,
				  kg_write_input_template(call->tool),
				  &call->repairs);
	call->items = kg_input_array(in, items_argument(call), "items");
	call->dry_run = kg_input_bool(in, "dry_run");
	call->atomic = call->tool->operation == KG_EXPOSE_MERGE ||
				   !kg_input_has(in, "atomic") || kg_input_bool(in, "atomic");
	call->writer.tool = call->tool->name;
	call->writer.reason = kg_write_reason(in);
}

static void
report_twice(KgOutcomes *outcomes, int i)
{
	const char *id = outcomes->items[i].id;
	KgError *err;

	for (int j = 0; j < i; j++)
	{
		if (outcomes->items[j].id == NULL ||
			strcmp(outcomes->items[j].id, id) != 0)
			continue;
		err = kg_error_new(
			KG_INVALID_INPUT, "id \"%s\" is among the ids twice", id);
		kg_error_path(err, "/ids/%d", i);
		kg_error_got_string(err, id);
		kg_error_expected(err, "each id once");
		kg_outcome_error(&outcomes->items[i], err);
		return;
	}
}

/*
 * Reads the ids of the entities to delete. Returns an array with the expected
 * version of each entity; 0 means any version.
 */
static int64 *
read_ids(const WriteCall *call)
{
	static const char *const known[] = {"id", "expected_version", NULL};
	KgOutcomes *outcomes = call->outcomes;
	int64 *expected = palloc0(Max(1, outcomes->n) * sizeof(int64));

	kg_json_each(it, call->items)
	{
		KgOutcome *outcome = &outcomes->items[it.index];
		char *path = psprintf("/ids/%d", it.index);
		JsonbValue id = it.value;

		if (kg_json_is_object(&it.value))
		{
			const JsonbContainer *object = kg_json_container(&it.value);

			kg_check_members(object, known, path, &outcome->errors);
			expected[it.index] = kg_patch_version(object, path, outcome);
			path = psprintf("%s/id", path);
			if (kg_json_get(object, "id", &id) == NULL)
				id.type = jbvNull;
		}
		outcome->id = kg_patch_id(kg_tool_type(call->tool), &id, path, outcome);
		if (outcome->id != NULL)
			report_twice(outcomes, it.index);
	}
	return expected;
}

/* ---- writing ---- */

static void
merge_entities(WriteCall *call, const char *type)
{
	const KgInput *in = &call->input;
	KgMerge merge = {type, NULL, call->items, in->object, kg_write_nearest};
	JsonbValue keep;

	(void) kg_input_value(in, "keep", &keep);
	merge.keep = kg_args_as_id(&keep, kg_input_path(in, "keep"));
	call->outcomes = kg_merge(&merge);
}

static void
perform(void *arg)
{
	WriteCall *call = arg;
	const KgTool *tool = call->tool;
	const char *name = psprintf("%s/%s",
								tool->bundle,
								tool->row ? tool->row->name
										  : tool->relation->name);

	if (tool->operation == KG_EXPOSE_MERGE)
	{
		merge_entities(call, name);
		return;
	}
	call->outcomes = kg_outcomes_make(tool->row ? "entities" : "edges",
									  kg_json_length(call->items),
									  call->atomic,
									  true);
	call->outcomes->stored = call->key != NULL;
	/*
	 * The reply of a call with an idempotency key is stored and returned again
	 * later. So its errors must not name other entities ("nearest"): the caller
	 * sees these entities now, but may not see them later.
	 */
	if (call->atomic || call->key == NULL)
	{
		/*
		 * In an atomic call, kg_write_complete() adds "nearest" to the error,
		 * so the write itself does not.
		 */
		if (!call->atomic || tool->operation == KG_EXPOSE_DELETE)
			call->outcomes->nearest = kg_write_nearest;
		call->outcomes->complete = kg_write_complete;
	}
	if (tool->row != NULL && kg_tool_type(tool)->binding != NULL)
	{
		kg_virtual_write(kg_running_catalog(),
						 kg_tool_type(tool),
						 tool->operation,
						 call->items,
						 tool->operation == KG_EXPOSE_DELETE ? read_ids(call)
															 : NULL,
						 call->outcomes);
		return;
	}
	switch (tool->operation)
	{
		case KG_EXPOSE_CREATE:
			kg_entities_put(name, call->items, KG_PUT_CREATE, call->outcomes);
			break;
		case KG_EXPOSE_UPDATE:
			kg_entities_put(name, call->items, KG_PUT_UPDATE, call->outcomes);
			break;
		case KG_EXPOSE_DELETE:
			kg_entities_delete(name, call->outcomes, read_ids(call));
			break;
		case KG_EXPOSE_LINK:
			kg_edges_put(call->items, name, false, call->outcomes);
			break;
		default:
			kg_edges_put(call->items, name, true, call->outcomes);
			break;
	}
}

static Jsonb *
perform_all(void *arg)
{
	WriteCall *call = arg;

	kg_again(perform, call);
	return kg_outcomes_result(call->outcomes);
}

/*
 * If the write was already executed with the same idempotency key, sets
 * call->reply to the stored reply and returns true. A call and its confirmation
 * count as one write.
 */
static bool
was_done(WriteCall *call, KgRequest *request)
{
	const KgTool *tool = call->tool;

	call->reply = kg_idempotency_begin_tool(
		request,
		call->key,
		tool->name,
		kg_json_without(call->arguments, "confirm"));
	if (call->reply != NULL && tool->row != NULL &&
		kg_tool_type(tool)->binding != NULL)
		call->reply = kg_virtual_withhold(
			kg_running_catalog(), kg_tool_type(tool), call->reply);
	else if (call->reply != NULL && tool->row != NULL)
		call->reply = kg_idempotency_seen(
			psprintf("%s/%s", tool->bundle, tool->row->name), call->reply);
	return call->reply != NULL;
}

/*
 * Runs the call as a dry run, as a request for confirmation, or as the write.
 * A dry run does not use the idempotency key, because the write itself may
 * follow with that key.
 */
static void
write_inside(void *arg)
{
	WriteCall *call = arg;
	KgRequest request;

	/* The argument is read only if it is present: null counts as absent. */
	if (kg_input_has(&call->input, "idempotency_key"))
		call->key = kg_idempotency_key(call->arguments);
	if (call->dry_run)
	{
		call->reply = kg_put_dry(perform_all, call);
		return;
	}
	if (call->key != NULL && was_done(call, &request))
		return;
	kg_confirm_open(&call->confirm, call->tool->name, call->arguments);
	if (call->confirm.told == NULL &&
		kg_confirm_needed(call->tool->operation & KG_EXPOSE_DELETING))
	{
		Jsonb *reply = kg_put_dry(perform_all, call);

		call->reply = kg_confirm_ask(&call->confirm, call->outcomes, reply);
		return;
	}
	call->reply = perform_all(call);
	kg_confirm_check(&call->confirm, call->outcomes);
	if (call->key != NULL)
		kg_idempotency_keep(&request, call->reply);
}

/* A function and its argument. The function runs in a call of its own. */
typedef struct Writing
{
	void (*work)(void *arg);
	void *arg;
} Writing;

/*
 * Runs the function in a call within the call of the tool, because triggers may
 * call tools, too.
 */
static void
run_writing(void *arg)
{
	const Writing *writing = arg;
	MemoryContext caller = CurrentMemoryContext;
	KgCall call;

	kg_running_enter(&call, true);
	PG_TRY();
	{
		SPI_connect();
		MemoryContextSwitchTo(caller);
		writing->work(writing->arg);
		SPI_finish();
	}
	PG_FINALLY();
	{
		kg_running_leave(&call);
	}
	PG_END_TRY();
}

static KG_NORETURN void
throw_read_only(void)
{
	KG_THROW(KG_FORBIDDEN,
			 .message = RecoveryInProgress()
							? "the database is a standby and cannot be written"
							: "no tool can write in a read-only transaction",
			 .expected = RecoveryInProgress()
							 ? "the same call, sent to the primary"
							 : "a transaction that may write");
}

static void
write_told(void *arg)
{
	WriteCall *call = arg;

	kg_writer_run(&call->writer, write_inside, call);
}

/*
 * Runs a function without the restriction of a gateway's message
 * (kg_contained()), which prevents writes.
 */
void
kg_write_uncontained(void (*work)(void *arg), void *arg)
{
	const KgCall *call = kg_running_call();
	Writing writing = {work, arg};
	bool read_only = XactReadOnly;
	Oid userid;
	int sec_context;

	if (call->contained ? call->read_only : read_only)
		throw_read_only();
	GetUserIdAndSecContext(&userid, &sec_context);
	if (call->contained)
	{
		SetUserIdAndSecContext(userid,
							   sec_context & ~SECURITY_RESTRICTED_OPERATION);
		XactReadOnly = false;
	}
	run_writing(&writing);
	SetUserIdAndSecContext(userid, sec_context);
	XactReadOnly = read_only;
}

static void
write_uncontained(void *arg)
{
	kg_write_uncontained(write_told, arg);
}

void
kg_write_require(void)
{
	(void) kg_identity_require(KG_ACCESS_WRITE);
	if (kg_running_function() == KG_FUNCTION_READS)
		kg_error_throw_expected(
			kg_error_new(KG_FORBIDDEN,
						 "a registered function that is not VOLATILE cannot "
						 "call tools that write"),
			"a function that is VOLATILE");
	if (kg_audited != NULL)
		kg_audited->writes = true;
}

/*
 * Raises KG_FORBIDDEN for a type whose access decisions a gateway sends with
 * the call. A write runs only once, so it cannot first find out which decisions
 * to request.
 */
static void
refuse_outside(const KgType *type)
{
	if (type->authorize == NULL || !kg_decisions_are_outside())
		return;
	KG_THROW(
		KG_FORBIDDEN,
		.message = psprintf("entities of type \"%s\" cannot be written in a "
							"call that passes authorization decisions",
							type->name),
		.keyword = "x-authorize",
		.expected = "an authorizer, which the owner of the extension sets: "
					"SELECT kg_set_authorizer('tenant', 'function')");
}

/* Returns the reply with the repairs of arguments added. */
static Jsonb *
with_repairs(const WriteCall *call)
{
	KgJsonWriter w;

	if (call->repairs.repairs == NIL)
		return call->reply;
	kg_jw_init_object(&w);
	kg_jw_members(&w, &call->reply->root);
	kg_repairs_write(&call->repairs, &w);
	return kg_jw_finish(&w);
}

Jsonb *
kg_tool_write(const KgTool *tool, const Jsonb *arguments)
{
	WriteCall call = {tool, arguments};

	kg_write_require();
	if (tool->row != NULL)
	{
		kg_decisions_require(kg_running_catalog(), kg_tool_type(tool), NULL);
		refuse_outside(kg_tool_type(tool));
	}
	read_arguments(&call);
	/*
	 * If a gateway supplies access decisions, all decisions that the write
	 * needs are requested together.
	 */
	kg_decisions_begin_step();
	kg_running_writing(write_uncontained, &call);
	kg_decisions_end_step();
	return with_repairs(&call);
}
