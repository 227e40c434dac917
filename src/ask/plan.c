/*
 * plan.c
 *	  Plans a query.
 *
 * Properties have no statistics, so the planner may expect a few rows from a
 * condition that thousands of rows fulfil. A nested loop that scans its whole
 * inner side for each outer row then costs the product of both sides. A hash
 * join costs little more than the nested loop even if the estimate is right. A
 * merge join must sort both sides, because no index has properties in order.
 * But the planner prefers a merge join to a hash join if the number of
 * distinct values of the key is unknown. So merge joins are disabled, and such
 * nested loops are avoided if possible.
 */
#include "postgres.h"

#include "ask/narrow.h"
#include "ask/plan.h"
#include "ask/scan.h"
#include "ask/settings.h"
#include "base/compat.h"
#include "miscadmin.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"

typedef bool (*Visit)(Plan **plan, void *arg);

static bool any_plan(Plan **at, Visit visit, void *arg);

static bool
any_of_list(List *plans, Visit visit, void *arg)
{
	ListCell *lc;

	foreach(lc, plans)
	{
		Plan *plan = lfirst(lc);
		bool found = any_plan(&plan, visit, arg);

		lfirst(lc) = plan;
		if (found)
			return true;
	}
	return false;
}

/*
 * Calls visit for each plan below a plan, until visit returns true. Returns
 * whether it returned true.
 */
static bool
any_below(Plan *plan, Visit visit, void *arg)
{
	switch ((int) nodeTag(plan))
	{
		case T_Append:
			return any_of_list(((Append *) plan)->appendplans, visit, arg);
		case T_MergeAppend:
			return any_of_list(((MergeAppend *) plan)->mergeplans, visit, arg);
		case T_SubqueryScan:
			return any_plan(&((SubqueryScan *) plan)->subplan, visit, arg);
		default:
			return any_plan(&plan->lefttree, visit, arg) ||
				   any_plan(&plan->righttree, visit, arg);
	}
}

/*
 * Calls visit for a plan and for each plan below it, until visit returns true.
 * visit may replace the plan. Returns whether visit returned true.
 */
static bool
any_plan(Plan **at, Visit visit, void *arg)
{
	if (*at == NULL)
		return false;
	check_stack_depth();
	return visit(at, arg) || any_below(*at, visit, arg);
}

static bool
any_of_statement(PlannedStmt *statement, Visit visit, void *arg)
{
	return any_plan(&statement->planTree, visit, arg) ||
		   any_of_list(statement->subplans, visit, arg);
}

/*
 * Returns whether the plan is a nested loop that passes no value of the outer
 * row to its inner side, so that each outer row scans the same rows.
 */
static bool
is_blind_loop(Plan **at, void *arg)
{
	return IsA(*at, NestLoop) && ((NestLoop *) *at)->nestParams == NIL;
}

typedef struct Lightened
{
	KgAsk *ask;
	const PlannedStmt *statement;
} Lightened;

static bool
lighten(Plan **at, void *arg)
{
	const Lightened *lightened = arg;

	kg_ask_narrow(*at);
	*at = kg_ask_light_scan(lightened->ask, lightened->statement, *at);
	return false;
}

/* Plans a copy of the query, because the planner modifies its input. */
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
	if (!any_of_statement(plan, is_blind_loop, NULL))
		return plan;
	kg_ask_set("enable_nestloop", "off");
	other = plan_copy(ask, query);
	return any_of_statement(other, is_blind_loop, NULL) ? plan : other;
}

PlannedStmt *
kg_ask_plan(KgAsk *ask, Query *query)
{
	List *rewritten = pg_rewrite_query(query);
	int nest = NewGUCNestLevel();
	PlannedStmt *plan = plan_joins(ask, linitial_node(Query, rewritten));
	Lightened lightened = {ask, plan};

	AtEOXact_GUC(true, nest);
	(void) any_of_statement(plan, lighten, &lightened);
	return plan;
}
