/*
 * bundle/edges.c
 *	  Writing a bundle's explicit edges, as the caller, in batches.
 *
 * A variant is the part of a relation that joins one pair of types (KgVariant).
 */
#include "postgres.h"

#include "auth/identity.h"
#include "auth/visibility.h"
#include "base/catch.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/spi.h"
#include "model/lock.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "store/bundle/bundle.h"
#include "store/edge/edges.h"
#include "store/edge/given_edges.h"
#include "store/entity/entities.h"
#include "store/edge/known_ends.h"
#include "store/bundle/payload_ids.h"
#include "store/entity/put.h"
#include "store/reference/references.h"
#include "store/reference/seen.h"
#include "store/reference/stored.h"
#include "store/edge/symmetric.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#define KG_EDGE_BATCH 10000

static const KgRelation *
require_relation(KgApply *apply, const KgPayloadEdge *edge)
{
	KgError *err;
	const KgRelation *relation = kg_given_relation(
		apply->after, apply->payload->name, edge->relation, &err);

	if (relation == NULL)
	{
		kg_error_path(err, "/edges/%d/relation", edge->index);
		kg_error_report(&apply->errors, err);
	}
	return relation;
}

static void
report_end(KgApply *apply, const KgRelation *relation,
		   const KgPayloadEdge *edge, bool is_from)
{
	KgError *err = kg_no_end_error(relation, is_from ? edge->from : edge->to);

	kg_error_path(err, "/edges/%d/%s", edge->index, is_from ? "from" : "to");
	kg_error_report(&apply->errors, err);
}

/*
 * An edge as a triple (source, relation, target): of the payload, or stored.
 */
typedef struct Triple
{
	int64 source;
	int64 target;
	int32 relation_no;
	/* index of the edge in the payload, or in the list of stored edges */
	uint32 item : 30;
	uint32 found : 2; /* KG_EDGE_*: result of the comparison */
} Triple;

typedef struct Triples
{
	Triple *list;
	int n;
	/*
	 * Keys of parallel edges, indexed by item. NULL if no relation has a key
	 * property.
	 */
	const char **keys;
} Triples;

/* Returns the key of an edge, or "" if its relation has no key property. */
static inline const char *
key_of(const Triples *triples, const Triple *triple)
{
	return triples->keys ? triples->keys[triple->item] : "";
}

/*
 * Compares two triples by the primary key of edges. Returns a number below,
 * equal to or above 0.
 */
static inline int
compare_keys(const Triple *x, const char *x_key, const Triple *y,
			 const char *y_key)
{
	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->relation_no != y->relation_no)
		return x->relation_no < y->relation_no ? -1 : 1;
	if (x_key != y_key)
	{
		int order = strcmp(x_key, y_key);

		if (order != 0)
			return order;
	}
	return x->target < y->target ? -1 : x->target > y->target;
}

static int
compare_in(const Triples *triples, const Triple *x, const Triple *y)
{
	return compare_keys(x, key_of(triples, x), y, key_of(triples, y));
}

static int
compare_triples(const Triple *x, const Triple *y, const Triples *triples)
{
	int order = compare_in(triples, x, y);

	return order != 0 ? order : x->item < y->item ? -1 : 1;
}

/* Uses a sort template instead of qsort(), because there may be many edges. */
#define ST_SORT sort_by_key
#define ST_ELEMENT_TYPE Triple
#define ST_COMPARE(a, b, triples) compare_triples(a, b, triples)
#define ST_COMPARE_ARG_TYPE const Triples
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

static int
compare_items(const void *a, const void *b)
{
	const Triple *x = a;
	const Triple *y = b;

	return x->item < y->item ? -1 : 1;
}

static const KgRelation *
relation_of(const KgApply *apply, const Triple *triple)
{
	return kg_catalog_relation_no(apply->after, triple->relation_no);
}

static void
report_twice(KgApply *apply, const Triple *triple)
{
	const KgPayloadEdge *edge = &apply->payload->edges.list[triple->item];
	KgGivenEdge given = {relation_of(apply, triple), edge->from, edge->to};
	KgError *err = kg_edge_twice_error(&given, "in the bundle");

	kg_error_path(err, "/edges/%d", edge->index);
	kg_error_report(&apply->errors, err);
}

/*
 * Returns the key of an edge of the payload, in the memory context of the
 * triples. Returns "" if the relation has no key property. Returns NULL and
 * reports an error if the edge has no valid key.
 */
static const char *
payload_key(KgApply *apply, const KgRelation *relation,
			const KgPayloadEdge *edge, Triples *triples)
{
	const KgPayloadEdges *edges = &apply->payload->edges;
	const char *key;
	KgError *err;

	if (relation->key == NULL)
		return "";
	key = kg_edge_key_of(relation, kg_payload_properties(edges, edge), &err);
	if (key == NULL)
	{
		kg_error_path(
			err, "/edges/%d/properties/%s", edge->index, relation->key);
		kg_error_report(&apply->errors, err);
		return NULL;
	}
	key = MemoryContextStrdup(GetMemoryChunkContext(triples->list), key);
	triples->keys[edge - edges->list] = key;
	return key;
}

/*
 * Finds the ends of a batch of the payload's edges, and adds the edges to the
 * triples. Reports ends that are not found.
 */
static void
resolve_batch(KgApply *apply, int first, int n, KgKnownEnds *known,
			  Triples *triples)
{
	const KgPayloadEdge *payload = &apply->payload->edges.list[first];
	KgGivenEdge *given = palloc0(n * sizeof(KgGivenEdge));
	KgEdgeEnd *ends;

	for (int i = 0; i < n; i++)
	{
		const KgRelation *relation = require_relation(apply, &payload[i]);

		given[i] = (KgGivenEdge){relation, payload[i].from, payload[i].to};
		if (relation)
			given[i].key = payload_key(apply, relation, &payload[i], triples);
	}
	ends = kg_given_ends(apply->after, given, n, apply->payload, known, true);
	for (int i = 0; i < n; i++)
	{
		Triple *triple = &triples->list[triples->n];

		if (given[i].relation == NULL)
			continue;
		if (ends[2 * i].node == 0)
			report_end(apply, given[i].relation, &payload[i], true);
		if (ends[2 * i + 1].node == 0)
			report_end(apply, given[i].relation, &payload[i], false);
		if (ends[2 * i].node == 0 || ends[2 * i + 1].node == 0 ||
			given[i].key == NULL)
			continue;
		triple->source = ends[2 * i].node;
		triple->target = ends[2 * i + 1].node;
		triple->relation_no = given[i].relation->relation_no;
		triple->item = first + i;
		triple->found = KG_EDGE_NONE;
		triples->n++;
	}
}

/*
 * Returns the edge of the opposite direction among the sorted triples, or NULL.
 */
static const Triple *
find_turned(const Triples *triples, const Triple *triple)
{
	Triple wanted = {
		triple->target, triple->source, triple->relation_no, triple->item};
	int low = 0;
	int high = triples->n;

	while (low < high)
	{
		int middle = low + (high - low) / 2;
		int order = compare_in(triples, &triples->list[middle], &wanted);

		if (order == 0)
			return &triples->list[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Reports symmetric edges that are given in both directions. */
static void
report_turned(KgApply *apply, const Triples *triples)
{
	const KgCatalog *catalog = apply->after;

	for (int r = 0; r < catalog->nrelations; r++)
	{
		if (!catalog->relations[r].symmetric)
			continue;
		for (int i = 0; i < triples->n; i++)
		{
			const Triple *triple = &triples->list[i];
			const Triple *other;

			CHECK_FOR_INTERRUPTS();
			if (triple->relation_no != catalog->relations[r].relation_no ||
				triple->source == triple->target)
				continue;
			other = find_turned(triples, triple);
			if (other != NULL && other->item < triple->item)
				report_twice(apply, triple);
		}
	}
}

/*
 * Sorts by the primary key of edges. Reports duplicates, and removes all but
 * the first edge of each key.
 */
static void
sort_triples(KgApply *apply, Triples *triples)
{
	int n = 0;
	int nrepeated = 0;
	Triple *repeated;

	sort_by_key(triples->list, triples->n, triples);
	for (int i = 1; i < triples->n; i++)
		nrepeated += compare_in(triples,
								&triples->list[i],
								&triples->list[i - 1]) == 0;
	report_turned(apply, triples);
	if (nrepeated == 0)
		return;
	repeated = MemoryContextAllocHuge(CurrentMemoryContext,
									  nrepeated * sizeof(Triple));
	nrepeated = 0;
	for (int i = 0; i < triples->n; i++)
	{
		if (n > 0 &&
			compare_in(triples, &triples->list[i], &triples->list[n - 1]) == 0)
			repeated[nrepeated++] = triples->list[i];
		else
			triples->list[n++] = triples->list[i];
	}
	triples->n = n;
	qsort(repeated, nrepeated, sizeof(Triple), compare_items);
	for (int i = 0; i < nrepeated; i++)
		report_twice(apply, &repeated[i]);
	pfree(repeated);
}

/*
 * Returns whether the apply changes the requirements that the relation sets
 * for its edges. If so, stored edges are checked like new edges.
 */
static bool
asks_anew(const KgApply *apply, const KgRelation *relation)
{
	const KgRelation *before = kg_catalog_relation_no(apply->before,
													  relation->relation_no);
	bool definitions = kg_bundle_changes_definitions(apply);

	if (before == NULL)
		return false;
	if (relation->symmetric && !before->symmetric)
		return true;
	for (int i = 0; i < before->nvariants; i++)
	{
		const KgVariant *old = &before->variants[i];
		bool same = false;

		for (int j = 0; j < relation->nvariants && !same; j++)
		{
			const KgVariant *variant = &relation->variants[j];

			same = variant->from_type_no == old->from_type_no &&
				   variant->to_type_no == old->to_type_no &&
				   kg_json_same(variant->schema, old->schema);
		}
		if (!same || (definitions && old->schema != NULL))
			return true;
	}
	return false;
}

/*
 * Returns an array, indexed like the relations of the catalog, that marks
 * relations with changed requirements.
 */
static bool *
asking_anew(const KgApply *apply)
{
	bool *anew = palloc0(Max(1, apply->after->nrelations) * sizeof(bool));

	for (int i = 0; i < apply->after->nrelations; i++)
		anew[i] = asks_anew(apply, &apply->after->relations[i]);
	return anew;
}

/*
 * Returns whether the properties of two edges are equal. Most are equal byte
 * for byte, which is tested first, without a copy.
 */
static bool
same_properties(const KgPayloadEdges *edges, const KgPayloadEdge *edge,
				Datum stored, bool isnull)
{
	struct varlena *bytes;
	bool same;

	if (isnull || edge->properties == NULL)
		return isnull && edge->properties == NULL;
	bytes = PG_DETOAST_DATUM_PACKED(stored);
	same = !edges->text && VARSIZE_ANY_EXHDR(bytes) == edge->len &&
		   memcmp(VARDATA_ANY(bytes), edge->properties, edge->len) == 0;
	return same || kg_json_same(DatumGetJsonbP(stored),
								kg_payload_properties(edges, edge));
}

/*
 * A comparison of the payload's edges with stored edges, both in the order of
 * the primary key.
 */
typedef struct Comparison
{
	const KgPayloadEdges *edges;
	Triples *triples;
	int next;	   /* index of the next triple */
	Triples *gone; /* stored edges that are not in the payload */
	int room;
	KgWork work;
	MemoryContext context;
	MemoryContext scratch;
} Comparison;

static void
add_gone(Comparison *c, const Triple *triple, const char *key)
{
	Triples *gone = c->gone;

	if (gone->n == c->room)
	{
		c->room = Max(1024, c->room * 2);
		if (gone->list == NULL)
			gone->list = MemoryContextAlloc(c->context,
											c->room * sizeof(Triple));
		else
			gone->list = repalloc_huge(gone->list,
									   (Size) c->room * sizeof(Triple));
		if (c->triples->keys != NULL)
			gone->keys = gone->keys == NULL
							 ? MemoryContextAllocHuge(c->context,
													  c->room * sizeof(char *))
							 : repalloc_huge(gone->keys,
											 (Size) c->room * sizeof(char *));
	}
	gone->list[gone->n] = *triple;
	gone->list[gone->n].item = gone->n;
	if (gone->keys != NULL)
		gone->keys[gone->n] = MemoryContextStrdup(c->context, key);
	gone->n++;
}

#define KG_FETCHED 32

/*
 * Prefetches the next edges of the payload. They are at random addresses, so
 * this lets memory accesses overlap.
 */
static void
fetch_ahead(const Comparison *c)
{
	const Triples *triples = c->triples;
	int end = Min(c->next + KG_FETCHED, triples->n);

	if (c->next % KG_FETCHED != 0)
		return;
	for (int i = c->next; i < end; i++)
	{
		const char *properties =
			c->edges->list[triples->list[i].item].properties;

		__builtin_prefetch(properties);
		__builtin_prefetch(properties + 64);
		__builtin_prefetch(properties + 128);
	}
}

static int
compare_next(const Comparison *c, const Triple *stored, const char *key)
{
	const Triple *next = &c->triples->list[c->next];

	return compare_keys(next, key_of(c->triples, next), stored, key);
}

static void
compare_stored(TupleTableSlot *row, void *arg)
{
	Comparison *c = arg;
	Triples *triples = c->triples;
	bool isnull;
	Triple stored = {0};
	const char *key = "";
	Triple *triple;
	Datum properties;
	MemoryContext old;

	stored.source = DatumGetInt64(slot_getattr(row, 1, &isnull));
	stored.relation_no = DatumGetInt32(slot_getattr(row, 2, &isnull));
	stored.target = DatumGetInt64(slot_getattr(row, 3, &isnull));
	if (triples->keys != NULL)
	{
		old = MemoryContextSwitchTo(c->scratch);
		key = TextDatumGetCString(slot_getattr(row, 5, &isnull));
		MemoryContextSwitchTo(old);
	}
	while (c->next < triples->n && compare_next(c, &stored, key) < 0)
		c->next++;
	if (c->next == triples->n || compare_next(c, &stored, key) != 0)
	{
		add_gone(c, &stored, key);
		return;
	}
	triple = &triples->list[c->next++];
	fetch_ahead(c);
	properties = slot_getattr(row, 4, &isnull);
	old = MemoryContextSwitchTo(c->scratch);
	triple->found = same_properties(c->edges,
									&c->edges->list[triple->item],
									properties,
									isnull)
						? KG_EDGE_SAME
						: KG_EDGE_OTHER;
	MemoryContextSwitchTo(old);
	if (c->next % KG_EDGE_BATCH == 0)
	{
		MemoryContextReset(c->scratch);
		kg_work_done(&c->work, c->next - c->work.done);
	}
}

/*
 * Compares the triples with all stored edges of the bundle's relations, in one
 * pass in the order of the primary key.
 */
static void
compare_all(KgApply *apply, Triples *triples, Triples *gone)
{
	static KgSaved saved;
	static const Oid types[] = {INT4OID};
	Comparison c = {&apply->payload->edges, triples, 0, gone};
	KgColumns relations;
	KgArg of;

	kg_columns_init(&relations, CurrentMemoryContext, 1, types);
	for (int i = 0; i < apply->after->nrelations; i++)
	{
		const KgRelation *relation = &apply->after->relations[i];

		if (relation->derived ||
			strcmp(relation->bundle, apply->payload->name) != 0)
			continue;
		kg_columns_add_row(&relations);
		kg_columns_int32(&relations, 0, relation->relation_no);
	}
	if (relations.nrows == 0)
		return;
	c.context = CurrentMemoryContext;
	c.scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph compare", ALLOCSET_DEFAULT_SIZES);
	kg_columns_args(&relations, &of);
	if (apply->sees_all)
		kg_work_begin(&c.work, "comparing edges", triples->n);
	kg_spi_each(&saved,
				compare_stored,
				&c,
				"SELECT source, relation_no, target, properties, key "
				"FROM @kg_edge WHERE tenant = $1 AND property IS NULL "
				"AND relation_no = ANY ($2) "
				"ORDER BY source, relation_no, key, target",
				kg_arg_text(apply->tenant),
				of);
	MemoryContextDelete(c.scratch);
}

/* Adds to "rows" the edges of the payload that the triples in "some" name. */
static void
make_rows(const KgApply *apply, const Triples *triples, const Triple *some,
		  int n, KgColumns *rows)
{
	const KgPayloadEdges *edges = &apply->payload->edges;

	kg_edges_init(rows, CurrentMemoryContext);
	for (int i = 0; i < n; i++)
		kg_edges_add(rows,
					 some[i].source,
					 some[i].relation_no,
					 some[i].target,
					 key_of(triples, &some[i]),
					 kg_payload_properties(edges, &edges->list[some[i].item]));
}

/*
 * Compares each edge that a merge adds with the stored edge, which is looked
 * up.
 */
static void
compare_each(KgApply *apply, Triples *triples)
{
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph compare", ALLOCSET_DEFAULT_SIZES);

	for (int i = 0; i < triples->n; i += KG_EDGE_BATCH)
	{
		int n = Min(KG_EDGE_BATCH, triples->n - i);
		MemoryContext old = MemoryContextSwitchTo(scratch);
		int *found = palloc0(n * sizeof(int));
		KgColumns rows;

		CHECK_FOR_INTERRUPTS();
		make_rows(apply, triples, triples->list + i, n, &rows);
		kg_edges_compare(apply->tenant, &rows, found);
		for (int j = 0; j < n; j++)
			triples->list[i + j].found = found[j];
		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
	}
	MemoryContextDelete(scratch);
}

static void
report_kept(KgApply *apply, int number)
{
	KgError *err = kg_kept_error("edge", "written");

	kg_error_path(err, "/edges/%d", number);
	kg_error_report(&apply->errors, err);
}

/*
 * Numbers of edges of a relation that had each result of the comparison
 * (KG_EDGE_*).
 */
typedef int64 EdgeCounts[3];

static void
count_edge(KgApply *apply, const Triple *triple, int found, EdgeCounts *counts)
{
	counts[relation_of(apply, triple) - apply->after->relations][found]++;
}

/* Adds the edges of a batch as rows. Returns their indexes in the payload. */
static int *
number_rows(const KgApply *apply, const Triples *all, const Triple *triples,
			int n, KgColumns *rows)
{
	int *numbers = palloc(n * sizeof(int));

	make_rows(apply, all, triples, n, rows);
	for (int i = 0; i < n; i++)
		numbers[i] = apply->payload->edges.list[triples[i].item].index;
	return numbers;
}

/*
 * Returns whether an end of the edge now has another node, or is an entity of
 * the bundle that another session deleted.
 */
static bool
is_there_anew(const KgApply *apply, const Triple *triple, const KgEdgeEnd *ends)
{
	KgEdgeEnd listed[2] = {ends[0], ends[1]};

	listed[0].node = listed[1].node = 0;
	kg_payload_nodes(apply->payload, listed, 2);
	for (int i = 0; i < 2; i++)
		if (ends[i].node != triple->source && ends[i].node != triple->target &&
			(ends[i].node != 0 || listed[i].node != 0))
			return true;
	return false;
}

/*
 * Begins the apply again if an end that was found before no longer exists.
 * Another session deleted it while this session waited for a lock. The new
 * attempt finds the current entities.
 */
static void
begin_again_if_anew(KgApply *apply, const Triple *triples, int n)
{
	const KgPayloadEdge *edges = apply->payload->edges.list;
	KgGivenEdge *given = palloc0(n * sizeof(KgGivenEdge));
	KgEdgeEnd *ends;

	for (int i = 0; i < n; i++)
	{
		const KgPayloadEdge *edge = &edges[triples[i].item];

		given[i] = (KgGivenEdge){
			relation_of(apply, &triples[i]), edge->from, edge->to};
	}
	ends = kg_given_ends_now(apply->after, given, n);
	for (int i = 0; i < n; i++)
	{
		KgError *err;

		if (!is_there_anew(apply, &triples[i], &ends[2 * i]))
			continue;
		err = kg_error_new(
			KG_CONFLICT, "another session deleted an entity at the same time");
		kg_error_expected(err, "the same call, sent again");
		kg_throw_again(err);
	}
}

/*
 * Checks all edges of a batch before they are written, and reports faults in
 * the order of the payload. Returns false if the apply has any faults. The
 * trigger would raise an error at the first fault, and does not know the
 * indexes in the payload.
 */
static bool
check_batch(KgApply *apply, const Triples *all, const Triple *triples, int n,
			const KgColumns *rows)
{
	KgErrorList any = {NIL, 1};
	KgEdgeReport to = {"/edges", NULL, false, &any, true};
	KgUserContext user;

	kg_become_owner(&user);
	kg_edges_check(apply->after, &user, rows, &to);
	kg_restore_user(&user);
	if (any.total > 0)
	{
		Triple *sorted = palloc(n * sizeof(Triple));
		KgColumns again;

		begin_again_if_anew(apply, triples, n);
		memcpy(sorted, triples, n * sizeof(Triple));
		qsort(sorted, n, sizeof(Triple), compare_items);
		to.numbers = number_rows(apply, all, sorted, n, &again);
		to.errors = &apply->errors;
		kg_become_owner(&user);
		kg_edges_check(apply->after, &user, &again, &to);
		kg_restore_user(&user);
	}
	return apply->errors.total == 0;
}

/*
 * Checks and writes changed edges of the payload in the order of the primary
 * key. Edges that are written one after the other are then adjacent in the
 * index. Writes nothing if there are faults.
 */
static void
write_batch(KgApply *apply, const Triples *all, const Triple *triples, int n,
			EdgeCounts *counts)
{
	int *found = palloc(n * sizeof(int));
	KgColumns rows;
	const int *numbers = number_rows(apply, all, triples, n, &rows);
	const bool *kept;

	if (!check_batch(apply, all, triples, n, &rows))
		return;
	for (int i = 0; i < n; i++)
		found[i] = triples[i].found;
	kg_edges_hold(apply->tenant, &rows, found, palloc0(n * sizeof(int64)));
	kept = kg_edges_write_turned(apply->after, &rows, found);
	for (int i = 0; i < n; i++)
	{
		if (kept && kept[i])
			report_kept(apply, numbers[i]);
		count_edge(apply, &triples[i], found[i], counts);
	}
}

static void
add_counts(KgApply *apply, const EdgeCounts *counts)
{
	for (int i = 0; i < apply->after->nrelations; i++)
	{
		int64 created = counts[i][KG_EDGE_NONE];
		int64 updated = counts[i][KG_EDGE_OTHER];
		int64 unchanged = counts[i][KG_EDGE_SAME];
		KgCounts *total;

		if (created + updated + unchanged == 0)
			continue;
		total = kg_apply_counts(
			apply, &apply->edge_counts, apply->after->relations[i].name);
		total->created += created;
		total->updated += updated;
		total->unchanged += unchanged;
		apply->changed |= created + updated > 0;
	}
}

/*
 * Writes the changed edges. Triggers of a DBA on kg_edge may change other
 * edges. So if there are any, all edges are compared again.
 */
static void
write_changed(KgApply *apply, MemoryContext scratch, const Triples *triples)
{
	const bool *anew = asking_anew(apply);
	bool all = kg_stored_has_own_triggers("kg_edge");
	Triple *batch = palloc(KG_EDGE_BATCH * sizeof(Triple));
	EdgeCounts *counts = palloc0(Max(1, apply->after->nrelations) *
								 sizeof(EdgeCounts));
	KgWork work;
	int i = 0;

	kg_work_begin(&work, "writing edges", triples->n);
	while (i < triples->n)
	{
		MemoryContext old = MemoryContextSwitchTo(scratch);
		int first = i;
		int n = 0;

		CHECK_FOR_INTERRUPTS();
		for (; i < triples->n && n < KG_EDGE_BATCH; i++)
		{
			const Triple *triple = &triples->list[i];

			if (all || triple->found != KG_EDGE_SAME ||
				anew[relation_of(apply, triple) - apply->after->relations])
				batch[n++] = *triple;
			else
				count_edge(apply, triple, KG_EDGE_SAME, counts);
		}
		if (n > 0)
			write_batch(apply, triples, batch, n, counts);
		kg_work_done(&work, i - first);
		MemoryContextSwitchTo(old);
		/*
		 * If there were errors, they are in the scratch context, which then is
		 * not reset.
		 */
		if (apply->errors.total == 0)
			MemoryContextReset(scratch);
	}
	add_counts(apply, counts);
}

/*
 * Deletes stored edges that the payload lacks, if the caller sees both their
 * ends.
 */
static void
delete_batch(KgApply *apply, const Triples *all, const Triple *gone, int n)
{
	KgColumns rows;

	kg_edges_init(&rows, CurrentMemoryContext);
	for (int i = 0; i < n; i++)
		kg_edges_add(&rows,
					 gone[i].source,
					 gone[i].relation_no,
					 gone[i].target,
					 key_of(all, &gone[i]),
					 NULL);
	kg_edges_delete(apply->tenant, &rows, apply->sees_all);
	for (uint64 i = 0; i < SPI_processed; i++)
		kg_apply_counts(apply,
						&apply->edge_counts,
						relation_of(apply, &gone[kg_spi_int64(i, 1) - 1])->name)
			->deleted++;
	apply->changed |= SPI_processed > 0;
	SPI_freetuptable(SPI_tuptable);
}

static void
delete_gone(KgApply *apply, MemoryContext scratch, const Triples *gone)
{
	KgWork work;

	kg_work_begin(&work, "deleting edges", gone->n);
	for (int i = 0; i < gone->n; i += KG_EDGE_BATCH)
	{
		int n = Min(KG_EDGE_BATCH, gone->n - i);
		MemoryContext old = MemoryContextSwitchTo(scratch);

		CHECK_FOR_INTERRUPTS();
		delete_batch(apply, gone, gone->list + i, n);
		kg_work_done(&work, n);
		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
	}
}

/*
 * If the relation becomes symmetric, deletes one edge of each pair that is
 * stored in both directions. The payload contains at most one edge of a pair.
 */
static void
join_pairs(KgApply *apply, const KgRelation *relation)
{
	const KgRelation *before = kg_catalog_relation_no(apply->before,
													  relation->relation_no);

	if (!relation->symmetric || before == NULL || before->symmetric)
		return;
	KG_BATCH_EXEC("DELETE FROM @kg_edge e WHERE e.relation_no = $2 "
				  "AND " KG_TURNED_EDGES,
				  kg_arg_text(apply->tenant),
				  kg_arg_int4(relation->relation_no));
	if (SPI_processed > 0)
		kg_apply_counts(apply, &apply->edge_counts, relation->name)->deleted +=
			SPI_processed;
}

/*
 * Returns the path of the relation's declaration in the payload, or of the
 * shared definitions if the payload does not declare the relation.
 */
static const char *
path_of(const KgPayload *payload, const KgRelation *relation)
{
	for (int i = 0; i < payload->nrelations; i++)
		if (strcmp(payload->relations[i].name, relation->name) == 0)
			return payload->relations[i].path;
	return "/definitions";
}

/*
 * Returns the error for the first stored edge that is invalid. It contains no
 * values of the edge, which may be hidden from the caller.
 */
static KgError *
stored_error(const KgApply *apply, const KgRelation *relation,
			 const KgError *first)
{
	return KG_ERROR(
		kg_error_code(first),
		.message = psprintf(
			"stored edges of relation \"%s\" would not be valid: %s",
			relation->name,
			kg_error_message(first)),
		.path = path_of(apply->payload, relation),
		.got_string = relation->name,
		.expected = "a schema that the stored edges satisfy, or other edges");
}

/*
 * Raises an error if the caller does not see an edge or one of its ends. The
 * caller chose the schema, so validation errors could reveal the contents of
 * hidden edges.
 */
static void
require_seen(const KgApply *apply, const KgUserContext *caller,
			 const KgRelation *relation, const KgColumns *edges)
{
	KgArg columns[KG_MAX_COLUMNS];
	KgUserContext owner;

	GetUserIdAndSecContext(&owner.userid, &owner.sec_context);
	kg_restore_user(caller);
	if (!apply->sees_all || !kg_visibility_edges_are_plain())
	{
		kg_columns_args(edges, columns);
		KG_BATCH_EXEC("SELECT count(*) "
					  "FROM unnest($3, $4, $5) g(source, target, key) "
					  "WHERE EXISTS (SELECT FROM @kg_edge e "
					  "WHERE e.tenant = $1 AND e.source = g.source "
					  "AND e.relation_no = $2 AND e.key = g.key "
					  "AND e.target = g.target) "
					  "AND EXISTS (SELECT FROM @kg_entity v "
					  "WHERE v.tenant = $1 AND v.node = g.source) "
					  "AND EXISTS (SELECT FROM @kg_entity v "
					  "WHERE v.tenant = $1 AND v.node = g.target)",
					  kg_arg_text(apply->tenant),
					  kg_arg_int4(relation->relation_no),
					  columns[KG_EDGE_SOURCE],
					  columns[KG_EDGE_TARGET],
					  columns[KG_EDGE_KEY]);
		if (kg_spi_int64(0, 1) != edges->nrows)
			kg_refuse_hidden("validated by a changed relation");
		SPI_freetuptable(SPI_tuptable);
	}
	kg_restore_user(&owner);
}

static void
require_ends_shown(const KgApply *apply, const KgColumns *edges)
{
	KgNodeList ends = {CurrentMemoryContext};

	for (int i = 0; i < edges->nrows; i++)
	{
		kg_node_add(&ends, DatumGetInt64(edges->values[KG_EDGE_SOURCE][i]));
		kg_node_add(&ends, DatumGetInt64(edges->values[KG_EDGE_TARGET][i]));
	}
	kg_require_none_newer(apply->tenant, ends.nodes, ends.n);
}

static void
recheck_relation(KgApply *apply, const KgUserContext *caller,
				 const KgRelation *relation)
{
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph recheck", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = CurrentMemoryContext;
	KgErrorList errors = {NIL, 1};
	KgEdgeReport to = {"", NULL, false, &errors};
	KgEdgePlace place = {0, 0, ""};
	KgError *err = NULL;

	(void) kg_lock_relation_exclusive(relation->relation_no);
	while (err == NULL)
	{
		KgColumns edges;

		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(scratch);
		MemoryContextSwitchTo(scratch);
		kg_edges_init(&edges, scratch);
		kg_edges_read(apply->tenant,
					  relation->relation_no,
					  &place,
					  KG_EDGE_BATCH,
					  &edges);
		if (edges.nrows == 0)
			break;
		require_seen(apply, caller, relation, &edges);
		require_ends_shown(apply, &edges);
		kg_edges_check(apply->after, NULL, &edges, &to);
		MemoryContextSwitchTo(old);
		if (errors.total > 0)
			err = stored_error(apply, relation, linitial(errors.errors));
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	if (err)
		kg_error_report(&apply->errors, err);
}

/* Checks stored edges of changed relations like edges that are written now. */
static void
recheck_stored(KgApply *apply)
{
	KgUserContext user;

	kg_become_owner(&user);
	for (int i = 0; i < apply->after->nrelations; i++)
	{
		const KgRelation *relation = &apply->after->relations[i];

		if (!relation->derived &&
			strcmp(relation->bundle, apply->payload->name) == 0 &&
			asks_anew(apply, relation))
			recheck_relation(apply, &user, relation);
	}
	kg_restore_user(&user);
}

/* Returns whether any relation of the bundle has a key property. */
static bool
have_keys(const KgApply *apply)
{
	for (int i = 0; i < apply->after->nrelations; i++)
	{
		const KgRelation *relation = &apply->after->relations[i];

		if (relation->key != NULL &&
			strcmp(relation->bundle, apply->payload->name) == 0)
			return true;
	}
	return false;
}

/* Finds the ends of all edges of the payload, in batches. */
static void
resolve_edges(KgApply *apply, MemoryContext scratch, Triples *triples)
{
	const KgPayload *payload = apply->payload;
	KgKnownEnds *known = kg_known_ends_make();
	KgWork work;

	triples->list = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) Max(1, payload->edges.n) * sizeof(Triple));
	triples->n = 0;
	triples->keys = have_keys(apply)
						? MemoryContextAllocHuge(
							  CurrentMemoryContext,
							  (Size) Max(1, payload->edges.n) * sizeof(char *))
						: NULL;
	for (int i = 0; triples->keys && i < payload->edges.n; i++)
		triples->keys[i] = "";
	kg_work_begin(&work, "finding ends of edges", payload->edges.n);
	for (int i = 0; i < payload->edges.n; i += KG_EDGE_BATCH)
	{
		int errors = apply->errors.total;
		int n = Min(KG_EDGE_BATCH, payload->edges.n - i);
		MemoryContext old = MemoryContextSwitchTo(scratch);

		CHECK_FOR_INTERRUPTS();
		resolve_batch(apply, i, n, known, triples);
		kg_work_done(&work, n);
		MemoryContextSwitchTo(old);
		/*
		 * If there were errors, they are in the scratch context, which then is
		 * not reset.
		 */
		if (apply->errors.total == errors)
			MemoryContextReset(scratch);
	}
	kg_known_ends_free(known);
	sort_triples(apply, triples);
}

static void
write_edges(void *arg)
{
	KgApply *apply = arg;
	const KgPayload *payload = apply->payload;
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph edges", ALLOCSET_DEFAULT_SIZES);
	Triples triples;
	Triples gone = {NULL, 0, NULL};

	for (int i = 0; !apply->options.merge && i < apply->after->nrelations; i++)
		if (strcmp(apply->after->relations[i].bundle, payload->name) == 0)
			join_pairs(apply, &apply->after->relations[i]);
	resolve_edges(apply, scratch, &triples);
	if (apply->options.merge)
		compare_each(apply, &triples);
	else
		compare_all(apply, &triples, &gone);
	write_changed(apply, scratch, &triples);
	if (apply->errors.total == 0)
		delete_gone(apply, scratch, &gone);
	pfree(triples.list);
	if (apply->errors.total == 0)
		recheck_stored(apply);
}

void
kg_bundle_write_edges(KgApply *apply)
{
	kg_identity_as_tool(write_edges, apply);
}
