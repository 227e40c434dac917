/*
 * embeddings.c
 *	  SQL functions kg_enable_vectors, kg_disable_vectors,
 *	  kg_missing_embeddings, kg_cosine_distance.
 */
#include "postgres.h"

#include "auth/owner.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/spi.h"
#include "base/vectors.h"
#include "entry.h"
#include "fmgr.h"
#include "query/search/search_meaning.h"
#include "store/derived/embeddings.h"
#include "utils/builtins.h"

#define KG_MOST_MISSING 10000

KG_AUDITED(kg_sql_enable_vectors, KG_AUDIT_WRITES)
{
	int32 dimensions = PG_GETARG_INT32(0);
	char *model = text_to_cstring(PG_GETARG_TEXT_PP(1));
	KgUserContext user;

	kg_owner_require("enable vectors");
	kg_spi_begin_as_owner(&user);
	kg_vectors_enable(dimensions, model);
	kg_spi_end_as_owner(&user);
	PG_RETURN_VOID();
}

KG_AUDITED(kg_sql_disable_vectors, KG_AUDIT_WRITES)
{
	KgUserContext user;
	int64 deleted;

	kg_owner_require("disable vectors");
	kg_spi_begin_as_owner(&user);
	deleted = kg_vectors_disable();
	kg_spi_end_as_owner(&user);
	PG_RETURN_INT64(deleted);
}

KG_ENTRY(kg_sql_missing_embeddings, KG_AUDIT_READS)
{
	const KgCatalog *catalog = kg_running_catalog();
	int32 most = PG_GETARG_INT32(1);
	const KgType *type;

	(void) kg_vectors_require();
	type = kg_catalog_require_type(
		catalog, text_to_cstring(PG_GETARG_TEXT_PP(0)), "/entity_type");
	if (most < 1 || most > KG_MOST_MISSING)
		KG_THROW(
			KG_INVALID_INPUT,
			.message = psprintf("%d entities cannot be requested", most),
			.path = "/max",
			.expected = psprintf("an integer from 1 to %d", KG_MOST_MISSING));
	return kg_missing_embeddings(catalog, type, most);
}

PG_FUNCTION_INFO_V1(kg_sql_cosine_distance);

Datum
kg_sql_cosine_distance(PG_FUNCTION_ARGS)
{
	ArrayType *a = PG_GETARG_ARRAYTYPE_P(0);
	ArrayType *b = PG_GETARG_ARRAYTYPE_P(1);
	float8 result;

	if (fcinfo->flinfo->fn_extra == NULL)
		fcinfo->flinfo->fn_extra = kg_distance_make(fcinfo->flinfo->fn_mcxt);
	result = kg_distance(fcinfo->flinfo->fn_extra, a, b);
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	PG_RETURN_FLOAT8(result);
}
