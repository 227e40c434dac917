/*
 * scope.c
 *	  What a statement leaves to be checked at its end, or at the end of several.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/extension.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "store/on_delete.h"
#include "store/scope.h"
#include "store/seen.h"
#include "store/unique.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

struct KgScope
{
	KgScope *outer;
	MemoryContext context;
	SubTransactionId begun_in;
	char *tenant;
	KgUnchecked own;
	KgUnchecked *unchecked; /* own, or that of an outer scope of the tenant */
};

static KgScope *innermost = NULL;

void
kg_unchecked_init(KgUnchecked *unchecked, MemoryContext context)
{
	memset(unchecked, 0, sizeof(*unchecked));
	unchecked->missing.context = context;
	unchecked->renamed.context = context;
	unchecked->deleted.context = context;
	unchecked->taken.context = context;
}

/* Nodes whose deletion was rolled back are not deleted. */
static void
drop_existing(const char *tenant, KgNodeList *nodes)
{
	static KgSaved saved = KG_SAVED_BATCH;
	KgNodeList existing;
	int kept = 0;

	if (nodes->n == 0)
		return;
	kg_nodes_read(&saved, tenant, nodes->nodes, nodes->n, &existing);
	for (int i = 0; i < nodes->n; i++)
		if (!kg_nodes_have(&existing, nodes->nodes[i]))
			nodes->nodes[kept++] = nodes->nodes[i];
	nodes->n = kept;
}

/* References as they are stored, where some were rolled back or replaced. */
static void
reread_missing(const KgCatalog *catalog, KgReferenceList *missing,
			   KgSight *sight)
{
	KgReferenceList references = {missing->context};
	KgNodeList sources = {missing->context};

	for (int i = 0; i < missing->n; i++)
		kg_node_add(&sources, missing->items[i].source);
	kg_nodes_sort(&sources);
	kg_references_reread(catalog, &sources, &references);
	kg_references_forget(catalog->tenant, &sources, sight);
	*missing = references;
}

/*
 * Everything of the statement or scope is written: references that had no
 * target may have one now, and whoever points at what is gone is dealt with.
 */
void
kg_unchecked_enforce(const KgCatalog *catalog, const KgUserContext *caller,
					 KgUnchecked *unchecked)
{
	KgReferenceList missing = {CurrentMemoryContext};
	KgReferenceList again = {CurrentMemoryContext};
	KgNodeList referrers = {CurrentMemoryContext};
	KgNodeList moved = {CurrentMemoryContext};
	KgSight sight;

	kg_sight_init(&sight, catalog->tenant, caller);
	if (unchecked->stale)
	{
		drop_existing(catalog->tenant, &unchecked->deleted);
		reread_missing(catalog, &unchecked->missing, &sight);
	}
	/* First of all: below, a value names one entity. */
	if (unchecked->taken.n > 0)
		kg_unique_enforce(catalog, &unchecked->taken);
	if (unchecked->deleted.n > 0)
		kg_references_deleted(catalog, &unchecked->deleted, caller, &referrers);
	kg_references_resolve(catalog, &unchecked->missing, &sight, &missing);

	/* Referrers of renamed nodes, and of nodes deleted and made again. */
	if (unchecked->renamed.n > 0)
		kg_references_find_referrers(
			catalog->tenant, &unchecked->renamed, &moved);
	for (int i = 0; i < referrers.n; i++)
		kg_node_add(&moved, referrers.nodes[i]);
	if (moved.n > 0)
	{
		KgReferenceList unresolved = {CurrentMemoryContext};

		kg_references_reread(catalog, &moved, &again);
		kg_references_forget(catalog->tenant, &moved, &sight);
		kg_references_resolve(catalog, &again, &sight, &unresolved);
		referrers.n = 0;
		for (int i = 0; i < unresolved.n; i++)
			kg_node_add(&referrers, unresolved.items[i].source);
	}
	kg_references_pending(catalog->tenant, caller, &missing, &referrers);
}

static void
leave(void)
{
	KgScope *scope = innermost;

	innermost = scope->outer;
	MemoryContextDelete(scope->context);
}

/*
 * What was begun in a subtransaction goes with it; it may have written what a
 * scope remembers that outlives it.
 */
static void
subtransaction_ends(SubXactEvent event, SubTransactionId mine,
					SubTransactionId parent, void *arg)
{
	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	while (innermost && innermost->begun_in >= mine)
		leave();
	for (KgScope *scope = innermost; scope; scope = scope->outer)
		scope->unchecked->stale = true;
}

/* The scopes' contexts are the transaction's. */
static void
transaction_ends(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT)
		innermost = NULL;
}

KgUnchecked *
kg_scope_unchecked(const char *tenant)
{
	for (KgScope *scope = innermost; scope; scope = scope->outer)
		if (strcmp(scope->tenant, tenant) == 0)
			return scope->unchecked;
	return NULL;
}

KgScope *
kg_scope_begin(const char *tenant)
{
	static bool registered = false;
	MemoryContext context;
	KgScope *scope;

	if (!registered)
	{
		RegisterXactCallback(transaction_ends, NULL);
		RegisterSubXactCallback(subtransaction_ends, NULL);
	}
	registered = true;
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
