/*
 * bundle/gone.c
 *	  Counts the rows that are deleted along with the entities that an apply
 *	  deletes. These are explicit edges and, by x-on-delete, entities of this
 *	  bundle and other bundles.
 *
 * A count is the difference between the numbers of rows before and after the
 * deletion, each in one snapshot of this transaction. So writes of other
 * sessions are not counted.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/spi.h"
#include "store/bundle/bundle.h"
#include "store/edge/edges.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

typedef struct KgTally
{
	Snapshot snapshot;
	List *entities; /* number of entities per type: List of KgRowCount * */
	List *edges;	/* number of edges per relation: List of KgRowCount * */
} KgTally;

static List *
count_entities(const char *tenant)
{
	/* The subquery reads only the primary key. */
	KG_BATCH_READ("SELECT t.type_no::bigint, e.n FROM (SELECT bundle, "
				  "entity_type, count(*) AS n FROM @kg_entity "
				  "WHERE tenant = $1 GROUP BY bundle, entity_type) e "
				  "JOIN @kg_entity_type t ON t.tenant = $1 "
				  "AND t.bundle = e.bundle AND t.entity_type = e.entity_type",
				  kg_arg_text(tenant));
	return kg_row_counts();
}

/*
 * Returns whether an entity can be deleted along with an entity of another
 * bundle.
 */
static bool
cascades_across(const KgCatalog *catalog)
{
	for (int i = 0; i < catalog->ntypes; i++)
	{
		const KgType *type = kg_type_of(&catalog->types[i]);

		for (int j = 0; j < type->nfields; j++)
			if (type->fields[j].ref_type &&
				type->fields[j].on_delete == KG_ON_DELETE_CASCADE &&
				strcmp(type->fields[j].ref_bundle, type->bundle) != 0)
				return true;
	}
	return false;
}

static bool
has_declared(const KgCatalog *catalog)
{
	for (int i = 0; i < catalog->nrelations; i++)
		if (!catalog->relations[i].derived)
			return true;
	return false;
}

/*
 * Counts rows with the active snapshot. Omits rows that the deletion cannot
 * affect.
 */
static void
count_rows(const KgApply *apply, List **entities, List **edges)
{
	*entities = cascades_across(apply->before) ? count_entities(apply->tenant)
											   : NIL;
	*edges = has_declared(apply->before) ? kg_edges_count(apply->tenant, true)
										 : NIL;
}

void
kg_bundle_tally_begin(KgApply *apply)
{
	MemoryContext old;
	KgTally *tally;

	if (apply->tally)
		return;
	old = MemoryContextSwitchTo(apply->context);
	tally = palloc(sizeof(KgTally));
	CommandCounterIncrement();
	tally->snapshot = RegisterSnapshot(GetTransactionSnapshot());
	PushActiveSnapshot(tally->snapshot);
	count_rows(apply, &tally->entities, &tally->edges);
	PopActiveSnapshot();
	apply->tally = tally;
	MemoryContextSwitchTo(old);
}

static int64
count_of(List *counts, int32 number)
{
	ListCell *lc;

	foreach(lc, counts)
	{
		const KgRowCount *count = lfirst(lc);

		if (count->number == number)
			return count->n;
	}
	return 0;
}

/*
 * Returns the name of a type or relation for the counts: "name", or
 * "bundle/name" if it belongs to another bundle.
 */
static const char *
count_name(const KgApply *apply, const char *bundle, const char *name)
{
	if (strcmp(bundle, apply->payload->name) == 0)
		return name;
	return psprintf("%s/%s", bundle, name);
}

/*
 * Adds the number of deleted entities of other bundles. The apply itself
 * counts the deleted entities of its own bundle, and kg_bundle_check_kept()
 * rejects further deletions in this bundle.
 */
static void
count_gone_entities(KgApply *apply, List *left)
{
	for (int i = 0; i < apply->before->ntypes; i++)
	{
		const KgType *type = kg_type_of(&apply->before->types[i]);
		int64 gone = count_of(apply->tally->entities, type->type_no) -
					 count_of(left, type->type_no);

		if (gone > 0 && strcmp(type->bundle, apply->payload->name) != 0)
			kg_apply_counts(apply,
							&apply->entity_counts,
							count_name(apply, type->bundle, type->name))
				->deleted += gone;
	}
}

static void
count_gone_edges(KgApply *apply, List *left)
{
	ListCell *lc;

	foreach(lc, apply->tally->edges)
	{
		const KgRowCount *count = lfirst(lc);
		const KgRelation *relation = kg_catalog_relation_no(apply->before,
															count->number);
		int64 gone = count->n - count_of(left, count->number);

		if (gone > 0 && relation)
			kg_apply_counts(apply,
							&apply->edge_counts,
							count_name(apply, relation->bundle, relation->name))
				->deleted += gone;
	}
}

void
kg_bundle_tally_end(KgApply *apply)
{
	List *entities;
	List *edges;

	if (apply->tally == NULL)
		return;
	CommandCounterIncrement();
	PushCopiedSnapshot(apply->tally->snapshot);
	UpdateActiveSnapshotCommandId();
	count_rows(apply, &entities, &edges);
	PopActiveSnapshot();
	UnregisterSnapshot(apply->tally->snapshot);
	count_gone_entities(apply, entities);
	count_gone_edges(apply, edges);
}
