/*
 * bundle.c
 *	  SQL functions of bundles.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "fmgr.h"
#include "store/bundle_apply.h"
#include "utils/builtins.h"

PGDLLEXPORT Datum kg_sql_apply_bundle(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum kg_sql_drop_bundle(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum kg_sql_export_bundle(PG_FUNCTION_ARGS);

/*
 * SPI needs to be connected around the work, but the result belongs to the
 * caller, whose context is current again while the work runs.
 */
static MemoryContext
connect(void)
{
	MemoryContext caller = CurrentMemoryContext;

	SPI_connect();
	return MemoryContextSwitchTo(caller);
}

PG_FUNCTION_INFO_V1(kg_sql_apply_bundle);

Datum
kg_sql_apply_bundle(PG_FUNCTION_ARGS)
{
	Jsonb *result;

	(void) connect();
	result = kg_bundle_apply(PG_GETARG_JSONB_P(0), PG_GETARG_JSONB_P(1));
	SPI_finish();
	PG_RETURN_JSONB_P(result);
}

PG_FUNCTION_INFO_V1(kg_sql_drop_bundle);

Datum
kg_sql_drop_bundle(PG_FUNCTION_ARGS)
{
	Jsonb *result;

	(void) connect();
	result = kg_bundle_drop(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	SPI_finish();
	PG_RETURN_JSONB_P(result);
}

PG_FUNCTION_INFO_V1(kg_sql_export_bundle);

Datum
kg_sql_export_bundle(PG_FUNCTION_ARGS)
{
	Jsonb *result;

	(void) connect();
	result = kg_bundle_export(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	SPI_finish();
	PG_RETURN_JSONB_P(result);
}
