/*
 * trails.c
 *	  Rows of a traversal whose walks do not repeat an edge or a node.
 *
 * The steps of the traversal are known, so the walks are listed in memory, from
 * each start, and their rows are collected in a hash table. The listing is
 * limited by kg_graph.max_edges and kg_graph.max_search_memory.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "query/graph/traverse.h"
#include "utils/hsearch.h"

#define KG_MOST_HOPS (KG_MAX_STEPS * KG_MAX_STEP_HOPS)
/*
 * Number of edges that a new row counts as, because of the memory that it
 * takes.
 */
#define KG_CHARGE 0x1000

typedef struct Lister
{
	KgTraversal *t;
	KgUnique unique;
	/* entries are KgBinding; the key is the nodes of the row */
	HTAB *rows;
	/* indexed by node: is an end of the last step */
	bool *last;
	KgBinding row;
	int n; /* number of links of the current walk */
	const KgLink *links[KG_MOST_HOPS];
	/* number of links examined that do not count for the limits yet */
	int64 looked;
} Lister;

static void
charge(Lister *l, int64 n)
{
	l->looked += n;
	if (l->looked < KG_CHARGE)
		return;
	CHECK_FOR_INTERRUPTS();
	kg_graph_charge_edges(l->t->graph, l->looked);
	kg_graph_check_memory(l->t->graph);
	l->looked = 0;
}

/*
 * Returns whether the walk can take the link without repeating a node
 * (KG_UNIQUE_NODES) or an edge.
 */
static bool
is_new(const Lister *l, const KgLink *link)
{
	if (l->unique == KG_UNIQUE_NODES && link->to == l->row.nodes[0])
		return false;
	for (int i = 0; i < l->n; i++)
		if (l->unique == KG_UNIQUE_NODES ? l->links[i]->to == link->to
										 : kg_link_same_edge(l->links[i], link))
			return false;
	return true;
}

/*
 * Returns whether the step may end at the node and the following steps are
 * then possible.
 */
static bool
may_end(const Lister *l, int step, uint32 node)
{
	const KgStepResult *next;

	if (step == l->t->nsteps - 1)
		return l->last[node];
	next = &l->t->steps[step + 1];
	return node < next->start_of_n && next->start_of[node] != KG_NO_NODE &&
		   next->rows[next->start_of[node]] > 0;
}

static void
add_row(Lister *l)
{
	bool found;
	KgBinding *row = hash_search(l->rows, l->row.nodes, HASH_ENTER, &found);

	if (!found || memcmp(l->row.depths, row->depths, sizeof(row->depths)) < 0)
		memcpy(row->depths, l->row.depths, sizeof(row->depths));
	charge(l, 1);
}

/*
 * Lists the rows of the walks that continue the current walk. The current walk
 * is at the node, after "hops" edges of the step.
 */
static void
list_walks(Lister *l, int step, int hops, uint32 node)
{
	const KgStepSpec *spec = &l->t->specs[step];
	const KgLink *link;
	uint32 n;

	check_stack_depth();
	if (hops >= spec->min_hops && may_end(l, step, node))
	{
		l->row.nodes[step + 1] = node;
		l->row.depths[step] = (uint8) hops;
		if (step == l->t->nsteps - 1)
			add_row(l);
		else
			list_walks(l, step + 1, 0, node);
	}
	if (hops == spec->max_hops)
		return;
	link = kg_links_of(&l->t->steps[step].links, node, &n);
	charge(l, n);
	for (; n > 0; n--, link++)
	{
		if (!is_new(l, link))
			continue;
		l->links[l->n++] = link;
		list_walks(l, step, hops + 1, link->to);
		l->n--;
	}
}

static void
take_rows(Lister *l)
{
	KgTraversal *t = l->t;
	HASH_SEQ_STATUS status;
	KgBinding *row;

	t->listed = MemoryContextAllocHuge(
		t->graph->context,
		((Size) hash_get_num_entries(l->rows) + 1) * sizeof(KgBinding));
	kg_graph_check_memory(t->graph);
	hash_seq_init(&status, l->rows);
	while ((row = hash_seq_search(&status)) != NULL)
		t->listed[t->nlisted++] = *row;
	hash_destroy(l->rows);
	t->total = (double) t->nlisted;
}

void
kg_traverse_unique(KgTraversal *t, KgUnique unique)
{
	const KgStepResult *last = &t->steps[t->nsteps - 1];
	Lister l = {.t = t, .unique = unique};
	HASHCTL control = {.keysize = sizeof(l.row.nodes),
					   .entrysize = sizeof(KgBinding),
					   .hcxt = t->graph->context};

	l.rows = hash_create(
		"rows", 256, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	l.last = MemoryContextAllocExtended(t->graph->context,
										Max((Size) t->set.n, 1),
										MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (uint64 i = 0; i < last->first[last->nstarts]; i++)
		l.last[last->ends[i].node] = true;
	for (uint32 s = 0; s < t->steps[0].nstarts; s++)
	{
		l.row.nodes[0] = t->steps[0].starts[s];
		if (t->steps[0].rows[s] > 0)
			list_walks(&l, 0, 0, l.row.nodes[0]);
	}
	kg_graph_charge_edges(t->graph, l.looked);
	take_rows(&l);
}
