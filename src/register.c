/*
 * register.c
 *	  SQL functions of registered tools.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "entry.h"
#include "fmgr.h"
#include "tools/registered/register.h"
#include "utils/builtins.h"

KG_ENTRY_WRITE(kg_sql_register_tool, KG_AUDIT_WRITES, -1)
{
	return kg_register_tool(PG_GETARG_JSONB_P(0));
}

KG_ENTRY_WRITE_NULLS(kg_sql_unregister_tool, KG_AUDIT_WRITES, -1)
{
	kg_refuse_null(fcinfo, 0);
	return kg_unregister_tool(
		text_to_cstring(PG_GETARG_TEXT_PP(0)),
		PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1)));
}
