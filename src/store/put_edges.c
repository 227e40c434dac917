/*
 * put_edges.c
 *	  kg_put_edges() and kg_delete_edges(): explicit edges, each the triple of a
 *	  relation and two handles, and a key where the relation has one.
 */
#include "postgres.h"

#include "access/xact.h"
#include "auth/identity.h"
#include "auth/visibility.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "store/edges.h"
#include "store/entities.h"
#include "store/known_ends.h"
#include "store/payload.h"
#include "store/put.h"
#include "store/stored.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

/* Edges in one statement. */
#define KG_EDGE_BATCH 10000

typedef struct EdgeItem
{
	const KgRelation *relation; /* NULL: at fault */
	const char *from;
	const char *to;
	const char *key;   /* NULL: at fault */
	Jsonb *properties; /* or NULL */
} EdgeItem;

/* What an edge is told by. */
typedef struct Identity
{
	int64 source;
	int64 target;
	int64 relation_no;
	const char *key;
} Identity;

typedef struct Edges
{
	const char *tenant;
	const KgCatalog *catalog;
	bool deleting;
	const char *relation; /* of all of them, or NULL: each names its own */
	KgOutcomes *outcomes;
	EdgeItem *items;
	HTAB *seen; /* of Identity */
	KgKnownEnds *known;
} Edges;

static void
report(Edges *edges, int i, KgError *err, const char *member)
{
	kg_error_path(err, "/items/%d%s%s", i, *member ? "/" : "", member);
	kg_outcome_error(&edges->outcomes->items[i], err);
}

/* A string member of an item, or NULL when it is not there. */
static const char *
string_member(Edges *edges, int i, const JsonbContainer *object,
			  const char *name)
{
	JsonbValue value;
	bool present = kg_json_get(object, name, &value) != NULL;
	KgError *err;

	if (present && value.type == jbvString)
		return kg_json_cstring(&value);
	err = present
			  ? kg_error_new(KG_INVALID_INPUT, "\"%s\" is not a string", name)
			  : kg_error_new(KG_INVALID_INPUT, "key \"%s\" is missing", name);
	if (present)
		kg_error_got(err, &value);
	kg_error_expected(err,
					  strcmp(name, "relation") == 0 ? "the name of a relation"
													: "a handle, type:id");
	report(edges, i, err, name);
	return NULL;
}

static bool
is_named(const KgRelation *relation, const char *name)
{
	const char *slash = strchr(name, '/');
	int len = slash ? slash - name : 0;

	if (slash == NULL)
		return strcmp(relation->name, name) == 0;
	return strlen(relation->bundle) == len &&
		   memcmp(relation->bundle, name, len) == 0 &&
		   strcmp(relation->name, slash + 1) == 0;
}

/* The explicit relation of a name, or bundle/name where several have it. */
static const KgRelation *
find_relation(Edges *edges, int i, const char *name)
{
	const KgCatalog *catalog = edges->catalog;
	const KgRelation *result = NULL;
	const char **names = palloc((catalog->nrelations + 1) * sizeof(char *));
	int nnames = 0;
	int nfound = 0;
	bool derived = false;
	KgError *err;

	for (int j = 0; j < catalog->nrelations; j++)
	{
		const KgRelation *relation = &catalog->relations[j];

		if (is_named(relation, name))
		{
			derived |= relation->derived;
			nfound += !relation->derived;
			if (!relation->derived)
				result = relation;
		}
		if (!relation->derived)
			names[nnames++] = relation->name;
	}
	if (nfound == 1)
		return result;
	if (nfound > 1)
		err = kg_error_new(
			KG_INVALID_INPUT, "several bundles have relation \"%s\"", name);
	else if (derived)
		err = kg_error_new(KG_INVALID_INPUT,
						   "edges of relation \"%s\" are derived from an "
						   "\"x-ref\"",
						   name);
	else
		err = kg_error_new(
			KG_UNKNOWN_TYPE, "relation \"%s\" does not exist", name);
	kg_error_got_string(err, name);
	for (int j = 0; j < catalog->nrelations; j++)
	{
		const KgRelation *relation = &catalog->relations[j];

		if (relation->derived)
			continue;
		if (nfound <= 1)
			kg_error_allow(err, relation->name);
		else if (is_named(relation, name))
			kg_error_allow(err,
						   psprintf("%s/%s", relation->bundle, relation->name));
	}
	kg_error_expected(err,
					  nfound > 1 ? "bundle/relation"
								 : "a relation that a bundle declares");
	if (nfound == 0 && !derived)
		kg_error_did_you_mean(err, kg_nearest(name, names, nnames));
	report(edges, i, err, "relation");
	return NULL;
}

/* An edge that is deleted has properties for its key only. */
static void
read_key(Edges *edges, int i)
{
	EdgeItem *item = &edges->items[i];
	KgError *err;

	if (item->relation == NULL)
		return;
	if (edges->deleting && item->properties && item->relation->key == NULL)
	{
		err = kg_error_new(KG_INVALID_INPUT,
						   "edges of relation \"%s\" have no key",
						   item->relation->name);
		kg_error_expected(err, "\"relation\", \"from\" and \"to\"");
		report(edges, i, err, "properties");
		return;
	}
	item->key = kg_edge_key_of(item->relation, item->properties, &err);
	if (item->key == NULL)
		report(edges, i, err, psprintf("properties/%s", item->relation->key));
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

	if (!kg_json_is_object(value))
	{
		err = kg_error_new(KG_INVALID_INPUT, "an item is not an object");
		kg_error_got(err, value);
		kg_error_expected(err,
						  edges->relation ? "{\"from\", \"to\"}"
										  : "{\"relation\", \"from\", \"to\"}");
		report(edges, i, err, "");
		return;
	}
	kg_check_members(object,
					 edges->relation ? members + 1 : members,
					 psprintf("/items/%d", i),
					 &edges->outcomes->items[i].errors);
	relation = edges->relation ? edges->relation
							   : string_member(edges, i, object, "relation");
	item->from = string_member(edges, i, object, "from");
	item->to = string_member(edges, i, object, "to");
	if (relation)
		item->relation = find_relation(edges, i, relation);
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

/* Ids near to one of an end, which is of that type or of one of several. */
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
	const EdgeItem *item = &edges->items[i];
	KgError *err = kg_error_new(KG_REFERENCE_MISSING,
								"edge of relation \"%s\" names an entity "
								"that does not exist",
								item->relation->name);

	kg_error_got_string(err, is_from ? item->from : item->to);
	kg_error_expected(err, "the handle of an existing entity, type:id");
	kg_error_nearest(
		err,
		nearest_end(
			edges, item->relation, is_from ? item->from : item->to, is_from));
	report(edges, i, err, is_from ? "from" : "to");
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
	ctl.entrysize = sizeof(Identity);
	ctl.hash = hash_identity;
	ctl.match = compare_identities;
	ctl.hcxt = CurrentMemoryContext;
	return hash_create("kg_graph put edges",
					   Max(16, n),
					   &ctl,
					   HASH_ELEM | HASH_FUNCTION | HASH_COMPARE | HASH_CONTEXT);
}

/* True the first time; a symmetric edge is the same both ways. */
static bool
enter(Edges *edges, int i, int64 source, int64 target)
{
	const EdgeItem *item = &edges->items[i];
	bool turned = item->relation->symmetric && source > target;
	Identity identity = {turned ? target : source,
						 turned ? source : target,
						 item->relation->relation_no,
						 item->key};
	bool found;
	KgError *err;

	hash_search(edges->seen, &identity, HASH_ENTER, &found);
	if (!found)
		return true;
	err = kg_error_new(KG_ALREADY_EXISTS, "edge is among the items twice");
	kg_error_got_string(
		err, psprintf("%s %s %s", item->from, item->relation->name, item->to));
	kg_error_expected(err,
					  item->relation->key
						  ? "each triple of relation, from and to once a key"
						  : "each triple of relation, from and to once");
	report(edges, i, err, "");
	return false;
}

/* A batch of good items as rows; numbers gives their places. */
static void
collect_rows(Edges *edges, int start, int n, KgColumns *rows, int *numbers)
{
	KgEdgeEnd *ends = palloc0(2 * n * sizeof(KgEdgeEnd));
	const KgRelation **relations = palloc0(n * sizeof(KgRelation *));
	const char **keys = palloc0(n * sizeof(char *));

	for (int i = 0; i < n; i++)
	{
		const EdgeItem *item = &edges->items[start + i];

		if (edges->outcomes->items[start + i].errors.total > 0)
			continue;
		relations[i] = item->relation;
		keys[i] = item->key;
		kg_edge_end_read(
			edges->catalog, item->relation, item->from, true, &ends[2 * i]);
		kg_edge_end_read(
			edges->catalog, item->relation, item->to, false, &ends[2 * i + 1]);
	}
	kg_edge_ends_find(edges->tenant, ends, 2 * n, edges->known);
	kg_edges_turn(edges->tenant, relations, keys, ends, n);
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
					 item->relation->relation_no,
					 target,
					 item->key,
					 item->properties);
	}
}

/* Locks the ends, too, so that they are still there when it is written. */
static void
check_rows(Edges *edges, const KgColumns *rows, const int *numbers)
{
	KgErrorList *lists = palloc(edges->outcomes->n * sizeof(KgErrorList));
	KgEdgeReport to = {"/items", numbers, true, lists};
	KgUserContext user;

	for (int i = 0; i < edges->outcomes->n; i++)
		lists[i] = edges->outcomes->items[i].errors;
	kg_become_owner(&user);
	kg_edges_check(kg_edges_lock(edges->tenant, rows), &user, rows, &to);
	kg_restore_user(&user);
	for (int i = 0; i < edges->outcomes->n; i++)
		edges->outcomes->items[i].errors = lists[i];
	pfree(lists);
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
	const bool *kept;

	kg_edges_compare(edges->tenant, rows, found);
	for (int i = 0; i < rows->nrows; i++)
	{
		if (edges->outcomes->items[numbers[i]].errors.total > 0)
			found[i] = 2;
		to_write[i] = found[i];
	}
	kept = kg_edges_write(edges->tenant, rows, found);
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

/* What is still there was kept by a trigger or a policy, or put back. */
static void
find_kept(Edges *edges, const KgColumns *rows, const int *numbers)
{
	int *found = palloc0(Max(1, rows->nrows) * sizeof(int));

	kg_edges_compare(edges->tenant, rows, found);
	for (int i = 0; i < rows->nrows; i++)
		if (found[i] != 0)
			report_kept(edges, numbers[i], "deleted");
}

static void
delete_rows(Edges *edges, const KgColumns *rows, const int *numbers)
{
	static KgSaved saved = KG_SAVED_BATCH;
	static const Oid types[] = {INT8OID, INT4OID, INT8OID, TEXTOID, INT4OID};
	int *found = palloc0(Max(1, rows->nrows) * sizeof(int));
	KgColumns wanted;
	bool all;

	/* A DELETE is refused there, also one that would find nothing. */
	if (XactReadOnly && rows->nrows > 0)
		kg_edges_compare(edges->tenant, rows, found);
	kg_columns_init(&wanted, CurrentMemoryContext, 5, types);
	for (int i = 0; i < rows->nrows; i++)
	{
		KgOutcome *outcome = &edges->outcomes->items[numbers[i]];

		outcome->verdict = KG_VERDICT_NOT_FOUND;
		if (XactReadOnly && found[i] == 0)
			continue;
		kg_columns_add_row(&wanted);
		for (int j = 0; j <= KG_EDGE_KEY; j++)
			kg_columns_datum(&wanted, j, rows->values[j][i]);
		kg_columns_int32(&wanted, KG_EDGE_KEY + 1, numbers[i]);
	}
	if (wanted.nrows == 0)
		return;
	kg_columns_exec(&saved,
					"DELETE FROM @kg_edge e USING unnest($2, $3, $4, $5, $6) "
					"u(source, relation_no, target, key, item) "
					"WHERE e.tenant = $1 AND e.source = u.source "
					"AND e.relation_no = u.relation_no AND e.key = u.key "
					"AND e.target = u.target "
					"AND e.property IS NULL RETURNING u.item::bigint",
					edges->tenant,
					&wanted);
	for (uint64 i = 0; i < SPI_processed; i++)
		edges->outcomes->items[kg_spi_int64(i, 1)].verdict = KG_VERDICT_DELETED;
	all = SPI_processed == wanted.nrows;
	SPI_freetuptable(SPI_tuptable);
	if (!all || kg_stored_has_own_triggers("kg_edge"))
		find_kept(edges, rows, numbers);
}

static void
run(const JsonbContainer *array, const char *relation, bool deleting,
	KgOutcomes *outcomes)
{
	Edges edges = {kg_identity_require(KG_ACCESS_WRITE)};
	KgColumns *batches;
	int **numbers;
	int n;
	int nbatches;
	KgJsonIter it;

	kg_visibility_require_tenant("write edges");
	edges.catalog = kg_catalog_newest(edges.tenant);
	edges.deleting = deleting;
	edges.relation = relation;
	edges.outcomes = outcomes;
	n = edges.outcomes->n;
	nbatches = (n + KG_EDGE_BATCH - 1) / KG_EDGE_BATCH;
	edges.items = MemoryContextAllocExtended(CurrentMemoryContext,
											 (Size) Max(1, n) *
												 sizeof(EdgeItem),
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	edges.seen = make_seen(n);
	edges.known = kg_known_ends_make();
	kg_json_iter_init(&it, array);
	while (kg_json_iter_next(&it))
	{
		CHECK_FOR_INTERRUPTS();
		read_item(&edges, it.index, &it.value);
	}

	/* With atomic, nothing is written before everything is looked at. */
	batches = palloc(Max(1, nbatches) * sizeof(KgColumns));
	numbers = palloc(Max(1, nbatches) * sizeof(int *));
	for (int i = 0; i < nbatches; i++)
	{
		int start = i * KG_EDGE_BATCH;

		CHECK_FOR_INTERRUPTS();
		numbers[i] = palloc(KG_EDGE_BATCH * sizeof(int));
		kg_edges_init(&batches[i], CurrentMemoryContext);
		collect_rows(&edges,
					 start,
					 Min(KG_EDGE_BATCH, n - start),
					 &batches[i],
					 numbers[i]);
		if (!deleting && batches[i].nrows > 0)
			check_rows(&edges, &batches[i], numbers[i]);
	}
	kg_outcomes_settle(edges.outcomes);
	for (int i = 0; i < nbatches; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (deleting)
			delete_rows(&edges, &batches[i], numbers[i]);
		else
			write_rows(&edges, &batches[i], numbers[i]);
	}
	kg_outcomes_settle(edges.outcomes);
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
 * The ends of edges are looked up as the caller sees them; what it may not see
 * is not touched.
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
	outcomes = kg_outcomes_make(
		"edges", kg_json_length(array), kg_put_atomic(options), false);
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
