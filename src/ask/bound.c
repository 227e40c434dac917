/*
 * bound.c
 *	  Bounds the size of values in a query.
 *
 * A call f(a, b) is replaced by kg_query_bounded(a, b, OID of f), with the
 * result type of f. This is possible because the executor takes the types and
 * the number of arguments from the expression, not from pg_proc.
 *
 * An aggregate becomes the first argument of kg_query_bounded(), and the OID
 * is 0. If the time of the aggregate's function grows with the square of the
 * digits of its arguments, the arguments are wrapped instead.
 */
#include "postgres.h"

#include "ask/allowed.h"
#include "ask/bound.h"
#include "ask/refuse.h"
#include "access/detoast.h"
#include "base/extension.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* ---- replacing calls in the tree ---- */

typedef struct Bounding
{
	const KgAsk *ask;
	Oid wrapper;
} Bounding;

static Oid
find_wrapper(void)
{
	const Oid argument = INTERNALOID;

	return LookupFuncName(
		list_make2(makeString(get_namespace_name(kg_extension_schema())),
				   makeString("kg_query_bounded")),
		1,
		&argument,
		false);
}

static Node *
wrap(const Bounding *bounding, Node *expression, Oid function, List *args,
	 Oid inputcollid, bool variadic)
{
	FuncExpr *call = makeFuncExpr(bounding->wrapper,
								  exprType(expression),
								  lappend(list_copy(args),
										  makeConst(OIDOID,
													-1,
													InvalidOid,
													sizeof(Oid),
													ObjectIdGetDatum(function),
													false,
													true)),
								  exprCollation(expression),
								  inputcollid,
								  COERCE_EXPLICIT_CALL);

	call->funcvariadic = variadic;
	call->location = exprLocation(expression);
	return (Node *) call;
}

/*
 * Returns the arguments of a call in the order of the function's parameters. If
 * the call omits a parameter, its default is used. For other calls the planner
 * adds the defaults, but kg_query_bounded() has no defaults.
 */
static List *
all_arguments(const FuncExpr *call)
{
	HeapTuple function = SearchSysCache1(PROCOID,
										 ObjectIdGetDatum(call->funcid));
	List *args;

	if (!HeapTupleIsValid(function))
		elog(ERROR, "cache lookup failed for function %u", call->funcid);
	args = expand_function_arguments(
		call->args, false, call->funcresulttype, function);
	ReleaseSysCache(function);
	return args;
}

static KgAskBound
bound_of(Oid function)
{
	const KgAskFunction *known = kg_ask_function(function);

	return known ? known->bound : KG_ASK_FREE;
}

static Node *
wrap_value(const Bounding *bounding, Node *value)
{
	return wrap(
		bounding, value, InvalidOid, list_make1(value), InvalidOid, false);
}

/*
 * Wraps each argument of an aggregate in a check of its size, and returns the
 * aggregate. In an Aggref, arguments are entries of a target list.
 */
static Node *
bound_arguments(const Bounding *bounding, Aggref *aggregate)
{
	ListCell *lc;

	foreach(lc, aggregate->args)
	{
		TargetEntry *entry = lfirst(lc);

		entry->expr = (Expr *) wrap_value(bounding, (Node *) entry->expr);
	}
	return (Node *) aggregate;
}

static Node *
bound_window_arguments(const Bounding *bounding, WindowFunc *function)
{
	ListCell *lc;

	foreach(lc, function->args)
		lfirst(lc) = wrap_value(bounding, lfirst(lc));
	return (Node *) function;
}

static Node *
bounded(const Bounding *bounding, Node *node)
{
	KgAskBound kind;

	switch ((int) nodeTag(node))
	{
		case T_FuncExpr:
		{
			FuncExpr *call = (FuncExpr *) node;

			if (call->funcretset || bound_of(call->funcid) == KG_ASK_FREE)
				return node;
			return wrap(bounding,
						node,
						call->funcid,
						all_arguments(call),
						call->inputcollid,
						call->funcvariadic);
		}
		case T_OpExpr:
		{
			OpExpr *op = (OpExpr *) node;

			if (op->opretset || bound_of(op->opfuncid) == KG_ASK_FREE)
				return node;
			return wrap(
				bounding, node, op->opfuncid, op->args, op->inputcollid, false);
		}
		case T_Aggref:
			kind = bound_of(((Aggref *) node)->aggfnoid);
			if (kind == KG_ASK_NUMBER)
				return bound_arguments(bounding, (Aggref *) node);
			break;
		case T_WindowFunc:
			kind = bound_of(((WindowFunc *) node)->winfnoid);
			if (kind == KG_ASK_NUMBER)
				return bound_window_arguments(bounding, (WindowFunc *) node);
			break;
		default:
			return node;
	}
	return kind == KG_ASK_FREE ? node : wrap_value(bounding, node);
}

static Node *
bound(Node *node, void *arg)
{
	const Bounding *bounding = arg;

	if (node == NULL)
		return NULL;
	check_stack_depth();
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, bound, arg, 0);
	if (IsA(node, RangeTblFunction))
	{
		RangeTblFunction *function = (RangeTblFunction *) node;
		Node *call = function->funcexpr;

		/*
		 * A function in FROM cannot be replaced: the executor takes the
		 * columns of its result from pg_proc.
		 */
		if (bounded(bounding, call) != call)
			kg_ask_refuse(bounding->ask,
						  exprLocation(call),
						  "this function in FROM",
						  "the function in the list of columns after SELECT");
	}
	node = expression_tree_mutator(node, bound, arg);
	return bounded(bounding, node);
}

Query *
kg_ask_bound(const KgAsk *ask, Query *query)
{
	Bounding bounding = {ask, find_wrapper()};

	return (Query *) bound((Node *) query, &bounding);
}

/* ---- calls of kg_query_bounded() ---- */

/*
 * The function that a call of kg_query_bounded() replaces, and the data needed
 * to call it. Cached in fn_extra.
 */
typedef struct Called
{
	KgAskBound bound;
	bool aggregate;
	FmgrInfo function;
	int nargs;
	/* whether each argument is of variable length */
	bool varlena[FUNC_MAX_ARGS];
	bool result_varlena;
} Called;

static bool
is_varlena(Oid type)
{
	return get_typlen(type) == -1;
}

static const Called *
called_of(FunctionCallInfo fcinfo)
{
	FmgrInfo *wrapper = fcinfo->flinfo;
	const FuncExpr *call = (const FuncExpr *) wrapper->fn_expr;
	MemoryContext old;
	Called *called;
	Oid function;
	ListCell *lc;

	if (wrapper->fn_extra != NULL)
		return wrapper->fn_extra;
	if (call == NULL || !IsA(call, FuncExpr) || call->args == NIL ||
		!IsA(llast(call->args), Const))
		elog(ERROR, "kg_query_bounded() is only for statements of kg_query()");
	function = DatumGetObjectId(((Const *) llast(call->args))->constvalue);
	old = MemoryContextSwitchTo(wrapper->fn_mcxt);
	called = palloc0(sizeof(*called));
	called->aggregate = !OidIsValid(function);
	called->nargs = list_length(call->args) - 1;
	called->result_varlena = is_varlena(call->funcresulttype);
	foreach(lc, call->args)
		called->varlena[foreach_current_index(lc)] = is_varlena(
			exprType(lfirst(lc)));
	if (called->aggregate)
		called->bound = call->funcresulttype == NUMERICOID ? KG_ASK_NUMBER
														   : KG_ASK_AGGREGATE;
	else
	{
		FuncExpr *inner = (FuncExpr *) copyObject(call);

		inner->funcid = function;
		inner->args = list_truncate(inner->args, called->nargs);
		called->bound = kg_ask_function(function)->bound;
		fmgr_info(function, &called->function);
		if (called->nargs < called->function.fn_nargs)
			elog(ERROR, "function %u is called without an argument", function);
		fmgr_info_set_expr((Node *) inner, &called->function);
	}
	MemoryContextSwitchTo(old);
	wrapper->fn_extra = called;
	return called;
}

static KG_NORETURN void
throw_large(const char *what, int most)
{
	kg_error_throw_expected(
		kg_error_new(KG_LIMIT_EXCEEDED,
					 "the query uses %s of more than %d bytes",
					 what,
					 most),
		"shorter texts, or an aggregate of fewer values");
}

static Size
size_of(Datum value)
{
	return toast_raw_datum_size(value) - VARHDRSZ;
}

/*
 * Raises an error if a numeric has too many digits. The digits are estimated
 * from the size: a numeric stores four decimal digits in two bytes.
 */
static void
check_number(Datum number)
{
	if (size_of(number) > KG_ASK_NUMBER_DIGITS / 2)
		kg_error_throw_expected(
			kg_error_new(KG_LIMIT_EXCEEDED,
						 "the query uses a number of more than %d digits",
						 KG_ASK_NUMBER_DIGITS),
			"smaller numbers, or numbers of type double precision");
}

static void
check_growth(FunctionCallInfo fcinfo, bool multiplies)
{
	int64 times = PG_GETARG_INT32(1);

	if (multiplies)
		times *= size_of(PG_GETARG_DATUM(0));
	if (times > KG_ASK_VALUE_BYTES)
		throw_large("a value", KG_ASK_VALUE_BYTES);
}

static void
check_arguments(FunctionCallInfo fcinfo, const Called *called)
{
	int last = called->nargs - 1;

	for (int i = 0; i < called->nargs; i++)
	{
		if (!called->varlena[i] || PG_ARGISNULL(i))
			continue;
		if (called->bound == KG_ASK_NUMBER)
			check_number(PG_GETARG_DATUM(i));
		else if (size_of(PG_GETARG_DATUM(i)) > KG_ASK_VALUE_BYTES)
			throw_large("a value", KG_ASK_VALUE_BYTES);
	}
	if (called->bound == KG_ASK_PATTERN && !PG_ARGISNULL(last) &&
		size_of(PG_GETARG_DATUM(last)) > KG_ASK_PATTERN_BYTES)
		throw_large("a pattern of to_char() or a similar function",
					KG_ASK_PATTERN_BYTES);
	if (called->bound == KG_ASK_GROWS && !PG_ARGISNULL(0) && !PG_ARGISNULL(1))
		check_growth(fcinfo, called->function.fn_oid == F_REPEAT);
}

static Datum
call_function(FunctionCallInfo fcinfo, const Called *called, bool *isnull)
{
	LOCAL_FCINFO(inner, FUNC_MAX_ARGS);
	Datum result;

	InitFunctionCallInfoData(*inner,
							 (FmgrInfo *) &called->function,
							 called->nargs,
							 fcinfo->fncollation,
							 NULL,
							 NULL);
	*isnull = true;
	for (int i = 0; i < called->nargs; i++)
	{
		inner->args[i] = fcinfo->args[i];
		if (called->function.fn_strict && PG_ARGISNULL(i))
			return (Datum) 0;
	}
	check_arguments(fcinfo, called);
	result = FunctionCallInvoke(inner);
	*isnull = inner->isnull;
	return result;
}

Datum
kg_ask_call_bounded(FunctionCallInfo fcinfo)
{
	const Called *called = called_of(fcinfo);
	bool isnull = PG_ARGISNULL(0);
	Datum result = PG_GETARG_DATUM(0);

	/*
	 * The executor checks for interrupts only once for each row, and a row may
	 * have many calls.
	 */
	CHECK_FOR_INTERRUPTS();
	if (!called->aggregate)
		result = call_function(fcinfo, called, &isnull);
	if (isnull)
		PG_RETURN_NULL();
	if (!called->result_varlena)
		return result;
	if (called->bound == KG_ASK_NUMBER)
		check_number(result);
	else if (size_of(result) > KG_ASK_VALUE_BYTES)
		throw_large("a value", KG_ASK_VALUE_BYTES);
	return result;
}
