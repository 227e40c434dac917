/*
 * index_keys.c
 *	  SQL functions that read kg_entity.index_keys: kg_packed_key,
 *	  kg_packed_keys.
 *
 * The results depend only on the arguments. The functions accept any bytes.
 */
#include "postgres.h"

#include "model/packed_keys.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"

PG_FUNCTION_INFO_V1(kg_sql_packed_key);
PG_FUNCTION_INFO_V1(kg_sql_packed_keys);

Datum
kg_sql_packed_key(PG_FUNCTION_ARGS)
{
	bytea *packed = PG_GETARG_BYTEA_PP(0);
	int32 field_no = PG_GETARG_INT32(1);
	KgKeysIter it;

	kg_keys_iter_init(&it, packed);
	while (kg_keys_next(&it))
		if (it.key.field_no == field_no)
			PG_RETURN_BYTEA_P(kg_packed_key_copy(&it.key));
	PG_RETURN_NULL();
}

Datum
kg_sql_packed_keys(PG_FUNCTION_ARGS)
{
	bytea *packed = PG_GETARG_BYTEA_PP(0);
	int32 field_no = PG_GETARG_INT32(1);
	ArrayBuildState *keys = initArrayResult(
		BYTEAOID, CurrentMemoryContext, false);
	KgKeysIter it;

	kg_keys_iter_init(&it, packed);
	while (kg_keys_next(&it))
		if (it.key.field_no == field_no)
			accumArrayResult(keys,
							 PointerGetDatum(kg_packed_key_copy(&it.key)),
							 false,
							 BYTEAOID,
							 CurrentMemoryContext);
	PG_RETURN_DATUM(makeArrayResult(keys, CurrentMemoryContext));
}
