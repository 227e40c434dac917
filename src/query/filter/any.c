/*
 * any.c
 *	  Alternatives: the member "any" of filters.
 *
 * A filter is true if all its conditions are true and, if it has alternatives,
 * at least one alternative is true. An alternative is a filter without
 * alternatives.
 */
#include "postgres.h"

#include "query/filter/any.h"
#include "query/argument/repair.h"

const char *
kg_any_name(const char *name)
{
	return strcmp(name, KG_ANY_PROPERTY) == 0 ? KG_ANY : name;
}

/*
 * Returns whether the object has an operator: it is then a condition on a
 * property named "any", not filters.
 */
static bool
has_operator(const JsonbContainer *object)
{
	KgOp op;

	kg_json_each(it, object)
	{
		char *name = kg_json_cstring(&it.key);

		if (kg_op_lookup(name, &op) || kg_op_condition(name, &it.value) != NULL)
			return true;
	}
	return false;
}

/*
 * Adds a correction to the error about a single alternative: its filters become
 * filters that must all be true.
 */
static void
instead_of_one(KgError *err, const char *path)
{
	char *above = pnstrdup(path, strlen(path) - strlen("/" KG_ANY));
	JsonbValue any;
	JsonbValue filters;
	JsonbValue taken;
	KgJsonWriter w;

	if (!kg_repair_value_at(path, &any) || !kg_repair_value_at(above, &filters))
		return;
	if (kg_json_is_array(&any))
	{
		if (!kg_repair_value_at(kg_path_index(path, 0), &any))
			return;
	}
	/* Several filters without an array may be meant as alternatives. */
	else if (kg_json_is_object(&any) &&
			 kg_json_length(kg_json_container(&any)) > 1)
		return;
	if (!kg_json_is_object(&any) || !kg_json_is_object(&filters) ||
		has_operator(kg_json_container(&any)))
		return;
	kg_jw_init_object(&w);
	kg_json_each(it, kg_json_container(&filters))
	{
		if (kg_json_string_is(&it.key, KG_ANY))
			continue;
		if (kg_json_get(kg_json_container(&any),
						kg_json_cstring(&it.key),
						&taken) != NULL)
			return;
		kg_jw_member(&w, &it);
	}
	kg_jw_members(&w, kg_json_container(&any));
	kg_error_instead(err, above, kg_jw_finish(&w));
}

static KG_NORETURN void
throw_alternatives(const JsonbValue *got, int n, const char *path)
{
	KgError *err = kg_args_error(
		path,
		got,
		psprintf(
			"an array of %d to %d alternatives, each an object of filters; a "
			"filter on a property of this name has the key \"" KG_ANY_PROPERTY
			"\"",
			KG_MIN_ALTERNATIVES,
			KG_MAX_ALTERNATIVES));

	if (n == 1)
		instead_of_one(err, path);
	kg_error_throw(err);
}

static const JsonbContainer *
alternative(const JsonbValue *value, const char *path)
{
	JsonbValue nested;
	const JsonbContainer *object;

	if (!kg_json_is_object(value) ||
		kg_json_length(kg_json_container(value)) == 0)
		kg_error_throw(kg_args_error(
			path, value, "an object with a filter for at least one property"));
	object = kg_json_container(value);
	if (kg_json_get(object, KG_ANY, &nested) != NULL)
	{
		KgError *err = kg_error_new(
			KG_INVALID_INPUT, "an alternative cannot contain alternatives");

		kg_error_path(err, "%s", kg_path_member(path, KG_ANY));
		kg_error_got(err, &nested);
		kg_error_throw_expected(
			err,
			"filters that must all be true, in each alternative; a filter on a "
			"property of this name has the key \"" KG_ANY_PROPERTY "\"");
	}
	return object;
}

void
kg_any_parse(KgFilter *filter, const JsonbValue *value, const char *path)
{
	const JsonbContainer *array;
	int n;

	if (!kg_json_is_array(value))
		throw_alternatives(value, 1, path);
	array = kg_json_container(value);
	n = kg_json_length(array);
	if (n < KG_MIN_ALTERNATIVES || n > KG_MAX_ALTERNATIVES)
	{
		JsonbValue got = kg_json_string_value(
			psprintf("%d %s", n, n == 1 ? "alternative" : "alternatives"));

		throw_alternatives(&got, n, path);
	}
	filter->any = palloc(n * sizeof(KgFilter *));
	kg_json_each(it, array)
	{
		char *item = kg_path_index(path, it.index);

		filter->any[filter->nany++] = kg_filter_parse(
			alternative(&it.value, item), item);
	}
}

void
kg_any_analyse_over(KgFilter *parsed, const KgFilterTarget *targets,
					int ntargets, KgFilter **analysed, KgRepairs *repairs)
{
	if (parsed->nany == 0)
		return;
	for (int t = 0; t < ntargets; t++)
		if (analysed[t] != NULL)
			analysed[t]->any = palloc(parsed->nany * sizeof(KgFilter *));
	for (int i = 0; i < parsed->nany; i++)
	{
		KgFilter **one = kg_filter_analyse_over(
			parsed->any[i], targets, ntargets, repairs);

		for (int t = 0; t < ntargets; t++)
			if (analysed[t] != NULL && one[t] != NULL)
				analysed[t]->any[analysed[t]->nany++] = one[t];
	}
	for (int t = 0; t < ntargets; t++)
		if (analysed[t] != NULL && analysed[t]->nany == 0)
			analysed[t] = NULL;
}

const KgCondition *
kg_any_condition(const KgFilter *filter, int i)
{
	if (i < filter->nconditions)
		return &filter->conditions[i];
	i -= filter->nconditions;
	for (int a = 0; a < filter->nany; a++)
	{
		if (i < filter->any[a]->nconditions)
			return &filter->any[a]->conditions[i];
		i -= filter->any[a]->nconditions;
	}
	return NULL;
}
