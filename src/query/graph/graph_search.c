/*
 * graph_search.c
 *	  A search of the graph: its caller, its limits and its caches.
 *
 * kg_adjacency is read only if it has all edges of kg_edge that the caller
 * sees, and no others. This is so if kg_edge has only kg_graph's policies and
 * the caller may read kg_edge.
 */
#include "postgres.h"

#include "auth/audit.h"
#include "auth/visibility.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/settings.h"
#include "model/writing.h"
#include "miscadmin.h"
#include "query/graph/foreign.h"
#include "query/graph/graph_search.h"
#include "query/time/past.h"
#include "query/run/running.h"
#include "query/time/validity.h"
#include "store/reference/scope.h"
#include "store/reference/unready.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* ---- walks ---- */

bool
kg_follow_both(const KgFollow *walk, int32 relation_no)
{
	return kg_relation_set_has(&walk->forward, relation_no) &&
		   kg_relation_set_has(&walk->backward, relation_no);
}

void
kg_follow_reverse(const KgFollow *walk, KgFollow *reversed)
{
	*reversed = *walk;
	reversed->forward = walk->backward;
	reversed->backward = walk->forward;
}

/* ---- the search as a whole ---- */

static int
compare_types(const void *a, const void *b)
{
	return strcmp(kg_row_handle(*(const KgTypeRow *const *) a),
				  kg_row_handle(*(const KgTypeRow *const *) b));
}

/*
 * Returns whether ranges of nodes may be read. Ranges contain unwanted nodes,
 * so policies that users added must not apply: they would be called for these
 * nodes. With as_of, ranges are not read.
 */
static bool
reads_ranges(void)
{
	return !kg_past_asked() && kg_visibility_entities_are_plain();
}

const struct KgForeign *(*kg_foreign_begin)(KgGraph *graph) = NULL;

KgGraph *
kg_graph_begin(void)
{
	MemoryContext context;
	KgGraph *graph;
	const KgCatalog *catalog = kg_running_catalog();

	kg_scope_require_derived(catalog->tenant, NULL);
	kg_scope_require_edges(catalog->tenant);
	context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph search", ALLOCSET_DEFAULT_SIZES);
	graph = MemoryContextAllocZero(context, sizeof(KgGraph));
	graph->context = context;
	graph->call = kg_running_call();
	graph->catalog = catalog;
	graph->tenant = CStringGetTextDatum(catalog->tenant);
	graph->check_nodes = !kg_validity_rows_suffice(graph->catalog);
	graph->packed = !kg_past_asked() && kg_visibility_edges_are_plain() &&
					!kg_being_written("kg_edge") &&
					pg_class_aclcheck(kg_relation_oid("kg_edge"),
									  GetUserId(),
									  ACL_SELECT) == ACLCHECK_OK;
	graph->in_ranges = reads_ranges();
	graph->nranks = graph->catalog->ntypes;
	if (graph->nranks >= PG_UINT16_MAX)
		elog(ERROR, "too many entity types in one tenant");
	graph->ranked = MemoryContextAlloc(
		context, (graph->nranks + 1) * sizeof(const KgTypeRow *));
	for (int i = 0; i < graph->nranks; i++)
		graph->ranked[i] = &graph->catalog->types[i];
	qsort(
		graph->ranked, graph->nranks, sizeof(const KgTypeRow *), compare_types);
	graph->foreign = kg_foreign_begin(graph);
	return graph;
}

void
kg_graph_end(KgGraph *graph)
{
	MemoryContextDelete(graph->context);
}

void
kg_graph_run(KgGraph *graph, KgGraphSql which, int nargs, const Oid *types,
			 Datum *values, KgRowFunction row, void *arg)
{
	KgStatement statement;

	values[0] = graph->tenant;
	memset(&statement, 0, sizeof(statement));
	statement.sql = kg_graph_sql(which);
	statement.nargs = nargs;
	statement.argtypes = types;
	statement.values = values;
	statement.hold = !kg_past_asked();
	statement.node_column = kg_graph_sql_node_column(which);
	(void) kg_plan_run(&statement, row, arg);
}

static KG_NORETURN void
throw_limit(const char *setting, const char *what, int64 limit)
{
	KG_THROW(KG_LIMIT_EXCEEDED,
			 .message = psprintf(
				 "the search %s %s (" INT64_FORMAT ")", what, setting, limit),
			 .expected = "a narrower question: fewer hops, fewer starting "
						 "nodes, named relationship types or filters");
}

void
kg_graph_check_visited(KgGraph *graph, uint64 visited)
{
	if (visited > (uint64) kg_setting_max_visited)
		throw_limit("kg_graph.max_visited",
					"visits more nodes than",
					kg_setting_max_visited);
}

void
kg_graph_check_memory(KgGraph *graph)
{
	Size used = MemoryContextMemAllocated(graph->context, true);

	if (used > (Size) kg_setting_max_search_memory * 1024)
		throw_limit("kg_graph.max_search_memory",
					"needs more kilobytes than",
					kg_setting_max_search_memory);
}

void
kg_graph_charge_edges(KgGraph *graph, int64 edges)
{
	/*
	 * Work in memory between statements takes time, so this function also
	 * checks for interrupts.
	 */
	kg_plan_count((uint64 *) &graph->edges, (uint64) edges);
	graph->call->edges += edges;
	kg_audit_edges(edges);
	if (graph->edges > kg_setting_max_edges)
		throw_limit("kg_graph.max_edges",
					"reads more edges than",
					kg_setting_max_edges);
}
