/*
 * enforce.c
 *	  The checks of references at the end of a statement or scope.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/spi.h"
#include "store/reference/enforce.h"
#include "store/reference/on_delete.h"
#include "store/reference/pending.h"
#include "store/reference/renew.h"
#include "store/reference/seen.h"
#include "store/reference/unique.h"
#include "store/reference/unready.h"

/*
 * Looks up the targets of references that had no target. If some of these
 * references were rolled back or replaced, also by x-on-delete, reads the
 * references of their entities again.
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
	kg_references_renew_for(catalog->tenant,
							&sources,
							sight,
							missing,
							kg_unchecked_lost(catalog->tenant, unchecked));
}

/*
 * Adds to the list "hidden" the nodes that are stored and that the caller does
 * not see.
 */
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

/* Returns a text that changes if a target of the nodes' references changes. */
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
 * Raises an error if the write changes the targets of references of a hidden
 * entity. A caller that sees only a part of a tenant may not do this, even in
 * several steps with deferred references.
 */
static void
require_hidden_kept(const char *tenant, const KgUserContext *caller,
					const KgNodeList *hidden, const char *before,
					const KgReferenceList *unresolved)
{
	KgNodeList none = {CurrentMemoryContext};
	KgNodeList gone = {CurrentMemoryContext};

	for (int i = 0; i < unresolved->n; i++)
		if (kg_nodes_have(hidden, unresolved->items[i].source))
			kg_node_add(&gone, unresolved->items[i].source);
	if (gone.n > 0)
		kg_pending_check(tenant, caller, &none, &gone);
	if (strcmp(before, targets_of(tenant, hidden)) == 0)
		return;
	KG_THROW(KG_REFERENCE_MISSING,
			 .message = "the write gives an entity an id or value that stored "
						"references name, so they would lead to another "
						"entity",
			 .expected = "an id or a value that no reference names");
}

static void
enforce_unique(const KgCatalog *catalog, KgUnchecked *unchecked)
{
	if (unchecked->taken.n > 0)
		kg_unique_enforce(catalog, &unchecked->taken);
	unchecked->taken.n = 0;
}

/*
 * Applies x-on-delete to the deleted nodes. Triggers of a DBA fire during
 * these deletions; at that time, references in "missing" have no edges. Rows
 * that these statements leave unchecked are added to the other unchecked rows,
 * because a referrer of a deleted entity may also be deleted.
 */
static void
delete_references(const char *tenant, const KgUserContext *caller,
				  KgUnchecked *unchecked, KgNodeList *referrers)
{
	KgScope *scope = kg_scope_begin_within(tenant, unchecked);
	int behind = unchecked->missing.n > 0;

	if (behind)
		unchecked->stale = true;
	kg_edges_unready(behind);
	PG_TRY();
	{
		kg_references_deleted(tenant, unchecked, caller, referrers);
	}
	PG_FINALLY();
	{
		kg_edges_unready(-behind);
	}
	PG_END_TRY();
	(void) kg_scope_close(scope);
	kg_scope_free(scope);
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
	/*
	 * Unique values are checked first, so that a value names one entity in the
	 * checks below.
	 */
	enforce_unique(catalog, unchecked);
	if (unchecked->deleted.n > 0)
	{
		delete_references(catalog->tenant, caller, unchecked, &referrers);
		enforce_unique(catalog, unchecked);
	}
	resolve_missing(catalog, unchecked, &sight, &missing);
	kg_statement_leave_to_outer(catalog->tenant, unchecked, &missing);

	/*
	 * Adds referrers of renamed nodes, and of nodes that were deleted and
	 * created again.
	 */
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
		kg_references_renew_for(catalog->tenant,
								&moved,
								&sight,
								&unresolved,
								kg_unchecked_lost(catalog->tenant, unchecked));
		kg_statement_leave_to_outer(catalog->tenant, unchecked, &unresolved);
		if (hidden.n > 0)
			require_hidden_kept(
				catalog->tenant, caller, &hidden, before, &unresolved);
		referrers.n = 0;
		for (int i = 0; i < unresolved.n; i++)
			kg_node_add(&referrers, unresolved.items[i].source);
	}
	if (missing.n > 0 || referrers.n > 0)
		kg_scope_defers();
	kg_references_pending(catalog->tenant, caller, &missing, &referrers);
}

void
kg_unchecked_enforce(const KgCatalog *catalog, const KgUserContext *caller,
					 KgUnchecked *unchecked)
{
	KgEnforcement here;

	kg_enforcement_begin(&here, unchecked);
	PG_TRY();
	{
		enforce(catalog, caller, unchecked);
	}
	PG_FINALLY();
	{
		kg_enforcement_end(&here);
	}
	PG_END_TRY();
}

void
kg_scope_end(KgScope *scope, const KgUserContext *caller)
{
	/*
	 * The scope is closed first. So each statement that the checks run is
	 * checked at its own end.
	 */
	KgUnchecked *unchecked = kg_scope_close(scope);

	if (unchecked != NULL)
		kg_unchecked_enforce(
			kg_catalog_newest(kg_scope_tenant(scope)), caller, unchecked);
	kg_scope_free(scope);
}
