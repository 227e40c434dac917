/*
 * revert.c
 *	  Undoes recorded changes.
 *
 * The changes of each entity are undone from the newest to the oldest,
 * starting from the stored document. A property is undone only if it has the
 * value that the change gave it. All results are checked. Then they are
 * written with one statement each for deletions, updates and insertions.
 * References are checked at the end.
 *
 * An entity that is created again gets its previous node, unless another
 * entity has this node. So its edges can be created again, too. Only a caller
 * that sees every entity of the tenant can undo changes of edges. Derived
 * edges follow from their entities.
 *
 * A handle is the text "type:id" of an entity (model/handle.h).
 */
#include "postgres.h"

#include "auth/identity.h"
#include "base/catch.h"
#include "base/error.h"
#include "base/json.h"
#include "base/settings.h"
#include "base/spi.h"
#include "model/adjacency.h"
#include "model/handle.h"
#include "model/writer.h"
#include "miscadmin.h"
#include "store/check/check.h"
#include "store/derived/columns.h"
#include "store/edge/edges.h"
#include "store/entity/entities.h"
#include "store/entity/entity_ids.h"
#include "store/history/freed.h"
#include "store/history/image.h"
#include "store/entity/put.h"
#include "store/history/revert.h"
#include "store/reference/enforce.h"
#include "store/reference/scope.h"
#include "store/reference/seen.h"
#include "store/reference/stored.h"
#include "utils/builtins.h"

typedef struct Undo
{
	int64 change;
	int64 node;	   /* node of the entity that was changed */
	Jsonb *before; /* document before; NULL: the change created the object */
	Jsonb *after;  /* document after; NULL: the change deleted the object */
} Undo;

/* The identity of an edge. */
typedef struct Edge
{
	const KgRelation *relation;
	int64 ends[2]; /* nodes of source and target */
	char *key;
	const char *handles[2]; /* or NULL */
} Edge;

/* An entity or an edge, with its changes to undo, the newest change first. */
typedef struct Subject
{
	const KgType *type;
	char *id;
	Edge *edge;	 /* NULL: the subject is the entity with this type and id */
	List *undos; /* changes to undo: List of Undo * */
	int64 node;	 /* node of the stored entity, or 0 if it is not stored */
	int64 was;	 /* previous node of an entity that is created again */
	/*
	 * the entity gives its node to a renamed entity, or is renamed and gets the
	 * node
	 */
	bool renamed;
	/* stored document, or NULL; for an edge, its properties or JSON null */
	Jsonb *stored;
	Jsonb *wanted; /* or NULL */
} Subject;

typedef struct Revert
{
	const char *tenant;
	const KgCatalog *catalog;
	bool dry_run;
	const char *reason;
	int64 transaction; /* number of the transaction to undo; 0: none given */
	int64 *numbers;
	int nnumbers;
	List *subjects; /* List of Subject * */
	List *undone;	/* List of Undo *: the changes of all subjects */
	KgErrorList errors;
	/*
	 * names of types and relations whose changes by undone merges are not in
	 * the history
	 */
	List *not_recorded;
} Revert;

/* ---- arguments ---- */

static void
read_options(Revert *revert, const Jsonb *options)
{
	static const char *const known[] = {"dry_run", "reason", NULL};

	kg_check_options(options, known);
	revert->dry_run = kg_option_is_on(options, "dry_run");
	revert->reason = kg_put_reason(options);
}

static KG_NORETURN void
throw_changes(const JsonbValue *got)
{
	KG_THROW(KG_INVALID_INPUT,
			 .message = "\"changes\" has an unknown form",
			 .path = "/changes",
			 .got = got,
			 .expected = "the number of a change, an array of such numbers, or "
						 "{\"transaction\": number}");
}

static int64
number_of(const JsonbValue *value)
{
	int64 n;

	if (value->type != jbvNumeric || !kg_json_int64(value, &n) || n < 1)
		throw_changes(value);
	return n;
}

static void
read_changes(Revert *revert, const Jsonb *changes)
{
	JsonbValue root;
	JsonbValue value;
	KgJsonIter it;

	kg_json_root(changes, &root);
	revert->numbers = palloc(sizeof(int64));
	if (kg_json_is_object(&root) && kg_json_length(&changes->root) == 1 &&
		kg_json_get(&changes->root, "transaction", &value))
		revert->transaction = number_of(&value);
	else if (kg_json_is_array(&root))
	{
		(void) kg_outcomes_items(changes);
		kg_json_iter_init(&it, &changes->root);
		revert->numbers = palloc((kg_json_length(&changes->root) + 1) *
								 sizeof(int64));
		while (kg_json_iter_next(&it))
			revert->numbers[revert->nnumbers++] = number_of(&it.value);
	}
	else if (root.type == jbvNumeric)
		revert->numbers[revert->nnumbers++] = number_of(&root);
	else
		throw_changes(&root);
	if (revert->transaction == 0 && revert->nnumbers == 0)
		throw_changes(&root);
}

/* ---- the changes ---- */

static Subject *
subject_of(Revert *revert, int32 type_no, char *id)
{
	Subject *last = revert->subjects ? llast(revert->subjects) : NULL;

	if (last && last->type->type_no == type_no && strcmp(last->id, id) == 0)
		return last;
	last = palloc0(sizeof(Subject));
	last->type = kg_catalog_type_no(revert->catalog, type_no);
	last->id = id;
	if (last->type == NULL)
		kg_catalog_throw_changed();
	revert->subjects = lappend(revert->subjects, last);
	return last;
}

static Jsonb *
row_jsonb(uint64 row, int column)
{
	bool isnull;
	Datum value = kg_spi_value(row, column, &isnull);

	return isnull ? NULL : DatumGetJsonbPCopy(value);
}

/*
 * Finds the changes of entities that the caller may see. Groups them by
 * entity.
 */
static void
find_changes(void *arg)
{
	Revert *revert = arg;

	if (revert->transaction)
		KG_BATCH_EXEC(
			"SELECT change, type_no::bigint, entity_id, before, after, "
			"node FROM @kg_history WHERE tenant = $1 "
			"AND transaction = $2 "
			"AND type_no IS NOT NULL "
			"ORDER BY type_no, entity_id, version DESC",
			kg_arg_text(revert->tenant),
			kg_arg_int8(revert->transaction));
	else
		KG_BATCH_EXEC(
			"SELECT change, type_no::bigint, entity_id, before, after, "
			"node FROM @kg_history WHERE tenant = $1 "
			"AND change = ANY($2) "
			"AND type_no IS NOT NULL "
			"ORDER BY type_no, entity_id, version DESC",
			kg_arg_text(revert->tenant),
			kg_arg_int8s(revert->numbers, revert->nnumbers));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Subject *subject = subject_of(
			revert, kg_spi_int64(i, 2), kg_spi_cstring(i, 3));
		Undo *undo = palloc(sizeof(Undo));

		CHECK_FOR_INTERRUPTS();
		undo->change = kg_spi_int64(i, 1);
		undo->before = row_jsonb(i, 4);
		undo->after = row_jsonb(i, 5);
		undo->node = kg_spi_int64(i, 6);
		subject->undos = lappend(subject->undos, undo);
		revert->undone = lappend(revert->undone, undo);
	}
	SPI_freetuptable(SPI_tuptable);
}

/* The last change of a deleted entity. */
typedef struct Last
{
	const Revert *revert;
	int64 change; /* number of the change; 0: not found */
	bool seen;
} Last;

static void
see_last(void *arg)
{
	Last *last = arg;

	KG_SPI_EXEC("SELECT FROM @kg_history WHERE tenant = $1 AND change = $2",
				kg_arg_text(last->revert->tenant),
				kg_arg_int8(last->change));
	SPI_freetuptable(SPI_tuptable);
	last->seen = SPI_processed > 0;
}

static int64
last_change(const Revert *revert, const Subject *subject)
{
	int64 change;

	KG_SPI_EXEC("SELECT coalesce(max(change), 0) FROM @kg_history "
				"WHERE tenant = $1 AND type_no = $2 AND entity_id = $3",
				kg_arg_text(revert->tenant),
				kg_arg_int4(subject->type->type_no),
				kg_arg_text(subject->id));
	change = kg_spi_int64(0, 1);
	SPI_freetuptable(SPI_tuptable);
	return change;
}

/*
 * Returns whether the caller sees the entity. If the entity is deleted,
 * returns whether the caller sees its last state.
 */
static bool
is_seen(const Revert *revert, const Subject *subject)
{
	const char *id = subject->id;
	Last last = {revert};
	KgUserContext user;
	int64 stored;
	int64 seen;

	kg_become_owner(&user);
	kg_nodes_of_ids(revert->tenant, subject->type, &id, 1, &stored);
	seen = stored;
	kg_blank_hidden(revert->tenant, &user, &seen, 1);
	if (stored == 0)
		last.change = last_change(revert, subject);
	kg_restore_user(&user);
	if (last.change != 0)
		kg_identity_as_tool(see_last, &last);
	return seen != 0 || last.seen;
}

/*
 * Removes subjects that are hidden from the caller now. The policy of the
 * history has tested only the state at the time of each change.
 */
static void
forget_hidden(Revert *revert)
{
	List *seen = NIL;
	ListCell *lc;

	revert->undone = NIL;
	foreach(lc, revert->subjects)
	{
		Subject *subject = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (!is_seen(revert, subject))
			continue;
		seen = lappend(seen, subject);
		revert->undone = list_concat(revert->undone, subject->undos);
	}
	revert->subjects = seen;
}

static Subject *
edge_subject(Revert *revert, uint64 row, const KgRelation *relation)
{
	Subject *last = revert->subjects ? llast(revert->subjects) : NULL;
	Edge *edge = last ? last->edge : NULL;
	int64 source = kg_spi_int64(row, 3);
	int64 target = kg_spi_int64(row, 4);
	char *key = kg_spi_cstring(row, 5);

	if (edge && edge->relation == relation && edge->ends[0] == source &&
		edge->ends[1] == target && strcmp(edge->key, key) == 0)
		return last;
	last = palloc0(sizeof(Subject));
	last->edge = palloc0(sizeof(Edge));
	last->edge->relation = relation;
	last->edge->ends[0] = source;
	last->edge->ends[1] = target;
	last->edge->key = key;
	revert->subjects = lappend(revert->subjects, last);
	return last;
}

static void
refuse_derived(Revert *revert, int64 change, const KgRelation *relation)
{
	KG_REPORT(
		&revert->errors,
		KG_INVALID_INPUT,
		.message = psprintf("change " INT64_FORMAT " cannot be undone: "
							"edges of relation \"%s\" are derived from an "
							"\"x-ref\"",
							change,
							relation->name),
		.path = "/changes",
		.expected = "an undo of the change of the referring entity");
}

/* Finds the changes of edges. Groups them by edge. */
static void
find_edges(void *arg)
{
	Revert *revert = arg;

	KG_BATCH_EXEC("SELECT change, relation_no::bigint, source, target, key, "
				  "before, after FROM @kg_history WHERE tenant = $1 "
				  "AND change IN (SELECT unnest($2) UNION ALL SELECT change "
				  "FROM @kg_history WHERE tenant = $1 AND transaction = $3) "
				  "AND relation_no IS NOT NULL "
				  "ORDER BY relation_no, source, target, key, change DESC",
				  kg_arg_text(revert->tenant),
				  kg_arg_int8s(revert->numbers, revert->nnumbers),
				  kg_arg_int8(revert->transaction));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		const KgRelation *relation = kg_catalog_relation_no(revert->catalog,
															kg_spi_int64(i, 2));
		Undo *undo = palloc0(sizeof(Undo));
		Subject *subject;

		CHECK_FOR_INTERRUPTS();
		if (relation == NULL)
			kg_catalog_throw_changed();
		undo->change = kg_spi_int64(i, 1);
		undo->before = row_jsonb(i, 6);
		undo->after = row_jsonb(i, 7);
		/*
		 * A derived edge is restored with its entity, so its changes in a
		 * transaction are not undone separately.
		 */
		if (relation->derived && revert->transaction)
			continue;
		revert->undone = lappend(revert->undone, undo);
		if (relation->derived)
		{
			refuse_derived(revert, undo->change, relation);
			continue;
		}
		subject = edge_subject(revert, i, relation);
		subject->undos = lappend(subject->undos, undo);
	}
	SPI_freetuptable(SPI_tuptable);
}

/* A node of an entity among the subjects. */
typedef struct Known
{
	int64 node;
	Subject *subject;
} Known;

static int
compare_known(const void *a, const void *b)
{
	int64 x = ((const Known *) a)->node;
	int64 y = ((const Known *) b)->node;

	return x < y ? -1 : x > y;
}

/*
 * Returns the handle ("type:id") of the entity with this node, or NULL if
 * neither the undone changes nor the stored entities have this node.
 */
static const char *
node_handle(const Revert *revert, const Known *known, int n, int64 node)
{
	Known sought = {node};
	const Known *found = bsearch(
		&sought, known, n, sizeof(Known), compare_known);
	const KgType *type;
	const char *handle = NULL;

	if (found)
		return kg_handle_make(found->subject->type, found->subject->id);
	KG_BATCH_EXEC("SELECT type_no::bigint, entity_id FROM @kg_entity "
				  "WHERE tenant = $1 AND node = $2",
				  kg_arg_text(revert->tenant),
				  kg_arg_int8(node));
	if (SPI_processed > 0)
	{
		type = kg_catalog_type_no(revert->catalog, kg_spi_int64(0, 1));
		handle = kg_handle_make(type, kg_spi_cstring(0, 2));
	}
	SPI_freetuptable(SPI_tuptable);
	return handle;
}

/*
 * Sets the handles ("type:id") of edges' ends, for replies and errors. Call
 * after the entities were read.
 */
static void
name_ends(const Revert *revert)
{
	Known *known = palloc((list_length(revert->subjects) + 1) * sizeof(Known));
	int n = 0;
	ListCell *lc;

	foreach(lc, revert->subjects)
	{
		Subject *subject = lfirst(lc);

		if (subject->edge == NULL)
			known[n++] = (Known){subject->node ? subject->node : subject->was,
								 subject};
	}
	qsort(known, n, sizeof(Known), compare_known);
	foreach(lc, revert->subjects)
	{
		Edge *edge = ((Subject *) lfirst(lc))->edge;

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; edge && i < 2; i++)
			edge->handles[i] = node_handle(revert, known, n, edge->ends[i]);
	}
}

static const char *
end_handle(const Edge *edge, int i)
{
	return edge->handles[i] ? edge->handles[i] : "?";
}

static void
report(Revert *revert, const Subject *subject, KgError *err)
{
	if (subject->edge)
		kg_error_got_string(err,
							psprintf("%s %s %s",
									 end_handle(subject->edge, 0),
									 subject->edge->relation->name,
									 end_handle(subject->edge, 1)));
	else
		kg_error_entity(err, kg_type_handle(subject->type), subject->id);
	kg_error_report(&revert->errors, err);
}

static void
report_missing(Revert *revert, int64 number, const char *path)
{
	KgError *err = kg_error_new(KG_NOT_FOUND,
								revert->transaction
									? "the transaction does not exist"
									: "the change does not exist");
	JsonbValue got;

	got.type = jbvNumeric;
	got.val.numeric = int64_to_numeric(number);
	kg_error_path(err, "%s", path);
	kg_error_got(err, &got);
	kg_error_expected(err, "a number that kg_history() returns");
	kg_error_report(&revert->errors, err);
}

static void
check_found(Revert *revert)
{
	int64 *found = palloc((list_length(revert->undone) + 1) * sizeof(int64));
	int n = 0;
	ListCell *lc;

	if (revert->transaction && revert->undone == NIL)
		report_missing(revert, revert->transaction, "/changes/transaction");
	foreach(lc, revert->undone)
		found[n++] = ((Undo *) lfirst(lc))->change;
	qsort_interruptible(found, n, sizeof(int64), kg_compare_nodes, NULL);
	for (int i = 0; i < revert->nnumbers; i++)
		if (bsearch_arg(&revert->numbers[i],
						found,
						n,
						sizeof(int64),
						kg_compare_nodes,
						NULL) == NULL)
			report_missing(
				revert, revert->numbers[i], psprintf("/changes/%d", i));
}

/* ---- the results ---- */

/*
 * Locks and reads a stored edge. If the edge has no properties, its document
 * is the JSON value null.
 */
static void
read_stored_edge(const Revert *revert, Subject *subject)
{
	const Edge *edge = subject->edge;

	KG_SPI_EXEC("SELECT coalesce(properties, 'null') FROM @kg_edge "
				"WHERE tenant = $1 AND source = $2 AND relation_no = $3 "
				"AND target = $4 AND key = $5 @FOR UPDATE",
				kg_arg_text(revert->tenant),
				kg_arg_int8(edge->ends[0]),
				kg_arg_int4(edge->relation->relation_no),
				kg_arg_int8(edge->ends[1]),
				kg_arg_text(edge->key));
	if (SPI_processed > 0)
		subject->stored = row_jsonb(0, 1);
	SPI_freetuptable(SPI_tuptable);
	subject->wanted = subject->stored;
}

/* Locks and reads the stored entity, if the caller sees it. */
static void
read_stored(const Revert *revert, Subject *subject)
{
	KG_SPI_EXEC("SELECT node, data FROM @kg_entity WHERE tenant = $1 "
				"AND bundle = $2 AND entity_type = $3 AND entity_id = $4 "
				"@FOR UPDATE",
				kg_arg_text(revert->tenant),
				kg_arg_text(subject->type->bundle),
				kg_arg_text(subject->type->name),
				kg_arg_text(subject->id));
	if (SPI_processed > 0)
	{
		subject->node = kg_spi_int64(0, 1);
		subject->stored = row_jsonb(0, 2);
	}
	SPI_freetuptable(SPI_tuptable);
	subject->wanted = subject->stored;
}

static void
report_conflict(Revert *revert, const Subject *subject, const Undo *undo,
				const char *what, List *properties)
{
	KgError *err = kg_error_new(KG_CONFLICT,
								"change " INT64_FORMAT " cannot be undone: %s",
								undo->change,
								what);
	ListCell *lc;

	foreach(lc, properties)
		kg_error_allow(err, lfirst(lc));
	kg_error_path(err, "/changes");
	kg_error_expected(
		err,
		"an undo of the later changes before this change, or together with it");
	report(revert, subject, err);
}

typedef struct Merge
{
	const Jsonb *current;
	List *moved; /* names of properties that later changes have changed */
	/* List of JsonbValue *: a key, then its value or NULL, and so on */
	List *before;
} Merge;

static JsonbValue *
copy_value(const JsonbValue *value)
{
	JsonbValue *copy;

	if (value == NULL)
		return NULL;
	copy = palloc(sizeof(JsonbValue));
	*copy = *value;
	return copy;
}

static void
take_back(const JsonbValue *key, const JsonbValue *before,
		  const JsonbValue *after, void *arg)
{
	Merge *merge = arg;
	JsonbValue current;
	const JsonbValue *now = getKeyJsonValueFromContainer(
		(JsonbContainer *) &merge->current->root,
		key->val.string.val,
		key->val.string.len,
		&current);

	if (!kg_image_same_value(now, after))
		merge->moved = lappend(merge->moved, kg_json_cstring(key));
	merge->before = lappend(merge->before, copy_value(key));
	merge->before = lappend(merge->before, copy_value(before));
}

static const JsonbValue *
replaced(const Merge *merge, const JsonbValue *key, bool *found)
{
	for (int i = 0; i < list_length(merge->before); i += 2)
	{
		const JsonbValue *name = list_nth(merge->before, i);

		if (name->val.string.len == key->val.string.len &&
			memcmp(name->val.string.val,
				   key->val.string.val,
				   key->val.string.len) == 0)
		{
			*found = true;
			return list_nth(merge->before, i + 1);
		}
	}
	*found = false;
	return NULL;
}

static Jsonb *
merged(const Merge *merge)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_json_each(it, &merge->current->root)
	{
		bool found;

		(void) replaced(merge, &it.key, &found);
		if (found)
			continue;
		kg_jw_member(&w, &it);
	}
	for (int i = 0; i < list_length(merge->before); i += 2)
	{
		const JsonbValue *key = list_nth(merge->before, i);
		const JsonbValue *value = list_nth(merge->before, i + 1);

		if (value == NULL)
			continue;
		kg_jw_keyn(&w, key->val.string.val, key->val.string.len);
		kg_jw_value(&w, value);
	}
	return kg_jw_finish(&w);
}

/*
 * Returns the properties of an edge. If it has no properties, returns an empty
 * object.
 */
static const Jsonb *
as_object(const Jsonb *image)
{
	return JB_ROOT_IS_SCALAR(image) ? kg_json_parse("{}") : image;
}

static void
undo_update(Revert *revert, Subject *subject, const Undo *undo)
{
	Merge merge = {as_object(subject->wanted), NIL, NIL};

	kg_image_differences(
		as_object(undo->before), as_object(undo->after), take_back, &merge);
	if (merge.moved)
		report_conflict(revert,
						subject,
						undo,
						"the properties have been changed since",
						merge.moved);
	else if (kg_image_same(subject->wanted, undo->after))
		subject->wanted = undo->before;
	else
		subject->wanted = merged(&merge);
}

/*
 * Undoes one change in the subject, the entity or edge in memory. Returns false
 * if the change cannot be undone. Then earlier changes of the subject cannot be
 * undone either.
 */
static bool
undo_change(Revert *revert, Subject *subject, const Undo *undo)
{
	int64 total = revert->errors.total;
	const char *what = subject->edge ? "edge" : "entity";

	subject->was = undo->node;
	if (undo->after == NULL && subject->wanted != NULL)
		report_conflict(
			revert, subject, undo, psprintf("the %s exists again", what), NIL);
	else if (undo->after == NULL)
		subject->wanted = undo->before;
	else if (subject->wanted == NULL)
		report_conflict(revert,
						subject,
						undo,
						psprintf("the %s does not exist any more", what),
						NIL);
	else if (undo->before != NULL)
		undo_update(revert, subject, undo);
	else if (!kg_image_same(subject->wanted, undo->after))
		report_conflict(revert,
						subject,
						undo,
						psprintf("the %s has been changed since", what),
						NIL);
	else
		subject->wanted = NULL;
	return revert->errors.total == total;
}

static void
settle_subject(Revert *revert, Subject *subject)
{
	ListCell *lc;
	char *id;

	if (subject->edge)
		read_stored_edge(revert, subject);
	else
		read_stored(revert, subject);
	foreach(lc, subject->undos)
		if (!undo_change(revert, subject, lfirst(lc)))
			return;
	/*
	 * The trigger of kg_edge checks edges, so only entities are checked here.
	 */
	if (subject->wanted == NULL || subject->edge ||
		(subject->stored && kg_image_same(subject->wanted, subject->stored)))
		return;
	/* The document is checked because the schema may have changed since. */
	id = kg_entity_id(subject->type, subject->wanted, "", &revert->errors);
	if (id)
		(void) kg_entity_check(
			subject->type, id, subject->wanted, "", &revert->errors);
}

/*
 * Pairs an entity to delete with an entity of the same type to create, if both
 * have the same node. This is so if the change to undo renamed the entity.
 * Instead of the deletion and creation, the entity is updated to its previous
 * id, and keeps its edges.
 */
static void
pair_renamed(const Revert *revert)
{
	Known *gone = palloc((list_length(revert->subjects) + 1) * sizeof(Known));
	int n = 0;
	ListCell *lc;

	foreach(lc, revert->subjects)
	{
		Subject *subject = lfirst(lc);

		if (subject->edge == NULL && subject->stored && subject->wanted == NULL)
			gone[n++] = (Known){subject->node, subject};
	}
	qsort(gone, n, sizeof(Known), compare_known);
	foreach(lc, revert->subjects)
	{
		Subject *subject = lfirst(lc);
		Known sought = {subject->was};
		Known *found;

		if (subject->edge || subject->stored || subject->wanted == NULL)
			continue;
		found = bsearch(&sought, gone, n, sizeof(Known), compare_known);
		if (found == NULL || found->subject->renamed ||
			found->subject->type != subject->type)
			continue;
		found->subject->renamed = subject->renamed = true;
	}
}

static const KgRelation *
relation_named(const KgCatalog *catalog, const char *name)
{
	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (strcmp(psprintf("%s/%s", relation->bundle, relation->name), name) ==
				0 &&
			kg_catalog_joins(catalog, relation))
			return relation;
	}
	return NULL;
}

/*
 * Finds the types and relations whose changes by undone merges are not in the
 * history. A caller that does not see every entity gets none, because such a
 * change may be that of a hidden entity. Call before the entities are created
 * again.
 */
static void
find_not_recorded(Revert *revert)
{
	KgNodeList nodes = {CurrentMemoryContext};
	KgUserContext user;
	List *names;
	ListCell *lc;

	if (!revert->catalog->plain_visibility)
		return;
	foreach(lc, revert->subjects)
	{
		const Subject *subject = lfirst(lc);

		if (subject->edge == NULL && subject->stored == NULL && subject->wanted)
			kg_node_add(&nodes, subject->was);
	}
	kg_become_owner(&user);
	names = kg_freed_not_recorded(revert->tenant, nodes.nodes, nodes.n);
	kg_restore_user(&user);
	foreach(lc, names)
	{
		const KgType *type = kg_catalog_type(revert->catalog, lfirst(lc));
		const KgRelation *relation = relation_named(revert->catalog,
													lfirst(lc));

		if (type != NULL)
			revert->not_recorded = lappend(revert->not_recorded,
										   (char *) kg_type_handle(type));
		else if (relation != NULL)
			revert->not_recorded = lappend(revert->not_recorded,
										   (char *) relation->name);
	}
}

/*
 * Returns whether the undone changes may include edges that the undo leaves as
 * they are, because the caller does not see every entity. The result depends
 * only on types and relations, so it does not reveal hidden edges.
 */
static bool
leaves_edges(const Revert *revert)
{
	const KgCatalog *catalog = revert->catalog;

	for (int i = 0; i < catalog->nrelations && !catalog->plain_visibility; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		for (int j = 0; j < relation->nvariants && !relation->derived; j++)
		{
			const KgVariant *variant = &relation->variants[j];
			ListCell *lc;

			foreach(lc, revert->subjects)
			{
				const Subject *subject = lfirst(lc);
				int32 type_no = subject->type->type_no;

				if (variant->from_type_no == type_no ||
					variant->to_type_no == type_no)
					return true;
			}
		}
	}
	return false;
}

/* ---- writing ---- */

static void
delete_entities(const Revert *revert, KgScope *scope)
{
	KgNodeList nodes = {CurrentMemoryContext};
	ListCell *lc;

	foreach(lc, revert->subjects)
	{
		const Subject *subject = lfirst(lc);

		if (subject->edge == NULL && subject->stored &&
			subject->wanted == NULL && !subject->renamed)
			kg_node_add(&nodes, subject->node);
	}
	if (nodes.n == 0)
		return;
	kg_scope_undoes(scope, &nodes);
	kg_entities_delete_nodes(revert->tenant, nodes.nodes, nodes.n);
	SPI_freetuptable(SPI_tuptable);
	if (SPI_processed != nodes.n)
		kg_error_throw(kg_kept_error("entity", "deleted"));
}

/*
 * Returns whether the subject is stored and is to be updated to another state.
 */
static bool
is_updated(const Subject *subject)
{
	return subject->stored && subject->wanted &&
		   !kg_image_same(subject->stored, subject->wanted);
}

static void
update_entities(const Revert *revert)
{
	KgColumns changes;
	ListCell *lc;

	kg_changes_init(&changes);
	foreach(lc, revert->subjects)
	{
		const Subject *subject = lfirst(lc);
		bool renamed = subject->renamed && subject->wanted;

		if (subject->edge == NULL && (renamed || is_updated(subject)))
			kg_changes_add(&changes,
						   renamed ? subject->was : subject->node,
						   NULL,
						   subject->wanted);
	}
	kg_entities_update(revert->tenant, &changes, NULL);
}

/*
 * Returns whether another entity now has the node. Includes entities that the
 * caller does not see.
 */
static bool
is_taken(const Revert *revert, int64 node)
{
	static KgSaved saved;
	KgUserContext user;
	bool taken;

	kg_become_owner(&user);
	taken = kg_spi_finds(
		&saved,
		"SELECT FROM @kg_entity WHERE tenant = $1 AND node = $2",
		kg_arg_text(revert->tenant),
		kg_arg_int8(node));
	kg_restore_user(&user);
	return taken;
}

static void
create_entities(const Revert *revert)
{
	KgNodeList nodes = {CurrentMemoryContext};
	KgUserContext user;
	KgColumns rows;
	ListCell *lc;

	kg_restored_init(&rows);
	foreach(lc, revert->subjects)
	{
		const Subject *subject = lfirst(lc);

		if (subject->edge || subject->stored || subject->wanted == NULL ||
			subject->renamed)
			continue;
		kg_restored_add(&rows,
						subject->type,
						subject->id,
						subject->wanted,
						is_taken(revert, subject->was) ? 0 : subject->was);
		kg_node_add(&nodes, subject->was);
	}
	if (rows.nrows == 0)
		return;
	if (!kg_entities_restore(revert->tenant, &rows))
		KG_THROW(KG_CONFLICT,
				 .message = "an entity that the changes deleted exists again",
				 .expected = "changes that led to the present state, which "
							 "kg_history() returns");
	kg_become_owner(&user);
	kg_freed_restored(revert->tenant, nodes.nodes, nodes.n);
	kg_restore_user(&user);
}

static void
delete_edges(const Revert *revert)
{
	KgColumns edges;
	ListCell *lc;

	kg_edges_init(&edges, CurrentMemoryContext);
	foreach(lc, revert->subjects)
	{
		const Subject *subject = lfirst(lc);
		const Edge *edge = subject->edge;

		if (edge && subject->stored && subject->wanted == NULL)
			kg_edges_add(&edges,
						 edge->ends[0],
						 edge->relation->relation_no,
						 edge->ends[1],
						 edge->key,
						 NULL);
	}
	if (edges.nrows == 0)
		return;
	kg_edges_delete(revert->tenant, &edges, true);
	SPI_freetuptable(SPI_tuptable);
	if (SPI_processed != edges.nrows)
		kg_error_throw(kg_kept_error("edge", "deleted"));
}

static void
write_edges(const Revert *revert)
{
	int *found = palloc((list_length(revert->subjects) + 1) * sizeof(int));
	KgColumns edges;
	const bool *kept;
	ListCell *lc;

	kg_edges_init(&edges, CurrentMemoryContext);
	foreach(lc, revert->subjects)
	{
		const Subject *subject = lfirst(lc);
		const Edge *edge = subject->edge;

		if (edge == NULL || subject->wanted == NULL ||
			(subject->stored &&
			 kg_image_same(subject->stored, subject->wanted)))
			continue;
		found[edges.nrows] = subject->stored ? KG_EDGE_OTHER : KG_EDGE_NONE;
		kg_edges_add(&edges,
					 edge->ends[0],
					 edge->relation->relation_no,
					 edge->ends[1],
					 edge->key,
					 JB_ROOT_IS_SCALAR(subject->wanted) ? NULL
														: subject->wanted);
	}
	if (edges.nrows == 0)
		return;
	kept = kg_edges_write(revert->tenant, &edges, found);
	for (int i = 0; kept && i < edges.nrows; i++)
		if (kept[i])
			kg_error_throw(kg_kept_error("edge", "written"));
}

/*
 * Computes the updates again, if the tables have triggers of a DBA. Such
 * triggers fired for the deletions and may have changed the entities. Raises an
 * error if changes can no longer be undone.
 */
static void
settle_again(Revert *revert)
{
	ListCell *lc;

	if (!kg_stored_has_own_triggers("kg_entity") &&
		!kg_stored_has_own_triggers("kg_edge"))
		return;
	foreach(lc, revert->subjects)
	{
		Subject *subject = lfirst(lc);

		if (subject->edge || subject->renamed || !is_updated(subject))
			continue;
		subject->stored = NULL;
		settle_subject(revert, subject);
	}
	kg_throw_violations(&revert->errors, "changes cannot be undone");
}

/*
 * Writes all subjects as the caller. References are checked after all is
 * written.
 */
static void
write_all(void *arg)
{
	Revert *revert = arg;
	KgScope *scope = kg_scope_begin(revert->tenant);
	KgUserContext user;

	delete_edges(revert);
	delete_entities(revert, scope);
	settle_again(revert);
	update_entities(revert);
	create_entities(revert);
	write_edges(revert);
	kg_become_owner(&user);
	kg_scope_end(scope, &user);
	kg_restore_user(&user);
}

static void
write_as_revert(void *arg)
{
	const Revert *revert = arg;
	KgWriter writer = {.tool = "kg_revert", .reason = revert->reason};

	kg_writer_run(&writer, write_all, arg);
}

/*
 * Writes all subjects in a subtransaction and rolls it back, to collect the
 * errors.
 */
static void
try_all(Revert *revert)
{
	ErrorData *edata = kg_catch(KG_CATCH_UNDO, write_as_revert, revert);

	if (edata)
		ReThrowError(edata);
}

static void
write_name(KgJsonWriter *w, const Subject *subject)
{
	const Edge *edge = subject->edge;

	if (edge == NULL)
	{
		kg_jw_kstring(w, "entity_type", kg_type_handle(subject->type));
		kg_jw_kstring(w, "id", subject->id);
		return;
	}
	kg_jw_kstring(w, "relation", edge->relation->name);
	kg_jw_kstring(w, "from", end_handle(edge, 0));
	kg_jw_kstring(w, "to", end_handle(edge, 1));
	if (*edge->key != '\0')
		kg_jw_kstring(w, "key", edge->key);
}

typedef enum Verdict
{
	CREATED,
	UPDATED,
	DELETED,
	UNCHANGED
} Verdict;

static Verdict
verdict_of(const Subject *subject)
{
	if (subject->stored == NULL)
		return subject->wanted == NULL ? UNCHANGED : CREATED;
	if (subject->wanted == NULL)
		return DELETED;
	return kg_image_same(subject->stored, subject->wanted) ? UNCHANGED
														   : UPDATED;
}

static void
check_operations(const Revert *revert, KgRevertCheck check)
{
	static const int of_types[] = {
		KG_EXPOSE_CREATE, KG_EXPOSE_UPDATE, KG_EXPOSE_DELETE};
	static const int of_relations[] = {
		KG_EXPOSE_LINK, KG_EXPOSE_LINK, KG_EXPOSE_UNLINK};
	ListCell *lc;

	foreach(lc, revert->subjects)
	{
		const Subject *subject = lfirst(lc);
		Verdict verdict = verdict_of(subject);

		if (verdict == UNCHANGED)
			continue;
		if (subject->edge != NULL)
			check(NULL, subject->edge->relation, of_relations[verdict]);
		else
			check(subject->type, NULL, of_types[verdict]);
	}
}

static Jsonb *
reply(const Revert *revert)
{
	static const char *const names[] = {
		"created", "updated", "deleted", "unchanged"};
	int64 counts[lengthof(names)] = {0};
	KgJsonWriter w;
	ListCell *lc;

	kg_jw_init_object(&w);
	kg_jw_kbegin_array(&w, "items");
	foreach(lc, revert->subjects)
	{
		const Subject *subject = lfirst(lc);
		Verdict verdict = verdict_of(subject);

		counts[verdict]++;
		kg_jw_begin_object(&w);
		write_name(&w, subject);
		kg_jw_kstring(&w, "verdict", names[verdict]);
		kg_jw_end_object(&w);
	}
	kg_jw_end_array(&w);
	kg_jw_kbegin_object(&w, "counts");
	for (int i = 0; i < lengthof(names); i++)
		if (counts[i] > 0)
			kg_jw_kint(&w, names[i], counts[i]);
	kg_jw_end_object(&w);
	if (revert->not_recorded != NIL)
		kg_jw_klist(&w, "not_recorded", revert->not_recorded);
	if (leaves_edges(revert))
		kg_jw_kbool(&w, "without_edges", true);
	if (revert->dry_run)
		kg_jw_kbool(&w, "dry_run", true);
	return kg_jw_finish(&w);
}

typedef struct Call
{
	const Jsonb *changes;
	const Jsonb *options;
	KgRevertCheck check;
	Jsonb *reply;
} Call;

static void
run_call(void *arg)
{
	Call *call = arg;
	Revert revert = {kg_identity_require(KG_ACCESS_WRITE)};
	bool named = false;
	ListCell *lc;

	revert.catalog = kg_catalog_newest(revert.tenant);
	revert.errors.limit = kg_setting_max_errors;
	read_options(&revert, call->options);
	read_changes(&revert, call->changes);
	kg_identity_as_tool(find_changes, &revert);
	if (revert.catalog->plain_visibility)
		find_edges(&revert);
	else
		forget_hidden(&revert);
	check_found(&revert);
	/* Entities are processed first, then edges. */
	foreach(lc, revert.subjects)
	{
		Subject *subject = lfirst(lc);

		if (subject->edge && !named)
			name_ends(&revert);
		named |= subject->edge != NULL;
		settle_subject(&revert, subject);
	}
	kg_throw_violations(&revert.errors, "changes cannot be undone");
	if (call->check != NULL)
		check_operations(&revert, call->check);
	pair_renamed(&revert);
	find_not_recorded(&revert);
	if (revert.dry_run)
		try_all(&revert);
	else
		write_as_revert(&revert);
	call->reply = reply(&revert);
}

Jsonb *
kg_revert(const Jsonb *changes, const Jsonb *options, KgRevertCheck check)
{
	Call call = {changes, options, check};

	kg_again(run_call, &call);
	return call.reply;
}
