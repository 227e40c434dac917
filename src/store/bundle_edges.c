/*
 * bundle_edges.c
 *	  Writing a bundle's explicit edges, as the caller, in batches.
 */
#include "postgres.h"

#include "base/identity.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "store/bundle.h"
#include "store/edges.h"
#include "store/references.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
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

typedef struct Triple
{
	int64 source;
	int64 target;
	int64 relation_no;
} Triple;

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

/* Turn a batch of the payload into rows; faults are reported. */
static void
collect_batch(KgApply *apply, const KgPayloadEdge *payload, int n, HTAB *seen,
			  KgColumns *edges, const KgRelation **relations, int *numbers)
{
	KgEdgeEnd *ends = palloc(2 * n * sizeof(KgEdgeEnd));

	for (int i = 0; i < n; i++)
	{
		relations[i] = require_relation(apply, &payload[i]);
		memset(&ends[2 * i], 0, 2 * sizeof(KgEdgeEnd));
		if (relations[i] == NULL)
			continue;
		kg_edge_end_read(
			apply->after, relations[i], payload[i].from, true, &ends[2 * i]);
		kg_edge_end_read(
			apply->after, relations[i], payload[i].to, false, &ends[2 * i + 1]);
	}
	kg_edge_ends_find(apply->tenant, ends, 2 * n);
	kg_edges_turn(apply->tenant, relations, ends, n);
	for (int i = 0; i < n; i++)
	{
		Triple triple;
		bool found;

		if (relations[i] == NULL)
			continue;
		if (ends[2 * i].node == 0)
			report_end(apply, &payload[i], "from", payload[i].from);
		if (ends[2 * i + 1].node == 0)
			report_end(apply, &payload[i], "to", payload[i].to);
		if (ends[2 * i].node == 0 || ends[2 * i + 1].node == 0)
			continue;
		triple.source = ends[2 * i].node;
		triple.target = ends[2 * i + 1].node;
		triple.relation_no = relations[i]->relation_no;
		hash_search(seen, &triple, HASH_ENTER, &found);
		if (found)
		{
			report_twice(apply, &payload[i]);
			continue;
		}
		relations[edges->nrows] = relations[i];
		numbers[edges->nrows] = payload[i].index;
		kg_columns_add_row(edges);
		kg_columns_int64(edges, KG_EDGE_SOURCE, triple.source);
		kg_columns_int32(edges, KG_EDGE_RELATION, triple.relation_no);
		kg_columns_int64(edges, KG_EDGE_TARGET, triple.target);
		if (payload[i].properties)
			kg_columns_datum(edges,
							 KG_EDGE_PROPERTIES,
							 JsonbPGetDatum(payload[i].properties));
	}
}

static void
write_batch(KgApply *apply, const KgPayloadEdge *payload, int n, HTAB *seen)
{
	KgColumns edges;
	const KgRelation **relations = palloc(n * sizeof(KgRelation *));
	int *numbers = palloc(n * sizeof(int));
	KgEdgeReport to = {"/edges", numbers, false, &apply->errors};
	KgUserContext user;
	int *verdicts;

	kg_edges_init(&edges, CurrentMemoryContext);
	collect_batch(apply, payload, n, seen, &edges, relations, numbers);

	/* The trigger would raise at the first batch, and not know the places. */
	kg_become_owner(&user);
	kg_edges_check(apply->after, &edges, &to);
	kg_restore_user(&user);
	if (edges.nrows == 0 || apply->errors.total > 0)
		return;
	verdicts = palloc0(edges.nrows * sizeof(int));
	kg_edges_compare(apply->tenant, &edges, verdicts);
	kg_edges_write(apply->tenant, &edges, verdicts);
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

/* Stored edges of the bundle's relations that the payload does not hold. */
static void
delete_missing(KgApply *apply, const KgRelation *relation, HTAB *seen)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid argtypes[] = {
		TEXTOID, INT4OID, INT8ARRAYOID, INT8ARRAYOID};
	KgNodeList sources = {CurrentMemoryContext};
	KgNodeList targets = {CurrentMemoryContext};
	Datum values[4] = {CStringGetTextDatum(apply->tenant),
					   Int32GetDatum(relation->relation_no)};
	HASH_SEQ_STATUS status;
	Triple *triple;

	hash_seq_init(&status, seen);
	while ((triple = hash_seq_search(&status)) != NULL)
	{
		if (triple->relation_no != relation->relation_no)
			continue;
		kg_node_add(&sources, triple->source);
		kg_node_add(&targets, triple->target);
	}
	values[2] = kg_int64_array(sources.nodes, sources.n);
	values[3] = kg_int64_array(targets.nodes, targets.n);
	kg_spi_run(&saved,
			   "DELETE FROM @kg_edge e USING ("
			   "SELECT source, target FROM @kg_edge WHERE tenant = $1 "
			   "AND relation_no = $2 AND property IS NULL "
			   "EXCEPT SELECT u.* FROM unnest($3, $4) u) gone "
			   "WHERE e.tenant = $1 AND e.source = gone.source "
			   "AND e.relation_no = $2 AND e.target = gone.target "
			   "AND e.property IS NULL",
			   4,
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

void
kg_bundle_write_edges(KgApply *apply)
{
	const KgPayload *payload = apply->payload;
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph edges", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	HASHCTL ctl;
	HTAB *seen;

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(Triple);
	ctl.entrysize = sizeof(Triple);
	ctl.hcxt = CurrentMemoryContext;
	seen = hash_create("kg_graph payload edges",
					   Max(16, payload->nedges),
					   &ctl,
					   HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	for (int i = 0; i < payload->nedges; i += KG_EDGE_BATCH)
	{
		CHECK_FOR_INTERRUPTS();
		old = MemoryContextSwitchTo(scratch);
		write_batch(apply,
					payload->edges + i,
					Min(KG_EDGE_BATCH, payload->nedges - i),
					seen);
		MemoryContextSwitchTo(old);
		if (apply->errors.total == 0)
			MemoryContextReset(scratch);
	}
	for (int i = 0; !apply->options.merge && i < apply->before->nrelations; i++)
	{
		const KgRelation *relation = &apply->before->relations[i];

		if (!relation->derived &&
			strcmp(relation->bundle, payload->name) == 0 &&
			find_relation(apply, relation->name))
			delete_missing(apply, relation, seen);
	}
	hash_destroy(seen);
}
