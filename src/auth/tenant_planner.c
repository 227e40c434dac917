/*
 * tenant_planner.c
 *	  Planner support of kg_own_tenant(), with which every policy begins.
 *
 * The planner sorts the conditions on a table by cost. It may evaluate a
 * caller's leakproof and cheap condition, such as "term < 'g'", before the
 * policy's "tenant = kg_tenant()". This alone leaks nothing. But a caller
 * could compare with a subquery that advances a sequence when the first row
 * reaches it, and so detect a row of any tenant. Therefore kg_own_tenant() has
 * cost 0: no condition of a caller is cheaper, and at equal cost policies come
 * first. If an index begins with the tenant, the condition becomes part of the
 * index scan and has no cost per row.
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

/* Returns true if the expression is kg_tenant() or a variant of it. */
static bool
is_tenant_of_caller(Node *expression)
{
	const char *name = kg_own_call(kg_without_relabels(expression));

	return name != NULL && (strcmp(name, "kg_tenant") == 0 ||
							strcmp(name, "kg_derived_tenant") == 0 ||
							strcmp(name, "kg_packed_tenant") == 0);
}

/*
 * Returns true if the condition compares the tenant with the caller's tenant,
 * or with a value that the planner knows to be equal. Such a value is computed
 * before the scan.
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
 * Returns a list with the index condition, or NIL if the scan of this index
 * does not compare the tenant. A scan of an index that has the tenant uses the
 * policy's comparison, because a scan uses all conditions that its index
 * supports. So nothing remains to be checked for a row, and the condition
 * returned here is always true.
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
			/*
			 * The selectivity is 1 because the planner estimates the
			 * comparison with the tenant separately.
			 */
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
