/*
 * mcp.c
 *	  kg_mcp(message, token, tenant): one message of the Model Context Protocol
 *	  in, one out.
 *
 * The caller's identity comes first, for no answer may be given to nobody.
 * What answers runs read-only and in a security context in which neither role
 * nor settings can be changed for longer than the call.  An SQL error leaves
 * this function only where docs/gateway.md says so.
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/identity.h"
#include "auth/login.h"
#include "base/error.h"
#include "entry.h"
#include "fmgr.h"
#include "mcp/request.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"

/*
 * No role change, no settings that stay, no temporary objects, no writing.
 * After an error all of it is undone by the (sub)transaction's abort.
 */
static Jsonb *
answer_contained(const Jsonb *message, const char *tenant)
{
	Oid userid;
	int sec_context;
	int nest = NewGUCNestLevel();
	bool read_only = XactReadOnly;
	Jsonb *reply;

	GetUserIdAndSecContext(&userid, &sec_context);
	SetUserIdAndSecContext(userid,
						   sec_context | SECURITY_LOCAL_USERID_CHANGE |
							   SECURITY_RESTRICTED_OPERATION);
	XactReadOnly = true;
	reply = kg_mcp_answer(message, tenant);
	XactReadOnly = read_only;
	SetUserIdAndSecContext(userid, sec_context);
	AtEOXact_GUC(false, nest);
	return reply;
}

/* The tenant of the call: verified, and the one that was routed to. */
static const char *
identify(const text *token, const text *routed)
{
	const char *tenant;
	KgError *err;

	if (token != NULL)
		kg_auth_login(token, false, true);
	tenant = kg_identity_require(KG_ACCESS_READ);
	if (routed == NULL || strcmp(text_to_cstring(routed), tenant) == 0)
		return tenant;
	err = kg_error_new(KG_FORBIDDEN,
					   "the argument tenant is not the caller's tenant");
	kg_error_expected(err, "the tenant of the verified identity, or NULL");
	kg_error_throw(err);
}

PGDLLEXPORT Datum kg_sql_mcp(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(kg_sql_mcp);

typedef struct Message
{
	FunctionCallInfo fcinfo;
	Jsonb *reply;
} Message;

static void
serve(void *arg)
{
	Message *message = arg;
	FunctionCallInfo fcinfo = message->fcinfo;
	const char *tenant = identify(PG_ARGISNULL(1) ? NULL : PG_GETARG_TEXT_PP(1),
								  PG_ARGISNULL(2) ? NULL
												  : PG_GETARG_TEXT_PP(2));

	kg_running_limit();
	if (!PG_ARGISNULL(0))
		message->reply = answer_contained(PG_GETARG_JSONB_P(0), tenant);
}

/* For a gateway that counts them (docs/gateway.md); to no client. */
static void
tell_edges(const KgCall *call)
{
	if (kg_setting_mcp_edges && call->edges > 0)
		ereport(
			NOTICE,
			(errcode(MAKE_SQLSTATE('K', 'G', 'M', 'C', 'P')),
			 errmsg_internal("{\"kg_edges\": " INT64_FORMAT "}", call->edges),
			 errhidestmt(true),
			 errhidecontext(true)));
}

static Jsonb *
mcp(FunctionCallInfo fcinfo, KgCall *call)
{
	Message message = {fcinfo, NULL};

	if (PG_ARGISNULL(1))
		serve(&message);
	else
		kg_auth_hidden(serve, &message);
	tell_edges(call);
	return message.reply;
}

Datum
kg_sql_mcp(PG_FUNCTION_ARGS)
{
	return kg_entry_open(fcinfo, KG_AUDIT_SECRET, mcp);
}
