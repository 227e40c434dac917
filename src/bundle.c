/*
 * bundle.c
 *	  SQL functions of bundles.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "base/detoast.h"
#include "entry.h"
#include "fmgr.h"
#include "store/bundle_apply.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(kg_sql_apply_bundle);
PG_FUNCTION_INFO_V1(kg_sql_apply_bundle_text);
PG_FUNCTION_INFO_V1(kg_sql_drop_bundle);
PG_FUNCTION_INFO_V1(kg_sql_export_bundle);
PG_FUNCTION_INFO_V1(kg_sql_export_bundle_parts);

static Jsonb *
apply_bundle(FunctionCallInfo fcinfo, KgCall *call)
{
	Datum bundle = kg_detoast_large(PG_GETARG_DATUM(0));

	return kg_bundle_apply(DatumGetJsonbP(bundle), PG_GETARG_JSONB_P(1));
}

KG_AUDITED(kg_sql_apply_bundle, KG_AUDIT_WRITES)
{
	return kg_entry_write(fcinfo, apply_bundle, 1);
}

static Jsonb *
apply_bundle_text(FunctionCallInfo fcinfo, KgCall *call)
{
	return kg_bundle_apply_text(PG_GETARG_TEXT_PP(0), PG_GETARG_JSONB_P(1));
}

KG_AUDITED(kg_sql_apply_bundle_text, KG_AUDIT_WRITES)
{
	return kg_entry_write(fcinfo, apply_bundle_text, 1);
}

static Jsonb *
drop_bundle(FunctionCallInfo fcinfo, KgCall *call)
{
	return kg_bundle_drop(text_to_cstring(PG_GETARG_TEXT_PP(0)),
						  PG_GETARG_JSONB_P(1));
}

KG_AUDITED(kg_sql_drop_bundle, KG_AUDIT_WRITES)
{
	return kg_entry_write(fcinfo, drop_bundle, 1);
}

static Jsonb *
export_bundle(FunctionCallInfo fcinfo, KgCall *call)
{
	return kg_bundle_export(text_to_cstring(PG_GETARG_TEXT_PP(0)));
}

/* It has no clock either. */
KG_AUDITED(kg_sql_export_bundle, KG_AUDIT_READS)
{
	return kg_entry_write(fcinfo, export_bundle, -1);
}

static Jsonb *
export_bundle_parts(FunctionCallInfo fcinfo, KgCall *call)
{
	kg_bundle_export_parts(text_to_cstring(PG_GETARG_TEXT_PP(0)), fcinfo);
	return NULL;
}

KG_AUDITED(kg_sql_export_bundle_parts, KG_AUDIT_READS)
{
	return kg_entry_write(fcinfo, export_bundle_parts, -1);
}
