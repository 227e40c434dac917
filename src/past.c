/*
 * past.c
 *	  SQL functions in the statements of a call with as_of (query/past.h).
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "query/past.h"
#include "utils/builtins.h"

PGDLLEXPORT Datum kg_sql_past(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(kg_sql_past);

Datum
kg_sql_past(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	kg_past_rows(text_to_cstring(PG_GETARG_TEXT_PP(0)),
				 result->setResult,
				 result->setDesc);
	return (Datum) 0;
}

PGDLLEXPORT Datum kg_sql_past_keeps_node(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(kg_sql_past_keeps_node);

/* What is not stored stands for what was. */
Datum
kg_sql_past_keeps_node(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!PG_GETARG_BOOL(0) ||
				   kg_past_keeps_node(PG_GETARG_INT64(1)));
}

PGDLLEXPORT Datum kg_sql_past_keeps_edge(PG_FUNCTION_ARGS);
PG_FUNCTION_INFO_V1(kg_sql_past_keeps_edge);

Datum
kg_sql_past_keeps_edge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!PG_GETARG_BOOL(0) ||
				   kg_past_keeps_edge(PG_GETARG_INT64(1),
									  PG_GETARG_INT32(2),
									  PG_GETARG_TEXT_PP(3),
									  PG_GETARG_INT64(4)));
}
