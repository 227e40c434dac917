/*
 * foreign.c
 *	  Nodes without a row in kg_entity, in the searches of the graph.
 */
#include "postgres.h"

#include "base/catch.h"
#include "query/graph/foreign.h"
#include "utils/memutils.h"

int64 *
kg_foreign_apart(KgGraph *graph, const int64 *nodes, uint32 n, uint32 *nforeign)
{
	int64 *apart = MemoryContextAllocHuge(graph->context,
										  Max((Size) n, 1) * sizeof(int64));
	uint32 count = 0;
	uint32 at;

	for (uint32 i = 0; i < n; i++)
		if (kg_is_foreign(nodes[i]))
			apart[count++] = nodes[i];
	at = count;
	for (uint32 i = 0; i < n; i++)
		if (!kg_is_foreign(nodes[i]))
			apart[at++] = nodes[i];
	*nforeign = count;
	return apart;
}

void
kg_foreign_find(KgGraph *graph, const KgType *type, const char *const *ids,
				int n, KgRefFunction found, void *arg)
{
	const KgForeign *foreign = kg_foreign_of(graph, type);
	KgSelector selector = {.type = type};
	const int64 *nodes;
	uint32 count;

	if (foreign == NULL)
		return;
	selector.ids = palloc((n + 1) * sizeof(char *));
	for (int i = 0; i < n; i++)
		if (ids[i] != NULL)
			selector.ids[selector.nids++] = (char *) ids[i];
	if (selector.nids == 0)
		return;
	nodes = foreign->select(graph, &selector, &count);
	foreign->resolve(graph, nodes, count, false, found, arg);
}

typedef struct Look
{
	KgGraph *graph;
	const KgType *type;
	const char *const *ids;
	int n;
	KgRefFunction found;
	void *arg;
} Look;

static void
look(void *arg)
{
	const Look *l = arg;

	kg_foreign_find(l->graph, l->type, l->ids, l->n, l->found, l->arg);
}

void
kg_foreign_look(KgGraph *graph, const KgType *type, const char *const *ids,
				int n, KgRefFunction found, void *arg)
{
	Look l = {graph, type, ids, n, found, arg};
	ErrorData *edata;

	if (type->binding == NULL)
	{
		look(&l);
		return;
	}
	edata = kg_catch(KG_CATCH_KEEP, look, &l);
	/*
	 * Only errors with the SQLSTATE of KG_FAILED_BINDING or KG_FORBIDDEN mean
	 * that the table cannot be read.
	 */
	if (edata != NULL &&
		edata->sqlerrcode != ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE &&
		edata->sqlerrcode != ERRCODE_INSUFFICIENT_PRIVILEGE)
		ReThrowError(edata);
}

static void
take_id(const KgRef *ref, void *arg)
{
	char ***at = arg;

	*(*at)++ = pnstrdup(ref->id, ref->idlen);
}

char **
kg_foreign_ids(KgGraph *graph, const int64 *nodes, uint32 n)
{
	char **ids = palloc_extended((Max((Size) n, 1)) * sizeof(char *),
								 MCXT_ALLOC_HUGE);
	char **at = ids;

	graph->foreign->resolve(graph, nodes, n, false, take_id, &at);
	return ids;
}

static int
compare_relations(const void *a, const void *b)
{
	int32 x = *(const int32 *) a;
	int32 y = *(const int32 *) b;

	return x < y ? -1 : x > y;
}

void
kg_foreign_edges(KgGraph *graph, const int64 *sources, const int32 *relations,
				 uint32 n, KgNeighborFunction found, void *arg)
{
	KgFollow walk = {.properties = true};

	if (graph->foreign == NULL || n == 0)
		return;
	walk.forward.numbers = palloc(n * sizeof(int32));
	walk.forward.n = n;
	memcpy(walk.forward.numbers, relations, n * sizeof(int32));
	qsort(walk.forward.numbers, n, sizeof(int32), compare_relations);
	graph->foreign->expand(graph, &walk, sources, n, found, arg);
}
