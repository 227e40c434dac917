/*
 * authorize.c
 *	  SQL functions of decisions by another system: kg_set_authorizer,
 *	  kg_call_authorized.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/grants.h"
#include "auth/identity.h"
#include "auth/login.h"
#include "auth/owner.h"
#include "auth/privileges.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "entry.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "query/run/authorizer.h"
#include "tools/authorized.h"
#include "utils/acl.h"
#include "utils/builtins.h"

KG_AUDITED_NULLS(kg_sql_set_authorizer, KG_AUDIT_WRITES)
{
	Datum tenant = PG_GETARG_DATUM(0);
	const char *authorizer;
	KgUserContext user;

	kg_owner_require("set an authorizer");
	kg_refuse_null(fcinfo, 0);
	authorizer = PG_ARGISNULL(1) ? NULL : kg_authorizer_check(PG_GETARG_OID(1));
	kg_spi_begin_as_owner(&user);
	kg_require_tenant(tenant);
	KG_SPI_EXEC("UPDATE @kg_tenant SET authorizer = $2 WHERE tenant = $1",
				kg_arg(TEXTOID, tenant),
				kg_arg_text(authorizer));
	kg_spi_end_as_owner(&user);
	PG_RETURN_VOID();
}

/* ---- calls with decisions of another system ---- */

typedef struct Authorized
{
	FunctionCallInfo fcinfo;
	Jsonb *reply;
} Authorized;

static void
call_authorized(void *arg)
{
	Authorized *it = arg;
	FunctionCallInfo fcinfo = it->fcinfo;
	KgBrought brought = {0};
	KgJsonWriter w;
	Jsonb *result;

	if (!PG_ARGISNULL(2))
		brought.decisions = PG_GETARG_JSONB_P(2);
	if (!PG_ARGISNULL(3))
		brought.exchange = text_to_cstring(PG_GETARG_TEXT_PP(3));
	kg_jw_init_object(&w);
	result = kg_tools_call_authorized(text_to_cstring(PG_GETARG_TEXT_PP(0)),
									  PG_GETARG_JSONB_P(1),
									  NULL,
									  &brought,
									  &w);
	kg_jw_kstring(&w, "state", result ? "result" : "authorize");
	kg_jw_kjsonb_if(&w, "result", result);
	it->reply = kg_jw_finish(&w);
}

static void
serve(void *arg)
{
	Authorized *it = arg;
	FunctionCallInfo fcinfo = it->fcinfo;

	kg_require_exchange();
	if (!PG_ARGISNULL(4))
		kg_auth_login(PG_GETARG_TEXT_PP(4), false, true);
	(void) kg_identity_require(KG_ACCESS_READ);
	kg_running_limit();
	kg_refuse_null(fcinfo, 0);
	kg_refuse_null(fcinfo, 1);
	kg_contained(call_authorized, it);
}

KG_ENTRY_OPEN(kg_sql_call_authorized, KG_AUDIT_SECRET)
{
	Authorized it = {fcinfo};

	if (PG_ARGISNULL(4))
		serve(&it);
	else
		kg_auth_hidden(serve, &it);
	return it.reply;
}
