/*
 * writes.c
 *	  SQL functions that write entities and edges set by set, and what is
 *	  derived from them.
 */
#include "postgres.h"

#include "catalog/writer.h"
#include "entry.h"
#include "fmgr.h"
#include "store/embeddings.h"
#include "store/put.h"
#include "store/rebuild.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(kg_sql_put_entities);
PG_FUNCTION_INFO_V1(kg_sql_put_embeddings);
PG_FUNCTION_INFO_V1(kg_sql_update_entities);
PG_FUNCTION_INFO_V1(kg_sql_delete_entities);
PG_FUNCTION_INFO_V1(kg_sql_put_edges);
PG_FUNCTION_INFO_V1(kg_sql_delete_edges);
PG_FUNCTION_INFO_V1(kg_sql_rebuild);

typedef struct Run
{
	FunctionCallInfo fcinfo;
	Jsonb *(*work)(void *arg);
	bool dry;
	Jsonb *result;
} Run;

static void
run_told(void *arg)
{
	Run *run = arg;

	run->result = run->dry ? kg_put_dry(run->work, run->fcinfo)
						   : run->work(run->fcinfo);
}

/* The work of a call whose options are the argument of this number. */
static Jsonb *
run(FunctionCallInfo fcinfo, Jsonb *(*work)(void *arg), int place)
{
	const Jsonb *options = PG_GETARG_JSONB_P(place);
	KgWriter writer = {.reason = kg_put_reason(options)};
	Run run = {fcinfo, work, kg_put_is_dry(options)};

	kg_writer_run(&writer, run_told, &run);
	return run.result;
}

static Jsonb *
put_entities_of(void *arg)
{
	FunctionCallInfo fcinfo = arg;

	return kg_put_entities(text_to_cstring(PG_GETARG_TEXT_PP(0)),
						   PG_GETARG_JSONB_P(1),
						   PG_GETARG_JSONB_P(2));
}

static Jsonb *
put_entities(FunctionCallInfo fcinfo, KgCall *call)
{
	return run(fcinfo, put_entities_of, 2);
}

KG_AUDITED(kg_sql_put_entities, KG_AUDIT_WRITES)
{
	return kg_entry_write_type(fcinfo, put_entities, 2);
}

static Jsonb *
put_embeddings_of(void *arg)
{
	FunctionCallInfo fcinfo = arg;

	return kg_put_embeddings(text_to_cstring(PG_GETARG_TEXT_PP(0)),
							 PG_GETARG_JSONB_P(1),
							 PG_GETARG_JSONB_P(2));
}

static Jsonb *
put_embeddings(FunctionCallInfo fcinfo, KgCall *call)
{
	return run(fcinfo, put_embeddings_of, 2);
}

KG_AUDITED(kg_sql_put_embeddings, KG_AUDIT_WRITES)
{
	return kg_entry_write_type(fcinfo, put_embeddings, 2);
}

static Jsonb *
update_entities_of(void *arg)
{
	FunctionCallInfo fcinfo = arg;

	return kg_update_entities(text_to_cstring(PG_GETARG_TEXT_PP(0)),
							  PG_GETARG_JSONB_P(1),
							  PG_GETARG_JSONB_P(2));
}

static Jsonb *
update_entities(FunctionCallInfo fcinfo, KgCall *call)
{
	return run(fcinfo, update_entities_of, 2);
}

KG_AUDITED(kg_sql_update_entities, KG_AUDIT_WRITES)
{
	return kg_entry_write_type(fcinfo, update_entities, 2);
}

static Jsonb *
delete_entities_of(void *arg)
{
	FunctionCallInfo fcinfo = arg;

	return kg_delete_entities(text_to_cstring(PG_GETARG_TEXT_PP(0)),
							  PG_GETARG_ARRAYTYPE_P(1),
							  PG_GETARG_JSONB_P(2));
}

static Jsonb *
delete_entities(FunctionCallInfo fcinfo, KgCall *call)
{
	return run(fcinfo, delete_entities_of, 2);
}

KG_AUDITED(kg_sql_delete_entities, KG_AUDIT_WRITES)
{
	return kg_entry_write_type(fcinfo, delete_entities, 2);
}

static Jsonb *
put_edges_of(void *arg)
{
	FunctionCallInfo fcinfo = arg;

	return kg_put_edges(PG_GETARG_JSONB_P(0), PG_GETARG_JSONB_P(1));
}

static Jsonb *
put_edges(FunctionCallInfo fcinfo, KgCall *call)
{
	return run(fcinfo, put_edges_of, 1);
}

KG_AUDITED(kg_sql_put_edges, KG_AUDIT_WRITES)
{
	return kg_entry_write(fcinfo, put_edges, 1);
}

static Jsonb *
delete_edges_of(void *arg)
{
	FunctionCallInfo fcinfo = arg;

	return kg_delete_edges(PG_GETARG_JSONB_P(0), PG_GETARG_JSONB_P(1));
}

static Jsonb *
delete_edges(FunctionCallInfo fcinfo, KgCall *call)
{
	return run(fcinfo, delete_edges_of, 1);
}

KG_AUDITED(kg_sql_delete_edges, KG_AUDIT_WRITES)
{
	return kg_entry_write(fcinfo, delete_edges, 1);
}

static Jsonb *
rebuild(FunctionCallInfo fcinfo, KgCall *call)
{
	return kg_rebuild();
}

KG_AUDITED(kg_sql_rebuild, KG_AUDIT_WRITES)
{
	return kg_entry_write(fcinfo, rebuild, -1);
}
