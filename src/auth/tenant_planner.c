/*
 * tenant_planner.c
 *	  What the planner is told of kg_own_tenant(), which every policy begins with.
 *
 * The planner sorts the conditions of a table by what they cost, and takes those
 * of the caller that are leakproof and cheap for its own: "term < 'g'" would be
 * put before "tenant = kg_tenant()".  That says nothing by itself, but a caller
 * that compares with a subquery, too, which is run by the first row that gets so
 * far, sees by a sequence in it whether any did, of whichever tenant.  So kg_own_tenant() costs
 * nothing: nothing that a caller writes is cheaper, and of what costs the same
 * the policies come first.  An index on the tenant is another way to look at it
 * first, which then costs nothing a row, either.
 */
#include "postgres.h"

#include "auth/tenant_planner.h"
#include "base/expression.h"
#include "catalog/pg_opfamily.h"
#include "nodes/makefuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

/* kg_tenant() or one of its kind. */
static bool
is_tenant_of_caller(Node *expression)
{
	const char *name = kg_own_call(kg_without_relabels(expression));

	return name != NULL && (strcmp(name, "kg_tenant") == 0 ||
							strcmp(name, "kg_derived_tenant") == 0 ||
							strcmp(name, "kg_packed_tenant") == 0);
}

/*
 * Does the condition compare the tenant with the caller's, or with something
 * that the planner knows to be equal to it, which is then asked before the scan?
 */
static bool
compares(const RestrictInfo *condition, Node *tenant)
{
	OpExpr *op = (OpExpr *) condition->clause;
	ListCell *lc;

	if (!IsA(op, OpExpr) || get_opcode(op->opno) != F_TEXTEQ)
		return false;
	if (equal(kg_without_relabels(linitial(op->args)), tenant))
	{
		if (is_tenant_of_caller(lsecond(op->args)))
			return true;
	}
	else if (!equal(kg_without_relabels(lsecond(op->args)), tenant))
		return false;
	if (condition->left_ec == NULL || !condition->left_ec->ec_has_const)
		return false;
	foreach(lc, condition->left_ec->ec_members)
		if (is_tenant_of_caller(
				(Node *) ((EquivalenceMember *) lfirst(lc))->em_expr))
			return true;
	return false;
}

static bool
is_compared(RelOptInfo *rel, Node *tenant)
{
	ListCell *lc;

	foreach(lc, rel->baserestrictinfo)
		if (compares(lfirst(lc), tenant))
			return true;
	return false;
}

/*
 * A scan of an index that has the tenant has the policy's comparison with it as
 * a condition, since a scan has all conditions that its index can take; then
 * nothing is left to ask of a row.  What is said here instead is true of each.
 */
static List *
index_condition(SupportRequestIndexCondition *request)
{
	FuncExpr *call = (FuncExpr *) request->node;
	NullTest *test;

	if (!IsA(call, FuncExpr) || request->indexarg != 0 ||
		request->opfamily != TEXT_BTREE_FAM_OID ||
		!is_compared(request->index->rel, linitial(call->args)))
		return NIL;
	test = makeNode(NullTest);
	test->arg = linitial(call->args);
	test->nulltesttype = IS_NOT_NULL;
	test->location = -1;
	request->lossy = false;
	return list_make1(test);
}

Node *
kg_own_tenant_support(Node *request)
{
	switch ((int) nodeTag(request))
	{
		case T_SupportRequestIndexCondition:
			return (Node *) index_condition(
				(SupportRequestIndexCondition *) request);
		case T_SupportRequestSelectivity:
			/* The comparison with the tenant says how many rows there are. */
			((SupportRequestSelectivity *) request)->selectivity = 1.0;
			return request;
		case T_SupportRequestCost:
			((SupportRequestCost *) request)->startup = 0;
			((SupportRequestCost *) request)->per_tuple = 0;
			return request;
		default:
			return NULL;
	}
}
