/*
 * foreign.c
 *	  Nodes without a row in kg_entity, in the searches of the graph.
 */
#include "postgres.h"

#include "model/bound_table.h"
#include "query/graph/foreign.h"
#include "utils/memutils.h"

const KgForeign *(*kg_foreign_begin)(KgGraph *graph) = NULL;

void
kg_foreign_admit(KgGraph *graph)
{
	if (graph->foreign == NULL)
		graph->foreign = kg_foreign_begin(graph);
}

const KgForeign *
kg_foreign_of(const KgGraph *graph, const KgType *type)
{
	if (graph->foreign != NULL && graph->foreign->has(graph, type))
		return graph->foreign;
	kg_binding_refuse(type, "this search");
	return NULL;
}

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
