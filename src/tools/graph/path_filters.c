/*
 * graph/path_filters.c
 *	  Filters on paths through references, such as "customer.country.name".
 */
#include "postgres.h"

#include "query/graph/ref_path.h"
#include "query/graph/related.h"
#include "tools/graph/graph.h"

bool
kg_filters_have_paths(const KgCatalog *catalog, const KgType *type,
					  const JsonbContainer *filters)
{
	if (filters == NULL)
		return false;
	kg_json_each(it, filters)
		if (kg_ref_path(catalog, type, kg_json_cstring(&it.key), "", true) !=
			NULL)
			return true;
	return false;
}

const JsonbContainer *
kg_filters_without_paths(const KgCatalog *catalog, const KgType *type,
						 const JsonbContainer *filters, const char *at)
{
	bool paths = false;
	KgJsonWriter w;

	if (filters == NULL || type == NULL)
		return filters;
	kg_jw_init_object(&w);
	kg_json_each(it, filters)
	{
		char *name = kg_json_cstring(&it.key);

		if (kg_ref_path(catalog, type, name, kg_path_member(at, name), false) !=
			NULL)
			paths = true;
		else
			kg_jw_member(&w, &it);
	}
	return paths ? &kg_jw_finish(&w)->root : filters;
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
