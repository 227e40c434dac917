/*
 * graph/step_edges.c
 *	  The stored edges of a step of a traversal, with their properties.
 */
#include "postgres.h"

#include "base/error.h"
#include "query/argument/names.h"
#include "query/run/plan.h"
#include "tools/graph/page.h"
#include "tools/graph/step_edges.h"

struct KgStepEdges
{
	const KgFollow *follow; /* relations that the step follows */
	/* the edges of the step, sorted by source and target */
	KgReply reply;
	/*
	 * Refs of the nodes, indexed by node of the set. Only the node number of a
	 * ref is set.
	 */
	KgRef *refs;
};

/* ---- names ---- */

const char *
kg_edge_property(const char *name)
{
	size_t prefix = strlen(KG_EDGE_PREFIX);

	return strncmp(name, KG_EDGE_PREFIX, prefix) == 0 ? name + prefix : NULL;
}

static bool
is_walked(const KgStepSpec *step, const KgRelation *relation)
{
	return kg_relation_set_has(&step->follow.forward, relation->relation_no) ||
		   kg_relation_set_has(&step->follow.backward, relation->relation_no);
}

bool
kg_field_is_single(const KgField *field)
{
	return !field->is_array && field->kind != KG_KIND_OBJECT &&
		   field->kind != KG_KIND_ANY;
}

const KgField **
kg_edge_fields(const KgCatalog *catalog, const KgStepSpec *step,
			   const char *name, const KgField **example)
{
	const KgField **fields = palloc0((catalog->nrelations + 1) *
									 sizeof(KgField *));

	*example = NULL;
	for (int i = 0; i < catalog->nrelations && kg_step_is_one_edge(step); i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		for (int f = 0; f < relation->nfields && is_walked(step, relation); f++)
			if (strcmp(relation->fields[f].name, name) == 0)
				*example = fields[i] = &relation->fields[f];
	}
	return *example != NULL ? fields : NULL;
}

/*
 * Returns the message for a property of the step's edges that cannot be used, a
 * format with the name of the property.
 */
static const char *
property_fault(const KgCatalog *catalog, const KgStepSpec *step,
			   const char *name)
{
	const KgField *example;

	if (!kg_step_is_one_edge(step))
		return "property \"%s\" of edges requires a step of exactly one hop";
	if (kg_edge_fields(catalog, step, name, &example) != NULL)
		return "property \"%s\" of the step's edges has no single value";
	return "no edge of the step has a property \"%s\"";
}

void
kg_throw_edge_property(const KgCatalog *catalog, const KgStepSpec *step,
					   const char *sent, const char *path)
{
	const char *name = kg_edge_property(sent);
	KgError *err = kg_error_new(
		KG_INVALID_INPUT, property_fault(catalog, step, name), name);
	const char *near;
	const char **names;
	int n = 0;
	int room = 1;

	for (int i = 0; i < catalog->nrelations; i++)
		room += catalog->relations[i].nfields;
	names = palloc(room * sizeof(char *));
	for (int i = 0; i < catalog->nrelations && kg_step_is_one_edge(step); i++)
		for (int f = 0; f < catalog->relations[i].nfields &&
						is_walked(step, &catalog->relations[i]);
			 f++)
			if (kg_field_is_single(&catalog->relations[i].fields[f]))
				names[n++] = psprintf(KG_EDGE_PREFIX "%s",
									  catalog->relations[i].fields[f].name);
	kg_error_path(err, "%s", path);
	kg_error_got_string(err, sent);
	for (int i = 0; i < n; i++)
		kg_error_allow(err, names[i]);
	kg_error_expected(
		err,
		"a property with a single value, of the edges of a step of one hop");
	near = kg_nearest(sent, names, n);
	kg_error_did_you_mean(err, near);
	if (near != NULL && kg_has_rival(sent, near, names, n))
		kg_error_doubt(err);
	kg_error_throw(err);
}

/* ---- edges ---- */

static int
compare_nodes(const KgReplyEdge *edge, int64 from, int64 to)
{
	if (edge->from->node != from)
		return edge->from->node < from ? -1 : 1;
	return edge->to->node < to ? -1 : edge->to->node > to;
}

static int
compare_edges(const void *a, const void *b)
{
	const KgReplyEdge *x = a;
	const KgReplyEdge *y = b;
	int order = compare_nodes(x, y->from->node, y->to->node);

	return order != 0 ? order
					  : (x->relation_no > y->relation_no) -
							(x->relation_no < y->relation_no);
}

/*
 * Sorts the edges and removes repeated ones. An edge that was followed from
 * both ends has two links.
 */
static void
drop_repeated(KgReply *reply)
{
	uint32 n = 0;

	qsort(reply->edges, reply->nedges, sizeof(KgReplyEdge), compare_edges);
	for (uint32 i = 0; i < reply->nedges; i++)
		if (n == 0 ||
			compare_edges(&reply->edges[n - 1], &reply->edges[i]) != 0)
			reply->edges[n++] = reply->edges[i];
	reply->nedges = n;
}

KgStepEdges *
kg_step_edges_read(KgGraphCall *call, const KgTraversal *t, int step)
{
	MemoryContext old = MemoryContextSwitchTo(call->graph->context);
	const KgLinks *links = &t->steps[step - 1].links;
	KgStepEdges *edges = palloc0(sizeof(KgStepEdges));
	KgReply *reply = &edges->reply;
	uint64 done = 0;

	edges->follow = &t->specs[step - 1].follow;
	kg_reply_init(reply, call);
	edges->refs = palloc_extended(Max((Size) t->set.n, 1) * sizeof(KgRef),
								  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint32 i = 0; i < t->set.n; i++)
	{
		edges->refs[i].node = t->set.nodes[i];
		edges->refs[i].id = "";
	}
	reply->edges = palloc_extended((links->n + 1) * sizeof(KgReplyEdge),
								   MCXT_ALLOC_HUGE);
	for (uint64 i = 0; i < links->n; i++)
	{
		const KgLink *link = &links->links[i];
		KgReplyEdge *edge = &reply->edges[reply->nedges++];

		kg_plan_count(&done, 1);
		memset(edge, 0, sizeof(*edge));
		edge->type = kg_relation_name(call->catalog, link->relation_no);
		edge->relation_no = link->relation_no;
		edge->from = &edges->refs[link->backward ? link->to : link->from];
		edge->to = &edges->refs[link->backward ? link->from : link->to];
		edge->depth = -1;
		edge->full = true;
	}
	kg_graph_check_memory(call->graph);
	drop_repeated(reply);
	kg_reply_read_edges(reply);
	kg_graph_check_memory(call->graph);
	qsort(reply->edges, reply->nedges, sizeof(KgReplyEdge), compare_edges);
	MemoryContextSwitchTo(old);
	return edges;
}

/*
 * Returns the index of the first stored edge between the two nodes, in the
 * direction from "from" to "to".
 */
static uint32
first_between(const KgReply *reply, int64 from, int64 to)
{
	uint32 low = 0;
	uint32 high = reply->nedges;

	while (low < high)
	{
		uint32 middle = low + (high - low) / 2;

		if (compare_nodes(&reply->edges[middle], from, to) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Calls visit() for the stored edges between two nodes, from "from" to "to".
 * Their relation must be in "walked" and not in "but", which may be NULL.
 */
static void
visit_stored(const KgStepEdges *edges, int64 from, int64 to,
			 const KgRelationSet *walked, const KgRelationSet *but,
			 void (*visit)(const KgReplyEdge *edge, void *arg), void *arg)
{
	const KgReply *reply = &edges->reply;
	const KgFollow *follow = edges->follow;

	for (uint32 i = first_between(reply, from, to);
		 i < reply->nedges && compare_nodes(&reply->edges[i], from, to) == 0;
		 i++)
	{
		const KgReplyEdge *edge = &reply->edges[i];

		/*
		 * The reply has all parallel edges, so the filters of the step must be
		 * tested on each.
		 */
		if (kg_relation_set_has(walked, edge->relation_no) &&
			!(but != NULL && kg_relation_set_has(but, edge->relation_no)) &&
			(follow->accept == NULL || follow->accept(edge->relation_no,
													  edge->properties,
													  follow->accept_arg)))
			visit(edge, arg);
	}
}

void
kg_step_edges_visit(const KgStepEdges *edges, int64 start, int64 end,
					void (*visit)(const KgReplyEdge *edge, void *arg),
					void *arg)
{
	const KgFollow *follow = edges->follow;

	visit_stored(edges, start, end, &follow->forward, NULL, visit, arg);
	/*
	 * A loop is an edge in both directions. So relations whose edges were
	 * visited forward are excluded here.
	 */
	visit_stored(edges,
				 end,
				 start,
				 &follow->backward,
				 start == end ? &follow->forward : NULL,
				 visit,
				 arg);
}

bool
kg_edge_value(const KgCatalog *catalog, const KgReplyEdge *edge,
			  const KgField *const *fields, JsonbValue *value,
			  const KgField **field)
{
	const KgRelation *relation = kg_catalog_relation_no(catalog,
														edge->relation_no);

	*field = relation != NULL ? fields[relation - catalog->relations] : NULL;
	return *field != NULL && edge->properties != NULL &&
		   kg_field_value(*field, &edge->properties->root, value) &&
		   value->type != jbvNull;
}
