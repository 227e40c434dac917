/*
 * graph_reply.c
 *	  Nodes and edges within a byte budget.
 *
 * What fits is decided by tools/fit.h, from the sizes that are told here.
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

/* Of a literal, without its end. */
#define LENGTH(literal) (sizeof(literal) - 1)

static Size
name_size(const char *name)
{
	return kg_string_text_size(name, strlen(name));
}

static const char *
type_of(const KgReply *reply, const KgRef *ref)
{
	return kg_type_handle(reply->call->graph->ranked[ref->rank - 1]);
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

/* A node without its properties, and a separator. */
static Size
node_size(const KgReply *reply, const KgReplyNode *node)
{
	const KgRef *ref = &node->ref;
	Size type = name_size(type_of(reply, ref));

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

/* How many properties of edges are extras, that go before any node's. */
static int
edge_extras(const KgReply *reply)
{
	int n = 0;

	for (uint32 i = 0; i < reply->nedges && !reply->paged; i++)
		n += edge_detail(&reply->edges[i]) != NULL;
	return n;
}

static void
measure(void *state, Size *whole, Size *stub, Size *extra)
{
	const KgReply *reply = state;
	int n = 0;

	for (uint32 i = 0; i < reply->nunits && reply->unit_sizes != NULL; i++)
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
		whole[edge->unit] += size + (reply->paged ? detail : 0);
		if (!reply->paged && detail > 0)
			extra[n++] = detail * Max(edge->uses, 1);
	}
}

static void
apply_fit(KgReply *reply, const KgFit *fit)
{
	int extras = 0;

	reply->fit = *fit;
	reply->withheld_edges = 0;
	reply->withheld_properties = 0;
	reply->withheld_items = fit->n - fit->listed;
	for (uint32 i = 0; i < reply->nnodes; i++)
	{
		KgReplyNode *node = &reply->nodes[i];
		bool withheld = node->unit >= fit->whole && node_detail(node) != NULL;

		node->cut = node->unit >= fit->listed;
		node->stub = !node->full || withheld;
		reply->withheld_properties += withheld && !node->cut;
	}
	for (uint32 i = 0; i < reply->nedges; i++)
	{
		KgReplyEdge *edge = &reply->edges[i];
		bool withheld = edge_detail(edge) != NULL &&
						(reply->paged ? edge->unit >= fit->whole
									  : extras++ >= fit->extras);

		edge->cut = edge->unit >= fit->listed;
		edge->stub = !edge->full || withheld;
		reply->withheld_edges += withheld && !edge->cut;
	}
}

static Jsonb *
write_fitting(void *state, const KgFit *fit)
{
	KgReply *reply = state;

	apply_fit(reply, fit);
	return reply->write(reply->state);
}

/* About what the reply takes. */
static Size
rough_size(const KgReply *reply)
{
	Size size = 0;

	for (uint32 i = 0; i < reply->nnodes; i++)
		if (node_detail(&reply->nodes[i]) != NULL)
			size += VARSIZE(reply->nodes[i].ref.data);
	return size + (Size) reply->nnodes * 50 + (Size) reply->nedges * 120;
}

Jsonb *
kg_reply_finish(KgReply *reply, Jsonb *(*write)(void *state), void *state)
{
	KgDraft draft;

	reply->write = write;
	reply->state = state;
	memset(&draft, 0, sizeof(draft));
	draft.args = reply->call->args;
	draft.max_bytes = reply->call->max_bytes;
	draft.n = reply->nunits;
	draft.least = reply->paged ? 1 : 0;
	draft.nextras = edge_extras(reply);
	draft.hints = reply->hints;
	draft.paged = reply->paged;
	draft.solid = reply->solid;
	draft.more = reply->more && !reply->paged;
	draft.rough = rough_size(reply);
	draft.measure = measure;
	draft.write = write_fitting;
	draft.state = reply;
	return kg_draft_finish(&draft);
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

	if (!node->stub && node->whole != NULL)
	{
		kg_jw_jsonb(w, node->whole);
		return;
	}
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
kg_reply_write_items(const KgReply *reply, const char *key, KgJsonWriter *w)
{
	kg_jw_key(w, key);
	kg_jw_begin_array(w);
	for (uint32 i = 0; i < reply->nnodes; i++)
		if (!reply->nodes[i].cut)
			kg_reply_write_node(reply, &reply->nodes[i], w);
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
	kg_jw_key(w, "edges");
	kg_jw_begin_array(w);
	for (uint32 i = 0; i < reply->nedges; i++)
		if (!reply->edges[i].cut)
			kg_reply_write_edge(reply, &reply->edges[i], w);
	kg_jw_end_array(w);
}

/* ---- the envelope ---- */

/* Where the next page begins, or how many bytes to ask for. */
static void
write_next(const KgReply *reply, const KgEnvelope *envelope, KgJsonWriter *w)
{
	KgNext next;
	int unit;

	if (envelope->next == NULL)
	{
		kg_next_write_bytes(reply->call->args, &reply->fit, w);
		return;
	}
	unit = kg_fit_next(&reply->fit, envelope->more, &next);
	if (unit >= 0 && next.max_bytes == 0)
		envelope->next(envelope->state, unit, &next);
	if (unit >= 0)
		kg_next_write(reply->call->args, &next, w);
}

static bool
any_withheld(const KgReply *reply)
{
	return reply->withheld_edges + reply->withheld_properties +
			   reply->withheld_items >
		   0;
}

static void
write_withheld(const KgReply *reply, KgJsonWriter *w)
{
	if (!any_withheld(reply))
		return;
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
	bool withheld = any_withheld(reply);

	kg_jw_kint(w,
			   envelope->at_least ? "total_at_least" : "total",
			   (int64) envelope->total);
	kg_jw_kint(w, "returned", reply->fit.listed);
	kg_jw_kbool(w, "truncated", envelope->more || withheld);
	if (envelope->more || withheld)
	{
		kg_jw_kstring(w,
					  "reason",
					  withheld || envelope->more_bytes ? "max_bytes" : "limit");
		if (envelope->highest_limit > 0)
			kg_jw_kint(w, "highest_limit", envelope->highest_limit);
		write_next(reply, envelope, w);
	}
	write_withheld(reply, w);
	kg_hints_write_some(reply->hints, &reply->fit, w);
	write_untrusted(reply, w);
	kg_repairs_write(&reply->call->repairs, w);
}
