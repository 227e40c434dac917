/*
 * bound_rows.c
 *	  The check that a user's table shows a caller only the rows of the
 *	  caller's tenant. The table may change after it is bound: a policy may be
 *	  dropped, a view replaced, or the caller may become the owner. Therefore
 *	  a table is checked again after each change of a table or role. All data
 *	  for the check are in the relation cache.
 */
#include "postgres.h"

#include "access/table.h"
#include "base/extension.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "model/bound_rows.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rowsecurity.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"

/* ---- functions ---- */

static bool
is_tenant_function(Oid function)
{
	const char *name;

	if (get_func_namespace(function) != kg_extension_schema())
		return false;
	name = get_func_name(function);
	return name != NULL &&
		   (strcmp(name, "kg_tenant") == 0 || strcmp(name, "kg_claim") == 0);
}

static bool
walk_functions(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, FuncExpr) &&
		is_tenant_function(castNode(FuncExpr, node)->funcid))
		return true;
	if (IsA(node, Query))
		return query_tree_walker(
			castNode(Query, node), walk_functions, context, 0);
	return expression_tree_walker(node, walk_functions, context);
}

/* ---- policies ---- */

static bool
is_for_role(const RowSecurityPolicy *policy, Oid role)
{
	const Oid *roles = (Oid *) ARR_DATA_PTR(policy->roles);

	for (int i = 0; i < ARR_DIMS(policy->roles)[0]; i++)
		if (roles[i] == ACL_ID_PUBLIC || has_privs_of_role(role, roles[i]))
			return true;
	return false;
}

static bool
is_for_reads(const RowSecurityPolicy *policy, Oid role)
{
	return (policy->polcmd == '*' || policy->polcmd == ACL_SELECT_CHR) &&
		   is_for_role(policy, role);
}

/*
 * Returns whether the policies for the role's reads limit the rows to the
 * tenant: a restrictive policy limits them, or each permissive policy does.
 */
static bool
policies_limit(Relation relation, Oid role)
{
	bool all = true;
	ListCell *lc;

	if (relation->rd_rsdesc == NULL)
		return false;
	foreach(lc, relation->rd_rsdesc->policies)
	{
		const RowSecurityPolicy *policy = lfirst(lc);
		bool limits;

		if (!is_for_reads(policy, role))
			continue;
		limits = walk_functions((Node *) policy->qual, NULL);
		if (limits && !policy->permissive)
			return true;
		all &= limits || !policy->permissive;
	}
	/*
	 * Without a permissive policy, no rows are visible, so the rows are
	 * limited.
	 */
	return all;
}

/*
 * Searches an expression for a column that is compared with the caller's tenant
 * or with a claim. Sets *context to the number of the first such column, and
 * returns true. Returns false if there is no such column. Walks as
 * expression_tree_walker() does.
 */
static bool
walk_columns(Node *node, void *context)
{
	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, OpExpr) && list_length(castNode(OpExpr, node)->args) == 2)
	{
		const List *args = castNode(OpExpr, node)->args;

		for (int i = 0; i < 2; i++)
		{
			Node *side = strip_implicit_coercions(list_nth(args, i));

			if (IsA(side, Var) && walk_functions(list_nth(args, 1 - i), NULL))
			{
				*(AttrNumber *) context = castNode(Var, side)->varattno;
				return true;
			}
		}
	}
	return expression_tree_walker(node, walk_columns, context);
}

AttrNumber
kg_bound_rows_column(Oid relid, Oid role)
{
	Relation relation = try_table_open(relid, AccessShareLock);
	AttrNumber number = InvalidAttrNumber;
	ListCell *lc;

	if (relation == NULL)
		return number;
	if (relation->rd_rsdesc != NULL)
		foreach(lc, relation->rd_rsdesc->policies)
		{
			const RowSecurityPolicy *policy = lfirst(lc);

			if (is_for_reads(policy, role) &&
				walk_columns((Node *) policy->qual, &number))
				break;
		}
	table_close(relation, NoLock);
	return number;
}

/* ---- tables and views ---- */

typedef struct Rows
{
	Oid role;
	bool limited;	/* a policy or a view limits the rows to the tenant */
	bool bypassed;	/* policies limit the rows, but do not apply to the role */
	Oid owner_view; /* view that reads with its owner's rights, or InvalidOid */
	Oid view;		/* view whose query is being checked */
} Rows;

static void look_at(Rows *rows, Oid relid);

static bool
walk_relations(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		const RangeTblEntry *rte = castNode(RangeTblEntry, node);
		Rows *rows = context;

		/* Skip the entries of the view itself, which its own query contains. */
		if (rte->rtekind == RTE_RELATION && rte->relid != rows->view)
			look_at(rows, rte->relid);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker(castNode(Query, node),
								 walk_relations,
								 context,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, walk_relations, context);
}

static void
look_at_view(Rows *rows, Relation view)
{
	Query *query = get_view_query(view);
	Oid outer = rows->view;

	if (!RelationHasSecurityInvoker(view))
	{
		rows->owner_view = RelationGetRelid(view);
		return;
	}
	rows->limited |= walk_functions((Node *) query, NULL);
	rows->view = RelationGetRelid(view);
	(void) walk_relations((Node *) query, rows);
	rows->view = outer;
}

static void
look_at(Rows *rows, Oid relid)
{
	Relation relation;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	relation = try_table_open(relid, AccessShareLock);
	if (relation == NULL)
		return;
	if (relation->rd_rel->relkind == RELKIND_VIEW)
		look_at_view(rows, relation);
	else if (policies_limit(relation, rows->role) &&
			 relation->rd_rel->relrowsecurity)
	{
		if (check_enable_rls(relid, rows->role, true) == RLS_ENABLED)
			rows->limited = true;
		else
			rows->bypassed = true;
	}
	table_close(relation, NoLock);
}

bool
kg_bound_rows_check(const KgTableBinding *binding, Oid relid, Oid role,
					KgRowsFault *fault)
{
	Rows rows = {role};
	bool open = binding->shared || binding->tenant_column != NULL;

	if (open && get_rel_relkind(relid) != RELKIND_VIEW)
		return true;
	look_at(&rows, relid);
	memset(fault, 0, sizeof(*fault));
	if (OidIsValid(rows.owner_view))
	{
		fault->message = "the view reads with its owner's rights";
		fault->expected = psprintf(
			"ALTER VIEW %s SET (security_invoker = true)",
			quote_qualified_identifier(
				get_namespace_name(get_rel_namespace(rows.owner_view)),
				get_rel_name(rows.owner_view)));
		return false;
	}
	if (open || rows.limited)
		return true;
	fault->forbidden = rows.bypassed;
	fault->message = rows.bypassed ? "its policies do not apply to your role"
								   : "nothing limits its rows to the tenant";
	fault->expected =
		rows.bypassed
			? "a role that is neither the table's owner nor has BYPASSRLS"
			: "\"tenant_column\": a column that has the tenant's name, a "
			  "policy or view that reads kg_tenant() or kg_claim(), or "
			  "\"shared\": true if every tenant may see all rows";
	return false;
}
