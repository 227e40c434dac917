/*
 * graph/page.c
 *	  Converts a page of a breadth-first search to the nodes and edges of a
 *	  reply.
 */
#include "postgres.h"

#include "tools/graph/page.h"

bool
kg_call_by_relevance(const KgInput *in)
{
	return kg_input_enum(in, "order", "\"distance\" or \"relevance\"") == 1;
}

int
kg_call_type_hops(const KgGraphCall *call, bool by_relevance, int64 hops)
{
	int most = call->graph->nranks + 1;

	return by_relevance ? most : (int) Min(hops, most);
}

const char *
kg_relation_name(const KgCatalog *catalog, int32 relation_no)
{
	const KgRelation *relation = kg_catalog_relation_no(catalog, relation_no);

	return relation != NULL ? relation->name : "*";
}

/* Ends of edges on this page that are nodes of an earlier page. */
typedef struct Ends
{
	KgNodeSet set;
	KgRef *refs;
} Ends;

static void
keep_end(const KgRef *ref, void *arg)
{
	Ends *ends = arg;
	uint32 i = kg_nodeset_find(&ends->set, ref->node);

	if (i != KG_NO_NODE)
		ends->refs[i] = kg_ref_copy(ref, CurrentMemoryContext);
}

static bool
on_page(const KgPage *page, uint32 index)
{
	return page->position[index] < page->n;
}

static const KgRef *
end_ref(const KgReach *reach, const KgPage *page, const Ends *ends,
		uint32 index)
{
	uint32 i;

	if (on_page(page, index))
		return &page->refs[page->position[index]];
	i = kg_nodeset_find(&ends->set, reach->set.nodes[index]);
	return ends->refs[i].id != NULL ? &ends->refs[i] : NULL;
}

void
kg_reply_from_page(KgReply *reply, const KgReach *reach, const KgPage *page)
{
	KgGraphCall *call = reply->call;
	KgEdgeRef *edges;
	uint32 n = kg_reach_page_edges(call->graph, reach, page, &edges);
	Ends ends;
	const char *name = NULL;
	int32 named = 0;

	reply->nnodes = page->n;
	reply->draft.n = page->n;
	reply->nodes = palloc0((page->n + 1) * sizeof(KgReplyNode));
	for (uint32 i = 0; i < page->n; i++)
	{
		reply->nodes[i].ref = page->refs[i];
		reply->nodes[i].depth = kg_reach_depth(reach, page->indexes[i]);
		reply->nodes[i].unit = i;
		reply->nodes[i].full = true;
	}
	kg_nodeset_init(&ends.set, call->graph->context);
	for (uint32 i = 0; i < n; i++)
	{
		if (!on_page(page, edges[i].source))
			(void) kg_nodeset_add(&ends.set, reach->set.nodes[edges[i].source]);
		if (!on_page(page, edges[i].target))
			(void) kg_nodeset_add(&ends.set, reach->set.nodes[edges[i].target]);
	}
	ends.refs = palloc0((ends.set.n + 1) * sizeof(KgRef));
	kg_graph_resolve(
		call->graph, ends.set.nodes, ends.set.n, false, keep_end, &ends);
	reply->edges = palloc0((n + 1) * sizeof(KgReplyEdge));
	reply->nedges = 0;
	for (uint32 i = 0; i < n; i++)
	{
		KgReplyEdge *edge = &reply->edges[reply->nedges];
		uint32 source = page->position[edges[i].source];
		uint32 target = page->position[edges[i].target];

		edge->from = end_ref(reach, page, &ends, edges[i].source);
		edge->to = end_ref(reach, page, &ends, edges[i].target);
		if (edge->from == NULL || edge->to == NULL)
			continue;
		if (name == NULL || named != edges[i].relation_no)
			name = kg_relation_name(call->catalog, edges[i].relation_no);
		named = edges[i].relation_no;
		edge->type = name;
		edge->relation_no = named;
		edge->depth = -1;
		edge->full = true;
		/*
		 * A node outside the page has a position of at least page->n. An edge
		 * with such a node belongs to the unit of its other end.
		 */
		edge->unit = source >= page->n	 ? target
					 : target >= page->n ? source
										 : Max(source, target);
		reply->nedges++;
	}
	kg_reply_sort_edges(reply);
}
