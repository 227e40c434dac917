/*
 * graph/related.c
 *	  Reads the arguments "related" and "not_related" of a selection.
 */
#include "postgres.h"

#include "base/error.h"
#include "query/argument/hints.h"
#include "query/filter/filter.h"
#include "query/graph/related.h"
#include "query/argument/repair.h"
#include "tools/graph/graph.h"

static KG_NORETURN void
throw_count(const KgInput *in, const char *key, const char *message,
			const char *expected)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = message,
			 .path = kg_input_path(in, key),
			 .expected = expected);
}

/*
 * Reads the minimum and maximum number of ends that the last step of a chain
 * must have.
 */
static void
read_counts(const KgInput *in, KgChain *chain, bool last)
{
	chain->min_count = 1;
	if (!last &&
		(kg_input_has(in, "min_count") || kg_input_has(in, "max_count")))
		throw_count(in,
					kg_input_has(in, "min_count") ? "min_count" : "max_count",
					"only the last step of a chain can have \"min_count\" and "
					"\"max_count\"",
					"\"min_count\" and \"max_count\" in the last step");
	(void) kg_input_int(in, "min_count", &chain->min_count);
	if (kg_input_int(in, "max_count", &chain->max_count) &&
		chain->max_count < chain->min_count)
		throw_count(in,
					"max_count",
					psprintf("max_count (" INT64_FORMAT
							 ") is less than min_count (" INT64_FORMAT ")",
							 chain->max_count,
							 chain->min_count),
					chain->max_count == 0
						? "at least 1; \"not_related\" selects entities "
						  "without such a connection"
						: "at least min_count");
}

static void read_chain(KgGraphCall *call, const KgInput *in, const char *key,
					   int index, KgChain *chain);

/* Reads alternative chains: a node must satisfy at least one chain. */
static void
read_alternatives(KgGraphCall *call, const KgInput *in, KgChain *chain)
{
	static const char *const known[] = {"any"};
	const JsonbContainer *array = kg_input_array(in, "any", "chains");

	kg_input_only(in, known, lengthof(known));
	chain->min_count = 1;
	chain->nany = kg_json_length(array);
	chain->any = palloc0(chain->nany * sizeof(KgChain));
	for (int i = 0; i < chain->nany; i++)
		read_chain(call, in, "any", i, &chain->any[i]);
}

static void
read_chain(KgGraphCall *call, const KgInput *in, const char *key, int index,
		   KgChain *chain)
{
	int n = kg_input_nested(in, key, index);
	KgInput step;

	chain->nsteps = Max(n, 1);
	chain->specs = palloc0(chain->nsteps * sizeof(KgStepSpec));
	chain->path = kg_path_index(kg_input_path(in, key), index);
	chain->array = n > 0;
	for (int i = 0; i < chain->nsteps; i++)
	{
		kg_input_nested_item(in, key, index, n > 0 ? i : -1, &step);
		if (n == 0 && kg_input_declares(&step, "any") &&
			kg_input_has(&step, "any"))
		{
			chain->nsteps = 0;
			read_alternatives(call, &step, chain);
			return;
		}
		kg_input_require(&step, "type");
		(void) kg_call_step(call, &step, &chain->specs[i]);
		read_counts(&step, chain, i == chain->nsteps - 1);
	}
}

KgRelated *
kg_call_related(KgGraphCall *call, const KgInput *in)
{
	static const char *const keys[] = {"related", "not_related"};
	KgRelated *related = palloc0(sizeof(KgRelated));

	for (int k = 0; k < lengthof(keys); k++)
	{
		const JsonbContainer *array = kg_input_array(in, keys[k], "chains");
		int n = array != NULL ? kg_json_length(array) : 0;
		KgChain *chains = palloc0((related->n + n) * sizeof(KgChain) + 1);

		if (related->n > 0)
			memcpy(chains, related->chains, related->n * sizeof(KgChain));
		related->chains = chains;
		for (int i = 0; i < n; i++)
		{
			KgChain *chain = &related->chains[related->n++];

			read_chain(call, in, keys[k], i, chain);
			chain->negated = k == 1;
		}
	}
	return related->n > 0 ? related : NULL;
}

static void
reached_chain(KgGraphCall *call, const KgType *type, const KgChain *chain)
{
	for (int i = 0; i < chain->nany; i++)
		reached_chain(call, type, &chain->any[i]);
	kg_orient_steps(
		call, type, chain->specs, chain->nsteps, chain->path, chain->array);
	kg_reached_steps(kg_reached_begin(call, type), chain->specs, chain->nsteps);
}

void
kg_reached_related(KgGraphCall *call, const KgType *type, KgRelated *related)
{
	for (int i = 0; related != NULL && i < related->n; i++)
		reached_chain(call, type, &related->chains[i]);
}

/* ---- hints for empty selections ---- */

static bool
hint_test(const KgCatalog *catalog, const KgNodeTest *test, const char *path,
		  KgCorrection *correction, KgJsonWriter *w)
{
	KgListQuery query = {.catalog = catalog, .type = test->type};
	KgSelector selector = {.type = test->type};

	if (test->type == NULL)
		return false;
	selector.ids = test->ids;
	selector.nids = test->nids;
	selector.ids_path = kg_path_member(path, "ids");
	if (test->filters != NULL)
		selector.filter = test->filters[test->rank - 1];
	if (selector.filter != NULL)
	{
		query.filter = selector.filter;
		kg_hints_check_labels(&query, true);
	}
	query.filter = kg_selector_filter(&selector);
	return kg_hints_write_unknown(&query, correction, w);
}

static bool
hint_chain(const KgCatalog *catalog, const KgChain *chain,
		   KgCorrection *correction, KgJsonWriter *w)
{
	bool any = false;

	for (int i = 0; i < chain->nany; i++)
		any |= hint_chain(catalog, &chain->any[i], correction, w);
	for (int i = 0; i < chain->nsteps; i++)
	{
		const KgStepSpec *step = &chain->specs[i];
		const char *path = chain->array ? kg_path_index(chain->path, i)
										: chain->path;

		for (int j = 0; j < step->ntests; j++)
		{
			any |= hint_test(catalog,
							 &step->tests[j],
							 kg_path_member(path, "to"),
							 correction,
							 w);
			any |= kg_hint_related(
				catalog, step->tests[j].related, correction, w);
		}
	}
	return any;
}

bool
kg_hint_related(const KgCatalog *catalog, const KgRelated *related,
				KgCorrection *correction, KgJsonWriter *w)
{
	bool any = false;

	for (int i = 0; related != NULL && i < related->n; i++)
	{
		const KgChain *chain = &related->chains[i];

		/*
		 * All nodes satisfy a negated chain that leads nowhere. So an unknown
		 * value in such a chain is reported even if the reply is not empty.
		 */
		if (chain->negated ? chain->walked && (!chain->met || chain->missing)
						   : !chain->met)
			any |= hint_chain(catalog, chain, correction, w);
	}
	return any;
}
