/*
 * graph/path_filters.c
 *	  Filters on paths through references, such as "customer.country.name".
 */
#include "postgres.h"

#include "query/graph/ref_path.h"
#include "query/graph/related.h"
#include "tools/graph/graph.h"

/*
 * Returns whether a filter is on a path. Raises an error for a wrong path below
 * "at"; if that is NULL, a wrong path counts as none.
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

		any |= kg_ref_path(catalog,
						   type,
						   name,
						   at ? kg_path_member(at, name) : "",
						   at == NULL) != NULL;
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
		if (kg_ref_path(catalog, type, kg_json_cstring(&it.key), "", true) ==
			NULL)
			kg_jw_member(&w, &it);
	return &kg_jw_finish(&w)->root;
}

/*
 * Replaces "is null" by "is not null", because a missing value is a chain that
 * leads to no value. Returns whether the conditions, all on one property, are
 * true for a missing value.
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

KgRelated *
kg_call_path_filters(KgGraphCall *call, const KgInput *in, const KgType *type,
					 KgRelated *related)
{
	const JsonbContainer *filters = kg_filter_object(in->object, in->path);
	char *path = kg_input_path(in, "filters");
	int n = related != NULL ? related->n : 0;
	KgRelated *result;

	if (type == NULL || !kg_filters_have_paths(call->catalog, type, filters))
		return related;
	result = palloc(sizeof(KgRelated));
	result->n = n;
	result->chains = palloc0((n + kg_json_length(filters)) * sizeof(KgChain));
	if (n > 0)
		memcpy(result->chains, related->chains, n * sizeof(KgChain));
	kg_json_each(it, filters)
	{
		char *name = kg_json_cstring(&it.key);
		char *at = kg_path_member(path, name);
		const KgRefPath *through = kg_ref_path(
			call->catalog, type, name, at, true);

		if (through != NULL)
			make_chain(
				call, through, at, &it.value, &result->chains[result->n++]);
	}
	return result;
}
