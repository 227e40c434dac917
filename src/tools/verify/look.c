/*
 * verify/look.c
 *	  Looks up the names in claims. Runs one statement for each kind of name,
 *	  for all claims together.
 */
#include "postgres.h"

#include "base/spi.h"
#include "catalog/pg_type.h"
#include "query/graph/foreign.h"
#include "tools/bfs/call.h"
#include "tools/graph/reply.h"
#include "tools/verify/verify.h"
#include "utils/array.h"
#include "utils/builtins.h"

/* ---- handles ---- */

/*
 * An id that a mention (handle) may contain. rank is the rank of its type; 0:
 * the entity may have any type.
 */
typedef struct Candidate
{
	uint16 rank;
	const char *id;
	int mention;
} Candidate;

typedef struct Candidates
{
	KgVerify *v;
	int n;
	Candidate *items;
	bool typed;
} Candidates;

static int
compare_candidates(const void *a, const void *b)
{
	const Candidate *x = a;
	const Candidate *y = b;

	return x->rank != y->rank ? (int) x->rank - (int) y->rank
							  : strcmp(x->id, y->id);
}

static void
found_mention(KgMention *mention, const KgRef *ref, int64 version)
{
	KgRef *other;
	ListCell *lc;

	if (mention->ref.id == NULL)
	{
		mention->ref = kg_ref_copy(ref, CurrentMemoryContext);
		mention->version = version;
		return;
	}
	if (mention->ref.node == ref->node)
		return;
	foreach(lc, mention->others)
		if (((KgRef *) lfirst(lc))->node == ref->node)
			return;
	other = palloc(sizeof(KgRef));
	*other = kg_ref_copy(ref, CurrentMemoryContext);
	mention->others = lappend(mention->others, other);
}

static void
found_candidate(const Candidates *c, const KgRef *ref, int64 version)
{
	Candidate wanted = {c->typed ? ref->rank : 0, ref->id};
	Candidate *found = bsearch(
		&wanted, c->items, c->n, sizeof(Candidate), compare_candidates);

	if (found == NULL)
		return;
	while (found > c->items && compare_candidates(found - 1, &wanted) == 0)
		found--;
	for (; found < c->items + c->n && compare_candidates(found, &wanted) == 0;
		 found++)
		found_mention(&c->v->mentions[found->mention], ref, version);
}

/*
 * Receives a found entity whose type reads a table of the user. Such an entity
 * has no version.
 */
static void
receive_foreign(const KgRef *ref, void *arg)
{
	found_candidate(arg, ref, 0);
}

static bool
receive_handle(TupleTableSlot *slot, void *arg)
{
	const Candidates *c = arg;
	KgRef ref;

	slot_getallattrs(slot);
	memset(&ref, 0, sizeof(ref));
	ref.node = DatumGetInt64(slot->tts_values[0]);
	ref.rank = kg_graph_rank(c->v->call.graph,
							 DatumGetInt32(slot->tts_values[1]));
	if (ref.rank == 0)
		return true;
	ref.id = TextDatumGetCString(slot->tts_values[2]);
	ref.idlen = strlen(ref.id);
	found_candidate(c, &ref, DatumGetInt64(slot->tts_values[3]));
	return true;
}

static void
find_foreign(Candidates *c, const KgType *type, uint16 rank)
{
	const char **ids = palloc((c->n + 1) * sizeof(char *));
	int n = 0;

	for (int i = 0; i < c->n; i++)
		if (c->items[i].rank == (c->typed ? rank : 0))
			ids[n++] = c->items[i].id;
	if (c->typed)
		kg_foreign_find(c->v->call.graph, type, ids, n, receive_foreign, c);
	else
		kg_foreign_look(c->v->call.graph, type, ids, n, receive_foreign, c);
}

/*
 * Looks up the candidates, after removing duplicates. If c->typed is true,
 * looks up each by its type and id, otherwise by its id among all types.
 */
static void
run_candidates(Candidates *c)
{
	static const Oid typed[] = {
		TEXTOID, TEXTARRAYOID, TEXTARRAYOID, TEXTARRAYOID};
	KgGraph *graph = c->v->call.graph;
	int room = Max(c->n, graph->nranks) + 1;
	const char **bundles = palloc(room * sizeof(char *));
	const char **types = palloc(room * sizeof(char *));
	const char **ids = palloc(room * sizeof(char *));
	Datum values[4];
	int n = 0;
	int ntypes = 0;

	if (c->n == 0)
		return;
	qsort(c->items, c->n, sizeof(Candidate), compare_candidates);
	for (int i = 0; i < c->n; i++)
	{
		const Candidate *item = &c->items[i];

		if (i > 0 && compare_candidates(item - 1, item) == 0)
			continue;
		if (c->typed)
		{
			const KgTypeRow *row = graph->ranked[item->rank - 1];

			if (kg_foreign_of_row(graph, row) != NULL)
				continue;
			bundles[ntypes] = row->bundle;
			types[ntypes++] = row->name;
		}
		ids[n++] = item->id;
	}
	values[3] = kg_text_array(ids, n);
	for (uint16 rank = 1; rank <= graph->nranks; rank++)
	{
		const KgTypeRow *row = graph->ranked[rank - 1];

		if (kg_foreign_of_row(graph, row) != NULL)
			find_foreign(c, kg_type_of(row), rank);
		else if (!c->typed)
		{
			bundles[ntypes] = row->bundle;
			types[ntypes++] = row->name;
		}
	}
	values[1] = kg_text_array(bundles, ntypes);
	values[2] = kg_text_array(types, ntypes);
	kg_graph_run(c->v->call.graph,
				 c->typed ? KG_SQL_NODES_OF_HANDLES : KG_SQL_NODES_BY_ID,
				 4,
				 typed,
				 values,
				 receive_handle,
				 c);
}

static void
look_up_handles(KgVerify *v)
{
	const KgGraph *graph = v->call.graph;
	uint16 *ranks = palloc((graph->nranks + 1) * sizeof(uint16));
	int room = v->nmentions + 16;
	Candidates c = {.v = v, .typed = true};

	c.items = palloc(room * sizeof(Candidate));
	for (int i = 0; i < v->nmentions; i++)
	{
		int n = kg_claim_types(v, &v->mentions[i], ranks);

		if (c.n + n > room)
		{
			room = (c.n + n) * 2;
			c.items = repalloc(c.items, room * sizeof(Candidate));
		}
		for (int t = 0; t < n; t++)
			c.items[c.n++] = (Candidate){
				ranks[t],
				kg_id_of_row(graph->ranked[ranks[t] - 1], v->mentions[i].given),
				i};
	}
	run_candidates(&c);
	/*
	 * A whole text such as "type:id" may also be an id. So texts that name no
	 * entity as type and id are looked up as ids.
	 */
	c.n = 0;
	c.typed = false;
	for (int i = 0; i < v->nmentions; i++)
		if (v->mentions[i].ref.id == NULL)
			c.items[c.n++] = (Candidate){0, v->mentions[i].given, i};
	run_candidates(&c);
}

/* ---- names ---- */

typedef struct Names
{
	KgVerify *v;
	KgNodeSet set;
	/* indexed by node of the set; NULL until the entities are read */
	KgRef *refs;
	List **nodes;  /* indexed by claim: List of indexes of nodes in the set */
	int64 *counts; /* indexed by claim: number of rows found */
	/*
	 * the claimed names, to look up as ids; the member mention of a candidate
	 * is the index of the claim
	 */
	Candidates ids;
} Names;

static Candidate *
claims_of_name(const Names *names, const char *name)
{
	Candidate wanted = {0, name, 0};
	Candidate *found = bsearch(&wanted,
							   names->ids.items,
							   names->ids.n,
							   sizeof(Candidate),
							   compare_candidates);

	while (found != NULL && found > names->ids.items &&
		   compare_candidates(found - 1, &wanted) == 0)
		found--;
	return found;
}

static void
found_named(Names *names, const char *name, int64 node)
{
	Candidate *found = claims_of_name(names, name);
	Candidate *end = names->ids.items + names->ids.n;
	int place;

	if (found == NULL)
		return;
	place = (int) kg_nodeset_add(&names->set, node);
	for (; found < end && strcmp(found->id, name) == 0; found++)
	{
		names->counts[found->mention]++;
		names->nodes[found->mention] = list_append_unique_int(
			names->nodes[found->mention], place);
	}
}

static bool
receive_named(TupleTableSlot *slot, void *arg)
{
	slot_getallattrs(slot);
	found_named(arg,
				TextDatumGetCString(slot->tts_values[1]),
				DatumGetInt64(slot->tts_values[0]));
	return true;
}

static bool
receive_id(TupleTableSlot *slot, void *arg)
{
	slot_getallattrs(slot);
	found_named(arg,
				TextDatumGetCString(slot->tts_values[2]),
				DatumGetInt64(slot->tts_values[0]));
	return true;
}

static void
found_foreign(const KgRef *ref, void *arg)
{
	found_named(arg, ref->id, ref->node);
}

static void
keep_named(const KgRef *ref, void *arg)
{
	Names *names = arg;
	uint32 place = kg_nodeset_find(&names->set, ref->node);

	if (place != KG_NO_NODE)
		names->refs[place] = kg_ref_copy(ref, CurrentMemoryContext);
}

/* Maximum number of rows that are read for each name. */
#define KG_NAMED_ROWS 1000

static void
run_names(Names *names, const char *const *texts, int n)
{
	static const Oid terms[] = {TEXTOID, TEXTARRAYOID, INT8OID};
	static const Oid ids[] = {
		TEXTOID, TEXTARRAYOID, TEXTARRAYOID, TEXTARRAYOID};
	KgGraph *graph = names->v->call.graph;
	const char **bundles = palloc((graph->nranks + 1) * sizeof(char *));
	const char **types = palloc((graph->nranks + 1) * sizeof(char *));
	Datum values[4];
	int ntypes = 0;

	for (int i = 0; i < graph->nranks; i++)
	{
		const KgTypeRow *row = graph->ranked[i];

		if (kg_foreign_of_row(graph, row) != NULL)
		{
			kg_foreign_look(
				graph, kg_type_of(row), texts, n, found_foreign, names);
			continue;
		}
		bundles[ntypes] = row->bundle;
		types[ntypes++] = row->name;
	}
	values[1] = kg_text_array(texts, n);
	values[2] = Int64GetDatum(KG_NAMED_ROWS);
	kg_graph_run(
		graph, KG_SQL_NODES_NAMED, 3, terms, values, receive_named, names);
	/*
	 * The index of terms has no ids that are equal to their case-folded form.
	 * So names are also looked up as ids.
	 */
	values[1] = kg_text_array(bundles, ntypes);
	values[2] = kg_text_array(types, ntypes);
	values[3] = kg_text_array(texts, n);
	kg_graph_run(graph, KG_SQL_NODES_BY_ID, 4, ids, values, receive_id, names);
}

static void
take_named(Names *names, KgClaim *claim)
{
	ListCell *lc;

	claim->crowded = names->counts[claim->index] >= KG_NAMED_ROWS;
	foreach(lc, names->nodes[claim->index])
	{
		KgRef *ref = &names->refs[lfirst_int(lc)];

		if (ref->id != NULL &&
			(claim->type == NULL || kg_graph_is_type(names->v->call.graph,
													 ref->rank - 1,
													 claim->type)))
			claim->named = lappend(claim->named, ref);
	}
}

static void
look_up_names(KgVerify *v)
{
	Names names = {.v = v};
	const char **texts = palloc((v->n + 1) * sizeof(char *));
	int n = 0;

	names.ids.items = palloc((v->n + 1) * sizeof(Candidate));
	names.nodes = palloc0((v->n + 1) * sizeof(List *));
	names.counts = palloc0((v->n + 1) * sizeof(int64));
	for (int i = 0; i < v->n; i++)
		if (!v->claims[i].judged && v->claims[i].kind == KG_CLAIM_NAME)
			names.ids.items[names.ids.n++] = (Candidate){
				0, v->claims[i].name, i};
	if (names.ids.n == 0)
		return;
	qsort(names.ids.items, names.ids.n, sizeof(Candidate), compare_candidates);
	for (int i = 0; i < names.ids.n; i++)
		if (i == 0 ||
			strcmp(names.ids.items[i - 1].id, names.ids.items[i].id) != 0)
			texts[n++] = names.ids.items[i].id;
	kg_nodeset_init(&names.set, v->call.graph->context);
	run_names(&names, texts, n);
	names.refs = palloc0((names.set.n + 1) * sizeof(KgRef));
	kg_graph_resolve(
		v->call.graph, names.set.nodes, names.set.n, false, keep_named, &names);
	for (int i = 0; i < names.ids.n; i++)
		take_named(&names, &v->claims[names.ids.items[i].mention]);
}

/* ---- properties ---- */

static void
look_up_rows(KgVerify *v)
{
	KgRef **refs;

	kg_nodeset_init(&v->set, v->call.graph->context);
	for (int i = 0; i < v->n; i++)
	{
		const KgClaim *claim = &v->claims[i];

		if (!claim->judged && claim->kind == KG_CLAIM_PROPERTY &&
			v->mentions[claim->first].ref.id != NULL)
			(void) kg_nodeset_add(&v->set, v->mentions[claim->first].ref.node);
	}
	v->rows = palloc0((v->set.n + 1) * sizeof(KgRef));
	refs = palloc((v->set.n + 1) * sizeof(KgRef *));
	for (uint32 i = 0; i < v->set.n; i++)
	{
		v->rows[i].node = v->set.nodes[i];
		refs[i] = &v->rows[i];
	}
	if (v->set.n > 0)
		kg_read_entities(v->call.graph, NULL, refs, v->set.n);
}

/* ---- edges ---- */

static bool
is_there(const KgMention *mention)
{
	return mention->ref.id != NULL && mention->others == NIL;
}

static int
count_triples(const KgVerify *v, const KgClaim *claim)
{
	const KgCatalog *catalog = v->call.catalog;
	bool inverse;
	int n = 0;

	for (int hop = 0; hop + 1 < claim->nmentions; hop++)
		for (int i = 0; i < catalog->nrelations; i++)
			if (kg_relation_is(
					&catalog->relations[i], claim->relations[hop], &inverse))
				n += 2;
	return n;
}

/*
 * Adds the triples (edges between two mentioned entities) that could be the
 * edge that a claim asserts for a hop. Also adds the triples in the opposite
 * direction.
 */
static void
add_triples(KgVerify *v, KgClaim *claim, int hop)
{
	const KgCatalog *catalog = v->call.catalog;
	int from = claim->first + hop;
	bool inverse;

	if (!is_there(&v->mentions[from]) || !is_there(&v->mentions[from + 1]))
		return;
	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (!kg_relation_is(relation, claim->relations[hop], &inverse))
			continue;
		for (int back = 0; back < 2; back++)
		{
			KgTriple *triple = &claim->triples[claim->ntriples++];
			bool turned = inverse != (back == 1);

			memset(triple, 0, sizeof(*triple));
			triple->hop = hop;
			triple->relation = relation;
			triple->from = turned ? from + 1 : from;
			triple->to = turned ? from : from + 1;
			triple->reversed = back == 1 && !relation->symmetric;
		}
	}
}

typedef struct Triples
{
	const KgVerify *v;
	int n;
	KgTriple **items;
} Triples;

static int
compare_triple(const KgVerify *v, const KgTriple *triple, int64 source,
			   int32 relation_no, int64 target)
{
	int64 from = v->mentions[triple->from].ref.node;
	int64 to = v->mentions[triple->to].ref.node;

	if (from != source)
		return from < source ? -1 : 1;
	if (triple->relation->relation_no != relation_no)
		return triple->relation->relation_no < relation_no ? -1 : 1;
	return to == target ? 0 : to < target ? -1 : 1;
}

static int
compare_triples(const void *a, const void *b, void *arg)
{
	const KgVerify *v = arg;
	const KgTriple *y = *(KgTriple *const *) b;

	return compare_triple(v,
						  *(KgTriple *const *) a,
						  v->mentions[y->from].ref.node,
						  y->relation->relation_no,
						  v->mentions[y->to].ref.node);
}

static void
found_edge(Triples *triples, int64 source, int32 relation_no, int64 target,
		   const Jsonb *properties)
{
	int low = 0;
	int high = triples->n;

	while (low < high)
	{
		int middle = low + (high - low) / 2;

		if (compare_triple(triples->v,
						   triples->items[middle],
						   source,
						   relation_no,
						   target) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (;
		 low < triples->n &&
		 compare_triple(
			 triples->v, triples->items[low], source, relation_no, target) == 0;
		 low++)
	{
		triples->items[low]->n++;
		triples->items[low]->edges = lappend(triples->items[low]->edges,
											 (void *) properties);
	}
}

static bool
receive_edge(TupleTableSlot *slot, void *arg)
{
	slot_getallattrs(slot);
	found_edge(arg,
			   DatumGetInt64(slot->tts_values[0]),
			   DatumGetInt32(slot->tts_values[1]),
			   DatumGetInt64(slot->tts_values[2]),
			   slot->tts_isnull[3] ? NULL
								   : DatumGetJsonbPCopy(slot->tts_values[3]));
	return true;
}

static void
receive_foreign_edge(const KgNeighbors *found, void *arg)
{
	found_edge(arg,
			   found->node,
			   found->relation_no,
			   found->neighbors[0],
			   found->properties);
}

/*
 * Looks up the triples whose edges start at foreign nodes (of types that read
 * tables of the user).
 */
static void
run_foreign(KgVerify *v, Triples *triples)
{
	int64 *sources = palloc((triples->n + 1) * sizeof(int64));
	int32 *relations = palloc((triples->n + 1) * sizeof(int32));

	for (int i = 0; i < triples->n; i++)
	{
		const KgTriple *triple = triples->items[i];

		sources[i] = v->mentions[triple->from].ref.node;
		relations[i] = triple->relation->relation_no;
	}
	kg_foreign_edges(v->call.graph,
					 sources,
					 relations,
					 triples->n,
					 receive_foreign_edge,
					 triples);
}

static void
run_triples(KgVerify *v, Triples *triples)
{
	static const Oid types[] = {
		TEXTOID, INT8ARRAYOID, INT4ARRAYOID, INT8ARRAYOID};
	Datum *columns[3];
	Datum values[4];
	int n = 0;

	qsort_arg(
		triples->items, triples->n, sizeof(KgTriple *), compare_triples, v);
	for (int i = 0; i < 3; i++)
		columns[i] = palloc(triples->n * sizeof(Datum));
	for (int i = 0; i < triples->n; i++)
	{
		const KgTriple *triple = triples->items[i];

		if (i > 0 &&
			compare_triples(&triples->items[i - 1], &triples->items[i], v) == 0)
			continue;
		columns[0][n] = Int64GetDatum(v->mentions[triple->from].ref.node);
		columns[1][n] = Int32GetDatum(triple->relation->relation_no);
		columns[2][n++] = Int64GetDatum(v->mentions[triple->to].ref.node);
	}
	values[1] = PointerGetDatum(construct_array(
		columns[0], n, INT8OID, sizeof(int64), true, TYPALIGN_DOUBLE));
	values[2] = PointerGetDatum(construct_array(
		columns[1], n, INT4OID, sizeof(int32), true, TYPALIGN_INT));
	values[3] = PointerGetDatum(construct_array(
		columns[2], n, INT8OID, sizeof(int64), true, TYPALIGN_DOUBLE));
	kg_graph_run(v->call.graph,
				 KG_SQL_PARALLEL_EDGES,
				 4,
				 types,
				 values,
				 receive_edge,
				 triples);
	run_foreign(v, triples);
}

static void
look_up_edges(KgVerify *v)
{
	Triples triples = {v};
	int room = 0;

	for (int i = 0; i < v->n; i++)
	{
		KgClaim *claim = &v->claims[i];

		if (claim->judged ||
			(claim->kind != KG_CLAIM_EDGE && claim->kind != KG_CLAIM_PATH))
			continue;
		claim->triples = palloc((count_triples(v, claim) + 1) *
								sizeof(KgTriple));
		for (int hop = 0; hop + 1 < claim->nmentions; hop++)
			add_triples(v, claim, hop);
		room += claim->ntriples;
	}
	if (room == 0)
		return;
	triples.items = palloc(room * sizeof(KgTriple *));
	for (int i = 0; i < v->n; i++)
		for (int t = 0; t < v->claims[i].ntriples; t++)
			triples.items[triples.n++] = &v->claims[i].triples[t];
	run_triples(v, &triples);
}

void
kg_claims_look_up(KgVerify *v)
{
	if (v->nmentions > 0)
		look_up_handles(v);
	look_up_names(v);
	look_up_rows(v);
	look_up_edges(v);
}
