/*
 * view_planner.c
 *	  Planner support for views: a filter on a column of a view may use the
 *	  keys of x-index properties.
 *
 * Under row security the planner uses an index only for leakproof operators,
 * and a comparison with kg_column_numeric() is not leakproof. So each view has
 * the condition kg_view_row(node, ...), which is true and leakproof. The
 * planner calls its support function to find out whether an index on node can
 * replace it. The support function reads the other restrictions of the
 * relation, and returns node = ANY (kg_view_nodes(...)) for the restriction
 * with the fewest keys. The restriction itself is still tested on the rows
 * found.
 *
 * Costs and row counts come from counting those keys, a few thousand at most,
 * because the statistics of kg_entity cover all types together.
 */
#include "postgres.h"

#include <math.h>

#include "access/stratnum.h"
#include "auth/identity.h"
#include "base/expression.h"
#include "base/extension.h"
#include "base/json.h"
#include "model/column.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/restrictinfo.h"
#include "parser/parse_func.h"
#include "query/view/type_rows.h"
#include "query/view/view_planner.h"
#include "query/view/view_rows.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/typcache.h"

/*
 * Maximum number of keys counted in planning, and the number assumed if they
 * cannot be counted.
 */
#define KG_COUNTED_KEYS 5000
#define KG_ASSUMED_KEYS 100
/*
 * Number of entities that a scan can read in the time that is needed for
 * KG_COUNTED_KEYS or more keys and their entities.
 */
#define KG_EARLY_READS 40000.0
/* Random pages that are read per entity when it is found by its node number. */
#define KG_ENTITY_PAGES 0.25
/*
 * Number of arguments of kg_view_row(); kg_entity_visible() has a different
 * number.
 */
#define KG_VIEW_ROW_NARGUMENTS 5

/* A restriction that keys can answer: property op value. */
typedef struct Test
{
	const char *property;
	const KgField *field;
	KgOp op;
	Expr *value;  /* value of type jsonb */
	Node *clause; /* the restriction; set by kg_view_exact() */
} Test;

/* A view: the arguments of its kg_view_row(), and the relation in the query. */
typedef struct View
{
	PlannerInfo *root; /* NULL: the query has already been planned */
	RelOptInfo *rel;
	Index relid;
	AttrNumber node; /* column numbers in kg_entity */
	AttrNumber data;
	const char *bundle;
	const char *type;
	const KgType *known;
} View;

static const char *
const_text(const Node *node)
{
	const Const *value = (const Const *) node;

	if (!IsA(node, Const) || value->constisnull || value->consttype != TEXTOID)
		return NULL;
	return TextDatumGetCString(value->constvalue);
}

/*
 * Returns whether the relation is read under the caller's policies, as keys
 * are. Rows that are read under no policy, or under the policies of the owner
 * of an enclosing view, may include rows that the keys do not include.
 */
static bool
is_read_as_caller(const View *view, Oid relid)
{
	return (!OidIsValid(view->rel->userid) ||
			view->rel->userid == GetUserId()) &&
		   check_enable_rls(relid, InvalidOid, true) == RLS_ENABLED;
}

/*
 * Reads kg_view_row(node, 'type', bundle, name, ...) of a relation of this
 * query. Returns false if keys cannot be used for it.
 */
static bool
read_view(PlannerInfo *root, List *args, View *view)
{
	const Var *node = linitial(args);
	const char *kind = const_text(lsecond(args));
	const char *tenant;
	RangeTblEntry *rte;

	if (root == NULL || !IsA(node, Var) || node->varlevelsup != 0 ||
		kind == NULL || strcmp(kind, "type") != 0)
		return false;
	view->root = root;
	view->rel = root->simple_rel_array[node->varno];
	view->relid = node->varno;
	rte = root->simple_rte_array[node->varno];
	view->bundle = const_text(lthird(args));
	view->type = const_text(lfourth(args));
	tenant = kg_identity_tenant(KG_ACCESS_READ);
	if (view->rel == NULL || rte->rtekind != RTE_RELATION ||
		!kg_is_relation(rte->relid, "kg_entity") || view->bundle == NULL ||
		view->type == NULL || tenant == NULL ||
		!is_read_as_caller(view, rte->relid))
		return false;
	view->node = get_attnum(rte->relid, "node");
	view->data = get_attnum(rte->relid, "data");
	view->known = kg_catalog_type_in(
		kg_catalog_get(pstrdup(tenant)), view->bundle, view->type);
	return view->known != NULL && node->varattno == view->node;
}

/*
 * Returns whether the node is a column of the view. Sets the property and field
 * of the test.
 */
static bool
is_column(const View *view, Node *node, Test *test)
{
	const FuncExpr *call = (const FuncExpr *) kg_without_relabels(node);
	const char *name;
	const Var *data;

	/*
	 * If a bigint column is compared with a numeric, the column is the
	 * argument of a cast.
	 */
	if (IsA(call, FuncExpr) && call->funcid == F_NUMERIC_INT8)
		call = linitial(call->args);
	name = kg_own_call((const Node *) call);
	if (name == NULL || list_length(call->args) != 2 ||
		strncmp(name, KG_COLUMN_PREFIX, strlen(KG_COLUMN_PREFIX)) != 0)
		return false;
	data = linitial(call->args);
	test->property = const_text(lsecond(call->args));
	if (!IsA(data, Var) || data->varno != view->relid ||
		data->varattno != view->data || test->property == NULL)
		return false;
	test->field = kg_column_field(view->known, test->property);
	/*
	 * The types differ if the view was created before the property's type
	 * changed.
	 */
	return test->field != NULL && kg_column_type(view->known, test->field) ==
									  get_func_rettype(call->funcid);
}

/*
 * Returns whether the expression has one value for all rows, which is known
 * before the first row is read.
 */
static bool
is_value(const View *view, Node *node)
{
	if (view->root == NULL)
		return IsA(node, Const);
	return bms_is_empty(pull_varnos(view->root, node)) &&
		   !contain_volatile_functions(node) && !contain_subplans(node);
}

/*
 * Returns the expression to_jsonb(node). If the node is a constant, returns its
 * value.
 */
static Expr *
as_jsonb(const View *view, Node *node)
{
	Expr *call = (Expr *) makeFuncExpr(F_TO_JSONB,
									   JSONBOID,
									   list_make1(node),
									   InvalidOid,
									   InvalidOid,
									   COERCE_EXPLICIT_CALL);

	if (!IsA(node, Const))
		return call;
	if (view->root == NULL)
		return evaluate_expr(call, JSONBOID, -1, InvalidOid);
	return (Expr *) estimate_expression_value(view->root, (Node *) call);
}

static Expr *
jsonb_const(const JsonbValue *value)
{
	return (Expr *) makeConst(JSONBOID,
							  -1,
							  InvalidOid,
							  -1,
							  JsonbPGetDatum(kg_json_datum(value)),
							  false,
							  false);
}

/*
 * Returns whether the collation compares texts by byte, as keys do. For
 * equality any deterministic collation will do.
 */
static bool
by_byte(Oid collation, KgOp op)
{
	if (op == KG_OP_EQ || op == KG_OP_IN)
		return OidIsValid(collation) &&
			   get_collation_isdeterministic(collation);
	return collation == C_COLLATION_OID;
}

/*
 * Sets the filter operator that corresponds to a b-tree operator of the type.
 */
static bool
btree_op(Oid opno, Oid type, KgOp *op)
{
	static const KgOp ops[] = {
		KG_OP_LT, KG_OP_LTE, KG_OP_EQ, KG_OP_GTE, KG_OP_GT};
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY);
	int strategy = get_op_opfamily_strategy(opno, cache->btree_opf);

	if (strategy < 1 || strategy > lengthof(ops))
		return false;
	*op = ops[strategy - 1];
	return true;
}

/*
 * Returns whether values of the two types can be compared as values of the
 * same type.
 */
static bool
is_comparable(Oid column, Oid value)
{
	if (column == INT8OID)
		return value == INT2OID || value == INT4OID || value == INT8OID;
	return column == value;
}

static bool
read_comparison(const View *view, const OpExpr *clause, Test *test)
{
	Oid opno = clause->opno;
	Node *left = linitial(clause->args);
	Node *right = lsecond(clause->args);
	Oid type;

	if (!is_column(view, left, test))
	{
		Node *other = left;

		left = right;
		right = other;
		opno = get_commutator(opno);
		if (!OidIsValid(opno) || !is_column(view, left, test))
			return false;
	}
	type = exprType(left);
	if (!is_value(view, right) || !is_comparable(type, exprType(right)) ||
		!btree_op(opno, type, &test->op) || test->field->is_array ||
		(type == TEXTOID && !by_byte(clause->inputcollid, test->op)))
		return false;
	test->value = as_jsonb(view, right);
	return true;
}

/*
 * Reads a condition column LIKE 'text%' into *test. Returns false for any other
 * condition, and if keys cannot answer the condition.
 */
static bool
read_like(const View *view, const OpExpr *clause, Test *test)
{
	const char *pattern = const_text(lsecond(clause->args));
	JsonbValue prefix;

	if (pattern == NULL || !is_column(view, linitial(clause->args), test) ||
		exprType(linitial(clause->args)) != TEXTOID ||
		!by_byte(clause->inputcollid, KG_OP_EQ))
		return false;
	prefix.type = jbvString;
	prefix.val.string.val = (char *) pattern;
	prefix.val.string.len = strcspn(pattern, "%_\\");
	test->op = KG_OP_STARTS_WITH;
	test->value = jsonb_const(&prefix);
	return prefix.val.string.len > 0;
}

/*
 * Returns the first element that is not null of a constant array; NULL if there
 * is no such element.
 */
static Expr *
first_element(const View *view, Node *node)
{
	const Const *array = (const Const *) node;
	JsonbValue value;
	const Const *elements;

	if (!IsA(array, Const) || array->constisnull)
		return NULL;
	elements = (const Const *) as_jsonb(view, node);
	if (!IsA(elements, Const) || elements->constisnull)
		return NULL;
	kg_json_root(DatumGetJsonbP(elements->constvalue), &value);
	if (!kg_json_is_array(&value))
		return NULL;
	kg_json_each(it, kg_json_container(&value))
		if (it.value.type != jbvNull && it.value.type != jbvBinary)
			return jsonb_const(&it.value);
	return NULL;
}

/*
 * Reads a condition array @> value, array <@ value or array && value into
 * *test. Returns false for any other condition, and if keys cannot answer the
 * condition.
 */
static bool
read_members(const View *view, const OpExpr *clause, Test *test)
{
	Node *column = linitial(clause->args);
	Node *value = lsecond(clause->args);

	if (clause->opno == OID_ARRAY_CONTAINED_OP ||
		(clause->opno == OID_ARRAY_OVERLAP_OP &&
		 !is_column(view, column, test)))
	{
		column = lsecond(clause->args);
		value = linitial(clause->args);
	}
	if (!is_column(view, column, test) || !test->field->is_array ||
		!is_value(view, value) ||
		(exprType(column) == TEXTARRAYOID &&
		 !by_byte(clause->inputcollid, KG_OP_EQ)))
		return false;
	if (clause->opno == OID_ARRAY_OVERLAP_OP)
	{
		test->op = KG_OP_IN;
		test->value = as_jsonb(view, value);
		return true;
	}
	test->op = KG_OP_EQ;
	test->value = first_element(view, value);
	return test->value != NULL;
}

/*
 * Reads a condition column = ANY (values) or value = ANY (column) into *test.
 * Returns false for any other condition, and if keys cannot answer the
 * condition.
 */
static bool
read_any(const View *view, const ScalarArrayOpExpr *clause, Test *test)
{
	Node *left = linitial(clause->args);
	Node *right = lsecond(clause->args);
	bool of_column = is_column(view, left, test);
	Oid type;

	if (!clause->useOr || (!of_column && !is_column(view, right, test)) ||
		of_column == test->field->is_array)
		return false;
	type = of_column ? exprType(left) : get_element_type(exprType(right));
	if (!is_value(view, of_column ? right : left) ||
		!is_comparable(type,
					   of_column ? get_element_type(exprType(right))
								 : exprType(left)) ||
		!btree_op(clause->opno, type, &test->op) || test->op != KG_OP_EQ ||
		(type == TEXTOID && !by_byte(clause->inputcollid, KG_OP_EQ)))
		return false;
	if (of_column)
		test->op = KG_OP_IN;
	test->value = as_jsonb(view, of_column ? right : left);
	return true;
}

static bool
read_flag(const View *view, Node *column, bool flag, Test *test)
{
	JsonbValue value;

	if (!is_column(view, column, test) || exprType(column) != BOOLOID)
		return false;
	value.type = jbvBool;
	value.val.boolean = flag;
	test->op = KG_OP_EQ;
	test->value = jsonb_const(&value);
	return true;
}

static bool
read_clause(const View *view, Node *clause, Test *test)
{
	switch ((int) nodeTag(clause))
	{
		case T_OpExpr:
		{
			const OpExpr *op = (const OpExpr *) clause;

			if (list_length(op->args) != 2)
				return false;
			switch (op->opno)
			{
				case OID_TEXT_LIKE_OP:
					return read_like(view, op, test);
				case OID_ARRAY_CONTAINS_OP:
				case OID_ARRAY_CONTAINED_OP:
				case OID_ARRAY_OVERLAP_OP:
					return read_members(view, op, test);
				default:
					return read_comparison(view, op, test);
			}
		}
		case T_ScalarArrayOpExpr:
			return read_any(view, (const ScalarArrayOpExpr *) clause, test);
		case T_FuncExpr:
			return read_flag(view, clause, true, test);
		case T_BoolExpr:
			return is_notclause(clause) &&
				   read_flag(
					   view, (Node *) get_notclausearg(clause), false, test);
		case T_BooleanTest:
		{
			const BooleanTest *is = (const BooleanTest *) clause;

			return (is->booltesttype == IS_TRUE ||
					is->booltesttype == IS_FALSE) &&
				   read_flag(view,
							 (Node *) is->arg,
							 is->booltesttype == IS_TRUE,
							 test);
		}
		default:
			return false;
	}
}

/* Returns the restrictions of the relation that keys can answer. */
static List *
read_tests(const View *view)
{
	List *tests = NIL;
	ListCell *lc;

	foreach(lc, view->rel->baserestrictinfo)
	{
		RestrictInfo *restriction = lfirst(lc);
		Test *test = palloc0(sizeof(*test));

		if (!restriction->pseudoconstant &&
			read_clause(view, (Node *) restriction->clause, test) &&
			kg_view_keys_serve(test->field, test->op))
			tests = lappend(tests, test);
	}
	return tests;
}

static Expr *
text_const(const char *text)
{
	return (Expr *) makeConst(TEXTOID,
							  -1,
							  DEFAULT_COLLATION_OID,
							  -1,
							  CStringGetTextDatum(text),
							  false,
							  false);
}

static List *
add_test(List *args, const Test *test)
{
	args = lappend(args, text_const(kg_operator(test->op)->name));
	return lappend(args, test->value);
}

/*
 * Returns whether the two tests are the lower and the upper bound of a range
 * on one field.
 */
static bool
is_other_bound(const Test *test, const Test *other)
{
	KgOpBound bound = kg_operator(test->op)->bound;
	KgOpBound opposite = kg_operator(other->op)->bound;

	return test->field == other->field && !test->field->is_array &&
		   ((bound == KG_BOUND_LOWER && opposite == KG_BOUND_UPPER) ||
			(bound == KG_BOUND_UPPER && opposite == KG_BOUND_LOWER));
}

/*
 * Returns the arguments of kg_view_nodes() for a test. If *other has a test
 * for the opposite bound of the same range, the arguments include it. The lower
 * bound comes first, so both tests have the same arguments.
 */
static List *
nodes_args(const char *bundle, const char *type, List *tests, const Test *test,
		   const Test **other)
{
	List *args = list_make3(
		text_const(bundle), text_const(type), text_const(test->property));
	ListCell *lc;

	*other = NULL;
	foreach(lc, tests)
		if (is_other_bound(test, lfirst(lc)))
		{
			bool lower = kg_operator(test->op)->bound == KG_BOUND_LOWER;

			*other = lfirst(lc);
			args = add_test(args, lower ? test : *other);
			return add_test(args, lower ? *other : test);
		}
	args = add_test(args, test);
	args = lappend(args, makeNullConst(TEXTOID, -1, DEFAULT_COLLATION_OID));
	return lappend(args, makeNullConst(JSONBOID, -1, InvalidOid));
}

/* Returns the call of kg_view_nodes() for a test. */
static FuncExpr *
nodes_call(const View *view, List *tests, const Test *test)
{
	static const Oid argtypes[] = {
		TEXTOID, TEXTOID, TEXTOID, TEXTOID, JSONBOID, TEXTOID, JSONBOID};
	List *name = list_make2(
		makeString(get_namespace_name(kg_extension_schema())),
		makeString("kg_view_nodes"));
	const Test *other;

	return makeFuncExpr(
		LookupFuncName(name, lengthof(argtypes), argtypes, false),
		INT8ARRAYOID,
		nodes_args(view->bundle, view->type, tests, test, &other),
		InvalidOid,
		DEFAULT_COLLATION_OID,
		COERCE_EXPLICIT_CALL);
}

/*
 * A number of keys, cached while the statement is planned. The planner needs it
 * several times, for rows and for the cost of each path.
 */
typedef struct Counted
{
	const PlannerGlobal *planning;
	const List *args;
	int64 count;
	/* estimated number of entities of the type; or 0 */
	double rows;
	struct Counted *next;
	MemoryContextCallback gone;
} Counted;

static Counted *counted = NULL;

static void
forget_counted(void *arg)
{
	for (Counted **at = &counted; *at; at = &(*at)->next)
		if (*at == arg)
		{
			*at = (*at)->next;
			break;
		}
}

static const Counted *
find_counted(const PlannerInfo *root, const List *args)
{
	for (const Counted *c = counted; c; c = c->next)
		if (c->planning == root->glob && equal(c->args, args))
			return c;
	return NULL;
}

static const Counted *
keep_counted(PlannerInfo *root, const List *args, int64 count, double rows)
{
	Counted *c = MemoryContextAlloc(root->planner_cxt, sizeof(*c));
	MemoryContext old = MemoryContextSwitchTo(root->planner_cxt);

	c->planning = root->glob;
	c->args = copyObject(args);
	c->count = count;
	c->rows = rows;
	c->next = counted;
	c->gone.func = forget_counted;
	c->gone.arg = c;
	MemoryContextRegisterResetCallback(root->planner_cxt, &c->gone);
	counted = c;
	MemoryContextSwitchTo(old);
	return c;
}

bool
kg_view_filter(List *args, KgViewFilter *filter)
{
	memset(filter, 0, sizeof(*filter));
	filter->bundle = const_text(list_nth(args, KG_VIEW_BUNDLE));
	filter->type = const_text(list_nth(args, KG_VIEW_TYPE));
	filter->property = const_text(list_nth(args, KG_VIEW_PROPERTY));
	if (!filter->bundle || !filter->type || !filter->property)
		return false;
	for (int i = KG_VIEW_TEST; i < KG_VIEW_NARGUMENTS; i += 2)
	{
		const char *op = const_text(list_nth(args, i));
		const Const *value = list_nth(args, i + 1);
		KgViewTest *test = &filter->tests[filter->ntests];

		if (op == NULL)
			break;
		if (!kg_op_lookup(op, &test->op) || !IsA(value, Const))
			return false;
		if (!value->constisnull)
			test->value = DatumGetJsonbP(value->constvalue);
		filter->ntests++;
	}
	return true;
}

/*
 * Returns the number of keys that a call reads, or a special value of
 * kg_view_count().
 */
static int64
count_keys(PlannerInfo *root, const FuncExpr *call)
{
	KgViewFilter filter;
	List *values = NIL;
	ListCell *lc;

	foreach(lc, call->args)
	{
		Node *value = estimate_expression_value(root, lfirst(lc));

		if (!IsA(value, Const))
			return KG_VIEW_UNKNOWN;
		values = lappend(values, value);
	}
	if (!kg_view_filter(values, &filter))
		return KG_VIEW_UNKNOWN;
	return kg_view_count(&filter, KG_COUNTED_KEYS);
}

/*
 * Counts the keys that a call of kg_view_nodes() reads, once for each planned
 * statement. rel is the relation that has the entities, or NULL if it is not
 * known.
 */
static const Counted *
count_call(PlannerInfo *root, const FuncExpr *call, RelOptInfo *rel)
{
	const Counted *found = find_counted(root, call->args);

	if (found != NULL)
		return found;
	return keep_counted(
		root, call->args, count_keys(root, call), kg_type_rows(root, rel));
}

/*
 * Returns the call that reads the fewest keys, or NULL, and sets the number of
 * these keys.
 */
static FuncExpr *
best_call(const View *view, int64 *count)
{
	List *tests = read_tests(view);
	FuncExpr *best = NULL;
	ListCell *lc;

	*count = KG_VIEW_UNKNOWN;
	foreach(lc, tests)
	{
		FuncExpr *call = nodes_call(view, tests, lfirst(lc));
		int64 n = count_call(view->root, call, view->rel)->count;

		if (n != KG_VIEW_NO_KEYS &&
			(best == NULL || (n >= 0 && (*count < 0 || n < *count))))
		{
			best = call;
			*count = n;
		}
	}
	return best;
}

/*
 * Returns whether the query has a LIMIT without ORDER BY, and reading the
 * type's entities in turn would reach this limit sooner than the keys. At least
 * the counted keys are assumed to match.
 */
static bool
ends_early(const View *view)
{
	return view->root->limit_tuples > 0 &&
		   view->root->parse->sortClause == NIL &&
		   view->root->limit_tuples * view->rel->tuples <
			   KG_EARLY_READS * KG_COUNTED_KEYS;
}

static List *
index_condition(SupportRequestIndexCondition *request)
{
	View view;
	FuncExpr *call;
	int64 count;
	ScalarArrayOpExpr *any;

	if (!IsA(request->node, FuncExpr) || request->indexarg != 0 ||
		request->opfamily != INTEGER_BTREE_FAM_OID ||
		!read_view(request->root, ((FuncExpr *) request->node)->args, &view) ||
		request->index->rel != view.rel)
		return NIL;
	call = best_call(&view, &count);
	if (call == NULL || (count >= KG_COUNTED_KEYS && ends_early(&view)))
		return NIL;
	any = makeNode(ScalarArrayOpExpr);
	any->opno = get_opfamily_member(
		INTEGER_BTREE_FAM_OID, INT8OID, INT8OID, BTEqualStrategyNumber);
	any->opfuncid = F_INT8EQ;
	any->useOr = true;
	any->args = list_make2(linitial(((FuncExpr *) request->node)->args), call);
	request->lossy = false;
	return list_make1(any);
}

/*
 * Returns the selectivity of kg_view_row(): the number of keys divided by the
 * number of rows that the other restrictions leave, or 1 if keys are not used
 * for any restriction.
 */
static double
selectivity_of_keys(SupportRequestSelectivity *request)
{
	View view;
	int64 count;
	List *others = NIL;
	double rows;
	ListCell *lc;

	if (!read_view(request->root, request->args, &view) ||
		view.rel->tuples <= 0)
		return 1.0;
	if (best_call(&view, &count) == NULL || count < 0 ||
		count >= KG_COUNTED_KEYS)
		return 1.0;
	foreach(lc, view.rel->baserestrictinfo)
	{
		RestrictInfo *restriction = lfirst(lc);
		FuncExpr *call = (FuncExpr *) restriction->clause;

		if (!IsA(call, FuncExpr) || call->funcid != request->funcid)
			others = lappend(others, restriction);
	}
	rows = view.rel->tuples *
		   clauselist_selectivity(request->root, others, 0, JOIN_INNER, NULL);
	return rows > count ? count / rows : 1.0;
}

/*
 * Estimates kg_view_row(), and kg_entity_visible() for the entities of one
 * type. The estimate assumes that the caller sees all these entities. An
 * estimate from the visible rows would depend on the hidden rows. Returns false
 * for any other call, for which the planner makes its own estimate.
 */
static bool
selectivity(SupportRequestSelectivity *request)
{
	const Var *column = linitial(request->args);

	if (request->is_join || request->root == NULL || !IsA(column, Var) ||
		column->varlevelsup != 0)
		return false;
	if (list_length(request->args) == KG_VIEW_ROW_NARGUMENTS)
		request->selectivity = selectivity_of_keys(request);
	else if (kg_type_rows(request->root,
						  request->root->simple_rel_array[column->varno]) > 0)
		request->selectivity = 1.0;
	else
		return false;
	return true;
}

static bool
cost(SupportRequestCost *request)
{
	const Counted *known;
	double count;

	if (request->root == NULL || request->node == NULL ||
		!IsA(request->node, FuncExpr) ||
		list_length(((FuncExpr *) request->node)->args) != KG_VIEW_NARGUMENTS)
		return false;
	known = count_call(request->root, (FuncExpr *) request->node, NULL);
	count = known->count;
	if (count < 0)
		count = KG_ASSUMED_KEYS;
	else if (count >= KG_COUNTED_KEYS)
		/*
		 * The count has ended at its maximum, and there may be as many keys as
		 * entities. The geometric mean of both numbers is assumed.
		 */
		count = Max(count * 2, sqrt(count * known->rows));
	request->startup = 0;
	request->per_tuple = (count + 1) *
						 (cpu_index_tuple_cost + cpu_operator_cost +
						  KG_ENTITY_PAGES * random_page_cost);
	return true;
}

Node *
kg_view_support(Node *request)
{
	switch ((int) nodeTag(request))
	{
		case T_SupportRequestIndexCondition:
			return (Node *) index_condition(
				(SupportRequestIndexCondition *) request);
		case T_SupportRequestSelectivity:
			return selectivity((SupportRequestSelectivity *) request) ? request
																	  : NULL;
		case T_SupportRequestCost:
			return cost((SupportRequestCost *) request) ? request : NULL;
		default:
			return NULL;
	}
}

/*
 * Returns a measure of a test's selectivity: 3 for a test with one value, 2
 * for two bounds, 1 for one bound. Returns 0 if the keys of the test are not
 * exactly the keys of its matches.
 */
static int
precision_of(List *tests, const Test *test)
{
	const KgField *field = test->field;
	KgOpBound bound = kg_operator(test->op)->bound;
	ListCell *lc;

	/* A column rounds instants, and versions with equal keys may differ. */
	if (field->is_array || field->by_version || field->kind == KG_KIND_DATETIME)
		return 0;
	if (bound == KG_BOUND_ONE)
		return 3;
	if (bound != KG_BOUND_LOWER && bound != KG_BOUND_UPPER)
		return 0;
	foreach(lc, tests)
		if (is_other_bound(test, lfirst(lc)))
			return 2;
	return 1;
}

List *
kg_view_exact(Oid table, Index relid, const KgType *type, List *conditions,
			  List **rest)
{
	View view = {.relid = relid, .known = type};
	List *tests = NIL;
	const Test *best = NULL;
	const Test *other;
	List *args;
	ListCell *lc;

	view.data = get_attnum(table, "data");
	foreach(lc, conditions)
	{
		Test *test = palloc0(sizeof(*test));

		test->clause = lfirst(lc);
		if (read_clause(&view, test->clause, test) &&
			kg_view_keys_serve(test->field, test->op))
			tests = lappend(tests, test);
	}
	foreach(lc, tests)
		if (precision_of(tests, lfirst(lc)) >
			(best ? precision_of(tests, best) : 0))
			best = lfirst(lc);
	if (best == NULL)
		return NIL;
	args = nodes_args(type->bundle, type->name, tests, best, &other);
	*rest = list_delete_ptr(list_copy(conditions), best->clause);
	if (other != NULL)
		*rest = list_delete_ptr(*rest, other->clause);
	return args;
}
