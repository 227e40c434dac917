/*
 * narrow.c
 *	  Makes hash joins store values of properties instead of whole documents.
 *
 * The planner evaluates an expression in the plan node that needs it. So a
 * scan returns the document of each row, and a hash join that compares a
 * property stores documents in its hash table. If the join reads only
 * properties of the document, the scan can evaluate them instead. Reading a
 * property raises no error, and returns null if the row is missing.
 *
 * The plan is complete at this point: variables of a join refer to columns of
 * its inner or outer plan, and variables of any other plan refer to columns of
 * the plan below it.
 */
#include "postgres.h"

#include "ask/narrow.h"
#include "base/expression.h"
#include "catalog/pg_type.h"
#include "model/column.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

/*
 * A column with a document, and the properties that expressions read from the
 * document.
 */
typedef struct Document
{
	int varno;
	AttrNumber column;
	/* List of FuncExpr *: reads of properties, without duplicates */
	List *calls;
	bool whole;		  /* true: an expression also reads the document itself */
	AttrNumber first; /* number of the column with the first property's value */
} Document;

static bool
is_document(const Node *node, const Document *document)
{
	const Var *var = (const Var *) node;

	return IsA(var, Var) && var->varno == document->varno &&
		   (var->varattno == document->column || var->varattno == 0);
}

/* Returns whether the expression reads a property of the document. */
static bool
is_property(Node *node, const Document *document)
{
	const FuncExpr *call = (const FuncExpr *) node;
	const char *name;

	if (!IsA(call, FuncExpr) || list_length(call->args) != 2 ||
		!is_document(linitial(call->args), document) ||
		!IsA(lsecond(call->args), Const))
		return false;
	name = kg_own_call(node);
	return name != NULL &&
		   strncmp(name, KG_COLUMN_PREFIX, strlen(KG_COLUMN_PREFIX)) == 0;
}

/*
 * Returns the index in document->calls of a call that is equal to this call, or
 * -1.
 */
static int
find_call(const Document *document, const FuncExpr *call)
{
	ListCell *lc;

	foreach(lc, document->calls)
	{
		const FuncExpr *known = lfirst(lc);

		if (known->funcid == call->funcid &&
			equal(lsecond(known->args), lsecond(call->args)))
			return foreach_current_index(lc);
	}
	return -1;
}

static bool
read_uses(Node *node, void *arg)
{
	Document *document = arg;

	if (node == NULL)
		return false;
	if (is_property(node, document))
	{
		if (find_call(document, (FuncExpr *) node) < 0)
			document->calls = lappend(document->calls, node);
		return false;
	}
	if (is_document(node, document))
		document->whole = true;
	return document->whole || expression_tree_walker(node, read_uses, arg);
}

/* Replaces calls that read properties by the columns that have their values. */
static Node *
replace_uses(Node *node, void *arg)
{
	const Document *document = arg;

	if (node == NULL)
		return NULL;
	if (is_property(node, document))
		return (Node *) makeVar(document->varno,
								document->first +
									find_call(document, (FuncExpr *) node),
								exprType(node),
								-1,
								exprCollation(node),
								0);
	return expression_tree_mutator(node, replace_uses, arg);
}

/* ---- the plans between the join and the scan ---- */

/*
 * Returns the plans from the hash table down to the scan. Returns NIL if a plan
 * of another kind is between them, because such a plan may read the document.
 */
static List *
inner_plans(const HashJoin *join)
{
	Plan *plan = innerPlan(join);
	List *plans = list_make1(plan);

	if (!IsA(plan, Hash))
		return NIL;
	for (plan = plan->lefttree; IsA(plan, Result); plan = plan->lefttree)
	{
		if (plan->lefttree == NULL || plan->qual != NIL)
			return NIL;
		plans = lappend(plans, plan);
	}
	return IsA(plan, SeqScan) ? lappend(plans, plan) : NIL;
}

/*
 * Returns the variable at this position of the plan's target list. Returns NULL
 * if another entry refers to the same column, or if any entry is not a
 * variable.
 */
static Var *
only_variable(const Plan *plan, AttrNumber column)
{
	Var *found =
		(Var *) list_nth_node(TargetEntry, plan->targetlist, column - 1)->expr;
	ListCell *lc;
	int n = 0;

	if (!IsA(found, Var))
		return NULL;
	foreach(lc, plan->targetlist)
	{
		const Var *var = (const Var *) lfirst_node(TargetEntry, lc)->expr;

		if (!IsA(var, Var))
			return NULL;
		n += var->varattno == found->varattno;
	}
	return n == 1 ? found : NULL;
}

/*
 * Follows a column of the hash table through the plans down to the scan.
 * Returns the entry of the scan's target list that computes this column.
 * Returns NULL if the column is not a document (a jsonb column of the table).
 */
static TargetEntry *
find_entry(List *plans, AttrNumber column)
{
	ListCell *lc;

	foreach(lc, plans)
	{
		const Plan *plan = lfirst(lc);
		const Var *var = only_variable(plan, column);

		if (var == NULL || var->vartype != JSONBOID || var->varattno <= 0)
			return NULL;
		if (IsA(plan, SeqScan))
			return list_nth(plan->targetlist, column - 1);
		column = var->varattno;
	}
	return NULL;
}

/*
 * Adds a column to each plan. The scan computes the value with the expression.
 * Each plan above it gets a variable that refers to the new column of the plan
 * below.
 */
static void
add_column(List *plans, Expr *value)
{
	for (int i = list_length(plans) - 1; i >= 0; i--)
	{
		Plan *plan = list_nth(plans, i);
		AttrNumber column = list_length(plan->targetlist) + 1;

		plan->targetlist = lappend(plan->targetlist,
								   makeTargetEntry(value, column, NULL, false));
		value = (Expr *) makeVar(OUTER_VAR,
								 column,
								 exprType((Node *) value),
								 -1,
								 exprCollation((Node *) value),
								 0);
	}
}

static AttrNumber
next_column(const Plan *plan)
{
	return list_length(plan->targetlist) + 1;
}

/*
 * Removes the columns of a plan that the plan above it does not read. Below a
 * one-time filter, the planner lets a scan return all columns of its table.
 * Plain columns cost no time, but a column that is an expression would be
 * evaluated.
 */
static void
trim(Plan *above, Plan *plan)
{
	List *columns = NIL;
	ListCell *lc;

	foreach(lc, above->targetlist)
	{
		Var *var = (Var *) lfirst_node(TargetEntry, lc)->expr;
		TargetEntry *column = flatCopyTargetEntry(
			list_nth(plan->targetlist, var->varattno - 1));

		columns = lappend(columns, column);
		column->resno = var->varattno = list_length(columns);
	}
	plan->targetlist = columns;
}

static void
narrow(HashJoin *join, List *plans, AttrNumber column)
{
	Hash *hash = linitial(plans);
	Plan *below = lsecond(plans);
	TargetEntry *entry = find_entry(plans, column);
	Document inner = {.varno = INNER_VAR, .column = column};
	Document key = {.varno = OUTER_VAR};
	Expr *document;
	ListCell *lc;

	if (entry == NULL)
		return;
	key.column = only_variable(&hash->plan, column)->varattno;
	(void) read_uses((Node *) join->join.plan.targetlist, &inner);
	(void) read_uses((Node *) join->join.plan.qual, &inner);
	(void) read_uses((Node *) join->join.joinqual, &inner);
	(void) read_uses((Node *) join->hashclauses, &inner);
	key.calls = inner.calls;
	(void) read_uses((Node *) hash->hashkeys, &key);
	if (inner.whole || key.whole ||
		list_length(key.calls) != list_length(inner.calls))
		return;
	inner.first = next_column(&hash->plan);
	key.first = next_column(below);
	document = entry->expr;
	foreach(lc, inner.calls)
	{
		FuncExpr *call = copyObject(lfirst_node(FuncExpr, lc));

		linitial(call->args) = copyObject(document);
		add_column(plans, (Expr *) call);
	}
	entry->expr = (Expr *) makeNullConst(JSONBOID, -1, InvalidOid);
	join->join.plan.targetlist = (List *) replace_uses(
		(Node *) join->join.plan.targetlist, &inner);
	join->join.plan.qual = (List *) replace_uses((Node *) join->join.plan.qual,
												 &inner);
	join->join.joinqual = (List *) replace_uses((Node *) join->join.joinqual,
												&inner);
	join->hashclauses = (List *) replace_uses((Node *) join->hashclauses,
											  &inner);
	hash->hashkeys = (List *) replace_uses((Node *) hash->hashkeys, &key);
	for (int i = 2; i < list_length(plans); i++)
		trim(list_nth(plans, i - 1), list_nth(plans, i));
}

void
kg_ask_narrow(Plan *plan)
{
	HashJoin *join = (HashJoin *) plan;
	List *plans;
	int n;

	if (!IsA(plan, HashJoin))
		return;
	plans = inner_plans(join);
	if (plans == NIL)
		return;
	n = list_length(((Plan *) linitial(plans))->targetlist);
	for (int column = 1; column <= n; column++)
		narrow(join, plans, column);
}
