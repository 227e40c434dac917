/*
 * past.c
 *	  SQL functions that statements of a call with the argument as_of use
 *	  (query/time/past.h).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "query/graph/nodeset.h"
#include "query/time/past.h"
#include "utils/array.h"
#include "utils/builtins.h"

static Datum
past_rows(FunctionCallInfo fcinfo, const KgPastPart *part)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	kg_past_rows(text_to_cstring(PG_GETARG_TEXT_PP(0)),
				 part,
				 result->setResult,
				 result->setDesc);
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(kg_sql_past);

Datum
kg_sql_past(PG_FUNCTION_ARGS)
{
	KgPastPart all = {NULL};

	return past_rows(fcinfo, &all);
}

PG_FUNCTION_INFO_V1(kg_sql_past_of_node);

Datum
kg_sql_past_of_node(PG_FUNCTION_ARGS)
{
	int64 node = PG_GETARG_INT64(1);
	KgPastPart part = {&node, 1};

	return past_rows(fcinfo, &part);
}

PG_FUNCTION_INFO_V1(kg_sql_past_of_nodes);

Datum
kg_sql_past_of_nodes(PG_FUNCTION_ARGS)
{
	KgPastPart part = {NULL};
	KgNodeSet nodes;
	Datum *values;
	bool *nulls;
	int n;

	deconstruct_array(PG_GETARG_ARRAYTYPE_P(1),
					  INT8OID,
					  sizeof(int64),
					  FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE,
					  &values,
					  &nulls,
					  &n);
	kg_nodeset_init(&nodes, CurrentMemoryContext);
	for (int i = 0; i < n; i++)
		if (!nulls[i])
			(void) kg_nodeset_add(&nodes, DatumGetInt64(values[i]));
	part.nodes = nodes.nodes;
	part.nnodes = nodes.n;
	return past_rows(fcinfo, &part);
}

PG_FUNCTION_INFO_V1(kg_sql_past_of_field);

Datum
kg_sql_past_of_field(PG_FUNCTION_ARGS)
{
	KgPastPart part = {NULL, 0, PG_GETARG_INT32(1), PG_GETARG_INT32(2)};

	return past_rows(fcinfo, &part);
}

PG_FUNCTION_INFO_V1(kg_sql_past_keeps_node);

/*
 * Returns true for a row that is not stored but represents a past state. For a
 * stored row, returns kg_past_keeps_node(): whether the row is unchanged since
 * the requested time.
 */
Datum
kg_sql_past_keeps_node(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!PG_GETARG_BOOL(0) ||
				   kg_past_keeps_node(PG_GETARG_INT64(1)));
}

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
