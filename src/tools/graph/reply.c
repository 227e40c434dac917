/*
 * graph/reply.c
 *	  Nodes and edges within a byte budget.
 *
 * This file computes the sizes of nodes and edges. tools/reply/reply.h decides
 * by these sizes which of them fit into the reply.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "base/json.h"
#include "query/derived.h"
#include "query/run/plan.h"
#include "query/graph/foreign.h"
#include "query/graph/sql_graph.h"
#include "tools/reply/cite.h"
#include "tools/graph/reply.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* ---- reading ---- */

typedef struct Entities
{
	KgNodeSet set; /* set of the nodes whose entities are read */
	/* indexed by node of set: the ref that receives the entity */
	KgRef **refs;
} Entities;

static void
keep_entity(const KgRef *ref, void *arg)
{
	Entities *entities = arg;
	uint32 i = kg_nodeset_find(&entities->set, ref->node);

	if (i != KG_NO_NODE)
		*entities->refs[i] = kg_ref_copy(ref, CurrentMemoryContext);
}

void
kg_read_entities(KgGraph *graph, const KgShownColumns *columns, KgRef **refs,
				 uint32 n)
{
	Entities entities;
	KgShown *shown = palloc((n + 1) * sizeof(KgShown));
	int nshown = 0;

	entities.refs = palloc((n + 1) * sizeof(KgRef *));
	kg_nodeset_init(&entities.set, graph->context);
	for (uint32 i = 0; i < n; i++)
		if (refs[i]->data == NULL)
		{
			uint32 at = kg_nodeset_add(&entities.set, refs[i]->node);

			entities.refs[at] = refs[i];
		}
	if (entities.set.n > 0)
		kg_graph_resolve(graph,
						 entities.set.nodes,
						 entities.set.n,
						 true,
						 keep_entity,
						 &entities);
	kg_nodeset_free(&entities.set);
	for (uint32 i = 0; i < n; i++)
		if (refs[i]->data != NULL &&
			(columns == NULL ||
			 kg_columns_derive(columns,
							   kg_graph_type(graph, refs[i]->rank - 1),
							   refs[i]->rank)))
			shown[nshown++] = (KgShown){kg_graph_type(graph, refs[i]->rank - 1),
										refs[i]->node,
										(Jsonb **) &refs[i]->data};
	kg_derived_fill(graph->catalog, shown, nshown);
}

void
kg_reply_fetch_nodes(KgReply *reply)
{
	const KgShownColumns *columns = &reply->call->columns;
	KgRef **refs = palloc((reply->nnodes + 1) * sizeof(KgRef *));
	uint32 n = 0;

	for (uint32 i = 0; i < reply->nnodes; i++)
	{
		KgReplyNode *node = &reply->nodes[i];

		node->full &= kg_columns_show(columns, node->ref.rank);
		if (node->full)
			refs[n++] = &node->ref;
	}
	kg_read_entities(reply->call->graph, columns, refs, n);
	for (uint32 i = 0; i < n; i++)
		refs[i]->data = kg_columns_of_node(
			columns, refs[i]->rank, refs[i]->data);
	kg_columns_reach(columns, reply->call->graph, refs, n);
}

typedef struct FetchEdges
{
	KgReply *reply;
	bool keyed;
	/* indexes of the edges to read, sorted by source, relation and target */
	uint32 *order;
	uint32 n;
	/* further parallel edges, after the first edge between two nodes */
	KgReplyEdge *more;
	uint32 nmore;
	uint32 room;
} FetchEdges;

static int
compare_keys(const KgReplyEdge *edge, int64 source, int32 relation_no,
			 int64 target)
{
	if (edge->from->node != source)
		return edge->from->node < source ? -1 : 1;
	if (edge->relation_no != relation_no)
		return edge->relation_no < relation_no ? -1 : 1;
	if (edge->to->node != target)
		return edge->to->node < target ? -1 : 1;
	return 0;
}

static int
compare_edge_keys(const void *a, const void *b, void *arg)
{
	const KgReplyEdge *edges = arg;
	const KgReplyEdge *y = &edges[*(const uint32 *) b];

	return compare_keys(&edges[*(const uint32 *) a],
						y->from->node,
						y->relation_no,
						y->to->node);
}

static KgReplyEdge *
find_edge(const FetchEdges *state, int64 source, int32 relation_no,
		  int64 target)
{
	uint32 low = 0;
	uint32 high = state->n;

	while (low < high)
	{
		uint32 middle = low + (high - low) / 2;
		KgReplyEdge *edge = &state->reply->edges[state->order[middle]];
		int order = compare_keys(edge, source, relation_no, target);

		if (order == 0)
			return edge;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/*
 * Returns whether x, rather than y, represents the parallel edges x and y in
 * the reply. This is the edge with less weight or, if the weights are equal,
 * with the lesser key.
 */
static bool
comes_before(const KgReply *reply, const KgReplyEdge *x, const KgReplyEdge *y)
{
	JsonbValue weights[2];
	int order = 0;

	if (reply->weight != NULL)
	{
		bool weighs = x->properties != NULL &&
					  kg_json_get(&x->properties->root,
								  reply->weight,
								  &weights[0]) != NULL &&
					  weights[0].type == jbvNumeric;

		if (!weighs)
			return false;
		weighs = y->properties != NULL &&
				 kg_json_get(&y->properties->root,
							 reply->weight,
							 &weights[1]) != NULL &&
				 weights[1].type == jbvNumeric;
		if (!weighs)
			return true;
		order = DatumGetInt32(
			DirectFunctionCall2(numeric_cmp,
								NumericGetDatum(weights[0].val.numeric),
								NumericGetDatum(weights[1].val.numeric)));
	}
	return order != 0 ? order < 0 : strcmp(x->key, y->key) < 0;
}

static void
add_parallel(FetchEdges *state, const KgReplyEdge *edge)
{
	if (state->nmore == state->room)
	{
		state->room = Max(64, state->room * 2);
		state->more = state->more == NULL
						  ? palloc(state->room * sizeof(KgReplyEdge))
						  : repalloc_huge(state->more,
										  (Size) state->room *
											  sizeof(KgReplyEdge));
	}
	state->more[state->nmore++] = *edge;
}

/*
 * Stores the properties that were read for an edge, if the filters accept them.
 * If the edge already has the properties of a parallel edge, adds another edge.
 * With one_of_parallel, keeps only the edge that represents both.
 */
static void
take_properties(FetchEdges *state, KgReplyEdge *edge, Jsonb *properties,
				const char *key)
{
	const KgFollow *shown = state->reply->shown;
	KgReplyEdge read = *edge;

	if (shown != NULL && shown->accept != NULL &&
		!shown->accept(edge->relation_no, properties, shown->accept_arg))
		return;
	read.properties = properties;
	if (state->keyed)
		read.key = key;
	if (edge->key == NULL)
		*edge = read;
	else if (!state->reply->one_of_parallel)
		add_parallel(state, &read);
	else if (comes_before(state->reply, &read, edge))
		*edge = read;
}

static bool
receive_properties(TupleTableSlot *slot, void *arg)
{
	FetchEdges *state = arg;
	KgReplyEdge *edge;

	slot_getallattrs(slot);
	edge = find_edge(state,
					 DatumGetInt64(slot->tts_values[0]),
					 DatumGetInt32(slot->tts_values[1]),
					 DatumGetInt64(slot->tts_values[2]));
	if (edge != NULL)
		take_properties(
			state,
			edge,
			slot->tts_isnull[3] ? NULL
								: DatumGetJsonbPCopy(slot->tts_values[3]),
			state->keyed ? TextDatumGetCString(slot->tts_values[4]) : NULL);
	return true;
}

static void
receive_foreign(const KgNeighbors *found, void *arg)
{
	FetchEdges *state = arg;
	const KgRelation *relation = kg_catalog_relation_no(
		state->reply->call->catalog, found->relation_no);
	KgReplyEdge *edge = find_edge(
		state, found->node, found->relation_no, found->neighbors[0]);
	const char *key = "";
	JsonbValue value;

	if (edge == NULL)
		return;
	if (state->keyed && found->properties != NULL &&
		kg_json_get(&found->properties->root, relation->key, &value))
		key = kg_json_cstring(&value);
	take_properties(state, edge, (Jsonb *) found->properties, key);
}

/*
 * Reads the properties of the edges whose source is a foreign node (of a type
 * that reads a table of the user).
 */
static void
fetch_foreign(FetchEdges *state)
{
	const KgReply *reply = state->reply;
	KgGraph *graph = reply->call->graph;
	int64 *nodes = palloc((state->n + 1) * sizeof(int64));
	int32 *relations = palloc((state->n + 1) * sizeof(int32));
	uint32 n = 0;

	for (uint32 i = 0; i < state->n; i++)
	{
		const KgReplyEdge *edge = &reply->edges[state->order[i]];

		if (!kg_is_foreign(edge->from->node))
			continue;
		nodes[n] = edge->from->node;
		relations[n++] = edge->relation_no;
	}
	kg_foreign_edges(graph, nodes, relations, n, receive_foreign, state);
}

/*
 * Selects the edges whose properties are read. If "keyed" is true, these are
 * all edges of relations with a key, otherwise the edges of other relations
 * that have the flag "full".
 */
static void
choose_edges(FetchEdges *state, bool keyed)
{
	const KgReply *reply = state->reply;
	const KgRelation *relation = NULL;

	state->keyed = keyed;
	state->n = 0;
	for (uint32 i = 0; i < reply->nedges; i++)
	{
		const KgReplyEdge *edge = &reply->edges[i];

		if (edge->properties != NULL || edge->relation_no == 0)
			continue;
		if (relation == NULL || relation->relation_no != edge->relation_no)
			relation = kg_catalog_relation_no(reply->call->catalog,
											  edge->relation_no);
		/* Edges of references are skipped, because they have no properties. */
		if (relation != NULL && !relation->derived &&
			(relation->key != NULL) == keyed && (edge->full || keyed))
			state->order[state->n++] = i;
	}
}

static void
fetch_chosen(FetchEdges *state)
{
	static const Oid types[] = {
		TEXTOID, INT8ARRAYOID, INT4ARRAYOID, INT8ARRAYOID};
	const KgReply *reply = state->reply;
	Datum values[4];
	Datum *columns[3];
	KgStatement statement;

	if (state->n == 0)
		return;
	qsort_arg(state->order,
			  state->n,
			  sizeof(uint32),
			  compare_edge_keys,
			  reply->edges);
	if (reply->call->graph->foreign != NULL)
		fetch_foreign(state);
	for (int i = 0; i < 3; i++)
		columns[i] = palloc(state->n * sizeof(Datum));
	for (uint32 i = 0; i < state->n; i++)
	{
		const KgReplyEdge *edge = &reply->edges[state->order[i]];

		columns[0][i] = Int64GetDatum(edge->from->node);
		columns[1][i] = Int32GetDatum(edge->relation_no);
		columns[2][i] = Int64GetDatum(edge->to->node);
	}
	values[0] = reply->call->graph->tenant;
	values[1] = PointerGetDatum(construct_array(
		columns[0], state->n, INT8OID, sizeof(int64), true, TYPALIGN_DOUBLE));
	values[2] = PointerGetDatum(construct_array(
		columns[1], state->n, INT4OID, sizeof(int32), true, TYPALIGN_INT));
	values[3] = PointerGetDatum(construct_array(
		columns[2], state->n, INT8OID, sizeof(int64), true, TYPALIGN_DOUBLE));
	memset(&statement, 0, sizeof(statement));
	statement.sql = kg_graph_sql(state->keyed ? KG_SQL_PARALLEL_EDGES
											  : KG_SQL_EDGE_PROPERTIES);
	statement.nargs = 4;
	statement.argtypes = types;
	statement.values = values;
	(void) kg_plan_run(&statement, receive_properties, state);
}

static int compare_edges(const void *a, const void *b);

void
kg_reply_read_edges(KgReply *reply)
{
	FetchEdges state = {reply};

	state.order = palloc((reply->nedges + 1) * sizeof(uint32));
	choose_edges(&state, false);
	fetch_chosen(&state);
	choose_edges(&state, true);
	fetch_chosen(&state);
	if (state.nmore == 0)
		return;
	reply->edges = repalloc_huge(reply->edges,
								 (Size) (reply->nedges + state.nmore) *
									 sizeof(KgReplyEdge));
	memcpy(reply->edges + reply->nedges,
		   state.more,
		   (Size) state.nmore * sizeof(KgReplyEdge));
	reply->nedges += state.nmore;
	qsort(reply->edges, reply->nedges, sizeof(KgReplyEdge), compare_edges);
}

void
kg_reply_fetch_edges(KgReply *reply)
{
	const KgGraphCall *call = reply->call;
	const KgRelation *relation = NULL;
	bool shown = true;

	for (int pass = 0; pass < 2; pass++)
	{
		for (uint32 i = 0; i < reply->nedges; i++)
		{
			KgReplyEdge *edge = &reply->edges[i];

			if (i == 0 || relation == NULL ||
				relation->relation_no != edge->relation_no)
			{
				relation = kg_catalog_relation_no(call->catalog,
												  edge->relation_no);
				shown = kg_columns_show_edge(
					&call->columns, call->catalog, relation);
			}
			if (pass == 0)
				edge->full &= shown;
			else if (edge->full)
				edge->properties = kg_columns_of_edge(
					&call->columns, call->catalog, relation, edge->properties);
		}
		if (pass == 0)
			kg_reply_read_edges(reply);
	}
}

/* ---- order ---- */

static int
compare_nodes(const void *a, const void *b)
{
	return kg_ref_compare(&((const KgReplyNode *) a)->ref,
						  &((const KgReplyNode *) b)->ref);
}

void
kg_reply_sort_nodes(KgReply *reply)
{
	qsort(reply->nodes, reply->nnodes, sizeof(KgReplyNode), compare_nodes);
}

static int
compare_edges(const void *a, const void *b)
{
	const KgReplyEdge *x = a;
	const KgReplyEdge *y = b;
	int order = kg_ref_compare(x->from, y->from);

	if (order == 0)
		order = strcmp(x->type, y->type);
	if (order == 0)
		order = kg_ref_compare(x->to, y->to);
	if (order == 0)
		order = x->depth - y->depth;
	if (order == 0 && x->key != NULL && y->key != NULL)
		order = strcmp(x->key, y->key);
	if (order == 0)
		order = x->unit < y->unit ? -1 : x->unit > y->unit;
	return order;
}

void
kg_reply_sort_edges(KgReply *reply)
{
	uint32 n = 0;

	qsort(reply->edges, reply->nedges, sizeof(KgReplyEdge), compare_edges);
	for (uint32 i = 0; i < reply->nedges; i++)
	{
		const KgReplyEdge *last = n > 0 ? &reply->edges[n - 1] : NULL;
		const KgReplyEdge *edge = &reply->edges[i];

		/*
		 * Of several equal edges, keeps the first. It has the smallest unit, so
		 * it is removed last if the reply is shortened.
		 */
		if (last != NULL && kg_ref_compare(last->from, edge->from) == 0 &&
			strcmp(last->type, edge->type) == 0 &&
			kg_ref_compare(last->to, edge->to) == 0 &&
			last->depth == edge->depth)
			continue;
		reply->edges[n++] = *edge;
	}
	reply->nedges = n;
}

/* ---- sizes ---- */

/* Returns the length of a string literal without its terminating zero. */
#define LENGTH(literal) (sizeof(literal) - 1)

static Size
name_size(const char *name)
{
	return kg_string_text_size(name, strlen(name));
}

static const char *
type_of(const KgReply *reply, const KgRef *ref)
{
	return kg_row_handle(reply->call->graph->ranked[ref->rank - 1]);
}

Size
kg_handle_text_size(const KgReply *reply, const KgRef *ref)
{
	return strlen(type_of(reply, ref)) + LENGTH(":") +
		   kg_string_text_size(ref->id, ref->idlen);
}

static Size
depth_size(int depth)
{
	return depth >= 0 ? LENGTH(", \"depth\": ") + kg_int_text_size(depth) : 0;
}

/* Returns the size of a node without its properties, including a separator. */
static Size
node_size(const KgReply *reply, const KgReplyNode *node)
{
	const KgRef *ref = &node->ref;
	Size type = name_size(type_of(reply, ref));

	if (reply->call->columns.ids_only)
		return LENGTH(", ") + kg_handle_text_size(reply, ref);
	if (reply->bfs)
		return LENGTH("{\"id\": , \"entity_type\": }, ") + type +
			   kg_handle_text_size(reply, ref);
	return LENGTH("{\"id\": , \"type\": }, ") + type +
		   kg_string_text_size(ref->id, ref->idlen) + depth_size(node->depth);
}

static Size
end_size(const KgReply *reply, const KgRef *ref)
{
	return LENGTH("{\"id\": , \"type\": }") + name_size(type_of(reply, ref)) +
		   kg_string_text_size(ref->id, ref->idlen);
}

static Size
detail_size(const KgReply *reply, const Jsonb *properties)
{
	if (properties == NULL)
		return 0;
	return (reply->bfs ? LENGTH(", \"metadata\": ")
					   : LENGTH(", \"properties\": ")) +
		   kg_json_text_size((JsonbContainer *) &properties->root);
}

Size
kg_edge_text_size(const KgReply *reply, const KgReplyEdge *edge)
{
	Size type = name_size(edge->type);

	if (reply->bfs)
		return LENGTH("{\"object\": , \"subject\": , \"predicate\": }, ") +
			   type + kg_handle_text_size(reply, edge->from) +
			   kg_handle_text_size(reply, edge->to) +
			   (edge->full && edge->properties == NULL
					? LENGTH(", \"metadata\": {}")
					: 0);
	return LENGTH("{\"to\": , \"from\": , \"type\": }, ") + type +
		   end_size(reply, edge->from) + end_size(reply, edge->to) +
		   depth_size(edge->depth);
}

static const Jsonb *
node_detail(const KgReplyNode *node)
{
	return node->full ? node->ref.data : NULL;
}

static const Jsonb *
edge_detail(const KgReplyEdge *edge)
{
	return edge->full ? edge->properties : NULL;
}

/*
 * Returns the number of edges whose properties are extras: data that is
 * removed from the reply before the properties of any node.
 */
static int
edge_extras(const KgReply *reply)
{
	int n = 0;

	for (uint32 i = 0; i < reply->nedges && !reply->draft.paged; i++)
		n += edge_detail(&reply->edges[i]) != NULL;
	return n;
}

static void
measure(void *items, Size *whole, Size *stub, Size *extra)
{
	const KgReply *reply = items;
	bool paged = reply->draft.paged;
	int n = 0;

	for (int i = 0; i < reply->draft.n && reply->unit_sizes != NULL; i++)
		stub[i] = whole[i] = reply->unit_sizes[i];
	for (uint32 i = 0; i < reply->nnodes; i++)
	{
		const KgReplyNode *node = &reply->nodes[i];
		Size size = node_size(reply, node);

		stub[node->unit] += size;
		whole[node->unit] +=
			node->whole != NULL
				? LENGTH(", ") +
					  kg_json_text_size((JsonbContainer *) &node->whole->root)
				: size + detail_size(reply, node_detail(node));
	}
	for (uint32 i = 0; i < reply->nedges; i++)
	{
		const KgReplyEdge *edge = &reply->edges[i];
		Size size = edge->uses > 0 ? 0 : kg_edge_text_size(reply, edge);
		Size detail = detail_size(reply, edge_detail(edge));

		stub[edge->unit] += size;
		whole[edge->unit] += size + (paged ? detail : 0);
		if (!paged && detail > 0)
			extra[n++] = detail * Max(edge->uses, 1);
	}
}

static void
cut_nodes(KgReply *reply, const KgFit *fit, KgWithheld *withheld)
{
	for (uint32 i = 0; i < reply->nnodes; i++)
	{
		KgReplyNode *node = &reply->nodes[i];
		bool stub = node->unit >= fit->whole && node_detail(node) != NULL;

		node->cut = node->unit >= fit->listed;
		node->stub = !node->full || stub;
		withheld->node_properties += stub && !node->cut;
	}
}

static void
cut_edges(KgReply *reply, const KgFit *fit, KgWithheld *withheld)
{
	int extras = 0;

	for (uint32 i = 0; i < reply->nedges; i++)
	{
		KgReplyEdge *edge = &reply->edges[i];
		bool stub = edge_detail(edge) != NULL &&
					(reply->draft.paged ? edge->unit >= fit->whole
										: extras++ >= fit->extras);

		edge->cut = edge->unit >= fit->listed;
		edge->stub = !edge->full || stub;
		withheld->edge_properties += stub && !edge->cut;
	}
}

static bool
has_untrusted(const KgField *fields, int n)
{
	for (int i = 0; i < n; i++)
		if (fields[i].untrusted)
			return true;
	return false;
}

/*
 * Marks in "shown" the fields with untrusted text that the document contains.
 */
static void
note_untrusted(const KgField *fields, int n, const Jsonb *data, bool *shown)
{
	JsonbValue value;

	for (int i = 0; i < n; i++)
		shown[i] |= fields[i].untrusted &&
					kg_field_value(&fields[i], &data->root, &value);
}

static void
mark_shown(KgMarks *marks, const char *of, const KgField *fields, int n,
		   const bool *shown)
{
	for (int i = 0; i < n; i++)
		if (shown[i])
			kg_marks_note_of(marks, of, &fields[i], fields[i].name);
}

/*
 * Marks the paths through references, among the shown properties of a type,
 * that lead to untrusted text.
 */
static void
mark_paths(const KgReply *reply, int rank, KgMarks *marks)
{
	KgProjection **nodes = reply->call->columns.nodes;
	const KgProjection *shown = nodes ? nodes[rank - 1] : NULL;
	const KgType *type = kg_graph_type(reply->call->graph, rank - 1);

	for (int i = 0; shown != NULL && i < shown->npaths; i++)
		kg_marks_note_of(marks,
						 kg_type_handle(type),
						 shown->paths[i]->field,
						 shown->paths[i]->name);
}

/* Returns whether the reply shows properties of the node. */
static bool
shows_node(const KgReplyNode *node)
{
	return !node->cut && !node->stub && node->ref.data != NULL;
}

static void
mark_nodes(const KgReply *reply, int rank, KgMarks *marks)
{
	const KgType *type = kg_graph_type(reply->call->graph, rank - 1);
	bool *shown;

	if (!has_untrusted(type->fields, type->nfields))
		return;
	shown = palloc0(type->nfields * sizeof(bool));
	for (uint32 i = 0; i < reply->nnodes; i++)
	{
		const KgReplyNode *node = &reply->nodes[i];

		if (node->ref.rank == rank && shows_node(node))
			note_untrusted(type->fields, type->nfields, node->ref.data, shown);
	}
	mark_shown(marks, kg_type_handle(type), type->fields, type->nfields, shown);
}

static void
mark_edges(const KgReply *reply, const KgRelation *relation, KgMarks *marks)
{
	bool *shown;

	if (!has_untrusted(relation->fields, relation->nfields))
		return;
	shown = palloc0(relation->nfields * sizeof(bool));
	for (uint32 i = 0; i < reply->nedges; i++)
	{
		const KgReplyEdge *edge = &reply->edges[i];

		if (edge->relation_no == relation->relation_no && !edge->cut &&
			!edge->stub && edge->properties != NULL)
			note_untrusted(
				relation->fields, relation->nfields, edge->properties, shown);
	}
	mark_shown(
		marks, relation->name, relation->fields, relation->nfields, shown);
}

static void
cut(void *items, const KgFit *fit, KgWithheld *withheld, KgMarks *marks)
{
	KgReply *reply = items;
	const KgCatalog *catalog = reply->call->catalog;
	int nranks = reply->call->graph->nranks;
	bool *shown; /* for each rank: whether the reply shows a node of it */

	withheld->properties = 0;
	cut_nodes(reply, fit, withheld);
	cut_edges(reply, fit, withheld);
	shown = palloc0((nranks + 1) * sizeof(bool));
	for (uint32 i = 0; i < reply->nnodes; i++)
		if (shows_node(&reply->nodes[i]))
			shown[reply->nodes[i].ref.rank] = true;
	for (int rank = 1; rank <= nranks; rank++)
		if (shown[rank])
		{
			mark_nodes(reply, rank, marks);
			mark_paths(reply, rank, marks);
		}
	for (int i = 0; i < catalog->nrelations; i++)
		mark_edges(reply, &catalog->relations[i], marks);
}

/* Returns an estimate of the size of the reply. */
static Size
rough_size(const KgReply *reply)
{
	Size size = 0;

	for (uint32 i = 0; i < reply->nnodes; i++)
		if (node_detail(&reply->nodes[i]) != NULL)
			size += VARSIZE(reply->nodes[i].ref.data);
	return size + (Size) reply->nnodes * 50 + (Size) reply->nedges * 120;
}

/*
 * Passes the nodes of the reply, each with its unit, to the writer of
 * citations.
 */
static void
cite_nodes(KgReply *reply)
{
	KgCited *cited = palloc0((reply->nnodes + 1) * sizeof(KgCited));
	int n = 0;

	for (uint32 i = 0; i < reply->nnodes; i++)
	{
		const KgReplyNode *node = &reply->nodes[i];

		if (node->ref.id == NULL)
			continue;
		cited[n].type = kg_graph_type(reply->call->graph, node->ref.rank - 1);
		cited[n].id = pnstrdup(node->ref.id, node->ref.idlen);
		cited[n++].item = (int) node->unit;
	}
	kg_cite(&reply->draft, cited, n);
}

void
kg_reply_init(KgReply *reply, KgGraphCall *call)
{
	memset(reply, 0, sizeof(*reply));
	reply->call = call;
	kg_draft_init(&reply->draft, &call->input, call->max_bytes);
}

Jsonb *
kg_reply_finish(KgReply *reply,
				void (*write)(void *state, const KgFit *fit, KgJsonWriter *w),
				void *state)
{
	KgDraft *draft = &reply->draft;

	draft->least = draft->paged ? 1 : 0;
	draft->nextras = edge_extras(reply);
	draft->rough = rough_size(reply);
	draft->measure = measure;
	draft->cut = cut;
	draft->items = reply;
	draft->write = write;
	draft->state = state;
	if (kg_cite_wanted(draft->input))
		cite_nodes(reply);
	return kg_draft_finish(draft);
}

/* ---- writing ---- */

static void
write_end(const KgReply *reply, const KgRef *ref, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(
		w, "type", kg_row_handle(reply->call->graph->ranked[ref->rank - 1]));
	kg_jw_key(w, "id");
	kg_jw_stringn(w, ref->id, ref->idlen);
	kg_jw_end_object(w);
}

static void
write_node(const KgReply *reply, const KgReplyNode *node, KgJsonWriter *w)
{
	const KgGraph *graph = reply->call->graph;

	if (reply->call->columns.ids_only)
	{
		kg_jw_string(w, kg_handle(graph, &node->ref));
		return;
	}
	if (!node->stub && node->whole != NULL)
	{
		kg_jw_jsonb(w, node->whole);
		return;
	}
	kg_jw_begin_object(w);
	if (reply->bfs)
	{
		kg_jw_kstring(w, "id", kg_handle(graph, &node->ref));
		kg_jw_kstring(
			w, "entity_type", kg_row_handle(graph->ranked[node->ref.rank - 1]));
	}
	else
	{
		kg_jw_kstring(
			w, "type", kg_row_handle(graph->ranked[node->ref.rank - 1]));
		kg_jw_key(w, "id");
		kg_jw_stringn(w, node->ref.id, node->ref.idlen);
		if (node->depth >= 0)
			kg_jw_kint(w, "depth", node->depth);
	}
	if (!node->stub && node->ref.data != NULL)
		kg_jw_kjsonb(w, reply->bfs ? "metadata" : "properties", node->ref.data);
	kg_jw_end_object(w);
}

void
kg_reply_write_edge(const KgReply *reply, const KgReplyEdge *edge,
					KgJsonWriter *w)
{
	const KgGraph *graph = reply->call->graph;

	kg_jw_begin_object(w);
	if (reply->bfs)
	{
		kg_jw_kstring(w, "subject", kg_handle(graph, edge->from));
		kg_jw_kstring(w, "predicate", edge->type);
		kg_jw_kstring(w, "object", kg_handle(graph, edge->to));
	}
	else
	{
		kg_jw_kstring(w, "type", edge->type);
		kg_jw_key(w, "from");
		write_end(reply, edge->from, w);
		kg_jw_key(w, "to");
		write_end(reply, edge->to, w);
		if (edge->depth >= 0)
			kg_jw_kint(w, "depth", edge->depth);
	}
	if (!edge->stub && edge->properties != NULL)
		kg_jw_kjsonb(
			w, reply->bfs ? "metadata" : "properties", edge->properties);
	else if (!edge->stub && reply->bfs)
	{
		/*
		 * An edge with the flag "full" has the member "metadata" even if it is
		 * empty.
		 */
		kg_jw_kbegin_object(w, "metadata");
		kg_jw_end_object(w);
	}
	kg_jw_end_object(w);
}

void
kg_reply_write_items(const KgReply *reply, const char *key, KgJsonWriter *w)
{
	kg_jw_kbegin_array(w, key);
	for (uint32 i = 0; i < reply->nnodes; i++)
		if (!reply->nodes[i].cut)
			write_node(reply, &reply->nodes[i], w);
	kg_jw_end_array(w);
}

void
kg_reply_write_nodes(const KgReply *reply, KgJsonWriter *w)
{
	kg_reply_write_items(reply, "nodes", w);
}

void
kg_reply_write_edges(const KgReply *reply, KgJsonWriter *w)
{
	kg_jw_kbegin_array(w, "edges");
	for (uint32 i = 0; i < reply->nedges; i++)
		if (!reply->edges[i].cut)
			kg_reply_write_edge(reply, &reply->edges[i], w);
	kg_jw_end_array(w);
}
