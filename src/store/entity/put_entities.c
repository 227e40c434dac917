/*
 * put_entities.c
 *	  kg_put_entities() and kg_update_entities().
 *
 * First, each item is checked: its schema, its id, and its references to
 * stored entities and to other items. An item is valid if each reference has a
 * target that is stored or is a valid item. Then the valid items are written
 * with a few statements, in one scope (scope.h), which checks references at
 * its end.
 *
 * Two faults appear only when items are written: an id that a hidden entity
 * has, and a row that a trigger prevents from being written. If other items
 * refer to such an item, all writes are rolled back, and the remaining items
 * are written. If an error is raised while items are written, the whole call
 * fails. Examples are a trigger that raises an error, and a changed
 * x-ref-field value to which other entities refer.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "base/catch.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "model/bound_table.h"
#include "model/writing.h"
#include "miscadmin.h"
#include "store/check/check.h"
#include "store/derived/columns.h"
#include "store/entity/documents.h"
#include "store/entity/entities.h"
#include "store/entity/entity_ids.h"
#include "store/derived/extract.h"
#include "store/entity/item_names.h"
#include "store/entity/new_ids.h"
#include "store/entity/put.h"
#include "store/reference/references.h"
#include "store/reference/stored.h"
#include "store/reference/enforce.h"
#include "store/reference/scope.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Number of entities per statement. */
#define KG_PUT_BATCH 5000

/* A reference of one item to another item of the call. */
typedef struct Link
{
	int target;
	int source;
	const KgField *field;
	const char *value;
} Link;

typedef struct Links
{
	Link *items;
	int n;
	int capacity;
} Links;

/*
 * The references of items, and their targets. The source of a reference is the
 * index of its item.
 */
typedef struct Targets
{
	KgReferenceList references;
	KgUserContext caller;
	KgSight sight;
	int64 *nodes;
	bool *hidden;
	/* Versions of the items when they were read, or NULL. */
	const int64 *versions;
} Targets;

typedef struct Put
{
	KgPutMode mode;
	const char *tenant;
	const KgType *type;
	KgOutcomes *outcomes;
	KgPutItem *items;
	int *order;			/* order of the items, sorted by id */
	KgItemNames *names; /* names of the items of this call */
	KgNewIds new_ids;	/* generator of ids for items without an id */
	Links links;		/* references of items to other items of the call */
	/* targets that were looked up before the items were read, or NULL */
	Targets *targets;
	/* versions of the stored entities at that look-up, or NULL */
	int64 *ahead;
	Snapshot before; /* snapshot from before the writes */
	/* value of kg_writing_nested() when the snapshot "before" was taken */
	uint64 nested;
	bool begun;	  /* some items have been written */
	bool lacking; /* the first attempt wrote references to unwritten items */
	MemoryContext context;
} Put;

/* Returns the index of the item that has this name, or -1. */
static int
find_name(const Put *put, const KgField *field, const char *value)
{
	const KgPutItem *item = kg_item_name_find(put->names, field, value);

	return item ? item - put->items : -1;
}

static bool
enter_name(Put *put, const KgField *field, const char *value, int i)
{
	const KgPutItem *item = &put->items[i];

	return kg_item_name_enter(put->names, field, value, item) == item;
}

/*
 * For a reference to entities of its own type, returns the property to whose
 * values it refers. Returns NULL if it refers to the id.
 */
static const KgField *
own_target(const KgType *type, const KgField *reference)
{
	const KgField *target;

	if (reference->ref_field == NULL)
		return NULL;
	target = kg_type_field(type, reference->ref_field);
	return target == type->id_field ? NULL : target;
}

static bool
refers_to_own(const KgType *type, const KgField *field)
{
	return field->ref_type && strcmp(field->ref_type, type->name) == 0 &&
		   strcmp(field->ref_bundle, type->bundle) == 0;
}

/* Adds the names by which other items can refer to the item. */
static void
enter_targets(Put *put, int i)
{
	const KgType *type = put->type;

	for (int j = 0; j < type->nfields; j++)
	{
		const KgField *target;
		JsonbValue name;

		if (!refers_to_own(type, &type->fields[j]))
			continue;
		target = own_target(type, &type->fields[j]);
		if (target &&
			kg_field_value(target, &put->items[i].data->root, &name) &&
			name.type == jbvString)
			(void) enter_name(put, target, kg_json_cstring(&name), i);
	}
}

/*
 * Returns whether the item is a new entity without an id, for which an id is
 * generated.
 */
static bool
needs_id(const Put *put, const JsonbValue *item)
{
	JsonbValue id;

	return put->mode != KG_PUT_UPDATE && kg_makes_ids(put->type) &&
		   kg_json_is_object(item) &&
		   !kg_field_value(put->type->id_field, kg_json_container(item), &id);
}

/* Generates an id that no other item has. */
static void
make_id(Put *put, int i)
{
	const KgType *type = put->type;
	KgPutItem *item = &put->items[i];
	JsonbValue id;
	const char *made;

	do
		made = kg_new_id(&put->new_ids, put->tenant, type);
	while (find_name(put, NULL, made) >= 0);
	id = kg_json_string_value(made);
	item->data = kg_json_with(item->data, type->id_field->steps[0].key, &id);
	put->outcomes->items[i].generated = true;
}

/* Reads an item, and checks its schema and id. */
static void
read_item(Put *put, int i, const JsonbValue *value)
{
	KgOutcome *outcome = &put->outcomes->items[i];
	const KgType *type = put->type;
	char *path = psprintf("/items/%d", i);

	if (!kg_outcome_is_object(
			outcome, value, path, "an object with the properties of an entity"))
		return;
	put->items[i].data = kg_json_datum(value);
	if (needs_id(put, value))
		make_id(put, i);
	outcome->id = kg_entity_id(
		type, put->items[i].data, path, &outcome->errors);
	(void) kg_entity_check(
		type, outcome->id, put->items[i].data, path, &outcome->errors);
	kg_entity_check_scope(
		type, outcome->id, put->items[i].data, path, &outcome->errors);
	if (outcome->id && !enter_name(put, NULL, outcome->id, i))
		kg_outcomes_twice(put->outcomes, i, put->type);
	put->items[i].refers = true;
	enter_targets(put, i);
}

static void
read_patch(Put *put, int i, const JsonbValue *value)
{
	KgOutcome *outcome = &put->outcomes->items[i];

	kg_patch_read(put->type, i, value, outcome, &put->items[i]);
	if (outcome->id && !enter_name(put, NULL, outcome->id, i))
		kg_outcomes_twice(put->outcomes, i, put->type);
}

/*
 * Reads the items whose ids are generated if "made" is true; otherwise reads
 * the other items.
 */
static void
read_items(Put *put, const JsonbContainer *items, bool made)
{
	kg_json_each(it, items)
	{
		CHECK_FOR_INTERRUPTS();
		if (needs_id(put, &it.value) != made)
			continue;
		if (put->mode == KG_PUT_UPDATE)
			read_patch(put, it.index, &it.value);
		else
			read_item(put, it.index, &it.value);
	}
}

/*
 * Compares items with the stored entities: merges updates with them, and
 * reports creations of entities that exist already.
 */
static void
check_stored(Put *put)
{
	for (int i = 0; i < put->outcomes->n; i++)
	{
		KgOutcome *outcome = &put->outcomes->items[i];
		KgPutItem *item = &put->items[i];
		KgError *err;

		CHECK_FOR_INTERRUPTS();
		if (outcome->errors.total > 0)
			continue;
		if (put->mode == KG_PUT_UPDATE)
		{
			kg_patch_apply(put->type, i, put->outcomes, item);
			if (item->data != NULL && item->refers)
				enter_targets(put, i);
		}
		else if (put->mode == KG_PUT_CREATE && item->node != 0)
		{
			err = kg_id_taken_error(put->type, outcome->id);
			kg_error_path(err, "/items/%d", i);
			kg_error_expected(err, "an id that no entity of the type has");
			kg_outcome_error(outcome, err);
		}
	}
}

/* Returns a copy of the document that lives longer than the batch. */
static Jsonb *
copy_data(Put *put, Datum data)
{
	MemoryContext old = MemoryContextSwitchTo(put->context);
	Jsonb *copy = DatumGetJsonbPCopy(data);

	MemoryContextSwitchTo(old);
	return copy;
}

/*
 * Calls work for batches in the order of ids, in which all sessions lock
 * entities.
 */
static void
each_batch(Put *put, KgOutcomesWork work)
{
	kg_outcomes_each(put->outcomes, put->order, KG_PUT_BATCH, work, put);
}

/*
 * Locks the stored entities with these ids, and stores their nodes and versions
 * in the items. Sets ids[i] to NULL if its entity was found.
 */
static void
lock_stored(Put *put, const int *rows, const char **ids, int n)
{
	kg_documents_of_ids(KG_LOCK_CHANGE, put->tenant, put->type, ids, n);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgStoredDocument stored = kg_document(i);
		int number = rows[stored.place];
		KgPutItem *item = &put->items[number];

		ids[stored.place] = NULL;
		item->node = stored.node;
		put->outcomes->items[number].before = stored.version;
		if (put->mode != KG_PUT_UPDATE)
			item->same = compareJsonbContainers(
							 &DatumGetJsonbP(stored.data)->root,
							 &item->data->root) == 0;
		else
			item->old = copy_data(put, stored.data);
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * Locks the stored entities of a batch. Compares the items with them or, for an
 * update, copies their documents. An update looks up missing entities again:
 * another session may have deleted an entity and created it again while the
 * statement waited for its lock.
 */
static void
find_stored(void *arg, const int *rows, int n)
{
	Put *put = arg;
	const char **ids = palloc(n * sizeof(char *));
	int64 *nodes = palloc0(n * sizeof(int64));

	for (int i = 0; i < n; i++)
		ids[i] = put->outcomes->items[rows[i]].id;
	do
		lock_stored(put, rows, ids, n);
	while (put->mode == KG_PUT_UPDATE &&
		   kg_ids_made_anew(put->tenant, put->type, ids, n, nodes));
}

static void
add_link(Links *links, int target, int source, const KgReferenceItem *reference)
{
	Link *link;

	if (links->n == links->capacity)
	{
		links->capacity = Max(64, links->capacity * 2);
		links->items =
			links->items
				? repalloc_huge(links->items,
								(Size) links->capacity * sizeof(Link))
				: MemoryContextAllocHuge(CurrentMemoryContext,
										 (Size) links->capacity * sizeof(Link));
	}
	link = &links->items[links->n++];
	link->target = target;
	link->source = source;
	link->field = reference->field;
	link->value = reference->value;
}

static int
compare_links(const void *pa, const void *pb)
{
	const Link *a = pa;
	const Link *b = pb;

	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	return a->source < b->source ? -1 : a->source > b->source;
}

static KgError *
report_missing(Put *put, int i, const KgField *field, const char *value)
{
	KgError *err = kg_no_target_error(field, value, "existing entity");
	const char *pointer = kg_extract_pointer(field, put->items[i].data, value);

	kg_error_entity(err, kg_type_handle(put->type), put->outcomes->items[i].id);
	if (put->mode == KG_PUT_UPDATE)
		kg_error_path(err, "%s", kg_patch_pointer(&put->items[i], i, pointer));
	else
		kg_error_path(err, "/items/%d%s", i, pointer);
	kg_outcome_error(&put->outcomes->items[i], err);
	return err;
}

/* Reports a reference whose target is neither stored nor an item of the call. */
static void
report_no_target(Put *put, const KgFieldReference *reference)
{
	const KgField *field = reference->field;
	KgError *err = report_missing(
		put, reference->source, field, reference->value);
	const KgType *type = kg_catalog_type_in(
		kg_catalog_newest(put->tenant), field->ref_bundle, field->ref_type);

	if (type != NULL && field->ref_field == NULL)
		(void) kg_outcomes_tell_merged(
			put->outcomes, err, type, reference->value, reference->value);
}

/*
 * Marks items that refer to invalid items as invalid, unless the target is
 * stored already.
 */
static void
spread_errors(Put *put)
{
	const Links *links = &put->links;
	KgOutcome *items = put->outcomes->items;
	int *queue = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) Max(1, put->outcomes->n) * sizeof(int));
	int nqueue = 0;

	qsort(links->items, links->n, sizeof(Link), compare_links);
	for (int i = 0; i < put->outcomes->n; i++)
		if (items[i].errors.total > 0)
			queue[nqueue++] = i;
	for (int i = 0; i < nqueue; i++)
	{
		int low = 0;
		int high = links->n;

		CHECK_FOR_INTERRUPTS();
		while (low < high)
		{
			int middle = low + (high - low) / 2;

			if (links->items[middle].target < queue[i])
				low = middle + 1;
			else
				high = middle;
		}
		for (; low < links->n && links->items[low].target == queue[i]; low++)
		{
			const Link *link = &links->items[low];
			bool fresh = items[link->source].errors.total == 0;

			(void) report_missing(put, link->source, link->field, link->value);
			if (fresh)
				queue[nqueue++] = link->source;
		}
	}
	pfree(queue);
}

/* Returns the index of the item to which a reference refers, or -1. */
static int
named_item(const Put *put, const KgFieldReference *reference)
{
	if (!refers_to_own(put->type, reference->field))
		return -1;
	return find_name(
		put, own_target(put->type, reference->field), reference->value);
}

/*
 * Looks up and locks the targets of the references, as the extension's owner.
 */
static void
look_up(Targets *t, const Put *put)
{
	t->nodes = kg_references_find(
		kg_catalog_newest(put->tenant), &t->references, &t->sight, t->hidden);
}

/*
 * Looks up and locks the targets of the items, and returns them. While this
 * waited for a lock, a target may have been deleted and created again, so
 * missing targets are looked up twice.
 */
static Targets *
find_targets(const Put *put)
{
	Targets *t = palloc0(sizeof(Targets));

	t->references.context = CurrentMemoryContext;
	for (int i = 0; i < put->outcomes->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (put->items[i].data && put->items[i].refers)
			kg_references_of(put->type, i, put->items[i].data, &t->references);
	}
	if (t->references.n == 0)
		return t;
	t->hidden = MemoryContextAllocExtended(CurrentMemoryContext,
										   t->references.n,
										   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	kg_become_owner(&t->caller);
	kg_sight_init(&t->sight, put->tenant, &t->caller);
	look_up(t, put);
	for (int i = 0; i < t->references.n; i++)
		if (t->nodes[i] == 0 && named_item(put, &t->references.items[i]) < 0)
		{
			look_up(t, put);
			break;
		}
	kg_restore_user(&t->caller);
	return t;
}

/* Reads the stored entities of a batch, and merges its items with them. */
static void
read_ahead(void *arg, const int *rows, int n)
{
	Put *put = arg;
	const char **ids = palloc0(n * sizeof(char *));

	for (int i = 0; i < n; i++)
		if (put->items[rows[i]].refers)
			ids[i] = put->outcomes->items[rows[i]].id;
	kg_documents_of_ids(KG_LOCK_NONE, put->tenant, put->type, ids, n);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgStoredDocument stored = kg_document(i);
		int number = rows[stored.place];
		KgPutItem *item = &put->items[number];
		MemoryContext old;

		item->old = copy_data(put, stored.data);
		old = MemoryContextSwitchTo(put->context);
		item->data = kg_patch_merged(item);
		MemoryContextSwitchTo(old);
		put->ahead[number] = stored.version;
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * Locks the targets of items before the items themselves, because a session
 * that deletes a target also locks it before its referrers. To find the
 * targets of references that an update does not change, reads the stored
 * entities. If these have changed before they are locked, they are read again.
 */
static void
find_targets_ahead(Put *put)
{
	bool any = false;

	if (put->mode != KG_PUT_UPDATE)
	{
		put->targets = find_targets(put);
		return;
	}
	for (int i = 0; i < put->outcomes->n; i++)
	{
		KgPutItem *item = &put->items[i];

		item->refers = put->outcomes->items[i].errors.total == 0 &&
					   kg_patch_refers(put->type, item);
		any |= item->refers;
	}
	if (!any)
		return;
	put->ahead = MemoryContextAllocExtended(CurrentMemoryContext,
											(Size) put->outcomes->n *
												sizeof(int64),
											MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	each_batch(put, read_ahead);
	put->targets = find_targets(put);
	put->targets->versions = put->ahead;
	for (int i = 0; i < put->outcomes->n; i++)
		put->items[i].data = put->items[i].old = NULL;
}

/*
 * Returns whether the stored entities still have the versions that
 * find_targets_ahead() has read. The items must be locked.
 */
static bool
is_current(const Put *put, const Targets *t)
{
	if (t->versions == NULL)
		return true;
	for (int i = 0; i < put->outcomes->n; i++)
		if (put->items[i].data && put->items[i].refers &&
			t->versions[i] != put->outcomes->items[i].before)
			return false;
	return true;
}

/*
 * Adds the existing references of the items to the visible references, because
 * an item may keep a reference to a hidden entity.
 */
static void
keep_sight(const Put *put, Targets *t)
{
	KgNodeList nodes = {CurrentMemoryContext};
	KgUserContext user;

	for (int i = 0; i < put->outcomes->n; i++)
		if (put->items[i].data && put->items[i].refers &&
			put->items[i].node != 0)
			kg_node_add(&nodes, put->items[i].node);
	kg_become_owner(&user);
	kg_sight_keep(&t->sight, put->tenant, &nodes);
	kg_restore_user(&user);
}

/*
 * Checks the references of the items. Each reference must name a stored entity
 * or a valid item of the call. Missing targets are also reported for items
 * that are invalid already.
 */
static void
check_references(Put *put)
{
	Targets *t = put->targets;

	if (t == NULL || !is_current(put, t))
		t = find_targets(put);
	put->targets = NULL;
	put->links.n = 0;
	if (t->references.n == 0)
		return;
	keep_sight(put, t);
	for (int i = 0; i < t->references.n; i++)
	{
		const KgFieldReference *reference = &t->references.items[i];
		KgReferenceItem item = {reference->field, reference->value};
		int target;

		/*
		 * The item has no document, because its fault was reported before it
		 * was merged.
		 */
		if (put->items[reference->source].data == NULL)
			continue;
		if (t->nodes[i] != 0 &&
			!kg_sight_hides(&t->sight,
							reference,
							put->items[reference->source].node,
							t->nodes[i],
							t->hidden[i]))
			continue;
		target = named_item(put, reference);
		if (target >= 0)
			add_link(&put->links, target, reference->source, &item);
		else
			report_no_target(put, reference);
	}
	if (put->links.n > 0)
		spread_errors(put);
}

/*
 * Inserts the new entities of a batch. An item gets no verdict if its id is
 * taken: another session wrote the entity first, or the entity is hidden from
 * the caller.
 */
static void
insert_rows(Put *put, const int *rows, int n)
{
	KgColumns fresh;

	kg_entities_init(&fresh);
	for (int i = 0; i < n; i++)
		if (put->items[rows[i]].node == 0)
			kg_entities_add(&fresh,
							put->outcomes->items[rows[i]].id,
							put->items[rows[i]].data);
	if (fresh.nrows == 0)
		return;
	kg_entities_insert_free(put->tenant, put->type, &fresh);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		const char *id = kg_spi_cstring(i, 1);
		int item = find_name(put, NULL, id);
		KgOutcome *outcome = &put->outcomes->items[item];

		if (item < 0)
			kg_error_throw(kg_error_new(KG_FORBIDDEN,
										"a trigger gave an item the id \"%s\", "
										"which is not in this call",
										id));
		outcome->verdict = KG_VERDICT_CREATED;
		if (put->outcomes->told)
			outcome->version = kg_spi_int64(i, 2);
	}
	SPI_freetuptable(SPI_tuptable);
}

static void
update_rows(Put *put, const int *rows, int n)
{
	KgNodeList written = {CurrentMemoryContext};
	KgColumns changes;

	kg_changes_init(&changes);
	for (int i = 0; i < n; i++)
	{
		KgPutItem *item = &put->items[rows[i]];

		if (item->node == 0)
			continue;
		if (item->same)
		{
			put->outcomes->items[rows[i]].verdict = KG_VERDICT_UNCHANGED;
			continue;
		}
		kg_changes_add(&changes, item->node, NULL, item->data);
	}
	kg_entities_update(put->tenant, &changes, &written);
	for (int i = 0; i < n; i++)
		if (kg_nodes_have(&written, put->items[rows[i]].node))
			put->outcomes->items[rows[i]].verdict = KG_VERDICT_UPDATED;
}

/*
 * Merges the items of an update with the stored entities again, because
 * triggers of previous batches may have changed these.
 */
static void
merge_again(Put *put, const int *rows, int n)
{
	const char **ids = palloc(n * sizeof(char *));

	for (int i = 0; i < n; i++)
		ids[i] = put->outcomes->items[rows[i]].id;
	kg_documents_of_ids(KG_LOCK_NONE, put->tenant, put->type, ids, n);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgStoredDocument stored = kg_document(i);
		int number = rows[stored.place];
		KgPutItem *item = &put->items[number];
		MemoryContext old;

		if (put->outcomes->items[number].before == stored.version)
			continue;
		put->outcomes->items[number].before = stored.version;
		item->old = copy_data(put, stored.data);
		old = MemoryContextSwitchTo(put->context);
		item->data = kg_patch_merged(item);
		item->same = compareJsonbContainers(&item->old->root,
											&item->data->root) == 0;
		MemoryContextSwitchTo(old);
	}
	SPI_freetuptable(SPI_tuptable);
}

static void
write_rows(void *arg, const int *rows, int n)
{
	Put *put = arg;

	if (put->mode == KG_PUT_UPDATE && put->begun &&
		kg_stored_has_own_triggers("kg_entity"))
		merge_again(put, rows, n);
	put->begun = true;
	insert_rows(put, rows, n);
	update_rows(put, rows, n);
}

/*
 * Sets the verdicts by a comparison of the rows stored before and after the
 * writes, because triggers may have written entities, too.
 */
static void
review(void *arg, const int *rows, int n)
{
	Put *put = arg;
	const char **ids = palloc(n * sizeof(char *));
	KgFate *fates = palloc(n * sizeof(KgFate));

	for (int i = 0; i < n; i++)
		ids[i] = put->outcomes->items[rows[i]].id;
	kg_stored_entities(put->tenant, put->type, ids, n, put->before, fates);
	for (int i = 0; i < n; i++)
	{
		KgOutcome *outcome = &put->outcomes->items[rows[i]];

		if (outcome->verdict == KG_VERDICT_NONE)
			continue;
		switch (fates[i])
		{
			case KG_FATE_ABSENT:
			case KG_FATE_GONE:
				outcome->verdict = KG_VERDICT_NONE;
				break;
			case KG_FATE_MADE:
				outcome->verdict = KG_VERDICT_CREATED;
				break;
			case KG_FATE_CHANGED:
				outcome->verdict = KG_VERDICT_UPDATED;
				break;
			case KG_FATE_SAME:
				outcome->verdict = put->items[rows[i]].same
									   ? KG_VERDICT_UNCHANGED
									   : KG_VERDICT_NONE;
				break;
		}
	}
}

static bool
was_nested(const Put *put)
{
	return kg_writing_nested() != put->nested;
}

/* Returns whether the entity is stored, even if the caller does not see it. */
static bool
is_stored(const Put *put, const char *id)
{
	KgUserContext user;
	int64 node;

	kg_become_owner(&user);
	kg_nodes_of_ids(put->tenant, put->type, &id, 1, &node);
	kg_restore_user(&user);
	return node != 0;
}

/* Reports valid items that were not written. */
static void
report_unwritten(Put *put)
{
	bool nested = was_nested(put);

	for (int i = 0; i < put->outcomes->n; i++)
	{
		KgOutcome *outcome = &put->outcomes->items[i];
		KgError *err;

		if (outcome->verdict != KG_VERDICT_NONE)
			continue;
		if (put->items[i].node != 0)
			err = nested ? kg_kept_error("entity", "updated")
						 : kg_unwritten_error(
							   put->tenant, put->items[i].node, NULL);
		else if (!is_stored(put, outcome->id))
			err = kg_kept_error("entity", "inserted");
		else
			err = kg_id_taken_error(put->type, outcome->id);
		kg_error_entity(err, kg_type_handle(put->type), outcome->id);
		kg_error_path(err, "/items/%d", i);
		kg_error_got_string(err, outcome->id);
		kg_outcome_error(outcome, err);
	}
	kg_outcomes_settle(put->outcomes, put->tenant);
}

/* Reads the stored entities again, because triggers may have changed them. */
static void
reread(void *arg, const int *rows, int n)
{
	Put *put = arg;
	const char **ids = palloc(n * sizeof(char *));

	for (int i = 0; i < n; i++)
		ids[i] = put->outcomes->items[rows[i]].id;
	kg_documents_of_ids(KG_LOCK_NONE, put->tenant, put->type, ids, n);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgStoredDocument stored = kg_document(i);
		int number = rows[stored.place];

		put->items[number].data = copy_data(put, stored.data);
		put->outcomes->items[number].version = stored.version;
	}
	SPI_freetuptable(SPI_tuptable);
}

/* Sets the versions in the outcomes and, for an update, the changes. */
static void
tell(Put *put)
{
	/*
	 * A write increases the version by one. If triggers may have written the
	 * rows, too, the rows are read again below.
	 */
	for (int i = 0; i < put->outcomes->n; i++)
	{
		KgOutcome *outcome = &put->outcomes->items[i];

		if (outcome->verdict == KG_VERDICT_UPDATED)
			outcome->version = outcome->before + 1;
		else if (outcome->verdict == KG_VERDICT_UNCHANGED)
			outcome->version = outcome->before;
	}
	if (was_nested(put) || kg_stored_has_own_triggers("kg_entity"))
		each_batch(put, reread);
	for (int i = 0; i < put->outcomes->n; i++)
		if (put->items[i].old != NULL &&
			put->outcomes->items[i].verdict == KG_VERDICT_UPDATED)
			put->outcomes->items[i].changed = kg_patch_changes(
				put->items[i].old, put->items[i].data);
}

/* Returns whether a written item refers to an item that was not written. */
static bool
lacks_items(const Put *put)
{
	const KgOutcome *items = put->outcomes->items;

	for (int i = 0; i < put->links.n; i++)
		if (items[put->links.items[i].target].verdict == KG_VERDICT_NONE &&
			items[put->links.items[i].source].verdict != KG_VERDICT_NONE)
			return true;
	return false;
}

/*
 * Writes the items. If "trial" is true and a written item refers to an
 * unwritten item, raises an error, so that all writes are rolled back.
 */
static void
write_items(Put *put, bool trial)
{
	KgScope *scope = kg_scope_begin(put->tenant);
	KgUserContext user;

	put->begun = false;
	each_batch(put, write_rows);
	if (trial)
	{
		if (was_nested(put))
			each_batch(put, review);
		put->lacking = lacks_items(put);
		if (put->lacking)
			kg_error_throw(kg_kept_error("entity", "written"));
	}
	kg_become_owner(&user);
	kg_scope_end(scope, &user);
	kg_restore_user(&user);
}

static void
try_items(void *arg)
{
	write_items(arg, true);
}

/*
 * Returns whether a write of an item may fail, or whether the written item may
 * be invisible to the caller.
 */
static bool
may_fail(const Put *put)
{
	return !kg_catalog_newest(put->tenant)->plain_visibility ||
		   kg_stored_has_own_triggers("kg_entity");
}

/*
 * Writes the items. If items refer to each other and a write may fail, an
 * attempt that fails is rolled back. It is repeated without the items that
 * could not be written.
 */
static void
write_linked(Put *put)
{
	while (put->links.n > 0 && may_fail(put))
	{
		ErrorData *edata;

		put->lacking = false;
		edata = kg_catch(KG_CATCH_KEEP, try_items, put);
		if (edata == NULL)
			return;
		if (!put->lacking)
			ReThrowError(edata);
		report_unwritten(put);
		for (int i = 0; i < put->outcomes->n; i++)
			if (put->outcomes->items[i].errors.total == 0)
				put->outcomes->items[i].verdict = KG_VERDICT_NONE;
		check_references(put);
		kg_outcomes_settle(put->outcomes, put->tenant);
	}
	write_items(put, false);
}

void
kg_entities_put(const char *type, const JsonbContainer *items, KgPutMode mode,
				KgOutcomes *outcomes)
{
	Put put = {mode, kg_identity_require(KG_ACCESS_WRITE)};
	/* The search_path is pinned once for all statements of the call. */
	int path = kg_spi_pin_path();

	put.type = kg_catalog_require_type(
		kg_catalog_newest(put.tenant), type, "/entity_type");
	kg_binding_refuse_write(put.type);
	put.outcomes = outcomes;
	outcomes->type = put.type;
	put.context = CurrentMemoryContext;
	put.items = MemoryContextAllocExtended(CurrentMemoryContext,
										   (Size) Max(1, put.outcomes->n) *
											   sizeof(KgPutItem),
										   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	put.names = kg_item_names_make(put.outcomes->n);
	/*
	 * Items with ids are read first, so that the generated ids differ from
	 * theirs.
	 */
	read_items(&put, items, false);
	if (kg_makes_ids(put.type))
		read_items(&put, items, true);
	put.order = kg_outcomes_order(put.outcomes);
	find_targets_ahead(&put);
	each_batch(&put, find_stored);
	check_stored(&put);
	kg_put_check_unique(put.tenant, put.type->type_no, put.outcomes, put.items);
	check_references(&put);
	kg_outcomes_settle(put.outcomes, put.tenant);

	put.before = kg_stored_begin();
	put.nested = kg_writing_nested();
	write_linked(&put);
	if (was_nested(&put))
		each_batch(&put, review);
	kg_stored_end(put.before);
	report_unwritten(&put);
	if (outcomes->told)
		tell(&put);
	kg_spi_unpin_path(path);
}

Jsonb *
kg_put_entities(const char *type, const Jsonb *items, const Jsonb *options)
{
	const JsonbContainer *array = kg_outcomes_items(items);
	KgOutcomes *outcomes = kg_outcomes_of_options(
		"entities", kg_json_length(array), options, false);

	kg_entities_put(type, array, KG_PUT_ANY, outcomes);
	return kg_outcomes_result(outcomes);
}

Jsonb *
kg_update_entities(const char *type, const Jsonb *items, const Jsonb *options)
{
	const JsonbContainer *array = kg_outcomes_items(items);
	KgOutcomes *outcomes = kg_outcomes_of_options(
		"entities", kg_json_length(array), options, true);

	kg_entities_put(type, array, KG_PUT_UPDATE, outcomes);
	return kg_outcomes_result(outcomes);
}
