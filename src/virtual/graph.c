/*
 * graph.c
 *	  The virtual graph in searches: nodes and edges are read by statements
 *	  over typed sub-selects. A node is a type and an id. Searches identify
 *	  nodes by numbers, so each node that a search reads gets a number below
 *	  0.
 *
 * The neighbours of a set of nodes are read by one statement for each variant
 * of a relation and direction.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "auth/agent.h"
#include "base/settings.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "query/graph/foreign.h"
#include "query/graph/related.h"
#include "model/key.h"
#include "query/run/running.h"
#include "query/time/past.h"
#include "query/time/validity.h"
#include "store/derived/extract.h"
#include "store/reference/bound_targets.h"
#include "store/view/view_sql.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "virtual/conditions.h"
#include "virtual/names.h"
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
	HTAB *numbers; /* hash table of NodeEntry */
	uint32 n;
	uint32 room;
	NodeKey *nodes;			   /* key of each node, by index; the first node has
							    * the number -1 */
	const KgVSource **sources; /* sub-selects of types, indexed by the type's
							    * rank (its number in the graph) - 1; NULL: not
							    * created yet */
	bool stored; /* for tests: use the virtual graph for stored types, too */
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
foreign_has(const KgGraph *graph, bool table)
{
	return table || graph->foreign_state->stored;
}

static const KgVSource *
source_of(KgGraph *graph, uint16 rank)
{
	const KgVSource **source = &graph->foreign_state->sources[rank - 1];

	if (*source == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(graph->context);

		*source = kg_vsource(graph->catalog, kg_graph_type(graph, rank - 1));
		MemoryContextSwitchTo(old);
	}
	return *source;
}

/* ---- selections ---- */

static bool
take_id(TupleTableSlot *slot, void *arg)
{
	List **ids = arg;

	*ids = lappend(*ids, TextDatumGetCString(kg_slot_datum(slot, 1)));
	return true;
}

/* Raises the error for a selection that the virtual graph does not support. */
static void
refuse(const KgType *type)
{
	kg_binding_refuse(
		type,
		"a filter by a property without a column that the caller may read");
	ereport(ERROR,
			errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			errmsg("rows of entity type \"%s\" cannot be selected by this "
				   "condition",
				   kg_type_handle(type)));
}

/*
 * Returns the ids of at most limit rows that pass a filter. If ids is not NULL,
 * only rows with one of these ids are selected.
 */
static List *
select_ids(const KgVSource *source, char *const *ids, int n,
		   const KgFilter *filter, int64 limit)
{
	List *found = NIL;
	KgSqlBuilder b;

	if (!kg_vfilter_fits(source, filter))
		refuse(source->type);
	if (ids == NULL)
		kg_vfilter_require_index(source, filter);
	kg_sql_start(&b, source->catalog);
	kg_sql_append(&b, "SELECT %s", source->id);
	kg_vfrom(&b, source, ids, n, filter);
	kg_sql_append(&b, " LIMIT $%d", kg_sql_param_int64(&b, limit));
	kg_virtual_run(source, &b, ids != NULL && filter == NULL, take_id, &found);
	return found;
}

/*
 * Raises KG_LIMIT_EXCEEDED if the filter on the last nodes of a chain would
 * read all rows of a large table, because no index serves the filter.
 */
static void
require_ends(KgGraph *graph, const KgSelector *selector)
{
	const KgRelated *related = selector->related;

	for (int i = 0; related != NULL && i < related->n; i++)
	{
		const KgChain *chain = &related->chains[i];
		const KgStepSpec *last;

		if (chain->negated || chain->nsteps == 0)
			continue;
		last = &chain->specs[chain->nsteps - 1];
		for (int j = 0; j < last->ntests; j++)
		{
			const KgNodeTest *test = &last->tests[j];

			if (test->type != NULL && test->type->binding != NULL &&
				test->filters != NULL && test->nids == 0)
				kg_vfilter_require_index(source_of(graph, test->rank),
										 test->filters[test->rank - 1]);
		}
	}
}

static int64 *
foreign_select(KgGraph *graph, const KgSelector *selector, uint32 *n)
{
	uint16 rank = kg_graph_rank(graph, selector->type->type_no);
	const KgVSource *source = source_of(graph, rank);
	List *ids;
	ListCell *lc;
	int64 *nodes;

	if (selector->nids == 0 &&
		(selector->filter == NULL || kg_filter_is_empty(selector->filter)) &&
		kg_vsource_is_large(source))
		require_ends(graph, selector);
	ids = select_ids(source,
					 selector->nids > 0 ? selector->ids : NULL,
					 selector->nids,
					 selector->filter,
					 (int64) kg_setting_max_visited + 1);

	kg_graph_check_visited(graph, list_length(ids));
	nodes = MemoryContextAllocHuge(graph->context,
								   (list_length(ids) + 1) * sizeof(int64));
	*n = 0;
	foreach(lc, ids)
		nodes[(*n)++] = number_of(graph, rank, lfirst(lc));
	return nodes;
}

static bool
foreign_few(KgGraph *graph, const KgType *type, const KgFilter *filter,
			uint32 most, KgNodeSet *nodes)
{
	uint16 rank = kg_graph_rank(graph, type->type_no);
	const KgVSource *source = source_of(graph, rank);
	List *ids;
	ListCell *lc;

	if (!kg_vfilter_fits(source, filter) ||
		!kg_vfilter_is_served(source, filter))
		return false;
	ids = select_ids(source, NULL, 0, filter, (int64) most + 1);
	if (list_length(ids) > most)
		return false;
	foreach(lc, ids)
		(void) kg_nodeset_add(nodes, number_of(graph, rank, lfirst(lc)));
	return true;
}

/*
 * Returns the ids of the nodes that are foreign (rows of a sub-select) and
 * belong to the type with this rank (the type's number in the graph).
 */
static char **
ids_of(const KgGraph *graph, uint16 rank, const int64 *nodes, uint32 n,
	   int *count)
{
	char **ids = palloc_extended((Size) (n + 1) * sizeof(char *),
								 MCXT_ALLOC_HUGE);

	*count = 0;
	for (uint32 i = 0; i < n; i++)
		if (kg_is_foreign(nodes[i]) && node_of(graph, nodes[i])->rank == rank)
			ids[(*count)++] = (char *) node_of(graph, nodes[i])->id;
	return ids;
}

static bool
foreign_pass(KgGraph *graph, uint16 rank, const KgFilter *filter,
			 const int64 *nodes, uint32 n, KgNodeSet *passing)
{
	const KgVSource *source = source_of(graph, rank);
	char **ids;
	int count;
	ListCell *lc;

	if (source->document != NULL && !kg_vfilter_fits(source, filter))
		return false;
	ids = ids_of(graph, rank, nodes, n, &count);
	foreach(lc, select_ids(source, ids, count, filter, count))
		(void) kg_nodeset_add(passing, number_of(graph, rank, lfirst(lc)));
	return true;
}

/* ---- groups ---- */

typedef struct Groups
{
	int nfields;
	const KgVColumn **columns;
	KgForeignGroupFunction found;
	void *arg;
	int64 entities;
} Groups;

static bool
take_group(TupleTableSlot *slot, void *arg)
{
	Groups *groups = arg;
	JsonbValue *values = palloc(groups->nfields * sizeof(JsonbValue));
	const JsonbValue **found = palloc0(groups->nfields * sizeof(JsonbValue *));
	int64 entities = DatumGetInt64(kg_slot_datum(slot, 1));
	int at = 2;

	for (int i = 0; i < groups->nfields; i++)
	{
		bool isnull;
		Datum datum;

		if (groups->columns[i] == NULL)
			continue;
		datum = slot_getattr(slot, at++, &isnull);
		if (isnull)
			continue;
		kg_json_root(DatumGetJsonbPCopy(datum), &values[i]);
		found[i] = &values[i];
	}
	groups->entities += entities;
	if (entities > 0)
		groups->found(found, entities, groups->arg);
	return true;
}

static int64
foreign_groups(KgGraph *graph, const KgSelector *selector,
			   const KgField *const *fields, int nfields,
			   KgForeignGroupFunction found, void *arg)
{
	const KgVSource *source = source_of(
		graph, kg_graph_rank(graph, selector->type->type_no));
	Groups groups = {nfields, palloc0((nfields + 1) * sizeof(KgVColumn *))};
	const char *separator = " GROUP BY ";
	KgSqlBuilder b;

	for (int i = 0; i < nfields; i++)
	{
		if (fields[i] == NULL)
			continue;
		groups.columns[i] = kg_vsource_column(source, fields[i]);
		if (groups.columns[i]->sql == NULL ||
			kg_voperator(groups.columns[i]->type, BTEqualStrategyNumber) ==
				NULL)
			return -1;
	}
	if (!kg_vfilter_fits(source, selector->filter))
		refuse(selector->type);
	if (selector->nids == 0)
		kg_vfilter_require_index(source, selector->filter);
	groups.found = found;
	groups.arg = arg;
	kg_sql_start(&b, graph->catalog);
	kg_sql_append(&b, "SELECT pg_catalog.count(*)");
	for (int i = 0; i < nfields; i++)
		if (groups.columns[i] != NULL)
			kg_sql_append(&b, ", %s", kg_vjson_by_set(groups.columns[i]));
	kg_vfrom(&b,
			 source,
			 selector->nids > 0 ? selector->ids : NULL,
			 selector->nids,
			 selector->filter);
	for (int i = 0; i < nfields; i++)
		if (groups.columns[i] != NULL)
		{
			kg_sql_append(
				&b, "%s%s", separator, kg_vvalue_by_set(groups.columns[i]));
			separator = ", ";
		}
	kg_virtual_run(source, &b, false, take_group, &groups);
	return groups.entities;
}

/* ---- names ---- */

typedef struct Matching
{
	KgGraph *graph;
	uint16 rank;
	KgMatches *matches;
	int first;		/* index of the type's first match */
	KgNodeSet rows; /* the type's matches, in their order */
	int room;
} Matching;

/* Adds the match of a row, or replaces an earlier match with a lower score. */
static void
take_match(const char *id, const KgMatch *match, void *arg)
{
	Matching *matching = arg;
	KgMatches *matches = matching->matches;
	KgMatch found = *match;
	int at;

	found.node = number_of(matching->graph, matching->rank, id);
	at = matching->first + kg_nodeset_add(&matching->rows, found.node);
	if (at < matches->n)
	{
		if (found.score > matches->matches[at].score)
			matches->matches[at] = found;
		return;
	}
	if (at >= matching->room)
	{
		matching->room = 2 * at + 64;
		matches->matches = repalloc_huge(matches->matches,
										 matching->room * sizeof(KgMatch));
	}
	matches->matches[matches->n++] = found;
}

static void
foreign_search(KgGraph *graph, const KgType *type, const char *query,
			   KgMatches *matches, List **missing)
{
	uint16 rank = kg_graph_rank(graph, type->type_no);
	Matching matching = {graph, rank, matches, matches->n};

	kg_nodeset_init(&matching.rows, graph->context);
	kg_vnames(source_of(graph, rank), query, take_match, &matching, missing);
}

/* ---- ids and data ---- */

static void
resolve_data(KgGraph *graph, uint16 rank, const int64 *nodes, uint32 n,
			 KgRefFunction found, void *arg)
{
	int count;
	char **ids = ids_of(graph, rank, nodes, n, &count);
	KgGot *got;

	if (count == 0)
		return;
	got = kg_virtual_get(source_of(graph, rank), ids, count);
	for (int i = 0; i < count; i++)
	{
		KgRef ref = {number_of(graph, rank, ids[i]),
					 rank,
					 strlen(ids[i]),
					 ids[i],
					 got[i].data};

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

/*
 * One end, the source or the target, of the edges of a relation's variant (one
 * pair of types).
 */
typedef struct End
{
	uint16 rank;
	int nkeys; /* number of columns of the id */
	const KgVColumn *keys;
	const char *id; /* SQL expression of the node's id as text */
	/*
	 * SQL expression that yields NULL if the caller does not see the row at
	 * this end; NULL: there is no such expression
	 */
	const char *seen;
} End;

/* The edges of a relation's variant (one pair of types), as a sub-select. */
typedef struct Edges
{
	const KgRelation *relation;
	const KgVariant *variant;
	const char *from;
	const char *where;
	End ends[2];			/* the source and the target */
	const char *properties; /* expression of the edges' properties, or NULL */
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
	/*
	 * Indexed by a type's rank: near contains a foreign node (a row of a
	 * sub-select) of the type.
	 */
	bool *meets;
	KgNodeSet near; /* the nodes whose edges are read */
	uint16 *ranks;	/* ranks (numbers in the graph) of these nodes' types, or
					 * NULL */
} Expansion;

/*
 * Fills the end at which a reference leads to its target: the SQL expressions
 * of the target's id and visibility. "column" is the column of the reference.
 */
static void
set_end(End *end, const KgVColumn *column)
{
	const char *value = column->exact ? column->sql : kg_vvalue(column);

	end->nkeys = column->nkeys;
	end->keys = column->keys;
	end->id = kg_bound_text(value, column->type);
	end->seen = kg_vvalue(column);
}

static bool
bound_edges(KgGraph *graph, Edges *edges)
{
	const KgVSource *source = source_of(graph, edges->ends[0].rank);
	const char *property = edges->variant->property;
	const KgVColumn *column;

	if (property == NULL)
		return false;
	column = kg_vsource_column(source, kg_type_field(source->type, property));
	if (column->sql == NULL)
		return false;
	edges->source = source;
	edges->from = source->from;
	edges->where = source->where ? source->where : "true";
	edges->ends[0].nkeys = source->nkeys;
	edges->ends[0].keys = source->keys;
	edges->ends[0].id = source->id;
	set_end(&edges->ends[1], column);
	return true;
}

static bool
joined_edges(KgGraph *graph, Edges *edges)
{
	const KgVSource *source = kg_vsource(graph->catalog, edges->variant->edges);

	edges->source = source;
	edges->from = source->from;
	edges->where = source->where ? source->where : "true";
	for (int i = 0; i < 2; i++)
	{
		const KgVColumn *column = kg_vsource_column(
			source, kg_binding_end(source->type, i));

		if (column->sql == NULL)
			return false;
		set_end(&edges->ends[i], column);
	}
	edges->properties = kg_vproperties(source);
	return true;
}

static bool
stored_edges(KgGraph *graph, Edges *edges)
{
	static const char *const columns[] = {"r.\"from\"", "r.\"to\""};
	KgView *view = kg_view_of_relation(edges->relation);
	KgViewTables tables = {kg_sql_table("kg_entity"), kg_sql_table("kg_edge")};
	KgVColumn *ends = palloc0(2 * sizeof(KgVColumn));

	edges->source = source_of(graph, edges->ends[0].rank);
	edges->from = psprintf(
		"(%s) r", kg_view_query(graph->catalog, view, view->columns, &tables));
	edges->where = psprintf(
		"r.from_type = %s AND r.to_type = %s",
		quote_literal_cstr(kg_graph_type(graph, edges->ends[0].rank - 1)->name),
		quote_literal_cstr(
			kg_graph_type(graph, edges->ends[1].rank - 1)->name));
	edges->properties = "r.properties";
	for (int i = 0; i < 2; i++)
	{
		ends[i].sql = edges->ends[i].id = columns[i];
		ends[i].type = TEXTOID;
		edges->ends[i].nkeys = 1;
		edges->ends[i].keys = &ends[i];
	}
	return true;
}

static void
tell_edge(const Expansion *e, int64 source, int64 target,
		  const Jsonb *properties)
{
	int64 ends[2] = {source, target};
	KgNeighbors found = {ends[e->backward],
						 e->edges->relation->relation_no,
						 e->backward,
						 &ends[!e->backward],
						 1,
						 properties};

	kg_graph_charge_edges(e->graph, 1);
	if (e->walk->accept == NULL ||
		e->walk->accept(found.relation_no, properties, e->walk->accept_arg))
		e->found(&found, e->arg);
}

static bool
take_edge(TupleTableSlot *slot, void *arg)
{
	const Expansion *e = arg;
	int64 ends[2];
	Jsonb *properties = NULL;

	for (int i = 0; i < 2; i++)
		ends[i] = number_of(e->graph,
							e->edges->ends[i].rank,
							TextDatumGetCString(kg_slot_datum(slot, i + 1)));
	/*
	 * The database may treat keys with different texts as equal. Skip the row
	 * if its text is not the id of one of the nodes.
	 */
	if (!kg_nodeset_has(&e->near, ends[e->backward]))
		return true;
	if (e->edges->properties != NULL)
	{
		bool isnull;
		Datum datum = slot_getattr(slot, 3, &isnull);

		if (!isnull)
			properties = DatumGetJsonbPCopy(datum);
	}
	tell_edge(e, ends[0], ends[1], properties);
	return true;
}

static void
expand_edges(Expansion *e, const int64 *nodes, uint32 n)
{
	const Edges *edges = e->edges;
	const End *end = &edges->ends[e->backward];
	/*
	 * The caller sees the nodes from which the edges are read, so only rows at
	 * the other end of an edge may be hidden.
	 */
	const char *seen = edges->ends[!e->backward].seen;
	int count;
	char **ids = ids_of(e->graph, end->rank, nodes, n, &count);
	bool properties = edges->properties != NULL &&
					  (e->walk->properties || e->walk->accept != NULL);
	KgSqlBuilder b;

	CHECK_FOR_INTERRUPTS();
	if (count == 0)
		return;
	kg_sql_start(&b, e->graph->catalog);
	kg_sql_append(&b,
				  "SELECT %s, %s, %s FROM %s WHERE %s%s AND ",
				  edges->ends[0].id,
				  edges->ends[1].id,
				  properties ? edges->properties : "NULL::pg_catalog.jsonb",
				  edges->from,
				  edges->where,
				  seen ? psprintf(" AND (%s) IS NOT NULL", seen) : "");
	kg_vids(&b, end->keys, end->nkeys, (const char *const *) ids, count);
	kg_virtual_run(edges->source, &b, true, take_edge, e);
}

/*
 * Reads the edges of a relation's variant at the nodes. Both ends of the edges
 * are foreign, not stored.
 */
static void
expand_variant(Expansion *e, const Edges *edges, const bool *along,
			   const int64 *nodes, uint32 n)
{
	for (int backward = 0; backward < 2; backward++)
	{
		e->edges = edges;
		e->backward = backward == 1;
		if (along[backward])
			expand_edges(e, nodes, n);
	}
}

/* ---- references of stored entities to rows of tables ---- */

/* A reference in the document of a stored entity. */
typedef struct Reference
{
	int64 node;
	const char *value;
} Reference;

typedef struct References
{
	KgGraph *graph;
	const KgType *type;
	const KgField *field;
	Reference *items;
	uint32 n;
	uint32 room;
} References;

static void
take_references(const KgRef *ref, void *arg)
{
	References *references = arg;
	KgExtract extract = {0};

	if (!kg_graph_is_type(references->graph, ref->rank - 1, references->type))
		return;
	kg_extract_bound(references->type, ref->data, &extract);
	for (int i = 0; i < extract.nreferences; i++)
	{
		if (extract.references[i].field != references->field)
			continue;
		if (references->n == references->room)
		{
			references->room *= 2;
			references->items = repalloc_huge(
				references->items, references->room * sizeof(Reference));
			kg_graph_check_memory(references->graph);
		}
		references->items[references->n++] = (Reference){
			ref->node,
			MemoryContextStrdup(references->graph->context,
								extract.references[i].value)};
	}
}

/* Reads the values of a reference from the documents of the entities. */
static void
read_references(References *references, const int64 *nodes, uint32 n)
{
	KgGraph *graph = references->graph;

	references->room = Max(n, 16);
	references->items = MemoryContextAllocHuge(
		graph->context, references->room * sizeof(Reference));
	kg_graph_resolve(graph, nodes, n, true, take_references, references);
}

/*
 * Passes to found() the edges from stored entities to rows that the caller
 * sees.
 */
static void
expand_to_rows(Expansion *e, References *references, const int64 *nodes,
			   uint32 n)
{
	KgGraph *graph = e->graph;
	uint16 rank = e->edges->ends[1].rank;
	int64 *own = palloc_extended((Size) (n + 1) * sizeof(int64),
								 MCXT_ALLOC_HUGE);
	uint32 nown = 0;
	char **ids;
	KgNodeSet seen;
	ListCell *lc;

	if (e->ranks == NULL)
	{
		e->ranks = palloc_extended((Size) (n + 1) * sizeof(uint16),
								   MCXT_ALLOC_HUGE);
		kg_graph_types(graph, nodes, n, e->ranks);
	}
	for (uint32 i = 0; i < n; i++)
		if (e->ranks[i] == e->edges->ends[0].rank)
			own[nown++] = nodes[i];
	if (nown == 0)
		return;
	read_references(references, own, nown);
	if (references->n == 0)
		return;
	ids = palloc_extended((Size) references->n * sizeof(char *),
						  MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < references->n; i++)
		ids[i] = (char *) references->items[i].value;
	kg_nodeset_init(&seen, graph->context);
	foreach(
		lc,
		select_ids(
			source_of(graph, rank), ids, references->n, NULL, references->n))
		(void) kg_nodeset_add(&seen, number_of(graph, rank, lfirst(lc)));
	for (uint32 i = 0; i < references->n; i++)
	{
		int64 target = number_of(graph, rank, references->items[i].value);

		if (kg_nodeset_find(&seen, target) != KG_NO_NODE)
			tell_edge(e, references->items[i].node, target, NULL);
	}
	kg_nodeset_free(&seen);
}

/*
 * Passes to found() the edges that lead from stored entities to the given rows.
 * The edges are found by the index of the reference property.
 */
static void
expand_from_rows(Expansion *e, References *references, const int64 *nodes,
				 uint32 n)
{
	KgGraph *graph = e->graph;
	uint16 rank = e->edges->ends[1].rank;
	int count;
	char **ids = ids_of(graph, rank, nodes, n, &count);
	KgCondition condition = {.field = references->field,
							 .property = references->field->name,
							 .path = "",
							 .op = KG_OP_IN};
	KgFilter filter = {.nconditions = 1, .conditions = &condition};
	KgSelector selector = {.type = references->type, .filter = &filter};
	KgNodeSet wanted;
	int64 *sources;
	uint32 nsources;

	if (count == 0)
		return;
	condition.values = palloc(count * sizeof(JsonbValue));
	condition.keys = palloc(count * sizeof(bytea *));
	kg_nodeset_init(&wanted, graph->context);
	for (int i = 0; i < count; i++)
	{
		JsonbValue value = kg_json_string_value(ids[i]);
		bytea *key = kg_key_encode(references->field, &value);

		/*
		 * No stored property has a value that is too long for a key, so skip
		 * the id.
		 */
		if (key == NULL || !kg_key_fits(references->field, &value))
			continue;
		condition.values[condition.nvalues] = value;
		condition.keys[condition.nvalues++] = key;
		(void) kg_nodeset_add(&wanted, number_of(graph, rank, ids[i]));
	}
	sources = kg_select_nodes(graph, &selector, &nsources);
	if (nsources > 0)
		read_references(references, sources, nsources);
	for (uint32 i = 0; i < references->n; i++)
	{
		int64 target = number_of(graph, rank, references->items[i].value);

		if (kg_nodeset_find(&wanted, target) != KG_NO_NODE)
			tell_edge(e, references->items[i].node, target, NULL);
	}
	kg_nodeset_free(&wanted);
}

/*
 * Reads the edges of a variant that a reference from a stored type to a bound
 * type defines.
 */
static void
expand_mixed(Expansion *e, const Edges *edges, const bool *along,
			 const int64 *nodes, uint32 n)
{
	const KgType *type = kg_graph_type(e->graph, edges->ends[0].rank - 1);

	e->edges = edges;
	for (int backward = 0; backward < 2; backward++)
	{
		References references = {
			e->graph, type, kg_type_field(type, edges->variant->property)};

		CHECK_FOR_INTERRUPTS();
		e->backward = backward == 1;
		if (along[backward] && e->backward)
			expand_from_rows(e, &references, nodes, n);
		else if (along[backward])
			expand_to_rows(e, &references, nodes, n);
	}
}

static bool
is_mixed(const KgGraph *graph, const Edges *edges)
{
	return edges->variant->property != NULL &&
		   kg_graph_type(graph, edges->ends[0].rank - 1)->binding == NULL &&
		   kg_graph_type(graph, edges->ends[1].rank - 1)->binding != NULL;
}

/*
 * Sets the members of edges that describe the sub-select of a variant's edges.
 * Returns false if the variant has no foreign edges.
 */
static bool
read_edges(KgGraph *graph, Edges *edges)
{
	if (edges->variant->edges != NULL)
		return joined_edges(graph, edges);
	if (kg_graph_type(graph, edges->ends[0].rank - 1)->binding != NULL)
		return bound_edges(graph, edges);
	return graph->foreign_state->stored && stored_edges(graph, edges);
}

/*
 * Returns whether the caller can read the tables of a relation's variant (one
 * pair of types).
 */
static bool
is_readable(const KgGraph *graph, const Edges *edges)
{
	const KgType *types[] = {kg_graph_type(graph, edges->ends[0].rank - 1),
							 kg_graph_type(graph, edges->ends[1].rank - 1),
							 edges->variant->edges};

	for (int i = 0; i < lengthof(types); i++)
	{
		KgErrorList ignored = {.limit = 1};

		if (types[i] != NULL && types[i]->binding != NULL &&
			kg_bound_resolve(types[i], GetUserId(), "", &ignored) == NULL)
			return false;
	}
	return true;
}

/*
 * Reads the edges of a relation's variant at the nodes. If no node can be an
 * end of these edges, the variant's tables are not opened. So a table that the
 * caller cannot read does not stop searches that do not need it.
 */
static void
foreign_expand_variant(Expansion *e, Edges *edges, const bool *relation_along,
					   const int64 *nodes, uint32 n)
{
	KgGraph *graph = e->graph;
	bool mixed = is_mixed(graph, edges);
	bool along[2] = {relation_along[0] &&
						 (mixed || e->meets[edges->ends[0].rank]),
					 relation_along[1] && e->meets[edges->ends[1].rank]};

	if (!(along[0] || along[1]) ||
		(e->walk->readable && !is_readable(graph, edges)))
		return;
	if (mixed)
		expand_mixed(e, edges, along, nodes, n);
	else if (read_edges(graph, edges))
		expand_variant(e, edges, along, nodes, n);
}

static void
foreign_expand(KgGraph *graph, const KgFollow *walk, const int64 *nodes,
			   uint32 n, KgNeighborFunction found, void *arg)
{
	const KgCatalog *catalog = graph->catalog;
	Expansion e = {.graph = graph, .walk = walk, .found = found, .arg = arg};

	e.meets = palloc0((graph->nranks + 1) * sizeof(bool));
	kg_nodeset_init(&e.near, graph->context);
	for (uint32 i = 0; i < n; i++)
		if (kg_is_foreign(nodes[i]))
		{
			e.meets[foreign_rank(graph, nodes[i])] = true;
			(void) kg_nodeset_add(&e.near, nodes[i]);
		}
	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];
		bool along[2] = {
			kg_relation_set_has(&walk->forward, relation->relation_no),
			kg_relation_set_has(&walk->backward, relation->relation_no)};

		for (int v = 0; v < relation->nvariants && (along[0] || along[1]); v++)
		{
			const KgVariant *variant = &relation->variants[v];
			Edges edges = {relation, variant};

			edges.ends[0].rank = kg_graph_rank(graph, variant->from_type_no);
			edges.ends[1].rank = kg_graph_rank(graph, variant->to_type_no);
			if (edges.ends[0].rank != 0 && edges.ends[1].rank != 0)
				foreign_expand_variant(&e, &edges, along, nodes, n);
		}
	}
	kg_nodeset_free(&e.near);
}

/* ---- targets of written references ---- */

typedef struct Lookup
{
	const KgCatalog *catalog;
	const KgType *type;
	const char *const *ids; /* sorted by strcmp() */
	int n;
	bool *found;
} Lookup;

static int
compare_id(const void *id, const void *element)
{
	return strcmp(id, *(const char *const *) element);
}

static bool
take_target(TupleTableSlot *slot, void *arg)
{
	Lookup *lookup = arg;
	char *id = TextDatumGetCString(kg_slot_datum(slot, 1));
	const char *const *place = bsearch(
		id, lookup->ids, lookup->n, sizeof(char *), compare_id);

	if (place != NULL)
		lookup->found[place - lookup->ids] = true;
	pfree(id);
	return true;
}

static void
look_up(void *arg)
{
	Lookup *lookup = arg;
	const KgVSource *source = kg_vsource(lookup->catalog, lookup->type);
	KgSqlBuilder b;

	kg_sql_start(&b, source->catalog);
	kg_sql_append(&b, "SELECT %s", source->id);
	kg_vfrom(&b, source, (char *const *) lookup->ids, lookup->n, NULL);
	kg_virtual_run(source, &b, true, take_target, lookup);
}

/*
 * Returns which of the ids are those of rows that the caller sees. A trigger
 * calls this function, so the function begins a call of its own for its reads.
 */
static bool *
bound_targets(const KgCatalog *catalog, const KgType *type,
			  const char *const *ids, int n)
{
	Lookup lookup = {catalog, type, ids, n, palloc0((n + 1) * sizeof(bool))};

	if (type == NULL ||
		!kg_agent_sees_bundle(type->bundle, strlen(type->bundle)))
		return lookup.found;
	kg_running_read(look_up, &lookup);
	return lookup.found;
}

/* ---- a search ---- */

/*
 * Returns whether the virtual graph may answer for stored types: its setting is
 * on, and no authorizer, period of validity or past time restricts the
 * entities.
 */
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
										foreign_select,
										foreign_few,
										foreign_pass,
										foreign_groups,
										foreign_search,
										foreign_expand,
										foreign_rank,
										foreign_resolve};
	HASHCTL ctl = {0};
	KgForeignState *state;
	bool stored = reads_stored(graph->catalog);

	if (!stored && !kg_catalog_has(graph->catalog, KG_TRAIT_TABLE))
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
	kg_bound_targets = bound_targets;
}
