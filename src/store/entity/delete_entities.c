/*
 * delete_entities.c
 *	  kg_delete_entities(): deletes those entities to which no remaining entity
 *	  refers.
 */
#include "postgres.h"

#include "auth/identity.h"
#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "model/bound_table.h"
#include "model/writing.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "store/entity/entities.h"
#include "store/entity/entity_ids.h"
#include "store/reference/on_delete.h"
#include "store/entity/put.h"
#include "store/reference/references.h"
#include "store/reference/enforce.h"
#include "store/reference/scope.h"
#include "store/reference/stored.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

/* Number of entities per statement. */
#define KG_DELETE_BATCH 5000

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
	const int64 *expected; /* expected versions of the items, or NULL */
	/* node of each item; 0: not found, or the id occurred before */
	int64 *nodes;
	int *again;	 /* for each item, the next item with the same id, or 0 */
	HTAB *items; /* hash table of NodeItem: finds an item by its node */
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

/* Returns the index of the next item with the same id, or -1. */
static int
again(const Removal *removal, int i)
{
	return removal->again[i] > 0 ? removal->again[i] : -1;
}

/*
 * Locks the entities of a batch. ids[i] is the id of the item items[i]; it is
 * set to NULL if the entity was locked. Reports an entity whose version is not
 * the expected version.
 */
static void
lock_removed(Removal *removal, const int *items, const char **ids, int n)
{
	static KgForms forms = KG_FORMS_OF_IDS("u.ord, e.node, e.version",
										   " @FOR UPDATE OF e");

	kg_select_of_ids(&forms, removal->tenant, removal->type, ids, n);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		int place = (int) kg_spi_int64(i, 1) - 1;
		int item = items[place];
		int64 node = kg_spi_int64(i, 2);
		KgOutcome *outcome = &removal->outcomes->items[item];
		bool found;
		NodeItem *entry;

		ids[place] = NULL;
		outcome->before = kg_spi_int64(i, 3);
		/*
		 * The entity stays, so an entity to which it refers may have to stay,
		 * too.
		 */
		if (removal->expected && removal->expected[item] != 0 &&
			removal->expected[item] != outcome->before)
		{
			report_moved(removal, item);
			continue;
		}
		entry = hash_search(removal->items, &node, HASH_ENTER, &found);

		/*
		 * The rows of the result have no order. If an id occurs twice, its
		 * first item counts, whichever row comes first.
		 */
		if (found && entry->item < item)
		{
			removal->again[item] = removal->again[entry->item];
			removal->again[entry->item] = item;
			continue;
		}
		if (found)
		{
			removal->nodes[entry->item] = 0;
			removal->again[item] = entry->item;
		}
		entry->item = item;
		removal->nodes[item] = node;
	}
	SPI_freetuptable(SPI_tuptable);
}

/* Locks the entities, so that no session adds a reference to them. */
static void
find_removed(Removal *removal)
{
	const char *ids[KG_DELETE_BATCH];
	int64 nodes[KG_DELETE_BATCH];
	HASHCTL ctl;
	const int *order = kg_outcomes_order(removal->outcomes);

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(int64);
	ctl.entrysize = sizeof(NodeItem);
	ctl.hcxt = CurrentMemoryContext;
	removal->items = hash_create("kg_graph removed nodes",
								 Max(16, removal->outcomes->n),
								 &ctl,
								 HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	for (int start = 0; start < removal->outcomes->n; start += KG_DELETE_BATCH)
	{
		int n = Min(KG_DELETE_BATCH, removal->outcomes->n - start);

		CHECK_FOR_INTERRUPTS();
		memset(nodes, 0, n * sizeof(int64));
		for (int i = 0; i < n; i++)
		{
			const KgOutcome *outcome =
				&removal->outcomes->items[order[start + i]];

			ids[i] = outcome->errors.total > 0 ? NULL : outcome->id;
		}
		do
			lock_removed(removal, order + start, ids, n);
		while (kg_ids_made_anew(removal->tenant, removal->type, ids, n, nodes));
	}
}

/* Maximum number of referring entities that an error names. */
#define KG_NAMED_REFERRERS 20
/*
 * Maximum number of referring entities whose visibility is checked, because
 * checks of more entities would take long.
 */
#define KG_MET_REFERRERS 10000

/*
 * Returns the handles ("type:id") of those entities that refer to a node and
 * that the caller sees. The number of hidden entities is not revealed. At most
 * KG_NAMED_REFERRERS handles are returned.
 */
static Jsonb *
visible_referrers(const Removal *removal, int64 node,
				  const KgRestricting *references, int n)
{
	const KgCatalog *catalog = kg_catalog_newest(removal->tenant);
	KgNodeList sources = {CurrentMemoryContext};
	KgJsonWriter w;

	for (int i = 0; i < n && sources.n < KG_MET_REFERRERS; i++)
		if (references[i].target == node)
			kg_node_add(&sources, references[i].source);
	KG_BATCH_EXEC("SELECT bundle, entity_type, entity_id FROM @kg_entity "
				  "WHERE tenant = $1 AND node = ANY($2) "
				  "ORDER BY entity_type, bundle, entity_id "
				  "LIMIT " CppAsString2(KG_NAMED_REFERRERS),
				  kg_arg_text(removal->tenant),
				  kg_arg_int8s(sources.nodes, sources.n));
	kg_jw_init_array(&w);
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
	const KgType *source = reference->field->type;
	KgError *err;

	/* The error does not name types that the caller does not see. */
	if (kg_catalog_type_no(kg_catalog_newest(removal->tenant), source->type_no))
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
					  "the same call, after the referring entities were "
					  "changed or deleted, or another \"x-on-delete\"");
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

/*
 * Returns the index of the first reference whose source is at least node. The
 * references must be sorted by source.
 */
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

static bool
is_removed(const Removal *removal, int64 node)
{
	NodeItem *entry = hash_search(removal->items, &node, HASH_FIND, NULL);

	return entry && removal->outcomes->items[entry->item].errors.total == 0;
}

/*
 * Adds to the list "staying", without duplicates, the sources of restricting
 * references that will not be deleted. These are neither among the entities to
 * delete nor in the list "going", to which this function adds the nodes that
 * x-on-delete deletes. The references must be sorted by source.
 */
static void
find_staying(const Removal *removal, const KgRestricting *references, int n,
			 KgNodeList *going, KgNodeList *staying)
{
	KgNodeList nodes = {CurrentMemoryContext};
	KgUserContext user;

	for (int i = 0; i < n; i++)
		if (!is_removed(removal, references[i].source) &&
			(i == 0 || references[i].source != references[i - 1].source))
			kg_node_add(staying, references[i].source);
	if (staying->n == 0)
		return;
	for (int i = 0; i < removal->outcomes->n; i++)
		if (removal->nodes[i] != 0 &&
			removal->outcomes->items[i].errors.total == 0)
			kg_node_add(&nodes, removal->nodes[i]);
	kg_become_owner(&user);
	kg_references_cascading(removal->tenant, &nodes, going);
	kg_restore_user(&user);
	for (int i = staying->n - 1; i >= 0; i--)
		if (kg_nodes_have(going, staying->nodes[i]))
			staying->nodes[i] = staying->nodes[--staying->n];
}

/*
 * Reports entities to which an entity in the list "staying" refers with the
 * rule restrict. Adds these entities to the list, because they are not deleted
 * either, and repeats this for the entities to which they refer. Returns
 * whether any entity was added.
 */
static bool
keep_referred(Removal *removal, const KgRestricting *references, int n,
			  KgNodeList *staying)
{
	KgOutcome *items = removal->outcomes->items;
	bool kept = false;

	for (int i = 0; i < staying->n; i++)
	{
		int64 source = staying->nodes[i];

		CHECK_FOR_INTERRUPTS();
		for (int j = first_from(references, n, source);
			 j < n && references[j].source == source;
			 j++)
		{
			NodeItem *target = hash_search(
				removal->items, &references[j].target, HASH_FIND, NULL);

			if (target == NULL || items[target->item].errors.total > 0)
				continue;
			for (int k = target->item; k >= 0; k = again(removal, k))
				report_restricted(removal, k, references, n, &references[j]);
			kg_node_add(staying, references[j].target);
			kept = true;
		}
	}
	return kept;
}

static void
find_restricted(Removal *removal)
{
	KgNodeList nodes = {CurrentMemoryContext};
	KgRestricting *references;
	KgUserContext user;
	bool again = true;
	int n;

	for (int i = 0; i < removal->outcomes->n; i++)
		if (removal->nodes[i] != 0)
			kg_node_add(&nodes, removal->nodes[i]);
	if (nodes.n == 0)
		return;
	kg_become_owner(&user);
	n = kg_references_restricting(removal->tenant, &nodes, &references);
	kg_restore_user(&user);
	qsort(references, n, sizeof(KgRestricting), compare_sources);
	while (n > 0 && again)
	{
		KgNodeList going = {CurrentMemoryContext};
		KgNodeList staying = {CurrentMemoryContext};

		CHECK_FOR_INTERRUPTS();
		find_staying(removal, references, n, &going, &staying);
		/*
		 * An entity that would have been deleted along with a reported entity
		 * may now stay, too, and may prevent other deletions.
		 */
		again = keep_referred(removal, references, n, &staying) && going.n > 0;
	}
}

static void
report_kept(Removal *removal, int i)
{
	for (; i >= 0; i = again(removal, i))
	{
		KgError *err = kg_kept_error("entity", "deleted");

		kg_error_path(err, "/ids/%d", i);
		kg_outcome_error(&removal->outcomes->items[i], err);
	}
}

static void
delete_rows(Removal *removal)
{
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
	for (int i = 0; i < nodes.n; i += KG_DELETE_BATCH)
	{
		CHECK_FOR_INTERRUPTS();
		kg_entities_delete_nodes(removal->tenant,
								 nodes.nodes + i,
								 Min(KG_DELETE_BATCH, nodes.n - i));
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
		/*
		 * The entities are locked. So if an entity is missing, it was deleted
		 * along with other entities of this call.
		 */
		if (kg_nodes_have(&deleted, removal->nodes[i]) ||
			kg_entity_is_gone(removal->tenant, removal->nodes[i], NULL))
			outcome->verdict = KG_VERDICT_DELETED;
		else
			report_kept(removal, i);
	}
}

/*
 * Finds entities that triggers have created again, with the same or another
 * node. Such entities do not count as deleted.
 */
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
	for (int i = 0; i < ndeleted; i += KG_DELETE_BATCH)
		kg_nodes_of_ids(removal->tenant,
						removal->type,
						ids + i,
						Min(KG_DELETE_BATCH, ndeleted - i),
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
	kg_binding_refuse_write(removal.type);
	removal.outcomes = outcomes;
	removal.expected = expected;
	removal.nodes = MemoryContextAllocExtended(
		CurrentMemoryContext,
		(Size) Max(1, outcomes->n) * sizeof(int64),
		MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	removal.again = MemoryContextAllocExtended(
		CurrentMemoryContext,
		(Size) Max(1, outcomes->n) * sizeof(int),
		MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	find_removed(&removal);
	find_restricted(&removal);
	kg_outcomes_settle(outcomes, removal.tenant);

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
		if (outcome->verdict != KG_VERDICT_NOT_FOUND ||
			outcome->errors.total > 0 || outcomes->nearest == NULL)
			continue;
		outcome->merged_into = kg_outcomes_merged_into(
			outcomes, removal.type, outcome->id);
		if (outcome->merged_into == NULL)
			outcome->nearest = kg_outcomes_nearest(
				outcomes, removal.type, outcome->id);
	}
	kg_outcomes_settle(outcomes, removal.tenant);
}

Jsonb *
kg_delete_entities(const char *type, ArrayType *ids, const Jsonb *options)
{
	KgOutcomes *outcomes;
	int n;
	const char **texts = kg_array_texts(ids, true, &n);

	outcomes = kg_outcomes_of_options("entities", n, options, false);
	for (int i = 0; i < n; i++)
	{
		KgError *err;

		outcomes->items[i].id = texts[i];
		if (texts[i] != NULL)
			continue;
		err = kg_error_new(KG_INVALID_INPUT, "an id is null");
		kg_error_path(err, "/ids/%d", i);
		kg_error_expected(err, "a string");
		kg_outcome_error(&outcomes->items[i], err);
	}
	kg_entities_delete(type, outcomes, NULL);
	return kg_outcomes_result(outcomes);
}
