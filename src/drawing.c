/*
 * drawing.c
 *	  SQL functions kg_to_mermaid() and kg_to_dot().
 */
#include "postgres.h"

#include "fmgr.h"
#include "tools/reply/picture.h"

PG_FUNCTION_INFO_V1(kg_sql_to_mermaid);

Datum
kg_sql_to_mermaid(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(kg_picture_mermaid(
		kg_picture_read(PG_GETARG_JSONB_P(0), PG_GETARG_JSONB_P(1))));
}

PG_FUNCTION_INFO_V1(kg_sql_to_dot);

Datum
kg_sql_to_dot(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(kg_picture_dot(
		kg_picture_read(PG_GETARG_JSONB_P(0), PG_GETARG_JSONB_P(1))));
}
