/*
 * register.c
 *	  SQL functions of registered tools.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "entry.h"
#include "fmgr.h"
#include "tools/register.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(kg_sql_register_tool);
PG_FUNCTION_INFO_V1(kg_sql_unregister_tool);

static Jsonb *
register_tool(FunctionCallInfo fcinfo, KgCall *call)
{
	return kg_register_tool(PG_GETARG_JSONB_P(0));
}

KG_AUDITED(kg_sql_register_tool, KG_AUDIT_WRITES)
{
	return kg_entry_write(fcinfo, register_tool, -1);
}

static Jsonb *
unregister_tool(FunctionCallInfo fcinfo, KgCall *call)
{
	if (PG_ARGISNULL(0))
		return NULL;
	return kg_unregister_tool(
		text_to_cstring(PG_GETARG_TEXT_PP(0)),
		PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1)));
}

KG_AUDITED(kg_sql_unregister_tool, KG_AUDIT_WRITES)
{
	return kg_entry_write(fcinfo, unregister_tool, -1);
}
