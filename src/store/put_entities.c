/*
 * put_entities.c
 *	  kg_put_entities() and kg_delete_entities().
 *
 * A put looks at every item first: schema, id, references to what is stored
 * and to one another; an item is good when all it refers to is there or is
 * good.  Then the good ones are written in a few statements, in one write
 * scope.  What cannot be told of an item beforehand (a trigger of the DBA, a
 * value of x-ref-field that others refer to) raises an error for the whole.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/settings.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "catalog/writing.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "store/check.h"
#include "store/columns.h"
#include "store/derive.h"
#include "store/edges.h"
#include "store/entity_ids.h"
#include "store/extract.h"
#include "store/on_delete.h"
#include "store/put.h"
#include "store/references.h"
#include "store/seen.h"
#include "store/stored.h"
#include "store/scope.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

/* Entities in one statement. */
#define KG_PUT_BATCH 5000

typedef struct Put
{
	KgPutMode mode;
	const char *tenant;
	const KgType *type;
	KgOutcomes *outcomes;
	KgPutItem *items;
	HTAB *names;	 /* of NameEntry: what a reference can name in this call */
	Snapshot before; /* it was written */
	MemoryContext context;
} Put;

/* An id (field NULL), or a value of a property that x-ref-field names. */
typedef struct NameEntry
{
	const KgField *field; /* with value, the hash key */
	const char *value;
	int item;
} NameEntry;

static uint32
name_hash(const void *key, Size size)
{
	const NameEntry *name = key;

	return hash_combine(
		hash_bytes((const unsigned char *) name->value, strlen(name->value)),
		hash_bytes((const unsigned char *) &name->field, sizeof(name->field)));
}

static int
name_match(const void *pa, const void *pb, Size size)
{
	const NameEntry *a = pa;
	const NameEntry *b = pb;

	return a->field != b->field || strcmp(a->value, b->value) != 0;
}

static HTAB *
create_names(int n)
{
	HASHCTL ctl;

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = offsetof(NameEntry, item);
	ctl.entrysize = sizeof(NameEntry);
	ctl.hash = name_hash;
	ctl.match = name_match;
	ctl.hcxt = CurrentMemoryContext;
	return hash_create("kg_graph put names",
					   Max(16, n),
					   &ctl,
					   HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
}

/* The item that has the name in this call, or -1. */
static int
find_name(const Put *put, const KgField *field, const char *value)
{
	NameEntry key = {field, value, 0};
	NameEntry *entry = hash_search(put->names, &key, HASH_FIND, NULL);

	return entry ? entry->item : -1;
}

static bool
enter_name(Put *put, const KgField *field, const char *value, int item)
{
	NameEntry key = {field, value, 0};
	bool found;
	NameEntry *entry = hash_search(put->names, &key, HASH_ENTER, &found);

	if (!found)
		entry->item = item;
	return !found;
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

static void
report_twice(Put *put, int i, const char *id)
{
	KgError *err = kg_error_new(
		KG_ALREADY_EXISTS, "id \"%s\" is among the items twice", id);

	kg_error_entity(err, kg_type_handle(put->type), id);
	kg_error_path(err, "/items/%d", i);
	kg_error_got_string(err, id);
	kg_error_expected(err, "each id once");
	kg_outcome_error(&put->outcomes->items[i], err);
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
		report_twice(put, i, outcome->id);
	put->items[i].refers = true;
	enter_targets(put, i);
}

static void
read_patch(Put *put, int i, const JsonbValue *value)
{
	KgOutcome *outcome = &put->outcomes->items[i];

	kg_patch_read(i, value, outcome, &put->items[i]);
	if (outcome->id && !enter_name(put, NULL, outcome->id, i))
		report_twice(put, i, outcome->id);
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
			if (item->refers)
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

/* Lock what is stored of a batch and see whether it is the same. */
static void
find_stored(Put *put, const int *rows, int n)
{
	static KgForms forms = KG_FORMS_OF_IDS("u.ord, e.node, e.data, e.version",
										   " @FOR NO KEY UPDATE OF e");
	const char **ids = palloc(n * sizeof(char *));

	for (int i = 0; i < n; i++)
		ids[i] = put->outcomes->items[rows[i]].id;
	kg_select_of_ids(&forms, put->tenant, put->type, ids, n);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		int number = rows[kg_spi_int64(i, 1) - 1];
		KgPutItem *item = &put->items[number];
		bool isnull;
		Datum data = kg_spi_value(i, 3, &isnull);

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

/* Go through the items without errors in batches. */
static void
each_batch(Put *put, void (*work)(Put *put, const int *rows, int n))
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph put", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	int rows[KG_PUT_BATCH];
	int n = 0;

	for (int i = 0; i < put->outcomes->n; i++)
	{
		if (put->outcomes->items[i].errors.total == 0)
			rows[n++] = i;
		if (n < KG_PUT_BATCH && i + 1 < put->outcomes->n)
			continue;
		CHECK_FOR_INTERRUPTS();
		if (n > 0)
			work(put, rows, n);
		MemoryContextSwitchTo(context);
		MemoryContextReset(context);
		n = 0;
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

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
	KgError *err = kg_error_new(KG_REFERENCE_MISSING,
								"property \"%s\" refers to an entity of type "
								"\"%s\" that does not exist",
								field->name,
								field->ref_type);

	kg_error_entity(err, kg_type_handle(put->type), put->outcomes->items[i].id);
	kg_error_path(err,
				  "/items/%d%s%s",
				  i,
				  put->mode == KG_PUT_UPDATE ? "/set" : "",
				  kg_extract_pointer(field, put->items[i].data, value));
	kg_error_keyword(err, "x-ref");
	kg_error_got_string(err, value);
	kg_error_expected(err,
					  "the %s of an existing entity of type \"%s\"",
					  field->ref_field ? field->ref_field : "id",
					  field->ref_type);
	kg_outcome_error(&put->outcomes->items[i], err);
}

/*
 * Items that are not written take those along that refer to them, unless what
 * they name is stored already.
 */
static void
spread_errors(Put *put, Links *links)
{
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

/*
 * References of the items: each must name what is stored, or an item of the
 * call that is good itself.
 */
static void
check_references(Put *put)
{
	const KgType *type = put->type;
	KgReferenceList references = {CurrentMemoryContext};
	Links links = {NULL, 0, 0};
	KgNodeList nodes = {CurrentMemoryContext};
	KgUserContext user;
	KgSight sight;
	int64 *targets;
	bool *hidden;

	for (int i = 0; i < put->outcomes->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		/* The source is the item for now: it may have no node yet. */
		if (put->outcomes->items[i].errors.total > 0 || !put->items[i].refers)
			continue;
		kg_references_of(type, i, put->items[i].data, &references);
		if (put->items[i].node != 0)
			kg_node_add(&nodes, put->items[i].node);
	}
	if (references.n == 0)
		return;
	kg_become_owner(&user);
	kg_sight_init(&sight, put->tenant, &user);
	kg_sight_keep(&sight, put->tenant, &nodes);
	hidden = MemoryContextAllocExtended(
		CurrentMemoryContext, references.n, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	targets = kg_references_find(
		kg_catalog_newest(put->tenant), &references, &sight, hidden);
	kg_restore_user(&user);
	for (int i = 0; i < references.n; i++)
	{
		const KgReference *reference = &references.items[i];
		KgReferenceItem item = {reference->field, reference->value};
		int target = -1;

		if (targets[i] != 0 &&
			!kg_sight_hides(&sight,
							reference,
							put->items[reference->source].node,
							targets[i],
							hidden[i]))
			continue;
		if (refers_to_own(type, reference->field))
			target = find_name(
				put, own_target(type, reference->field), reference->value);
		if (target >= 0)
			add_link(&links, target, reference->source, &item);
		else
			report_missing(
				put, reference->source, reference->field, reference->value);
	}
	if (links.n > 0)
		spread_errors(put, &links);
}

/*
 * Rows that conflict are those of a transaction that was faster, or that the
 * caller does not see.
 */
static void
insert_rows(Put *put, const int *rows, int n)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid types[] = {TEXTOID, JSONBOID};
	KgArg args[5] = {kg_arg_text(put->tenant),
					 kg_arg_text(put->type->bundle),
					 kg_arg_text(put->type->name)};
	KgColumns columns;

	kg_columns_init(&columns, CurrentMemoryContext, 2, types);
	for (int i = 0; i < n; i++)
	{
		if (put->items[rows[i]].node != 0)
			continue;
		kg_columns_add_row(&columns);
		kg_columns_text(&columns, 0, put->outcomes->items[rows[i]].id);
		kg_columns_datum(&columns, 1, JsonbPGetDatum(put->items[rows[i]].data));
	}
	if (columns.nrows == 0)
		return;
	kg_columns_args(&columns, &args[3]);
	kg_spi_exec_args(&saved,
					 "INSERT INTO @kg_entity(tenant, bundle, entity_type, "
					 "entity_id, data) "
					 "SELECT $1, $2, $3, unnest($4), unnest($5) "
					 "ON CONFLICT DO NOTHING RETURNING entity_id, version",
					 lengthof(args),
					 args);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgOutcome *outcome =
			&put->outcomes->items[find_name(put, NULL, kg_spi_cstring(i, 1))];

		outcome->verdict = KG_VERDICT_CREATED;
		if (put->outcomes->told)
			outcome->version = kg_spi_int64(i, 2);
	}
	SPI_freetuptable(SPI_tuptable);
}

static KG_NORETURN void throw_kept(int n) KG_NORETURN_TAIL;

static void
throw_kept(int n)
{
	KgError *err = kg_error_new(KG_CONFLICT,
								"a trigger kept %d of the entities from being "
								"written as their schema now has them",
								n);

	kg_error_expected(err,
					  "no trigger on kg_entity that keeps rows from being "
					  "updated");
	kg_error_throw(err);
}

void
kg_entities_write_again(const char *tenant, const KgNodeList *nodes)
{
	static KgSaved saved = KG_SAVED_BATCH;
	int written = 0;

	for (int i = 0; i < nodes->n; i += KG_PUT_BATCH)
	{
		CHECK_FOR_INTERRUPTS();
		kg_spi_exec_latest(
			&saved,
			"UPDATE @kg_entity SET index_keys = '' "
			"WHERE tenant = $1 AND node = ANY($2)",
			kg_arg_text(tenant),
			kg_arg_int8s(nodes->nodes + i, Min(KG_PUT_BATCH, nodes->n - i)));
		written += SPI_processed;
	}
	if (written < nodes->n)
		throw_kept(nodes->n - written);
}

KgError *
kg_kept_error(const char *row, const char *what)
{
	KgError *err = kg_error_new(
		KG_FORBIDDEN,
		"a trigger or a policy keeps the %s from being %s",
		row,
		what);

	kg_error_expected(
		err, "what the database's own triggers on kg_%s let pass", row);
	return err;
}

static bool
is_gone(const char *tenant, int64 node)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgNodeList stored;
	KgUserContext user;

	kg_become_owner(&user);
	kg_nodes_read(&saved, tenant, &node, 1, &stored);
	kg_restore_user(&user);
	return stored.n == 0;
}

/* Why a statement did not write a row that was there when it was looked. */
static KgError *
unwritten_error(const char *tenant, int64 node, const char *what)
{
	KgError *err;

	if (!is_gone(tenant, node))
		return kg_kept_error("entity", what);
	err = kg_error_new(KG_CONFLICT,
					   "another session deleted the entity at the same time");
	kg_error_expected(err, "the same call again");
	return err;
}

KgError *
kg_id_taken_error(const KgType *type, const char *id)
{
	KgError *err = kg_error_new(KG_ALREADY_EXISTS, "id \"%s\" is taken", id);

	kg_error_entity(err, kg_type_handle(type), id);
	kg_error_got_string(err, id);
	kg_error_expected(err, "another id, or the same call once more");
	return err;
}

/* The first of these nodes that is not among the written ones says why. */
static void
throw_unwritten(const char *tenant, const KgColumns *columns,
				const KgNodeList *written)
{
	for (int i = 0; i < columns->nrows; i++)
	{
		int64 node = DatumGetInt64(columns->values[0][i]);

		if (!kg_nodes_have(written, node))
			kg_error_throw(unwritten_error(tenant, node, "updated"));
	}
}

#define KG_MOVED                                               \
	"RETURNING e.node, (e.version IS DISTINCT FROM "           \
	"(SELECT b.version FROM @kg_entity b WHERE b.tenant = $1 " \
	"AND b.node = e.node))::int::bigint"

void
kg_entities_update(const char *tenant, const KgColumns *columns,
				   KgNodeList *written)
{
	static KgForms plain = KG_FORMS(
		"UPDATE @kg_entity e SET data = u.data FROM unnest($2, $3) u(node, "
		"data) WHERE e.tenant = $1 AND e.node = u.node RETURNING e.node",
		"UPDATE @kg_entity SET data = $3 WHERE tenant = $1 AND node = $2 "
		"RETURNING node");
	/* A trigger may put back what was there: the version stays then. */
	static KgForms watched = KG_FORMS(
		"UPDATE @kg_entity e SET data = u.data FROM unnest($2, $3) u(node, "
		"data) WHERE e.tenant = $1 AND e.node = u.node " KG_MOVED,
		"UPDATE @kg_entity e SET data = $3 WHERE tenant = $1 AND node = "
		"$2 " KG_MOVED);
	KgNodeList own = {CurrentMemoryContext};
	bool all = written == NULL; /* or it is an error */
	bool triggers = kg_stored_has_own_triggers("kg_entity");

	if (columns->nrows == 0)
		return;
	if (all)
		written = &own;
	kg_columns_run(triggers ? &watched : &plain, tenant, columns);
	for (uint64 i = 0; i < SPI_processed; i++)
		if (!triggers || kg_spi_int64(i, 2) != 0)
			kg_node_add(written, kg_spi_int64(i, 1));
	SPI_freetuptable(SPI_tuptable);
	kg_nodes_sort(written);
	if (all && written->n < columns->nrows)
		throw_unwritten(tenant, columns, written);
}

static void
update_rows(Put *put, const int *rows, int n)
{
	static const Oid types[] = {INT8OID, JSONBOID};
	KgNodeList written = {CurrentMemoryContext};
	KgColumns columns;

	kg_columns_init(&columns, CurrentMemoryContext, 2, types);
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
		kg_columns_add_row(&columns);
		kg_columns_int64(&columns, 0, item->node);
		kg_columns_datum(&columns, 1, JsonbPGetDatum(item->data));
	}
	kg_entities_update(put->tenant, &columns, &written);
	for (int i = 0; i < n; i++)
		if (kg_nodes_have(&written, put->items[rows[i]].node))
			put->outcomes->items[rows[i]].verdict = KG_VERDICT_UPDATED;
}

static void
write_rows(Put *put, const int *rows, int n)
{
	insert_rows(put, rows, n);
	update_rows(put, rows, n);
}

/* Triggers have written as well: what is stored says what became of an item. */
static void
review(Put *put, const int *rows, int n)
{
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
report_unwritten(Put *put, bool nested)
{
	for (int i = 0; i < put->outcomes->n; i++)
	{
		KgOutcome *outcome = &put->outcomes->items[i];
		KgError *err;

		if (outcome->verdict != KG_VERDICT_NONE)
			continue;
		if (put->items[i].node != 0)
			err = nested ? kg_kept_error("entity", "updated")
						 : unwritten_error(
							   put->tenant, put->items[i].node, "updated");
		else if (!is_stored(put, outcome->id))
			err = kg_kept_error("entity", "inserted");
		else
			err = kg_id_taken_error(put->type, outcome->id);
		kg_error_entity(err, kg_type_handle(put->type), outcome->id);
		kg_error_path(err, "/items/%d", i);
		kg_error_got_string(err, outcome->id);
		kg_outcome_error(outcome, err);
	}
	kg_outcomes_settle(put->outcomes);
}

/* As they are stored now, whatever triggers made of them. */
static void
reread(Put *put, const int *rows, int n)
{
	static KgForms forms = KG_FORMS_OF_IDS("u.ord, e.data, e.version", "");
	const char **ids = palloc(n * sizeof(char *));

	for (int i = 0; i < n; i++)
		ids[i] = put->outcomes->items[rows[i]].id;
	kg_select_of_ids(&forms, put->tenant, put->type, ids, n);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		int number = rows[kg_spi_int64(i, 1) - 1];
		bool isnull;

		put->items[number].data = copy_data(put, kg_spi_value(i, 2, &isnull));
		put->outcomes->items[number].version = kg_spi_int64(i, 3);
	}
	SPI_freetuptable(SPI_tuptable);
}

/* Versions, and what an update changed. */
static void
tell(Put *put, bool nested)
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
	if (nested || kg_stored_has_own_triggers("kg_entity"))
		each_batch(put, reread);
	for (int i = 0; i < put->outcomes->n; i++)
		if (put->items[i].old != NULL &&
			put->outcomes->items[i].verdict == KG_VERDICT_UPDATED)
			put->outcomes->items[i].changed = kg_patch_changes(
				put->items[i].old, put->items[i].data);
}

void
kg_entities_put(const char *type, const JsonbContainer *items, KgPutMode mode,
				KgOutcomes *outcomes)
{
	Put put = {mode, kg_identity_require(KG_ACCESS_WRITE)};
	KgUserContext user;
	KgScope *scope;
	KgJsonIter it;
	uint64 nested = kg_writing_nested();
	/* Once, for all statements that follow. */
	int path = kg_spi_pin_path();

	put.type = kg_catalog_require_type(
		kg_catalog_newest(put.tenant), type, "/entity_type");
	put.outcomes = outcomes;
	put.context = CurrentMemoryContext;
	put.items = MemoryContextAllocExtended(CurrentMemoryContext,
										   (Size) Max(1, put.outcomes->n) *
											   sizeof(KgPutItem),
										   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	put.names = create_names(put.outcomes->n);
	kg_json_iter_init(&it, items);
	while (kg_json_iter_next(&it))
	{
		CHECK_FOR_INTERRUPTS();
		if (mode == KG_PUT_UPDATE)
			read_patch(&put, it.index, &it.value);
		else
			read_item(&put, it.index, &it.value);
	}
	each_batch(&put, find_stored);
	check_stored(&put);
	kg_put_check_unique(put.tenant, put.type->type_no, put.outcomes, put.items);
	check_references(&put);
	kg_outcomes_settle(put.outcomes);

	put.before = kg_stored_begin();
	scope = kg_scope_begin(put.tenant);
	each_batch(&put, write_rows);
	kg_become_owner(&user);
	kg_scope_end(scope, &user);
	kg_restore_user(&user);
	if (kg_writing_nested() != nested)
		each_batch(&put, review);
	kg_stored_end(put.before);
	report_unwritten(&put, kg_writing_nested() != nested);
	if (outcomes->told)
		tell(&put, kg_writing_nested() != nested);
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

/* ---- deleting ---- */

typedef struct NodeItem
{
	int64 node; /* hash key */
	int item;
} NodeItem;

typedef struct Removal
{
	const char *tenant;
	const KgType *type;
	KgOutcomes *outcomes;
	const int64 *expected; /* versions, or NULL */
	int64 *nodes;		   /* of the items; 0: not found, or a second time */
	HTAB *items;		   /* of NodeItem */
} Removal;

static void
report_moved(Removal *removal, int i)
{
	KgOutcome *outcome = &removal->outcomes->items[i];
	KgError *err = kg_moved_error(
		removal->type, outcome->id, removal->expected[i], outcome->before);

	kg_error_path(err, "/ids/%d/expected_version", i);
	kg_outcome_error(outcome, err);
}

/* The entities, locked: nobody adds a reference to them from here on. */
static void
find_removed(Removal *removal)
{
	static KgForms forms = KG_FORMS_OF_IDS("u.ord, e.node, e.version",
										   " @FOR UPDATE OF e");
	const char *ids[KG_PUT_BATCH];
	HASHCTL ctl;

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(int64);
	ctl.entrysize = sizeof(NodeItem);
	ctl.hcxt = CurrentMemoryContext;
	removal->items = hash_create("kg_graph removed nodes",
								 Max(16, removal->outcomes->n),
								 &ctl,
								 HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	for (int start = 0; start < removal->outcomes->n; start += KG_PUT_BATCH)
	{
		int n = Min(KG_PUT_BATCH, removal->outcomes->n - start);

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < n; i++)
			ids[i] = removal->outcomes->items[start + i].errors.total > 0
						 ? NULL
						 : removal->outcomes->items[start + i].id;
		kg_select_of_ids(&forms, removal->tenant, removal->type, ids, n);
		for (uint64 i = 0; i < SPI_processed; i++)
		{
			int item = start + kg_spi_int64(i, 1) - 1;
			int64 node = kg_spi_int64(i, 2);
			KgOutcome *outcome = &removal->outcomes->items[item];
			bool found;
			NodeItem *entry;

			outcome->before = kg_spi_int64(i, 3);
			/* It stays, and keeps others that it refers to. */
			if (removal->expected && removal->expected[item] != 0 &&
				removal->expected[item] != outcome->before)
			{
				report_moved(removal, item);
				continue;
			}
			entry = hash_search(removal->items, &node, HASH_ENTER, &found);

			/* Rows come in no order: an id given twice counts once. */
			if (found && entry->item < item)
				continue;
			if (found)
				removal->nodes[entry->item] = 0;
			entry->item = item;
			removal->nodes[item] = node;
		}
		SPI_freetuptable(SPI_tuptable);
	}
}

/* Entities that keep others from being deleted, by handle. */
#define KG_NAMED_REFERRERS 20
/* Of so many that there are: of all, whom the caller sees would take long. */
#define KG_MET_REFERRERS 10000

/*
 * Those that refer to a node, as far as the caller sees them: nobody learns how
 * many others there are.
 */
static Jsonb *
visible_referrers(const Removal *removal, int64 node,
				  const KgRestricting *references, int n)
{
	static KgSaved saved = KG_SAVED_BATCH;
	const KgCatalog *catalog = kg_catalog_newest(removal->tenant);
	KgNodeList sources = {CurrentMemoryContext};
	KgJsonWriter w;

	for (int i = 0; i < n && sources.n < KG_MET_REFERRERS; i++)
		if (references[i].target == node)
			kg_node_add(&sources, references[i].source);
	kg_spi_exec(&saved,
				"SELECT bundle, entity_type, entity_id FROM @kg_entity "
				"WHERE tenant = $1 AND node = ANY($2) "
				"ORDER BY entity_type, bundle, entity_id "
				"LIMIT " CppAsString2(KG_NAMED_REFERRERS),
				kg_arg_text(removal->tenant),
				kg_arg_int8s(sources.nodes, sources.n));
	kg_jw_init(&w);
	kg_jw_begin_array(&w);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		const KgType *type = kg_catalog_type_in(
			catalog, kg_spi_cstring(i, 1), kg_spi_cstring(i, 2));

		if (type != NULL)
			kg_jw_string(
				&w,
				psprintf("%s:%s", kg_type_handle(type), kg_spi_cstring(i, 3)));
	}
	kg_jw_end_array(&w);
	SPI_freetuptable(SPI_tuptable);
	return kg_jw_finish(&w);
}

static void
report_restricted(Removal *removal, int i, const KgRestricting *references,
				  int n, const KgRestricting *reference)
{
	KgOutcome *outcome = &removal->outcomes->items[i];
	KgUserContext user;
	const KgType *source;
	KgError *err;

	kg_become_owner(&user);
	source = kg_catalog_field_type(kg_catalog_newest(removal->tenant),
								   reference->field);
	kg_restore_user(&user);
	/* Of types that the caller does not see nothing is said. */
	if (source &&
		kg_catalog_type_no(kg_catalog_newest(removal->tenant), source->type_no))
		err = kg_error_new(KG_REFERENCE_MISSING,
						   "entity of type \"%s\" is still referenced by "
						   "property \"%s\" of type \"%s\"",
						   removal->type->name,
						   reference->field->name,
						   source->name);
	else
		err = kg_error_new(KG_REFERENCE_MISSING,
						   "entity of type \"%s\" is still referenced",
						   removal->type->name);
	kg_error_entity(err, kg_type_handle(removal->type), outcome->id);
	kg_error_path(err, "/ids/%d", i);
	kg_error_keyword(err, "x-on-delete");
	kg_error_got_string(err, outcome->id);
	kg_error_expected(err,
					  "the referring entities changed or deleted first, or "
					  "another \"x-on-delete\"");
	if (removal->outcomes->told)
		kg_error_member(
			err,
			"referenced_by",
			visible_referrers(removal, reference->target, references, n));
	kg_outcome_error(outcome, err);
}

static int
compare_sources(const void *pa, const void *pb)
{
	const KgRestricting *a = pa;
	const KgRestricting *b = pb;

	return a->source < b->source ? -1 : a->source > b->source;
}

/* The first reference whose source is not below a node. */
static int
first_from(const KgRestricting *references, int n, int64 node)
{
	int low = 0;

	while (low < n)
	{
		int middle = low + (n - low) / 2;

		if (references[middle].source < node)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/*
 * An entity stays while one that stays refers to it and restricts: first those
 * that others than the entities to delete refer to, then what these refer to.
 */
static void
find_restricted(Removal *removal)
{
	KgOutcome *items = removal->outcomes->items;
	KgNodeList nodes = {CurrentMemoryContext};
	KgNodeList staying = {CurrentMemoryContext};
	KgRestricting *references;
	KgUserContext user;
	int n;

	for (int i = 0; i < removal->outcomes->n; i++)
		if (removal->nodes[i] != 0)
			kg_node_add(&nodes, removal->nodes[i]);
	if (nodes.n == 0)
		return;
	kg_become_owner(&user);
	n = kg_references_restricting(removal->tenant, &nodes, &references);
	kg_restore_user(&user);
	if (n == 0)
		return;
	qsort(references, n, sizeof(KgRestricting), compare_sources);
	for (int i = 0; i < n; i++)
		if (!hash_search(
				removal->items, &references[i].source, HASH_FIND, NULL) &&
			(i == 0 || references[i].source != references[i - 1].source))
			kg_node_add(&staying, references[i].source);
	for (int i = 0; i < staying.n; i++)
	{
		int64 source = staying.nodes[i];

		CHECK_FOR_INTERRUPTS();
		for (int j = first_from(references, n, source);
			 j < n && references[j].source == source;
			 j++)
		{
			NodeItem *target = hash_search(
				removal->items, &references[j].target, HASH_FIND, NULL);

			if (target == NULL || items[target->item].errors.total > 0)
				continue;
			report_restricted(
				removal, target->item, references, n, &references[j]);
			kg_node_add(&staying, references[j].target);
		}
	}
}

static void
report_kept(Removal *removal, int i)
{
	KgError *err = kg_kept_error("entity", "deleted");

	kg_error_path(err, "/ids/%d", i);
	kg_outcome_error(&removal->outcomes->items[i], err);
}

static void
delete_rows(Removal *removal)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgNodeList nodes = {CurrentMemoryContext};
	KgNodeList deleted = {CurrentMemoryContext};

	for (int i = 0; i < removal->outcomes->n; i++)
	{
		KgOutcome *outcome = &removal->outcomes->items[i];

		if (outcome->errors.total > 0)
			continue;
		outcome->verdict = KG_VERDICT_NOT_FOUND;
		if (removal->nodes[i])
			kg_node_add(&nodes, removal->nodes[i]);
	}
	for (int i = 0; i < nodes.n; i += KG_PUT_BATCH)
	{
		CHECK_FOR_INTERRUPTS();
		kg_spi_exec(
			&saved,
			"DELETE FROM @kg_entity WHERE tenant = $1 "
			"AND node = ANY($2) RETURNING node",
			kg_arg_text(removal->tenant),
			kg_arg_int8s(nodes.nodes + i, Min(KG_PUT_BATCH, nodes.n - i)));
		for (uint64 row = 0; row < SPI_processed; row++)
			kg_node_add(&deleted, kg_spi_int64(row, 1));
		SPI_freetuptable(SPI_tuptable);
	}
	kg_nodes_sort(&deleted);
	for (int i = 0; i < removal->outcomes->n; i++)
	{
		KgOutcome *outcome = &removal->outcomes->items[i];

		if (outcome->errors.total > 0 || removal->nodes[i] == 0)
			continue;
		/* They were locked: what is gone went with others of this call. */
		if (kg_nodes_have(&deleted, removal->nodes[i]) ||
			is_gone(removal->tenant, removal->nodes[i]))
			outcome->verdict = KG_VERDICT_DELETED;
		else
			report_kept(removal, i);
	}
}

/* What triggers put back, under whatever number, is not deleted. */
static void
find_put_back(Removal *removal)
{
	int n = removal->outcomes->n;
	const char **ids = palloc(Max(1, n) * sizeof(char *));
	int64 *nodes = palloc(Max(1, n) * sizeof(int64));
	int *items = palloc(Max(1, n) * sizeof(int));
	KgUserContext user;
	int ndeleted = 0;

	for (int i = 0; i < n; i++)
		if (removal->outcomes->items[i].verdict == KG_VERDICT_DELETED)
		{
			items[ndeleted] = i;
			ids[ndeleted++] = removal->outcomes->items[i].id;
		}
	kg_become_owner(&user);
	for (int i = 0; i < ndeleted; i += KG_PUT_BATCH)
		kg_nodes_of_ids(removal->tenant,
						removal->type,
						ids + i,
						Min(KG_PUT_BATCH, ndeleted - i),
						nodes + i);
	kg_restore_user(&user);
	for (int i = 0; i < ndeleted; i++)
		if (nodes[i] != 0)
			report_kept(removal, items[i]);
}

void
kg_entities_delete(const char *type, KgOutcomes *outcomes,
				   const int64 *expected)
{
	Removal removal = {kg_identity_require(KG_ACCESS_WRITE)};
	KgUserContext user;
	KgScope *scope;
	uint64 nested = kg_writing_nested();

	removal.type = kg_catalog_require_type(
		kg_catalog_newest(removal.tenant), type, "/entity_type");
	removal.outcomes = outcomes;
	removal.expected = expected;
	removal.nodes = MemoryContextAllocExtended(
		CurrentMemoryContext,
		(Size) Max(1, outcomes->n) * sizeof(int64),
		MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	find_removed(&removal);
	find_restricted(&removal);
	kg_outcomes_settle(outcomes);

	scope = kg_scope_begin(removal.tenant);
	delete_rows(&removal);
	kg_become_owner(&user);
	kg_scope_end(scope, &user);
	kg_restore_user(&user);
	if (kg_writing_nested() != nested)
		find_put_back(&removal);
	for (int i = 0; outcomes->told && i < outcomes->n; i++)
	{
		KgOutcome *outcome = &outcomes->items[i];

		outcome->version = outcome->before;
		if (outcome->verdict == KG_VERDICT_NOT_FOUND)
			outcome->nearest = kg_outcomes_nearest(
				outcomes, removal.type, outcome->id);
	}
	kg_outcomes_settle(outcomes);
}

Jsonb *
kg_delete_entities(const char *type, ArrayType *ids, const Jsonb *options)
{
	KgOutcomes *outcomes;
	Datum *elements;
	bool *nulls;
	int n;

	deconstruct_array(
		ids, TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &n);
	outcomes = kg_outcomes_make("entities", n, kg_put_atomic(options), false);
	for (int i = 0; i < n; i++)
	{
		KgError *err;

		if (!nulls[i])
		{
			outcomes->items[i].id = TextDatumGetCString(elements[i]);
			continue;
		}
		err = kg_error_new(KG_INVALID_INPUT, "an id is null");
		kg_error_path(err, "/ids/%d", i);
		kg_error_expected(err, "a string");
		kg_outcome_error(&outcomes->items[i], err);
	}
	kg_entities_delete(type, outcomes, NULL);
	return kg_outcomes_result(outcomes);
}
