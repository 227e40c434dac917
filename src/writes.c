/*
 * writes.c
 *	  SQL functions that write entities and edges set by set, and what is
 *	  derived from them.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "store/put.h"
#include "store/rebuild.h"
#include "utils/builtins.h"

PGDLLEXPORT Datum kg_sql_put_entities(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum kg_sql_delete_entities(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum kg_sql_put_edges(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum kg_sql_delete_edges(PG_FUNCTION_ARGS);
PGDLLEXPORT Datum kg_sql_rebuild(PG_FUNCTION_ARGS);

/* The work's results belong to the caller, whose context stays current. */
static void
connect(void)
{
	MemoryContext caller = CurrentMemoryContext;

	SPI_connect();
	MemoryContextSwitchTo(caller);
}

PG_FUNCTION_INFO_V1(kg_sql_put_entities);

KG_AUDITED(kg_sql_put_entities, KG_AUDIT_WRITES)
{
	Jsonb *result;

	connect();
	result = kg_put_entities(text_to_cstring(PG_GETARG_TEXT_PP(0)),
							 PG_GETARG_JSONB_P(1),
							 PG_GETARG_JSONB_P(2));
	SPI_finish();
	PG_RETURN_JSONB_P(result);
}

PG_FUNCTION_INFO_V1(kg_sql_delete_entities);

KG_AUDITED(kg_sql_delete_entities, KG_AUDIT_WRITES)
{
	Jsonb *result;

	connect();
	result = kg_delete_entities(text_to_cstring(PG_GETARG_TEXT_PP(0)),
								PG_GETARG_ARRAYTYPE_P(1),
								PG_GETARG_JSONB_P(2));
	SPI_finish();
	PG_RETURN_JSONB_P(result);
}

PG_FUNCTION_INFO_V1(kg_sql_put_edges);

KG_AUDITED(kg_sql_put_edges, KG_AUDIT_WRITES)
{
	Jsonb *result;

	connect();
	result = kg_put_edges(PG_GETARG_JSONB_P(0), PG_GETARG_JSONB_P(1));
	SPI_finish();
	PG_RETURN_JSONB_P(result);
}

PG_FUNCTION_INFO_V1(kg_sql_delete_edges);

KG_AUDITED(kg_sql_delete_edges, KG_AUDIT_WRITES)
{
	Jsonb *result;

	connect();
	result = kg_delete_edges(PG_GETARG_JSONB_P(0), PG_GETARG_JSONB_P(1));
	SPI_finish();
	PG_RETURN_JSONB_P(result);
}

PG_FUNCTION_INFO_V1(kg_sql_rebuild);

KG_AUDITED(kg_sql_rebuild, KG_AUDIT_WRITES)
{
	Jsonb *result;

	connect();
	result = kg_rebuild();
	SPI_finish();
	PG_RETURN_JSONB_P(result);
}
