/*
 * graph/keep_measure.c
 *	  kg_keep_measure(): writes a measure to a property of entities.
 *
 * The values are computed once, at the time of the call. They are written like
 * any other change of an entity: with the rights of the caller, checked by the
 * schema, and recorded in the history. Values that did not change are not
 * written.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "auth/visibility.h"
#include "base/catch.h"
#include "base/error.h"
#include "miscadmin.h"
#include "model/bound_table.h"
#include "model/writer.h"
#include "query/run/running.h"
#include "store/entity/put.h"
#include "tools/graph/analyze.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

/* Number of entities that one call of the writing function updates. */
#define KG_KEPT_AT_ONCE 5000

typedef struct Keeping
{
	const char *type;
	const KgField *field;
	KgMeasured measured;
	/*
	 * indexes of the entities, sorted by id; other writers lock entities in
	 * this order, too
	 */
	uint32 *order;
	int64 updated;
	int64 unchanged;
} Keeping;

/*
 * Returns whether a measure can be written to the property. It must be a number
 * at the top level of documents, which is not computed, not the id and not a
 * reference.
 */
static bool
is_number(const KgType *type, const KgField *field)
{
	return field->nsteps == 1 && !field->derived && field != type->id_field &&
		   field->ref_type == NULL &&
		   (field->kind == KG_KIND_NUMBER || field->kind == KG_KIND_INTEGER);
}

static KG_NORETURN void
throw_property(const KgType *type, const char *name, bool whole,
			   const char *expected)
{
	KgError *err = kg_error_new(
		KG_INVALID_INPUT,
		"a measure cannot be written to property \"%s\" of "
		"entity type \"%s\"",
		name,
		kg_type_handle(type));

	kg_error_path(err, "/property");
	kg_error_got_string(err, name);
	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];

		if (is_number(type, field) && (whole || field->kind == KG_KIND_NUMBER))
			kg_error_allow(err, field->name);
	}
	kg_error_throw_expected(err, "%s", expected);
}

/*
 * Returns the property, which must be a number at the top level of documents.
 */
static const KgField *
find_property(const KgType *type, const char *name)
{
	const KgField *field = kg_type_field(type, name);

	if (field == NULL || !is_number(type, field) ||
		strcmp(field->steps[0].key, name) != 0)
		throw_property(type,
					   name,
					   true,
					   "a declared property of type number or integer at the "
					   "root, which is not the id, a reference or a count");
	return field;
}

static int
compare_ids(const void *a, const void *b, void *arg)
{
	char *const *ids = arg;

	return strcmp(ids[*(const uint32 *) a], ids[*(const uint32 *) b]);
}

/* Returns update items [{id, set: {property: value}}] for n entities. */
static Jsonb *
items_of(const Keeping *k, uint32 first, uint32 n)
{
	KgJsonWriter w;

	kg_jw_init_array(&w);
	for (uint32 i = first; i < first + n; i++)
	{
		Datum value = Float8GetDatum(k->measured.values[k->order[i]]);

		kg_jw_begin_object(&w);
		kg_jw_kstring(&w, "id", k->measured.ids[k->order[i]]);
		kg_jw_kbegin_object(&w, "set");
		kg_jw_key(&w, k->field->steps[0].key);
		kg_jw_numeric(
			&w, DatumGetNumeric(DirectFunctionCall1(float8_numeric, value)));
		kg_jw_end_object(&w);
		kg_jw_end_object(&w);
	}
	return kg_jw_finish(&w);
}

/*
 * Writes the values of n entities. An entity that was deleted after the
 * measurement is not an error.
 */
static void
write_some(Keeping *k, uint32 first, uint32 n)
{
	KgOutcomes *outcomes = kg_outcomes_make("entities", n, false, false);

	kg_entities_put(
		k->type, &items_of(k, first, n)->root, KG_PUT_UPDATE, outcomes);
	for (uint32 i = 0; i < n; i++)
	{
		const KgOutcome *outcome = &outcomes->items[i];

		k->updated += outcome->verdict == KG_VERDICT_UPDATED;
		k->unchanged += outcome->verdict == KG_VERDICT_UNCHANGED;
		if (outcome->verdict == KG_VERDICT_ERROR)
		{
			KgError *err = linitial(outcome->errors.errors);

			if (kg_error_code(err) == KG_NOT_FOUND)
				continue;
			kg_error_path(err, "/property");
			kg_error_throw(err);
		}
	}
}

static void
write_all(void *arg)
{
	Keeping *k = arg;
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph kept measure", ALLOCSET_DEFAULT_SIZES);

	k->updated = k->unchanged = 0;
	for (uint32 i = 0; i < k->measured.n; i += KG_KEPT_AT_ONCE)
	{
		MemoryContext old = MemoryContextSwitchTo(scratch);

		CHECK_FOR_INTERRUPTS();
		write_some(k, i, Min(k->measured.n - i, KG_KEPT_AT_ONCE));
		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
	}
	MemoryContextDelete(scratch);
}

static void
write_again(void *arg)
{
	kg_again(write_all, arg);
}

typedef struct Reading
{
	const KgType *type;
	const Jsonb *arguments;
	KgMeasured *measured;
	KgJsonWriter *w;
} Reading;

static void
measure_type(void *arg)
{
	const Reading *r = arg;

	kg_analyze_type(r->type, r->arguments, r->measured, r->w);
}

Jsonb *
kg_keep_measure(const char *name, const char *property, const Jsonb *arguments)
{
	KgWriter writer = {.tool = "kg_keep_measure"};
	Keeping k = {0};
	const KgType *type;
	KgJsonWriter w;

	(void) kg_identity_require(KG_ACCESS_ADMIN);
	if (!kg_visibility_is_whole())
		kg_visibility_refuse_part("keep a measure",
								  "a caller that sees all of the tenant");
	type = kg_catalog_require_type(kg_running_catalog(), name, "/entity_type");
	kg_binding_refuse(type, "a kept measure");
	k.type = psprintf("%s/%s", type->bundle, type->name);
	k.field = find_property(type, property);
	kg_jw_init_object(&w);
	/* The limits of a call that reads apply. */
	kg_running_read(measure_type, &(Reading){type, arguments, &k.measured, &w});
	if (k.field->kind == KG_KIND_INTEGER && !k.measured.whole)
		throw_property(
			type,
			property,
			false,
			"a property of type number, because values of this measure "
			"are not integers");
	k.order = MemoryContextAllocHuge(CurrentMemoryContext,
									 (k.measured.n + 1) * sizeof(uint32));
	for (uint32 i = 0; i < k.measured.n; i++)
		k.order[i] = i;
	qsort_arg(
		k.order, k.measured.n, sizeof(uint32), compare_ids, k.measured.ids);
	kg_writer_run(&writer, write_again, &k);
	kg_jw_kbegin_object(&w, "counts");
	kg_jw_kint(&w, "updated", k.updated);
	kg_jw_kint(&w, "unchanged", k.unchanged);
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}
