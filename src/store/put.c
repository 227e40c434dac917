/*
 * put.c
 *	  What writing entities and edges set by set has in common: options, the
 *	  outcome of each item, the result.
 */
#include "postgres.h"

#include "base/json.h"
#include "base/settings.h"
#include "store/check.h"
#include "store/payload.h"
#include "store/put.h"

/* Errors kept of one item. */
#define KG_ERRORS_PER_ITEM 10

static bool
read_atomic(const Jsonb *options)
{
	static const char *const known[] = {"atomic", "idempotency_key", NULL};
	JsonbValue value;
	KgError *err;

	kg_check_options(options, known);
	if (!kg_json_get(&options->root, "atomic", &value))
		return false;
	if (value.type == jbvBool)
		return value.val.boolean;
	err = kg_error_new(KG_INVALID_INPUT, "option \"atomic\" is not valid");
	kg_error_path(err, "/atomic");
	kg_error_got(err, &value);
	kg_error_expected(err, "true or false");
	kg_error_throw(err);
}

KgOutcomes *
kg_outcomes_make(const char *what, int n, const Jsonb *options)
{
	KgOutcomes *outcomes = palloc0(sizeof(KgOutcomes));

	outcomes->what = what;
	outcomes->atomic = read_atomic(options);
	outcomes->n = n;
	outcomes->items = MemoryContextAllocExtended(
		CurrentMemoryContext,
		(Size) Max(1, n) * sizeof(KgOutcome),
		MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int i = 0; i < n; i++)
		outcomes->items[i].errors.limit = KG_ERRORS_PER_ITEM;
	return outcomes;
}

const JsonbContainer *
kg_outcomes_items(const Jsonb *items)
{
	int64 limit = (int64) kg_setting_max_bundle_bytes * 1024;
	KgError *err;

	if (VARSIZE(items) > limit)
	{
		err = kg_error_new(KG_LIMIT_EXCEEDED,
						   "items have %d bytes; kg_graph.max_bundle_bytes "
						   "allows " INT64_FORMAT,
						   (int) VARSIZE(items),
						   limit);
		kg_error_path(err, "/items");
		kg_error_expected(err, "fewer items at a time");
		kg_error_throw(err);
	}
	if (!JsonContainerIsArray(&items->root) ||
		JsonContainerIsScalar(&items->root))
	{
		err = kg_error_new(KG_INVALID_INPUT, "items must be an array");
		kg_error_path(err, "/items");
		kg_error_expected(err, "an array of objects");
		kg_error_throw(err);
	}
	return &items->root;
}

void
kg_outcome_error(KgOutcome *outcome, KgError *err)
{
	kg_error_report(&outcome->errors, err);
}

void
kg_outcomes_settle(KgOutcomes *outcomes)
{
	KgErrorList all = {NIL, kg_setting_max_errors, 0};

	for (int i = 0; i < outcomes->n; i++)
	{
		KgOutcome *item = &outcomes->items[i];
		ListCell *lc;

		if (item->errors.total == 0)
			continue;
		item->verdict = KG_VERDICT_ERROR;
		foreach(lc, item->errors.errors)
			kg_error_report(&all, lfirst(lc));
		all.total += item->errors.total - list_length(item->errors.errors);
	}
	if (outcomes->atomic)
		kg_throw_violations(&all, psprintf("%s are not valid", outcomes->what));
}

static void
put_outcome(KgJsonWriter *w, const KgOutcome *item, const char *verdict)
{
	KgError *first;

	kg_jw_begin_object(w);
	if (item->id)
		kg_jw_kstring(w, "id", item->id);
	kg_jw_kstring(w, "verdict", verdict);
	if (item->verdict == KG_VERDICT_ERROR)
	{
		first = linitial(item->errors.errors);
		if (item->errors.total > 1)
			kg_error_errors(first, kg_error_array(&item->errors));
		kg_jw_kjsonb(w, "error", kg_error_object(first));
	}
	kg_jw_end_object(w);
}

Jsonb *
kg_outcomes_result(const KgOutcomes *outcomes)
{
	static const char *const names[] = {"error",
										"created",
										"updated",
										"unchanged",
										"deleted",
										"not_found",
										"error"};
	int64 counts[lengthof(names)] = {0};
	KgJsonWriter w;

	kg_jw_init(&w);
	kg_jw_begin_object(&w);
	kg_jw_key(&w, "items");
	kg_jw_begin_array(&w);
	for (int i = 0; i < outcomes->n; i++)
	{
		const KgOutcome *item = &outcomes->items[i];

		counts[item->verdict]++;
		put_outcome(&w, item, names[item->verdict]);
	}
	kg_jw_end_array(&w);
	kg_jw_key(&w, "counts");
	kg_jw_begin_object(&w);
	for (int i = KG_VERDICT_CREATED; i <= KG_VERDICT_ERROR; i++)
		if (counts[i] > 0)
			kg_jw_kint(&w, names[i], counts[i]);
	kg_jw_end_object(&w);
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}
