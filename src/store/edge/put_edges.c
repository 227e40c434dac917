/*
 * put_edges.c
 *	  kg_put_edges() and kg_delete_edges() for explicit edges. A caller names
 *	  an edge by a relation and two handles, and by a key if the relation has
 *	  a key.
 *
 * A handle is the text "type:id" of an entity (model/handle.h).
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/identity.h"
#include "auth/visibility.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "store/edge/edges.h"
#include "store/edge/given_edges.h"
#include "store/entity/entities.h"
#include "store/edge/known_ends.h"
#include "store/entity/put.h"
#include "store/reference/stored.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

/* Number of edges per statement. */
#define KG_EDGE_BATCH 10000

typedef struct EdgeItem
{
	KgGivenEdge edge;
	Jsonb *properties; /* or NULL */
	int first;		   /* index of an earlier item for the same edge, or -1 */
} EdgeItem;

/* The identity of an edge. */
typedef struct Identity
{
	int64 source;
	int64 target;
	int64 relation_no;
	const char *key;
} Identity;

/* An edge, and the first item that names it. */
typedef struct Place
{
	Identity identity; /* hash key */
	int item;
} Place;

typedef struct Edges
{
	const char *tenant;
	const KgCatalog *catalog;
	bool deleting;
	/* relation of all items; NULL: each item names its relation */
	const char *relation;
	KgOutcomes *outcomes;
	EdgeItem *items;
	HTAB *seen; /* hash table of Place: the edges of previous items */
	KgKnownEnds *known;
} Edges;

static void
report(Edges *edges, int i, KgError *err, const char *member)
{
	kg_error_path(err, "/items/%d%s%s", i, *member ? "/" : "", member);
	kg_outcome_error(&edges->outcomes->items[i], err);
}

/*
 * Returns the name of a relation, or the handle or id of an end. If the member
 * is missing or invalid, reports that and returns NULL.
 */
static const char *
name_member(Edges *edges, int i, const JsonbContainer *object, const char *name)
{
	bool is_end = strcmp(name, "relation") != 0;
	JsonbValue value;
	bool present = kg_json_get(object, name, &value) != NULL;
	KgError *err;
	int64 id;

	if (present && value.type == jbvString)
		return kg_json_cstring(&value);
	if (present && is_end && kg_json_int64(&value, &id))
		return psprintf(INT64_FORMAT, id);
	err = present
			  ? kg_error_new(KG_INVALID_INPUT,
							 "\"%s\" is not a %s",
							 name,
							 is_end ? "handle" : "name")
			  : kg_error_new(KG_INVALID_INPUT, "key \"%s\" is missing", name);
	if (present)
		kg_error_got(err, &value);
	kg_error_expected(err,
					  is_end ? "the handle of an entity, type:id"
							 : "the name of a relation");
	report(edges, i, err, name);
	return NULL;
}

/*
 * Sets the key of an edge from the item's properties, and reports a key that is
 * not valid. Also reports an item to delete that has properties although the
 * relation has no key.
 */
static void
read_key(Edges *edges, int i)
{
	EdgeItem *item = &edges->items[i];
	KgError *err;

	if (item->edge.relation == NULL)
		return;
	if (edges->deleting && item->properties && item->edge.relation->key == NULL)
	{
		err = kg_error_new(KG_INVALID_INPUT,
						   "relation \"%s\" has no key, so \"properties\" "
						   "cannot select an edge",
						   item->edge.relation->name);
		kg_error_expected(err, "an object {\"relation\", \"from\", \"to\"}");
		report(edges, i, err, "properties");
		return;
	}
	item->edge.key = kg_edge_key_of(
		item->edge.relation, item->properties, &err);
	if (item->edge.key == NULL)
		report(
			edges, i, err, psprintf("properties/%s", item->edge.relation->key));
}

static void
read_item(Edges *edges, int i, const JsonbValue *value)
{
	static const char *const members[] = {
		"relation", "from", "to", "properties", NULL};
	EdgeItem *item = &edges->items[i];
	const JsonbContainer *object = kg_json_container(value);
	const char *relation;
	JsonbValue properties;
	KgError *err;

	item->first = -1;
	if (!kg_json_is_object(value))
	{
		err = kg_error_new(KG_INVALID_INPUT, "an item is not an object");
		kg_error_got(err, value);
		kg_error_expected(err,
						  edges->relation
							  ? "an object {\"from\", \"to\"}"
							  : "an object {\"relation\", \"from\", \"to\"}");
		report(edges, i, err, "");
		return;
	}
	kg_check_members(object,
					 edges->relation ? members + 1 : members,
					 psprintf("/items/%d", i),
					 &edges->outcomes->items[i].errors);
	relation = edges->relation ? edges->relation
							   : name_member(edges, i, object, "relation");
	item->edge.from = name_member(edges, i, object, "from");
	item->edge.to = name_member(edges, i, object, "to");
	if (relation)
		item->edge.relation = kg_given_relation(
			edges->catalog, NULL, relation, &err);
	if (relation && item->edge.relation == NULL)
		report(edges, i, err, "relation");
	if (edges->relation)
		edges->outcomes->relation = item->edge.relation;
	if (kg_json_get(object, "properties", &properties))
	{
		if (kg_json_is_object(&properties))
			item->properties = kg_json_datum(&properties);
		else
		{
			err = kg_error_new(KG_INVALID_INPUT,
							   "\"properties\" is not an object");
			kg_error_got(err, &properties);
			kg_error_expected(err, "an object");
			report(edges, i, err, "properties");
			return;
		}
	}
	read_key(edges, i);
}

/*
 * Returns ids that are similar to the given end, or NULL. They are ids of the
 * first type that the relation permits at this end and that has similar ids.
 */
static Jsonb *
nearest_end(const Edges *edges, const KgRelation *relation, const char *given,
			bool is_from)
{
	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgVariant *variant = &relation->variants[i];
		const KgType *type = kg_catalog_type_no(edges->catalog,
												is_from ? variant->from_type_no
														: variant->to_type_no);
		Jsonb *nearest;

		if (type == NULL)
			continue;
		nearest = kg_outcomes_nearest(edges->outcomes, type, given);
		if (nearest != NULL)
			return nearest;
	}
	return NULL;
}

static void
report_end(Edges *edges, int i, bool is_from)
{
	const KgGivenEdge *edge = &edges->items[i].edge;
	const char *end = is_from ? edge->from : edge->to;
	KgError *err = kg_no_end_error(edge->relation, end);
	KgEdgeEnd read;

	report(edges, i, err, is_from ? "from" : "to");
	kg_edge_end_read(edges->catalog, edge->relation, end, is_from, &read);
	if (read.type == NULL ||
		!kg_outcomes_tell_merged(edges->outcomes, err, read.type, read.id, end))
		kg_error_nearest(err, nearest_end(edges, edge->relation, end, is_from));
}

static uint32
hash_identity(const void *key, Size size)
{
	const Identity *identity = key;

	return hash_combine(tag_hash(identity, offsetof(Identity, key)),
						hash_bytes((const unsigned char *) identity->key,
								   strlen(identity->key)));
}

static int
compare_identities(const void *a, const void *b, Size size)
{
	const Identity *x = a;
	const Identity *y = b;
	int order = memcmp(x, y, offsetof(Identity, key));

	return order != 0 ? order : strcmp(x->key, y->key);
}

static HTAB *
make_seen(int n)
{
	HASHCTL ctl;

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(Identity);
	ctl.entrysize = sizeof(Place);
	ctl.hash = hash_identity;
	ctl.match = compare_identities;
	ctl.hcxt = CurrentMemoryContext;
	return hash_create("kg_graph put edges",
					   Max(16, n),
					   &ctl,
					   HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
}

/*
 * Returns the identity of an edge. A symmetric edge has the same identity in
 * both directions.
 */
static Identity
identity_of(const KgGivenEdge *edge, int64 source, int64 target)
{
	bool turned = edge->relation->symmetric && source > target;

	return (Identity){turned ? target : source,
					  turned ? source : target,
					  edge->relation->relation_no,
					  edge->key};
}

/*
 * Returns true if the item is the first item of its edge. Otherwise returns
 * false, and reports the item as a fault. A deletion that reports no versions
 * permits such an item. The index of the first item is then stored in it
 * (settle_repeated()).
 */
static bool
enter(Edges *edges, int i, int64 source, int64 target)
{
	const KgGivenEdge *edge = &edges->items[i].edge;
	Identity identity = identity_of(edge, source, target);
	bool found;
	Place *place = hash_search(edges->seen, &identity, HASH_ENTER, &found);

	if (!found)
		place->item = i;
	else if (edges->deleting && !edges->outcomes->told)
		edges->items[i].first = place->item;
	else
		report(edges, i, kg_edge_twice_error(edge, "among the items"), "");
	return !found;
}

/*
 * Adds the valid items of a batch to "rows". Sets "numbers" to the indexes of
 * these items.
 */
static void
collect_rows(Edges *edges, int start, int n, KgColumns *rows, int *numbers)
{
	KgGivenEdge *given = palloc0(n * sizeof(KgGivenEdge));
	KgEdgeEnd *ends;

	for (int i = 0; i < n; i++)
		if (edges->outcomes->items[start + i].errors.total == 0)
			given[i] = edges->items[start + i].edge;
	ends = kg_given_ends(
		edges->catalog, given, n, NULL, edges->known, !edges->deleting);
	for (int i = 0; i < n; i++)
	{
		const EdgeItem *item = &edges->items[start + i];
		KgOutcome *outcome = &edges->outcomes->items[start + i];
		int64 source = ends[2 * i].node;
		int64 target = ends[2 * i + 1].node;

		if (outcome->errors.total > 0)
			continue;
		if (edges->deleting && (source == 0 || target == 0))
		{
			outcome->verdict = KG_VERDICT_NOT_FOUND;
			continue;
		}
		if (source == 0)
			report_end(edges, start + i, true);
		if (target == 0)
			report_end(edges, start + i, false);
		if (source == 0 || target == 0 ||
			!enter(edges, start + i, source, target))
			continue;
		numbers[rows->nrows] = start + i;
		kg_edges_add(rows,
					 source,
					 item->edge.relation->relation_no,
					 target,
					 item->edge.key,
					 item->properties);
	}
}

static bool
is_between(const KgColumns *rows, int row, int64 a, int64 b)
{
	int64 source = DatumGetInt64(rows->values[KG_EDGE_SOURCE][row]);
	int64 target = DatumGetInt64(rows->values[KG_EDGE_TARGET][row]);

	return (source == a && target == b) || (source == b && target == a);
}

/*
 * Returns whether the ends of a faulty row now have other nodes. This occurs
 * if this session waited for a lock of another session that deleted an entity
 * at an end and created it again.
 */
static bool
ends_made_anew(const Edges *edges, const KgColumns *rows, const int *numbers,
			   const KgErrorList *faults)
{
	KgGivenEdge *given = palloc0(rows->nrows * sizeof(KgGivenEdge));
	KgEdgeEnd *ends;
	bool anew = false;
	bool any = false;

	for (int i = 0; i < rows->nrows; i++)
	{
		if (faults[numbers[i]].total == 0)
			continue;
		given[i] = edges->items[numbers[i]].edge;
		any = true;
	}
	if (!any)
		return false;
	ends = kg_given_ends_now(edges->catalog, given, rows->nrows);
	for (int i = 0; i < rows->nrows && !anew; i++)
	{
		int64 source = ends[2 * i].node;
		int64 target = ends[2 * i + 1].node;

		anew = source != 0 && target != 0 &&
			   !is_between(rows, i, source, target);
	}
	return anew;
}

/*
 * Checks rows, and locks their ends until the transaction ends. If the ends
 * must be looked up again, returns false and reports no errors.
 */
static bool
check_rows(Edges *edges, const KgColumns *rows, const int *numbers)
{
	bool anew;
	KgErrorList *lists = palloc(edges->outcomes->n * sizeof(KgErrorList));
	KgEdgeReport to = {"/items", numbers, true, lists, true};
	KgUserContext user;

	for (int i = 0; i < edges->outcomes->n; i++)
		lists[i] = edges->outcomes->items[i].errors;
	kg_become_owner(&user);
	kg_edges_check(kg_edges_lock(edges->tenant, rows), &user, rows, &to);
	kg_restore_user(&user);
	anew = ends_made_anew(edges, rows, numbers, lists);
	for (int i = 0; i < edges->outcomes->n && !anew; i++)
		edges->outcomes->items[i].errors = lists[i];
	pfree(lists);
	return !anew;
}

/*
 * Forgets the edges of these rows, and the cached ends, so that the rows can
 * be collected again.
 */
static void
forget_rows(Edges *edges, const KgColumns *rows, const int *numbers)
{
	for (int i = 0; i < rows->nrows; i++)
	{
		Identity identity = identity_of(
			&edges->items[numbers[i]].edge,
			DatumGetInt64(rows->values[KG_EDGE_SOURCE][i]),
			DatumGetInt64(rows->values[KG_EDGE_TARGET][i]));

		hash_search(edges->seen, &identity, HASH_REMOVE, NULL);
	}
	kg_known_ends_free(edges->known);
	edges->known = kg_known_ends_make();
}

/*
 * Collects the rows of items. If the call writes edges, also checks the rows.
 */
static void
prepare_rows(Edges *edges, int start, int n, KgColumns *rows, int *numbers)
{
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		kg_edges_init(rows, CurrentMemoryContext);
		collect_rows(edges, start, n, rows, numbers);
		if (edges->deleting || rows->nrows == 0 ||
			check_rows(edges, rows, numbers))
			return;
		forget_rows(edges, rows, numbers);
	}
}

static void
report_kept(Edges *edges, int i, const char *what)
{
	report(edges, i, kg_kept_error("edge", what), "");
}

static void
write_rows(Edges *edges, const KgColumns *rows, const int *numbers)
{
	static const KgVerdict verdicts[] = {
		KG_VERDICT_CREATED, KG_VERDICT_UPDATED, KG_VERDICT_UNCHANGED};
	int *found = palloc0(Max(1, rows->nrows) * sizeof(int));
	int *to_write = palloc(Max(1, rows->nrows) * sizeof(int));
	int64 *states = palloc0(Max(1, rows->nrows) * sizeof(int64));
	const bool *kept;

	kg_edges_compare_states(edges->tenant, rows, found, states);
	for (int i = 0; i < rows->nrows; i++)
		if (edges->outcomes->items[numbers[i]].errors.total > 0)
			found[i] = KG_EDGE_SAME;
	kg_edges_hold(edges->tenant, rows, found, states);
	for (int i = 0; i < rows->nrows; i++)
	{
		to_write[i] = found[i];
		edges->outcomes->items[numbers[i]].before = states[i];
	}
	kept = kg_edges_write_turned(edges->catalog, rows, found);
	for (int i = 0; i < rows->nrows; i++)
	{
		KgOutcome *outcome = &edges->outcomes->items[numbers[i]];

		if (outcome->errors.total > 0)
			continue;
		if (kept && kept[i])
			report_kept(
				edges, numbers[i], to_write[i] == 0 ? "inserted" : "updated");
		else
			outcome->verdict = verdicts[found[i]];
	}
}

/*
 * Reports edges that a trigger or a policy has prevented from being deleted.
 */
static void
find_kept(Edges *edges, const KgColumns *rows, const int *numbers)
{
	int *found = palloc0(Max(1, rows->nrows) * sizeof(int));

	kg_edges_compare(edges->tenant, rows, found);
	for (int i = 0; i < rows->nrows; i++)
		if (found[i] != 0)
			report_kept(edges, numbers[i], "deleted");
}

/*
 * Deletes rows, and sets the verdicts of the deleted edges. items has the
 * indexes of the rows' items. Returns true if all rows were stored.
 */
static bool
delete_found(Edges *edges, const KgColumns *rows, const int *items)
{
	bool all;

	kg_edges_delete(edges->tenant, rows, true);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgOutcome *outcome =
			&edges->outcomes->items[items[kg_spi_int64(i, 1) - 1]];

		outcome->verdict = KG_VERDICT_DELETED;
		outcome->before = kg_edge_state(i, 2);
	}
	all = SPI_processed == rows->nrows;
	SPI_freetuptable(SPI_tuptable);
	return all;
}

/*
 * Deletes rows. While the deletion waited for another session, that session may
 * have deleted and created rows again. The deletion is repeated for such rows.
 * Returns true if all rows were found.
 */
static bool
delete_newest(Edges *edges, KgColumns rows, int *items)
{
	bool all = true;

	for (;;)
	{
		Snapshot before = kg_stored_begin();
		bool *newer = palloc0(rows.nrows * sizeof(bool));
		KgColumns left;

		all = delete_found(edges, &rows, items) && all;
		if (!all)
			kg_edges_find_newer(edges->tenant, &rows, before, newer);
		kg_stored_end(before);
		kg_edges_init(&left, CurrentMemoryContext);
		for (int i = 0; i < rows.nrows; i++)
		{
			if (!newer[i])
				continue;
			items[left.nrows] = items[i];
			kg_edges_copy(&left, &rows, i);
		}
		if (left.nrows == 0)
			return all;
		CHECK_FOR_INTERRUPTS();
		rows = left;
	}
}

/*
 * Returns the rows that were not found and whose ends now have other nodes.
 * This occurs if the deletion waited for another session that deleted an
 * entity at an end and created it again, perhaps with the edge. Sets items to
 * the indexes of these rows.
 */
static KgColumns
find_anew(const Edges *edges, const KgColumns *rows, int *items)
{
	KgGivenEdge *given = palloc0(rows->nrows * sizeof(KgGivenEdge));
	KgColumns anew;
	KgEdgeEnd *ends;

	for (int i = 0; i < rows->nrows; i++)
	{
		const KgOutcome *outcome = &edges->outcomes->items[items[i]];

		if (outcome->verdict == KG_VERDICT_NOT_FOUND &&
			outcome->errors.total == 0)
			given[i] = edges->items[items[i]].edge;
	}
	ends = kg_given_ends_now(edges->catalog, given, rows->nrows);
	kg_edges_init(&anew, CurrentMemoryContext);
	for (int i = 0; i < rows->nrows; i++)
	{
		int64 source = ends[2 * i].node;
		int64 target = ends[2 * i + 1].node;

		if (source == 0 || target == 0 || is_between(rows, i, source, target))
			continue;
		items[anew.nrows] = items[i];
		kg_edges_add(&anew,
					 source,
					 given[i].relation->relation_no,
					 target,
					 given[i].key,
					 NULL);
	}
	return anew;
}

static void
delete_rows(Edges *edges, const KgColumns *rows, const int *numbers)
{
	int *found = palloc0(Max(1, rows->nrows) * sizeof(int));
	int *items = palloc(Max(1, rows->nrows) * sizeof(int));
	int *left = palloc(Max(1, rows->nrows) * sizeof(int));
	KgColumns wanted;

	/*
	 * A read-only transaction rejects each DELETE, even if it would delete no
	 * rows. So the rows are compared first.
	 */
	if (XactReadOnly && rows->nrows > 0)
		kg_edges_compare(edges->tenant, rows, found);
	kg_edges_init(&wanted, CurrentMemoryContext);
	for (int i = 0; i < rows->nrows; i++)
	{
		edges->outcomes->items[numbers[i]].verdict = KG_VERDICT_NOT_FOUND;
		if (XactReadOnly && found[i] == 0)
			continue;
		items[wanted.nrows] = numbers[i];
		kg_edges_copy(&wanted, rows, i);
	}
	while (wanted.nrows > 0)
	{
		bool all;

		CHECK_FOR_INTERRUPTS();
		memcpy(left, items, wanted.nrows * sizeof(int));
		all = delete_newest(edges, wanted, left);
		if (!all || kg_stored_has_own_triggers("kg_edge"))
			find_kept(edges, &wanted, items);
		if (all)
			return;
		wanted = find_anew(edges, &wanted, items);
	}
}

/*
 * Sets the verdicts of items that name the edge of an earlier item. The second
 * deletion of an edge finds no edge, unless the first deletion was prevented.
 */
static void
settle_repeated(Edges *edges)
{
	for (int i = 0; i < edges->outcomes->n; i++)
	{
		int first = edges->items[i].first;

		if (first < 0)
			continue;
		if (edges->outcomes->items[first].errors.total > 0)
			report_kept(edges, i, "deleted");
		else
			edges->outcomes->items[i].verdict = KG_VERDICT_NOT_FOUND;
	}
}

/* Writes or deletes the edges of the items that were read. */
static void
perform(Edges *edges)
{
	int n = edges->outcomes->n;
	int nbatches = (n + KG_EDGE_BATCH - 1) / KG_EDGE_BATCH;
	KgColumns *batches = palloc(Max(1, nbatches) * sizeof(KgColumns));
	int **numbers;

	edges->seen = make_seen(n);
	edges->known = kg_known_ends_make();
	/*
	 * If the option atomic is set, all items are checked before the first
	 * write.
	 */
	numbers = palloc(Max(1, nbatches) * sizeof(int *));
	for (int i = 0; i < nbatches; i++)
	{
		int start = i * KG_EDGE_BATCH;

		numbers[i] = palloc(KG_EDGE_BATCH * sizeof(int));
		prepare_rows(edges,
					 start,
					 Min(KG_EDGE_BATCH, n - start),
					 &batches[i],
					 numbers[i]);
	}
	kg_outcomes_settle(edges->outcomes, edges->tenant);
	for (int i = 0; i < nbatches; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (edges->deleting)
			delete_rows(edges, &batches[i], numbers[i]);
		else
			write_rows(edges, &batches[i], numbers[i]);
	}
	settle_repeated(edges);
	kg_outcomes_settle(edges->outcomes, edges->tenant);
}

static void
run(const JsonbContainer *array, const char *relation, bool deleting,
	KgOutcomes *outcomes)
{
	Edges edges = {kg_identity_require(KG_ACCESS_WRITE)};

	kg_visibility_require_tenant("write edges");
	edges.catalog = kg_catalog_newest(edges.tenant);
	edges.deleting = deleting;
	edges.relation = relation;
	edges.outcomes = outcomes;
	edges.items = MemoryContextAllocExtended(CurrentMemoryContext,
											 (Size) Max(1, outcomes->n) *
												 sizeof(EdgeItem),
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	kg_json_each(it, array)
	{
		CHECK_FOR_INTERRUPTS();
		read_item(&edges, it.index, &it.value);
	}
	perform(&edges);
}

typedef struct Call
{
	const JsonbContainer *items;
	const char *relation;
	bool deleting;
	KgOutcomes *outcomes;
} Call;

static void
run_call(void *arg)
{
	Call *call = arg;

	run(call->items, call->relation, call->deleting, call->outcomes);
}

/*
 * Writes or deletes edges. Ends are looked up as the caller sees them, so
 * edges of hidden entities are not changed.
 */
void
kg_edges_put(const JsonbContainer *items, const char *relation, bool deleting,
			 KgOutcomes *outcomes)
{
	Call call = {items, relation, deleting, outcomes};

	kg_identity_as_tool(run_call, &call);
}

static Jsonb *
put(const Jsonb *items, const Jsonb *options, bool deleting)
{
	const JsonbContainer *array = kg_outcomes_items(items);
	KgOutcomes *outcomes;

	(void) kg_identity_require(KG_ACCESS_WRITE);
	kg_visibility_require_tenant("write edges");
	outcomes = kg_outcomes_of_options(
		"edges", kg_json_length(array), options, false);
	kg_edges_put(array, NULL, deleting, outcomes);
	return kg_outcomes_result(outcomes);
}

Jsonb *
kg_put_edges(const Jsonb *items, const Jsonb *options)
{
	return put(items, options, false);
}

Jsonb *
kg_delete_edges(const Jsonb *items, const Jsonb *options)
{
	return put(items, options, true);
}
