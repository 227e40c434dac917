/*
 * edge_ends.c
 *	  Updates at the ends of edges when edges are replaced.
 *
 * A statement cannot pass arguments to its triggers. So the state of
 * kg_edge_ends_together() is in a static variable.
 */
#include "postgres.h"

#include "access/xact.h"
#include "store/edge/edge_ends.h"
#include "store/derived/packing.h"
#include "store/reference/references.h"
#include "utils/memutils.h"

typedef struct Together
{
	const char *tenant;
	SubTransactionId within;
	MemoryContext context;
	const KgCatalog *catalog; /* catalog used for the counts */
	KgCountChanges *counts;
	KgNodeList nodes;
	struct Together *outer;
} Together;

static Together *innermost = NULL;

/*
 * Returns the enclosing call of kg_edge_ends_together() for the tenant, or
 * NULL. Also returns NULL in a subtransaction of a DBA's trigger. Such a
 * subtransaction may be rolled back alone, so its updates are not postponed.
 */
static Together *
together(const char *tenant)
{
	if (innermost && innermost->within == GetCurrentSubTransactionId() &&
		strcmp(innermost->tenant, tenant) == 0)
		return innermost;
	return NULL;
}

static void
do_rest(Together *t)
{
	if (t->counts)
		kg_counted_end(t->counts);
	kg_nodes_sort(&t->nodes);
	if (t->nodes.n > 0)
		kg_adjacency_forget(t->tenant, t->nodes.nodes, t->nodes.n);
}

void
kg_edge_ends_together(const char *tenant, void (*work)(void *arg), void *arg)
{
	MemoryContext context = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph edge ends", ALLOCSET_DEFAULT_SIZES);
	Together here = {tenant,
					 GetCurrentSubTransactionId(),
					 context,
					 .nodes = {context},
					 .outer = innermost};

	PG_TRY();
	{
		innermost = &here;
		work(arg);
	}
	PG_FINALLY();
	{
		innermost = here.outer;
	}
	PG_END_TRY();
	do_rest(&here);
	MemoryContextDelete(context);
}

KgCountChanges *
kg_edge_ends_counts(const KgCatalog *catalog)
{
	Together *t = together(catalog->tenant);
	MemoryContext old;

	if (t == NULL || (t->counts && t->catalog != catalog))
		return NULL;
	if (t->counts == NULL)
	{
		old = MemoryContextSwitchTo(t->context);
		t->catalog = catalog;
		t->counts = kg_counted_begin(catalog);
		MemoryContextSwitchTo(old);
	}
	return t->counts;
}

bool
kg_edge_ends_take(const char *tenant, const int64 *nodes, uint32 n)
{
	Together *t = together(tenant);

	if (t == NULL)
		return false;
	/* Until this lock is released, no session can pack the edges. */
	(void) kg_adjacency_lock(tenant, RowShareLock, true);
	for (uint32 i = 0; i < n; i++)
		kg_node_add(&t->nodes, nodes[i]);
	return true;
}
