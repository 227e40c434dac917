/*
 * graph/steps.c
 *	  Reads the argument "relationships": a chain of steps.
 */
#include "postgres.h"

#include "base/error.h"
#include "tools/graph/graph.h"

/*
 * Returns the type of the end: the type of the label, or, if filters on paths
 * need a type, the only type to which the step can lead; else NULL.
 */
static const KgType *
end_type(KgGraphCall *call, const KgInput *in, const KgStepSpec *step,
		 const JsonbContainer *filters)
{
	const KgType *type = kg_call_type(call, in, "label");

	if (type != NULL || !kg_step_is_one_edge(step))
		return type;
	type = kg_follow_leads_to(call->catalog, &step->follow, NULL);
	return type != NULL && kg_filters_have_paths(call->catalog, type, filters)
			   ? type
			   : NULL;
}

void
kg_call_test(KgGraphCall *call, const KgInput *in, KgStepSpec *step)
{
	KgNodeTest *test = &step->tests[step->ntests++];
	const JsonbContainer *filters = kg_filter_object(
		in->object, "filters", in->path);
	uint16 rank = 0;

	memset(test, 0, sizeof(*test));
	test->type = end_type(call, in, step, filters);
	if (test->type != NULL)
	{
		test->rank = rank = kg_graph_rank(call->graph, test->type->type_no);
		filters = kg_filters_without_paths(
			call->catalog, test->type, filters, kg_input_path(in, "filters"));
	}
	test->filters = kg_call_filters_over(
		call, in, filters, test->type != NULL ? 1 : -1, &rank);
	if (kg_input_declares(in, "ids"))
		test->ids = kg_input_ids(in, "ids", &test->nids);
	test->related = kg_call_path_filters(
		call,
		in,
		test->type,
		kg_input_declares(in, "related") ? kg_call_related(call, in) : NULL);
	kg_reached_related(call, test->type, test->related);
}

/*
 * Returns the stored name of the relation that a step names, by its name or its
 * inverse; "*" if the step may walk several.
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

void
kg_call_hops(const KgInput *in, KgStepSpec *step)
{
	int64 min_hops = 1;
	int64 max_hops = 1;
	bool has_max;

	(void) kg_input_int(in, "min_hops", &min_hops);
	has_max = kg_input_int(in, "max_hops", &max_hops);
	step->min_hops = (int) min_hops;
	step->max_hops = (int) max_hops;
	if (min_hops <= max_hops)
		return;
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf("min_hops (" INT64_FORMAT
								 ") is greater than max_hops (" INT64_FORMAT
								 "%s)",
								 min_hops,
								 max_hops,
								 has_max ? "" : ", the default"),
			 .path = kg_input_path(in, "min_hops"),
			 .expected = "at most max_hops");
}

static bool
has_fields(const KgCatalog *catalog, int32 type_no,
		   const JsonbContainer *filters)
{
	const KgType *type = kg_catalog_type_no(catalog, type_no);

	if (type == NULL)
		return false;
	kg_json_each(it, filters)
		if (kg_type_field(type, kg_json_cstring(&it.key)) == NULL)
			return false;
	return true;
}

/*
 * Returns whether the filters can only apply to an end of the relations: no
 * relation has properties, and a type at an end has all the filtered ones.
 */
static bool
are_of_end(const KgCatalog *catalog, const KgRelationNames *names,
		   const JsonbContainer *filters)
{
	bool found = false;

	if (names->all)
		return false;
	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (!kg_names_have(names, relation))
			continue;
		if (relation->nfields > 0)
			return false;
		for (int v = 0; v < relation->nvariants && !found; v++)
			found = has_fields(
						catalog, relation->variants[v].from_type_no, filters) ||
					has_fields(
						catalog, relation->variants[v].to_type_no, filters);
	}
	return found;
}

void
kg_call_end_filters(KgGraphCall *call, const KgRelationNames *names,
					KgInput *in)
{
	JsonbValue filters;
	JsonbValue to;
	JsonbValue used;
	bool has_to = kg_json_get(in->object, "to", &to) != NULL;
	KgJsonWriter w;
	Jsonb *end;

	if (kg_json_get(in->object, "filters", &filters) == NULL ||
		!kg_json_is_object(&filters) ||
		!are_of_end(call->catalog, names, kg_json_container(&filters)) ||
		(has_to && (!kg_json_is_object(&to) ||
					kg_json_get(kg_json_container(&to), "filters", &used))))
		return;
	kg_jw_init_object(&w);
	if (has_to)
		kg_jw_members(&w, kg_json_container(&to));
	kg_jw_key(&w, "filters");
	kg_jw_value(&w, &filters);
	end = kg_jw_finish(&w);
	kg_jw_init_object(&w);
	kg_jw_kjsonb(&w, "to", end);
	kg_json_root(kg_jw_finish(&w), &used);
	kg_repair_add(
		&call->repairs, kg_input_path(in, "filters"), &filters, &used);
	kg_jw_init_object(&w);
	kg_json_each(it, in->object)
		if (!kg_json_string_is(&it.key, "filters") &&
			!kg_json_string_is(&it.key, "to"))
			kg_jw_member(&w, &it);
	kg_jw_kjsonb(&w, "to", end);
	in->object = &kg_jw_finish(&w)->root;
}

static void
read_step(KgGraphCall *call, KgSteps *steps, KgInput *in)
{
	KgStepSpec *step = &steps->specs[steps->n];
	KgRelationNames names = kg_call_relation_names(call, in, "type");
	KgInput to;

	step->incoming = kg_call_direction(in) == KG_INCOMING;
	kg_call_follow(call, &names, kg_call_direction(in), &step->follow);
	kg_call_end_filters(call, &names, in);
	kg_call_edge_filters(call, &names, in, "filters", &step->follow);
	kg_call_hops(in, step);
	steps->types[steps->n++] = named_relation(call, &names);
	if (kg_input_object(in, "to", &to))
		kg_call_test(call, &to, step);
}

void
kg_call_steps(KgGraphCall *call, KgSteps *steps)
{
	int n = kg_input_objects(&call->input, "relationships", "steps");

	memset(steps, 0, sizeof(*steps));
	for (int i = 0; i < n; i++)
	{
		KgInput step;

		kg_input_item(&call->input, "relationships", i, &step);
		read_step(call, steps, &step);
	}
}
