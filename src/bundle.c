/*
 * bundle.c
 *	  SQL functions of bundles.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/identity.h"
#include "base/detoast.h"
#include "entry.h"
#include "fmgr.h"
#include "model/catalog.h"
#include "store/bundle/apply.h"
#include "store/bundle/bind.h"
#include "utils/builtins.h"
#include "virtual/served.h"

KG_ENTRY_WRITE(kg_sql_apply_bundle, KG_AUDIT_WRITES, 1)
{
	Datum bundle = kg_detoast_large(PG_GETARG_DATUM(0));

	return kg_bundle_apply(DatumGetJsonbP(bundle), PG_GETARG_JSONB_P(1));
}

KG_ENTRY_WRITE(kg_sql_apply_bundle_text, KG_AUDIT_WRITES, 1)
{
	return kg_bundle_apply_text(PG_GETARG_TEXT_PP(0), PG_GETARG_JSONB_P(1));
}

KG_ENTRY_WRITE(kg_sql_drop_bundle, KG_AUDIT_WRITES, 1)
{
	return kg_bundle_drop(text_to_cstring(PG_GETARG_TEXT_PP(0)),
						  PG_GETARG_JSONB_P(1));
}

KG_ENTRY_WRITE(kg_sql_bind_table, KG_AUDIT_WRITES, -1)
{
	return kg_bind_table(text_to_cstring(PG_GETARG_TEXT_PP(0)),
						 text_to_cstring(PG_GETARG_TEXT_PP(1)),
						 PG_GETARG_JSONB_P(2));
}

KG_ENTRY_WRITE(kg_sql_suggest_bindings, KG_AUDIT_READS, -1)
{
	return kg_suggest_bindings(text_to_cstring(PG_GETARG_TEXT_PP(0)),
							   PG_GETARG_JSONB_P(1));
}

KG_ENTRY_WRITE(kg_sql_binding_report, KG_AUDIT_READS, -1)
{
	const char *tenant = kg_identity_require(KG_ACCESS_READ);

	return kg_binding_report(
		kg_catalog_require_type(kg_catalog_newest(tenant),
								text_to_cstring(PG_GETARG_TEXT_PP(0)),
								"/type"));
}

/*
 * Defines kg_export_bundle(). An export may take long, so it runs without a
 * time limit, as functions that write do.
 */
KG_ENTRY_WRITE(kg_sql_export_bundle, KG_AUDIT_READS, -1)
{
	return kg_bundle_export(text_to_cstring(PG_GETARG_TEXT_PP(0)));
}

KG_ENTRY_WRITE(kg_sql_export_bundle_parts, KG_AUDIT_READS, -1)
{
	kg_bundle_export_parts(text_to_cstring(PG_GETARG_TEXT_PP(0)), fcinfo);
	return NULL;
}
