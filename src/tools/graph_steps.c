/*
 * graph_steps.c
 *	  The argument "relationships": a chain of steps.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/settings.h"
#include "tools/graph.h"

/* {label?, filters?} as a test of nodes. */
void
kg_call_test(KgGraphCall *call, const JsonbContainer *object, const char *path,
			 bool label_required, KgStepSpec *step)
{
	static const char *const test_known[] = {"label", "filters"};
	KgNodeTest *test = &step->tests[step->ntests++];
	uint16 rank;

	kg_args_known(object, path, test_known, lengthof(test_known));
	if (label_required)
		kg_require_member(object, "label", path);
	memset(test, 0, sizeof(*test));
	test->type = kg_call_type(call, object, "label", path);
	if (test->type != NULL)
		rank = kg_graph_rank(call->graph, test->type->type_no);
	test->filters = kg_call_filters_over(
		call, object, path, test->type != NULL ? 1 : -1, &rank);
}

/*
 * The one relation that a step names, by the name it is stored under, also
 * where its inverse name asked for it; "*" where it may be another.
 */
static const char *
named_relation(const KgGraphCall *call, const KgRelationNames *names)
{
	const char *name = NULL;

	for (int i = 0; i < call->catalog->nrelations && !names->all; i++)
	{
		const KgRelation *relation = &call->catalog->relations[i];

		if (!kg_names_have(names, relation))
			continue;
		if (name != NULL && strcmp(name, relation->name) != 0)
			return "*";
		name = relation->name;
	}
	return name != NULL ? name : "*";
}

static void
read_step(KgGraphCall *call, KgSteps *steps, const JsonbContainer *object,
		  const char *path, int index)
{
	static const char *const step_known[] = {
		"type", "direction", "min_hops", "max_hops", "filters", "to"};
	KgStepSpec *step = &steps->specs[index];
	KgRelationNames names;
	const JsonbContainer *to;
	int64 min_hops = 1;
	int64 max_hops = 1;
	bool has_max;

	kg_args_known(object, path, step_known, lengthof(step_known));
	kg_require_member(object, "type", path);
	names = kg_call_relation_names(call, object, "type", path);
	kg_call_follow(call,
				   &names,
				   kg_call_direction(object, path, KG_OUTGOING),
				   &step->follow);
	kg_call_edge_filters(call, &names, object, path, &step->follow);
	(void) kg_args_int(object,
					   "min_hops",
					   path,
					   1,
					   kg_max_hops(KG_MAX_STEP_HOPS),
					   &min_hops,
					   &call->repairs);
	has_max = kg_args_int(object,
						  "max_hops",
						  path,
						  1,
						  kg_max_hops(KG_MAX_STEP_HOPS),
						  &max_hops,
						  &call->repairs);
	if (min_hops > max_hops)
	{
		KgError *err = kg_error_new(KG_INVALID_INPUT,
									"min_hops (" INT64_FORMAT
									") is greater than max_hops (" INT64_FORMAT
									"%s)",
									min_hops,
									max_hops,
									has_max ? "" : ", the default");

		kg_error_path(err, "%s", kg_path_member(path, "min_hops"));
		kg_error_expected(err, "at most max_hops");
		kg_error_throw(err);
	}
	step->min_hops = (int) min_hops;
	step->max_hops = (int) max_hops;
	steps->types[index] = named_relation(call, &names);
	to = kg_args_object(object, "to", path);
	if (to != NULL)
		kg_call_test(call, to, kg_path_member(path, "to"), false, step);
}

void
kg_call_steps(KgGraphCall *call, bool required, KgSteps *steps)
{
	const JsonbContainer *array;
	KgJsonIter it;
	int n;

	memset(steps, 0, sizeof(*steps));
	if (required)
		kg_require_member(call->args, "relationships", "");
	array = kg_args_objects(call->args, "relationships", "", "type");
	if (array == NULL)
		return;
	n = kg_json_length(array);
	if (n < 1 || n > kg_setting_max_steps)
	{
		JsonbValue got = kg_json_string_value(psprintf("%d steps", n));

		kg_error_throw(kg_args_error(
			"/relationships",
			&got,
			psprintf("an array of 1 to %d steps", kg_setting_max_steps)));
	}
	kg_json_iter_init(&it, array);
	while (kg_json_iter_next(&it))
	{
		char *path = kg_path_index("/relationships", it.index);

		read_step(
			call, steps, kg_args_item(&it.value, path, "type"), path, it.index);
		steps->n++;
	}
}
