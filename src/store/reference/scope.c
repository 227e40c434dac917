/*
 * scope.c
 *	  Scopes: checks that one or several statements leave to a common end.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/error.h"
#include "base/extension.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "model/writing.h"
#include "store/edge/edge_ends.h"
#include "store/reference/on_delete.h"
#include "store/reference/pending.h"
#include "store/reference/scope.h"
#include "store/reference/seen.h"
#include "store/reference/unique.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

struct KgScope
{
	KgScope *outer;
	MemoryContext context;
	SubTransactionId begun_in;
	char *tenant;
	KgUnchecked own;
	KgUnchecked *unchecked; /* &own, or that of an outer scope of the tenant */
	List *rewritten;		/* numbers of types, see kg_scope_rewrites() */
};

/*
 * Unchecked rows that the triggers of a statement leave to its last trigger:
 * those of earlier events, and of nested statements that wrote a referrer of a
 * deleted row.
 */
typedef struct Rest
{
	struct Rest *next;
	MemoryContext context;
	SubTransactionId begun_in;
	uint64 statement;
	char *tenant;
	KgUnchecked unchecked;
} Rest;

/* The checks in progress at the end of a statement or scope. */
typedef struct Enforcement
{
	const KgUnchecked *unchecked;
	const struct Enforcement *outer;
} Enforcement;

static KgScope *innermost = NULL;
static Rest *rests = NULL;
static const Enforcement *enforcement = NULL; /* the innermost one */
static int renewing = 0;	  /* edges are deleted, to be written anew */
static bool deferred = false; /* references may be deferred to the commit */

static void
leave(void)
{
	KgScope *scope = innermost;

	innermost = scope->outer;
	MemoryContextDelete(scope->context);
}

void
kg_unchecked_init(KgUnchecked *unchecked, MemoryContext context)
{
	memset(unchecked, 0, sizeof(*unchecked));
	unchecked->missing.context = context;
	unchecked->renamed.context = context;
	unchecked->deleted.context = context;
	unchecked->names.context = context;
	unchecked->undone.context = context;
	unchecked->undone_in.context = context;
	unchecked->taken.context = context;
	unchecked->lost.context = context;
}

static Rest *
find_rest(uint64 statement, const char *tenant)
{
	for (Rest *rest = rests; rest; rest = rest->next)
		if (rest->statement == statement && strcmp(rest->tenant, tenant) == 0)
			return rest;
	return NULL;
}

KgLostEdges *
kg_unchecked_lost(const char *tenant, KgUnchecked *unchecked)
{
	/* The deletion may be an earlier event of the statement. */
	return unchecked->deleted.n > 0 || kg_writing_goes_on() ||
				   find_rest(kg_writing_number(), tenant)
			   ? &unchecked->lost
			   : NULL;
}

static Rest *
make_rest(uint64 statement, const char *tenant)
{
	Rest *rest = find_rest(statement, tenant);
	MemoryContext context;

	if (rest)
		return rest;
	context = AllocSetContextCreate(
		TopTransactionContext, "kg_graph unchecked", ALLOCSET_DEFAULT_SIZES);
	rest = MemoryContextAllocZero(context, sizeof(Rest));
	rest->context = context;
	rest->begun_in = GetCurrentSubTransactionId();
	rest->statement = statement;
	rest->tenant = MemoryContextStrdup(context, tenant);
	kg_unchecked_init(&rest->unchecked, context);
	rest->next = rests;
	rests = rest;
	return rest;
}

/* Removes the rests that began since a subtransaction, or one rest. */
static void
drop_rests(SubTransactionId since, const Rest *one)
{
	Rest **place = &rests;

	while (*place)
	{
		Rest *rest = *place;

		if (rest != one && rest->begun_in < since)
		{
			place = &rest->next;
			continue;
		}
		*place = rest->next;
		MemoryContextDelete(rest->context);
	}
}

static void
add_nodes(KgNodeList *to, const KgNodeList *nodes)
{
	for (int i = 0; i < nodes->n; i++)
		kg_node_add(to, nodes->nodes[i]);
}

static void
add_unchecked(KgUnchecked *to, const KgUnchecked *unchecked)
{
	const KgReferenceList *missing = &unchecked->missing;

	for (int i = 0; i < missing->n; i++)
		kg_reference_add(&to->missing,
						 missing->items[i].source,
						 missing->items[i].field,
						 missing->items[i].value);
	for (int i = 0; i < unchecked->lost.n; i++)
		kg_lost_edge_add(&to->lost, &unchecked->lost.edges[i]);
	for (int i = 0; i < unchecked->names.n; i++)
		kg_target_name_add(&to->names, &unchecked->names.items[i]);
	add_nodes(&to->renamed, &unchecked->renamed);
	add_nodes(&to->deleted, &unchecked->deleted);
	add_nodes(&to->undone, &unchecked->undone);
	add_nodes(&to->undone_in, &unchecked->undone_in);
	add_nodes(&to->taken, &unchecked->taken);
	to->ids_changed |= unchecked->ids_changed;
	to->stale |= unchecked->stale;
	to->arrived |= unchecked->arrived;
}

/* Compares by source and relation. */
static int
compare_lost(const void *pa, const void *pb)
{
	const KgEdgeKey *a = pa;
	const KgEdgeKey *b = pb;

	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return a->relation_no < b->relation_no ? -1
										   : a->relation_no > b->relation_no;
}

static void
sort_lost(KgLostEdges *lost)
{
	if (lost->n > 0)
		qsort(lost->edges, lost->n, sizeof(KgEdgeKey), compare_lost);
}

bool
kg_statement_complete(const char *tenant, KgUnchecked *unchecked)
{
	uint64 statement = kg_writing_number();
	Rest *rest;

	if (kg_writing_waits() == statement)
	{
		rest = make_rest(statement, tenant);
		add_unchecked(&rest->unchecked, unchecked);
		sort_lost(&rest->unchecked.lost);
		/* Later triggers may write its entities again. */
		rest->unchecked.stale = true;
		return false;
	}
	rest = find_rest(statement, tenant);
	if (rest)
	{
		add_unchecked(unchecked, &rest->unchecked);
		drop_rests(UINT32_MAX, rest);
	}
	return true;
}

List *
kg_statement_tenants(List *tenants)
{
	for (const Rest *rest = rests; rest; rest = rest->next)
		if (rest->statement == kg_writing_number())
			tenants = lappend(tenants, rest->tenant);
	return tenants;
}

typedef struct Renewal
{
	const KgCatalog *catalog;
	const KgNodeList *nodes;
	KgReferenceList references;
	KgSight *sight;
	KgReferenceList *missing;
	KgLostEdges *lost;
} Renewal;

static void
exchange_edges(void *arg)
{
	Renewal *r = arg;

	kg_references_forget(r->catalog->tenant, r->nodes, r->sight, r->lost);
	kg_references_resolve(r->catalog, &r->references, r->sight, r->missing);
}

/*
 * Derives edges anew from the stored entities. Between deletion and insertion
 * the edges are missing; meanwhile renewing prevents that a trigger of a DBA on
 * kg_edge queries them.
 */
static void
renew_edges(const char *tenant, const KgNodeList *nodes, KgSight *sight,
			KgReferenceList *missing, KgLostEdges *lost)
{
	Renewal r = {.nodes = nodes,
				 .references = {CurrentMemoryContext},
				 .sight = sight,
				 .missing = missing,
				 .lost = lost};

	r.catalog = kg_references_reread(tenant, nodes, &r.references);
	renewing++;
	PG_TRY();
	{
		kg_edge_ends_together(tenant, exchange_edges, &r);
	}
	PG_FINALLY();
	{
		renewing--;
	}
	PG_END_TRY();
}

void
kg_references_renew(const char *tenant, const KgNodeList *nodes,
					const KgUserContext *caller, KgReferenceList *missing)
{
	KgSight sight;

	kg_sight_init(&sight, tenant, caller);
	renew_edges(tenant, nodes, &sight, missing, NULL);
}

/*
 * Resolves references that had no target. If some were rolled back or replaced,
 * also by x-on-delete, the references of their entities are read again.
 */
static void
resolve_missing(const KgCatalog *catalog, KgUnchecked *unchecked,
				KgSight *sight, KgReferenceList *missing)
{
	KgNodeList sources = {CurrentMemoryContext};

	if (!unchecked->stale)
	{
		kg_references_resolve(catalog, &unchecked->missing, sight, missing);
		return;
	}
	for (int i = 0; i < unchecked->missing.n; i++)
		kg_node_add(&sources, unchecked->missing.items[i].source);
	kg_nodes_sort(&sources);
	renew_edges(catalog->tenant,
				&sources,
				sight,
				missing,
				kg_unchecked_lost(catalog->tenant, unchecked));
}

/* Adds the nodes that are stored and hidden from the caller. */
static void
find_hidden(const char *tenant, const KgUserContext *caller,
			const KgNodeList *nodes, KgNodeList *hidden)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgNodeList stored;
	int64 *seen;

	if (nodes->n == 0 || kg_sees_all(tenant, caller))
		return;
	kg_nodes_read(&saved, tenant, nodes->nodes, nodes->n, &stored);
	seen = palloc((stored.n + 1) * sizeof(int64));
	memcpy(seen, stored.nodes, stored.n * sizeof(int64));
	kg_blank_hidden(tenant, caller, seen, stored.n);
	for (int i = 0; i < stored.n; i++)
		if (seen[i] == 0)
			kg_node_add(hidden, stored.nodes[i]);
	kg_nodes_sort(hidden);
}

/*
 * Returns a text that changes if any target of the nodes' references changes.
 */
static char *
targets_of(const char *tenant, const KgNodeList *nodes)
{
	char *text;

	KG_BATCH_LATEST("SELECT coalesce(string_agg(concat_ws(' ', source, "
					"relation_no, target, property), ' ' ORDER BY source, "
					"relation_no, target, property COLLATE \"C\"), '') "
					"FROM @kg_edge WHERE tenant = $1 "
					"AND source = ANY($2) AND property IS NOT NULL",
					kg_arg_text(tenant),
					kg_arg_int8s(nodes->nodes, nodes->n));
	text = kg_spi_cstring(0, 1);
	SPI_freetuptable(SPI_tuptable);
	return text;
}

/*
 * Raises an error if the write changes the targets of a hidden entity's
 * references. A caller that sees a part of a tenant may not do this, neither at
 * once nor in steps with deferred references.
 */
static void
require_hidden_kept(const char *tenant, const KgUserContext *caller,
					const KgNodeList *hidden, const char *before,
					const KgReferenceList *unresolved)
{
	KgNodeList none = {CurrentMemoryContext};
	KgNodeList gone = {CurrentMemoryContext};
	KgError *err;

	for (int i = 0; i < unresolved->n; i++)
		if (kg_nodes_have(hidden, unresolved->items[i].source))
			kg_node_add(&gone, unresolved->items[i].source);
	if (gone.n > 0)
		kg_pending_check(tenant, caller, &none, &gone);
	if (strcmp(before, targets_of(tenant, hidden)) == 0)
		return;
	err = kg_error_new(KG_REFERENCE_MISSING,
					   "an id or a value that is still referenced would be "
					   "another entity's");
	kg_error_throw_expected(err, "another id or value for the other entity");
}

static void
enforce_unique(const KgCatalog *catalog, KgUnchecked *unchecked)
{
	if (unchecked->taken.n > 0)
		kg_unique_enforce(catalog, &unchecked->taken);
	unchecked->taken.n = 0;
}

/*
 * Applies x-on-delete to the deleted nodes. Triggers of a DBA fire meanwhile;
 * references in missing have no edges yet. Rows that these statements leave
 * unchecked are checked with the others, because a referrer of a deleted entity
 * may be deleted next.
 */
static void
delete_references(const char *tenant, const KgUserContext *caller,
				  KgUnchecked *unchecked, KgNodeList *referrers)
{
	KgScope *scope = kg_scope_begin(tenant);
	int behind = unchecked->missing.n > 0;

	scope->unchecked = unchecked;
	if (behind)
		unchecked->stale = true;
	renewing += behind;
	PG_TRY();
	{
		kg_references_deleted(tenant, unchecked, caller, referrers);
	}
	PG_FINALLY();
	{
		renewing -= behind;
	}
	PG_END_TRY();
	Assert(scope == innermost);
	leave();
}

/*
 * Returns whether the reference's edge was deleted after its target was
 * deleted.
 */
static bool
is_lost(const char *tenant, const KgReference *reference)
{
	KgEdgeKey key = {reference->source, reference->field->relation_no};

	for (const Rest *rest = rests; rest; rest = rest->next)
		if (rest->unchecked.lost.n > 0 && strcmp(rest->tenant, tenant) == 0 &&
			bsearch(&key,
					rest->unchecked.lost.edges,
					rest->unchecked.lost.n,
					sizeof(key),
					compare_lost))
			return true;
	return false;
}

/*
 * An outer statement may have deleted the target of an old reference, and has yet
 * to apply x-on-delete to the referrer.  What this one deleted is treated.
 */
static void
leave_to_outer(const char *tenant, const KgUnchecked *unchecked,
			   KgReferenceList *missing)
{
	uint64 statement = kg_writing_waits();
	KgNodeList treated = {CurrentMemoryContext};
	int kept = 0;
	Rest *rest;

	if (missing->n == 0 || statement == 0)
		return;
	add_nodes(&treated, &unchecked->deleted);
	kg_nodes_sort(&treated);
	rest = make_rest(statement, tenant);
	for (int i = 0; i < unchecked->lost.n; i++)
		if (!kg_nodes_have(&treated, unchecked->lost.edges[i].target))
			kg_lost_edge_add(&rest->unchecked.lost, &unchecked->lost.edges[i]);
	sort_lost(&rest->unchecked.lost);
	for (int i = 0; i < missing->n; i++)
	{
		const KgReference *reference = &missing->items[i];

		if (is_lost(tenant, reference))
			kg_reference_add(&rest->unchecked.missing,
							 reference->source,
							 reference->field,
							 reference->value);
		else
			missing->items[kept++] = *reference;
	}
	missing->n = kept;
	rest->unchecked.stale = true;
}

static void
enforce(const KgCatalog *catalog, const KgUserContext *caller,
		KgUnchecked *unchecked)
{
	KgReferenceList missing = {CurrentMemoryContext};
	KgNodeList referrers = {CurrentMemoryContext};
	KgNodeList moved = {CurrentMemoryContext};
	KgSight sight;

	kg_sight_init(&sight, catalog->tenant, caller);
	/* First, so that each value names one entity below. */
	enforce_unique(catalog, unchecked);
	if (unchecked->deleted.n > 0)
	{
		delete_references(catalog->tenant, caller, unchecked, &referrers);
		enforce_unique(catalog, unchecked);
	}
	resolve_missing(catalog, unchecked, &sight, &missing);
	leave_to_outer(catalog->tenant, unchecked, &missing);

	/* Referrers of renamed nodes, and of nodes deleted and created again. */
	if (unchecked->renamed.n > 0)
		kg_references_find_referrers(
			catalog->tenant, &unchecked->renamed, &moved);
	for (int i = 0; i < referrers.n; i++)
		kg_node_add(&moved, referrers.nodes[i]);
	kg_nodes_sort(&moved);
	if (moved.n > 0)
	{
		KgReferenceList unresolved = {CurrentMemoryContext};
		KgNodeList hidden = {CurrentMemoryContext};
		char *before = NULL;

		find_hidden(catalog->tenant, caller, &moved, &hidden);
		if (hidden.n > 0)
			before = targets_of(catalog->tenant, &hidden);
		renew_edges(catalog->tenant,
					&moved,
					&sight,
					&unresolved,
					kg_unchecked_lost(catalog->tenant, unchecked));
		leave_to_outer(catalog->tenant, unchecked, &unresolved);
		if (hidden.n > 0)
			require_hidden_kept(
				catalog->tenant, caller, &hidden, before, &unresolved);
		referrers.n = 0;
		for (int i = 0; i < unresolved.n; i++)
			kg_node_add(&referrers, unresolved.items[i].source);
	}
	deferred |= missing.n > 0 || referrers.n > 0;
	kg_references_pending(catalog->tenant, caller, &missing, &referrers);
}

/*
 * Checks a statement or scope after all its rows are written. References that
 * had no target may have one now. Referrers of deleted entities are treated.
 */
void
kg_unchecked_enforce(const KgCatalog *catalog, const KgUserContext *caller,
					 KgUnchecked *unchecked)
{
	Enforcement here = {unchecked, enforcement};

	enforcement = &here;
	PG_TRY();
	{
		enforce(catalog, caller, unchecked);
	}
	PG_FINALLY();
	{
		enforcement = here.outer;
	}
	PG_END_TRY();
}

/*
 * Adds the relations of references that name an entity by a value. Runs as the
 * extension's owner.
 */
static void
relations_by_value(const char *tenant, KgNodeList *relations)
{
	const KgCatalog *catalog = kg_catalog_newest(tenant);

	for (int i = 0; i < catalog->ntypes; i++)
	{
		const KgType *type = catalog->types[i];

		for (int j = 0; j < type->nfields; j++)
			if (type->fields[j].ref_type && type->fields[j].ref_field)
				kg_node_add(relations, type->fields[j].relation_no);
	}
}

/*
 * Returns whether edges of references lead to a node whose id or value has
 * changed.
 */
static bool
have_referrers(const char *tenant, const KgUnchecked *unchecked)
{
	KgNodeList relations = {CurrentMemoryContext};
	KgUserContext user;
	bool found;

	if (unchecked->renamed.n == 0)
		return false;
	kg_spi_begin_as_owner(&user);
	if (!unchecked->ids_changed)
		relations_by_value(tenant, &relations);
	KG_SPI_LATEST("SELECT FROM @kg_edge WHERE tenant = $1 "
				  "AND target = ANY($2) AND property IS NOT NULL "
				  "AND ($3 OR relation_no::bigint = ANY($4)) LIMIT 1",
				  kg_arg_text(tenant),
				  kg_arg_int8s(unchecked->renamed.nodes, unchecked->renamed.n),
				  kg_arg(BOOLOID, BoolGetDatum(unchecked->ids_changed)),
				  kg_arg_int8s(relations.nodes, relations.n));
	found = SPI_processed > 0;
	kg_spi_end_as_owner(&user);
	return found;
}

/*
 * Returns whether edges lead to an entity that no longer has the id or value of
 * their reference. A trigger of a DBA must not query such edges.
 */
static bool
names_changed(const char *tenant)
{
	const KgUnchecked *unchecked = kg_scope_unchecked(tenant);

	if (unchecked && have_referrers(tenant, unchecked))
		return true;
	for (const Enforcement *e = enforcement; e; e = e->outer)
		if (have_referrers(tenant, e->unchecked))
			return true;
	return false;
}

/* Returns whether the tenant has references that are deferred to the commit. */
static bool
have_deferred(const char *tenant)
{
	KgUserContext user;
	bool found;

	if (!deferred)
		return false;
	kg_spi_begin_as_owner(&user);
	KG_SPI_READ("SELECT FROM @kg_pending_reference WHERE tenant = $1 LIMIT 1",
				kg_arg_text(tenant));
	found = SPI_processed > 0;
	kg_spi_end_as_owner(&user);
	return found;
}

bool
kg_scope_is_rewritten(const char *tenant, const KgType *type)
{
	for (const KgScope *scope = innermost; scope; scope = scope->outer)
		if (scope->rewritten != NIL && strcmp(scope->tenant, tenant) == 0 &&
			(type == NULL || list_member_int(scope->rewritten, type->type_no)))
			return true;
	return false;
}

void
kg_scope_require_derived(const char *tenant, const KgType *type)
{
	KgError *err;

	kg_writing_require_derived(type);
	if (!kg_scope_is_rewritten(tenant, type))
		return;
	err = kg_error_new(KG_FORBIDDEN,
					   "entities whose keys and references a call is writing "
					   "anew cannot be looked for before it is done");
	kg_error_throw_expected(err, "kg_get(), or a call after that one");
}

void
kg_scope_require_edges(const char *tenant)
{
	const KgUnchecked *unchecked = kg_scope_unchecked(tenant);
	KgError *err;

	if (renewing == 0 && !(unchecked && unchecked->arrived) &&
		!names_changed(tenant))
	{
		if (!have_deferred(tenant))
			return;
		err = kg_error_new(KG_FORBIDDEN,
						   "references wait for the end of the transaction, "
						   "and have no edges before it");
		kg_error_expected(err,
						  "SET CONSTRAINTS kg_references IMMEDIATE before "
						  "the call, or the call after the commit");
	}
	else
	{
		err = kg_error_new(KG_FORBIDDEN,
						   "references that a call is writing have no edges "
						   "before it is done");
		kg_error_expected(err,
						  "a call after that one; in a trigger, kg_get() and "
						  "lists");
	}
	kg_error_throw(err);
}

/* Removes undone creations if the undo is rolled back, as after a trial. */
static void
forget_undone(KgUnchecked *unchecked, SubTransactionId since)
{
	int n = unchecked->undone.n;

	while (n > 0 && unchecked->undone_in.nodes[n - 1] >= since)
		n--;
	unchecked->undone.n = n;
	unchecked->undone_in.n = n;
}

/*
 * At the abort of a subtransaction: removes the scopes and rests that began in
 * it, and marks the others as stale.
 */
static void
subtransaction_ends(SubXactEvent event, SubTransactionId mine,
					SubTransactionId parent, void *arg)
{
	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	while (innermost && innermost->begun_in >= mine)
		leave();
	drop_rests(mine, NULL);
	for (Rest *rest = rests; rest; rest = rest->next)
		rest->unchecked.stale = true;
	for (KgScope *scope = innermost; scope; scope = scope->outer)
	{
		scope->unchecked->stale = true;
		forget_undone(scope->unchecked, mine);
	}
}

/* The contexts of scopes belong to the transaction. */
static void
transaction_ends(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT)
		innermost = NULL;
	rests = NULL;
	deferred = false;
}

void
kg_scope_init(void)
{
	RegisterXactCallback(transaction_ends, NULL);
	RegisterSubXactCallback(subtransaction_ends, NULL);
}

KgUnchecked *
kg_scope_unchecked(const char *tenant)
{
	for (KgScope *scope = innermost; scope; scope = scope->outer)
		if (strcmp(scope->tenant, tenant) == 0)
			return scope->unchecked;
	return NULL;
}

void
kg_scope_undoes(KgScope *scope, const KgNodeList *nodes)
{
	KgUnchecked *unchecked = scope->unchecked;
	SubTransactionId mine = GetCurrentSubTransactionId();

	for (int i = 0; i < nodes->n; i++)
	{
		kg_node_add(&unchecked->undone_in, mine);
		kg_node_add(&unchecked->undone, nodes->nodes[i]);
	}
}

KgScope *
kg_scope_begin(const char *tenant)
{
	MemoryContext context;
	KgScope *scope;

	context = AllocSetContextCreate(
		TopTransactionContext, "kg_graph write scope", ALLOCSET_DEFAULT_SIZES);
	scope = MemoryContextAllocZero(context, sizeof(KgScope));
	scope->context = context;
	scope->begun_in = GetCurrentSubTransactionId();
	scope->tenant = MemoryContextStrdup(context, tenant);
	kg_unchecked_init(&scope->own, context);
	scope->unchecked = kg_scope_unchecked(tenant);
	if (scope->unchecked == NULL)
		scope->unchecked = &scope->own;
	scope->outer = innermost;
	innermost = scope;
	return scope;
}

void
kg_scope_rewrites(KgScope *scope, int32 type_no)
{
	MemoryContext old = MemoryContextSwitchTo(scope->context);

	scope->rewritten = lappend_int(scope->rewritten, type_no);
	MemoryContextSwitchTo(old);
}

void
kg_scope_end(KgScope *scope, const KgUserContext *caller)
{
	Assert(scope == innermost);
	/* Statements of the enforcement itself are checked one by one. */
	innermost = scope->outer;
	if (scope->unchecked == &scope->own)
		kg_unchecked_enforce(
			kg_catalog_newest(scope->tenant), caller, &scope->own);
	MemoryContextDelete(scope->context);
}
