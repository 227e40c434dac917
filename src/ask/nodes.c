/*
 * nodes.c
 *	  The parse nodes that a query may have.
 *
 * A node that a later major version of PostgreSQL adds is on no list, so it is
 * refused. test/ask lists the nodes that are refused on purpose, and fails for
 * a node that is on neither list.
 */
#include "postgres.h"

#include "ask/allowed.h"

bool
kg_ask_raw_node(NodeTag tag)
{
	switch ((int) tag)
	{
		case T_List:
		case T_String:
		case T_Integer:
		case T_Float:
		case T_Boolean:
		case T_SelectStmt:
		case T_A_Const:
		case T_A_Star:
		case T_A_Expr:
		case T_A_Indirection:
		case T_A_Indices:
		case T_A_ArrayExpr:
		case T_Alias:
		case T_BoolExpr:
		case T_BooleanTest:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CoalesceExpr:
		case T_CollateClause:
		case T_ColumnDef:
		case T_ColumnRef:
		case T_CommonTableExpr:
		case T_CTECycleClause:
		case T_CTESearchClause:
		case T_FuncCall:
		case T_GroupingFunc:
		case T_GroupingSet:
		case T_JoinExpr:
		case T_MinMaxExpr:
		case T_NamedArgExpr:
		case T_NullTest:
		case T_ParamRef:
		case T_RangeFunction:
		case T_RangeSubselect:
		case T_RangeVar:
		case T_ResTarget:
		case T_RowExpr:
		case T_SortBy:
		case T_SQLValueFunction:
		case T_SubLink:
		case T_TypeCast:
		case T_TypeName:
		case T_WindowDef:
		case T_WithClause:
			return true;
		default:
			return false;
	}
}

bool
kg_ask_query_node(NodeTag tag)
{
	switch ((int) tag)
	{
		case T_List:
		case T_IntList:
		case T_OidList:
		case T_String:
		case T_Query:
		case T_Aggref:
		case T_Alias:
		case T_ArrayCoerceExpr:
		case T_ArrayExpr:
		case T_BoolExpr:
		case T_BooleanTest:
		case T_CaseExpr:
		case T_CaseTestExpr:
		case T_CaseWhen:
		case T_CoalesceExpr:
		case T_CoerceViaIO:
		case T_CollateExpr:
		case T_CommonTableExpr:
		case T_Const:
		case T_CTECycleClause:
		case T_CTESearchClause:
		case T_DistinctExpr:
		case T_FieldSelect:
		case T_FromExpr:
		case T_FuncExpr:
		case T_GroupingFunc:
		case T_GroupingSet:
		case T_JoinExpr:
		case T_MinMaxExpr:
		case T_NamedArgExpr:
		case T_NullIfExpr:
		case T_NullTest:
		case T_OpExpr:
		case T_Param:
		case T_RangeTblEntry:
		case T_RangeTblFunction:
		case T_RangeTblRef:
		case T_RelabelType:
		case T_RowCompareExpr:
		case T_RowExpr:
		case T_ScalarArrayOpExpr:
		case T_SetOperationStmt:
		case T_SortGroupClause:
		case T_SQLValueFunction:
		case T_SubLink:
		case T_SubscriptingRef:
		case T_TargetEntry:
		case T_Var:
		case T_WindowClause:
		case T_WindowFunc:
			return true;
		default:
			return false;
	}
}

const char *
kg_ask_node_name(NodeTag tag)
{
	switch ((int) tag)
	{
		case T_InsertStmt:
			return "INSERT";
		case T_UpdateStmt:
			return "UPDATE";
		case T_DeleteStmt:
			return "DELETE";
		case T_MergeStmt:
			return "MERGE";
		case T_IntoClause:
			return "INTO";
		case T_LockingClause:
			return "FOR UPDATE";
		case T_RangeTableSample:
			return "TABLESAMPLE";
		case T_RangeTableFunc:
			return "XMLTABLE";
		case T_XmlExpr:
		case T_XmlSerialize:
			return "XML";
		case T_SetToDefault:
			return "DEFAULT";
		case T_CurrentOfExpr:
			return "WHERE CURRENT OF";
		case T_BitString:
			return "a string of bits";
		default:
			return "this construct";
	}
}
