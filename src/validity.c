/*
 * validity.c
 *	  SQL functions that test whether rows are valid at the instant that a tool
 *	  call requests.
 */
#include "postgres.h"

#include "fmgr.h"
#include "query/time/validity.h"

PG_FUNCTION_INFO_V1(kg_sql_entity_valid);
PG_FUNCTION_INFO_V1(kg_sql_edge_valid);

Datum
kg_sql_entity_valid(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_BOOL(true);
	PG_RETURN_BOOL(
		kg_validity_has_node(PG_GETARG_INT32(0), PG_GETARG_DATUM(1)));
}

Datum
kg_sql_edge_valid(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_BOOL(true);
	PG_RETURN_BOOL(
		kg_validity_has_edge(PG_GETARG_INT32(0), PG_GETARG_DATUM(1)));
}
