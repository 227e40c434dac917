/*
 * plan.c
 *	  Plans a query.
 *
 * The statistics of kg_entity cover all types together, so the planner may expect a
 * few rows of a join of two types that has thousands.  With a nested loop that
 * scans its inner side for each outer row, the cost is the product of the sides.
 * With a hash join it is little more than that of the nested loop even if the
 * estimate is right.
 */
#include "postgres.h"

#include "ask/plan.h"
#include "ask/settings.h"
#include "base/compat.h"
#include "miscadmin.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"

static bool has_blind_loop(const Plan *plan);

static bool
any_blind_loop(List *plans)
{
	ListCell *lc;

	foreach(lc, plans)
		if (has_blind_loop(lfirst(lc)))
			return true;
	return false;
}

/* Is there a nested loop whose inner side is the same for each outer row? */
static bool
has_blind_loop(const Plan *plan)
{
	if (plan == NULL)
		return false;
	check_stack_depth();
	if (IsA(plan, NestLoop) && ((const NestLoop *) plan)->nestParams == NIL)
		return true;
	switch ((int) nodeTag(plan))
	{
		case T_Append:
			if (any_blind_loop(((const Append *) plan)->appendplans))
				return true;
			break;
		case T_MergeAppend:
			if (any_blind_loop(((const MergeAppend *) plan)->mergeplans))
				return true;
			break;
		case T_SubqueryScan:
			if (has_blind_loop(((const SubqueryScan *) plan)->subplan))
				return true;
			break;
		default:
			break;
	}
	return has_blind_loop(plan->lefttree) || has_blind_loop(plan->righttree);
}

static bool
loops_blindly(const PlannedStmt *statement)
{
	return has_blind_loop(statement->planTree) ||
		   any_blind_loop(statement->subplans);
}

/* The planner changes the query that it plans. */
static PlannedStmt *
plan_copy(const KgAsk *ask, const Query *query)
{
	return kg_plan_query(copyObject((Query *) query), ask->sql, 0, ask->values);
}

PlannedStmt *
kg_ask_plan(const KgAsk *ask, Query *query)
{
	List *rewritten = pg_rewrite_query(query);
	PlannedStmt *plan;
	PlannedStmt *other;
	int nest;

	query = linitial_node(Query, rewritten);
	plan = plan_copy(ask, query);
	if (!loops_blindly(plan))
		return plan;
	nest = NewGUCNestLevel();
	kg_ask_set("enable_nestloop", "off");
	other = plan_copy(ask, query);
	AtEOXact_GUC(true, nest);
	return loops_blindly(other) ? plan : other;
}
