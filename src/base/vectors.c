/*
 * vectors.c
 *	  The database's embedding model, and vectors in arguments.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "base/extension.h"
#include "base/invalidate.h"
#include "base/json.h"
#include "base/spi.h"
#include "base/vectors.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

/* ---- embedding model ---- */

static void
load(KgVectors *vectors)
{
	static KgSaved saved;
	MemoryContext caller = CurrentMemoryContext;
	KgUserContext user;

	kg_become_owner(&user);
	kg_spi_begin_load();
	kg_spi_read_args(
		&saved, "SELECT dimensions, model FROM @kg_vectors", 0, NULL);
	if (SPI_processed > 0)
	{
		vectors->dimensions = DatumGetInt32(kg_spi_datum(0, 1));
		vectors->model = MemoryContextStrdup(TopMemoryContext,
											 kg_spi_cstring(0, 2));
	}
	kg_spi_end_load();
	kg_restore_user(&user);
	MemoryContextSwitchTo(caller);
}

const KgVectors *
kg_vectors(void)
{
	static KgVectors kept;
	static Oid table = InvalidOid;
	static uint64 seen = 0;
	Oid now = kg_find_relation("kg_vectors");
	uint64 generation = kg_generation();
	KgVectors fresh = {0};

	if (OidIsValid(now) && table == now && seen == generation)
		return &kept;
	if (OidIsValid(now))
	{
		kg_watch(now);
		load(&fresh);
	}
	if (kept.model != NULL)
		pfree((char *) kept.model);
	kept = fresh;
	table = now;
	seen = generation;
	return &kept;
}

const KgVectors *
kg_vectors_require(void)
{
	const KgVectors *vectors = kg_vectors();

	if (vectors->dimensions > 0)
		return vectors;
	KG_THROW(KG_INVALID_INPUT,
			 .message = "embeddings are not enabled in this database",
			 .expected = "kg_enable_vectors(dimensions, model), called once by "
						 "the owner of the extension");
}

/* ---- pgvector ---- */

/* Returns whether the version of pgvector, such as "0.8.0", is 0.7 or newer. */
static bool
is_recent(const char *version)
{
	int major = 0;
	int minor = 0;

	return sscanf(version, "%d.%d", &major, &minor) == 2 &&
		   (major > 0 || minor >= 7);
}

/*
 * Returns pgvector's schema. Raises an error if pgvector is not installed in
 * the database or is older than 0.7.
 */
static Oid
require_pgvector(void)
{
	KgExtension vector;
	bool found = kg_find_extension("vector", &vector);
	KgError *err;

	if (found && is_recent(vector.version))
		return vector.schema;
	if (!found)
		err = kg_error_new(
			KG_INVALID_INPUT,
			"extension \"vector\" (pgvector) is not installed in this "
			"database");
	else
		err = kg_error_new(
			KG_INVALID_INPUT,
			"extension \"vector\" (pgvector) is version %s, which is too old",
			vector.version);
	kg_error_expected(
		err,
		found ? "ALTER EXTENSION vector UPDATE, to 0.7 or later"
			  : "CREATE EXTENSION vector, of pgvector 0.7 or later");
	kg_error_throw(err);
}

void
kg_pgvector_require(void)
{
	(void) require_pgvector();
}

/* The type vector, as in pgvector's header vector.h. */
typedef struct Vector
{
	int32 vl_len_;
	int16 dimensions;
	int16 unused;
	float4 numbers[FLEXIBLE_ARRAY_MEMBER];
} Vector;

struct KgDistance
{
	FmgrInfo cosine;
	MemoryContext context;
	/* number of dimensions of the vectors; 0: no vectors yet */
	int dimensions;
	Vector *vectors[2];
};

static Vector *
make_vector(const float4 *numbers, int n)
{
	Size size = offsetof(Vector, numbers) + (Size) n * sizeof(float4);
	Vector *vector = palloc0(size);

	SET_VARSIZE(vector, size);
	vector->dimensions = n;
	if (numbers != NULL)
		memcpy(vector->numbers, numbers, (Size) n * sizeof(float4));
	return vector;
}

/*
 * Returns true if a vector that pgvector builds has the form that this file
 * assumes.
 */
static bool
is_known_form(Oid type)
{
	static const float4 numbers[] = {1, -2.5};
	Vector *ours = make_vector(numbers, lengthof(numbers));
	struct varlena *its;
	Oid input;
	Oid param;

	getTypeInputInfo(type, &input, &param);
	its = PG_DETOAST_DATUM(OidInputFunctionCall(input, "[1,-2.5]", param, -1));
	return VARSIZE(its) == VARSIZE(ours) &&
		   memcmp(its, ours, VARSIZE(ours)) == 0;
}

KgDistance *
kg_distance_make(MemoryContext context)
{
	Oid schema = require_pgvector();
	KgDistance *distance = MemoryContextAllocZero(context, sizeof(KgDistance));
	Oid type = GetSysCacheOid2(TYPENAMENSP,
							   Anum_pg_type_oid,
							   CStringGetDatum("vector"),
							   ObjectIdGetDatum(schema));
	Oid cosine = OidIsValid(type) ? GetSysCacheOid4(OPERNAMENSP,
													Anum_pg_operator_oprcode,
													CStringGetDatum("<=>"),
													ObjectIdGetDatum(type),
													ObjectIdGetDatum(type),
													ObjectIdGetDatum(schema))
								  : InvalidOid;

	if (!OidIsValid(cosine) || !is_known_form(type))
		elog(ERROR, "this version of pgvector has an unknown form of vectors");
	fmgr_info_cxt(cosine, &distance->cosine, context);
	distance->context = context;
	return distance;
}

static bool
has_form(const ArrayType *array, int dimensions)
{
	return ARR_NDIM(array) == 1 && ARR_DIMS(array)[0] == dimensions &&
		   ARR_ELEMTYPE(array) == FLOAT4OID && !ARR_HASNULL(array);
}

float8
kg_distance(KgDistance *distance, const ArrayType *a, const ArrayType *b)
{
	int n = ARR_NDIM(a) == 1 ? ARR_DIMS(a)[0] : 0;
	const ArrayType *arrays[] = {a, b};

	if (n < 1 || n > KG_MAX_DIMENSIONS || !has_form(a, n) || !has_form(b, n))
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("compared arrays must have equal lengths and no nulls")));
	for (int i = 0; i < lengthof(arrays); i++)
	{
		if (distance->dimensions != n)
		{
			MemoryContext old = MemoryContextSwitchTo(distance->context);

			distance->vectors[i] = make_vector(NULL, n);
			MemoryContextSwitchTo(old);
		}
		memcpy(distance->vectors[i]->numbers,
			   ARR_DATA_PTR(arrays[i]),
			   (Size) n * sizeof(float4));
	}
	distance->dimensions = n;
	return DatumGetFloat8(FunctionCall2(&distance->cosine,
										PointerGetDatum(distance->vectors[0]),
										PointerGetDatum(distance->vectors[1])));
}

/* ---- vectors of arguments ---- */

static KgError *
error_at(const char *path, const JsonbValue *got, const char *message,
		 const KgVectors *vectors)
{
	KgError *err = kg_error_new(KG_INVALID_INPUT, "%s", message);

	kg_error_path(err, "%s", path);
	if (got != NULL)
		kg_error_got(err, got);
	kg_error_expected(err,
					  "an array of %d numbers, computed by the model \"%s\"",
					  vectors->dimensions,
					  vectors->model);
	return err;
}

/*
 * Returns the number as a real, or infinity if it is out of the range of a
 * real.
 */
static float4
to_real(const JsonbValue *number)
{
	float8 value = DatumGetFloat8(DirectFunctionCall1(
		numeric_float8_no_overflow, NumericGetDatum(number->val.numeric)));

	return fabs(value) > FLT_MAX ? (float4) INFINITY : (float4) value;
}

ArrayType *
kg_real_array(int n)
{
	Size size = ARR_OVERHEAD_NONULLS(1) + (Size) n * sizeof(float4);
	ArrayType *array = palloc0(size);

	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->elemtype = FLOAT4OID;
	ARR_DIMS(array)[0] = n;
	ARR_LBOUND(array)[0] = 1;
	return array;
}

ArrayType *
kg_vector_read(const JsonbValue *value, const char *path,
			   const KgVectors *vectors, KgError **why)
{
	ArrayType *array;
	float4 *values;
	double square = 0;
	int n;

	if (!kg_json_is_array(value))
	{
		*why = error_at(
			path, value, "a vector must be an array of numbers", vectors);
		return NULL;
	}
	n = kg_json_length(kg_json_container(value));
	if (n != vectors->dimensions)
	{
		*why = error_at(path,
						NULL,
						psprintf("the vector has %d numbers, not %d",
								 n,
								 vectors->dimensions),
						vectors);
		return NULL;
	}
	array = kg_real_array(n);
	values = (float4 *) ARR_DATA_PTR(array);
	kg_json_each(it, kg_json_container(value))
	{
		values[it.index] = it.value.type == jbvNumeric ? to_real(&it.value)
													   : (float4) INFINITY;
		if (isinf(values[it.index]) || isnan(values[it.index]))
		{
			*why = error_at(
				psprintf("%s/%d", path, it.index),
				&it.value,
				"a vector must contain only numbers in the range of type real",
				vectors);
			return NULL;
		}
		square += (double) values[it.index] * values[it.index];
	}
	/*
	 * pgvector divides by the sum of squares, which it computes as a real, so
	 * the sum must not underflow or overflow.
	 */
	if (square < FLT_MIN || square > FLT_MAX)
	{
		*why = error_at(
			path,
			NULL,
			square == 0
				? "a vector of zeros has no direction"
				: "the length of the vector is too small or too great to "
				  "compare it with others",
			vectors);
		return NULL;
	}
	return array;
}
