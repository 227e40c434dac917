/*
 * graph/steps.c
 *	  Reads the argument "relationships": a chain of steps.
 */
#include "postgres.h"

#include "base/error.h"
#include "query/filter/any.h"
#include "tools/graph/graph.h"

/*
 * Returns the type that the label of a step's end names. Without a label, a
 * step of one hop may lead to a single type. Then returns this type if filters
 * on paths need a type. Otherwise returns NULL.
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
 * Returns the stored name of the relation that a step names by its name or its
 * inverse name. Returns "*" if the step may walk several relations.
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

/* Reads min_hops and max_hops of a step. */
static void
read_hops(const KgInput *in, KgStepSpec *step)
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

/*
 * The data that decides whether a filter belongs to the edge of a step or to
 * the node at its end. In a step of one hop, a filter that only the edge can
 * have is moved from the end to the edge, and the reverse. In a step of several
 * hops no filter is moved: step filters test each edge, but end filters test
 * only the last node.
 */
typedef struct StepFilters
{
	const KgCatalog *catalog;
	const KgRelationNames *names;
	const KgFollow *follow;
	const KgType *end; /* type of the label of the end, or NULL */
} StepFilters;

/* Returns whether edges of the step have the property. */
static bool
is_of_edge(const StepFilters *s, const char *name)
{
	for (int i = 0; i < s->catalog->nrelations; i++)
	{
		const KgRelation *relation = &s->catalog->relations[i];

		if (!kg_names_have(s->names, relation))
			continue;
		for (int f = 0; f < relation->nfields; f++)
			if (strcmp(relation->fields[f].name, name) == 0)
				return true;
	}
	return false;
}

static bool
type_has(const KgCatalog *catalog, int32 type_no, const char *name)
{
	const KgType *type = kg_catalog_type_no(catalog, type_no);

	return type != NULL && kg_type_field(type, name) != NULL;
}

/* Returns whether a node to which the step leads can have the property. */
static bool
is_of_end(const StepFilters *s, const char *name)
{
	if (s->end != NULL)
		return kg_type_field(s->end, name) != NULL;
	for (int i = 0; i < s->catalog->nrelations; i++)
	{
		const KgRelation *relation = &s->catalog->relations[i];
		int32 no = relation->relation_no;
		bool forward = kg_relation_set_has(&s->follow->forward, no);
		bool backward = kg_relation_set_has(&s->follow->backward, no);

		for (int v = 0; v < relation->nvariants; v++)
		{
			const KgVariant *variant = &relation->variants[v];

			if ((forward && type_has(s->catalog, variant->to_type_no, name)) ||
				(backward && type_has(s->catalog, variant->from_type_no, name)))
				return true;
		}
	}
	return false;
}

/*
 * Returns the filters to move. If to_end is true, they are filters of the edge
 * that belong to the end. Otherwise they are filters of the end that belong to
 * the edge.
 */
static Jsonb *
misplaced(const StepFilters *s, const JsonbContainer *filters, bool to_end)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	if (filters != NULL)
		kg_json_each(it, filters)
		{
			char *name = kg_json_cstring(&it.key);
			bool edge = is_of_edge(s, name);
			bool end = is_of_end(s, name);

			if (strcmp(name, KG_ANY) != 0 &&
				(to_end ? end && !edge : edge && !end))
				kg_jw_member(&w, &it);
		}
	return kg_jw_finish(&w);
}

/*
 * Writes the filters, without the members that "out" has, followed by the
 * members of "in". Writes nothing if no filter remains.
 */
static void
write_filters(KgJsonWriter *w, const JsonbContainer *filters, const Jsonb *out,
			  const Jsonb *in)
{
	JsonbValue value;
	KgJsonWriter result;
	Jsonb *json;

	kg_jw_init_object(&result);
	if (filters != NULL)
		kg_json_each(it, filters)
			if (kg_json_get(&out->root, kg_json_cstring(&it.key), &value) ==
				NULL)
				kg_jw_member(&result, &it);
	kg_jw_members(&result, &in->root);
	json = kg_jw_finish(&result);
	if (kg_json_length(&json->root) > 0)
		kg_jw_kjsonb(w, "filters", json);
}

/*
 * Reports a repair: filters were moved from the step to its end (to_end), or
 * from the end to the step.
 */
static void
report_moved(KgGraphCall *call, const char *path, const Jsonb *moved,
			 bool to_end)
{
	KgJsonWriter w;
	JsonbValue got;
	JsonbValue used;

	if (kg_json_length(&moved->root) == 0)
		return;
	kg_jw_init_object(&w);
	if (to_end)
		kg_jw_kbegin_object(&w, "to");
	kg_jw_kjsonb(&w, "filters", moved);
	if (to_end)
		kg_jw_end_object(&w);
	kg_json_root(moved, &got);
	kg_json_root(kg_jw_finish(&w), &used);
	kg_repair_add(&call->repairs, path, &got, &used);
}

/* Returns whether the two objects have a member with the same name. */
static bool
share_member(const JsonbContainer *object, const Jsonb *other)
{
	JsonbValue value;

	if (object != NULL)
		kg_json_each(it, object)
			if (kg_json_get(&other->root, kg_json_cstring(&it.key), &value) !=
				NULL)
				return true;
	return false;
}

/*
 * Writes the members of an object, except "filters" and the member "key".
 * Writes nothing if object is NULL.
 */
static void
write_others(KgJsonWriter *w, const JsonbContainer *object, const char *key)
{
	if (object != NULL)
		kg_json_each(it, object)
			if (!kg_json_string_is(&it.key, "filters") &&
				!kg_json_string_is(&it.key, key))
				kg_jw_member(w, &it);
}

/*
 * Sets *object to a member that is an object, or to NULL if "in" is NULL or
 * lacks the member. Returns false for any other value.
 */
static bool
object_of(const JsonbContainer *in, const char *key,
		  const JsonbContainer **object)
{
	JsonbValue value;

	*object = NULL;
	if (in == NULL || kg_json_get(in, key, &value) == NULL)
		return true;
	if (!kg_json_is_object(&value))
		return false;
	*object = kg_json_container(&value);
	return true;
}

/*
 * Sets *type to the type that the label names, or to NULL without a label.
 * Returns false if the label names no type.
 */
static bool
type_of_label(const KgCatalog *catalog, const JsonbContainer *end,
			  const KgType **type)
{
	JsonbValue label;

	*type = NULL;
	if (end == NULL || kg_json_get(end, "label", &label) == NULL)
		return true;
	if (label.type == jbvString)
		*type = kg_catalog_type(catalog, kg_json_cstring(&label));
	return *type != NULL;
}

/*
 * Moves misplaced filters of a step that has one hop, and reports repairs. A
 * filter of the step that only the end node can have is moved to the end. A
 * filter of the end that only the edge can have is moved to the step. Must be
 * called after the hops of the step were read.
 */
static void
move_filters(KgGraphCall *call, const KgRelationNames *names, KgInput *in,
			 const KgStepSpec *step)
{
	StepFilters s = {call->catalog, names, &step->follow, NULL};
	const JsonbContainer *end;
	const JsonbContainer *own;
	const JsonbContainer *ends;
	KgJsonWriter w;
	Jsonb *to_end;
	Jsonb *to_edge;

	if (names->all || !kg_step_is_one_edge(step) ||
		!object_of(in->object, "to", &end) ||
		!object_of(in->object, "filters", &own) ||
		!object_of(end, "filters", &ends) ||
		!type_of_label(call->catalog, end, &s.end))
		return;
	to_end = misplaced(&s, own, true);
	to_edge = misplaced(&s, ends, false);
	if ((kg_json_length(&to_end->root) == 0 &&
		 kg_json_length(&to_edge->root) == 0) ||
		share_member(ends, to_end) || share_member(own, to_edge))
		return;
	report_moved(call, kg_input_path(in, "filters"), to_end, true);
	report_moved(call,
				 kg_path_member(kg_input_path(in, "to"), "filters"),
				 to_edge,
				 false);
	kg_jw_init_object(&w);
	write_others(&w, in->object, "to");
	write_filters(&w, own, to_end, to_edge);
	kg_jw_kbegin_object(&w, "to");
	write_others(&w, end, "filters");
	write_filters(&w, ends, to_edge, to_end);
	kg_jw_end_object(&w);
	in->object = &kg_jw_finish(&w)->root;
}

KgRelationNames
kg_call_step(KgGraphCall *call, KgInput *in, KgStepSpec *step)
{
	KgRelationNames names = kg_call_relation_names(call, in, "type");
	KgDirection direction = kg_call_direction(in);
	KgInput to;

	step->incoming = direction == KG_INCOMING;
	kg_call_follow(call, &names, direction, &step->follow);
	read_hops(in, step);
	move_filters(call, &names, in, step);
	kg_call_edge_filters(call, &names, in, "filters", &step->follow);
	if (kg_input_object(in, "to", &to))
		kg_call_test(call, &to, step);
	return names;
}

void
kg_call_steps(KgGraphCall *call, KgSteps *steps)
{
	memset(steps, 0, sizeof(*steps));
	steps->n = kg_input_objects(&call->input, "relationships", "steps");
	for (int i = 0; i < steps->n; i++)
	{
		KgInput step;
		KgRelationNames names;

		kg_input_item(&call->input, "relationships", i, &step);
		names = kg_call_step(call, &step, &steps->specs[i]);
		steps->types[i] = named_relation(call, &names);
	}
}
