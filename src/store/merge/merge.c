/*
 * merge.c
 *	  Merges entities of one type that describe the same thing.
 *
 * Types and relations are locked first, then the entities and their referrers
 * in the common order (KG_LOCK_ORDER). So no session can add a reference or an
 * edge to a locked entity. All effects are decided before the first write.
 * They are written in one scope (scope.h), which checks references and unique
 * values at its end. This is necessary because before the last write,
 * references may have no target, and two entities may have the same unique
 * value.
 *
 * A handle is the text "type:id" of an entity (model/handle.h).
 */
#include "postgres.h"

#include "auth/identity.h"
#include "base/json.h"
#include "base/spi.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "model/bound_table.h"
#include "model/handle.h"
#include "model/id.h"
#include "model/lock.h"
#include "store/check/check.h"
#include "store/derived/extract.h"
#include "store/entity/documents.h"
#include "store/entity/entities.h"
#include "store/entity/entity_ids.h"
#include "store/history/freed.h"
#include "store/history/image.h"
#include "store/merge/merge.h"
#include "store/merge/merge_edges.h"
#include "store/merge/unite.h"
#include "store/reference/enforce.h"
#include "store/reference/on_delete.h"
#include "store/reference/rename.h"
#include "store/reference/scope.h"
#include "store/reference/seen.h"
#include "store/reference/stored.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* Maximum number of entities that one call merges into one entity. */
#define KG_MAX_MERGED 500
/* Maximum numbers of conflicts, and of handles, in a reply or error. */
#define KG_TOLD_CONFLICTS 50
#define KG_TOLD_REFERRERS 20
/*
 * Maximum number of bytes of a string in a report of a conflict; longer
 * strings are cut.
 */
#define KG_TOLD_BYTES 200

/* An entity that refers to a merged entity. */
typedef struct Referrer
{
	const KgType *type;
	int64 node;
	Jsonb *data;
	Jsonb *wanted;
} Referrer;

typedef struct Merge
{
	const KgMerge *args;
	const char *tenant;
	const KgType *type;
	const KgCatalog *catalog; /* catalog of the owner, with locked types */
	KgOutcomes *outcomes;
	int n; /* number of merged entities; the first entity stays */
	int64 *nodes;
	Jsonb **data;
	/* index of the entity whose values are used in conflicts, or -1 */
	int prefer;
	const JsonbContainer *values;
	KgRename rename;
	List *conflicts; /* List of KgUniteConflict * */
	Jsonb *united;
	int nreferrers;
	Referrer *referrers;
	KgMergeEdges edges;
} Merge;

/* ---- arguments ---- */

static char *
path_of(int i)
{
	return i == 0 ? "/keep" : psprintf("/others/%d", i - 1);
}

static int
number_of_id(const Merge *merge, const char *id)
{
	for (int i = 0; i < merge->n; i++)
		if (merge->outcomes->items[i].id != NULL &&
			strcmp(merge->outcomes->items[i].id, id) == 0)
			return i;
	return -1;
}

static void
report(Merge *merge, int i, KgError *err, const char *path)
{
	kg_error_path(err, "%s", path);
	kg_outcome_error(&merge->outcomes->items[i], err);
}

/* Reads the ids. Reports an id that occurs twice. */
static void
read_ids(Merge *merge)
{
	KgOutcome *items = merge->outcomes->items;

	items[0].id = merge->args->keep;
	kg_json_each(it, merge->args->others)
	{
		int i = it.index + 1;
		const char *id = kg_patch_id(
			merge->type, &it.value, path_of(i), &items[i]);
		int first = id == NULL ? -1 : number_of_id(merge, id);

		items[i].id = id;
		if (first < 0)
			continue;
		report(merge,
			   i,
			   KG_ERROR(KG_INVALID_INPUT,
						.message = psprintf(
							first == 0
								? "entity \"%s\" cannot be merged with itself"
								: "id \"%s\" is among the others twice",
							id),
						.got_string = id,
						.expected = "ids of other entities, each once"),
			   path_of(i));
	}
}

static KG_NORETURN void
throw_argument(const char *path, const JsonbValue *got, const char *expected)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = psprintf("\"%s\" is not valid", path + 1),
			 .path = path,
			 .got = got,
			 .expected = expected);
}

static void
read_options(Merge *merge)
{
	const JsonbContainer *options = merge->args->options;
	JsonbValue value;

	merge->prefer = -1;
	if (options == NULL)
		return;
	if (kg_json_get(options, "prefer", &value) != NULL && value.type != jbvNull)
	{
		const char *id = kg_id_of_value(&value);

		if (id != NULL)
			merge->prefer = number_of_id(merge, id);
		if (merge->prefer < 0)
			throw_argument(
				"/prefer", &value, "the id of one of the merged entities");
	}
	if (kg_json_get(options, "values", &value) != NULL && value.type != jbvNull)
	{
		if (!kg_json_is_object(&value))
			throw_argument("/values", &value, "an object {property: value}");
		merge->values = kg_json_container(&value);
	}
}

/*
 * Reports entities that do not have the expected version. Raises an error if
 * the option expected_versions is not valid.
 */
static void
check_versions(Merge *merge)
{
	KgOutcome *items = merge->outcomes->items;
	JsonbValue versions;

	if (merge->args->options == NULL ||
		kg_json_get(merge->args->options, "expected_versions", &versions) ==
			NULL ||
		versions.type == jbvNull)
		return;
	if (!kg_json_is_object(&versions))
		throw_argument(
			"/expected_versions", &versions, "an object {id: version}");
	kg_json_each(it, kg_json_container(&versions))
	{
		char *id = kg_json_cstring(&it.key);
		int i = number_of_id(merge, id);
		int64 expected;

		if (i < 0 || !kg_json_int64(&it.value, &expected) || expected < 1)
			throw_argument("/expected_versions",
						   &versions,
						   "the versions of merged entities, by their ids");
		if (expected != items[i].before)
			report(merge,
				   i,
				   kg_moved_error(merge->type, id, expected, items[i].before),
				   psprintf("/expected_versions/%s", id));
	}
}

/* ---- locks ---- */

/*
 * Locks the type of the merged entities, the types that refer to it, and the
 * relations that join it, against changes. Then reads the newest catalog. Runs
 * as the owner.
 */
static void
lock_catalog(Merge *merge)
{
	const KgCatalog *catalog = kg_catalog_newest(merge->tenant);
	int32 *numbers = palloc((catalog->ntypes + 1) * sizeof(int32));
	int n = 0;

	numbers[n++] = merge->type->type_no;
	for (int i = 0; i < catalog->ntypes; i++)
		if (catalog->types[i].type_no != merge->type->type_no &&
			kg_rename_refers(&merge->rename, kg_type_of(&catalog->types[i])))
			numbers[n++] = catalog->types[i].type_no;
	(void) kg_catalog_locked(merge->tenant, numbers, n);
	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];
		bool joins = false;

		for (int j = 0; j < relation->nvariants && !relation->derived; j++)
			joins |= relation->variants[j].from_type_no ==
						 merge->type->type_no ||
					 relation->variants[j].to_type_no == merge->type->type_no;
		if (joins)
			(void) kg_lock_relation_shared(relation->relation_no);
	}
	merge->catalog = kg_catalog_newest(merge->tenant);
	merge->type = kg_catalog_type_no(merge->catalog, merge->type->type_no);
	if (merge->type == NULL)
		kg_catalog_throw_changed();
	merge->rename = kg_rename_make(merge->type, merge->n);
}

static void
find_nodes(Merge *merge)
{
	const char **ids = palloc(merge->n * sizeof(char *));

	for (int i = 0; i < merge->n; i++)
		ids[i] = merge->outcomes->items[i].id;
	kg_nodes_of_ids(merge->tenant, merge->type, ids, merge->n, merge->nodes);
	for (int i = 0; i < merge->n; i++)
		if (merge->nodes[i] == 0 && ids[i] != NULL)
			kg_outcomes_report_missing(
				merge->outcomes, i, merge->type, path_of(i));
	kg_outcomes_settle(merge->outcomes, merge->tenant);
}

/*
 * Adds to the list "found" the entities whose references may change. Raises
 * KG_FORBIDDEN if the caller does not see such an entity. Raises KG_CONFLICT if
 * such an entity is newer than the snapshot.
 */
static void
find_referrers(const Merge *merge, KgNodeList *found)
{
	KgNodeList nodes = {CurrentMemoryContext};
	KgUserContext user;

	/*
	 * References to the first entity, which stays, change only if its unique
	 * values change.
	 */
	for (int i = merge->type->has_unique ? 0 : 1; i < merge->n; i++)
		kg_node_add(&nodes, merge->nodes[i]);
	kg_become_owner(&user);
	kg_references_find_referrers(merge->tenant, &nodes, found);
	kg_nodes_sort(found);
	kg_require_none_newer(merge->tenant, found->nodes, found->n);
	kg_require_all_seen(
		merge->tenant, &user, found->nodes, found->n, "changed");
	kg_restore_user(&user);
}

static int
merged_number(const Merge *merge, int64 node)
{
	for (int i = 0; i < merge->n; i++)
		if (merge->nodes[i] == node)
			return i;
	return -1;
}

/*
 * Stores the documents that kg_documents_of_nodes() returned. Sets the list
 * "read" to the nodes of these documents.
 */
static void
take_documents(Merge *merge, KgNodeList *read)
{
	uint64 n = SPI_processed;

	read->n = 0;
	merge->nreferrers = 0;
	merge->referrers = MemoryContextAllocHuge(CurrentMemoryContext,
											  (n + 1) * sizeof(Referrer));
	for (uint64 i = 0; i < n; i++)
	{
		KgStoredDocument stored = kg_document(i);
		int number = merged_number(merge, stored.node);
		Referrer *referrer;

		CHECK_FOR_INTERRUPTS();
		kg_node_add(read, stored.node);
		if (number >= 0)
		{
			merge->outcomes->items[number].before = stored.version;
			merge->data[number] = DatumGetJsonbPCopy(stored.data);
			continue;
		}
		referrer = &merge->referrers[merge->nreferrers++];
		referrer->type = kg_catalog_type_no(merge->catalog, stored.type_no);
		if (referrer->type == NULL)
			kg_catalog_throw_changed();
		referrer->node = stored.node;
		referrer->data = DatumGetJsonbPCopy(stored.data);
		merge->outcomes->effects = (int64) hash_combine64(
			(uint64) merge->outcomes->effects,
			hash_combine64((uint64) stored.node, (uint64) stored.version));
	}
	SPI_freetuptable(SPI_tuptable);
	kg_nodes_sort(read);
}

/*
 * Raises KG_FORBIDDEN if one of the nodes is stored but is not in the list
 * "read". The locking statement omits rows that a policy for updates hides.
 */
static void
require_read(const Merge *merge, const KgNodeList *nodes,
			 const KgNodeList *read)
{
	KgNodeList unread = {CurrentMemoryContext};
	KgUserContext user;
	KgError *err;
	int number;

	for (int i = 0; i < nodes->n; i++)
		if (!kg_nodes_have(read, nodes->nodes[i]))
			kg_node_add(&unread, nodes->nodes[i]);
	if (unread.n == 0)
		return;
	kg_become_owner(&user);
	KG_BATCH_LATEST("SELECT node FROM @kg_entity WHERE tenant = $1 "
					"AND node = ANY($2)",
					kg_arg_text(merge->tenant),
					kg_arg_int8s(unread.nodes, unread.n));
	kg_restore_user(&user);
	if (SPI_processed > 0)
	{
		number = merged_number(merge, kg_spi_int64(0, 1));
		err = kg_kept_error("entity", "updated");
		if (number >= 0)
			kg_error_path(err, "%s", path_of(number));
		kg_error_throw(err);
	}
	SPI_freetuptable(SPI_tuptable);
}

/*
 * Returns whether the list "nodes" contains all nodes of the list "others".
 * Both lists must be sorted.
 */
static bool
have_all(const KgNodeList *nodes, const KgNodeList *others)
{
	for (int i = 0; i < others->n; i++)
		if (!kg_nodes_have(nodes, others->nodes[i]))
			return false;
	return true;
}

/*
 * Locks and reads the merged entities and their referrers. While it waits for
 * locks, other sessions may commit more referrers; these are locked in another
 * round. Raises KG_CONFLICT if another session has deleted a merged entity.
 */
static void
lock_entities(Merge *merge)
{
	KgNodeList nodes = {CurrentMemoryContext};
	KgNodeList found = {CurrentMemoryContext};
	KgNodeList read = {CurrentMemoryContext};

	find_referrers(merge, &found);
	do
	{
		nodes.n = 0;
		for (int i = 0; i < found.n; i++)
			kg_node_add(&nodes, found.nodes[i]);
		for (int i = 0; i < merge->n; i++)
			kg_node_add(&nodes, merge->nodes[i]);
		kg_nodes_sort(&nodes);
		memset(merge->data, 0, merge->n * sizeof(Jsonb *));
		merge->outcomes->effects = 0;
		kg_documents_of_nodes(
			KG_LOCK_DELETE, merge->tenant, nodes.nodes, nodes.n);
		take_documents(merge, &read);
		found.n = 0;
		find_referrers(merge, &found);
	} while (!have_all(&nodes, &found));
	require_read(merge, &nodes, &read);
	for (int i = 0; i < merge->n; i++)
		if (merge->data[i] == NULL)
			KG_THROW(KG_CONFLICT,
					 .message = "another session deleted the entity at the "
								"same time",
					 .path = path_of(i),
					 .expected = "the same call, sent again");
}

/* ---- the union ---- */

/* Raises KG_INVALID_INPUT if the entities have different scope paths. */
static void
require_one_scope(const Merge *merge)
{
	text *first = kg_extract_scope(merge->type, merge->data[0]);

	for (int i = 1; i < merge->n && first != NULL; i++)
	{
		text *scope = kg_extract_scope(merge->type, merge->data[i]);

		if (VARSIZE_ANY(scope) == VARSIZE_ANY(first) &&
			memcmp(scope, first, VARSIZE_ANY(first)) == 0)
			continue;
		KG_THROW(KG_INVALID_INPUT,
				 .message = psprintf("entities with different values of \"%s\" "
									 "cannot be merged",
									 merge->type->scope_field->name),
				 .path = path_of(i),
				 .keyword = "x-scope-field",
				 .expected = "entities of the same scope");
	}
}

/*
 * Returns the string value of a property, by which references can name the
 * entity. Returns NULL if it has no value or the value is not a string.
 */
static char *
value_text(const KgField *field, const Jsonb *data)
{
	JsonbValue value;

	return kg_field_value(field, &data->root, &value) && value.type == jbvString
			   ? kg_json_cstring(&value)
			   : NULL;
}

/*
 * Returns a document with the new values of references (kg_rename_in()). The
 * result is "data", or a copy in the current memory context. Resets the scratch
 * context.
 */
static Jsonb *
renamed(const Merge *merge, const KgType *type, Jsonb *data,
		MemoryContext scratch)
{
	MemoryContext old = MemoryContextSwitchTo(scratch);
	Jsonb *result = kg_rename_in(&merge->rename, type, data);

	MemoryContextSwitchTo(old);
	if (result != data)
		result = DatumGetJsonbPCopy(JsonbPGetDatum(result));
	MemoryContextReset(scratch);
	return result;
}

/*
 * Computes the union of the documents. Before that, references of the entities
 * to each other are removed, and all documents get the id of the entity that
 * stays. A reference of an entity to itself becomes a reference to the entity
 * that stays.
 */
static void
unite(Merge *merge)
{
	KgUniteRules rules = kg_unite_type(merge->type, merge->values);
	Jsonb **own = palloc(merge->n * sizeof(Jsonb *));
	KgRename *rename = &merge->rename;
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph rename", ALLOCSET_DEFAULT_SIZES);

	for (int i = 0; i < merge->n; i++)
		for (int of = 0; of < rename->n; of++)
		{
			char *from = of == 0
							 ? (char *) merge->outcomes->items[i].id
							 : value_text(rename->of[of].field, merge->data[i]);

			if (from != NULL)
				kg_rename_add(rename, of, from, i);
		}
	rename->of[0].to = merge->args->keep;
	kg_rename_sort(rename);
	for (int i = 0; i < merge->n; i++)
	{
		rename->self = i;
		own[i] = kg_rename_id(
			merge->type,
			merge->outcomes->items[i].id,
			merge->args->keep,
			renamed(merge, merge->type, merge->data[i], scratch));
	}
	rename->self = -1;
	merge->united = kg_unite(
		&rules, own, merge->n, merge->prefer, &merge->conflicts);
	/*
	 * References by a value that is removed are changed to the value that
	 * stays.
	 */
	for (int of = 1; of < rename->n; of++)
		rename->of[of].to = value_text(rename->of[of].field, merge->united);
	merge->united = renamed(merge, merge->type, merge->united, scratch);
	for (int i = 0; i < merge->nreferrers; i++)
	{
		Referrer *referrer = &merge->referrers[i];

		CHECK_FOR_INTERRUPTS();
		referrer->wanted = renamed(
			merge, referrer->type, referrer->data, scratch);
	}
	MemoryContextDelete(scratch);
}

/* ---- conflicts ---- */

static void
write_value(KgJsonWriter *w, const JsonbValue *value)
{
	char *text;

	if (value->type != jbvString || value->val.string.len <= KG_TOLD_BYTES)
	{
		kg_jw_value(w, value);
		return;
	}
	text = pnstrdup(value->val.string.val,
					pg_mbcliplen(value->val.string.val,
								 value->val.string.len,
								 KG_TOLD_BYTES));
	kg_jw_string(w, psprintf("%s...", text));
}

/*
 * Writes a property with a conflict: its values, each with the id of its
 * entity. "taken" marks the value that is used. owners has the index of the
 * merged entity for each document. If owners is NULL, entity i has document i.
 */
static void
write_conflict(const Merge *merge, const KgUniteConflict *conflict,
			   const int *owners, int n, KgJsonWriter *w)
{
	kg_jw_kstring(w, "property", conflict->property);
	kg_jw_kbegin_array(w, "values");
	for (int i = 0; i < n; i++)
	{
		if (conflict->values[i].type == jbvNull)
			continue;
		kg_jw_begin_object(w);
		kg_jw_kstring(
			w, "id", merge->outcomes->items[owners ? owners[i] : i].id);
		kg_jw_key(w, "value");
		write_value(w, &conflict->values[i]);
		if (conflict->decided == i)
			kg_jw_kbool(w, "taken", true);
		kg_jw_end_object(w);
	}
	kg_jw_end_array(w);
}

static const char *
handle_of(const Merge *merge, int64 node)
{
	KgUserContext user;
	const KgType *type;
	char *handle;

	kg_become_owner(&user);
	KG_SPI_LATEST("SELECT type_no::bigint, entity_id FROM @kg_entity "
				  "WHERE tenant = $1 AND node = $2",
				  kg_arg_text(merge->tenant),
				  kg_arg_int8(node));
	if (SPI_processed == 0)
		kg_catalog_throw_changed();
	type = kg_catalog_type_no(merge->catalog, (int32) kg_spi_int64(0, 1));
	handle = kg_handle_make(type, kg_spi_cstring(0, 2));
	SPI_freetuptable(SPI_tuptable);
	kg_restore_user(&user);
	return handle;
}

static Jsonb *
conflicts(const Merge *merge)
{
	KgJsonWriter w;
	ListCell *lc;
	int told = 0;

	kg_jw_init_array(&w);
	foreach(lc, merge->conflicts)
	{
		if (told++ == KG_TOLD_CONFLICTS)
			break;
		kg_jw_begin_object(&w);
		write_conflict(merge, lfirst(lc), NULL, merge->n, &w);
		kg_jw_end_object(&w);
	}
	foreach(lc, merge->edges.conflicts)
	{
		const KgEdgeConflict *edge = lfirst(lc);

		if (told++ >= KG_TOLD_CONFLICTS)
			break;
		kg_jw_begin_object(&w);
		kg_jw_kstring(&w, "relation", edge->relation->name);
		kg_jw_kstring(&w, "from", handle_of(merge, edge->ends[0]));
		kg_jw_kstring(&w, "to", handle_of(merge, edge->ends[1]));
		write_conflict(merge, edge->conflict, edge->owners, edge->n, &w);
		kg_jw_end_object(&w);
	}
	kg_jw_end_array(&w);
	return kg_jw_finish(&w);
}

static bool
any_conflicts(const Merge *merge)
{
	return merge->conflicts != NIL || merge->edges.conflicts != NIL;
}

static void
require_decided(const Merge *merge)
{
	KgError *err;

	if (merge->prefer >= 0 || !any_conflicts(merge))
		return;
	err = kg_error_new(KG_INVALID_INPUT,
					   "the entities have different values, and the call does "
					   "not say which to take");
	kg_error_path(err, "/prefer");
	kg_error_member(err, "conflicts", conflicts(merge));
	kg_error_throw_expected(err,
							"\"prefer\", the id of the entity whose values are "
							"taken, or \"values\", {property: value}");
}

/*
 * Raises an error unless the merged document has the id of the entity that
 * stays. The values that the caller chose may contain another id.
 */
static void
require_id(const Merge *merge)
{
	const KgField *field = merge->type->id_field;
	JsonbValue id = {.type = jbvNull};
	JsonbValue keep;

	if (kg_field_value(field, &merge->united->root, &id) &&
		kg_id_is(&id, merge->args->keep))
		return;
	kg_id_value(merge->args->keep, merge->type->number_ids, &keep);
	KG_THROW(KG_INVALID_INPUT,
			 .message = "an id cannot be changed",
			 .path = psprintf("/values%s", kg_field_pointer(field)),
			 .got = &id,
			 .expected = "the id of the entity that stays",
			 .instead = kg_json_datum(&keep));
}

/* Returns the id in a document of a type, or NULL. */
static char *
id_of(const KgType *type, const Jsonb *data)
{
	JsonbValue id;

	return kg_field_value(type->id_field, &data->root, &id)
			   ? kg_id_of_value(&id)
			   : NULL;
}

/*
 * Raises KG_ALREADY_EXISTS if a referrer would get the id of another entity. A
 * referrer gets another id if the property with its id is also a reference.
 */
static void
require_free_ids(const Merge *merge)
{
	List *taken = NIL; /* List of handles */

	for (int i = 0; i < merge->nreferrers; i++)
	{
		const Referrer *referrer = &merge->referrers[i];
		char *before;
		char *after;
		char *handle;
		int64 node;
		ListCell *lc;
		bool twice = false;
		KgUserContext user;

		if (referrer->wanted == referrer->data)
			continue;
		before = id_of(referrer->type, referrer->data);
		after = id_of(referrer->type, referrer->wanted);
		if (before == NULL || after == NULL || strcmp(before, after) == 0)
			continue;
		CHECK_FOR_INTERRUPTS();
		handle = kg_handle_make(referrer->type, after);
		foreach(lc, taken)
			twice |= strcmp(handle, lfirst(lc)) == 0;
		taken = lappend(taken, handle);
		kg_become_owner(&user);
		kg_nodes_of_ids(merge->tenant,
						referrer->type,
						(const char *const *) &after,
						1,
						&node);
		kg_restore_user(&user);
		if (node != 0 || twice)
			KG_THROW(KG_ALREADY_EXISTS,
					 .message = psprintf("entity \"%s\" would get the id "
										 "\"%s\" of another entity of type "
										 "\"%s\"",
										 before,
										 after,
										 referrer->type->name),
					 .type = kg_type_handle(referrer->type),
					 .id = before,
					 .got_string = after,
					 .keyword = "x-ref",
					 .expected = "the same call, after one of the two entities "
								 "was deleted");
	}
}

/* ---- writing ---- */

static void
update_referrers(const Merge *merge)
{
	KgColumns changes;

	kg_changes_init(&changes);
	for (int i = 0; i < merge->nreferrers; i++)
		if (merge->referrers[i].wanted != merge->referrers[i].data)
			kg_changes_add(&changes,
						   merge->referrers[i].node,
						   NULL,
						   merge->referrers[i].wanted);
	if (changes.nrows > 0)
		kg_entities_update(merge->tenant, &changes, NULL);
}

/*
 * Returns the types without history whose entities the merge changes: List of
 * KgType *.
 */
static List *
unrecorded_types(const Merge *merge)
{
	List *types = NIL;

	if (!merge->type->history)
		types = lappend(types, (void *) merge->type);
	for (int i = 0; i < merge->nreferrers; i++)
	{
		const Referrer *referrer = &merge->referrers[i];

		if (!referrer->type->history && referrer->wanted != referrer->data)
			types = list_append_unique_ptr(types, (void *) referrer->type);
	}
	return types;
}

/*
 * Returns the relations without history whose edges the merge changes: List of
 * KgRelation *.
 */
static List *
unrecorded_relations(const Merge *merge)
{
	List *relations = NIL;
	ListCell *lc;

	foreach(lc, merge->edges.relations)
		if (!((const KgRelation *) lfirst(lc))->history)
			relations = lappend(relations, lfirst(lc));
	return relations;
}

/*
 * Records the ids of the deleted entities as merged. The records name the types
 * and relations without history, for a later undo.
 */
static void
record_merged(const Merge *merge, const char *const *ids)
{
	List *names = NIL;
	ListCell *lc;

	foreach(lc, unrecorded_types(merge))
	{
		const KgType *type = lfirst(lc);

		names = lappend(names, psprintf("%s/%s", type->bundle, type->name));
	}
	foreach(lc, unrecorded_relations(merge))
	{
		const KgRelation *relation = lfirst(lc);

		names = lappend(names,
						psprintf("%s/%s", relation->bundle, relation->name));
	}
	kg_freed_merged(merge->tenant,
					merge->type,
					ids + 1,
					merge->nodes + 1,
					merge->n - 1,
					merge->nodes[0],
					names);
}

/*
 * Deletes the merged entities except the first, and records their ids as
 * merged. References to them are checked only at the end of the scope. By then,
 * the remaining entity has the values by which the references name their
 * target.
 */
static void
delete_others(const Merge *merge)
{
	const char **ids = palloc(merge->n * sizeof(char *));
	KgUserContext user;

	for (int i = 1; i < merge->n; i++)
		ids[i] = merge->outcomes->items[i].id;
	kg_entities_delete_nodes(merge->tenant, merge->nodes + 1, merge->n - 1);
	SPI_freetuptable(SPI_tuptable);
	if (SPI_processed != merge->n - 1)
		kg_error_throw(kg_kept_error("entity", "deleted"));
	kg_become_owner(&user);
	record_merged(merge, ids);
	kg_restore_user(&user);
}

static bool
is_changed(const Merge *merge)
{
	return !kg_image_same(merge->data[0], merge->united);
}

static void
update_keep(const Merge *merge)
{
	KgColumns changes;

	if (!is_changed(merge))
		return;
	kg_changes_init(&changes);
	kg_changes_add(&changes, merge->nodes[0], NULL, merge->united);
	kg_entities_update(merge->tenant, &changes, NULL);
}

/*
 * Raises an error if triggers of a DBA have created one of the deleted
 * entities again.
 */
static void
require_gone(const Merge *merge)
{
	const char **ids = palloc(merge->n * sizeof(char *));
	int64 *nodes = palloc(merge->n * sizeof(int64));

	for (int i = 1; i < merge->n; i++)
		ids[i] = merge->outcomes->items[i].id;
	kg_nodes_of_ids(
		merge->tenant, merge->type, ids + 1, merge->n - 1, nodes + 1);
	for (int i = 1; i < merge->n; i++)
		if (nodes[i] != 0)
			kg_error_throw(kg_kept_error("entity", "deleted"));
}

static void
write_all(const Merge *merge)
{
	KgScope *scope = kg_scope_begin(merge->tenant);
	KgUserContext user;

	kg_merge_edges_write(merge->catalog, &merge->edges);
	update_referrers(merge);
	delete_others(merge);
	update_keep(merge);
	kg_become_owner(&user);
	kg_scope_end(scope, &user);
	require_gone(merge);
	kg_restore_user(&user);
}

/* ---- the result ---- */

/*
 * Writes the names of types and relations without history, whose changes by
 * the merge are not recorded.
 */
static void
write_unrecorded(const Merge *merge, KgJsonWriter *w)
{
	List *names = NIL;
	ListCell *lc;

	foreach(lc, unrecorded_types(merge))
		names = lappend(names, (char *) kg_type_handle(lfirst(lc)));
	foreach(lc, unrecorded_relations(merge))
		names = lappend(names,
						(char *) ((const KgRelation *) lfirst(lc))->name);
	if (names != NIL)
		kg_jw_klist(w, "not_recorded", names);
}

/*
 * Writes the number of the transaction, which kg_revert() and the tool undo
 * accept. Writes nothing if the type has no history.
 */
static void
write_transaction(const Merge *merge, KgJsonWriter *w)
{
	KgUserContext user;

	if (!merge->type->history)
		return;
	kg_become_owner(&user);
	KG_SPI_LATEST("SELECT transaction FROM @kg_history WHERE tenant = $1 "
				  "AND type_no = $2 AND entity_id = $3 "
				  "ORDER BY change DESC LIMIT 1",
				  kg_arg_text(merge->tenant),
				  kg_arg_int4(merge->type->type_no),
				  kg_arg_text(merge->outcomes->items[1].id));
	if (SPI_processed > 0)
		kg_jw_kint(w, "transaction", kg_spi_int64(0, 1));
	SPI_freetuptable(SPI_tuptable);
	kg_restore_user(&user);
}

static void
write_referrers(const Merge *merge, KgJsonWriter *w)
{
	int64 n = 0;

	kg_jw_kbegin_array(w, "referrers");
	for (int i = 0; i < merge->nreferrers; i++)
		if (merge->referrers[i].wanted != merge->referrers[i].data &&
			n++ < KG_TOLD_REFERRERS)
			kg_jw_string(w, handle_of(merge, merge->referrers[i].node));
	kg_jw_end_array(w);
	kg_jw_kint(w, "referrers_changed", n);
}

static Jsonb *
beside(const Merge *merge)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	write_referrers(merge, &w);
	kg_jw_kbegin_object(&w, "edges");
	kg_jw_kint(&w, "moved", merge->edges.moved);
	kg_jw_kint(&w, "united", merge->edges.united);
	kg_jw_kint(&w, "dropped", merge->edges.dropped);
	kg_jw_end_object(&w);
	if (any_conflicts(merge))
		kg_jw_kjsonb(&w, "conflicts", conflicts(merge));
	write_transaction(merge, &w);
	write_unrecorded(merge, &w);
	return kg_jw_finish(&w);
}

static void
settle(Merge *merge)
{
	KgOutcome *items = merge->outcomes->items;
	KgUserContext user;

	items[0].verdict = KG_VERDICT_UNCHANGED;
	items[0].version = items[0].before;
	if (is_changed(merge))
	{
		items[0].verdict = KG_VERDICT_UPDATED;
		items[0].changed = kg_patch_changes(merge->data[0], merge->united);
	}
	for (int i = 1; i < merge->n; i++)
	{
		items[i].verdict = KG_VERDICT_MERGED;
		items[i].version = items[i].before;
	}
	kg_become_owner(&user);
	KG_SPI_LATEST("SELECT version FROM @kg_entity WHERE tenant = $1 "
				  "AND node = $2",
				  kg_arg_text(merge->tenant),
				  kg_arg_int8(merge->nodes[0]));
	if (SPI_processed > 0)
		items[0].version = kg_spi_int64(0, 1);
	SPI_freetuptable(SPI_tuptable);
	kg_restore_user(&user);
	merge->outcomes->beside = beside(merge);
}

static void
decide(Merge *merge)
{
	KgUserContext user;

	require_one_scope(merge);
	unite(merge);
	kg_become_owner(&user);
	kg_merge_edges_plan(merge->catalog,
						&user,
						merge->nodes,
						merge->n,
						merge->prefer,
						&merge->edges);
	kg_restore_user(&user);
	merge->outcomes->effects = (int64) hash_combine64(
		(uint64) merge->outcomes->effects, merge->edges.digest);
	require_decided(merge);
	require_id(merge);
	require_free_ids(merge);
	(void) kg_entity_check(merge->type,
						   merge->args->keep,
						   merge->united,
						   "/values",
						   &merge->outcomes->items[0].errors);
	kg_entity_check_scope(merge->type,
						  merge->args->keep,
						  merge->united,
						  "/values",
						  &merge->outcomes->items[0].errors);
	kg_outcomes_settle(merge->outcomes, merge->tenant);
}

static void
run(Merge *merge)
{
	KgUserContext user;

	find_nodes(merge);
	kg_become_owner(&user);
	lock_catalog(merge);
	kg_restore_user(&user);
	lock_entities(merge);
	check_versions(merge);
	kg_outcomes_settle(merge->outcomes, merge->tenant);
	decide(merge);
	write_all(merge);
	settle(merge);
}

KgOutcomes *
kg_merge(const KgMerge *args)
{
	Merge merge = {args, kg_identity_require(KG_ACCESS_WRITE)};
	int n = kg_json_length(args->others);

	merge.type = kg_catalog_require_type(
		kg_catalog_newest(merge.tenant), args->type, "/entity_type");
	if (merge.type->binding != NULL)
		kg_binding_refuse(merge.type, "merging");
	if (n < 1 || n > KG_MAX_MERGED)
		KG_THROW(
			KG_INVALID_INPUT,
			.message = psprintf(
				"\"others\" has %d ids; 1 to %d are allowed", n, KG_MAX_MERGED),
			.path = "/others",
			.expected = psprintf("an array of 1 to %d ids", KG_MAX_MERGED));
	merge.n = n + 1;
	merge.outcomes = kg_outcomes_make("entities", merge.n, true, true);
	merge.outcomes->type = merge.type;
	merge.outcomes->nearest = args->nearest;
	merge.nodes = palloc0(merge.n * sizeof(int64));
	merge.data = palloc0(merge.n * sizeof(Jsonb *));
	merge.rename = kg_rename_make(merge.type, merge.n);
	read_ids(&merge);
	kg_outcomes_settle(merge.outcomes, merge.tenant);
	read_options(&merge);
	run(&merge);
	return merge.outcomes;
}

Jsonb *
kg_merge_entities(const char *type, const char *keep, ArrayType *others,
				  const Jsonb *options)
{
	static const char *const known[] = {"prefer",
										"values",
										"expected_versions",
										"idempotency_key",
										"dry_run",
										"reason",
										NULL};
	KgMerge merge = {type, keep};
	const char **ids;
	KgJsonWriter w;
	int n;

	kg_check_options(options, known);
	ids = kg_array_texts(others, true, &n);
	kg_jw_init_array(&w);
	for (int i = 0; i < n; i++)
		if (ids[i] == NULL)
			kg_jw_null(&w);
		else
			kg_jw_string(&w, ids[i]);
	merge.others = &kg_jw_finish(&w)->root;
	merge.options = &options->root;
	return kg_outcomes_result(kg_merge(&merge));
}
