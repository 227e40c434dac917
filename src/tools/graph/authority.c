/*
 * graph/authority.c
 *	  Checks whether a graph tool can reach types with x-authorize although
 *	  neither an authorizer nor a gateway decides access.
 *
 * The check uses the arguments and the declared relations, never rows. So an
 * error reveals nothing about stored data.
 */
#include "postgres.h"

#include "query/run/decisions.h"
#include "tools/graph/graph.h"

struct KgReached
{
	KgGraphCall *call;
	/*
	 * indexed by rank: whether the walk can be at a node of the type after the
	 * hops up to now
	 */
	bool *at;
};

static const char *
instead(void)
{
	return "other types, selected by \"node_labels\", \"to\" or "
		   "\"relationship_types\"; or an authorizer, which the owner of the "
		   "extension sets: SELECT kg_set_authorizer('tenant', 'function')";
}

void
kg_call_require_type(KgGraphCall *call, const KgType *type)
{
	const KgCatalog *catalog = call->catalog;

	if (!catalog->authorizes)
		return;
	for (int i = 0; i < catalog->ntypes; i++)
		if (type == NULL || catalog->types[i].type_no == type->type_no)
			kg_decisions_require(
				catalog, kg_type_of(&catalog->types[i]), instead());
}

static void
require(const KgReached *reached)
{
	const KgGraph *graph = reached->call->graph;

	for (int rank = 1; rank <= graph->nranks; rank++)
		if (reached->at[rank])
			kg_decisions_require(
				graph->catalog, kg_graph_type(graph, rank - 1), instead());
}

KgReached *
kg_reached_begin(KgGraphCall *call, const KgType *type)
{
	KgReached *reached;

	if (!call->catalog->authorizes)
		return NULL;
	reached = palloc(sizeof(*reached));
	reached->call = call;
	reached->at = palloc0((call->graph->nranks + 1) * sizeof(bool));
	for (int rank = 1; rank <= call->graph->nranks; rank++)
		reached->at[rank] = type == NULL ||
							kg_graph_is_type(call->graph, rank - 1, type);
	require(reached);
	return reached;
}

/*
 * Returns the set of types, indexed by rank, that one hop can reach from the
 * types in reached->at.
 */
static bool *
hop(const KgReached *reached, const KgFollow *follow)
{
	const KgGraph *graph = reached->call->graph;
	const KgCatalog *catalog = graph->catalog;
	bool *next = palloc0((graph->nranks + 1) * sizeof(bool));

	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];
		bool along = kg_relation_set_has(&follow->forward,
										 relation->relation_no);
		bool against = kg_relation_set_has(&follow->backward,
										   relation->relation_no);

		for (int v = 0; v < relation->nvariants; v++)
		{
			const KgVariant *variant = &relation->variants[v];
			uint16 from = kg_graph_rank(graph, variant->from_type_no);
			uint16 to = kg_graph_rank(graph, variant->to_type_no);

			if ((along || relation->symmetric) && reached->at[from])
				next[to] = true;
			if ((against || relation->symmetric) && reached->at[to])
				next[from] = true;
		}
	}
	next[0] = false;
	return next;
}

void
kg_reached_walk(KgReached *reached, const KgFollow *follow, int min_hops,
				int max_hops, const bool *wanted)
{
	bool *ends;
	int nranks;

	if (reached == NULL)
		return;
	nranks = reached->call->graph->nranks;
	ends = palloc0((nranks + 1) * sizeof(bool));
	for (int depth = 0; depth <= max_hops; depth++)
	{
		if (depth > 0)
			reached->at = hop(reached, follow);
		/* After the last hop, only nodes of the wanted types are shown. */
		for (int rank = 1; rank <= nranks; rank++)
		{
			bool shown = wanted == NULL || wanted[rank];

			if (depth == max_hops && depth > 0 && !shown)
				reached->at[rank] = false;
			if (depth >= min_hops && reached->at[rank] && shown)
				ends[rank] = true;
		}
		require(reached);
	}
	reached->at = ends;
}

void
kg_reached_steps(KgReached *reached, const KgStepSpec *specs, int n)
{
	if (reached == NULL)
		return;
	for (int i = 0; i < n; i++)
	{
		const KgGraph *graph = reached->call->graph;
		bool *wanted = palloc((graph->nranks + 1) * sizeof(bool));

		memset(wanted, true, graph->nranks + 1);
		for (int t = 0; t < specs[i].ntests; t++)
			for (int rank = 1; rank <= graph->nranks; rank++)
				wanted[rank] &= specs[i].tests[t].type == NULL ||
								kg_graph_is_type(
									graph, rank - 1, specs[i].tests[t].type);
		kg_reached_walk(reached,
						&specs[i].follow,
						specs[i].min_hops,
						specs[i].max_hops,
						wanted);
	}
}
