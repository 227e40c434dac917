/*
 * put_entities.c
 *	  kg_put_entities() and kg_update_entities().
 *
 * A put looks at every item first: schema, id, references to what is stored
 * and to one another; an item is good when all it refers to is there or is
 * good.  Then the good ones are written in a few statements, in one write
 * scope.  An id that a hidden entity has, or what a trigger keeps from being
 * written, shows only then: where others of the call refer to such an item, all
 * are taken back, and those that are left are written.  What else cannot be told
 * of an item beforehand (a trigger that raises, a value of x-ref-field that
 * others refer to) raises an error for the whole.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "base/catch.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "model/writing.h"
#include "miscadmin.h"
#include "store/check/check.h"
#include "store/derived/columns.h"
#include "store/entity/entities.h"
#include "store/entity/entity_ids.h"
#include "store/derived/extract.h"
#include "store/entity/item_names.h"
#include "store/entity/put.h"
#include "store/reference/references.h"
#include "store/reference/stored.h"
#include "store/reference/scope.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Entities in one statement. */
#define KG_PUT_BATCH 5000

/* A reference of one item to another of the call. */
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

/* What items refer to: the source of a reference is the number of its item. */
typedef struct Targets
{
	KgReferenceList references;
	KgUserContext caller;
	KgSight sight;
	int64 *nodes;
	bool *hidden;
	const int64 *versions; /* of the items when they were read, or NULL */
} Targets;

typedef struct Put
{
	KgPutMode mode;
	const char *tenant;
	const KgType *type;
	KgOutcomes *outcomes;
	KgPutItem *items;
	int *order;			/* of the items, by id */
	KgItemNames *names; /* of put->items */
	Links links;		/* of the items to one another */
	Targets *targets;	/* found before the items, or NULL */
	int64 *ahead;		/* versions of the items read for that, or NULL */
	Snapshot before;	/* it was written */
	uint64 nested;		/* kg_writing_nested() then */
	bool begun;			/* some of it is written */
	bool lacking;		/* what was written on trial refers to what was not */
	MemoryContext context;
} Put;

/* The item that has the name in this call, or -1. */
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

/* The property of the type itself that a reference to it names, or NULL: id. */
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

/* What its siblings can refer to. */
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

/* Schema and id of an item. */
static void
read_item(Put *put, int i, const JsonbValue *value)
{
	KgOutcome *outcome = &put->outcomes->items[i];
	const KgType *type = put->type;
	char *path = psprintf("/items/%d", i);
	KgError *err;

	if (!kg_json_is_object(value))
	{
		err = kg_error_new(KG_INVALID_INPUT, "an item is not an object");
		kg_error_path(err, "%s", path);
		kg_error_got(err, value);
		kg_error_expected(err, "the data of an entity, an object");
		kg_outcome_error(outcome, err);
		return;
	}
	put->items[i].data = kg_json_datum(value);
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

	kg_patch_read(i, value, outcome, &put->items[i]);
	if (outcome->id && !enter_name(put, NULL, outcome->id, i))
		kg_outcomes_twice(put->outcomes, i, put->type);
}

/* What is stored is known: what of it was asked for cannot be? */
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

/* For longer than a batch. */
static Jsonb *
copy_data(Put *put, Datum data)
{
	MemoryContext old = MemoryContextSwitchTo(put->context);
	Jsonb *copy = DatumGetJsonbPCopy(data);

	MemoryContextSwitchTo(old);
	return copy;
}

/* In the order of their ids, as all who lock them do. */
static void
each_batch(Put *put, KgOutcomesWork work)
{
	kg_outcomes_each(put->outcomes, put->order, KG_PUT_BATCH, work, put);
}

/* Of the ids that are found, each is NULL afterwards. */
static void
lock_stored(Put *put, const int *rows, const char **ids, int n)
{
	static KgForms forms = KG_FORMS_OF_IDS("u.ord, e.node, e.data, e.version",
										   " @FOR NO KEY UPDATE OF e");

	kg_select_of_ids(&forms, put->tenant, put->type, ids, n);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		int place = (int) kg_spi_int64(i, 1) - 1;
		int number = rows[place];
		KgPutItem *item = &put->items[number];
		Datum data = kg_spi_datum(i, 3);

		ids[place] = NULL;
		item->node = kg_spi_int64(i, 2);
		put->outcomes->items[number].before = kg_spi_int64(i, 4);
		if (put->mode != KG_PUT_UPDATE)
			item->same = compareJsonbContainers(&DatumGetJsonbP(data)->root,
												&item->data->root) == 0;
		else
			item->old = copy_data(put, data);
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * Lock what is stored of a batch and see whether it is the same.  What is not
 * found and is to be made is refused then if it is there after all.
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

static void
report_missing(Put *put, int i, const KgField *field, const char *value)
{
	KgError *err = kg_no_target_error(field, value, "existing entity");

	kg_error_entity(err, kg_type_handle(put->type), put->outcomes->items[i].id);
	kg_error_path(err,
				  "/items/%d%s%s",
				  i,
				  put->mode == KG_PUT_UPDATE ? "/set" : "",
				  kg_extract_pointer(field, put->items[i].data, value));
	kg_outcome_error(&put->outcomes->items[i], err);
}

/*
 * Items that are not written take those along that refer to them, unless what
 * they name is stored already.
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

			report_missing(put, link->source, link->field, link->value);
			if (fresh)
				queue[nqueue++] = link->source;
		}
	}
	pfree(queue);
}

/* The item that a reference names, or -1. */
static int
named_item(const Put *put, const KgReference *reference)
{
	if (!refers_to_own(put->type, reference->field))
		return -1;
	return find_name(
		put, own_target(put->type, reference->field), reference->value);
}

/* What the references name, locked; as the owner. */
static void
look_up(Targets *t, const Put *put)
{
	t->nodes = kg_references_find(
		kg_catalog_newest(put->tenant), &t->references, &t->sight, t->hidden);
}

/*
 * What the items refer to, locked.  A target that had to be waited for may have
 * been deleted and made anew: what is not there is looked for once more.
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

/* Reads what is stored of a batch, and makes the data of its items of that. */
static void
read_ahead(void *arg, const int *rows, int n)
{
	static KgForms forms = KG_FORMS_OF_IDS("u.ord, e.data, e.version", "");
	Put *put = arg;
	const char **ids = palloc0(n * sizeof(char *));

	for (int i = 0; i < n; i++)
		if (put->items[rows[i]].refers)
			ids[i] = put->outcomes->items[rows[i]].id;
	kg_select_of_ids(&forms, put->tenant, put->type, ids, n);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		int number = rows[kg_spi_int64(i, 1) - 1];
		KgPutItem *item = &put->items[number];
		MemoryContext old;

		item->old = copy_data(put, kg_spi_datum(i, 2));
		old = MemoryContextSwitchTo(put->context);
		item->data = kg_patch_merged(item);
		MemoryContextSwitchTo(old);
		put->ahead[number] = kg_spi_int64(i, 3);
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * Locks what items will refer to before the items themselves: who deletes a
 * target has it before what refers to it, too.  What an update leaves as it is
 * is read for that, and looked for once more where it has changed meanwhile.
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

/* Is what the items refer to still what was read of them before they were locked? */
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

/* Of what is hidden, an item may keep what it refers to. */
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
 * References of the items: each must name what is stored, or an item of the
 * call that is good itself.  Of an item that is not good as it is, those that
 * name nothing are told with the rest.
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
		const KgReference *reference = &t->references.items[i];
		KgReferenceItem item = {reference->field, reference->value};
		int target;

		/* Reported already, before it was merged. */
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
			report_missing(
				put, reference->source, reference->field, reference->value);
	}
	if (put->links.n > 0)
		spread_errors(put);
}

/*
 * Rows that conflict are those of a transaction that was faster, or that the
 * caller does not see.
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
			kg_error_throw(
				kg_error_new(KG_FORBIDDEN,
							 "a trigger gave an item the id \"%s\", which is "
							 "none of this call",
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
 * Triggers that fired for the batches before may have written what this one
 * updates: its data is made of what is stored by now.
 */
static void
merge_again(Put *put, const int *rows, int n)
{
	static KgForms forms = KG_FORMS_OF_IDS("u.ord, e.data, e.version", "");
	const char **ids = palloc(n * sizeof(char *));

	for (int i = 0; i < n; i++)
		ids[i] = put->outcomes->items[rows[i]].id;
	kg_select_of_ids(&forms, put->tenant, put->type, ids, n);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		int number = rows[kg_spi_int64(i, 1) - 1];
		KgPutItem *item = &put->items[number];
		MemoryContext old;

		if (put->outcomes->items[number].before == kg_spi_int64(i, 3))
			continue;
		put->outcomes->items[number].before = kg_spi_int64(i, 3);
		item->old = copy_data(put, kg_spi_datum(i, 2));
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

/* Triggers have written as well: what is stored says what became of an item. */
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

/* Is there such an entity, whoever sees it? */
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

/* Items that were not written, for all that was known of them. */
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

/* As they are stored now, whatever triggers made of them. */
static void
reread(void *arg, const int *rows, int n)
{
	static KgForms forms = KG_FORMS_OF_IDS("u.ord, e.data, e.version", "");
	Put *put = arg;
	const char **ids = palloc(n * sizeof(char *));

	for (int i = 0; i < n; i++)
		ids[i] = put->outcomes->items[rows[i]].id;
	kg_select_of_ids(&forms, put->tenant, put->type, ids, n);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		int number = rows[kg_spi_int64(i, 1) - 1];

		put->items[number].data = copy_data(put, kg_spi_datum(i, 2));
		put->outcomes->items[number].version = kg_spi_int64(i, 3);
	}
	SPI_freetuptable(SPI_tuptable);
}

/* Versions, and what an update changed. */
static void
tell(Put *put)
{
	/* A version moves by one where nobody else writes the row. */
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

/* Does what was written refer to an item that was not? */
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

/* On trial, nothing stays where some of it refers to what was not written. */
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

/* May an item turn out not to be written, or not to be seen, afterwards? */
static bool
may_fail(const Put *put)
{
	return !kg_catalog_newest(put->tenant)->plain_visibility ||
		   kg_stored_has_own_triggers("kg_entity");
}

/* Each turn but the last finds items that are not written. */
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
	/* Once, for all statements that follow. */
	int path = kg_spi_pin_path();

	put.type = kg_catalog_require_type(
		kg_catalog_newest(put.tenant), type, "/entity_type");
	put.outcomes = outcomes;
	outcomes->type = put.type;
	put.context = CurrentMemoryContext;
	put.items = MemoryContextAllocExtended(CurrentMemoryContext,
										   (Size) Max(1, put.outcomes->n) *
											   sizeof(KgPutItem),
										   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	put.names = kg_item_names_make(put.outcomes->n);
	kg_json_each(it, items)
	{
		CHECK_FOR_INTERRUPTS();
		if (mode == KG_PUT_UPDATE)
			read_patch(&put, it.index, &it.value);
		else
			read_item(&put, it.index, &it.value);
	}
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
	KgOutcomes *outcomes = kg_outcomes_make(
		"entities", kg_json_length(array), kg_put_atomic(options), false);

	kg_entities_put(type, array, KG_PUT_ANY, outcomes);
	return kg_outcomes_result(outcomes);
}

Jsonb *
kg_update_entities(const char *type, const Jsonb *items, const Jsonb *options)
{
	const JsonbContainer *array = kg_outcomes_items(items);
	KgOutcomes *outcomes = kg_outcomes_make(
		"entities", kg_json_length(array), kg_put_atomic(options), true);

	kg_entities_put(type, array, KG_PUT_UPDATE, outcomes);
	return kg_outcomes_result(outcomes);
}
