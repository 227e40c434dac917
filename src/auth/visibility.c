/*
 * visibility.c
 *	  Decides which part of its tenant the caller sees.
 *
 * Policies are read from the relation cache, because the server enforces these
 * policies regardless of the transaction's snapshot. Results are cached for a
 * few roles until a watched table, its policies or a membership changes.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "auth/agent.h"
#include "auth/identity.h"
#include "auth/owner.h"
#include "auth/visibility.h"
#include "base/cache.h"
#include "base/error.h"
#include "base/expression.h"
#include "base/extension.h"
#include "base/spi.h"
#include "catalog/pg_policy.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "rewrite/rowsecurity.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* Maximum number of policies that one session reports. */
#define KG_POLICIES_TOLD 32

typedef struct RoleView
{
	KgCacheEntry entry; /* entry of the cache; its hash is the role's OID */
	bool plain_entities;
	bool plain_edges;
	bool plain_history;
} RoleView;

static const int most = 16;
/*
 * A cache of the visibility of roles. It becomes stale if policies of the
 * watched tables, roles or memberships change.
 */
static KgCache views = {"view", &most, KG_STALE_BY_ROLES};

static bool
is_column(const Node *node, Relation rel, const char *name)
{
	const Var *var = (const Var *) node;

	return IsA(node, Var) && var->varlevelsup == 0 &&
		   var->varattno == get_attnum(RelationGetRelid(rel), name);
}

static bool
is_call(const Node *node, const char *name, int nargs)
{
	const char *called = kg_own_call(node);

	return called != NULL && strcmp(called, name) == 0 &&
		   list_length(((const FuncExpr *) node)->args) == nargs;
}

/* Returns true for the expression "tenant = function()". */
static bool
is_own_tenant(const Node *node, Relation rel, const char *function)
{
	const OpExpr *op = (const OpExpr *) node;

	return IsA(node, OpExpr) && list_length(op->args) == 2 &&
		   strcmp(get_opname(op->opno), "=") == 0 &&
		   is_column(linitial(op->args), rel, "tenant") &&
		   is_call(lsecond(op->args), function, 0);
}

/*
 * Returns true for a policy of kg_graph. Such a policy is:
 * kg_own_tenant(tenant) AND tenant = function(). If visible is not NULL, it
 * also has AND visible(columns). Before version 0.2.0 such policies began with
 * the second condition.
 */
static bool
is_own_policy(const Node *qual, Relation rel, const char *function,
			  const char *visible, const char *const *columns, int n)
{
	const BoolExpr *all = (const BoolExpr *) qual;
	List *conditions = IsA(all, BoolExpr) && all->boolop == AND_EXPR
						   ? list_copy(all->args)
						   : list_make1(unconstify(Node *, qual));
	const FuncExpr *call = linitial(conditions);

	if (is_call((const Node *) call, "kg_own_tenant", 1) &&
		is_column(linitial(call->args), rel, "tenant"))
		conditions = list_delete_first(conditions);
	if (list_length(conditions) != (visible ? 2 : 1) ||
		!is_own_tenant(linitial(conditions), rel, function))
		return false;
	if (visible == NULL)
		return true;
	call = lsecond(conditions);
	if (!is_call((const Node *) call, visible, n))
		return false;
	for (int i = 0; i < n; i++)
		if (!is_column(list_nth(call->args, i), rel, columns[i]))
			return false;
	return true;
}

/*
 * is_own_of_entities(), is_own_of_history() and is_own_of_edges() return true
 * if the condition is that of kg_graph's policy for SELECT on the table
 * (sql/70_policies.sql, 53_history.sql).
 */
static bool
is_own_of_entities(const Node *qual, Relation rel)
{
	static const char *const columns[] = {
		"bundle", "scope", "type_no", "node", "entity_id", "data"};

	return is_own_policy(qual,
						 rel,
						 "kg_tenant",
						 "kg_entity_visible",
						 columns,
						 lengthof(columns));
}

static bool
is_own_of_history(const Node *qual, Relation rel)
{
	static const char *const columns[] = {
		"bundle", "type_no", "entity_id", "change", "before", "after"};

	return is_own_policy(qual,
						 rel,
						 "kg_derived_tenant",
						 "kg_change_visible",
						 columns,
						 lengthof(columns));
}

static bool
is_own_of_edges(const Node *qual, Relation rel)
{
	return is_own_policy(qual, rel, "kg_derived_tenant", NULL, NULL, 0);
}

typedef bool (*IsOwn)(const Node *qual, Relation rel);

static bool
is_for_everybody(const RowSecurityPolicy *policy)
{
	const Oid *roles = (const Oid *) ARR_DATA_PTR(policy->roles);

	for (int i = 0; i < ARR_DIMS(policy->roles)[0]; i++)
		if (roles[i] == ACL_ID_PUBLIC)
			return true;
	return false;
}

/*
 * Returns true if the policy applies to the role, by the rules of the server.
 */
static bool
is_for_role(const RowSecurityPolicy *policy, Oid role)
{
	const Oid *roles = (const Oid *) ARR_DATA_PTR(policy->roles);

	if (is_for_everybody(policy) || role == kg_extension_owner())
		return true;
	for (int i = 0; i < ARR_DIMS(policy->roles)[0]; i++)
		if (has_privs_of_role(role, roles[i]))
			return true;
	return false;
}

static bool
is_registered(const char *table, const char *policy)
{
	static KgSaved saved;

	return kg_spi_finds(
		&saved,
		"SELECT FROM @kg_policy WHERE policy = $1 AND on_table = $2",
		kg_arg_text(policy),
		kg_arg_text(table));
}

/*
 * Reports a policy that is not registered, once per policy. A dump omits such a
 * policy, so the rows that it hides would be visible after a restore. A caller
 * that may register it gets a warning. For other callers, the report goes to
 * the server's log.
 */
static void
tell_of_unregistered(const char *table, const char *policy)
{
	static uint32 told[KG_POLICIES_TOLD];
	static int ntold = 0;
	uint32 hash = hash_combine(
		hash_bytes((const unsigned char *) policy, strlen(policy)),
		hash_bytes((const unsigned char *) table, strlen(table)));

	for (int i = 0; i < ntold; i++)
		if (told[i] == hash)
			return;
	if (ntold == KG_POLICIES_TOLD || IsInParallelMode() ||
		is_registered(table, policy))
		return;
	told[ntold++] = hash;
	ereport(kg_has_owner_rights(GetOuterUserId()) ? WARNING : LOG,
			(errmsg("policy \"%s\" on %s is not registered, so dumps omit it, "
					"and the rows that it hides are visible after a restore",
					policy,
					table),
			 errhint("SELECT kg_add_policy() makes a registered policy; "
					 "kg_check() lists the objects that dumps omit.")));
}

/*
 * Returns true if kg_graph's policies alone decide which rows of a table the
 * role sees, or if the table has no row security. If the last argument is true,
 * reports other policies that kg_add_policy() could register.
 */
static bool
policies_are_ours(const char *table, IsOwn is_own, Oid role, bool tell)
{
	Relation rel = table_open(kg_relation_oid(table), AccessShareLock);
	bool found = !rel->rd_rel->relrowsecurity;
	List *others = NIL; /* List of char * */
	ListCell *lc;

	foreach(lc, rel->rd_rsdesc ? rel->rd_rsdesc->policies : NIL)
	{
		const RowSecurityPolicy *policy = lfirst(lc);

		/* Policies that only apply to writes do not hide rows. */
		if ((policy->polcmd != ACL_SELECT_CHR && policy->polcmd != '*') ||
			!is_for_role(policy, role))
			continue;
		if (is_for_everybody(policy) && policy->permissive &&
			policy->polcmd == ACL_SELECT_CHR && policy->qual != NULL &&
			is_own((const Node *) policy->qual, rel))
			found = true;
		else
			others = lappend(others, pstrdup(policy->policy_name));
	}
	table_close(rel, AccessShareLock);
	if (tell)
		foreach(lc, others)
			tell_of_unregistered(table, lfirst(lc));
	return found && others == NIL;
}

static const RoleView *
view_of_role(Oid role)
{
	RoleView *view = kg_cache_find(&views, role, NULL, NULL);

	if (view != NULL)
		return view;
	view = kg_cache_make(&views, sizeof(*view));
	view->plain_entities = policies_are_ours(
		"kg_entity", is_own_of_entities, role, true);
	view->plain_edges = policies_are_ours(
		"kg_edge", is_own_of_edges, role, true);
	view->plain_history = policies_are_ours(
		"kg_history", is_own_of_history, role, false);
	kg_cache_keep(&views, view, role);
	return view;
}

bool
kg_visibility_is_partial(void)
{
	return kg_identity_scoped() || kg_agent_hides_bundles();
}

bool
kg_visibility_is_whole(void)
{
	return !kg_visibility_is_partial() &&
		   view_of_role(GetUserId())->plain_entities;
}

bool
kg_visibility_entities_are_plain(void)
{
	return view_of_role(GetUserId())->plain_entities;
}

bool
kg_visibility_edges_are_plain(void)
{
	return view_of_role(GetUserId())->plain_edges;
}

bool
kg_visibility_history_is_whole(void)
{
	return kg_visibility_is_whole() && view_of_role(GetUserId())->plain_history;
}

void
kg_visibility_refuse_part(const char *what, const char *expected)
{
	KG_THROW(
		KG_FORBIDDEN,
		.message = psprintf(
			"a caller that sees only a part of its tenant may not %s", what),
		.expected = expected);
}

void
kg_visibility_require_tenant(const char *what)
{
	if (kg_visibility_is_partial())
		kg_visibility_refuse_part(
			what,
			"a role or token without scope paths, and without an agent or with "
			"an agent that has every bundle");
}
