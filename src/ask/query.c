/*
 * query.c
 *	  Analyses a query, and checks the analysed tree.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "ask/allowed.h"
#include "ask/calls.h"
#include "ask/mend.h"
#include "ask/query.h"
#include "ask/refuse.h"
#include "ask/tables.h"
#include "base/catch.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "parser/parse_agg.h"
#include "parser/parse_node.h"
#include "parser/parse_param.h"
#include "parser/parse_relation.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* ---- analysis ---- */

/*
 * Searches the item for the column whose name equals "name" without regard to
 * case. "found" is a column that matched in an earlier item, or NULL. Returns
 * the name of the matching column. Returns NULL if columns with different names
 * match.
 */
static char *
folded_column(const ParseNamespaceItem *item, const char *name, char *found)
{
	ListCell *lc;

	foreach(lc, item->p_names->colnames)
	{
		char *column = strVal(lfirst(lc));

		if (pg_strcasecmp(column, name) != 0)
			continue;
		if (found != NULL && strcmp(found, column) != 0)
			return NULL;
		found = column;
	}
	return found;
}

/*
 * Looks up a column that is written without a table's name, without regard to
 * case. Uses the innermost query level that has a match. Returns NULL if no
 * column matches, or if several columns match.
 */
static Node *
find_folded(ParseState *state, const char *name, int location)
{
	for (ParseState *level = state; level != NULL;
		 level = level->parentParseState)
	{
		char *found = NULL;
		ListCell *lc;

		foreach(lc, level->p_namespace)
		{
			const ParseNamespaceItem *item = lfirst(lc);

			char *next = found;

			if (item->p_cols_visible)
				next = folded_column(item, name, found);
			if (found != NULL && next == NULL)
				return NULL;
			found = next;
		}
		if (found != NULL)
			return colNameToVar(state, found, false, location);
	}
	return NULL;
}

static Node *
find_folded_of(ParseState *state, const char *table, const char *name,
			   int location)
{
	int levels_up;
	ParseNamespaceItem *item = refnameNamespaceItem(
		state, NULL, table, location, &levels_up);
	char *found = item ? folded_column(item, name, NULL) : NULL;

	return found ? scanNSItemForColumn(state, item, levels_up, found, location)
				 : NULL;
}

static Node *
find_column(ParseState *state, ColumnRef *ref, Node *known)
{
	Node *last = llast(ref->fields);

	if (known != NULL || !IsA(last, String))
		return NULL;
	if (list_length(ref->fields) == 1)
		return find_folded(state, strVal(last), ref->location);
	if (list_length(ref->fields) == 2)
		return find_folded_of(
			state, strVal(linitial(ref->fields)), strVal(last), ref->location);
	return NULL;
}

/*
 * The analysis of a statement. If it raises an error, kg_ask_mend() may correct
 * the statement.
 */
typedef struct Analysis
{
	KgAsk *ask;
	const RawStmt *statement;
	Query *query;
	ErrorData *error; /* error that kg_ask_mend() may correct, or NULL */
} Analysis;

/* Analyses a copy of the statement, because the parser modifies its input. */
static void
analyse(void *arg)
{
	Analysis *analysis = arg;
	KgAsk *ask = analysis->ask;
	ParseState *state = make_parsestate(NULL);

	ask->ntypes = 0;
	ask->types = NULL;
	state->p_sourcetext = ask->sql;
	state->p_queryEnv = ask->environment;
	setup_parse_variable_parameters(state, &ask->types, &ask->ntypes);
	state->p_post_columnref_hook = find_column;
	analysis->query = transformTopLevelStmt(
		state, copyObject((RawStmt *) analysis->statement));
	check_variable_parameters(state, analysis->query);
	free_parsestate(state);
}

/*
 * If kg_ask_mend() may correct the error, stores it in the Analysis and raises
 * an error of a tool in its place, which kg_catch() then returns. Otherwise
 * returns, and the error is raised as it is.
 */
static void
note_error(ErrorData *edata, void *arg)
{
	Analysis *analysis = arg;

	if (!kg_ask_is_mendable(edata))
		return;
	analysis->error = edata;
	kg_error_throw(kg_error_new(KG_INVALID_INPUT, "%s", edata->message));
}

static void
try_analyse(void *arg)
{
	kg_catch_amend(analyse, note_error, arg);
}

/*
 * Maximum number of columns of a statement that kg_ask_mend() corrects, one
 * after the other.
 */
#define KG_MENDED 64

Query *
kg_ask_analyse(KgAsk *ask, RawStmt *statement)
{
	Analysis analysis = {ask, statement};

	for (int i = 0;; i++)
	{
		ErrorData *edata = kg_catch(KG_CATCH_KEEP, try_analyse, &analysis);

		if (edata == NULL)
			return analysis.query;
		if (analysis.error == NULL)
			ReThrowError(edata);
		if (i == KG_MENDED || !kg_ask_mend(ask, statement, analysis.error))
			ReThrowError(analysis.error);
		analysis.error = NULL;
		CHECK_FOR_INTERRUPTS();
	}
}

/* ---- checks of the analysed tree ---- */

typedef struct Check
{
	const KgAsk *ask;
	/* byte offset of the innermost expression that has a location */
	int location;
} Check;

static void
check_type(const Check *check, Oid type)
{
	if (!kg_ask_type(type))
		kg_ask_refuse(check->ask,
					  check->location,
					  psprintf("values of type %s", format_type_be(type)),
					  "a cast to another type");
}

static void
check_types(const Check *check, List *types)
{
	ListCell *lc;

	foreach(lc, types)
		check_type(check, lfirst_oid(lc));
}

static bool
is_not_allowed(Oid function, void *arg)
{
	return kg_ask_function(function) == NULL && !kg_ask_is_called(function);
}

static void
check_function(const Check *check, Oid function)
{
	if (kg_ask_function(function) == NULL)
		kg_ask_refuse_function(
			check->ask, check->location, get_func_name(function));
}

/*
 * Raises an error if a query calls a function by name that is allowed only as a
 * cast. Such a function relies on the arguments that a cast passes, and does
 * not check them.
 */
static void
check_called_by_name(const Check *check, const FuncExpr *call)
{
	const KgAskFunction *known = kg_ask_function(call->funcid);

	if (call->funcformat == COERCE_EXPLICIT_CALL && known != NULL &&
		!known->callable)
		kg_ask_refuse(check->ask,
					  check->location,
					  known->signature,
					  "CAST(value AS type), or value::type");
}

static void
check_functions(const Check *check, Node *node)
{
	Oid function = InvalidOid;

	if (IsA(node, FuncExpr))
		check_called_by_name(check, (FuncExpr *) node);

	/*
	 * SQLValueFunctions need no check here: raw.c has refused those that are
	 * not allowed.
	 */
	if (IsA(node, SQLValueFunction) ||
		!check_functions_in_node(node, is_not_allowed, NULL))
		return;
	if (IsA(node, FuncExpr))
		function = ((FuncExpr *) node)->funcid;
	else if (IsA(node, Aggref))
		function = ((Aggref *) node)->aggfnoid;
	else if (IsA(node, WindowFunc))
		function = ((WindowFunc *) node)->winfnoid;
	if (OidIsValid(function))
		check_function(check, function);
	kg_ask_refuse(check->ask,
				  check->location,
				  "this operator or cast",
				  "numbers, texts, times, arrays or JSON, and their operators");
}

static void
check_sort(const Check *check, const SortGroupClause *sort)
{
	check_function(check, get_opcode(sort->eqop));
	if (OidIsValid(sort->sortop))
		check_function(check, get_opcode(sort->sortop));
}

static void
check_window(const Check *check, const WindowClause *window)
{
	if (OidIsValid(window->startInRangeFunc))
		check_function(check, window->startInRangeFunc);
	if (OidIsValid(window->endInRangeFunc))
		check_function(check, window->endInRangeFunc);
}

static void
check_set_operation(const Check *check, const SetOperationStmt *set)
{
	ListCell *lc;

	check_types(check, set->colTypes);
	foreach(lc, set->groupClauses)
		check_sort(check, lfirst(lc));
}

static void
check_collation(const Check *check, Oid collation)
{
	HeapTuple tuple;
	Oid schema;

	if (collation == DEFAULT_COLLATION_OID || collation == C_COLLATION_OID)
		return;
	tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for collation %u", collation);
	schema = ((Form_pg_collation) GETSTRUCT(tuple))->collnamespace;
	ReleaseSysCache(tuple);
	if (schema != PG_CATALOG_NAMESPACE)
		kg_ask_refuse(check->ask,
					  check->location,
					  "a collation of another schema",
					  "a collation of pg_catalog, such as \"C\"");
}

/*
 * Returns whether a statement of the caller may contain range table entries of
 * this kind. Entries of other kinds must be tables of the query.
 */
static bool
is_of_query(RTEKind kind)
{
	return kind == RTE_SUBQUERY || kind == RTE_JOIN || kind == RTE_FUNCTION ||
		   kind == RTE_VALUES || kind == RTE_CTE || kind == RTE_RESULT ||
		   kg_rte_is_group(kind);
}

static void
check_table(const Check *check, const RangeTblEntry *table)
{
	if (table->rtekind == RTE_NAMEDTUPLESTORE)
	{
		/* The name of a CTE was used outside the scope of the CTE. */
		if (kg_ask_table_query(check->ask, table->enrname) == NULL)
			kg_ask_table_unknown(check->ask, table->enrname, -1);
	}
	else if (!is_of_query(table->rtekind))
		kg_ask_refuse(check->ask,
					  -1,
					  "this kind of table",
					  "tables of entity types and of relations");
	if (table->tablesample != NULL || table->securityQuals != NIL ||
		OidIsValid(table->relid))
		kg_ask_refuse(check->ask,
					  -1,
					  "this kind of table",
					  "tables of entity types and of relations");
	check_types(check, table->coltypes);
}

/*
 * Maximum number of grouping sets. The executor checks for interrupts between
 * input rows, and each row is added to all grouping sets.
 */
#define KG_ASK_GROUPING_SETS 512

static void
check_query(const Check *check, const Query *query)
{
	if (query->groupingSets != NIL &&
		expand_grouping_sets(query->groupingSets,
							 query->groupDistinct,
							 KG_ASK_GROUPING_SETS) == NIL)
		kg_ask_refuse_many(
			check->ask, -1, KG_ASK_GROUPING_SETS, "grouping sets");
	if (query->commandType != CMD_SELECT || query->utilityStmt != NULL ||
		query->resultRelation != 0 || query->rowMarks != NIL ||
		query->hasModifyingCTE || query->hasForUpdate ||
		query->constraintDeps != NIL)
		kg_ask_refuse(check->ask,
					  -1,
					  "a statement that writes or locks rows",
					  "one SELECT statement");
}

/*
 * Returns whether a node is an expression, so that exprType() returns its type.
 */
static bool
is_expression(const Node *node)
{
	switch ((int) nodeTag(node))
	{
		case T_Var:
		case T_Const:
		case T_Param:
		case T_Aggref:
		case T_GroupingFunc:
		case T_WindowFunc:
		case T_SubscriptingRef:
		case T_FuncExpr:
		case T_NamedArgExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_BoolExpr:
		case T_SubLink:
		case T_FieldSelect:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_ArrayCoerceExpr:
		case T_CaseExpr:
		case T_CaseTestExpr:
		case T_ArrayExpr:
		case T_RowExpr:
		case T_RowCompareExpr:
		case T_CoalesceExpr:
		case T_MinMaxExpr:
		case T_SQLValueFunction:
		case T_NullTest:
		case T_BooleanTest:
		case T_CollateExpr:
			return true;
		default:
			return false;
	}
}

static void
check_node(const Check *check, Node *node)
{
	switch ((int) nodeTag(node))
	{
		case T_Query:
			check_query(check, (Query *) node);
			break;
		case T_RangeTblEntry:
			check_table(check, (RangeTblEntry *) node);
			break;
		case T_RangeTblFunction:
			check_types(check, ((RangeTblFunction *) node)->funccoltypes);
			break;
		case T_SortGroupClause:
			check_sort(check, (SortGroupClause *) node);
			break;
		case T_WindowClause:
			check_window(check, (WindowClause *) node);
			break;
		case T_SetOperationStmt:
			check_set_operation(check, (SetOperationStmt *) node);
			break;
		case T_CollateExpr:
			check_collation(check, ((CollateExpr *) node)->collOid);
			break;
		case T_Var:
			/*
			 * a system column, such as tableoid or ctid; no table of a query
			 * has them
			 */
			if (((Var *) node)->varattno < 0)
				kg_ask_refuse(check->ask,
							  check->location,
							  "system columns",
							  "columns of the table");
			break;
		default:
			break;
	}
	if (is_expression(node))
		check_type(check, exprType(node));
	check_functions(check, node);
}

static bool
walk(Node *node, void *arg)
{
	const Check *outer = arg;
	Check check;

	if (node == NULL)
		return false;
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	check = *outer;
	if (!kg_ask_query_node(nodeTag(node)))
		kg_ask_refuse(
			check.ask,
			check.location,
			kg_ask_node_name(nodeTag(node)),
			"one SELECT over the tables of entity types and relations");
	if (is_expression(node) && exprLocation(node) >= 0)
		check.location = exprLocation(node);
	check_node(&check, node);
	if (IsA(node, RangeTblEntry))
		/* the walk of the query that contains the entry visits its parts */
		return false;
	if (IsA(node, CommonTableExpr))
	{
		CommonTableExpr *cte = (CommonTableExpr *) node;

		check_types(&check, cte->ctecoltypes);
		if (cte->cycle_clause != NULL)
		{
			(void) walk(cte->cycle_clause->cycle_mark_value, &check);
			(void) walk(cte->cycle_clause->cycle_mark_default, &check);
			check_function(&check,
						   get_opcode(cte->cycle_clause->cycle_mark_neop));
		}
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node,
								 walk,
								 &check,
								 QTW_EXAMINE_RTES_BEFORE |
									 QTW_EXAMINE_SORTGROUP);
	return expression_tree_walker(node, walk, &check);
}

void
kg_ask_check(const KgAsk *ask, Query *query)
{
	Check check = {ask, -1};

	(void) walk((Node *) query, &check);
}
