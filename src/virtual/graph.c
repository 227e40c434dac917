/*
 * graph.c
 *	  The virtual graph in the searches of the graph: nodes and edges by
 *	  statements over typed sub-selects.
 *
 * A node is a type and an id.  The searches want numbers, so each node that a
 * search meets gets one, below 0.  The neighbours of a set of nodes are read by
 * one statement for each variant of a relation and direction.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "base/settings.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "query/graph/foreign.h"
#include "query/time/past.h"
#include "query/time/validity.h"
#include "store/view/view_sql.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "virtual/conditions.h"
#include "virtual/served.h"
#include "virtual/virtual.h"

typedef struct NodeKey
{
	uint16 rank;
	const char *id;
} NodeKey;

typedef struct NodeEntry
{
	NodeKey key;
	uint32 index;
} NodeEntry;

typedef struct KgForeignState
{
	HTAB *numbers; /* of NodeEntry */
	uint32 n;
	uint32 room;
	NodeKey *nodes;			   /* by index: number -1 is the first */
	const KgVSource **sources; /* by rank - 1; NULL: not made yet */
	bool stored;			   /* stored types, too: for tests */
} KgForeignState;

/* ---- numbers ---- */

static uint32
hash_node(const void *key, Size size)
{
	const NodeKey *node = key;

	return string_hash(node->id, strlen(node->id) + 1) ^ node->rank;
}

static int
match_node(const void *a, const void *b, Size size)
{
	const NodeKey *x = a;
	const NodeKey *y = b;

	return x->rank != y->rank || strcmp(x->id, y->id) != 0;
}

static int64
number_of(KgGraph *graph, uint16 rank, const char *id)
{
	KgForeignState *state = graph->foreign_state;
	NodeKey key = {rank, id};
	NodeEntry *entry;
	bool found;

	entry = hash_search(state->numbers, &key, HASH_ENTER, &found);
	if (!found)
	{
		entry->key.id = MemoryContextStrdup(graph->context, id);
		entry->index = state->n;
		if (state->n == state->room)
		{
			state->room *= 2;
			state->nodes = repalloc_huge(state->nodes,
										 state->room * sizeof(NodeKey));
			kg_graph_check_memory(graph);
		}
		state->nodes[state->n++] = entry->key;
	}
	return -(int64) entry->index - 1;
}

static const NodeKey *
node_of(const KgGraph *graph, int64 node)
{
	return &graph->foreign_state->nodes[-node - 1];
}

static uint16
foreign_rank(const KgGraph *graph, int64 node)
{
	return node_of(graph, node)->rank;
}

static bool
foreign_has(const KgGraph *graph, const KgType *type)
{
	return type->binding != NULL || graph->foreign_state->stored;
}

static const KgVSource *
source_of(KgGraph *graph, uint16 rank)
{
	const KgVSource **source = &graph->foreign_state->sources[rank - 1];

	if (*source == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(graph->context);

		*source = kg_vsource(graph->catalog, graph->ranked[rank - 1]);
		MemoryContextSwitchTo(old);
	}
	return *source;
}

/* ---- starts and selections ---- */

static bool
take_id(TupleTableSlot *slot, void *arg)
{
	List **ids = arg;

	*ids = lappend(*ids, TextDatumGetCString(kg_slot_datum(slot, 1)));
	return true;
}

/* A selection that the virtual graph does not have. */
static void
refuse(const KgSelector *selector)
{
	kg_binding_refuse(selector->type,
					  selector->related != NULL
						  ? "a condition on connected nodes"
						  : "a filter by a property without a column that you "
							"may read");
	ereport(ERROR,
			errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			errmsg("selection is not one of the virtual graph"));
}

static int64 *
foreign_select(KgGraph *graph, const KgSelector *selector, uint32 *n)
{
	uint16 rank = kg_graph_rank(graph, selector->type->type_no);
	const KgVSource *source = source_of(graph, rank);
	List *ids = NIL;
	ListCell *lc;
	int64 *nodes;
	KgSqlBuilder b;

	if (selector->related != NULL || !kg_vfilter_fits(source, selector->filter))
		refuse(selector);
	if (selector->nids == 0)
		kg_vfilter_require_index(source, selector->filter);
	kg_sql_start(&b, graph->catalog);
	kg_sql_append(&b,
				  "SELECT %s FROM %s WHERE %s",
				  source->id,
				  source->from,
				  source->where ? source->where : "true");
	if (selector->nids > 0)
	{
		kg_sql_append(&b, " AND ");
		kg_vids(
			&b, source, (const char *const *) selector->ids, selector->nids);
	}
	kg_vfilter(&b, source, selector->filter);
	kg_sql_append(&b,
				  " LIMIT $%d",
				  kg_sql_param_int64(&b, (int64) kg_setting_max_visited + 1));
	kg_virtual_run(source, &b, take_id, &ids);
	kg_graph_check_visited(graph, list_length(ids));
	nodes = MemoryContextAllocHuge(graph->context,
								   (list_length(ids) + 1) * sizeof(int64));
	*n = 0;
	foreach(lc, ids)
		nodes[(*n)++] = number_of(graph, rank, lfirst(lc));
	return nodes;
}

static int64
foreign_start(KgGraph *graph, const KgType *type, const char *id)
{
	KgSelector selector = {.type = type, .nids = 1, .ids = (char **) &id};
	uint32 n;
	const int64 *nodes = foreign_select(graph, &selector, &n);

	return n > 0 ? nodes[0] : 0;
}

/* ---- ids and data ---- */

static void
resolve_data(KgGraph *graph, uint16 rank, const int64 *nodes, uint32 n,
			 KgRefFunction found, void *arg)
{
	char **ids = palloc((n + 1) * sizeof(char *));
	int64 *numbers = palloc((n + 1) * sizeof(int64));
	int count = 0;
	KgGot *got;

	for (uint32 i = 0; i < n; i++)
	{
		const NodeKey *node = node_of(graph, nodes[i]);

		if (node->rank != rank)
			continue;
		numbers[count] = nodes[i];
		ids[count++] = (char *) node->id;
	}
	if (count == 0)
		return;
	got = kg_virtual_get(source_of(graph, rank), ids, count);
	for (int i = 0; i < count; i++)
	{
		KgRef ref = {numbers[i], rank, strlen(ids[i]), ids[i], got[i].data};

		if (got[i].data != NULL)
			found(&ref, arg);
	}
}

static void
foreign_resolve(KgGraph *graph, const int64 *nodes, uint32 n, bool with_data,
				KgRefFunction found, void *arg)
{
	if (with_data)
	{
		for (int rank = 1; rank <= graph->nranks; rank++)
			resolve_data(graph, rank, nodes, n, found, arg);
		return;
	}
	for (uint32 i = 0; i < n; i++)
	{
		const NodeKey *node = node_of(graph, nodes[i]);
		KgRef ref = {nodes[i], node->rank, strlen(node->id), node->id, NULL};

		found(&ref, arg);
	}
}

/* ---- edges ---- */

/* The edges of a variant of a relation, as a sub-select. */
typedef struct Edges
{
	int32 relation_no;
	uint16 ranks[2]; /* of the source, of the target */
	const char *from;
	const char *where;
	KgVColumn ends[2];
	const char *texts[2];	/* the ends' ids */
	const char *properties; /* or NULL */
	const KgVSource *source;
} Edges;

typedef struct Expansion
{
	KgGraph *graph;
	const KgFollow *walk;
	const Edges *edges;
	bool backward;
	KgNeighborFunction found;
	void *arg;
} Expansion;

static bool
bound_edges(KgGraph *graph, const KgVariant *variant, Edges *edges)
{
	const KgVSource *source = source_of(graph, edges->ranks[0]);
	const KgVColumn *column;

	if (variant->property == NULL)
		return false;
	column = kg_vsource_column(source,
							   kg_type_field(source->type, variant->property));
	if (column->sql == NULL)
		return false;
	edges->source = source;
	edges->from = source->from;
	edges->where = psprintf("%s AND (%s) IS NOT NULL",
							source->where ? source->where : "true",
							kg_vvalue(column));
	edges->ends[0] = source->nkeys == 1
						 ? source->keys[0]
						 : (KgVColumn){source->id, TEXTOID, true};
	edges->texts[0] = source->id;
	edges->ends[1] = *column;
	edges->texts[1] = kg_bound_text(column->sql, column->type);
	return true;
}

static void
stored_edges(KgGraph *graph, const KgRelation *relation, Edges *edges)
{
	const KgType *from = graph->ranked[edges->ranks[0] - 1];
	const KgType *to = graph->ranked[edges->ranks[1] - 1];
	KgView *view = kg_view_of_relation(relation);
	KgViewTables tables = {kg_sql_table("kg_entity"), kg_sql_table("kg_edge")};

	edges->source = source_of(graph, edges->ranks[0]);
	edges->from = psprintf(
		"(%s) r", kg_view_query(graph->catalog, view, view->columns, &tables));
	edges->where = psprintf("r.from_type = %s AND r.to_type = %s",
							quote_literal_cstr(from->name),
							quote_literal_cstr(to->name));
	edges->texts[0] = "r.\"from\"";
	edges->texts[1] = "r.\"to\"";
	for (int i = 0; i < 2; i++)
		edges->ends[i] = (KgVColumn){edges->texts[i], TEXTOID, true};
	edges->properties = "r.properties";
}

static bool
take_edge(TupleTableSlot *slot, void *arg)
{
	Expansion *e = arg;
	const Edges *edges = e->edges;
	int64 ends[2];
	KgNeighbors found = {0};
	bool isnull;
	Jsonb *properties = NULL;

	kg_graph_charge_edges(e->graph, 1);
	for (int i = 0; i < 2; i++)
		ends[i] = number_of(e->graph,
							edges->ranks[i],
							TextDatumGetCString(kg_slot_datum(slot, i + 1)));
	if (edges->properties != NULL &&
		(e->walk->properties || e->walk->accept != NULL))
	{
		Datum datum = slot_getattr(slot, 3, &isnull);

		if (!isnull)
			properties = DatumGetJsonbPCopy(datum);
	}
	found.node = ends[e->backward];
	found.neighbors = &ends[!e->backward];
	found.n = 1;
	found.relation_no = edges->relation_no;
	found.backward = e->backward;
	found.properties = properties;
	if (e->walk->accept == NULL ||
		e->walk->accept(found.relation_no, properties, e->walk->accept_arg))
		e->found(&found, e->arg);
	return true;
}

/*
 * Appends that an end of the edges is one of the nodes of its type.  Returns
 * false if no node is of that type.
 */
static bool
append_nodes(KgSqlBuilder *b, const Expansion *e, const int64 *nodes, uint32 n)
{
	const KgVColumn *end = &e->edges->ends[e->backward];
	uint16 rank = e->edges->ranks[e->backward];
	const char **ids = palloc((n + 1) * sizeof(char *));
	int count = 0;

	for (uint32 i = 0; i < n; i++)
		if (node_of(e->graph, nodes[i])->rank == rank)
			ids[count++] = node_of(e->graph, nodes[i])->id;
	if (count == 0)
		return false;
	kg_sql_append(b,
				  " AND %s %s ANY ($%d)",
				  end->sql,
				  kg_voperator(end->type, BTEqualStrategyNumber),
				  kg_vparams(b, end->type, ids, count));
	return true;
}

static void
expand_edges(Expansion *e, const int64 *nodes, uint32 n)
{
	const Edges *edges = e->edges;
	KgSqlBuilder b;

	CHECK_FOR_INTERRUPTS();
	kg_sql_start(&b, e->graph->catalog);
	kg_sql_append(&b,
				  "SELECT %s, %s%s%s FROM %s WHERE %s",
				  edges->texts[0],
				  edges->texts[1],
				  edges->properties ? ", " : "",
				  edges->properties ? edges->properties : "",
				  edges->from,
				  edges->where);
	if (append_nodes(&b, e, nodes, n))
		kg_virtual_run(edges->source, &b, take_edge, e);
}

static void
foreign_expand(KgGraph *graph, const KgFollow *walk, const int64 *nodes,
			   uint32 n, KgNeighborFunction found, void *arg)
{
	const KgCatalog *catalog = graph->catalog;

	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];
		bool along[2] = {
			kg_relation_set_has(&walk->forward, relation->relation_no),
			kg_relation_set_has(&walk->backward, relation->relation_no)};

		for (int v = 0; v < relation->nvariants && (along[0] || along[1]); v++)
		{
			const KgVariant *variant = &relation->variants[v];
			Edges edges = {relation->relation_no,
						   {kg_graph_rank(graph, variant->from_type_no),
							kg_graph_rank(graph, variant->to_type_no)}};

			if (edges.ranks[0] == 0 || edges.ranks[1] == 0)
				continue;
			if (graph->ranked[edges.ranks[0] - 1]->binding == NULL)
			{
				if (!graph->foreign_state->stored)
					continue;
				stored_edges(graph, relation, &edges);
			}
			else if (!bound_edges(graph, variant, &edges))
				continue;
			for (int backward = 0; backward < 2; backward++)
			{
				Expansion e = {graph, walk, &edges, backward == 1, found, arg};

				if (along[backward])
					expand_edges(&e, nodes, n);
			}
		}
	}
}

/* ---- a search ---- */

static bool
binds(const KgCatalog *catalog)
{
	for (int i = 0; i < catalog->ntypes; i++)
		if (catalog->types[i]->binding != NULL)
			return true;
	return false;
}

/* Returns whether the virtual graph may answer for the stored types. */
static bool
reads_stored(const KgCatalog *catalog)
{
	return kg_setting_virtual_graph && !catalog->authorizes &&
		   kg_validity_hides() == 0 && !kg_past_asked();
}

static const KgForeign *
begin(KgGraph *graph)
{
	static const KgForeign functions = {foreign_has,
										foreign_start,
										foreign_select,
										foreign_expand,
										foreign_rank,
										foreign_resolve};
	HASHCTL ctl = {0};
	KgForeignState *state;
	bool stored = reads_stored(graph->catalog);

	if (!stored && !binds(graph->catalog))
		return NULL;
	state = MemoryContextAllocZero(graph->context, sizeof(*state));
	ctl.keysize = sizeof(NodeKey);
	ctl.entrysize = sizeof(NodeEntry);
	ctl.hash = hash_node;
	ctl.match = match_node;
	ctl.hcxt = graph->context;
	state->numbers = hash_create("kg_graph foreign nodes",
								 256,
								 &ctl,
								 HASH_ELEM | HASH_FUNCTION | HASH_COMPARE |
									 HASH_CONTEXT);
	state->stored = stored;
	state->room = 64;
	state->nodes = MemoryContextAlloc(graph->context,
									  state->room * sizeof(NodeKey));
	state->sources = MemoryContextAllocZero(
		graph->context, (graph->nranks + 1) * sizeof(KgVSource *));
	graph->foreign_state = state;
	return &functions;
}

void
kg_virtual_init(void)
{
	kg_foreign_begin = begin;
}
