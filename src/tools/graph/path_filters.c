/*
 * graph/path_filters.c
 *	  Filters on paths through references, such as "customer.country.name".
 */
#include "postgres.h"

#include "miscadmin.h"
#include "query/filter/any.h"
#include "query/graph/ref_path.h"
#include "query/graph/related.h"
#include "tools/graph/graph.h"

static bool have_paths(const KgCatalog *catalog, const KgType *type,
					   const JsonbContainer *filters, const char *at);

/*
 * If a member of filters is "any", returns its alternatives. Otherwise returns
 * NULL.
 */
static const JsonbContainer *
alternatives_of(const JsonbValue *key, const JsonbValue *value)
{
	return kg_json_string_is(key, KG_ANY) && kg_json_is_array(value)
			   ? kg_json_container(value)
			   : NULL;
}

/*
 * Returns whether one of the alternatives has a filter on a path through
 * references.
 */
static bool
any_has_paths(const KgCatalog *catalog, const KgType *type,
			  const JsonbContainer *alternatives, const char *at)
{
	bool any = false;

	check_stack_depth();
	kg_json_each(it, alternatives)
		if (kg_json_is_object(&it.value))
			any |= have_paths(catalog,
							  type,
							  kg_json_container(&it.value),
							  at ? kg_path_index(at, it.index) : NULL);
	return any;
}

/*
 * Returns whether one of the filters is on a path through references. If "at"
 * is not NULL, raises an error for a wrong path, with a pointer below "at". If
 * "at" is NULL, a wrong path counts as no path.
 */
static bool
have_paths(const KgCatalog *catalog, const KgType *type,
		   const JsonbContainer *filters, const char *at)
{
	bool any = false;

	if (filters == NULL)
		return false;
	kg_json_each(it, filters)
	{
		char *name = kg_json_cstring(&it.key);
		char *path = at ? kg_path_member(at, name) : NULL;
		const JsonbContainer *alternatives = alternatives_of(&it.key,
															 &it.value);

		if (alternatives != NULL)
			any |= any_has_paths(catalog, type, alternatives, path);
		else
			any |= kg_ref_path(
					   catalog, type, name, path ? path : "", at == NULL) !=
				   NULL;
	}
	return any;
}

bool
kg_filters_have_paths(const KgCatalog *catalog, const KgType *type,
					  const JsonbContainer *filters)
{
	return have_paths(catalog, type, filters, NULL);
}

const JsonbContainer *
kg_filters_without_paths(const KgCatalog *catalog, const KgType *type,
						 const JsonbContainer *filters, const char *at)
{
	KgJsonWriter w;

	if (type == NULL || !have_paths(catalog, type, filters, at))
		return filters;
	kg_jw_init_object(&w);
	kg_json_each(it, filters)
	{
		const JsonbContainer *alternatives = alternatives_of(&it.key,
															 &it.value);

		if (alternatives != NULL
				? !any_has_paths(catalog, type, alternatives, NULL)
				: kg_ref_path(
					  catalog, type, kg_json_cstring(&it.key), "", true) ==
					  NULL)
			kg_jw_member(&w, &it);
	}
	return &kg_jw_finish(&w)->root;
}

/*
 * If a condition is "is null", replaces it by "is not null". A chain leads only
 * to existing values, so a missing value is found by negating the chain.
 * Returns whether the conditions, all on one property, are true for a missing
 * value.
 */
static bool
ask_for_value(KgFilter *filter)
{
	bool missing = false;

	for (int i = 0; i < filter->nconditions; i++)
		if (filter->conditions[i].op == KG_OP_IS_NULL)
		{
			filter->conditions[i].op = KG_OP_IS_NOT_NULL;
			missing = true;
		}
	return missing;
}

static void
make_chain(KgGraphCall *call, const KgRefPath *path, const char *at,
		   const JsonbValue *condition, KgChain *chain)
{
	KgGraph *graph = call->graph;
	KgFilterTarget target = kg_filter_target_type(path->type);
	KgFilter *parsed = kg_filter_parse_one(path->end_name, at, at, condition);
	KgNodeTest *test;

	memset(chain, 0, sizeof(*chain));
	chain->path = at;
	chain->min_count = 1;
	chain->negated = ask_for_value(parsed);
	chain->nsteps = path->nsteps;
	chain->specs = palloc(path->nsteps * sizeof(KgStepSpec));
	memcpy(chain->specs, path->steps, path->nsteps * sizeof(KgStepSpec));
	test = &chain->specs[path->nsteps - 1].tests[0];
	test->rank = kg_graph_rank(graph, path->type->type_no);
	test->filters = palloc0((graph->nranks + 1) * sizeof(KgFilter *));
	test->filters[test->rank - 1] = kg_filter_analyse(
		parsed, &target, &call->repairs);
}

/*
 * Adds a chain to "related" for each filter that is on a path through
 * references.
 */
static void
add_chains(KgGraphCall *call, const KgType *type, const JsonbContainer *filters,
		   const char *path, KgRelated *related)
{
	kg_json_each(it, filters)
	{
		char *name = kg_json_cstring(&it.key);
		char *at = kg_path_member(path, name);
		const KgRefPath *through = kg_ref_path(
			call->catalog, type, name, at, true);

		if (through != NULL)
			make_chain(
				call, through, at, &it.value, &related->chains[related->n++]);
	}
}

/* Fills a test of a node with the conditions of one of several alternatives. */
static void
make_alternative(KgGraphCall *call, const KgType *type,
				 const JsonbContainer *filters, const char *at,
				 KgNodeTest *test)
{
	KgFilterTarget target = kg_filter_target_counted(call->catalog, type);
	const JsonbContainer *own = kg_filters_without_paths(
		call->catalog, type, filters, at);

	memset(test, 0, sizeof(*test));
	test->type = type;
	test->rank = kg_graph_rank(call->graph, type->type_no);
	if (kg_json_length(own) > 0)
	{
		test->filters = palloc0((call->graph->nranks + 1) * sizeof(KgFilter *));
		test->filters[test->rank - 1] = kg_filter_analyse(
			kg_filter_parse(own, at), &target, &call->repairs);
	}
	if (own == filters)
		return;
	test->related = palloc0(sizeof(KgRelated));
	test->related->chains = palloc(kg_json_length(filters) * sizeof(KgChain));
	add_chains(call, type, filters, at, test->related);
}

/*
 * Adds the alternatives of "any" to "related". To be called only if an
 * alternative has a filter on a path through references.
 */
static void
add_alternatives(KgGraphCall *call, const KgType *type, const JsonbValue *any,
				 const char *path, KgRelated *related)
{
	KgFilter checked = {0};
	char *at = kg_path_member(path, KG_ANY);

	kg_any_parse(&checked, any, at);
	related->any = palloc(checked.nany * sizeof(KgNodeTest));
	kg_json_each(it, kg_json_container(any))
		make_alternative(call,
						 type,
						 kg_json_container(&it.value),
						 kg_path_index(at, it.index),
						 &related->any[related->nany++]);
}

KgRelated *
kg_call_path_filters(KgGraphCall *call, const KgInput *in, const KgType *type,
					 KgRelated *related)
{
	const JsonbContainer *filters = kg_filter_object(
		in->object, "filters", in->path);
	char *path = kg_input_path(in, "filters");
	int n = related != NULL ? related->n : 0;
	KgRelated *result;
	JsonbValue any;

	if (type == NULL || !kg_filters_have_paths(call->catalog, type, filters))
		return related;
	result = palloc0(sizeof(KgRelated));
	result->n = n;
	result->chains = palloc0((n + kg_json_length(filters)) * sizeof(KgChain));
	if (n > 0)
		memcpy(result->chains, related->chains, n * sizeof(KgChain));
	add_chains(call, type, filters, path, result);
	if (kg_json_get(filters, KG_ANY, &any) != NULL && kg_json_is_array(&any) &&
		any_has_paths(call->catalog, type, kg_json_container(&any), NULL))
		add_alternatives(call, type, &any, path, result);
	return result;
}
