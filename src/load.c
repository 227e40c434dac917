/*
 * load.c
 *	  SQL functions kg_load_position and kg_load_batch: the progress of a load
 *	  that a client writes in batches.
 */
#include "postgres.h"

#include "entry.h"
#include "fmgr.h"
#include "store/load.h"
#include "utils/builtins.h"

KG_ENTRY_WRITE(kg_sql_load_position, KG_AUDIT_READS, -1)
{
	return kg_load_position(text_to_cstring(PG_GETARG_TEXT_PP(0)));
}

static Jsonb *
load_batch(FunctionCallInfo fcinfo, KgCall *call)
{
	kg_load_batch(text_to_cstring(PG_GETARG_TEXT_PP(0)),
				  PG_GETARG_INT64(1),
				  PG_GETARG_JSONB_P(2));
	return NULL;
}

KG_AUDITED(kg_sql_load_batch, KG_AUDIT_WRITES)
{
	(void) kg_entry_write(fcinfo, load_batch, -1);
	fcinfo->isnull = false;
	PG_RETURN_VOID();
}
