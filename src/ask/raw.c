/*
 * raw.c
 *	  Parses a query, and checks the raw tree before any name is looked up.
 */
#include "postgres.h"

#include "ask/allowed.h"
#include "ask/calls.h"
#include "ask/parameters.h"
#include "ask/raw.h"
#include "ask/refuse.h"
#include "ask/tables.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parser.h"
#include "tcop/utility.h"
#include "utils/builtins.h"

static bool check(Node *node, void *arg);

/*
 * Returns the last name of a list if the list has no schema, or only the schema
 * pg_catalog. Returns NULL for other lists.
 */
static const char *
name_in_catalog(List *names)
{
	if (list_length(names) == 1)
		return strVal(linitial(names));
	if (list_length(names) == 2 &&
		strcmp(strVal(linitial(names)), "pg_catalog") == 0)
		return strVal(lsecond(names));
	return NULL;
}

static char *
dotted(List *names)
{
	StringInfoData text;
	ListCell *lc;

	initStringInfo(&text);
	foreach(lc, names)
		appendStringInfo(&text,
						 "%s%s",
						 foreach_current_index(lc) > 0 ? "." : "",
						 strVal(lfirst(lc)));
	return text.data;
}

static void
check_type(const KgAsk *ask, const TypeName *type)
{
	const char *name = name_in_catalog(type->names);
	KgError *err;

	if (name != NULL && !type->setof && !type->pct_type &&
		!OidIsValid(type->typeOid) && kg_ask_type_is_named(name))
		return;
	err = kg_ask_error(ask,
					   KG_INVALID_INPUT,
					   type->location,
					   "type \"%s\" is not allowed in a query",
					   dotted(type->names));
	if (name != NULL)
		kg_error_did_you_mean(err, kg_ask_type_nearest(name));
	kg_error_throw_expected(
		err,
		"boolean, integer, bigint, numeric, double precision, text, date, "
		"time, timestamp, timestamptz, interval, uuid, json, jsonb, or an "
		"array of one of these types");
}

/*
 * Raises an error if a called function is neither an allowed function nor a
 * table function. Also raises an error for VARIADIC. The schema pg_catalog is
 * allowed only in the grammar's own constructs (EXTRACT, AT TIME ZONE), which
 * the parser writes as calls with this schema.
 */
static void
check_call(const KgAsk *ask, const FuncCall *call)
{
	const char *name = name_in_catalog(call->funcname);

	if (list_length(call->funcname) > 1 &&
		call->funcformat != COERCE_SQL_SYNTAX)
		name = NULL;
	if (!kg_ask_is_call(ask, call) &&
		(name == NULL || !kg_ask_function_is_named(name)))
		kg_ask_refuse_function(ask, call->location, dotted(call->funcname));
	if (call->func_variadic)
		kg_ask_refuse(ask,
					  call->location,
					  "VARIADIC",
					  "the arguments one by one, or array_to_string()");
}

static void
check_operator(const KgAsk *ask, List *name, int location)
{
	if (list_length(name) > 1)
		kg_ask_refuse(ask,
					  location,
					  "OPERATOR() with a schema",
					  "the operator without a schema: a + b");
}

static void
check_collation(const KgAsk *ask, const CollateClause *collate)
{
	if (name_in_catalog(collate->collname) == NULL)
		kg_ask_refuse(ask,
					  collate->location,
					  "a collation of another schema",
					  "a collation of pg_catalog, such as \"C\"");
}

static void
check_select(const KgAsk *ask, const SelectStmt *select)
{
	if (select->intoClause != NULL)
		kg_ask_refuse(ask,
					  select->intoClause->rel->location,
					  "INTO",
					  "the query without INTO; the reply has its rows");
	if (select->lockingClause != NIL)
		kg_ask_refuse(ask, -1, "FOR UPDATE", "the query without FOR UPDATE");
}

static void
check_value_function(const KgAsk *ask, const SQLValueFunction *value)
{
	switch ((int) value->op)
	{
		case SVFOP_CURRENT_DATE:
		case SVFOP_CURRENT_TIME:
		case SVFOP_CURRENT_TIME_N:
		case SVFOP_CURRENT_TIMESTAMP:
		case SVFOP_CURRENT_TIMESTAMP_N:
		case SVFOP_LOCALTIME:
		case SVFOP_LOCALTIME_N:
		case SVFOP_LOCALTIMESTAMP:
		case SVFOP_LOCALTIMESTAMP_N:
			return;
		default:
			kg_ask_refuse(ask,
						  value->location,
						  "names of roles, schemas or databases",
						  "values in the tables");
	}
}

static void
check_param(const KgAsk *ask, const ParamRef *param)
{
	int n = kg_ask_nparams(ask);

	if (param->number >= 1 && param->number <= n)
		return;
	kg_error_throw_expected(
		kg_ask_error(ask,
					 KG_INVALID_INPUT,
					 param->location,
					 "\"params\" has %d values, but no value for $%d",
					 n,
					 param->number),
		"a value in \"params\" for each $n; the first value is $1");
}

static void
check_table(KgAsk *ask, RangeVar *table)
{
	if (table->schemaname != NULL || table->catalogname != NULL)
		kg_ask_refuse(ask,
					  table->location,
					  psprintf("a schema before the name of a table (%s.%s)",
							   table->schemaname,
							   table->relname),
					  "the name of an entity type or relation, without a "
					  "schema before it");
	kg_ask_table_note(ask, table);
}

/*
 * Checks a node of the raw tree. Includes the parts of the node that
 * raw_expression_tree_walker() does not visit.
 */
static void
check_node(KgAsk *ask, Node *node)
{
	switch ((int) nodeTag(node))
	{
		case T_SelectStmt:
			check_select(ask, (SelectStmt *) node);
			break;
		case T_RangeFunction:
			kg_ask_calls_note(ask, (RangeFunction *) node);
			break;
		case T_FuncCall:
			check_call(ask, (FuncCall *) node);
			break;
		case T_TypeName:
			check_type(ask, (TypeName *) node);
			break;
		case T_A_Expr:
			check_operator(
				ask, ((A_Expr *) node)->name, ((A_Expr *) node)->location);
			break;
		case T_SubLink:
			check_operator(ask,
						   ((SubLink *) node)->operName,
						   ((SubLink *) node)->location);
			break;
		case T_SortBy:
			if (((SortBy *) node)->useOp != NIL)
				kg_ask_refuse(ask,
							  ((SortBy *) node)->location,
							  "ORDER BY ... USING",
							  "ASC or DESC");
			break;
		case T_CollateClause:
			check_collation(ask, (CollateClause *) node);
			break;
		case T_SQLValueFunction:
			check_value_function(ask, (SQLValueFunction *) node);
			break;
		case T_ParamRef:
			check_param(ask, (ParamRef *) node);
			break;
		case T_RangeVar:
			check_table(ask, (RangeVar *) node);
			break;
		case T_CommonTableExpr:
		{
			CommonTableExpr *cte = (CommonTableExpr *) node;

			if (cte->cycle_clause != NULL)
			{
				(void) check(cte->cycle_clause->cycle_mark_value, ask);
				(void) check(cte->cycle_clause->cycle_mark_default, ask);
			}
			break;
		}
		default:
			break;
	}
}

static bool
check(Node *node, void *arg)
{
	KgAsk *ask = arg;

	if (node == NULL)
		return false;
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (IsA(node, A_Const) && !((A_Const *) node)->isnull &&
		!kg_ask_raw_node(nodeTag(&((A_Const *) node)->val)))
		kg_ask_refuse(ask,
					  ((A_Const *) node)->location,
					  kg_ask_node_name(nodeTag(&((A_Const *) node)->val)),
					  "a number or a text");
	if (!kg_ask_raw_node(nodeTag(node)))
		kg_ask_refuse(
			ask,
			exprLocation(node),
			kg_ask_node_name(nodeTag(node)),
			"one SELECT over the tables of entity types and relations");
	check_node(ask, node);
	if (IsA(node, Alias))
		return false;
	return raw_expression_tree_walker(node, check, arg);
}

/*
 * Maximum number of CTEs. Planning takes time that grows with the cube of this
 * number, and cannot be interrupted.
 */
#define KG_ASK_CTES 64

/*
 * Records the names of CTEs, so that the parser finds a table for each of them
 * everywhere (ask/tables.h).
 */
static bool
note_ctes(Node *node, void *arg)
{
	KgAsk *ask = arg;

	if (node == NULL)
		return false;
	check_stack_depth();
	if (!kg_ask_raw_node(nodeTag(node)) || IsA(node, Alias))
		return false;
	if (IsA(node, CommonTableExpr))
	{
		if (++ask->nctes > KG_ASK_CTES)
			kg_ask_refuse_many(
				ask, exprLocation(node), KG_ASK_CTES, "queries in WITH");
		kg_ask_cte_note(ask, ((CommonTableExpr *) node)->ctename);
	}
	return raw_expression_tree_walker(node, note_ctes, arg);
}

RawStmt *
kg_ask_parse(KgAsk *ask)
{
	List *statements = raw_parser(ask->sql, RAW_PARSE_DEFAULT);
	RawStmt *statement;

	if (list_length(statements) != 1)
		kg_ask_refuse(ask,
					  -1,
					  psprintf("%d statements", list_length(statements)),
					  "one SELECT statement");
	statement = linitial(statements);
	if (!IsA(statement->stmt, SelectStmt))
		kg_ask_refuse(ask,
					  statement->stmt_location,
					  GetCommandTagName(CreateCommandTag(statement->stmt)),
					  "one SELECT; only the tools that write can change data");
	(void) note_ctes(statement->stmt, ask);
	(void) check(statement->stmt, ask);
	return statement;
}
