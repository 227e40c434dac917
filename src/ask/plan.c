/*
 * plan.c
 *	  Plans a query.
 *
 * Properties have no statistics, so the planner may expect a few rows of a
 * condition that has thousands.  With a nested loop that scans its inner side for
 * each outer row, the cost is the product of the sides.  With a hash join it is
 * little more than that of the nested loop even if the estimate is right.  No
 * index has properties in order, so a merge join sorts both sides.  The planner
 * prefers it to a hash join on a key whose number of distinct values is unknown.
 */
#include "postgres.h"

#include "ask/plan.h"
#include "ask/settings.h"
#include "base/compat.h"
#include "base/expression.h"
#include "miscadmin.h"
#include "tcop/tcopprot.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

typedef bool (*Visit)(Plan *plan);

static bool any_plan(Plan *plan, Visit visit);

static bool
any_of_list(List *plans, Visit visit)
{
	ListCell *lc;

	foreach(lc, plans)
		if (any_plan(lfirst(lc), visit))
			return true;
	return false;
}

/* Visits a plan and those below it until a visit returns true. */
static bool
any_plan(Plan *plan, Visit visit)
{
	List *more = NIL;

	if (plan == NULL)
		return false;
	check_stack_depth();
	switch ((int) nodeTag(plan))
	{
		case T_Append:
			more = ((Append *) plan)->appendplans;
			break;
		case T_MergeAppend:
			more = ((MergeAppend *) plan)->mergeplans;
			break;
		case T_SubqueryScan:
			more = list_make1(((SubqueryScan *) plan)->subplan);
			break;
		default:
			break;
	}
	return visit(plan) || any_of_list(more, visit) ||
		   any_plan(plan->lefttree, visit) || any_plan(plan->righttree, visit);
}

static bool
any_of_statement(PlannedStmt *statement, Visit visit)
{
	return any_plan(statement->planTree, visit) ||
		   any_of_list(statement->subplans, visit);
}

/* Is it a nested loop whose inner side is the same for each outer row? */
static bool
is_blind_loop(Plan *plan)
{
	return IsA(plan, NestLoop) && ((NestLoop *) plan)->nestParams == NIL;
}

/* Returns the condition that compares the tenant with a constant, or NULL. */
static Node *
find_comparison(List *conditions, const Node *tenant)
{
	ListCell *lc;

	foreach(lc, conditions)
	{
		OpExpr *op = lfirst(lc);

		if (IsA(op, OpExpr) && get_opcode(op->opno) == F_TEXTEQ &&
			equal(linitial(op->args), tenant) && IsA(lsecond(op->args), Const))
			return (Node *) op;
	}
	return NULL;
}

/*
 * Removes conditions that a scan of a whole table need not test for each row.
 * kg_own_tenant(tenant) is first, so that no condition of a caller precedes the
 * policy's comparison with the tenant (auth/tenant_planner.c): the comparison
 * itself takes that position.  kg_view_row() is always true.
 */
static bool
lighten_scan(Plan *plan)
{
	Node *compared = NULL;
	List *rest = NIL;
	ListCell *lc;

	if (!IsA(plan, SeqScan))
		return false;
	foreach(lc, plan->qual)
	{
		Node *condition = lfirst(lc);
		const char *name = kg_own_call(condition);

		if (name != NULL && strcmp(name, "kg_own_tenant") == 0)
			compared = find_comparison(
				plan->qual, linitial(((FuncExpr *) condition)->args));
		else if (name == NULL || strcmp(name, "kg_view_row") != 0)
			rest = lappend(rest, condition);
	}
	if (compared != NULL)
		plan->qual = lcons(compared, list_delete_ptr(rest, compared));
	return false;
}

/* The planner changes the query that it plans. */
static PlannedStmt *
plan_copy(const KgAsk *ask, const Query *query)
{
	return kg_plan_query(copyObject((Query *) query), ask->sql, 0, ask->values);
}

static PlannedStmt *
plan_joins(const KgAsk *ask, const Query *query)
{
	PlannedStmt *plan;
	PlannedStmt *other;

	kg_ask_set("enable_mergejoin", "off");
	plan = plan_copy(ask, query);
	if (!any_of_statement(plan, is_blind_loop))
		return plan;
	kg_ask_set("enable_nestloop", "off");
	other = plan_copy(ask, query);
	return any_of_statement(other, is_blind_loop) ? plan : other;
}

PlannedStmt *
kg_ask_plan(const KgAsk *ask, Query *query)
{
	List *rewritten = pg_rewrite_query(query);
	int nest = NewGUCNestLevel();
	PlannedStmt *plan = plan_joins(ask, linitial_node(Query, rewritten));

	AtEOXact_GUC(true, nest);
	(void) any_of_statement(plan, lighten_scan);
	return plan;
}
