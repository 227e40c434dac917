/*
 * mcp.c
 *	  SQL functions kg_mcp(message, token, tenant), which processes a message
 *	  of the Model Context Protocol, and kg_mcp_authorized(), which in addition
 *	  accepts decisions of another system.
 *
 * The caller is identified first; a caller without identity gets no reply. A
 * message is processed read-only, in a security context that prevents changes
 * of the role, or of settings beyond the call. These functions raise only the
 * SQL errors that docs/gateway.md lists.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "auth/token_identity.h"
#include "auth/login.h"
#include "auth/privileges.h"
#include "base/error.h"
#include "base/progress.h"
#include "entry.h"
#include "fmgr.h"
#include "mcp/request.h"
#include "utils/builtins.h"

/*
 * Identifies the caller and returns its verified tenant. Raises an error if
 * this is not the tenant to which the message was routed.
 */
static const char *
identify(const text *token, const text *routed)
{
	const char *tenant;

	if (token != NULL)
		kg_auth_login(token, false, true);
	tenant = kg_identity_require(KG_ACCESS_READ);
	if (routed == NULL || strcmp(text_to_cstring(routed), tenant) == 0)
		return tenant;
	KG_THROW(KG_FORBIDDEN,
			 .message = "argument \"tenant\" is not the caller's tenant",
			 .expected = "the tenant of the verified identity, or NULL");
}

typedef struct Message
{
	FunctionCallInfo fcinfo;
	const KgBrought *brought; /* NULL: the gateway does not support decisions */
	const char *tenant;
	Jsonb *reply;
} Message;

static void
answer(void *arg)
{
	Message *message = arg;
	FunctionCallInfo fcinfo = message->fcinfo;

	message->reply = kg_mcp_answer(
		PG_GETARG_JSONB_P(0), message->tenant, message->brought);
}

static void
serve(void *arg)
{
	Message *message = arg;
	FunctionCallInfo fcinfo = message->fcinfo;

	message->tenant = identify(PG_ARGISNULL(1) ? NULL : PG_GETARG_TEXT_PP(1),
							   PG_ARGISNULL(2) ? NULL : PG_GETARG_TEXT_PP(2));
	kg_running_limit();
	if (!PG_ARGISNULL(0))
		kg_contained(answer, message);
}

/*
 * Reports the number of edges read to a gateway that counts them
 * (docs/gateway.md). The number is reported only for calls with a token, and is
 * never sent to a client.
 */
static void
tell_edges(const KgCall *call, bool with_token)
{
	/*
	 * The number includes hidden edges, so a client without a gateway must not
	 * get it.
	 */
	if (kg_setting_mcp_edges && with_token && call->edges > 0)
		kg_tell(KG_TELL_MCP,
				psprintf("{\"kg_edges\": " INT64_FORMAT "}", call->edges));
}

static Jsonb *
answer_call(FunctionCallInfo fcinfo, const KgBrought *brought)
{
	Message message = {fcinfo, brought};

	if (PG_ARGISNULL(1))
		serve(&message);
	else
		kg_auth_hidden(serve, &message);
	tell_edges(kg_running_call(),
			   !PG_ARGISNULL(1) || kg_token_identity() != NULL);
	return message.reply;
}

KG_ENTRY_OPEN(kg_sql_mcp, KG_AUDIT_SECRET)
{
	return answer_call(fcinfo, NULL);
}

KG_ENTRY_OPEN(kg_sql_mcp_authorized, KG_AUDIT_SECRET)
{
	KgBrought brought = {0};

	kg_require_exchange();
	if (!PG_ARGISNULL(3))
		brought.decisions = PG_GETARG_JSONB_P(3);
	if (!PG_ARGISNULL(4))
		brought.exchange = text_to_cstring(PG_GETARG_TEXT_PP(4));
	return answer_call(fcinfo, &brought);
}
