/*
 * bundle_edges.c
 *	  Writing a bundle's explicit edges, as the caller, in batches.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "catalog/lock.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "store/bundle.h"
#include "store/edges.h"
#include "store/put.h"
#include "store/references.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#define KG_EDGE_BATCH 10000

static const KgRelation *
find_relation(const KgApply *apply, const char *name)
{
	for (int i = 0; i < apply->after->nrelations; i++)
	{
		const KgRelation *relation = &apply->after->relations[i];

		if (strcmp(relation->bundle, apply->payload->name) == 0 &&
			strcmp(relation->name, name) == 0)
			return relation;
	}
	return NULL;
}

static const KgRelation *
require_relation(KgApply *apply, const KgPayloadEdge *edge)
{
	const KgRelation *relation = find_relation(apply, edge->relation);
	const char **names;
	int n = 0;
	KgError *err;

	if (relation && !relation->derived)
		return relation;
	names = palloc((apply->after->nrelations + 1) * sizeof(char *));
	for (int i = 0; i < apply->after->nrelations; i++)
		if (!apply->after->relations[i].derived &&
			strcmp(apply->after->relations[i].bundle, apply->payload->name) ==
				0)
			names[n++] = apply->after->relations[i].name;
	err = relation
			  ? kg_error_new(KG_INVALID_INPUT,
							 "edges of relation \"%s\" are derived from an "
							 "\"x-ref\"",
							 edge->relation)
			  : kg_error_new(KG_UNKNOWN_TYPE,
							 "relation \"%s\" does not exist",
							 edge->relation);
	kg_error_path(err, "/edges/%d/relation", edge->index);
	kg_error_got_string(err, edge->relation);
	kg_error_expected(err, "a relation declared in \"relations\"");
	for (int i = 0; i < n; i++)
		kg_error_allow(err, names[i]);
	kg_error_did_you_mean(err, kg_nearest(edge->relation, names, n));
	kg_error_report(&apply->errors, err);
	return NULL;
}

static void
report_end(KgApply *apply, const KgPayloadEdge *edge, const char *which,
		   const char *text)
{
	KgError *err = kg_error_new(KG_REFERENCE_MISSING,
								"edge of relation \"%s\" names an entity "
								"that does not exist",
								edge->relation);

	kg_error_path(err, "/edges/%d/%s", edge->index, which);
	kg_error_got_string(err, text);
	kg_error_expected(err, "the handle of an existing entity, type:id");
	kg_error_report(&apply->errors, err);
}

/* An edge of the payload, its ends found. */
typedef struct Triple
{
	int64 source;
	int64 target;
	int32 relation_no;
	int item; /* in the payload's edges */
} Triple;

typedef struct Triples
{
	Triple *list;
	int n;
} Triples;

static int
compare_triples(const void *a, const void *b)
{
	const Triple *x = a;
	const Triple *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->relation_no != y->relation_no)
		return x->relation_no < y->relation_no ? -1 : 1;
	if (x->target != y->target)
		return x->target < y->target ? -1 : 1;
	return x->item < y->item ? -1 : 1;
}

static int
compare_items(const void *a, const void *b)
{
	const Triple *x = a;
	const Triple *y = b;

	return x->item < y->item ? -1 : 1;
}

static bool
is_repeated(const Triple *triple, const Triple *before)
{
	return triple->source == before->source &&
		   triple->relation_no == before->relation_no &&
		   triple->target == before->target;
}

static void
report_twice(KgApply *apply, const KgPayloadEdge *edge)
{
	KgError *err = kg_error_new(KG_ALREADY_EXISTS,
								"edge is in the bundle twice");

	kg_error_path(err, "/edges/%d", edge->index);
	kg_error_got_string(
		err, psprintf("%s %s %s", edge->from, edge->relation, edge->to));
	kg_error_expected(err, "each triple of relation, from and to once");
	kg_error_report(&apply->errors, err);
}

/* Find the ends of a batch of the payload; faults are reported. */
static void
resolve_batch(KgApply *apply, int first, int n, KgKnownEnds *known,
			  Triples *triples)
{
	const KgPayloadEdge *payload = &apply->payload->edges.list[first];
	const KgRelation **relations = palloc(n * sizeof(KgRelation *));
	KgEdgeEnd *ends = palloc0(2 * n * sizeof(KgEdgeEnd));

	for (int i = 0; i < n; i++)
	{
		relations[i] = require_relation(apply, &payload[i]);
		if (relations[i] == NULL)
			continue;
		kg_edge_end_read(
			apply->after, relations[i], payload[i].from, true, &ends[2 * i]);
		kg_edge_end_read(
			apply->after, relations[i], payload[i].to, false, &ends[2 * i + 1]);
	}
	kg_edge_ends_find(apply->tenant, ends, 2 * n, known);
	kg_edges_turn(apply->tenant, relations, ends, n);
	for (int i = 0; i < n; i++)
	{
		Triple *triple = &triples->list[triples->n];

		if (relations[i] == NULL)
			continue;
		if (ends[2 * i].node == 0)
			report_end(apply, &payload[i], "from", payload[i].from);
		if (ends[2 * i + 1].node == 0)
			report_end(apply, &payload[i], "to", payload[i].to);
		if (ends[2 * i].node == 0 || ends[2 * i + 1].node == 0)
			continue;
		triple->source = ends[2 * i].node;
		triple->target = ends[2 * i + 1].node;
		triple->relation_no = relations[i]->relation_no;
		triple->item = first + i;
		triples->n++;
	}
}

/* Sort by the primary key of edges; one that is there twice is reported. */
static void
sort_triples(KgApply *apply, Triples *triples)
{
	int n = 0;
	int nrepeated = 0;
	Triple *repeated;

	qsort(triples->list, triples->n, sizeof(Triple), compare_triples);
	for (int i = 1; i < triples->n; i++)
		nrepeated += is_repeated(&triples->list[i], &triples->list[i - 1]);
	if (nrepeated == 0)
		return;
	repeated = MemoryContextAllocHuge(CurrentMemoryContext,
									  nrepeated * sizeof(Triple));
	nrepeated = 0;
	for (int i = 0; i < triples->n; i++)
	{
		if (n > 0 && is_repeated(&triples->list[i], &triples->list[n - 1]))
			repeated[nrepeated++] = triples->list[i];
		else
			triples->list[n++] = triples->list[i];
	}
	triples->n = n;
	qsort(repeated, nrepeated, sizeof(Triple), compare_items);
	for (int i = 0; i < nrepeated; i++)
		report_twice(apply, &apply->payload->edges.list[repeated[i].item]);
	pfree(repeated);
}

/*
 * Does the relation ask other things of its edges than before?  What is stored
 * is then checked like what is new.
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

/* The relations that ask anew, by their place in the catalog. */
static bool *
asking_anew(const KgApply *apply)
{
	bool *anew = palloc0(Max(1, apply->after->nrelations) * sizeof(bool));

	for (int i = 0; i < apply->after->nrelations; i++)
		anew[i] = asks_anew(apply, &apply->after->relations[i]);
	return anew;
}

/*
 * What is not as stored, checked before it is written: the trigger would raise
 * at the first batch, and not know the places.
 */
static void
check_batch(KgApply *apply, const KgColumns *edges,
			const KgRelation *const *relations, const bool *anew,
			const int *verdicts, const int *numbers)
{
	int *chosen_numbers = palloc(Max(1, edges->nrows) * sizeof(int));
	KgEdgeReport to = {"/edges", chosen_numbers, false, &apply->errors};
	KgColumns chosen;
	KgUserContext user;

	kg_edges_init(&chosen, CurrentMemoryContext);
	for (int i = 0; i < edges->nrows; i++)
	{
		if (verdicts[i] == 2 && !anew[relations[i] - apply->after->relations])
			continue;
		chosen_numbers[chosen.nrows] = numbers[i];
		kg_edges_add(&chosen, edges, i);
	}
	kg_become_owner(&user);
	kg_edges_check(apply->after, &user, &chosen, &to);
	kg_restore_user(&user);
}

static void
report_kept(KgApply *apply, int number)
{
	KgError *err = kg_kept_error("edge", "written");

	kg_error_path(err, "/edges/%d", number);
	kg_error_report(&apply->errors, err);
}

static void
write_batch(KgApply *apply, const Triple *sorted, int n, const bool *anew)
{
	KgColumns edges;
	Triple *triples = palloc(n * sizeof(Triple));
	const KgRelation **relations = palloc(n * sizeof(KgRelation *));
	int *numbers = palloc(n * sizeof(int));
	int *verdicts = palloc0(n * sizeof(int));
	const bool *kept;

	/* As the payload has them, so that faults are told in that order. */
	memcpy(triples, sorted, n * sizeof(Triple));
	qsort(triples, n, sizeof(Triple), compare_items);
	kg_edges_init(&edges, CurrentMemoryContext);
	for (int i = 0; i < n; i++)
	{
		const KgPayloadEdge *item =
			&apply->payload->edges.list[triples[i].item];
		Jsonb *properties = kg_payload_properties(&apply->payload->edges, item);

		numbers[i] = item->index;
		relations[i] = kg_catalog_relation_no(apply->after,
											  triples[i].relation_no);
		kg_columns_add_row(&edges);
		kg_columns_int64(&edges, KG_EDGE_SOURCE, triples[i].source);
		kg_columns_int32(&edges, KG_EDGE_RELATION, triples[i].relation_no);
		kg_columns_int64(&edges, KG_EDGE_TARGET, triples[i].target);
		if (properties)
			kg_columns_datum(
				&edges, KG_EDGE_PROPERTIES, JsonbPGetDatum(properties));
	}
	if (apply->options.merge)
		kg_edges_compare(apply->tenant, &edges, verdicts);
	else
		kg_edges_compare_all(apply->tenant, &edges, verdicts);
	check_batch(apply, &edges, relations, anew, verdicts, numbers);
	if (apply->errors.total > 0)
		return;
	kept = kg_edges_write(apply->tenant, &edges, verdicts);
	for (int i = 0; kept && i < edges.nrows; i++)
		if (kept[i])
			report_kept(apply, numbers[i]);
	for (int i = 0; i < edges.nrows; i++)
	{
		KgCounts *counts = kg_apply_counts(
			apply, &apply->edge_counts, relations[i]->name);

		if (verdicts[i] == 2)
		{
			counts->unchanged++;
			continue;
		}
		if (verdicts[i] == 0)
			counts->created++;
		else
			counts->updated++;
		apply->changed = true;
	}
}

/*
 * Stored edges of the bundle's relations that the payload does not hold, of
 * those between entities that the caller sees.
 */
static void
delete_missing(KgApply *apply, const KgRelation *relation, const Triples *kept)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid argtypes[] = {
		TEXTOID, INT4OID, INT8ARRAYOID, INT8ARRAYOID, BOOLOID};
	KgNodeList sources = {CurrentMemoryContext};
	KgNodeList targets = {CurrentMemoryContext};
	Datum values[5] = {CStringGetTextDatum(apply->tenant),
					   Int32GetDatum(relation->relation_no)};

	for (int i = 0; i < kept->n; i++)
	{
		if (kept->list[i].relation_no != relation->relation_no)
			continue;
		kg_node_add(&sources, kept->list[i].source);
		kg_node_add(&targets, kept->list[i].target);
	}
	values[2] = kg_int64_array(sources.nodes, sources.n);
	values[3] = kg_int64_array(targets.nodes, targets.n);
	values[4] = BoolGetDatum(apply->sees_all);
	kg_spi_run(&saved,
			   "DELETE FROM @kg_edge e USING ("
			   "SELECT source, target FROM @kg_edge WHERE tenant = $1 "
			   "AND relation_no = $2 AND property IS NULL "
			   "EXCEPT SELECT u.* FROM unnest($3, $4) u) gone "
			   "WHERE e.tenant = $1 AND e.source = gone.source "
			   "AND e.relation_no = $2 AND e.target = gone.target "
			   "AND e.property IS NULL AND ($5 OR ("
			   "EXISTS (SELECT FROM @kg_entity v WHERE v.tenant = $1 "
			   "AND v.node = gone.source) AND "
			   "EXISTS (SELECT FROM @kg_entity v WHERE v.tenant = $1 "
			   "AND v.node = gone.target)))",
			   5,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_DELETE);
	if (SPI_processed == 0)
		return;
	kg_apply_counts(apply, &apply->edge_counts, relation->name)->deleted +=
		SPI_processed;
	apply->changed = true;
}

/* Edges of a relation in the payload; once they are written, all are stored. */
static int64
payload_edges(const KgApply *apply, const KgRelation *relation)
{
	ListCell *lc;

	foreach(lc, apply->edge_counts)
	{
		const KgCounts *counts = lfirst(lc);

		if (strcmp(counts->name, relation->name) == 0)
			return counts->created + counts->updated + counts->unchanged;
	}
	return 0;
}

static void
delete_all_missing(KgApply *apply, const Triples *kept)
{
	List *stored = kg_edges_count(apply->tenant, false);
	ListCell *lc;

	foreach(lc, stored)
	{
		const KgRowCount *count = lfirst(lc);
		const KgRelation *relation = kg_catalog_relation_no(apply->after,
															count->number);

		if (relation && !relation->derived &&
			strcmp(relation->bundle, apply->payload->name) == 0 &&
			count->n != payload_edges(apply, relation))
			delete_missing(apply, relation, kept);
	}
}

/*
 * Of a relation that becomes symmetric, pairs of edges that are stored both ways
 * become one: the payload has one of them or none.
 */
static void
join_pairs(KgApply *apply, const KgRelation *relation)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid argtypes[] = {TEXTOID, INT4OID};
	const KgRelation *before = kg_catalog_relation_no(apply->before,
													  relation->relation_no);
	Datum values[] = {CStringGetTextDatum(apply->tenant),
					  Int32GetDatum(relation->relation_no)};

	if (!relation->symmetric || before == NULL || before->symmetric)
		return;
	kg_spi_run(&saved,
			   "DELETE FROM @kg_edge e WHERE e.tenant = $1 "
			   "AND e.relation_no = $2 AND e.source > e.target "
			   "AND EXISTS (SELECT FROM @kg_edge r WHERE r.tenant = $1 "
			   "AND r.source = e.target AND r.relation_no = $2 "
			   "AND r.target = e.source)",
			   2,
			   argtypes,
			   values,
			   NULL,
			   false,
			   SPI_OK_DELETE);
	if (SPI_processed > 0)
		kg_apply_counts(apply, &apply->edge_counts, relation->name)->deleted +=
			SPI_processed;
}

/* What declares the relation in the payload. */
static const char *
path_of(const KgPayload *payload, const KgRelation *relation)
{
	for (int i = 0; i < payload->nrelations; i++)
		if (strcmp(payload->relations[i].name, relation->name) == 0)
			return payload->relations[i].path;
	return "/definitions";
}

/* Of the first fault found: without the edge's values, which may be hidden. */
static KgError *
stored_error(const KgApply *apply, const KgRelation *relation,
			 const KgError *first)
{
	KgError *err = kg_error_new(kg_error_code(first),
								"stored edges of relation \"%s\" would not "
								"be valid: %s",
								relation->name,
								kg_error_message(first));

	kg_error_path(err, "%s", path_of(apply->payload, relation));
	kg_error_got_string(err, relation->name);
	kg_error_expected(err, "what the stored edges satisfy, or other edges");
	return err;
}

static void
recheck_relation(KgApply *apply, const KgRelation *relation)
{
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph recheck", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = CurrentMemoryContext;
	KgErrorList errors = {NIL, 1};
	KgEdgeReport to = {"", NULL, false, &errors};
	int64 last[2] = {0, 0};
	KgError *err = NULL;

	(void) kg_lock_relation_exclusive(relation->relation_no);
	while (err == NULL)
	{
		KgColumns edges;

		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(scratch);
		MemoryContextSwitchTo(scratch);
		kg_edges_init(&edges, scratch);
		kg_edges_read(
			apply->tenant, relation->relation_no, last, KG_EDGE_BATCH, &edges);
		if (edges.nrows == 0)
			break;
		last[0] = DatumGetInt64(edges.values[KG_EDGE_SOURCE][edges.nrows - 1]);
		last[1] = DatumGetInt64(edges.values[KG_EDGE_TARGET][edges.nrows - 1]);
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

/* What a changed relation keeps must be what it could be given. */
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
			recheck_relation(apply, relation);
	}
	kg_restore_user(&user);
}

/* Find the ends of all edges of the payload, a batch at a time. */
static void
resolve_edges(KgApply *apply, MemoryContext scratch, Triples *triples)
{
	const KgPayload *payload = apply->payload;
	KgKnownEnds known;

	triples->list = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) Max(1, payload->edges.n) * sizeof(Triple));
	triples->n = 0;
	kg_known_ends_begin(&known);
	for (int i = 0; i < payload->edges.n; i += KG_EDGE_BATCH)
	{
		int errors = apply->errors.total;
		MemoryContext old = MemoryContextSwitchTo(scratch);

		CHECK_FOR_INTERRUPTS();
		resolve_batch(apply,
					  i,
					  Min(KG_EDGE_BATCH, payload->edges.n - i),
					  &known,
					  triples);
		MemoryContextSwitchTo(old);
		/* Errors stay where they were made. */
		if (apply->errors.total == errors)
			MemoryContextReset(scratch);
	}
	kg_known_ends_end(&known);
	sort_triples(apply, triples);
}

static void
write_edges(void *arg)
{
	KgApply *apply = arg;
	const KgPayload *payload = apply->payload;
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph edges", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	const bool *anew = asking_anew(apply);
	Triples triples;

	for (int i = 0; !apply->options.merge && i < apply->after->nrelations; i++)
		if (strcmp(apply->after->relations[i].bundle, payload->name) == 0)
			join_pairs(apply, &apply->after->relations[i]);
	resolve_edges(apply, scratch, &triples);
	for (int i = 0; i < triples.n; i += KG_EDGE_BATCH)
	{
		CHECK_FOR_INTERRUPTS();
		old = MemoryContextSwitchTo(scratch);
		write_batch(
			apply, triples.list + i, Min(KG_EDGE_BATCH, triples.n - i), anew);
		MemoryContextSwitchTo(old);
		if (apply->errors.total == 0)
			MemoryContextReset(scratch);
	}
	if (!apply->options.merge && apply->errors.total == 0)
		delete_all_missing(apply, &triples);
	pfree(triples.list);
	if (apply->errors.total == 0)
		recheck_stored(apply);
}

void
kg_bundle_write_edges(KgApply *apply)
{
	kg_identity_as_tool(write_edges, apply);
}
