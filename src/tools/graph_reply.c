/*
 * graph_reply.c
 *	  Nodes and edges within a byte budget.
 *
 * Sizes are those of jsonb's text, which is at least as long as what a client
 * is sent; they are added up once, so that fitting is arithmetic.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "query/derived.h"
#include "query/plan.h"
#include "query/sql_graph.h"
#include "tools/graph_reply.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* ---- reading ---- */

typedef struct FetchNodes
{
	KgReply *reply;
	KgNodeSet set;
	const uint32 *position;
} FetchNodes;

static void
keep_data(const KgRef *ref, void *arg)
{
	FetchNodes *state = arg;
	uint32 i = kg_nodeset_find(&state->set, ref->node);

	if (i != KG_NO_NODE)
	{
		Jsonb *data = palloc(VARSIZE(ref->data));

		memcpy(data, ref->data, VARSIZE(ref->data));
		state->reply->nodes[state->position[i]].ref.data = data;
	}
}

/* Counts that are computed when they are shown, one type after the other. */
static void
fill_derived(KgReply *reply)
{
	KgGraph *graph = reply->call->graph;

	for (int rank = 1; rank <= graph->nranks; rank++)
	{
		int64 *nodes;
		Jsonb **data;
		int n = 0;

		if (!kg_derived_any(graph->ranked[rank - 1]))
			continue;
		nodes = palloc((reply->nnodes + 1) * sizeof(int64));
		data = palloc((reply->nnodes + 1) * sizeof(Jsonb *));
		for (int fill = 0; fill <= 1; fill++)
		{
			n = 0;
			for (uint32 i = 0; i < reply->nnodes; i++)
			{
				KgReplyNode *node = &reply->nodes[i];

				if (node->ref.rank != rank || node->ref.data == NULL)
					continue;
				if (fill)
					node->ref.data = data[n];
				nodes[n] = node->ref.node;
				data[n] = (Jsonb *) node->ref.data;
				n++;
			}
			if (!fill)
				kg_derived_fill(reply->call->catalog,
								graph->ranked[rank - 1],
								nodes,
								data,
								n);
		}
	}
}

void
kg_reply_fetch_nodes(KgReply *reply)
{
	KgGraph *graph = reply->call->graph;
	FetchNodes state;
	uint32 *position = palloc((reply->nnodes + 1) * sizeof(uint32));

	state.reply = reply;
	state.position = position;
	kg_nodeset_init(&state.set, graph->context);
	for (uint32 i = 0; i < reply->nnodes; i++)
		if (reply->nodes[i].full && reply->nodes[i].ref.data == NULL)
			position[kg_nodeset_add(&state.set, reply->nodes[i].ref.node)] = i;
	if (state.set.n > 0)
		kg_graph_resolve(
			graph, state.set.nodes, state.set.n, true, keep_data, &state);
	kg_nodeset_free(&state.set);
	fill_derived(reply);
}

typedef struct FetchEdges
{
	KgReply *reply;
	uint32 *order; /* edges to fetch, by source, relation, target */
	uint32 n;
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

static bool
receive_properties(TupleTableSlot *slot, void *arg)
{
	FetchEdges *state = arg;
	uint32 low = 0;
	uint32 high = state->n;
	int64 source;
	int32 relation_no;
	int64 target;

	slot_getallattrs(slot);
	if (slot->tts_isnull[3])
		return true;
	source = DatumGetInt64(slot->tts_values[0]);
	relation_no = DatumGetInt32(slot->tts_values[1]);
	target = DatumGetInt64(slot->tts_values[2]);
	while (low < high)
	{
		uint32 middle = low + (high - low) / 2;
		KgReplyEdge *edge = &state->reply->edges[state->order[middle]];
		int order = compare_keys(edge, source, relation_no, target);

		if (order == 0)
		{
			Jsonb *properties = DatumGetJsonbPCopy(slot->tts_values[3]);

			edge->properties = properties;
			return true;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return true;
}

void
kg_reply_fetch_edges(KgReply *reply)
{
	static const Oid types[] = {
		TEXTOID, INT8ARRAYOID, INT4ARRAYOID, INT8ARRAYOID};
	const KgCatalog *catalog = reply->call->catalog;
	FetchEdges state;
	Datum values[4];
	Datum *columns[3];
	KgStatement statement;
	const KgRelation *relation = NULL;

	state.reply = reply;
	state.n = 0;
	state.order = palloc((reply->nedges + 1) * sizeof(uint32));
	for (uint32 i = 0; i < reply->nedges; i++)
	{
		const KgReplyEdge *edge = &reply->edges[i];

		if (!edge->full || edge->properties != NULL || edge->relation_no == 0)
			continue;
		if (relation == NULL || relation->relation_no != edge->relation_no)
			relation = kg_catalog_relation_no(catalog, edge->relation_no);
		/* What derives from a reference has no properties. */
		if (relation != NULL && !relation->derived)
			state.order[state.n++] = i;
	}
	if (state.n == 0)
		return;
	qsort_arg(
		state.order, state.n, sizeof(uint32), compare_edge_keys, reply->edges);
	for (int i = 0; i < 3; i++)
		columns[i] = palloc(state.n * sizeof(Datum));
	for (uint32 i = 0; i < state.n; i++)
	{
		const KgReplyEdge *edge = &reply->edges[state.order[i]];

		columns[0][i] = Int64GetDatum(edge->from->node);
		columns[1][i] = Int32GetDatum(edge->relation_no);
		columns[2][i] = Int64GetDatum(edge->to->node);
	}
	values[0] = reply->call->graph->tenant;
	values[1] = PointerGetDatum(construct_array(
		columns[0], state.n, INT8OID, sizeof(int64), true, TYPALIGN_DOUBLE));
	values[2] = PointerGetDatum(construct_array(
		columns[1], state.n, INT4OID, sizeof(int32), true, TYPALIGN_INT));
	values[3] = PointerGetDatum(construct_array(
		columns[2], state.n, INT8OID, sizeof(int64), true, TYPALIGN_DOUBLE));
	memset(&statement, 0, sizeof(statement));
	statement.sql = kg_graph_sql(KG_SQL_EDGE_PROPERTIES);
	statement.nargs = 4;
	statement.argtypes = types;
	statement.values = values;
	(void) kg_plan_run(&statement, receive_properties, &state);
}

/* ---- order ---- */

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

		/* The first has the smallest unit: it stays longest. */
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

/* {"id": , "type": } and the punctuation between items */
#define KG_END_OVERHEAD 24
#define KG_NODE_OVERHEAD 28
#define KG_EDGE_OVERHEAD 48
#define KG_DETAIL_OVERHEAD 18
#define KG_REPLY_OVERHEAD 600

static Size
ref_size(const KgReply *reply, const KgRef *ref)
{
	const char *type = kg_type_handle(
		reply->call->graph->ranked[ref->rank - 1]);

	return KG_END_OVERHEAD + strlen(type) +
		   kg_string_text_size(ref->id, ref->idlen) +
		   (reply->bfs ? strlen(type) : 0);
}

static void
measure(KgReply *reply)
{
	for (uint32 i = 0; i < reply->nnodes; i++)
	{
		KgReplyNode *node = &reply->nodes[i];

		node->base = KG_NODE_OVERHEAD + ref_size(reply, &node->ref);
		node->detail = node->full && node->ref.data != NULL
						   ? KG_DETAIL_OVERHEAD +
								 kg_json_text_size(
									 (JsonbContainer *) &node->ref.data->root)
						   : 0;
		node->stub = !node->full;
	}
	for (uint32 i = 0; i < reply->nedges; i++)
	{
		KgReplyEdge *edge = &reply->edges[i];

		edge->base = KG_EDGE_OVERHEAD + strlen(edge->type) +
					 ref_size(reply, edge->from) + ref_size(reply, edge->to);
		edge->detail = edge->full && edge->properties != NULL
						   ? KG_DETAIL_OVERHEAD +
								 kg_json_text_size(
									 (JsonbContainer *) &edge->properties->root)
						   : 0;
		edge->stub = !edge->full;
	}
}

static void
cut_units(KgReply *reply, Size total, Size budget)
{
	Size *sizes = palloc0((reply->nunits + 1) * sizeof(Size));

	for (uint32 i = 0; i < reply->nunits; i++)
		sizes[i] = reply->unit_sizes ? reply->unit_sizes[i] : 0;
	for (uint32 i = 0; i < reply->nnodes; i++)
		sizes[reply->nodes[i].unit] += reply->nodes[i].base;
	for (uint32 i = 0; i < reply->nedges; i++)
		sizes[reply->edges[i].unit] += reply->edges[i].base;
	/* One unit always stays: an empty page could not be gone on from. */
	while (total > budget && reply->units > 1)
	{
		Size size = sizes[--reply->units];

		total -= Min(total, size);
	}
	reply->withheld_items = reply->nunits - reply->units;
	for (uint32 i = 0; i < reply->nnodes; i++)
		if (reply->nodes[i].unit >= reply->units)
		{
			reply->nodes[i].cut = true;
			if (reply->nodes[i].detail > 0)
				reply->withheld_properties--;
		}
	for (uint32 i = 0; i < reply->nedges; i++)
		if (reply->edges[i].unit >= reply->units)
		{
			reply->edges[i].cut = true;
			if (reply->edges[i].detail > 0)
				reply->withheld_edges--;
		}
}

void
kg_reply_fit(KgReply *reply)
{
	Size budget = reply->call->max_bytes;
	Size total = reply->overhead + KG_REPLY_OVERHEAD +
				 2 * kg_json_text_size(reply->call->args);

	measure(reply);
	reply->units = reply->nunits;
	reply->withheld_edges = 0;
	reply->withheld_properties = 0;
	reply->withheld_items = 0;
	for (uint32 i = 0; i < reply->nunits && reply->unit_sizes != NULL; i++)
		total += reply->unit_sizes[i];
	for (uint32 i = 0; i < reply->nnodes; i++)
		total += reply->nodes[i].base + reply->nodes[i].detail;
	for (uint32 i = 0; i < reply->nedges; i++)
		total += reply->edges[i].base + reply->edges[i].detail;
	for (uint32 i = reply->nedges; i > 0 && total > budget; i--)
	{
		KgReplyEdge *edge = &reply->edges[i - 1];

		if (edge->detail == 0)
			continue;
		edge->stub = true;
		total -= edge->detail;
		reply->withheld_edges++;
	}
	for (uint32 i = reply->nnodes; i > 0 && total > budget; i--)
	{
		KgReplyNode *node = &reply->nodes[i - 1];

		if (node->detail == 0)
			continue;
		node->stub = true;
		total -= node->detail;
		reply->withheld_properties++;
	}
	if (total > budget)
		cut_units(reply, total, budget);
}

/* ---- writing ---- */

void
kg_write_strings(KgJsonWriter *w, const char *key, char *const *strings, int n)
{
	kg_jw_key(w, key);
	kg_jw_begin_array(w);
	for (int i = 0; i < n; i++)
		kg_jw_string(w, strings[i]);
	kg_jw_end_array(w);
}

static void
write_end(const KgReply *reply, const KgRef *ref, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(
		w, "type", kg_type_handle(reply->call->graph->ranked[ref->rank - 1]));
	kg_jw_key(w, "id");
	kg_jw_stringn(w, ref->id, ref->idlen);
	kg_jw_end_object(w);
}

void
kg_reply_write_node(const KgReply *reply, const KgReplyNode *node,
					KgJsonWriter *w)
{
	const KgGraph *graph = reply->call->graph;

	kg_jw_begin_object(w);
	if (reply->bfs)
	{
		kg_jw_kstring(w, "id", kg_handle(graph, &node->ref));
		kg_jw_kstring(w,
					  "entity_type",
					  kg_type_handle(graph->ranked[node->ref.rank - 1]));
	}
	else
	{
		kg_jw_kstring(
			w, "type", kg_type_handle(graph->ranked[node->ref.rank - 1]));
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
		/* A full edge has the key even where there is nothing to say. */
		kg_jw_key(w, "metadata");
		kg_jw_begin_object(w);
		kg_jw_end_object(w);
	}
	kg_jw_end_object(w);
}

void
kg_reply_write_nodes(const KgReply *reply, KgJsonWriter *w)
{
	kg_jw_key(w, "nodes");
	kg_jw_begin_array(w);
	for (uint32 i = 0; i < reply->nnodes; i++)
		if (!reply->nodes[i].cut)
			kg_reply_write_node(reply, &reply->nodes[i], w);
	kg_jw_end_array(w);
}

void
kg_reply_write_edges(const KgReply *reply, KgJsonWriter *w)
{
	kg_jw_key(w, "edges");
	kg_jw_begin_array(w);
	for (uint32 i = 0; i < reply->nedges; i++)
		if (!reply->edges[i].cut)
			kg_reply_write_edge(reply, &reply->edges[i], w);
	kg_jw_end_array(w);
}

/* ---- the envelope ---- */

static void
write_next(const KgReply *reply, const KgEnvelope *envelope, KgJsonWriter *w)
{
	KgJsonIter it;

	kg_jw_key(w, "next");
	kg_jw_begin_object(w);
	kg_json_iter_init(&it, reply->call->args);
	while (kg_json_iter_next(&it))
	{
		if (kg_json_string_is(&it.key, "cursor") ||
			kg_json_string_is(&it.key, "offset"))
			continue;
		kg_jw_keyn(w, it.key.val.string.val, it.key.val.string.len);
		kg_jw_value(w, &it.value);
	}
	if (envelope->cursor != NULL)
		kg_jw_kstring(w, "cursor", envelope->cursor);
	if (envelope->offset >= 0)
		kg_jw_kint(w, "offset", envelope->offset);
	kg_jw_end_object(w);
}

/* Names of properties with text from outside that a document has. */
static bool *
note_untrusted(const KgField *fields, int n, const Jsonb *data, bool *shown)
{
	JsonbValue value;

	for (int i = 0; i < n; i++)
	{
		if (!fields[i].untrusted ||
			!kg_field_value(&fields[i], &data->root, &value))
			continue;
		if (shown == NULL)
			shown = palloc0(n * sizeof(bool));
		shown[i] = true;
	}
	return shown;
}

static void
write_shown(KgJsonWriter *w, bool *any, const char *of, const KgField *fields,
			int n, const bool *shown)
{
	if (shown == NULL)
		return;
	if (!*any)
	{
		kg_jw_key(w, "untrusted");
		kg_jw_begin_object(w);
	}
	*any = true;
	kg_jw_key(w, of);
	kg_jw_begin_array(w);
	for (int i = 0; i < n; i++)
		if (shown[i])
			kg_jw_string(w, fields[i].name);
	kg_jw_end_array(w);
}

static bool
has_untrusted(const KgField *fields, int n)
{
	for (int i = 0; i < n; i++)
		if (fields[i].untrusted)
			return true;
	return false;
}

/* Say which properties of the reply are text from outside. */
static void
write_untrusted(const KgReply *reply, KgJsonWriter *w)
{
	const KgGraph *graph = reply->call->graph;
	const KgCatalog *catalog = reply->call->catalog;
	bool any = false;

	for (int rank = 1; rank <= graph->nranks; rank++)
	{
		const KgType *type = graph->ranked[rank - 1];
		bool *shown = NULL;

		if (!has_untrusted(type->fields, type->nfields))
			continue;
		for (uint32 i = 0; i < reply->nnodes; i++)
		{
			const KgReplyNode *node = &reply->nodes[i];

			if (node->ref.rank == rank && !node->cut && !node->stub &&
				node->ref.data != NULL)
				shown = note_untrusted(
					type->fields, type->nfields, node->ref.data, shown);
		}
		write_shown(
			w, &any, kg_type_handle(type), type->fields, type->nfields, shown);
	}
	for (int r = 0; r < catalog->nrelations; r++)
	{
		const KgRelation *relation = &catalog->relations[r];
		bool *shown = NULL;

		if (!has_untrusted(relation->fields, relation->nfields))
			continue;
		for (uint32 i = 0; i < reply->nedges; i++)
		{
			const KgReplyEdge *edge = &reply->edges[i];

			if (edge->relation_no == relation->relation_no && !edge->cut &&
				!edge->stub && edge->properties != NULL)
				shown = note_untrusted(relation->fields,
									   relation->nfields,
									   edge->properties,
									   shown);
		}
		write_shown(w,
					&any,
					relation->name,
					relation->fields,
					relation->nfields,
					shown);
	}
	if (any)
		kg_jw_end_object(w);
}

void
kg_reply_write_envelope(const KgReply *reply, const KgEnvelope *envelope,
						KgJsonWriter *w)
{
	if (envelope->at_least)
		kg_jw_kint(w, "total_at_least", (int64) envelope->total);
	else
		kg_jw_kint(w, "total", (int64) envelope->total);
	kg_jw_kint(w, "returned", envelope->returned);
	kg_jw_kbool(w, "truncated", envelope->truncated);
	if (envelope->truncated)
	{
		kg_jw_kstring(w, "reason", envelope->reason);
		if (envelope->highest_limit > 0)
			kg_jw_kint(w, "highest_limit", envelope->highest_limit);
		if (envelope->cursor != NULL || envelope->offset >= 0)
			write_next(reply, envelope, w);
	}
	if (reply->withheld_edges + reply->withheld_properties +
			reply->withheld_items >
		0)
	{
		kg_jw_key(w, "withheld");
		kg_jw_begin_object(w);
		if (reply->withheld_edges > 0)
			kg_jw_kint(w, "edge_properties", reply->withheld_edges);
		if (reply->withheld_properties > 0)
			kg_jw_kint(w, "node_properties", reply->withheld_properties);
		if (reply->withheld_items > 0)
			kg_jw_kint(w, "items", reply->withheld_items);
		kg_jw_end_object(w);
	}
	write_untrusted(reply, w);
	kg_repairs_write(&reply->call->repairs, w);
}
