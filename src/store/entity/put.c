/*
 * put.c
 *	  Common functions for writing sets of entities and edges: options, the
 *	  outcome of each item, and the result.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "base/catch.h"
#include "base/json.h"
#include "base/settings.h"
#include "base/splice.h"
#include "mb/pg_wchar.h"
#include "model/marks.h"
#include "model/tenant_state.h"
#include "model/writer.h"
#include "miscadmin.h"
#include "store/check/check.h"
#include "store/entity/put.h"
#include "store/idempotency.h"
#include "utils/memutils.h"

/* Maximal number of errors stored per item. */
#define KG_ERRORS_PER_ITEM 10

bool
kg_put_is_dry(const Jsonb *options)
{
	return JB_ROOT_IS_OBJECT(options) && kg_option_is_on(options, "dry_run");
}

const char *
kg_put_reason(const Jsonb *options)
{
	JsonbValue value;

	if (!JB_ROOT_IS_OBJECT(options) ||
		kg_json_get(&options->root, "reason", &value) == NULL)
		return NULL;
	if (value.type != jbvString ||
		pg_mbstrlen_with_len(value.val.string.val, value.val.string.len) >
			KG_MAX_REASON_CHARS)
		kg_error_throw_option(
			"reason",
			&value,
			psprintf("a string of at most %d characters", KG_MAX_REASON_CHARS));
	return kg_json_cstring(&value);
}

KgOutcomes *
kg_outcomes_make(const char *what, int n, bool atomic, bool told)
{
	KgOutcomes *outcomes = palloc0(sizeof(KgOutcomes));

	outcomes->what = what;
	outcomes->atomic = atomic;
	outcomes->told = told;
	outcomes->n = n;
	outcomes->items = MemoryContextAllocExtended(
		CurrentMemoryContext,
		(Size) Max(1, n) * sizeof(KgOutcome),
		MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int i = 0; i < n; i++)
		outcomes->items[i].errors.limit = KG_ERRORS_PER_ITEM;
	return outcomes;
}

KgOutcomes *
kg_outcomes_of_options(const char *what, int n, const Jsonb *options, bool told)
{
	static const char *const known[] = {
		"atomic", "idempotency_key", "dry_run", "reason", NULL};
	KgOutcomes *outcomes;

	kg_check_options(options, known);
	outcomes = kg_outcomes_make(
		what, n, kg_option_is_on(options, "atomic"), told);
	outcomes->stored = kg_idempotency_key(options) != NULL;
	return outcomes;
}

const JsonbContainer *
kg_outcomes_items(const Jsonb *items)
{
	int64 limit = (int64) kg_setting_max_bundle_bytes * 1024;

	if (VARSIZE(items) > limit)
		KG_THROW(KG_LIMIT_EXCEEDED,
				 .message = psprintf(
					 "items have %d bytes; kg_graph.max_bundle_bytes "
					 "allows " INT64_FORMAT,
					 (int) VARSIZE(items),
					 limit),
				 .path = "/items",
				 .expected = "fewer items at a time");
	if (!JsonContainerIsArray(&items->root) ||
		JsonContainerIsScalar(&items->root))
		KG_THROW(KG_INVALID_INPUT,
				 .message = "items must be an array",
				 .path = "/items",
				 .expected = "an array of objects");
	return &items->root;
}

void
kg_outcome_error(KgOutcome *outcome, KgError *err)
{
	kg_error_report(&outcome->errors, err);
}

bool
kg_outcome_is_object(KgOutcome *outcome, const JsonbValue *item,
					 const char *path, const char *expected)
{
	KgError *err;

	if (kg_json_is_object(item))
		return true;
	err = kg_error_new(KG_INVALID_INPUT, "an item is not an object");
	kg_error_path(err, "%s", path);
	kg_error_got(err, item);
	kg_error_expected(err, "%s", expected);
	kg_outcome_error(outcome, err);
	return false;
}

#define KG_MAX_HINTED_IDS 5

Jsonb *
kg_outcomes_nearest(KgOutcomes *outcomes, const KgType *type, const char *id)
{
	Jsonb *nearest;

	if (outcomes->nearest == NULL || outcomes->hinted == KG_MAX_HINTED_IDS)
		return NULL;
	outcomes->hinted++;
	nearest = outcomes->nearest(type, id);
	return kg_json_length(&nearest->root) > 0 ? nearest : NULL;
}

const char *(*kg_merged_into)(const KgType *type, const char *id) = NULL;

const char *
kg_outcomes_merged_into(KgOutcomes *outcomes, const KgType *type,
						const char *id)
{
	/*
	 * The reply of a call that is not atomic may be stored for an idempotency
	 * key and returned later, when the caller may not see the other entity any
	 * more.
	 */
	if ((outcomes->stored && !outcomes->atomic) ||
		outcomes->nfollowed == KG_MAX_HINTED_IDS)
		return NULL;
	outcomes->nfollowed++;
	return kg_merged_into(type, id);
}

static bool
is_item(const KgOutcomes *outcomes, const char *id)
{
	for (int i = 0; i < outcomes->n; i++)
		if (outcomes->items[i].id != NULL &&
			strcmp(outcomes->items[i].id, id) == 0)
			return true;
	return false;
}

bool
kg_outcomes_tell_merged(KgOutcomes *outcomes, KgError *err, const KgType *type,
						const char *id, const char *given)
{
	const char *into = kg_outcomes_merged_into(outcomes, type, id);
	KgInstead change = {.kind = KG_INSTEAD_VALUE,
						.path = kg_error_said(err)->path};
	JsonbValue got = kg_json_string_value(given);
	JsonbValue value;

	if (into == NULL)
		return false;
	value = kg_json_string_value(
		psprintf("%.*s%s", (int) (strlen(given) - strlen(id)), given, into));
	kg_error_member(err, "merged_into", kg_json_datum(&value));
	/* A call names the entity of an item only once. */
	if (kg_error_code(err) == KG_NOT_FOUND && is_item(outcomes, into))
		return true;
	if (type->number_ids && strcmp(given, id) == 0)
	{
		(void) kg_json_number_of(&got, &got);
		(void) kg_json_number_of(&value, &value);
	}
	change.got = kg_json_datum(&got);
	change.value = kg_json_datum(&value);
	kg_error_change(err, &change);
	return true;
}

void
kg_outcomes_report_missing(KgOutcomes *outcomes, int i, const KgType *type,
						   const char *path)
{
	KgOutcome *outcome = &outcomes->items[i];
	KgError *err = kg_error_new(
		KG_NOT_FOUND, "no entity of type \"%s\" has this id", type->name);

	kg_error_path(err, "%s", path);
	kg_error_entity(err, kg_type_handle(type), outcome->id);
	kg_error_got_string(err, outcome->id);
	kg_error_expected(err, "the id of an existing entity");
	if (!kg_outcomes_tell_merged(outcomes, err, type, outcome->id, outcome->id))
		kg_error_nearest(err, kg_outcomes_nearest(outcomes, type, outcome->id));
	kg_outcome_error(outcome, err);
}

/* Maximum number of items whose verdicts are in the error of a failed call. */
#define KG_TOLD_ITEMS 1000

static void
put_outcome(KgJsonWriter *w, const KgOutcome *item, const char *verdict)
{
	KgError *first;

	kg_jw_begin_object(w);
	kg_jw_kstring_if(w, "id", item->id);
	if (item->generated && item->verdict != KG_VERDICT_ERROR)
		kg_jw_kbool(w, "generated", true);
	kg_jw_kstring(w, "verdict", verdict);
	if (item->version > 0 && item->verdict != KG_VERDICT_ERROR)
		kg_jw_kint(w, "version", item->version);
	kg_jw_kstring_if(w, "merged_into", item->merged_into);
	kg_jw_kjsonb_if(w, "nearest", item->nearest);
	if (item->changed && item->verdict == KG_VERDICT_UPDATED)
		kg_jw_kjsonb(w, "changed", item->changed);
	if (item->verdict == KG_VERDICT_ERROR)
	{
		first = linitial(item->errors.errors);
		if (item->errors.total > 1)
			kg_error_errors(first, kg_error_array(&item->errors));
		kg_jw_kjsonb(w, "error", kg_error_object(first));
	}
	kg_jw_end_object(w);
}

static void
put_code(KgJsonWriter *w, const KgError *err)
{
	kg_jw_kbegin_object(w, "error");
	kg_jw_kstring(w, "code", kg_error_code_name(kg_error_code(err)));
	kg_jw_kstring(w, "message", kg_error_message(err));
	kg_jw_end_object(w);
}

/*
 * Returns the verdicts of a call that writes nothing because some items are
 * invalid, for at most KG_TOLD_ITEMS items. The faults of each item are in the
 * list of errors of the call.
 */
static Jsonb *
verdicts_of_failed(const KgOutcomes *outcomes)
{
	KgJsonWriter w;

	kg_jw_init_array(&w);
	for (int i = 0; i < Min(outcomes->n, KG_TOLD_ITEMS); i++)
	{
		const KgOutcome *item = &outcomes->items[i];
		bool failed = item->verdict == KG_VERDICT_ERROR;

		kg_jw_begin_object(&w);
		kg_jw_kstring_if(&w, "id", item->id);
		kg_jw_kstring(&w, "verdict", failed ? "error" : "not_written");
		if (failed)
			put_code(&w, linitial(item->errors.errors));
		kg_jw_end_object(&w);
	}
	return kg_jw_finish(&w);
}

static KG_NORETURN void
throw_all(const KgOutcomes *outcomes, const KgErrorList *all)
{
	KgError *err;

	Jsonb *call = outcomes->complete ? outcomes->complete(outcomes, all) : NULL;

	err = kg_violations_error(all,
							  psprintf("%s are not valid", outcomes->what));
	if (call != NULL)
		kg_error_member(err, "call", call);
	if (outcomes->told)
		kg_error_member(err, "items", verdicts_of_failed(outcomes));
	kg_error_throw(err);
}

void
kg_outcomes_settle(KgOutcomes *outcomes, const char *tenant)
{
	KgErrorList all = {NIL, kg_setting_max_errors, 0};
	bool missing = false;

	for (int i = 0; i < outcomes->n; i++)
	{
		KgOutcome *item = &outcomes->items[i];
		ListCell *lc;

		missing |= item->verdict == KG_VERDICT_NOT_FOUND;
		if (item->errors.total == 0)
			continue;
		item->verdict = KG_VERDICT_ERROR;
		foreach(lc, item->errors.errors)
			kg_error_report(&all, lfirst(lc));
		all.total += item->errors.total - list_length(item->errors.errors);
	}
	if (missing || all.total > 0)
	{
		kg_tenant_require_name(tenant);
		/*
		 * If the caller lost its write access during the call, the statements
		 * found no rows to write.
		 */
		if (kg_identity_tenant(KG_ACCESS_WRITE) == NULL)
			(void) kg_identity_require(KG_ACCESS_WRITE);
	}
	if (outcomes->atomic && all.total > 0)
		throw_all(outcomes, &all);
}

/* Returns whether the report of an update contains the change of a property. */
static bool
tells_change(const KgOutcomes *outcomes, const char *property)
{
	for (int i = 0; i < outcomes->n; i++)
	{
		const KgOutcome *item = &outcomes->items[i];
		JsonbValue value;

		if (item->changed == NULL || item->verdict != KG_VERDICT_UPDATED)
			continue;
		kg_json_each(it, &item->changed->root)
			if (kg_json_get(kg_json_container(&it.value), "property", &value) &&
				kg_json_string_is(&value, property))
				return true;
	}
	return false;
}

static void
write_marks(const KgOutcomes *outcomes, KgJsonWriter *w)
{
	const KgType *type = outcomes->type;
	KgMarks marks = {NIL};

	for (int i = 0; type != NULL && i < type->nfields; i++)
		if (type->fields[i].untrusted &&
			tells_change(outcomes, type->fields[i].steps[0].key))
			kg_marks_note(&marks, &type->fields[i], type->fields[i].name);
	kg_marks_write(&marks, w);
}

static void
write_outcomes(const KgOutcomes *outcomes, KgJsonWriter *w)
{
	static const char *const names[] = {"error",
										"created",
										"updated",
										"unchanged",
										"deleted",
										"merged",
										"not_found",
										"error"};
	int64 counts[lengthof(names)] = {0};

	kg_jw_kbegin_array(w, "items");
	for (int i = 0; i < outcomes->n; i++)
	{
		const KgOutcome *item = &outcomes->items[i];

		counts[item->verdict]++;
		put_outcome(w, item, names[item->verdict]);
	}
	kg_jw_end_array(w);
	kg_jw_kbegin_object(w, "counts");
	for (int i = KG_VERDICT_CREATED; i <= KG_VERDICT_ERROR; i++)
		if (counts[i] > 0)
			kg_jw_kint(w, names[i], counts[i]);
	kg_jw_end_object(w);
	write_marks(outcomes, w);
}

Jsonb *
kg_outcomes_result(const KgOutcomes *outcomes)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	write_outcomes(outcomes, &w);
	if (outcomes->beside != NULL)
		kg_jw_members(&w, &outcomes->beside->root);
	return kg_jw_finish(&w);
}

typedef struct DryRun
{
	Jsonb *(*work)(void *arg);
	void *arg;
	Jsonb *result;
} DryRun;

static void
run_dry(void *arg)
{
	DryRun *run = arg;

	run->result = run->work(run->arg);
}

Jsonb *
kg_put_dry(Jsonb *(*work)(void *arg), void *arg)
{
	DryRun run = {work, arg};
	ErrorData *edata = kg_catch(KG_CATCH_UNDO, run_dry, &run);
	KgSplice reply;
	JsonbValue value;

	if (edata != NULL)
		ReThrowError(edata);
	kg_splice_init(&reply);
	kg_json_each(it, &run.result->root)
	{
		/* The transaction of the changes was rolled back with them. */
		if (kg_json_string_is(&it.key, "transaction"))
			continue;
		value = it.value;
		kg_splice_add(&reply, kg_json_cstring(&it.key), &value);
	}
	kg_splice_bool(&reply, "dry_run", true);
	return kg_splice_finish(&reply);
}

static int
compare_items(const void *a, const void *b, void *arg)
{
	const KgOutcome *items = ((const KgOutcomes *) arg)->items;
	int x = *(const int *) a;
	int y = *(const int *) b;
	int order;

	if (items[x].id == NULL || items[y].id == NULL)
		return (items[x].id != NULL) - (items[y].id != NULL);
	order = strcmp(items[x].id, items[y].id);
	return order != 0 ? order : x < y ? -1 : x > y;
}

int *
kg_outcomes_order(KgOutcomes *outcomes)
{
	int *order = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) Max(1, outcomes->n) * sizeof(int));

	for (int i = 0; i < outcomes->n; i++)
		order[i] = i;
	qsort_arg(order, outcomes->n, sizeof(int), compare_items, outcomes);
	return order;
}

void
kg_outcomes_each(const KgOutcomes *outcomes, const int *order, int batch,
				 KgOutcomesWork work, void *arg)
{
	int *rows = palloc(batch * sizeof(int));
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph items", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	int n = 0;

	for (int i = 0; i < outcomes->n; i++)
	{
		if (outcomes->items[order[i]].errors.total == 0)
			rows[n++] = order[i];
		if (n < batch && i + 1 < outcomes->n)
			continue;
		CHECK_FOR_INTERRUPTS();
		if (n > 0)
			work(arg, rows, n);
		MemoryContextSwitchTo(context);
		MemoryContextReset(context);
		n = 0;
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	pfree(rows);
}

void
kg_outcomes_twice(KgOutcomes *outcomes, int i, const KgType *type)
{
	KgOutcome *outcome = &outcomes->items[i];
	KgError *err = kg_error_new(
		KG_ALREADY_EXISTS, "id \"%s\" is among the items twice", outcome->id);

	kg_error_entity(err, kg_type_handle(type), outcome->id);
	kg_error_path(err, "/items/%d", i);
	kg_error_got_string(err, outcome->id);
	kg_error_expected(err, "each id once");
	kg_outcome_error(outcome, err);
}
