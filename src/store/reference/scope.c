/*
 * scope.c
 *	  Scopes: statements that postpone checks to a common end.
 */
#include "postgres.h"

#include "access/xact.h"
#include "base/extension.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "model/writing.h"
#include "store/reference/scope.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

struct KgScope
{
	KgScope *outer;
	MemoryContext context;
	SubTransactionId begun_in;
	char *tenant;
	KgUnchecked own;
	/* Points to the member own, or to the list of an outer scope. */
	KgUnchecked *unchecked;
	/* numbers of types for which kg_scope_rewrites() was called */
	List *rewritten;
};

/*
 * Unchecked rows that a trigger leaves to the last trigger of its statement.
 * They come from earlier events of the statement, and from nested statements
 * that wrote a referrer of a deleted row.
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

static KgScope *innermost = NULL;
static Rest *rests = NULL;
static bool deferred = false; /* a reference may be deferred to the commit */

static void
leave(void)
{
	KgScope *scope = innermost;

	(void) kg_scope_close(scope);
	kg_scope_free(scope);
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
	/* The statement may have deleted rows in an earlier trigger event. */
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

/*
 * Removes the rest "one", and all rests (struct Rest) that began in the
 * subtransaction "since" or later.
 */
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

/* Compares lost edges by source and relation. */
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
		/*
		 * Later triggers may write the entities of this rest (struct Rest)
		 * again.
		 */
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

/*
 * Returns whether an outer statement deleted the target of the reference, and
 * the reference's edge afterwards.
 */
static bool
is_lost(const char *tenant, const KgFieldReference *reference)
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

void
kg_statement_leave_to_outer(const char *tenant, const KgUnchecked *unchecked,
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
		const KgFieldReference *reference = &missing->items[i];

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

void
kg_scope_defers(void)
{
	deferred = true;
}

bool
kg_scope_has_deferred(const char *tenant)
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

/*
 * Removes nodes from "undone" if the subtransaction that undid their creation
 * is rolled back, for example at the end of an attempt.
 */
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
 * At the abort of a subtransaction, removes the scopes and rests (struct Rest)
 * that began in it, and marks the other scopes and rests as stale.
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

/*
 * Forgets the rests (struct Rest) at the end of a transaction, and all scopes
 * after an abort. Their memory contexts belong to the transaction, so they are
 * not freed here.
 */
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

KgScope *
kg_scope_begin_within(const char *tenant, KgUnchecked *unchecked)
{
	KgScope *scope = kg_scope_begin(tenant);

	scope->unchecked = unchecked;
	return scope;
}

KgUnchecked *
kg_scope_close(KgScope *scope)
{
	Assert(scope == innermost);
	innermost = scope->outer;
	return scope->unchecked == &scope->own ? &scope->own : NULL;
}

const char *
kg_scope_tenant(const KgScope *scope)
{
	return scope->tenant;
}

void
kg_scope_free(KgScope *scope)
{
	MemoryContextDelete(scope->context);
}

void
kg_scope_rewrites(KgScope *scope, int32 type_no)
{
	MemoryContext old = MemoryContextSwitchTo(scope->context);

	scope->rewritten = lappend_int(scope->rewritten, type_no);
	MemoryContextSwitchTo(old);
}
