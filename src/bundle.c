/*
 * bundle.c
 *	  SQL functions of bundles.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "access/xact.h"
#include "auth/identity.h"
#include "base/json.h"
#include "entry.h"
#include "fmgr.h"
#include "store/bundle_apply.h"
#include "store/packing.h"
#include "utils/builtins.h"

/* Changed rows from which on an apply packs what it changed. */
#define KG_PACK_FROM 10000

PGDLLEXPORT Datum kg_sql_apply_bundle(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum kg_sql_apply_bundle_text(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum kg_sql_drop_bundle(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum kg_sql_export_bundle(PG_FUNCTION_ARGS);

/* Rows that the members of an object of counts say to have changed. */
static int64
changed_rows(const JsonbContainer *result, const char *key)
{
	static const char *const changes[] = {"created", "updated", "deleted"};
	JsonbValue value;
	KgJsonIter it;
	int64 total = 0;

	if (kg_json_get(result, key, &value) == NULL || !kg_json_is_object(&value))
		return 0;
	kg_json_iter_init(&it, kg_json_container(&value));
	while (kg_json_iter_next(&it))
		for (int i = 0; i < lengthof(changes) && kg_json_is_object(&it.value);
			 i++)
		{
			JsonbValue number;
			int64 n;

			if (kg_json_get(
					kg_json_container(&it.value), changes[i], &number) &&
				kg_json_int64(&number, &n))
				total += n;
		}
	return total;
}

/*
 * Pack what a large apply changed.  It reads all edges of the tenant, so a
 * small apply leaves that to kg_pack(); and it does not wait for others.
 */
static void
pack_changes(const Jsonb *result)
{
	JsonbValue dry_run;

	if (kg_json_get(&result->root, "dry_run", &dry_run) == NULL ||
		dry_run.type != jbvBool || dry_run.val.boolean)
		return;
	if (changed_rows(&result->root, "entities") +
			changed_rows(&result->root, "relations") <
		KG_PACK_FROM)
		return;
	CommandCounterIncrement();
	(void) kg_adjacency_pack(kg_identity_require(KG_ACCESS_WRITE), false);
}

PG_FUNCTION_INFO_V1(kg_sql_apply_bundle);
PG_FUNCTION_INFO_V1(kg_sql_apply_bundle_text);
PG_FUNCTION_INFO_V1(kg_sql_drop_bundle);
PG_FUNCTION_INFO_V1(kg_sql_export_bundle);

static Jsonb *
apply_bundle(FunctionCallInfo fcinfo, KgCall *call)
{
	Jsonb *result = kg_bundle_apply(PG_GETARG_JSONB_P(0), PG_GETARG_JSONB_P(1));

	pack_changes(result);
	return result;
}

KG_AUDITED(kg_sql_apply_bundle, KG_AUDIT_WRITES)
{
	return kg_entry_write(fcinfo, apply_bundle);
}

static Jsonb *
apply_bundle_text(FunctionCallInfo fcinfo, KgCall *call)
{
	Jsonb *result = kg_bundle_apply_text(PG_GETARG_TEXT_PP(0),
										 PG_GETARG_JSONB_P(1));

	pack_changes(result);
	return result;
}

KG_AUDITED(kg_sql_apply_bundle_text, KG_AUDIT_WRITES)
{
	return kg_entry_write(fcinfo, apply_bundle_text);
}

static Jsonb *
drop_bundle(FunctionCallInfo fcinfo, KgCall *call)
{
	return kg_bundle_drop(text_to_cstring(PG_GETARG_TEXT_PP(0)));
}

KG_AUDITED(kg_sql_drop_bundle, KG_AUDIT_WRITES)
{
	return kg_entry_write(fcinfo, drop_bundle);
}

static Jsonb *
export_bundle(FunctionCallInfo fcinfo, KgCall *call)
{
	return kg_bundle_export(text_to_cstring(PG_GETARG_TEXT_PP(0)));
}

/* It has no clock either. */
KG_AUDITED(kg_sql_export_bundle, KG_AUDIT_READS)
{
	return kg_entry_write(fcinfo, export_bundle);
}
