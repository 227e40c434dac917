/*
 * batch.c
 *	  The answer to a message: a request, or a batch of several messages in
 *	  an array, as in revision 2025-03-26.
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/audit.h"
#include "base/settings.h"
#include "base/snapshot.h"
#include "mcp/request.h"
#include "miscadmin.h"
#include "query/run/running.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/*
 * Returns whether a message may be in a batch. Batches exist only in revision
 * 2025-03-26, and initialize may not be in a batch.
 */
static bool
batch_member_ok(const JsonbValue *member)
{
	const JsonbContainer *message = kg_json_container(member);
	JsonbValue value;
	JsonbValue meta;
	KgMcpRequest req;
	bool claims;

	if (!kg_json_is_object(member))
		return true;
	if (kg_json_get(message, "kg_revision", &value) &&
		!kg_json_string_is(&value, kg_mcp_revision_name(KG_MCP_2025_03_26)))
		return false;
	if (kg_json_get(message, "method", &value) &&
		kg_json_string_is(&value, "initialize"))
		return false;
	memset(&req, 0, sizeof(req));
	if (kg_json_get(message, "params", &value))
		req.params = kg_json_container(&value);
	(void) kg_mcp_find_meta(&req, &meta, &claims);
	return !claims;
}

/*
 * The state of a batch.  All its messages share one time limit and one limit
 * of bytes.
 */
typedef struct Batch
{
	const char *tenant;
	const KgBrought *brought;
	/*
	 * command id at the start of the current message; the message sees the
	 * writes of earlier messages
	 */
	CommandId begun;
	Size bytes; /* size in bytes of the replies */
	/*
	 * name of the setting whose limit was exceeded, or NULL. If it is set, the
	 * remaining messages are refused.
	 */
	const char *setting;
} Batch;

/*
 * Returns the error for a message of a batch that exceeds a limit. "run" says
 * that the message was processed, and only its reply is left out. Returns NULL
 * for a message without a valid id, which gets no response.
 */
static Jsonb *
refuse_rest(const Batch *batch, const JsonbContainer *message, bool run)
{
	KgMcpRequest req;

	memset(&req, 0, sizeof(req));
	if (kg_json_get(message, "id", &req.id) == NULL ||
		!kg_mcp_id_is_valid(&req.id))
		return NULL;
	(void) kg_mcp_refuse(
		&req,
		KG_MCP_BATCH_LIMIT,
		kg_mcp_error_data("setting", batch->setting),
		run ? "the batch exceeds %s, so the reply to this message "
			  "was left out, although the message was processed"
			: "the batch exceeds %s, so this message was not "
			  "processed; send it by itself",
		batch->setting);
	return kg_mcp_error_response(&req, true);
}

static Jsonb *
answer_member(Batch *batch, const JsonbValue *member, int place)
{
	const JsonbContainer *message = kg_json_container(member);
	KgAudited audited;
	Jsonb *reply;
	bool written;

	if (!kg_json_is_object(member))
		return kg_mcp_invalid_request("the message is not an object");
	if (batch->setting == NULL && kg_running_late())
		batch->setting = "kg_graph.max_call_time";
	if (batch->setting != NULL)
		return refuse_rest(batch, message, false);
	kg_audit_message_begin(&audited);
	written = kg_push_written_snapshot(batch->begun);
	reply = kg_mcp_answer_object(
		message, batch->tenant, KG_MCP_2025_03_26, batch->brought, place);
	if (written)
		PopActiveSnapshot();
	kg_audit_message_end(&audited);
	if (reply == NULL)
		return NULL;
	batch->bytes += VARSIZE(reply);
	if (batch->bytes <= (Size) kg_setting_max_batch_bytes)
		return reply;
	batch->setting = "kg_graph.max_batch_bytes";
	return refuse_rest(batch, message, true);
}

static Jsonb *
answer_members(const JsonbContainer *messages, const char *tenant,
			   const KgBrought *brought)
{
	MemoryContext old = CurrentMemoryContext;
	MemoryContext work = AllocSetContextCreate(
		old, "kg_graph batch message", ALLOCSET_DEFAULT_SIZES);
	Batch batch = {tenant, brought, GetCurrentCommandId(false), 0, NULL};
	KgJsonWriter w;
	bool any = false;

	kg_jw_init_array(&w);
	kg_json_each(it, messages)
	{
		Jsonb *reply;

		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(work);
		reply = answer_member(&batch, &it.value, it.index);
		MemoryContextSwitchTo(old);
		if (reply != NULL)
			kg_jw_jsonb(&w, reply);
		any |= reply != NULL;
		MemoryContextReset(work);
	}
	MemoryContextDelete(work);
	return any ? kg_jw_finish(&w) : NULL;
}

static Jsonb *
answer_batch(const JsonbContainer *batch, const char *tenant,
			 const KgBrought *brought)
{
	int n = kg_json_length(batch);
	bool ok = true;

	if (n == 0)
		return kg_mcp_invalid_request("the batch is empty");
	kg_json_each(it, batch)
		ok &= batch_member_ok(&it.value);
	if (!ok)
		return kg_mcp_invalid_request(
			"a batch is possible only in revision 2025-03-26, and cannot have "
			"\"initialize\"");
	if (n > kg_setting_max_batch_messages)
		return kg_mcp_invalid_request(
			psprintf("a batch of %d messages exceeds "
					 "kg_graph.max_batch_messages (%d)",
					 n,
					 kg_setting_max_batch_messages));
	return answer_members(batch, tenant, brought);
}

Jsonb *
kg_mcp_answer(const Jsonb *message, const char *tenant,
			  const KgBrought *brought)
{
	if (JB_ROOT_IS_OBJECT(message))
		return kg_mcp_answer_object(
			&message->root, tenant, KG_MCP_NEWEST_LEGACY, brought, -1);
	if (JB_ROOT_IS_ARRAY(message) && !JB_ROOT_IS_SCALAR(message))
		return answer_batch(&message->root, tenant, brought);
	return kg_mcp_invalid_request("the message is not an object");
}
