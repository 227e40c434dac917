/*
 * merge_edges.c
 *	  Explicit edges of merged entities.
 *
 * If several edges have the same relation, key and ends after the merge, they
 * become one edge. An edge between two of the merged entities is deleted. An
 * edge from a merged entity to itself stays such an edge.
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/identity.h"
#include "auth/visibility.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "store/edge/edges.h"
#include "store/history/image.h"
#include "store/merge/merge_edges.h"
#include "store/reference/seen.h"
#include "store/reference/stored.h"
#include "utils/array.h"

typedef struct Edge
{
	const KgRelation *relation;
	char *key;
	int64 ends[2]; /* stored nodes of source and target */
	int64 now[2];
	/* the nodes in "now"; in ascending order if the relation is symmetric */
	int64 pair[2];
	/* index of the merged entity at an end; if both are, the lower index */
	int owner;
	Jsonb *properties;
} Edge;

typedef struct EdgePlan
{
	const KgCatalog *catalog;
	const int64 *nodes;
	int n;
	int prefer;
	KgMergeEdges *result;
	Edge *edges;
	int nedges;
} EdgePlan;

/* Returns the index of the merged entity with this node, or -1. */
static int
number_of(const EdgePlan *plan, int64 node)
{
	for (int i = 0; i < plan->n; i++)
		if (plan->nodes[i] == node)
			return i;
	return -1;
}

static bool
have_edges(const EdgePlan *plan)
{
	KG_BATCH_LATEST("SELECT FROM @kg_edge WHERE tenant = $1 "
					"AND property IS NULL AND source = ANY($2) "
					"UNION ALL SELECT FROM @kg_edge WHERE tenant = $1 "
					"AND property IS NULL AND target = ANY($2) LIMIT 1",
					kg_arg_text(plan->catalog->tenant),
					kg_arg_int8s(plan->nodes + 1, plan->n - 1));
	SPI_freetuptable(SPI_tuptable);
	return SPI_processed > 0;
}

/*
 * Adds the edge of a row to the plan. If the edge joins two different merged
 * entities, it is not added, because the merge deletes it.
 */
static void
take_edge(EdgePlan *plan, uint64 row)
{
	Edge *edge = &plan->edges[plan->nedges];
	KgMergeEdges *result = plan->result;
	int numbers[2];
	bool isnull;
	Datum properties = kg_spi_value(row, 5, &isnull);

	edge->relation = kg_catalog_relation_no(plan->catalog,
											kg_spi_int64(row, 1));
	if (edge->relation == NULL)
		kg_catalog_throw_changed();
	for (int i = 0; i < 2; i++)
	{
		edge->ends[i] = kg_spi_int64(row, 2 + i);
		numbers[i] = number_of(plan, edge->ends[i]);
		edge->now[i] = numbers[i] < 0 ? edge->ends[i] : plan->nodes[0];
	}
	edge->key = kg_spi_cstring(row, 4);
	edge->properties = isnull ? NULL : DatumGetJsonbPCopy(properties);
	edge->owner = numbers[0] < 0 || (numbers[1] >= 0 && numbers[1] < numbers[0])
					  ? numbers[1]
					  : numbers[0];
	edge->pair[0] = edge->now[0];
	edge->pair[1] = edge->now[1];
	if (edge->relation->symmetric && edge->now[0] > edge->now[1])
	{
		edge->pair[0] = edge->now[1];
		edge->pair[1] = edge->now[0];
	}
	result->digest = hash_combine64(result->digest,
									(uint64) kg_edge_state(row, 6));
	if (numbers[0] >= 0 && numbers[1] >= 0 && numbers[0] != numbers[1])
	{
		kg_edges_add(&result->gone,
					 edge->ends[0],
					 edge->relation->relation_no,
					 edge->ends[1],
					 edge->key,
					 NULL);
		result->relations = list_append_unique_ptr(result->relations,
												   (void *) edge->relation);
		result->dropped++;
	}
	else
		plan->nedges++;
}

/*
 * Raises KG_CONFLICT if the transaction's snapshot does not show a stored edge
 * of the merged entities. Runs as the owner.
 */
static void
require_edges_shown(const EdgePlan *plan)
{
	uint64 n;
	int64 *sources;
	Datum *tids;
	ArrayType *array;

	if (!IsolationUsesXactSnapshot())
		return;
	KG_BATCH_LATEST("SELECT source, ctid FROM @kg_edge WHERE tenant = $1 "
					"AND property IS NULL AND source = ANY($2) "
					"UNION ALL SELECT source, ctid FROM @kg_edge "
					"WHERE tenant = $1 AND property IS NULL "
					"AND target = ANY($2) AND source <> ALL($2)",
					kg_arg_text(plan->catalog->tenant),
					kg_arg_int8s(plan->nodes, plan->n));
	n = SPI_processed;
	sources = MemoryContextAllocHuge(CurrentMemoryContext,
									 Max(1, n) * sizeof(int64));
	tids = MemoryContextAllocHuge(CurrentMemoryContext,
								  Max(1, n) * sizeof(Datum));
	for (uint64 i = 0; i < n; i++)
	{
		sources[i] = kg_spi_int64(i, 1);
		tids[i] = kg_spi_datum(i, 2);
	}
	array = construct_array(
		tids, (int) n, TIDOID, sizeof(ItemPointerData), false, TYPALIGN_SHORT);
	SPI_freetuptable(SPI_tuptable);
	KG_BATCH_EXEC("SELECT FROM (SELECT unnest($2), unnest($3)) u(source, tid), "
				  "LATERAL (SELECT FROM @kg_edge WHERE tenant = $1 "
				  "AND source = u.source AND ctid = u.tid OFFSET 0) e",
				  kg_arg_text(plan->catalog->tenant),
				  kg_arg_int8s(sources, n),
				  kg_arg(TIDARRAYOID, PointerGetDatum(array)));
	SPI_freetuptable(SPI_tuptable);
	if (SPI_processed < n)
		kg_refuse_newer();
}

/* Reads the edges of the merged entities. Runs as the caller, in a tool. */
static void
read_edges(void *arg)
{
	EdgePlan *plan = arg;
	MemoryContext context = CurrentMemoryContext;

	KG_BATCH_LATEST("SELECT relation_no::bigint, source, target, key, "
					"properties, xmin, ctid FROM @kg_edge WHERE tenant = $1 "
					"AND property IS NULL AND source = ANY($2) "
					"UNION ALL SELECT relation_no::bigint, source, target, "
					"key, properties, xmin, ctid FROM @kg_edge "
					"WHERE tenant = $1 AND property IS NULL "
					"AND target = ANY($2) AND source <> ALL($2) "
					"ORDER BY relation_no, source, target, key",
					kg_arg_text(plan->catalog->tenant),
					kg_arg_int8s(plan->nodes, plan->n));
	MemoryContextSwitchTo(context);
	plan->edges = MemoryContextAllocHuge(context,
										 Max(1, SPI_processed) * sizeof(Edge));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		CHECK_FOR_INTERRUPTS();
		take_edge(plan, i);
	}
	SPI_freetuptable(SPI_tuptable);
}

static int
compare_identity(const Edge *a, const Edge *b)
{
	if (a->relation != b->relation)
		return a->relation->relation_no < b->relation->relation_no ? -1 : 1;
	for (int i = 0; i < 2; i++)
		if (a->pair[i] != b->pair[i])
			return a->pair[i] < b->pair[i] ? -1 : 1;
	return strcmp(a->key, b->key);
}

/*
 * Compares two edges by the identity that they will have, then by the index of
 * the merged entity.
 */
static int
compare_edges(const void *pa, const void *pb)
{
	const Edge *a = pa;
	const Edge *b = pb;
	int order = compare_identity(a, b);

	if (order != 0)
		return order;
	if (a->owner != b->owner)
		return a->owner - b->owner;
	return a->ends[0] < b->ends[0] ? -1 : a->ends[0] > b->ends[0];
}

/* Returns the union of the properties of n edges that become one edge. */
static Jsonb *
unite(const EdgePlan *plan, const Edge *edges, int n)
{
	KgUniteRules rules = kg_unite_relation(edges[0].relation);
	Jsonb **documents = palloc(n * sizeof(Jsonb *));
	int *owners = palloc(n * sizeof(int));
	int prefer = plan->prefer < 0 ? -1 : 0;
	List *conflicts = NIL;
	Jsonb *united;
	ListCell *lc;

	for (int i = 0; i < n; i++)
	{
		documents[i] = edges[i].properties;
		owners[i] = edges[i].owner;
		if (edges[i].owner == plan->prefer)
			prefer = i;
	}
	united = kg_unite(&rules, documents, n, prefer, &conflicts);
	foreach(lc, conflicts)
	{
		KgEdgeConflict *conflict = palloc(sizeof(KgEdgeConflict));

		conflict->relation = edges[0].relation;
		memcpy(conflict->ends, edges[0].now, sizeof(conflict->ends));
		conflict->owners = owners;
		conflict->n = n;
		conflict->conflict = lfirst(lc);
		plan->result->conflicts = lappend(plan->result->conflicts, conflict);
	}
	return united;
}

/*
 * Returns whether both edges have equal properties. NULL means no properties.
 */
static bool
same_properties(const Jsonb *a, const Jsonb *b)
{
	return a == NULL || b == NULL ? a == b : kg_image_same(a, b);
}

/*
 * Plans the changes for n edges that become one edge: the edges to delete, and
 * the edge to insert or to update.
 */
static void
plan_group(EdgePlan *plan, const Edge *edges, int n)
{
	KgMergeEdges *result = plan->result;
	bool stays = edges[0].owner == 0;
	Jsonb *united = n == 1 ? edges[0].properties : unite(plan, edges, n);

	for (int i = stays ? 1 : 0; i < n; i++)
		kg_edges_add(&result->gone,
					 edges[i].ends[0],
					 edges[i].relation->relation_no,
					 edges[i].ends[1],
					 edges[i].key,
					 NULL);
	result->united += n - 1;
	if (!stays || n > 1)
		result->relations = list_append_unique_ptr(result->relations,
												   (void *) edges[0].relation);
	if (stays && same_properties(united, edges[0].properties))
		return;
	if (!stays)
		result->moved++;
	result->found[result->written.nrows] = stays ? KG_EDGE_OTHER : KG_EDGE_NONE;
	kg_edges_add(&result->written,
				 edges[0].now[0],
				 edges[0].relation->relation_no,
				 edges[0].now[1],
				 edges[0].key,
				 united);
}

/*
 * Raises KG_FORBIDDEN if the caller does not see each end of the edges of the
 * merged entities.
 */
static void
require_ends_seen(const EdgePlan *plan, const KgUserContext *caller)
{
	KgNodeList ends = {CurrentMemoryContext};

	for (int i = 0; i < plan->nedges; i++)
		for (int end = 0; end < 2; end++)
			kg_node_add(&ends, plan->edges[i].ends[end]);
	kg_nodes_sort(&ends);
	kg_require_all_seen(
		plan->catalog->tenant, caller, ends.nodes, ends.n, "given other edges");
}

void
kg_merge_edges_plan(const KgCatalog *catalog, const KgUserContext *caller,
					const int64 *nodes, int n, int prefer, KgMergeEdges *result)
{
	EdgePlan plan = {catalog, nodes, n, prefer, result};
	KgUserContext owner;

	memset(result, 0, sizeof(*result));
	kg_edges_init(&result->gone, CurrentMemoryContext);
	kg_edges_init(&result->written, CurrentMemoryContext);
	if (!have_edges(&plan))
		return;
	GetUserIdAndSecContext(&owner.userid, &owner.sec_context);
	kg_restore_user(caller);
	kg_visibility_require_tenant("merge entities with edges");
	kg_restore_user(&owner);
	require_edges_shown(&plan);
	kg_require_edges_seen(catalog->tenant, caller, nodes, n);
	kg_restore_user(caller);
	kg_identity_as_tool(read_edges, &plan);
	kg_restore_user(&owner);
	require_ends_seen(&plan, caller);
	result->found = palloc(Max(1, plan.nedges) * sizeof(int));
	if (plan.nedges > 0)
		qsort(plan.edges, plan.nedges, sizeof(Edge), compare_edges);
	for (int i = 0, next; i < plan.nedges; i = next)
	{
		CHECK_FOR_INTERRUPTS();
		for (next = i + 1;
			 next < plan.nedges &&
			 compare_identity(&plan.edges[i], &plan.edges[next]) == 0;
			 next++)
			;
		plan_group(&plan, &plan.edges[i], next - i);
	}
}

typedef struct EdgeWrite
{
	const KgCatalog *catalog;
	const KgMergeEdges *plan;
} EdgeWrite;

static void
write_edges(void *arg)
{
	const EdgeWrite *write = arg;
	const KgMergeEdges *plan = write->plan;
	const bool *kept;

	if (plan->gone.nrows > 0)
	{
		kg_edges_delete(write->catalog->tenant, &plan->gone, true);
		SPI_freetuptable(SPI_tuptable);
		if (SPI_processed != plan->gone.nrows)
			kg_error_throw(kg_kept_error("edge", "deleted"));
	}
	if (plan->written.nrows == 0)
		return;
	kept = kg_edges_write_turned(write->catalog, &plan->written, plan->found);
	for (int i = 0; kept && i < plan->written.nrows; i++)
		if (kept[i])
			kg_error_throw(kg_kept_error("edge", "written"));
}

void
kg_merge_edges_write(const KgCatalog *catalog, const KgMergeEdges *plan)
{
	EdgeWrite write = {catalog, plan};

	/*
	 * A caller for whom a policy hides entities writes edges only as a tool.
	 * The plan has checked that it sees the ends of all these edges.
	 */
	if (plan->gone.nrows > 0 || plan->written.nrows > 0)
		kg_identity_as_tool(write_edges, &write);
}
