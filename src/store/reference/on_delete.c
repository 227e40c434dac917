/*
 * on_delete.c
 *	  The effects of a deletion on the entities that refer to the deleted
 *	  entity (referrers): x-on-delete.
 *
 * The referrers are found by their edges in kg_edge. After a referrer is
 * locked, its references are read from its document, because several
 * properties may give one edge, and because the referrer may have changed
 * while its lock was awaited.
 *
 * All cascading deletions are found before anything is written, and are done
 * by one statement. Triggers of a DBA that fire in this statement may change
 * or delete other referrers. So an update of a referrer is computed from the
 * row immediately before the update. Entities that triggers delete are
 * processed next.
 */
#include "postgres.h"

#include "base/extension.h"
#include "base/json.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "model/key.h"
#include "store/derived/columns.h"
#include "store/entity/documents.h"
#include "store/entity/entities.h"
#include "store/entity/entity_ids.h"
#include "store/reference/on_delete.h"
#include "store/reference/rename.h"
#include "store/reference/scope.h"
#include "store/reference/seen.h"
#include "store/reference/stored.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

/* Number of nodes per statement. */
#define KG_ON_DELETE_CHUNK 10000

/* An edge to a deleted node. */
typedef struct Incoming
{
	int64 source;
	int64 target;
	int32 type_no; /* number of the type of the source */
	int32 relation_no;
	bool derived;
	bool undone; /* the scope undoes the creation of the target */
} Incoming;

typedef struct IncomingList
{
	MemoryContext context;
	Incoming *items;
	int n;
} IncomingList;

/* Compares two edges by source, then by relation number, for qsort(). */
static int
compare_incoming(const void *pa, const void *pb)
{
	const Incoming *a = pa;
	const Incoming *b = pb;

	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return a->relation_no < b->relation_no ? -1
										   : a->relation_no > b->relation_no;
}

static void
read_chunk(const char *tenant, const int64 *nodes, int n, IncomingList *list)
{
	uint64 count;

	KG_BATCH_LATEST("SELECT d.source, d.target, e.type_no::bigint, "
					"d.relation_no::bigint, d.property IS NOT NULL "
					"FROM @kg_edge d JOIN @kg_entity e "
					"ON e.tenant = $1 AND e.node = d.source "
					"WHERE d.tenant = $1 AND d.target = ANY($2)",
					kg_arg_text(tenant),
					kg_arg_int8s(nodes, n));
	count = SPI_processed;
	if (count > 0)
		list->items = list->items
						  ? repalloc_huge(list->items,
										  (list->n + count) * sizeof(Incoming))
						  : MemoryContextAllocHuge(list->context,
												   count * sizeof(Incoming));
	for (uint64 i = 0; i < count; i++)
	{
		Incoming *item = &list->items[list->n++];

		item->source = kg_spi_int64(i, 1);
		item->target = kg_spi_int64(i, 2);
		item->type_no = kg_spi_int64(i, 3);
		item->relation_no = kg_spi_int64(i, 4);
		item->derived = DatumGetBool(kg_spi_datum(i, 5));
		item->undone = false;
	}
	SPI_freetuptable(SPI_tuptable);
}

/* Adds to the list the edges that end at the nodes. Reads the newest rows. */
static void
read_incoming(const char *tenant, const KgNodeList *nodes, IncomingList *list)
{
	for (int i = 0; i < nodes->n; i += KG_ON_DELETE_CHUNK)
	{
		CHECK_FOR_INTERRUPTS();
		read_chunk(tenant,
				   nodes->nodes + i,
				   Min(KG_ON_DELETE_CHUNK, nodes->n - i),
				   list);
	}
}

/*
 * Returns the number of the type of a node. Searches n rows (node, type_no) of
 * the last statement, which must be sorted by node. Returns 0 if no row has the
 * node.
 */
static int32
find_type(uint64 n, int64 node)
{
	uint64 low = 0;
	uint64 high = n;

	while (low < high)
	{
		uint64 middle = low + (high - low) / 2;

		if (kg_spi_int64(middle, 1) < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && kg_spi_int64(low, 1) == node
			   ? (int32) kg_spi_int64(low, 2)
			   : 0;
}

/*
 * Adds lost edges to the list: edges to deleted nodes that are not stored,
 * because their source entities were written after the targets had been
 * deleted.
 */
static void
read_lost(const char *tenant, const KgLostEdges *lost, const KgNodeList *nodes,
		  IncomingList *list)
{
	KgNodeList sources = {list->context};
	Incoming *items;
	uint64 n;

	for (int i = 0; i < lost->n; i++)
		if (kg_nodes_have(nodes, lost->edges[i].target))
			kg_node_add(&sources, lost->edges[i].source);
	if (sources.n == 0)
		return;
	kg_nodes_sort(&sources);
	KG_BATCH_LATEST("SELECT node, type_no::bigint FROM @kg_entity "
					"WHERE tenant = $1 AND node = ANY($2) ORDER BY node",
					kg_arg_text(tenant),
					kg_arg_int8s(sources.nodes, sources.n));
	n = SPI_processed;
	items = MemoryContextAllocHuge(list->context,
								   (list->n + lost->n) * sizeof(Incoming));
	if (list->n > 0)
		memcpy(items, list->items, list->n * sizeof(Incoming));
	list->items = items;
	for (int i = 0; i < lost->n; i++)
	{
		const KgEdgeKey *edge = &lost->edges[i];
		int32 type_no = kg_nodes_have(nodes, edge->target)
							? find_type(n, edge->source)
							: 0;

		if (type_no != 0)
			list->items[list->n++] = (Incoming){
				.source = edge->source,
				.target = edge->target,
				.type_no = type_no,
				.relation_no = edge->relation_no,
				.derived = true};
	}
	SPI_freetuptable(SPI_tuptable);
}

static void
sort_incoming(IncomingList *list)
{
	if (list->n > 0)
		qsort(list->items, list->n, sizeof(Incoming), compare_incoming);
}

/*
 * Adds the sources of derived edges if "derived" is true, otherwise the
 * sources of explicit edges. Omits duplicates.
 */
static void
sources_of(const IncomingList *list, bool derived, KgNodeList *sources)
{
	for (int i = 0; i < list->n; i++)
	{
		const Incoming *item = &list->items[i];

		if (item->derived == derived &&
			(sources->n == 0 || sources->nodes[sources->n - 1] != item->source))
			kg_node_add(sources, item->source);
	}
}

/*
 * Locks the types of the sources of derived edges against changes. Returns the
 * locked catalog (kg_catalog_locked()).
 */
static const KgCatalog *
lock_types(const char *tenant, const IncomingList *list)
{
	int32 *type_nos = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) Max(1, list->n) * sizeof(int32));
	const KgCatalog *catalog;
	int n = 0;

	for (int i = 0; i < list->n; i++)
		if (list->items[i].derived)
			type_nos[n++] = list->items[i].type_no;
	catalog = kg_catalog_locked(tenant, type_nos, n);
	pfree(type_nos);
	return catalog;
}

/*
 * Returns the index of the first edge whose source is at least node. The list
 * must be sorted by source.
 */
static int
first_from(const IncomingList *list, int64 node)
{
	int low = 0;
	int high = list->n;

	while (low < high)
	{
		int middle = low + (high - low) / 2;

		if (list->items[middle].source < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Returns whether an edge of the list may be derived from the reference. If
 * "undone" is true, considers only edges to entities whose creation is undone.
 */
static bool
makes_edge(const IncomingList *list, const KgFieldReference *reference,
		   bool undone)
{
	for (int i = first_from(list, reference->source);
		 i < list->n && list->items[i].source == reference->source;
		 i++)
		if (list->items[i].derived &&
			list->items[i].relation_no == reference->field->relation_no &&
			(list->items[i].undone || !undone))
			return true;
	return false;
}

static void
keep_edges_of(const IncomingList *list, KgReferenceList *references)
{
	int kept = 0;

	for (int i = 0; i < references->n; i++)
		if (makes_edge(list, &references->items[i], false))
			references->items[kept++] = references->items[i];
	references->n = kept;
}

static void
delete_explicit(const char *tenant, const int64 *nodes, int n)
{
	static KgSaved left = KG_SAVED_BATCH;
	KgArg of = kg_arg_int8s(nodes, n);

	/*
	 * Also deletes edges that are newer than the snapshot, which raises
	 * SQLSTATE 40001.
	 */
	KG_BATCH_LATEST("DELETE FROM @kg_edge WHERE tenant = $1 "
					"AND target = ANY($2) AND property IS NULL",
					kg_arg_text(tenant),
					of);
	kg_stored_require_no_edges(
		&left,
		"SELECT FROM @kg_edge WHERE tenant = $1 "
		"AND target = ANY($2) AND property IS NULL LIMIT 1",
		tenant,
		of);
}

/* A referrer that is locked, and the rule to apply to it. */
typedef struct Referrer
{
	int64 node; /* hash key */
	Jsonb *data;
	bool loses;		 /* the referrer has a reference that loses its target */
	KgOnDelete rule; /* the strictest rule of these references */
} Referrer;

/*
 * Locks the sources of edges, and adds their references to the list. Returns a
 * hash table of the sources (struct Referrer) by node. If a row is newer than
 * the transaction's snapshot, a later write of it raises SQLSTATE 40001.
 */
static HTAB *
lock_referrers(const KgCatalog *catalog, const int64 *nodes, int n,
			   KgReferenceList *references)
{
	MemoryContext context = CurrentMemoryContext;
	HASHCTL ctl;
	HTAB *referrers;

	memset(&ctl, 0, sizeof(ctl));
	ctl.keysize = sizeof(int64);
	ctl.entrysize = sizeof(Referrer);
	ctl.hcxt = CurrentMemoryContext;
	referrers = hash_create("kg_graph referrers",
							Max(16, n),
							&ctl,
							HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	kg_documents_of_nodes(KG_LOCK_CHANGE, catalog->tenant, nodes, n);
	MemoryContextSwitchTo(context);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		KgStoredDocument stored = kg_document(i);
		const KgType *type = kg_catalog_type_no(catalog, stored.type_no);
		Referrer *referrer = hash_search(
			referrers, &stored.node, HASH_ENTER, NULL);

		referrer->data = DatumGetJsonbPCopy(stored.data);
		referrer->loses = false;
		referrer->rule = KG_ON_DELETE_SET_NULL;
		if (type)
			kg_references_of(type, stored.node, referrer->data, references);
	}
	SPI_freetuptable(SPI_tuptable);
	return referrers;
}

/*
 * Returns the strictness of a rule: restrict is stricter than cascade, and
 * cascade is stricter than set_null.
 */
static int
strictness(KgOnDelete rule)
{
	switch (rule)
	{
		case KG_ON_DELETE_RESTRICT:
			return 2;
		case KG_ON_DELETE_CASCADE:
			return 1;
		case KG_ON_DELETE_SET_NULL:
			break;
	}
	return 0;
}

/*
 * Sets the rule of each referrer: the strictest rule among its references that
 * lose their target. If the creation of a target is undone, its referrers are
 * not deleted or changed, regardless of their rules.
 */
static void
judge(const IncomingList *incoming, const KgReferenceList *references,
	  const bool *lost, HTAB *referrers)
{
	for (int i = 0; i < references->n; i++)
	{
		const KgFieldReference *reference = &references->items[i];
		KgOnDelete rule = reference->field->on_delete;
		Referrer *referrer;

		if (!lost[i])
			continue;
		referrer = hash_search(referrers, &reference->source, HASH_FIND, NULL);
		if (makes_edge(incoming, reference, true))
			rule = KG_ON_DELETE_RESTRICT;
		if (!referrer->loses || strictness(rule) > strictness(referrer->rule))
			referrer->rule = rule;
		referrer->loses = true;
	}
}

/*
 * Deletes referrers as the caller, under its policies. Raises an error unless
 * the caller may see and delete all of them.
 */
static void
delete_referrers(const char *tenant, const KgUserContext *caller,
				 const KgNodeList *nodes)
{
	KgUserContext owner;

	if (nodes->n == 0)
		return;
	kg_require_seen(tenant, caller, nodes->nodes, nodes->n, "deleted");
	GetUserIdAndSecContext(&owner.userid, &owner.sec_context);
	kg_restore_user(caller);
	kg_entities_delete_latest(tenant, nodes);
	kg_restore_user(&owner);
}

static void
update_referrers(const char *tenant, const KgUserContext *caller,
				 const KgNodeList *nodes, const KgColumns *updates)
{
	KgUserContext owner;

	if (updates->nrows == 0)
		return;
	kg_require_seen(tenant, caller, nodes->nodes, nodes->n, "changed");
	GetUserIdAndSecContext(&owner.userid, &owner.sec_context);
	kg_restore_user(caller);
	kg_entities_update_latest(tenant, updates);
	kg_restore_user(&owner);
}

/* A deletion in progress, and the referrers of the deleted nodes. */
typedef struct Deletion
{
	const char *tenant;
	const KgUserContext *caller;
	KgUnchecked *unchecked;
	KgNodeList undone; /* the nodes of unchecked->undone, sorted */
	int taken; /* number of nodes of unchecked->deleted that were processed */
	KgNodeList gone; /* the processed nodes, sorted */
	/* edges to the processed nodes, sorted by source */
	IncomingList incoming;
	KgNodeList referrers; /* referrers that are not processed yet, sorted */
	KgNodeList *left;
	MemoryContext scratch; /* memory for one chunk of referrers */
} Deletion;

/*
 * Returns whether a deleted entity had the value of the reference, as its id or
 * as its value of the x-ref-field. Also returns true if this is not known: the
 * target type is missing, or kg_scope_rewrites() was called for it.
 */
static bool
named_gone(const Deletion *d, const KgCatalog *catalog,
		   const KgFieldReference *reference)
{
	const KgField *field = reference->field;
	const KgType *type = kg_catalog_type_in(
		catalog, field->ref_bundle, field->ref_type);
	const KgField *target = NULL;
	KgTargetName name = {
		0, KG_NAME_ID, strlen(reference->value), reference->value};
	JsonbValue value = kg_json_string_value(reference->value);
	bytea *key;

	/*
	 * In the deleted rows, fields may have other numbers, so every value
	 * counts as deleted.
	 */
	if (type == NULL || kg_scope_is_rewritten(catalog->tenant, type))
		return true;
	name.type_no = type->type_no;
	if (field->ref_field)
		target = kg_type_field(type, field->ref_field);
	if (target && target != type->id_field)
	{
		key = kg_key_encode(target, &value);
		if (key == NULL)
			return false;
		name.field_no = target->field_no;
		name.len = VARSIZE_ANY_EXHDR(key);
		name.data = VARDATA_ANY(key);
	}
	return kg_target_names_have(&d->unchecked->names, &name, &d->gone);
}

/*
 * Returns an array that marks the references that lose their target. These are
 * references to a node in the list "stored", and references without a target
 * that name a deleted entity.
 */
static bool *
find_lost(const Deletion *d, const KgCatalog *catalog,
		  const KgReferenceList *references, const KgNodeList *stored)
{
	int64 *targets = kg_references_find(catalog, references, NULL, NULL);
	bool *lost = MemoryContextAllocHuge(
		CurrentMemoryContext, (Size) Max(1, references->n) * sizeof(bool));

	if (stored == NULL)
		kg_target_names_sort(&d->unchecked->names);
	for (int i = 0; i < references->n; i++)
		lost[i] = stored ? kg_nodes_have(stored, targets[i])
						 : targets[i] == 0 &&
							   named_gone(d, catalog, &references->items[i]);
	pfree(targets);
	return lost;
}

/*
 * Returns whether the source's type has a reference that has this rule and
 * from which the edge can be derived.
 */
static bool
has_rule(const KgCatalog *catalog, const Incoming *edge, KgOnDelete rule)
{
	const KgType *type = kg_catalog_type_no(catalog, edge->type_no);

	for (int i = 0; type && i < type->nfields; i++)
		if (type->fields[i].ref_type &&
			type->fields[i].relation_no == edge->relation_no &&
			type->fields[i].on_delete == rule)
			return true;
	return false;
}

/*
 * Adds to the list "cascade" those of the n nodes that the rule cascade
 * deletes, because a reference of the node loses its target (find_lost()).
 */
static void
find_cascading(const Deletion *d, const KgCatalog *catalog,
			   const IncomingList *incoming, const KgNodeList *stored,
			   const int64 *nodes, int n, KgNodeList *cascade)
{
	KgReferenceList references = {CurrentMemoryContext};
	HTAB *referrers = lock_referrers(catalog, nodes, n, &references);
	HASH_SEQ_STATUS status;
	Referrer *referrer;

	keep_edges_of(incoming, &references);
	judge(incoming,
		  &references,
		  find_lost(d, catalog, &references, stored),
		  referrers);
	hash_seq_init(&status, referrers);
	while ((referrer = hash_seq_search(&status)) != NULL)
		if (referrer->loses && referrer->rule == KG_ON_DELETE_CASCADE)
			kg_node_add(cascade, referrer->node);
}

/*
 * Adds to the list "wave" the referrers that are deleted along with the targets
 * of these edges. Omits referrers in the list "known".
 */
static void
next_wave(const Deletion *d, const IncomingList *incoming,
		  const KgNodeList *stored, const KgNodeList *known, KgNodeList *wave)
{
	const KgCatalog *catalog = lock_types(d->tenant, incoming);
	KgNodeList sources = {wave->context};

	for (int i = 0; i < incoming->n; i++)
		if (incoming->items[i].derived &&
			has_rule(catalog, &incoming->items[i], KG_ON_DELETE_CASCADE) &&
			!kg_nodes_have(known, incoming->items[i].source))
			kg_node_add(&sources, incoming->items[i].source);
	kg_nodes_sort(&sources);
	for (int i = 0; i < sources.n; i += KG_ON_DELETE_CHUNK)
	{
		MemoryContext old = MemoryContextSwitchTo(d->scratch);

		CHECK_FOR_INTERRUPTS();
		find_cascading(d,
					   catalog,
					   incoming,
					   stored,
					   sources.nodes + i,
					   Min(KG_ON_DELETE_CHUNK, sources.n - i),
					   wave);
		MemoryContextSwitchTo(old);
		MemoryContextReset(d->scratch);
	}
	kg_nodes_sort(wave);
}

static void
drop_gone(KgNodeList *nodes, const KgNodeList *gone)
{
	int kept = 0;

	for (int i = 0; i < nodes->n; i++)
		if (!kg_nodes_have(gone, nodes->nodes[i]))
			nodes->nodes[kept++] = nodes->nodes[i];
	nodes->n = kept;
}

static void
mark_undone(const Deletion *d, IncomingList *list)
{
	for (int i = 0; i < list->n; i++)
		list->items[i].undone = kg_nodes_have(&d->undone,
											  list->items[i].target);
}

/*
 * Adds to the list "cascade" all referrers that the rule cascade deletes along
 * with the targets of these edges, and recursively the referrers of these
 * referrers. Writes nothing. The list "stored" has the targets that are not
 * deleted yet.
 */
static void
find_cascade(const Deletion *d, const IncomingList *incoming,
			 const KgNodeList *stored, KgNodeList *cascade)
{
	IncomingList list = *incoming;
	KgNodeList wave = {cascade->context};

	next_wave(d, &list, stored, &d->gone, &wave);
	while (wave.n > 0)
	{
		KgNodeList next = {cascade->context};

		for (int i = 0; i < wave.n; i++)
			kg_node_add(cascade, wave.nodes[i]);
		kg_nodes_sort(cascade);
		list = (IncomingList){cascade->context};
		read_incoming(d->tenant, &wave, &list);
		sort_incoming(&list);
		mark_undone(d, &list);
		next_wave(d, &list, &wave, cascade, &next);
		drop_gone(&next, &d->gone);
		wave = next;
	}
}

/*
 * Removes references that lose their target from the documents of referrers
 * whose rule is set_null.
 */
static void
set_null(Deletion *d, const KgCatalog *catalog, const int64 *nodes, int n)
{
	KgReferenceList references = {CurrentMemoryContext};
	KgNodeList nulls = {CurrentMemoryContext};
	HTAB *referrers = lock_referrers(catalog, nodes, n, &references);
	KgColumns updates;
	HASH_SEQ_STATUS status;
	Referrer *referrer;
	bool *lost;

	keep_edges_of(&d->incoming, &references);
	lost = find_lost(d, catalog, &references, NULL);
	judge(&d->incoming, &references, lost, referrers);
	for (int i = 0; i < references.n; i++)
	{
		const KgFieldReference *reference = &references.items[i];

		referrer = hash_search(referrers, &reference->source, HASH_FIND, NULL);
		if (lost[i] && referrer->rule == KG_ON_DELETE_SET_NULL)
			referrer->data = kg_rename_without(
				reference->field, reference->value, referrer->data);
	}
	kg_changes_init(&updates);
	hash_seq_init(&status, referrers);
	while ((referrer = hash_seq_search(&status)) != NULL)
	{
		/*
		 * The reference prevents the deletion, or its targets must be looked
		 * up again.
		 */
		if (!referrer->loses || referrer->rule != KG_ON_DELETE_SET_NULL)
		{
			kg_node_add(d->left, referrer->node);
			continue;
		}
		kg_node_add(&nulls, referrer->node);
		kg_changes_add(&updates, referrer->node, NULL, referrer->data);
	}
	update_referrers(d->tenant, d->caller, &nulls, &updates);
}

static void
treat_referrers(Deletion *d)
{
	KgNodeList nodes = d->referrers;
	const KgCatalog *catalog = lock_types(d->tenant, &d->incoming);

	d->referrers.n = 0;
	d->referrers.nodes = NULL;
	d->referrers.capacity = 0;
	for (int i = 0; i < nodes.n; i += KG_ON_DELETE_CHUNK)
	{
		MemoryContext old = MemoryContextSwitchTo(d->scratch);

		CHECK_FOR_INTERRUPTS();
		set_null(
			d, catalog, nodes.nodes + i, Min(KG_ON_DELETE_CHUNK, nodes.n - i));
		MemoryContextSwitchTo(old);
		MemoryContextReset(d->scratch);
	}
}

/*
 * Removes from the list the nodes that are still stored, because their deletion
 * was rolled back.
 */
static void
drop_existing(const char *tenant, KgNodeList *nodes)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgNodeList existing;
	int kept = 0;

	kg_nodes_read(&saved, tenant, nodes->nodes, nodes->n, &existing);
	for (int i = 0; i < nodes->n; i++)
		if (!kg_nodes_have(&existing, nodes->nodes[i]))
			nodes->nodes[kept++] = nodes->nodes[i];
	nodes->n = kept;
}

/*
 * Adds to the list "fresh" the nodes that were deleted since the last call of
 * this function. Returns false if there are no such nodes.
 */
static bool
take_deleted(Deletion *d, KgNodeList *fresh)
{
	const KgNodeList *deleted = &d->unchecked->deleted;
	const KgNodeList *undone = &d->unchecked->undone;

	d->undone.n = 0;
	for (int i = 0; i < undone->n; i++)
		kg_node_add(&d->undone, undone->nodes[i]);
	kg_nodes_sort(&d->undone);
	memset(fresh, 0, sizeof(*fresh));
	fresh->context = d->gone.context;
	while (d->taken < deleted->n)
		kg_node_add(fresh, deleted->nodes[d->taken++]);
	kg_nodes_sort(fresh);
	if (fresh->n > 0 && d->unchecked->stale)
		drop_existing(d->tenant, fresh);
	for (int i = 0; i < fresh->n; i++)
		kg_node_add(&d->gone, fresh->nodes[i]);
	kg_nodes_sort(&d->gone);
	return fresh->n > 0;
}

static void
treat_deleted(Deletion *d, const KgNodeList *fresh)
{
	IncomingList incoming = {d->gone.context};
	KgNodeList explicit = {d->gone.context};
	KgNodeList cascade = {d->gone.context};
	int before = d->incoming.n;

	read_incoming(d->tenant, fresh, &d->incoming);
	read_lost(d->tenant, &d->unchecked->lost, fresh, &d->incoming);
	if (d->incoming.n == before)
		return;
	incoming.items = d->incoming.items + before;
	incoming.n = d->incoming.n - before;
	sort_incoming(&incoming);
	mark_undone(d, &incoming);
	sources_of(&incoming, false, &explicit);
	sources_of(&incoming, true, &d->referrers);
	kg_nodes_sort(&d->referrers);
	if (explicit.n > 0)
	{
		kg_require_seen(
			d->tenant, d->caller, explicit.nodes, explicit.n, KG_CUT_OFF);
		delete_explicit(d->tenant, fresh->nodes, fresh->n);
	}
	find_cascade(d, &incoming, NULL, &cascade);
	delete_referrers(d->tenant, d->caller, &cascade);
	sort_incoming(&d->incoming);
}

void
kg_references_deleted(const char *tenant, KgUnchecked *unchecked,
					  const KgUserContext *caller, KgNodeList *left)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph deleted", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Deletion d = {tenant, caller, unchecked};
	KgNodeList fresh;
	bool referred = false;

	check_stack_depth();
	d.undone.context = d.gone.context = d.referrers.context = context;
	d.incoming.context = context;
	d.left = left;
	d.scratch = AllocSetContextCreate(
		context, "kg_graph on delete", ALLOCSET_DEFAULT_SIZES);
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		while (take_deleted(&d, &fresh))
			treat_deleted(&d, &fresh);
		drop_gone(&d.referrers, &d.gone);
		if (d.referrers.n == 0)
			break;
		referred = true;
		treat_referrers(&d);
	}
	/*
	 * Finds referrers that still refer to deleted nodes, for example because a
	 * trigger prevented their update.
	 */
	if (referred)
	{
		IncomingList incoming = {context};
		KgNodeList rest = {context};

		read_incoming(tenant, &d.gone, &incoming);
		sort_incoming(&incoming);
		sources_of(&incoming, true, &rest);
		for (int i = 0; i < rest.n; i++)
			kg_node_add(left, rest.nodes[i]);
	}
	kg_nodes_sort(left);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

void
kg_references_cascading(const char *tenant, const KgNodeList *nodes,
						KgNodeList *cascade)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph cascading", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Deletion d = {.tenant = tenant, .gone = {context}, .undone = {context}};
	IncomingList incoming = {context};

	d.scratch = AllocSetContextCreate(
		context, "kg_graph on delete", ALLOCSET_DEFAULT_SIZES);
	for (int i = 0; i < nodes->n; i++)
		kg_node_add(&d.gone, nodes->nodes[i]);
	kg_nodes_sort(&d.gone);
	read_incoming(tenant, &d.gone, &incoming);
	sort_incoming(&incoming);
	find_cascade(&d, &incoming, &d.gone, cascade);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

int
kg_references_restricting(const char *tenant, const KgNodeList *nodes,
						  KgRestricting **result)
{
	const KgCatalog *catalog;
	KgNodeList sources = {CurrentMemoryContext};
	KgReferenceList references = {CurrentMemoryContext};
	IncomingList incoming = {CurrentMemoryContext};
	int64 *targets;
	int kept = 0;
	int n = 0;

	read_incoming(tenant, nodes, &incoming);
	sort_incoming(&incoming);
	catalog = lock_types(tenant, &incoming);
	for (int i = 0; i < incoming.n; i++)
		if (incoming.items[i].derived &&
			has_rule(catalog, &incoming.items[i], KG_ON_DELETE_RESTRICT))
			incoming.items[kept++] = incoming.items[i];
	incoming.n = kept;
	sources_of(&incoming, true, &sources);
	catalog = kg_references_reread(tenant, &sources, &references);
	keep_edges_of(&incoming, &references);
	targets = kg_references_find(catalog, &references, NULL, NULL);
	*result = MemoryContextAllocHuge(CurrentMemoryContext,
									 (Size) Max(1, references.n) *
										 sizeof(KgRestricting));
	for (int i = 0; i < references.n; i++)
	{
		const KgFieldReference *reference = &references.items[i];

		if (targets[i] == 0 ||
			reference->field->on_delete != KG_ON_DELETE_RESTRICT)
			continue;
		(*result)[n].source = reference->source;
		(*result)[n].target = targets[i];
		(*result)[n++].field = reference->field;
	}
	pfree(targets);
	return n;
}

void
kg_references_find_referrers(const char *tenant, const KgNodeList *nodes,
							 KgNodeList *referrers)
{
	IncomingList incoming = {CurrentMemoryContext};

	read_incoming(tenant, nodes, &incoming);
	sort_incoming(&incoming);
	sources_of(&incoming, true, referrers);
}
