/*
 * graph/steps.c
 *	  The argument "relationships": a chain of steps.
 */
#include "postgres.h"

#include "base/error.h"
#include "tools/graph/graph.h"

/* {label?, filters?} as a test of nodes. */
void
kg_call_test(KgGraphCall *call, const KgInput *in, KgStepSpec *step)
{
	KgNodeTest *test = &step->tests[step->ntests++];
	uint16 rank;

	memset(test, 0, sizeof(*test));
	test->type = kg_call_type(call, in, "label");
	if (test->type != NULL)
		test->rank = rank = kg_graph_rank(call->graph, test->type->type_no);
	test->filters = kg_call_filters_over(
		call, in, test->type != NULL ? 1 : -1, &rank);
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
read_hops(const KgInput *in, KgStepSpec *step)
{
	int64 min_hops = 1;
	int64 max_hops = 1;
	bool has_max;
	KgError *err;

	(void) kg_input_int(in, "min_hops", &min_hops);
	has_max = kg_input_int(in, "max_hops", &max_hops);
	step->min_hops = (int) min_hops;
	step->max_hops = (int) max_hops;
	if (min_hops <= max_hops)
		return;
	err = kg_error_new(KG_INVALID_INPUT,
					   "min_hops (" INT64_FORMAT
					   ") is greater than max_hops (" INT64_FORMAT "%s)",
					   min_hops,
					   max_hops,
					   has_max ? "" : ", the default");
	kg_error_path(err, "%s", kg_input_path(in, "min_hops"));
	kg_error_throw_expected(err, "at most max_hops");
}

static void
read_step(KgGraphCall *call, KgSteps *steps, const KgInput *in)
{
	KgStepSpec *step = &steps->specs[steps->n];
	KgRelationNames names = kg_call_relation_names(call, in, "type");
	KgInput to;

	step->incoming = kg_call_direction(in) == KG_INCOMING;
	kg_call_follow(call, &names, kg_call_direction(in), &step->follow);
	kg_call_edge_filters(call, &names, in, &step->follow);
	read_hops(in, step);
	steps->types[steps->n++] = named_relation(call, &names);
	if (kg_input_object(in, "to", &to))
		kg_call_test(call, &to, step);
}

void
kg_call_steps(KgGraphCall *call, KgSteps *steps)
{
	int n = kg_input_objects(&call->input, "relationships", "type", "steps");

	memset(steps, 0, sizeof(*steps));
	for (int i = 0; i < n; i++)
	{
		KgInput step;

		kg_input_item(&call->input, "relationships", i, "type", &step);
		read_step(call, steps, &step);
	}
}
