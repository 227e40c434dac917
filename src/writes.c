/*
 * writes.c
 *	  SQL functions that write sets of entities and edges, and data derived from
 *	  them.
 */
#include "postgres.h"

#include "base/catch.h"
#include "model/writer.h"
#include "entry.h"
#include "fmgr.h"
#include "store/derived/embeddings.h"
#include "store/entity/put.h"
#include "store/merge/merge.h"
#include "store/derived/rebuild.h"
#include "tools/graph/analyze.h"
#include "utils/builtins.h"

/*
 * A function that calls work, and calls it again after certain conflicts:
 * kg_again() or kg_again_if_few().
 */
typedef void (*KgAgain)(void (*work)(void *arg), void *arg);

typedef struct Run
{
	FunctionCallInfo fcinfo;
	Jsonb *(*work)(void *arg);
	KgAgain again;
	bool dry;
	Jsonb *result;
} Run;

static void
run_once(void *arg)
{
	Run *run = arg;

	run->result = run->dry ? kg_put_dry(run->work, run->fcinfo)
						   : run->work(run->fcinfo);
}

static void
run_told(void *arg)
{
	const Run *run = arg;

	run->again(run_once, arg);
}

/*
 * Runs the work of a call by the function "again" and returns the reply. place
 * is the index of the argument that has the options.
 */
static Jsonb *
run(FunctionCallInfo fcinfo, Jsonb *(*work)(void *arg), KgAgain again,
	int place)
{
	const Jsonb *options = PG_GETARG_JSONB_P(place);
	KgWriter writer = {.reason = kg_put_reason(options)};
	Run run = {fcinfo, work, again, kg_put_is_dry(options)};

	kg_writer_run(&writer, run_told, &run);
	return run.result;
}

/*
 * Defines the SQL function of a call, and begins the function that does its
 * work.
 */
#define KG_PUT(name, entry, options, again)              \
	static Jsonb *name##_work(void *arg);                \
	entry(name, KG_AUDIT_WRITES, options)                \
	{                                                    \
		return run(fcinfo, name##_work, again, options); \
	}                                                    \
	static Jsonb *name##_work(void *arg)

KG_PUT(kg_sql_put_entities, KG_ENTRY_WRITE_TYPE, 2, kg_again_if_few)
{
	FunctionCallInfo fcinfo = arg;

	return kg_put_entities(text_to_cstring(PG_GETARG_TEXT_PP(0)),
						   PG_GETARG_JSONB_P(1),
						   PG_GETARG_JSONB_P(2));
}

KG_PUT(kg_sql_put_embeddings, KG_ENTRY_WRITE_TYPE, 2, kg_again_if_few)
{
	FunctionCallInfo fcinfo = arg;

	return kg_put_embeddings(text_to_cstring(PG_GETARG_TEXT_PP(0)),
							 PG_GETARG_JSONB_P(1),
							 PG_GETARG_JSONB_P(2));
}

KG_PUT(kg_sql_update_entities, KG_ENTRY_WRITE_TYPE, 2, kg_again_if_few)
{
	FunctionCallInfo fcinfo = arg;

	return kg_update_entities(text_to_cstring(PG_GETARG_TEXT_PP(0)),
							  PG_GETARG_JSONB_P(1),
							  PG_GETARG_JSONB_P(2));
}

KG_PUT(kg_sql_delete_entities, KG_ENTRY_WRITE_TYPE, 2, kg_again_if_few)
{
	FunctionCallInfo fcinfo = arg;

	return kg_delete_entities(text_to_cstring(PG_GETARG_TEXT_PP(0)),
							  PG_GETARG_ARRAYTYPE_P(1),
							  PG_GETARG_JSONB_P(2));
}

/*
 * Defines kg_merge_entities(). The merge may be begun again, because another
 * session may have created an edge of a symmetric relation.
 */
KG_PUT(kg_sql_merge, KG_ENTRY_WRITE_TYPE, 3, kg_again)
{
	FunctionCallInfo fcinfo = arg;

	return kg_merge_entities(text_to_cstring(PG_GETARG_TEXT_PP(0)),
							 text_to_cstring(PG_GETARG_TEXT_PP(1)),
							 PG_GETARG_ARRAYTYPE_P(2),
							 PG_GETARG_JSONB_P(3));
}

KG_PUT(kg_sql_put_edges, KG_ENTRY_WRITE, 1, kg_again)
{
	FunctionCallInfo fcinfo = arg;

	return kg_put_edges(PG_GETARG_JSONB_P(0), PG_GETARG_JSONB_P(1));
}

KG_PUT(kg_sql_delete_edges, KG_ENTRY_WRITE, 1, kg_again_if_few)
{
	FunctionCallInfo fcinfo = arg;

	return kg_delete_edges(PG_GETARG_JSONB_P(0), PG_GETARG_JSONB_P(1));
}

KG_ENTRY_WRITE(kg_sql_keep_measure, KG_AUDIT_WRITES, -1)
{
	return kg_keep_measure(text_to_cstring(PG_GETARG_TEXT_PP(0)),
						   text_to_cstring(PG_GETARG_TEXT_PP(1)),
						   PG_GETARG_JSONB_P(2));
}

KG_ENTRY_WRITE(kg_sql_rebuild, KG_AUDIT_WRITES, -1)
{
	return kg_rebuild();
}
