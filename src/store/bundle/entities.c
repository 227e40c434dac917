/*
 * bundle/entities.c
 *	  Writes a bundle's entities. New entities are inserted, changed entities
 *	  updated, missing entities deleted, and equal entities not touched.
 *
 * The statements run as the caller, under row security, in batches. Triggers
 * of kg_entity validate the rows and derive others. References are checked
 * when the apply closes its scope.
 */
#include "postgres.h"

#include "base/extension.h"
#include "base/progress.h"
#include "base/spi.h"
#include "model/counted.h"
#include "model/writing.h"
#include "miscadmin.h"
#include "store/bundle/bundle.h"
#include "store/check/check.h"
#include "store/derived/columns.h"
#include "store/derived/counted.h"
#include "store/derived/derive.h"
#include "store/entity/documents.h"
#include "store/entity/entities.h"
#include "store/entity/entity_ids.h"
#include "store/derived/extract.h"
#include "store/bundle/payload_ids.h"
#include "store/entity/put.h"
#include "store/reference/references.h"
#include "store/reference/seen.h"
#include "store/reference/stored.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/*
 * Maximum number of entities per INSERT, and of their bytes. In a larger batch,
 * more keys belong to the same page of an index.
 */
#define KG_WRITE_BATCH 100000
#define KG_WRITE_BATCH_BYTES (32 * 1024 * 1024)
/* Number of entities per UPDATE or DELETE. */
#define KG_ROW_BATCH 5000
/* Number of stored rows that are read at a time for the comparison. */
#define KG_COMPARE_BATCH 1000

/*
 * Returns whether the item and the stored document are equal. Most equal
 * documents have equal bytes, which are compared first. An item has the same
 * bytes as the datum that kg_payload_data() would return.
 */
static bool
same_data(const KgPayloadItem *item, Jsonb *stored)
{
	if (VARSIZE(stored) - VARHDRSZ == item->len &&
		memcmp(&stored->root, item->container, item->len) == 0)
		return true;
	return compareJsonbContainers(&stored->root, item->container) == 0;
}

static bool
same_references(const KgType *type, const KgPayloadItem *item,
				const Jsonb *stored)
{
	KgExtract a = {0};
	KgExtract b = {0};

	kg_extract_references(type, kg_payload_data(item), &a);
	kg_extract_references(type, stored, &b);
	return kg_extract_same_references(&a, &b);
}

/*
 * Compares stored rows with the payload. Adds rows that the payload lacks to
 * "gone". If gone is NULL, all rows were already written, and only references
 * are compared.
 */
static void
compare_rows(const KgType *type, const KgItemTable *items, KgNodeList *gone,
			 MemoryContext scratch)
{
	SPITupleTable *rows = SPI_tuptable;
	MemoryContext old = MemoryContextSwitchTo(scratch);

	for (uint64 i = 0; i < rows->numvals; i++)
	{
		bool isnull;
		char *id = TextDatumGetCString(
			SPI_getbinval(rows->vals[i], rows->tupdesc, 1, &isnull));
		int64 node = DatumGetInt64(
			SPI_getbinval(rows->vals[i], rows->tupdesc, 2, &isnull));
		KgPayloadItem *item = items ? kg_item_find(items, id) : NULL;

		CHECK_FOR_INTERRUPTS();
		if (gone == NULL)
		{
			if (item)
				item->kept = same_references(
					type,
					item,
					DatumGetJsonbP(SPI_getbinval(
						rows->vals[i], rows->tupdesc, 3, &isnull)));
			continue;
		}
		if (item == NULL)
		{
			kg_node_add(gone, node);
			continue;
		}
		item->node = node;
		item->same = same_data(item,
							   DatumGetJsonbP(SPI_getbinval(
								   rows->vals[i], rows->tupdesc, 3, &isnull)));
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(scratch);
}

/*
 * Compares a type's stored entities with the payload. Reads the rows in one
 * pass, with whichever plan the planner chooses, and looks up each row among
 * the items.
 */
static void
compare_type(KgApply *apply, const KgType *type, KgNodeList *gone)
{
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph compare", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = CurrentMemoryContext;
	const KgItemTable *items = kg_payload_ids(apply->payload, type->name);
	KgWork work = {NULL};
	Portal portal = kg_spi_cursor("SELECT entity_id, node, data "
								  "FROM @kg_entity WHERE tenant = $1 "
								  "AND bundle = $2 AND entity_type = $3",
								  false,
								  kg_arg_text(apply->tenant),
								  kg_arg_text(type->bundle),
								  kg_arg_text(type->name));

	if (apply->sees_all)
		kg_work_begin(&work, "comparing entities", -1);
	for (;;)
	{
		SPI_cursor_fetch(portal, true, KG_COMPARE_BATCH);
		if (SPI_processed == 0)
			break;
		MemoryContextSwitchTo(old);
		compare_rows(type, items, gone, scratch);
		kg_work_done(&work, SPI_processed);
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
}

/*
 * Reports entities that are still stored because a trigger prevented their
 * deletion.
 */
static void
report_undeleted(KgApply *apply, const KgType *type, const int64 *nodes, int n)
{
	MemoryContext old = CurrentMemoryContext;
	KgUserContext user;

	kg_become_owner(&user);
	KG_BATCH_EXEC("SELECT entity_id FROM @kg_entity WHERE tenant = $1 "
				  "AND node = ANY($2) ORDER BY 1",
				  kg_arg_text(apply->tenant),
				  kg_arg_int8s(nodes, n));
	MemoryContextSwitchTo(apply->context);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgError *err = kg_kept_error("entity", "deleted");

		kg_error_entity(err, type->name, kg_spi_cstring(i, 1));
		kg_error_path(err, "/entities");
		kg_error_report(&apply->errors, err);
	}
	MemoryContextSwitchTo(old);
	SPI_freetuptable(SPI_tuptable);
	kg_restore_user(&user);
}

/*
 * Deletes a batch of entities. Sets ids to the sorted ids of the entities that
 * are deleted now, and returns their number. Other sessions may have deleted
 * some entities before, and triggers may have restored some. Reports entities
 * whose deletion was prevented.
 */
static int
delete_batch(KgApply *apply, const KgType *type, const int64 *nodes, int nnodes,
			 const char **ids)
{
	uint64 nested = kg_writing_nested();
	int64 *left;
	KgUserContext user;
	int n = 0;

	kg_entities_delete_nodes(apply->tenant, nodes, nnodes);
	for (uint64 i = 0; i < SPI_processed; i++)
		ids[n++] = kg_spi_cstring(i, 2);
	SPI_freetuptable(SPI_tuptable);
	if (n < nnodes)
		report_undeleted(apply, type, nodes, nnodes);
	qsort(ids, n, sizeof(char *), pg_qsort_strcmp);
	if (kg_writing_nested() != nested)
	{
		int deleted = n;

		left = palloc(Max(1, n) * sizeof(int64));
		kg_become_owner(&user);
		kg_nodes_of_ids(apply->tenant, type, ids, n, left);
		kg_restore_user(&user);
		n = 0;
		for (int i = 0; i < deleted; i++)
			if (left[i] == 0)
				ids[n++] = ids[i];
	}
	return n;
}

static void
delete_gone(KgApply *apply, const KgType *type, const KgNodeList *gone)
{
	const char **ids = palloc(KG_ROW_BATCH * sizeof(char *));
	MemoryContext scratch;
	KgCounts *counts;
	KgWork work;

	if (gone->n == 0)
		return;
	kg_work_begin(&work, "deleting entities", gone->n);
	scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph gone", ALLOCSET_DEFAULT_SIZES);
	kg_bundle_tally_begin(apply);
	counts = kg_apply_counts(apply, &apply->entity_counts, type->name);
	for (int i = 0; i < gone->n; i += KG_ROW_BATCH)
	{
		MemoryContext old = MemoryContextSwitchTo(scratch);
		int batch = Min(KG_ROW_BATCH, gone->n - i);
		int n;

		CHECK_FOR_INTERRUPTS();
		n = delete_batch(apply, type, gone->nodes + i, batch, ids);
		kg_work_done(&work, batch);
		counts->deleted += n;
		apply->changed |= n > 0;
		for (int j = 0; j < n; j++)
			kg_apply_sample(apply, KG_CHANGE_DELETED, type->name, ids[j]);
		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
	}
	MemoryContextDelete(scratch);
}

/*
 * Raises KG_CONFLICT, because another session has written an entity that was
 * not stored when it was compared.
 */
static KG_NORETURN void
throw_lost_race(const KgApply *apply, const KgCounts *counts)
{
	KG_THROW(KG_CONFLICT,
			 .message = psprintf("entities of type \"%s\" in bundle \"%s\" "
								 "were written while the bundle was applied",
								 counts->name,
								 apply->payload->name),
			 .type = counts->name,
			 .expected = "the same call, sent again");
}

/*
 * Finds new entities that a trigger of a DBA has written since the comparison.
 * From then on they are treated as stored entities.
 */
static void
find_ahead(const KgApply *apply, const KgType *type, KgPayloadItem **items,
		   int n)
{
	const char **ids = palloc(n * sizeof(char *));
	bool any = false;

	for (int i = 0; i < n; i++)
	{
		ids[i] = items[i]->node == 0 ? items[i]->id : NULL;
		any |= ids[i] != NULL;
	}
	if (!any)
		return;
	kg_documents_of_ids(KG_LOCK_NONE, apply->tenant, type, ids, n);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgStoredDocument stored = kg_document(i);
		KgPayloadItem *item = items[stored.place];

		item->ahead = true;
		item->node = stored.node;
		item->same = same_data(item, DatumGetJsonbP(stored.data));
	}
	SPI_freetuptable(SPI_tuptable);
}

/* Marks an entity as inserted until the batch is finished. */
#define KG_INSERTED (-1)

/*
 * Inserts entities into a table that has triggers of a DBA. These triggers may
 * have written some of the entities during this statement. So a conflicting
 * row is not taken for a write of another session.
 */
static void
insert_beside(const KgApply *apply, const KgType *type, KgPayloadItem **items,
			  int n, const KgColumns *columns)
{
	const KgItemTable *table = kg_payload_ids(apply->payload, type->name);

	if (columns->nrows == 0)
		return;
	kg_entities_insert_free(apply->tenant, type, columns);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgPayloadItem *item = kg_item_find(table, kg_spi_cstring(i, 1));

		/* A trigger may have changed the id, so that no item is found. */
		if (item)
			item->node = KG_INSERTED;
	}
	SPI_freetuptable(SPI_tuptable);
	find_ahead(apply, type, items, n);
	for (int i = 0; i < n; i++)
	{
		if (items[i]->node == 0)
			kg_error_throw(kg_kept_error("entity", "inserted"));
		if (items[i]->node == KG_INSERTED)
			items[i]->node = 0;
	}
}

/*
 * Raises an error if a hidden entity has the id of a new entity. KG_CONFLICT
 * would be wrong, because another attempt would fail, too.
 */
static void
refuse_taken(const KgApply *apply, const KgType *type,
			 KgPayloadItem *const *items, int n)
{
	const char **ids;
	int64 *nodes;
	const KgPayloadItem **news;
	KgUserContext user;
	int nnew = 0;

	if (apply->sees_all)
		return;
	ids = palloc(n * sizeof(char *));
	nodes = palloc(n * sizeof(int64));
	news = palloc(n * sizeof(KgPayloadItem *));
	for (int i = 0; i < n; i++)
	{
		if (items[i]->node != 0)
			continue;
		news[nnew] = items[i];
		ids[nnew++] = items[i]->id;
	}
	kg_become_owner(&user);
	kg_nodes_of_ids(apply->tenant, type, ids, nnew, nodes);
	kg_restore_user(&user);
	for (int i = 0; i < nnew; i++)
	{
		if (nodes[i] != 0)
		{
			KgError *err = kg_id_taken_error(type, ids[i]);

			kg_error_path(
				err, "/entities/%d/items/%d", news[i]->set, news[i]->index);
			kg_error_throw(err);
		}
	}
}

/* Writes one batch of compared items of a type. */
static void
write_batch(KgApply *apply, const KgType *type, KgCounts *counts,
			KgPayloadItem **items, int n)
{
	bool beside = kg_stored_has_own_triggers("kg_entity");
	KgColumns inserts;
	KgColumns updates;

	refuse_taken(apply, type, items, n);
	if (beside)
		find_ahead(apply, type, items, n);
	kg_entities_init(&inserts);
	for (int i = 0; i < n; i++)
	{
		KgPayloadItem *item = items[i];
		bool fresh = item->node == 0;

		if (fresh)
			kg_entities_add(&inserts, item->id, kg_payload_data(item));
		if (fresh || !item->same || item->ahead)
			kg_apply_sample(apply,
							fresh || item->ahead ? KG_CHANGE_CREATED
												 : KG_CHANGE_UPDATED,
							counts->name,
							item->id);
	}
	if (beside)
		insert_beside(apply, type, items, n, &inserts);
	else if (inserts.nrows > 0 &&
			 !kg_entities_insert(apply->tenant, type, &inserts))
		throw_lost_race(apply, counts);
	kg_changes_init(&updates);
	for (int i = 0; i < n; i++)
	{
		const KgPayloadItem *item = items[i];

		if (item->node == 0)
			continue;
		if (item->same)
		{
			counts->unchanged++;
			continue;
		}
		kg_changes_add(&updates, item->node, item->id, kg_payload_data(item));
	}
	kg_entities_update(apply->tenant, &updates, NULL);
	counts->created += inserts.nrows;
	counts->updated += updates.nrows;
	apply->changed |= inserts.nrows + updates.nrows > 0;
}

static int
compare_items(const void *a, const void *b)
{
	return strcmp((*(KgPayloadItem *const *) a)->id,
				  (*(KgPayloadItem *const *) b)->id);
}

/*
 * Returns the new items in the order of the bundle, then the stored items by
 * id. Connected entities are often close to one another in a bundle, so graph
 * searches read fewer pages. Stored items are in one order for all sessions,
 * so that sessions that update the same entities do not deadlock.
 */
static KgPayloadItem **
ordered_items(const KgPayloadSet *set)
{
	KgPayloadItem **items = MemoryContextAllocHuge(CurrentMemoryContext,
												   (Size) Max(1, set->nitems) *
													   sizeof(KgPayloadItem *));
	int nnew = 0;
	int n;

	for (int i = 0; i < set->nitems; i++)
		if (set->items[i].node == 0)
			items[nnew++] = &set->items[i];
	n = nnew;
	for (int i = 0; i < set->nitems; i++)
		if (set->items[i].node != 0)
			items[n++] = &set->items[i];
	qsort(items + nnew, n - nnew, sizeof(KgPayloadItem *), compare_items);
	return items;
}

static void
write_set(KgApply *apply, const KgPayloadSet *set, MemoryContext scratch,
		  KgWork *work)
{
	KgCounts *counts = kg_apply_counts(
		apply, &apply->entity_counts, set->type->name);
	KgPayloadItem **items = ordered_items(set);
	int start = 0;

	while (start < set->nitems)
	{
		MemoryContext old = MemoryContextSwitchTo(scratch);
		int end = start;
		Size bytes = 0;

		CHECK_FOR_INTERRUPTS();
		while (end < set->nitems && end - start < KG_WRITE_BATCH &&
			   bytes < KG_WRITE_BATCH_BYTES)
		{
			if (!items[end]->same)
				bytes += items[end]->len;
			end++;
		}
		write_batch(apply, set->type, counts, items + start, end - start);
		kg_work_done(work, end - start);
		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
		start = end;
	}
	pfree(items);
}

void
kg_bundle_write_entities(KgApply *apply)
{
	KgPayload *payload = apply->payload;
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph write", ALLOCSET_DEFAULT_SIZES);
	KgWork work;

	for (int i = 0; i < apply->before->ntypes; i++)
	{
		const KgType *type = kg_type_of(&apply->before->types[i]);
		MemoryContext old;
		KgNodeList gone = {scratch};

		if (strcmp(type->bundle, payload->name) != 0 ||
			(apply->options.merge && !kg_payload_ids(payload, type->name)))
			continue;
		old = MemoryContextSwitchTo(scratch);
		compare_type(apply, type, &gone);
		if (!apply->options.merge)
			delete_gone(apply, type, &gone);
		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
	}
	kg_work_begin(&work, "writing entities", kg_payload_nitems(payload));
	for (int i = 0; i < payload->nsets; i++)
		write_set(apply, &payload->sets[i], scratch, &work);
	MemoryContextDelete(scratch);
}

static void
report_kept(KgApply *apply, const KgType *type, const KgPayloadItem *item)
{
	KgError *err = kg_kept_error("entity",
								 item->node != 0 ? "updated" : "inserted");

	kg_error_entity(err, kg_type_handle(type), item->id);
	kg_error_path(err, "/entities/%d/items/%d", item->set, item->index);
	kg_error_got_string(err, item->id);
	kg_error_report(&apply->errors, err);
}

/*
 * Counts some items of a type as created, updated or unchanged, by comparing
 * the stored rows. Reports items that a trigger prevented from being written.
 */
static void
review_items(KgApply *apply, const KgType *type, const KgPayloadItem *items,
			 int n, KgCounts *counts)
{
	const char **ids = palloc(n * sizeof(char *));
	KgFate *fates = palloc(n * sizeof(KgFate));

	for (int i = 0; i < n; i++)
		ids[i] = items[i].id;
	kg_stored_entities(apply->tenant, type, ids, n, apply->began, fates);
	for (int i = 0; i < n; i++)
	{
		switch (fates[i])
		{
			case KG_FATE_ABSENT:
			case KG_FATE_GONE:
				report_kept(apply, type, &items[i]);
				break;
			case KG_FATE_MADE:
				counts->created++;
				break;
			case KG_FATE_CHANGED:
				counts->updated++;
				if (items[i].same)
					kg_apply_sample(
						apply, KG_CHANGE_UPDATED, counts->name, items[i].id);
				break;
			case KG_FATE_SAME:
				if (items[i].same)
					counts->unchanged++;
				else
					report_kept(apply, type, &items[i]);
				break;
		}
	}
	pfree(ids);
	pfree(fates);
}

void
kg_bundle_review_entities(KgApply *apply)
{
	const KgPayload *payload = apply->payload;

	for (int i = 0; i < payload->nsets; i++)
	{
		KgCounts *counts = kg_apply_counts(
			apply, &apply->entity_counts, payload->sets[i].type->name);

		counts->created = counts->updated = counts->unchanged = 0;
	}
	for (int i = 0; i < payload->nsets; i++)
	{
		const KgPayloadSet *set = &payload->sets[i];
		KgCounts *counts = kg_apply_counts(
			apply, &apply->entity_counts, set->type->name);

		for (int j = 0; j < set->nitems; j += KG_ROW_BATCH)
		{
			CHECK_FOR_INTERRUPTS();
			review_items(apply,
						 set->type,
						 set->items + j,
						 Min(KG_ROW_BATCH, set->nitems - j),
						 counts);
		}
	}
}

/*
 * Returns whether the deletion of an entity of another bundle may delete or
 * change entities of the type by x-on-delete.
 */
static bool
refers_elsewhere(const KgType *type)
{
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].ref_type &&
			type->fields[i].on_delete != KG_ON_DELETE_RESTRICT &&
			strcmp(type->fields[i].ref_bundle, type->bundle) != 0)
			return true;
	return false;
}

static void
report_lost(KgApply *apply, const KgType *type, const KgPayloadItem *item)
{
	KG_REPORT(
		&apply->errors,
		KG_REFERENCE_MISSING,
		.message = psprintf("an entity of type \"%s\" refers to an entity of "
							"another bundle, which is deleted together with an "
							"entity that this bundle no longer has",
							type->name),
		.type = type->name,
		.id = item->id,
		.path = psprintf("/entities/%d/items/%d", item->set, item->index),
		.keyword = "x-on-delete",
		.expected =
			"a bundle without that reference, or with the missing entity");
}

/*
 * Reports entities of the payload that x-on-delete deleted, or whose references
 * it removed, along with entities that the payload lacks. Such references lead
 * through other bundles. The payload contains the entities, so this is a fault,
 * like a reference without a target.
 */
void
kg_bundle_check_kept(KgApply *apply)
{
	KgPayload *payload = apply->payload;

	for (int i = 0; apply->tally && i < apply->after->ntypes; i++)
	{
		const KgType *type = kg_type_of(&apply->after->types[i]);

		if (strcmp(type->bundle, payload->name) != 0 || !refers_elsewhere(type))
			continue;
		compare_type(apply, type, NULL);
		for (int j = 0; j < payload->nsets; j++)
			for (int k = 0;
				 strcmp(payload->sets[j].type_name, type->name) == 0 &&
				 k < payload->sets[j].nitems;
				 k++)
				if (!payload->sets[j].items[k].kept)
					report_lost(apply, type, &payload->sets[j].items[k]);
	}
}

/* Reports a stored entity that is invalid by the new schema. */
static void
revalidate(KgApply *apply, const KgType *type, const char *id,
		   const Jsonb *data)
{
	char *new_id = kg_entity_id(type, data, "", &apply->errors);

	(void) kg_entity_check(type, id, data, "", &apply->errors);
	if (new_id && strcmp(new_id, id) != 0)
		KG_REPORT(
			&apply->errors,
			KG_VALIDATION_FAILED,
			.message = "a stored entity would get another id",
			.keyword = "x-id-field",
			.type = type->name,
			.id = id,
			.got_string = new_id,
			.expected = "an \"x-id-field\" whose values are the stored ids");
}

/*
 * Reads the next entities of a type, in the order of ids. A lock of the type
 * excludes other writers, but not deletions. So the rows are locked, too. A
 * deletion then waits for this statement, or this statement for the deletion,
 * and no rows are derived from a deleted entity. Also reads rows committed
 * after the transaction's snapshot, because they were written under the
 * previous schema. Returns the rows, which are empty after the last entity.
 */
static SPITupleTable *
next_rows(const KgApply *apply, const KgType *type, const char *after)
{
	KG_SPI_LATEST("SELECT entity_id, node, data, index_keys, scope, ctid "
				  "FROM @kg_entity WHERE tenant = $1 AND bundle = $2 "
				  "AND entity_type = $3 AND entity_id > $4 "
				  "ORDER BY entity_id LIMIT $5 FOR KEY SHARE",
				  kg_arg_text(apply->tenant),
				  kg_arg_text(type->bundle),
				  kg_arg_text(type->name),
				  kg_arg_text(after),
				  kg_arg_int4(KG_ROW_BATCH));
	return SPI_tuptable;
}

/*
 * Raises an error if the caller does not see one of the entities, or if the
 * transaction's snapshot does not show a row. The caller chose the schema, so
 * validation errors could reveal the contents of hidden entities.
 */
static void
require_seen(const KgApply *apply, const KgUserContext *caller,
			 const SPITupleTable *rows)
{
	int64 *nodes = palloc(rows->numvals * sizeof(int64));
	ItemPointerData *tids = palloc(rows->numvals * sizeof(ItemPointerData));
	bool isnull;

	for (uint64 i = 0; i < rows->numvals; i++)
	{
		nodes[i] = DatumGetInt64(
			SPI_getbinval(rows->vals[i], rows->tupdesc, 2, &isnull));
		tids[i] = *(ItemPointer) DatumGetPointer(
			SPI_getbinval(rows->vals[i], rows->tupdesc, 6, &isnull));
	}
	kg_require_shown(apply->tenant, nodes, tids, (int) rows->numvals);
	kg_require_all_seen(apply->tenant,
						caller,
						nodes,
						(int) rows->numvals,
						"validated by a changed schema");
	pfree(tids);
	pfree(nodes);
}

static void
rebuild_type(KgApply *apply, const KgUserContext *caller, const KgType *type,
			 bool only_unique)
{
	KgNodeList changed = {CurrentMemoryContext};
	KgDerivation *d = kg_derive_begin(apply->tenant, NULL);
	const KgType *before = kg_catalog_type_no(apply->before, type->type_no);
	bool search = before == NULL || !kg_extract_same_search(before, type);
	char *last = "";
	KgWork work;

	if (!only_unique && type->ncounted > 0)
		kg_counted_exclude(apply->after);
	kg_work_begin(&work, "deriving entities again", -1);
	for (;;)
	{
		SPITupleTable *rows = next_rows(apply, type, last);

		if (rows->numvals == 0)
			break;
		require_seen(apply, caller, rows);
		for (uint64 i = 0; i < rows->numvals; i++)
		{
			bool isnull;
			char *id = SPI_getvalue(rows->vals[i], rows->tupdesc, 1);
			int64 node = DatumGetInt64(
				SPI_getbinval(rows->vals[i], rows->tupdesc, 2, &isnull));
			Jsonb *data = DatumGetJsonbP(
				SPI_getbinval(rows->vals[i], rows->tupdesc, 3, &isnull));
			bytea *keys = DatumGetByteaPP(
				SPI_getbinval(rows->vals[i], rows->tupdesc, 4, &isnull));
			Datum scope = SPI_getbinval(
				rows->vals[i], rows->tupdesc, 5, &isnull);

			CHECK_FOR_INTERRUPTS();
			last = id;
			if (only_unique)
			{
				kg_derive_unique(d, type->type_no, node, data);
				continue;
			}
			revalidate(apply, type, id, data);
			kg_derive_again(d, type->type_no, id, node, data, search);
			if (!kg_extract_is_stored(
					type, data, keys, isnull ? NULL : DatumGetTextPP(scope)))
				kg_node_add(&changed, node);
		}
		kg_work_done(&work, rows->numvals);
		SPI_freetuptable(rows);
	}
	kg_derive_end(d);
	/*
	 * If an entity is invalid by the new schema, it is reported and cannot be
	 * written.
	 */
	if (apply->errors.total == 0)
		kg_entities_write_again(apply->tenant, &changed);
}

static bool
changes_type(const KgApply *apply, const KgType *type)
{
	ListCell *lc;

	if (strcmp(type->bundle, apply->payload->name) != 0)
		return false;
	foreach(lc, apply->type_changes[KG_CHANGE_UPDATED])
		if (strcmp(lfirst(lc), type->name) == 0)
			return true;
	return false;
}

/* Returns whether the field now counts edges at other ends than before. */
static bool
counts_otherwise(const KgApply *apply, const KgField *field)
{
	for (int i = 0; i < apply->after->nrelations; i++)
	{
		const KgRelation *relation = &apply->after->relations[i];
		const KgRelation *before = kg_catalog_relation_no(
			apply->before, relation->relation_no);

		if (before != NULL && before->symmetric != relation->symmetric &&
			kg_counts_by_name(field, relation))
			return true;
	}
	return false;
}

/*
 * Recounts the edges that a type counts, if the apply makes their relation
 * symmetric or no longer symmetric. Call this only for a type whose schema does
 * not change.
 */
static void
count_anew(const KgApply *apply, const KgType *type)
{
	static KgSaved saved;
	KgNodeList nodes = {CurrentMemoryContext};
	bool otherwise = false;

	for (int f = 0; f < type->nfields; f++)
		otherwise |= type->fields[f].counted &&
					 counts_otherwise(apply, &type->fields[f]);
	if (!otherwise)
		return;
	kg_counted_exclude(apply->after);
	kg_spi_exec_latest(&saved,
					   "SELECT node FROM @kg_entity WHERE tenant = $1 "
					   "AND bundle = $2 AND entity_type = $3",
					   kg_arg_text(apply->tenant),
					   kg_arg_text(type->bundle),
					   kg_arg_text(type->name));
	for (uint64 i = 0; i < SPI_processed; i++)
		kg_node_add(&nodes, kg_spi_int64(i, 1));
	SPI_freetuptable(SPI_tuptable);
	kg_counted_anew(apply->after, &nodes);
}

void
kg_bundle_begin_rebuild(KgApply *apply)
{
	for (int i = 0; i < apply->after->ntypes; i++)
		if (changes_type(apply, kg_type_of(&apply->after->types[i])))
			kg_scope_rewrites(apply->scope, apply->after->types[i].type_no);
}

void
kg_bundle_rebuild(KgApply *apply, const KgUserContext *caller)
{
	for (int i = 0; i < apply->after->ntypes; i++)
	{
		const KgType *type = kg_type_of(&apply->after->types[i]);
		bool gains = kg_bundle_gains_unique(apply, type);

		if (gains)
			kg_bundle_clear_unique(apply, type);
		if (changes_type(apply, type))
			rebuild_type(apply, caller, type, false);
		else if (gains)
			rebuild_type(apply, caller, type, true);
		if (!changes_type(apply, type))
			count_anew(apply, type);
	}
}
