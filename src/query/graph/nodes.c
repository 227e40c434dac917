/*
 * nodes.c
 *	  Types, ids and data of nodes.
 *
 * A node that the caller may not see is not passed to found(), and its rank is
 * 0.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "query/run/decisions.h"
#include "query/graph/foreign.h"
#include "query/graph/frontier.h"
#include "query/graph/nodes.h"
#include "query/merged.h"
#include "query/time/past.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

uint16
kg_graph_rank(const KgGraph *graph, int32 type_no)
{
	for (int i = 0; i < graph->nranks; i++)
		if (graph->ranked[i]->type_no == type_no)
		{
			if (kg_past_asked())
				kg_past_require_type(kg_graph_type(graph, i));
			return (uint16) (i + 1);
		}
	return 0;
}

static void
imply(uint16 *rank, const KgGraph *graph, int32 type_no, bool first)
{
	uint16 other = kg_graph_rank(graph, type_no);

	if (first)
		*rank = other;
	else if (*rank != other)
		*rank = 0;
}

bool
kg_graph_ranks_implied(KgGraph *graph)
{
	/*
	 * This transaction may have written references to nodes that do not exist,
	 * so relations do not determine the types of the nodes.
	 */
	if (graph->check_nodes || TransactionIdIsValid(GetTopTransactionIdIfAny()))
		return false;
	if (graph->implied == NULL)
		graph->implied = MemoryContextAllocZero(graph->context,
												KG_IMPLIED * sizeof(KgImplied));
	return true;
}

void
kg_graph_imply(KgGraph *graph, int32 relation_no)
{
	KgImplied *implied = &graph->implied[relation_no & (KG_IMPLIED - 1)];
	const KgRelation *relation = kg_catalog_relation_no(graph->catalog,
														relation_no);

	memset(implied, 0, sizeof(*implied));
	implied->relation_no = relation_no;
	implied->known = true;
	for (int v = 0; relation != NULL && v < relation->nvariants; v++)
	{
		const KgVariant *variant = &relation->variants[v];

		imply(&implied->ranks[0], graph, variant->from_type_no, v == 0);
		imply(&implied->ranks[1], graph, variant->to_type_no, v == 0);
	}
	/*
	 * A symmetric edge may be stored in the direction opposite to its
	 * declaration.
	 */
	if (relation != NULL && relation->symmetric &&
		implied->ranks[0] != implied->ranks[1])
		implied->ranks[0] = implied->ranks[1] = 0;
}

typedef struct Resolution
{
	KgGraph *graph;
	/*
	 * The type of the last node and its rank, cached because successive nodes
	 * often have the same type.
	 */
	int32 type_no;
	uint16 rank;
	bool with_data;
	/* data that is compressed or in TOAST is left out */
	bool lazy;
	/* nodes are wanted from this index in graph->known on */
	uint32 wanted;
	/* only these nodes are wanted; NULL: all nodes that are read */
	const KgNodeSet *only;
	KgRefFunction found;
	void *arg;
} Resolution;

static uint16
rank_of(Resolution *r, int32 type_no)
{
	if (r->type_no != type_no)
	{
		r->rank = kg_graph_rank(r->graph, type_no);
		r->type_no = type_no;
	}
	return r->rank;
}

static void
run_on_nodes(KgGraph *graph, KgGraphSql which, const int64 *nodes, uint32 n,
			 KgRowFunction row, void *arg)
{
	static const Oid types[] = {TEXTOID, INT8ARRAYOID};
	Datum values[2];

	CHECK_FOR_INTERRUPTS();
	kg_graph_check_memory(graph);
	values[1] = kg_int64_array(nodes, n);
	kg_graph_run(graph, which, 2, types, values, row, arg);
	pfree(DatumGetPointer(values[1]));
}

/* Returns the cached row of a starting node, or NULL. */
static const KgRef *
kept_start(const KgGraph *graph, int64 node)
{
	for (int i = 0; i < KG_KEPT_STARTS; i++)
		if (graph->kept.starts[i] != NULL &&
			graph->kept.starts[i]->node == node)
			return graph->kept.starts[i];
	return NULL;
}

static bool
receive_type(TupleTableSlot *slot, void *arg)
{
	Resolution *r = arg;
	KgGraph *graph = r->graph;
	uint32 i;

	slot_getallattrs(slot);
	i = kg_nodeset_find(&graph->known, DatumGetInt64(slot->tts_values[0]));
	if (i != KG_NO_NODE)
		graph->known_ranks[i] = rank_of(r, DatumGetInt32(slot->tts_values[1]));
	return true;
}

/* Returns whether the value must be decompressed or fetched. */
static bool
is_toasted(Datum value)
{
	return VARATT_IS_EXTENDED(DatumGetPointer(value)) &&
		   !VARATT_IS_SHORT(DatumGetPointer(value));
}

static bool
receive_ref(TupleTableSlot *slot, void *arg)
{
	Resolution *r = arg;
	KgRef ref;
	text *id;

	slot_getallattrs(slot);
	memset(&ref, 0, sizeof(ref));
	ref.node = DatumGetInt64(slot->tts_values[0]);
	if (r->only != NULL && !kg_nodeset_has(r->only, ref.node))
		return true;
	ref.rank = rank_of(r, DatumGetInt32(slot->tts_values[1]));
	if (ref.rank == 0)
		return true;
	id = DatumGetTextPP(slot->tts_values[2]);
	ref.id = VARDATA_ANY(id);
	ref.idlen = VARSIZE_ANY_EXHDR(id);
	if (r->with_data && !(r->lazy && is_toasted(slot->tts_values[3])))
		ref.data = DatumGetJsonbP(slot->tts_values[3]);
	r->found(&ref, r->arg);
	if (ref.data != NULL &&
		(Pointer) ref.data != DatumGetPointer(slot->tts_values[3]))
		pfree((void *) ref.data);
	return true;
}

static void
keep_known(const KgRef *ref, void *arg)
{
	const Resolution *r = arg;
	KgGraph *graph = r->graph;
	uint32 i = kg_nodeset_find(&graph->known, ref->node);

	/* A range may contain nodes that are not wanted. */
	if (i == KG_NO_NODE || i < r->wanted)
		return;
	graph->known_ranks[i] = ref->rank;
	graph->known_refs[i] = kg_ref_copy(ref, graph->known_ids);
}

void
kg_graph_forget_types(KgGraph *graph)
{
	if (graph->known_ranks == NULL)
		return;
	kg_nodeset_free(&graph->known);
	pfree(graph->known_ranks);
	graph->known_ranks = NULL;
	if (graph->known_refs == NULL)
		return;
	pfree(graph->known_refs);
	graph->known_refs = NULL;
	MemoryContextReset(graph->known_ids);
}

static void
begin_known(KgGraph *graph)
{
	kg_graph_forget_types(graph);
	kg_nodeset_init(&graph->known, graph->context);
	graph->known_ranks = MemoryContextAlloc(
		graph->context, graph->known.capacity * sizeof(uint16));
	if (!graph->check_nodes)
		return;
	graph->known_refs = MemoryContextAlloc(
		graph->context, graph->known.capacity * sizeof(KgRef));
	if (graph->known_ids == NULL)
		graph->known_ids = AllocSetContextCreate(
			graph->context, "kg_graph known ids", ALLOCSET_DEFAULT_SIZES);
}

/* Maximum difference of the numbers of two successive nodes of a range. */
#define KG_NEAR 6
/* If there are fewer nodes than this, they are looked up one by one. */
#define KG_FEWEST_IN_RANGES 8

/*
 * Divides ascending nodes into ranges of nodes with near numbers. Returns the
 * number of ranges.
 */
static uint32
make_ranges(const int64 *nodes, uint32 n, KgRange *ranges)
{
	uint32 count = 0;

	for (uint32 i = 0; i < n; i++)
		if (count > 0 && nodes[i] - ranges[count - 1].last <= KG_NEAR)
			ranges[count - 1].last = nodes[i];
		else
			ranges[count++] = (KgRange){nodes[i], nodes[i]};
	return count;
}

bool
kg_graph_run_near(KgGraph *graph, KgGraphSql sql, const KgNodeSet *set,
				  uint32 wanted, KgRowFunction row, void *arg)
{
	static const Oid types[] = {TEXTOID, INT8OID, INT8OID};
	uint32 n = set->n - wanted;
	int64 *nodes;
	KgRange *ranges;
	Datum values[] = {graph->tenant, 0, 0};
	KgRanges all = {.set = set, .wanted = wanted};
	KgStatement statement = {.sql = kg_graph_sql(sql),
							 .nargs = lengthof(values),
							 .argtypes = types,
							 .values = values,
							 .hold = true,
							 .node_column = kg_graph_sql_node_column(sql),
							 .ranges = &all};
	bool read;

	if (n < KG_FEWEST_IN_RANGES)
		return false;
	nodes = MemoryContextAllocHuge(graph->context, n * sizeof(int64));
	ranges = MemoryContextAllocHuge(graph->context, n * sizeof(KgRange));
	memcpy(nodes, set->nodes + wanted, n * sizeof(int64));
	n = kg_graph_sort_nodes(nodes, n);
	all.n = make_ranges(nodes, n, ranges);
	all.ranges = ranges;
	values[1] = Int64GetDatum(nodes[0]);
	values[2] = Int64GetDatum(nodes[n - 1]);
	read = all.n <= n - n / 4 && kg_plan_holds(&statement);
	if (read)
		(void) kg_plan_run(&statement, row, arg);
	pfree(ranges);
	pfree(nodes);
	return read;
}

/*
 * Reads the wanted nodes with their ids, because the policies read their rows
 * anyway.
 */
static void
read_checked(KgGraph *graph, Resolution *r)
{
	uint32 n = graph->known.n - r->wanted;

	if (!graph->in_ranges || !kg_graph_run_near(graph,
												KG_SQL_NODE_IDS_RANGE,
												&graph->known,
												r->wanted,
												receive_ref,
												r))
		run_on_nodes(graph,
					 KG_SQL_NODE_IDS,
					 graph->known.nodes + r->wanted,
					 n,
					 receive_ref,
					 r);
}

static void
read_known(KgGraph *graph, uint32 before)
{
	KgNodeSet *known = &graph->known;
	uint32 n = known->n - before;
	Resolution r = {
		.graph = graph, .wanted = before, .found = keep_known, .arg = &r};

	graph->known_ranks = repalloc(graph->known_ranks,
								  known->capacity * sizeof(uint16));
	memset(graph->known_ranks + before, 0, n * sizeof(uint16));
	if (!graph->check_nodes)
	{
		run_on_nodes(graph,
					 KG_SQL_NODE_TYPES,
					 known->nodes + before,
					 n,
					 receive_type,
					 &r);
		return;
	}
	graph->known_refs = repalloc(graph->known_refs,
								 known->capacity * sizeof(KgRef));
	read_checked(graph, &r);
}

/* Sets the ranks of at most KG_PIECE nodes. */
static void
read_types(KgGraph *graph, const int64 *nodes, uint32 n, uint16 *ranks)
{
	KgNodeSet *known = &graph->known;
	uint32 *places = palloc(n * sizeof(uint32));
	uint32 before;

	if (graph->known_ranks == NULL || known->n + n > KG_PIECE)
		begin_known(graph);
	before = known->n;
	for (uint32 i = 0; i < n; i++)
		places[i] = kg_nodeset_add(known, nodes[i]);
	if (known->n > before)
		read_known(graph, before);
	for (uint32 i = 0; i < n; i++)
		ranks[i] = graph->known_ranks[places[i]];
	pfree(places);
}

/* Sets the ranks of nodes of kg_entity and of foreign nodes. */
static void
foreign_types(KgGraph *graph, const int64 *nodes, uint32 n, uint16 *ranks)
{
	int64 *own = MemoryContextAllocHuge(graph->context,
										(Size) n * sizeof(int64));
	uint16 *own_ranks = MemoryContextAllocHuge(graph->context,
											   (Size) n * sizeof(uint16));
	uint32 nown = 0;

	for (uint32 i = 0; i < n; i++)
		if (!kg_is_foreign(nodes[i]))
			own[nown++] = nodes[i];
	for (uint32 start = 0; start < nown; start += KG_PIECE)
		read_types(
			graph, own + start, Min(nown - start, KG_PIECE), own_ranks + start);
	nown = 0;
	for (uint32 i = 0; i < n; i++)
		ranks[i] = kg_is_foreign(nodes[i])
					   ? graph->foreign->rank(graph, nodes[i])
					   : own_ranks[nown++];
	pfree(own);
	pfree(own_ranks);
}

void
kg_graph_types(KgGraph *graph, const int64 *nodes, uint32 n, uint16 *ranks)
{
	const KgRef *start = n == 1 ? kept_start(graph, nodes[0]) : NULL;

	if (graph->foreign != NULL && n > 0)
	{
		foreign_types(graph, nodes, n, ranks);
		return;
	}
	if (start != NULL)
	{
		ranks[0] = start->rank;
		return;
	}
	kg_decisions_begin_step();
	for (uint32 start = 0; start < n; start += KG_PIECE)
		read_types(
			graph, nodes + start, Min(n - start, KG_PIECE), ranks + start);
	kg_decisions_end_step();
}

static void
keep_start(const KgRef *ref, void *arg)
{
	KgGraph *graph = arg;
	KgRef *copy = MemoryContextAlloc(graph->context, sizeof(KgRef));

	*copy = kg_ref_copy(ref, graph->context);
	graph->kept.starts[graph->kept.nstarts++ % KG_KEPT_STARTS] = copy;
}

/* Returns the node of an entity with this type and id, or 0. */
static int64
start_of_id(KgGraph *graph, const KgType *type, const char *id)
{
	static const Oid types[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID};
	uint32 before = graph->kept.nstarts;
	Datum values[4];
	Resolution r;

	if (kg_foreign_of(graph, type) != NULL)
	{
		KgSelector selector = {.type = type, .nids = 1, .ids = (char **) &id};
		uint32 n;
		const int64 *nodes = graph->foreign->select(graph, &selector, &n);

		return n > 0 ? nodes[0] : 0;
	}
	memset(&r, 0, sizeof(r));
	r.graph = graph;
	r.with_data = true;
	r.lazy = true;
	r.found = keep_start;
	r.arg = graph;
	values[1] = CStringGetTextDatum(type->bundle);
	values[2] = CStringGetTextDatum(type->name);
	values[3] = CStringGetTextDatum(id);
	kg_graph_run(graph, KG_SQL_NODE_OF_TYPE, 4, types, values, receive_ref, &r);
	return graph->kept.nstarts == before
			   ? 0
			   : graph->kept.starts[before % KG_KEPT_STARTS]->node;
}

int64
kg_graph_start(KgGraph *graph, const KgType *type, const char *id)
{
	int64 node = start_of_id(graph, type, id);
	KgMerged merged;

	if (node != 0 || !kg_merged_find(graph->catalog, type, id, &merged))
		return node;
	return start_of_id(graph, type, merged.id);
}

/*
 * Passes to found() the nodes whose rows are cached as starts of the search.
 * Returns the remaining nodes and sets *n to their number.
 */
static const int64 *
deliver_starts(KgGraph *graph, const int64 *nodes, uint32 *n, bool with_data,
			   KgRefFunction found, void *arg)
{
	int64 *rest = NULL;
	uint32 nrest = 0;

	for (uint32 i = 0; i < *n; i++)
	{
		const KgRef *start = kept_start(graph, nodes[i]);
		KgRef ref;

		if (start == NULL || (with_data && start->data == NULL))
		{
			if (rest != NULL)
				rest[nrest++] = nodes[i];
			continue;
		}
		if (rest == NULL)
		{
			rest = MemoryContextAllocHuge(graph->context,
										  (Size) *n * sizeof(int64));
			memcpy(rest, nodes, (Size) i * sizeof(int64));
			nrest = i;
		}
		ref = *start;
		if (!with_data)
			ref.data = NULL;
		found(&ref, arg);
	}
	if (rest == NULL)
		return nodes;
	*n = nrest;
	return rest;
}

/*
 * Passes to found() the nodes whose types and ids (refs) are cached. Returns
 * the remaining nodes and sets *n to their number.
 */
static const int64 *
deliver_known(KgGraph *graph, const int64 *nodes, uint32 *n,
			  KgRefFunction found, void *arg)
{
	int64 *rest = MemoryContextAllocHuge(graph->context,
										 Max((Size) *n, 1) * sizeof(int64));
	uint32 nrest = 0;

	for (uint32 i = 0; i < *n; i++)
	{
		uint32 place = kg_nodeset_find(&graph->known, nodes[i]);

		if (place == KG_NO_NODE)
			rest[nrest++] = nodes[i];
		else if (graph->known_ranks[place] != 0)
			found(&graph->known_refs[place], arg);
	}
	*n = nrest;
	return rest;
}

/*
 * Reads the ids of nodes by ranges. Returns false if that is not possible, or
 * would cost more than single look-ups.
 */
static bool
read_ids_near(KgGraph *graph, const int64 *nodes, uint32 n, Resolution *r)
{
	KgNodeSet set;
	bool read;

	if (!graph->in_ranges || n < KG_FEWEST_IN_RANGES)
		return false;
	kg_nodeset_init(&set, graph->context);
	for (uint32 i = 0; i < n; i++)
		(void) kg_nodeset_add(&set, nodes[i]);
	r->only = &set;
	read = kg_graph_run_near(
		graph, KG_SQL_NODE_IDS_RANGE, &set, 0, receive_ref, r);
	r->only = NULL;
	kg_nodeset_free(&set);
	return read;
}

void
kg_graph_resolve(KgGraph *graph, const int64 *nodes, uint32 n, bool with_data,
				 KgRefFunction found, void *arg)
{
	Resolution r;

	if (graph->foreign != NULL)
	{
		uint32 nforeign;

		nodes = kg_foreign_apart(graph, nodes, n, &nforeign);
		if (nforeign > 0)
			graph->foreign->resolve(
				graph, nodes, nforeign, with_data, found, arg);
		nodes += nforeign;
		n -= nforeign;
	}
	nodes = deliver_starts(graph, nodes, &n, with_data, found, arg);
	memset(&r, 0, sizeof(r));
	r.graph = graph;
	r.with_data = with_data;
	r.found = found;
	r.arg = arg;
	if (graph->known_refs != NULL && !with_data)
		nodes = deliver_known(graph, nodes, &n, found, arg);
	if (!with_data && read_ids_near(graph, nodes, n, &r))
		return;
	for (uint32 start = 0; start < n; start += KG_PIECE)
		run_on_nodes(graph,
					 with_data ? KG_SQL_NODE_ROWS : KG_SQL_NODE_IDS,
					 nodes + start,
					 Min(n - start, KG_PIECE),
					 receive_ref,
					 &r);
}

int
kg_ref_compare(const KgRef *a, const KgRef *b)
{
	int order;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	order = memcmp(a->id, b->id, Min(a->idlen, b->idlen));
	if (order != 0)
		return order;
	return a->idlen - b->idlen;
}

KgRef
kg_ref_copy(const KgRef *ref, MemoryContext context)
{
	KgRef copy = *ref;
	char *id = MemoryContextAlloc(context, ref->idlen + 1);

	memcpy(id, ref->id, ref->idlen);
	id[ref->idlen] = '\0';
	copy.id = id;
	if (ref->data != NULL)
	{
		Jsonb *data = MemoryContextAlloc(context, VARSIZE(ref->data));

		memcpy(data, ref->data, VARSIZE(ref->data));
		copy.data = data;
	}
	return copy;
}
