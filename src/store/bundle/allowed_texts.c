/*
 * bundle/allowed_texts.c
 *	  The texts that a column's CHECK constraints allow.
 *
 * Only CHECK (column IN (constants)) is recognized, alone or combined by AND,
 * in constraints of the table or of the column's domain.
 */
#include "postgres.h"

#include "access/transam.h"
#include "base/spi.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "store/bundle/binding_draft.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* Returns whether the expression is the column, or VALUE of a domain. */
static bool
is_value(const Node *node, AttrNumber number)
{
	while (IsA(node, RelabelType))
		node = (const Node *) ((const RelabelType *) node)->arg;
	if (IsA(node, Var))
		return ((const Var *) node)->varattno == number;
	return IsA(node, CoerceToDomainValue);
}

static bool
is_text(Oid type)
{
	return type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
}

static bool
is_of_user(Oid function, void *arg)
{
	return function >= FirstGenbkiObjectId;
}

/*
 * Returns whether the evaluation of the expression may run a function of a
 * user. Such a function would run with the caller's rights.
 */
static bool
may_run_user_code(Node *node, void *arg)
{
	if (node == NULL)
		return false;
	if (IsA(node, List))
		return expression_tree_walker(node, may_run_user_code, arg);
	/* A CaseTestExpr stands for the element when an array is coerced. */
	if (!IsA(node, Const) && !IsA(node, ArrayExpr) && !IsA(node, RelabelType) &&
		!IsA(node, ArrayCoerceExpr) && !IsA(node, CaseTestExpr) &&
		!IsA(node, FuncExpr))
		return true;
	return check_functions_in_node(node, is_of_user, NULL) ||
		   expression_tree_walker(node, may_run_user_code, arg);
}

/*
 * Returns the texts in an array expression, or NIL if it is not constant.
 * Evaluates only functions of PostgreSQL itself.
 */
static List *
texts_of(Node *node)
{
	List *texts = NIL;
	Const *constant;
	const char **items;
	int n;

	if (may_run_user_code(node, NULL))
		return NIL;
	constant = (Const *) eval_const_expressions(NULL, copyObject(node));
	if (!IsA(constant, Const) || constant->constisnull ||
		!is_text(get_element_type(constant->consttype)))
		return NIL;
	items = kg_array_texts(DatumGetArrayTypeP(constant->constvalue), true, &n);
	for (int i = 0; i < n; i++)
		if (items[i] != NULL)
			texts = lappend(texts, (void *) items[i]);
	return texts;
}

static List *
texts_of_check(const char *text, AttrNumber number)
{
	ListCell *lc;

	foreach(lc, make_ands_implicit(stringToNode(text)))
	{
		ScalarArrayOpExpr *op = lfirst(lc);
		List *texts;

		if (!IsA(op, ScalarArrayOpExpr) || !op->useOr ||
			strcmp(get_opname(op->opno), "=") != 0 ||
			!is_value(linitial(op->args), number))
			continue;
		texts = texts_of(lsecond(op->args));
		if (texts != NIL)
			return texts;
	}
	return NIL;
}

List *
kg_allowed_texts(Oid relid, const KgDraftColumn *column)
{
	List *texts = NIL;

	if (!is_text(column->type))
		return NIL;
	/* The base type of a domain may be another domain. */
	KG_SPI_EXEC("WITH RECURSIVE domains AS (SELECT $2 AS type UNION ALL "
				"SELECT t.typbasetype FROM domains d JOIN pg_type t "
				"ON t.oid = d.type WHERE t.typtype = 'd') "
				"SELECT conbin::text FROM pg_constraint "
				"WHERE contype = 'c' AND convalidated "
				"AND (contypid IN (SELECT type FROM domains) "
				"OR (conrelid = $1 AND $3 = ANY (conkey))) ORDER BY conname",
				kg_arg(OIDOID, ObjectIdGetDatum(relid)),
				kg_arg(OIDOID, ObjectIdGetDatum(column->declared)),
				kg_arg(INT2OID, Int16GetDatum(column->number)));
	for (uint64 i = 0; i < SPI_processed && texts == NIL; i++)
		texts = texts_of_check(kg_spi_cstring(i, 1), column->number);
	return texts;
}
