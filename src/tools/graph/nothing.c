/*
 * graph/nothing.c
 *	  Hints for empty replies.
 *
 * If a selection matches nothing, the hints have the most similar ids and
 * values. If the selected nodes exist but the search from them finds nothing,
 * the hints list the edges that exist. Hints contain nothing that the caller
 * may not see.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "query/argument/hints.h"
#include "query/argument/repair.h"
#include "query/run/running.h"
#include "tools/graph/graph.h"
#include "tools/graph/reply.h"
#include "utils/memutils.h"

/* Maximum number of nodes whose edges are counted for a hint. */
#define KG_HINT_NODES 500
/*
 * KG_HINT_KINDS is the maximum number of types, or of relationship types, in a
 * hint. A hint may list one for each KG_HINT_BYTES of max_bytes.
 */
#define KG_HINT_KINDS 20
#define KG_HINT_BYTES 512

/*
 * Writes hints for a selector. As in lists, a label in place of an id in a
 * filter raises an error, but an unknown id does not.
 */
void
kg_hint_selector(KgGraphCall *call, const KgSelector *selector,
				 KgCorrection *correction, KgJsonWriter *w)
{
	KgListQuery query;

	memset(&query, 0, sizeof(query));
	query.catalog = call->catalog;
	query.type = selector->type;
	if (selector->filter != NULL)
	{
		query.filter = selector->filter;
		kg_hints_check_labels(&query, true);
	}
	query.filter = kg_selector_filter(selector);
	kg_hints_write_items(&query, correction, w);
	(void) kg_hint_related(call->catalog, selector->related, correction, w);
}

Jsonb *
kg_selector_hints(KgGraphCall *call, const KgSelector *const *selectors, int n)
{
	KgCorrection correction = {NULL};
	KgJsonWriter w;

	kg_jw_init_array(&w);
	for (int i = 0; i < n; i++)
		kg_hint_selector(call, selectors[i], &correction, &w);
	return kg_jw_finish(&w);
}

typedef struct Nothing
{
	KgReply reply;
	const char *key;
	const Jsonb *value;
} Nothing;

static void
write_nothing(void *state, const KgFit *fit, KgJsonWriter *w)
{
	const Nothing *nothing = state;

	if (nothing->key != NULL)
		kg_jw_kjsonb(w, nothing->key, nothing->value);
	kg_reply_write_nodes(&nothing->reply, w);
	kg_reply_write_edges(&nothing->reply, w);
}

Jsonb *
kg_reply_nothing(KgGraphCall *call, const KgSelector *const *selectors, int n,
				 const char *key, const Jsonb *value)
{
	Nothing nothing = {.key = key, .value = value};

	kg_reply_init(&nothing.reply, call);
	nothing.reply.draft.total = 0;
	nothing.reply.draft.hints = kg_selector_hints(call, selectors, n);
	return kg_reply_finish(&nothing.reply, write_nothing, &nothing);
}

/* ---- existing edges ---- */

/* The edges that have one relationship type and one direction. */
typedef struct Kind
{
	const KgRelation *relation;
	bool backward;
	int64 edges;
} Kind;

typedef struct Found
{
	int64 neighbor;
	int32 relation_no;
	bool backward;
} Found;

typedef struct Kinds
{
	KgGraph *graph;
	int n;
	Kind *kinds;
	KgNodeSet starts;
	/*
	 * Edges found, if some nodes may be hidden. The visibility of their ends
	 * is checked later.
	 */
	Found *found;
	Size nfound;
	Size room;
} Kinds;

static void
add_kind(Kinds *kinds, int32 relation_no, bool backward, int64 edges)
{
	const KgRelation *relation = kg_catalog_relation_no(kinds->graph->catalog,
														relation_no);
	Kind *kind;
	int i;

	if (relation == NULL)
		return;
	backward &= !relation->symmetric;
	for (i = 0; i < kinds->n; i++)
		if (strcmp(kinds->kinds[i].relation->name, relation->name) == 0 &&
			kinds->kinds[i].backward == backward)
			break;
	kind = &kinds->kinds[i];
	if (i == kinds->n)
	{
		kinds->n++;
		kind->relation = relation;
		kind->backward = backward;
		kind->edges = 0;
	}
	kind->edges += edges;
}

/*
 * Returns whether an edge that was found at its target was also found at its
 * source. Symmetric edges between two of the nodes, and loops, are found at
 * both ends and must count once.
 */
static bool
found_twice(Kinds *kinds, int32 relation_no, bool backward, int64 neighbor)
{
	const KgRelation *relation;

	if (!backward)
		return false;
	relation = kg_catalog_relation_no(kinds->graph->catalog, relation_no);
	return relation != NULL && relation->symmetric &&
		   kg_nodeset_has(&kinds->starts, neighbor);
}

static void
found_kind(const KgNeighbors *found, void *arg)
{
	Kinds *kinds = arg;

	if (!kinds->graph->check_nodes)
	{
		int64 edges = 0;

		for (int i = 0; i < found->n; i++)
			edges += !found_twice(kinds,
								  found->relation_no,
								  found->backward,
								  found->neighbors[i]);
		if (edges > 0)
			add_kind(kinds, found->relation_no, found->backward, edges);
		return;
	}
	if (kinds->nfound + found->n > kinds->room)
	{
		kinds->room = Max(kinds->room * 2, kinds->nfound + found->n);
		kinds->found = repalloc_huge(kinds->found, kinds->room * sizeof(Found));
		kg_graph_check_memory(kinds->graph);
	}
	for (int i = 0; i < found->n; i++)
	{
		Found *one = &kinds->found[kinds->nfound++];

		one->neighbor = found->neighbors[i];
		one->relation_no = found->relation_no;
		one->backward = found->backward;
	}
}

/* Counts the found edges whose other end is visible to the caller. */
static void
check_found(Kinds *kinds)
{
	KgGraph *graph = kinds->graph;
	KgNodeSet set;
	uint16 *ranks;

	kg_nodeset_init(&set, graph->context);
	for (Size i = 0; i < kinds->nfound; i++)
		(void) kg_nodeset_add(&set, kinds->found[i].neighbor);
	ranks = MemoryContextAllocHuge(graph->context,
								   Max((Size) set.n, 1) * sizeof(uint16));
	kg_graph_types(graph, set.nodes, set.n, ranks);
	for (Size i = 0; i < kinds->nfound; i++)
	{
		const Found *one = &kinds->found[i];

		if ((i & 0xffff) == 0)
			CHECK_FOR_INTERRUPTS();
		if (ranks[kg_nodeset_find(&set, one->neighbor)] != 0 &&
			!found_twice(kinds, one->relation_no, one->backward, one->neighbor))
			add_kind(kinds, one->relation_no, one->backward, 1);
	}
}

/*
 * Compares kinds of edges: by their number of edges, the greater number first,
 * then by name, then outgoing before incoming.
 */
static int
compare_kinds(const void *a, const void *b)
{
	const Kind *x = a;
	const Kind *y = b;
	int order;

	if (x->edges != y->edges)
		return x->edges > y->edges ? -1 : 1;
	order = strcmp(x->relation->name, y->relation->name);
	return order != 0 ? order : (int) x->backward - (int) y->backward;
}

/*
 * Returns whether a string, or an array of strings, contains the name of the
 * relation.
 */
static bool
is_named(const JsonbValue *names, const KgRelation *relation, bool *inverse)
{
	if (names->type == jbvString)
		return kg_relation_is(relation, kg_json_cstring(names), inverse);
	if (!kg_json_is_array(names))
		return false;
	kg_json_each(it, kg_json_container(names))
		if (it.value.type == jbvString &&
			kg_relation_is(relation, kg_json_cstring(&it.value), inverse))
			return true;
	return false;
}

/*
 * If edges of the named types exist only in the opposite direction, adds a
 * correction of the direction. The direction is a member of the object at the
 * path, or of the arguments themselves.
 */
static void
correct_direction(const char *path, const Kinds *kinds, KgJsonWriter *w)
{
	static const char *const members[] = {"type", "relationship_types"};
	const KgCall *running = kg_running_call();
	KgCorrection correction = {NULL};
	JsonbValue value;
	JsonbValue names;
	bool backward = false;
	bool forward = false;

	if (!kg_repair_value_at(path, &value) || !kg_json_is_object(&value) ||
		kg_json_get(kg_json_container(&value), members[0], &names) == NULL)
	{
		if (running == NULL || running->arguments == NULL ||
			kg_json_get(&running->arguments->root, members[1], &names) == NULL)
			return;
		path = "";
	}
	for (int i = 0; i < kinds->n; i++)
	{
		const KgRelation *relation = kinds->kinds[i].relation;
		bool as_inverse = false;

		if (!is_named(&names, relation, &as_inverse))
			continue;
		if (kinds->kinds[i].backward != as_inverse)
			backward = true;
		else
			forward = true;
	}
	if (forward == backward)
		return;
	value = kg_json_string_value(backward ? "incoming" : "outgoing");
	kg_correct_set(&correction, path, "direction", kg_json_datum(&value));
	kg_correction_write(&correction, w);
}

static int
hint_names(const KgGraphCall *call)
{
	return (int) Min(call->max_bytes / KG_HINT_BYTES, KG_HINT_KINDS);
}

static void
begin_hint(const char *path, const char *message, KgJsonWriter *w)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "path", path);
	kg_jw_kstring(w, "message", message);
}

void
kg_hint_edges(KgGraphCall *call, const char *path, const char *message,
			  const int64 *nodes, uint32 n, KgJsonWriter *w)
{
	KgGraph *graph = call->graph;
	KgFollow all;
	Kinds kinds;
	int64 *scratch;

	n = Min(n, KG_HINT_NODES);
	memset(&all, 0, sizeof(all));
	all.forward.all = true;
	all.backward.all = true;
	all.readable = true;
	memset(&kinds, 0, sizeof(kinds));
	kinds.graph = graph;
	kinds.kinds = palloc((2 * call->catalog->nrelations + 1) * sizeof(Kind));
	kinds.room = 64;
	kinds.found = MemoryContextAlloc(graph->context,
									 kinds.room * sizeof(Found));
	scratch = MemoryContextAlloc(graph->context, Max(n, 1) * sizeof(int64));
	memcpy(scratch, nodes, n * sizeof(int64));
	kg_nodeset_init(&kinds.starts, graph->context);
	for (uint32 i = 0; i < n; i++)
		(void) kg_nodeset_add(&kinds.starts, nodes[i]);
	kg_graph_expand(graph, &all, scratch, n, found_kind, &kinds);
	check_found(&kinds);
	qsort(kinds.kinds, kinds.n, sizeof(Kind), compare_kinds);
	begin_hint(path,
			   psprintf(kinds.n > 0 ? "%s; there are these edges"
									: "%s; there are no edges",
						message),
			   w);
	kg_jw_kbegin_array(w, "edges");
	for (int i = 0; i < Min(kinds.n, hint_names(call)); i++)
	{
		const Kind *kind = &kinds.kinds[i];

		kg_jw_begin_object(w);
		kg_jw_kstring(w, "type", kind->relation->name);
		kg_jw_kstring(w,
					  "direction",
					  kind->relation->symmetric ? "both"
					  : kind->backward			? "incoming"
												: "outgoing");
		kg_jw_kint(w, "edges", kind->edges);
		kg_jw_end_object(w);
	}
	kg_jw_end_array(w);
	correct_direction(path, &kinds, w);
	kg_jw_end_object(w);
}

void
kg_hint_types(KgGraphCall *call, const char *path, const char *message,
			  const uint16 *ranks, uint32 n, KgJsonWriter *w)
{
	const KgGraph *graph = call->graph;
	int64 *counts = palloc0((graph->nranks + 1) * sizeof(int64));
	int room = hint_names(call);

	for (uint32 i = 0; i < n; i++)
		counts[ranks[i]]++;
	begin_hint(path, message, w);
	kg_jw_kbegin_object(w, "types");
	for (int rank = 1; rank <= graph->nranks && room > 0; rank++)
		if (counts[rank] > 0)
		{
			kg_jw_kint(w, kg_row_handle(graph->ranked[rank - 1]), counts[rank]);
			room--;
		}
	kg_jw_end_object(w);
	kg_jw_end_object(w);
}

/* ---- a chain of steps without rows ---- */

static void
hint_ends(KgGraphCall *call, const KgTraversal *t, int i, const char *path,
		  KgJsonWriter *w)
{
	const KgStepResult *step = &t->steps[i];
	const KgStepSpec *spec = &t->specs[i];
	KgCorrection correction = {NULL};
	KgNodeSet met;
	uint16 *ranks;

	/* No end passed the tests of the step, so step->ends still has all ends. */
	kg_nodeset_init(&met, t->graph->context);
	ranks = MemoryContextAllocHuge(t->graph->context,
								   Max((Size) step->found, 1) * sizeof(uint16));
	for (uint64 e = 0; e < step->found; e++)
	{
		uint32 at = kg_nodeset_add(&met, step->ends[e].node);

		ranks[at] = t->ranks.ranks[step->ends[e].node];
	}
	kg_hint_types(call,
				  kg_path_member(path, "to"),
				  "no node that this step reaches satisfies \"to\"; the step "
				  "reaches nodes of these types",
				  ranks,
				  met.n,
				  w);
	for (int test = 0; test < spec->ntests; test++)
	{
		const KgNodeTest *tested = &spec->tests[test];
		KgSelector selector = {.type = tested->type};

		if (tested->type != NULL && tested->filters != NULL)
			selector.filter =
				tested->filters[kg_graph_rank(t->graph, tested->type->type_no) -
								1];
		if (selector.filter != NULL)
			kg_hint_selector(call, &selector, &correction, w);
		(void) kg_hint_related(call->catalog, tested->related, &correction, w);
	}
}

void
kg_hint_traversal(KgGraphCall *call, const KgTraversal *t, const char *path,
				  KgJsonWriter *w)
{
	int i = 0;
	const KgStepResult *step;
	const char *message;
	int64 *nodes;

	while (i < t->nsteps && t->steps[i].first[t->steps[i].nstarts] > 0)
		i++;
	/*
	 * Every step has edges from some of its starts, but no row completes the
	 * chain.
	 */
	if (i == t->nsteps)
	{
		if (t->listed != NULL)
		{
			begin_hint("/unique",
					   "each match repeats an edge or a node; with \"none\", "
					   "such matches are returned as well",
					   w);
			kg_jw_end_object(w);
		}
		return;
	}
	step = &t->steps[i];
	path = kg_path_index(path, i);
	if (step->found > 0)
	{
		hint_ends(call, t, i, path, w);
		return;
	}
	nodes = MemoryContextAllocHuge(
		t->graph->context, Max((Size) step->nstarts, 1) * sizeof(int64));
	for (uint32 s = 0; s < step->nstarts; s++)
		nodes[s] = t->set.nodes[step->starts[s]];
	if (step->links.n > 0)
		message = "no walk of this many edges begins at the nodes where this "
				  "step begins";
	else if (t->specs[i].follow.accept != NULL)
		message = "the nodes where this step begins have no edge of the "
				  "requested types and direction that matches the filters";
	else
		message = "the nodes where this step begins have no edge of the "
				  "requested types and direction";
	kg_hint_edges(call, path, message, nodes, step->nstarts, w);
}
