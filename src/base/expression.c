/*
 * expression.c
 *	  Expression trees of policies and queries.
 */
#include "postgres.h"

#include "base/expression.h"
#include "base/extension.h"
#include "nodes/primnodes.h"
#include "utils/lsyscache.h"

const char *
kg_own_call(const Node *expression)
{
	const FuncExpr *call = (const FuncExpr *) expression;

	if (!IsA(call, FuncExpr) ||
		get_func_namespace(call->funcid) != kg_extension_schema())
		return NULL;
	return get_func_name(call->funcid);
}

Node *
kg_without_relabels(Node *expression)
{
	while (IsA(expression, RelabelType))
		expression = (Node *) ((RelabelType *) expression)->arg;
	return expression;
}
