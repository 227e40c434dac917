/*
 * foreign.c
 *	  Nodes without a row in kg_entity, in the searches of the graph.
 */
#include "postgres.h"

#include "base/catch.h"
#include "base/settings.h"
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

/* Calls read(). If the caller cannot read a table, returns without an error. */
static void
read_if_possible(void (*read)(void *arg), void *arg)
{
	ErrorData *edata = kg_catch(KG_CATCH_KEEP, read, arg);

	/*
	 * Only errors with the SQLSTATE of KG_FAILED_BINDING or KG_FORBIDDEN mean
	 * that the table cannot be read.
	 */
	if (edata != NULL &&
		edata->sqlerrcode != ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE &&
		edata->sqlerrcode != ERRCODE_INSUFFICIENT_PRIVILEGE)
		ReThrowError(edata);
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

	if (type->binding == NULL)
	{
		look(&l);
		return;
	}
	read_if_possible(look, &l);
}

typedef struct Search
{
	KgGraph *graph;
	const KgType *type;
	const char *query;
	KgMatches *matches;
	List **missing;
} Search;

static void
search(void *arg)
{
	const Search *s = arg;

	s->graph->foreign->search(
		s->graph, s->type, s->query, s->matches, s->missing);
}

static bool
is_in(int32 type_no, const int32 *type_nos, int ntypes)
{
	for (int i = 0; i < ntypes; i++)
		if (type_nos[i] == type_no)
			return true;
	return false;
}

void
kg_foreign_search(KgGraph *graph, const int32 *type_nos, int ntypes,
				  const char *query, KgMatches *matches, List **missing)
{
	Search s = {graph, NULL, query, matches, missing};

	for (int i = 0; i < graph->nranks; i++)
	{
		if (!kg_row_has(graph->ranked[i], KG_TRAIT_TABLE))
			continue;
		s.type = kg_graph_type(graph, i);
		if (ntypes == 0)
			read_if_possible(search, &s);
		else if (is_in(s.type->type_no, type_nos, ntypes))
			search(&s);
	}
	kg_matches_sort(matches);
	matches->truncated |= matches->n > kg_setting_max_search_matches;
	matches->n = Min(matches->n, kg_setting_max_search_matches);
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
