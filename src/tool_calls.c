/*
 * tool_calls.c
 *	  SQL functions of the tools: kg_list, kg_list_ids, kg_get, kg_list_tools,
 *	  kg_call_tool, kg_call_with_token, kg_explain.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/identity.h"
#include "auth/login.h"
#include "auth/owner.h"
#include "base/json.h"
#include "model/catalog.h"
#include "catalog/pg_type.h"
#include "entry.h"
#include "fmgr.h"
#include "query/merged.h"
#include "query/run/decisions.h"
#include "tools/catalog/catalog_tools.h"
#include "tools/dispatch.h"
#include "tools/explain.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "virtual/virtual.h"

static const KgType *
require_type(const KgCatalog *catalog, text *name)
{
	return kg_catalog_require_type(
		catalog, text_to_cstring(name), "/entity_type");
}

KG_ENTRY(kg_sql_list, KG_AUDIT_READS)
{
	const KgCatalog *catalog = kg_running_catalog();
	const KgType *type = require_type(catalog, PG_GETARG_TEXT_PP(0));

	return kg_tool_list(catalog, type, PG_GETARG_JSONB_P(1), false);
}

KG_ENTRY(kg_sql_list_ids, KG_AUDIT_READS)
{
	const KgCatalog *catalog = kg_running_catalog();
	const KgType *type = require_type(catalog, PG_GETARG_TEXT_PP(0));

	return kg_tool_list(catalog, type, PG_GETARG_JSONB_P(1), true);
}

KG_ENTRY(kg_sql_get, KG_AUDIT_READS)
{
	const KgCatalog *catalog = kg_running_catalog();
	const KgType *type = require_type(catalog, PG_GETARG_TEXT_PP(0));
	KgMerged merged;
	Jsonb *data;

	kg_decisions_require(catalog, type, NULL);
	data = kg_engine_get_data(catalog, type, PG_GETARG_TEXT_PP(1));
	if (data == NULL &&
		kg_merged_find(
			catalog, type, text_to_cstring(PG_GETARG_TEXT_PP(1)), &merged))
		data = kg_engine_get_data(catalog, type, cstring_to_text(merged.id));
	kg_audit_entity(data);
	return data;
}

/*
 * Defines kg_get() for an array of ids. The array becomes the argument "ids" of
 * the tool, so that the tool's checks apply.
 */
KG_ENTRY(kg_sql_get_many, KG_AUDIT_READS)
{
	const KgCatalog *catalog = kg_running_catalog();
	const KgType *type = require_type(catalog, PG_GETARG_TEXT_PP(0));
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(1);
	KgJsonWriter w;
	Datum *ids;
	bool *nulls;
	int n;

	deconstruct_array(
		array, TEXTOID, -1, false, TYPALIGN_INT, &ids, &nulls, &n);
	kg_jw_init_object(&w);
	kg_jw_kbegin_array(&w, "ids");
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			kg_jw_null(&w);
		else
			kg_jw_stringn(&w,
						  VARDATA_ANY(DatumGetPointer(ids[i])),
						  VARSIZE_ANY_EXHDR(DatumGetPointer(ids[i])));
	}
	kg_jw_end_array(&w);
	return kg_tool_get(catalog, type, kg_jw_finish(&w));
}

/*
 * Defines kg_list_tools(). It applies the caller's limits, because the returned
 * schemas depend on them.
 */
KG_ENTRY(kg_sql_list_tools, KG_AUDIT_READS)
{
	const KgSchemaForm form = kg_schema_form(false);
	const Jsonb *tools = kg_tools_list(&form)->tools;

	return memcpy(palloc(VARSIZE(tools)), tools, VARSIZE(tools));
}

KG_ENTRY_OPEN(kg_sql_call_tool, KG_AUDIT_SECRET)
{
	kg_refuse_nulls(fcinfo);
	return kg_tools_call_result(text_to_cstring(PG_GETARG_TEXT_PP(0)),
								PG_GETARG_JSONB_P(1),
								PG_GETARG_JSONB_P(2));
}

/* ---- calls with a token, which log in and call in one statement ---- */

typedef struct BearerCall
{
	FunctionCallInfo fcinfo;
	Jsonb *reply;
} BearerCall;

static void
call_for_bearer(void *arg)
{
	BearerCall *it = arg;
	FunctionCallInfo fcinfo = it->fcinfo;

	it->reply = kg_tools_call_result(text_to_cstring(PG_GETARG_TEXT_PP(1)),
									 PG_GETARG_JSONB_P(2),
									 PG_GETARG_JSONB_P(3));
}

static void
serve_bearer(void *arg)
{
	BearerCall *it = arg;
	FunctionCallInfo fcinfo = it->fcinfo;

	kg_auth_login(PG_GETARG_TEXT_PP(0), false, true);
	(void) kg_identity_require(KG_ACCESS_READ);
	kg_contained(call_for_bearer, it);
}

KG_ENTRY_OPEN(kg_sql_call_with_token, KG_AUDIT_SECRET)
{
	BearerCall it = {fcinfo};

	kg_refuse_nulls(fcinfo);
	kg_auth_hidden(serve_bearer, &it);
	return it.reply;
}

KG_ENTRY(kg_sql_explain, KG_AUDIT_READS)
{
	kg_owner_require_statistics("have calls explained");
	return kg_tools_explain(
		call, text_to_cstring(PG_GETARG_TEXT_PP(0)), PG_GETARG_JSONB_P(1));
}
