/*
 * scan.c
 *	  Scans of the entities of one type, or the edges of one relation.
 *
 * kg_entity has the entities of all types and tenants, so a scan of one type
 * reads rows of all others. A sequential scan deforms all needed columns of
 * such a row and then compares the texts that name the type. This scan deforms
 * only the columns up to the number of the type (or relation). It compares
 * this number, which belongs to one tenant, and then the bytes of the tenant.
 * It also omits conditions that are true for all remaining rows.
 *
 * If the planner expects thousands of matching keys, it chooses no index scan,
 * even if the keys of a property answer the condition exactly. In this case,
 * this scan reads the keys when it begins. If they are few compared to the
 * rows of the table, it reads only the entities of these keys.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "access/tableam.h"
#include "ask/keyed.h"
#include "ask/scan.h"
#include "base/compat.h"
#include "base/compat_explain.h"
#include "base/expression.h"
#include "base/extension.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "query/run/decisions.h"
#include "query/time/validity.h"
#include "query/view/view_planner.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* Indexes in custom_private. */
typedef enum Private
{
	/*
	 * integer list: the column with the number of the type or relation, and
	 * the number
	 */
	NUMBERS,
	TENANT, /* a String */
	OTHERS, /* conditions of the plan except the comparison of the tenant */
	FILTER, /* arguments of kg_view_nodes(), or NIL */
	REST	/* conditions that are not part of the filter */
} Private;

/*
 * The scan reads only the entities with matching keys if there are few such
 * keys. The limit is 1 / KEYS_PART of the number of rows in the table, but at
 * least KEYS_LEAST and at most KEYS_MOST. Looking up an entity takes longer
 * than reading the next row.
 */
#define KEYS_PART 4
#define KEYS_LEAST 10000
#define KEYS_MOST 1000000

typedef struct LightScan
{
	CustomScanState state;
	TableScanDesc scan;
	TupleTableSlot *row;
	AttrNumber column;
	int32 number;
	AttrNumber tenant_column;
	text *tenant; /* tenant whose rows are returned */
	bool begun;
	/* conditions to test if "keyed" is set */
	ExprState *rest;
	/*
	 * reader of the entities with matching keys; NULL: the scan reads all rows
	 */
	KgKeyed *keyed;
} LightScan;

static Node *create(CustomScan *plan);
static void begin(CustomScanState *state, EState *estate, int eflags);
static TupleTableSlot *next(CustomScanState *state);
static void end(CustomScanState *state);
static void rescan(CustomScanState *state);
static void explain(CustomScanState *state, List *ancestors, ExplainState *es);

static const CustomScanMethods plan_methods = {"scan of a type", create};
static const CustomExecMethods methods = {.CustomName = "scan of a type",
										  .BeginCustomScan = begin,
										  .ExecCustomScan = next,
										  .EndCustomScan = end,
										  .ReScanCustomScan = rescan,
										  .ExplainCustomScan = explain};

static List *
private_of(const LightScan *scan, Private element)
{
	const CustomScan *plan = (const CustomScan *) scan->state.ss.ps.plan;

	return list_nth(plan->custom_private, element);
}

static Node *
create(CustomScan *plan)
{
	const List *numbers = list_nth(plan->custom_private, NUMBERS);
	LightScan *scan = palloc0(sizeof(*scan));

	NodeSetTag(scan, T_CustomScanState);
	scan->state.methods = &methods;
	scan->column = linitial_int(numbers);
	scan->number = lsecond_int(numbers);
	return (Node *) scan;
}

static void
begin(CustomScanState *state, EState *estate, int eflags)
{
	LightScan *scan = (LightScan *) state;
	Relation table = state->ss.ss_currentRelation;

	kg_init_scan_slot(estate,
					  &state->ss,
					  RelationGetDescr(table),
					  table_slot_callbacks(table));
	ExecAssignScanProjectionInfoWithVarno(
		&state->ss, ((Scan *) state->ss.ps.plan)->scanrelid);
	scan->row = state->ss.ss_ScanTupleSlot;
	scan->tenant = cstring_to_text(strVal(private_of(scan, TENANT)));
	scan->tenant_column = get_attnum(RelationGetRelid(table), "tenant");
	/*
	 * The plan's qual includes the comparison of the tenant, so that EXPLAIN
	 * shows it. The scan compares the tenant itself, so its state has only the
	 * other conditions.
	 */
	state->ss.ps.qual = ExecInitQual(private_of(scan, OTHERS), &state->ss.ps);
	scan->rest = ExecInitQual(private_of(scan, REST), &state->ss.ps);
}

/* If few keys match, makes the scan read only the entities with these keys. */
static void
read_keys(LightScan *scan)
{
	Relation table = scan->state.ss.ss_currentRelation;
	EState *estate = scan->state.ss.ps.state;
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	List *args = private_of(scan, FILTER);
	double rows = table->rd_rel->reltuples / KEYS_PART;
	KgViewFilter filter;
	KgViewRange range;

	if (args != NIL && kg_view_filter(args, &filter) &&
		kg_view_range(&filter, &range) && range.type_no == scan->number)
		scan->keyed = kg_keyed_begin(table,
									 estate->es_snapshot,
									 strVal(private_of(scan, TENANT)),
									 &range,
									 Min(Max(rows, KEYS_LEAST), KEYS_MOST));
	if (scan->keyed != NULL)
		scan->state.ss.ps.qual = scan->rest;
	MemoryContextSwitchTo(old);
}

/*
 * Returns the next row, or NULL after the last row. The expressions of the plan
 * expect their columns to be deformed, so this deforms all columns that they
 * read.
 */
static TupleTableSlot *
next_row(ScanState *state)
{
	LightScan *scan = (LightScan *) state;
	TupleTableSlot *row = scan->row;
	bool isnull;

	if (scan->keyed != NULL)
	{
		if (!kg_keyed_next(scan->keyed, row))
			return NULL;
		return row;
	}
	if (scan->scan == NULL)
		scan->scan = kg_table_scan(state->ss_currentRelation,
								   state->ps.state->es_snapshot);
	while (table_scan_getnextslot(scan->scan, ForwardScanDirection, row))
	{
		CHECK_FOR_INTERRUPTS();
		slot_getsomeattrs(row, scan->column);
		if (DatumGetInt32(row->tts_values[scan->column - 1]) != scan->number ||
			!kg_keyed_same(scan->tenant,
						   slot_getattr(row, scan->tenant_column, &isnull)))
			continue;
		return row;
	}
	return NULL;
}

/*
 * Rechecks a row after it was locked. Always true, because this scan locks no
 * rows.
 */
static bool
recheck(ScanState *state, TupleTableSlot *row)
{
	return true;
}

static TupleTableSlot *
next(CustomScanState *state)
{
	LightScan *scan = (LightScan *) state;

	if (!scan->begun)
		read_keys(scan);
	scan->begun = true;
	return ExecScan(&state->ss, next_row, recheck);
}

static void
end(CustomScanState *state)
{
	LightScan *scan = (LightScan *) state;

	if (scan->keyed != NULL)
		kg_keyed_end(scan->keyed);
	if (scan->scan != NULL)
		table_endscan(scan->scan);
}

static void
rescan(CustomScanState *state)
{
	LightScan *scan = (LightScan *) state;

	if (scan->keyed != NULL)
		kg_keyed_rescan(scan->keyed);
	if (scan->scan != NULL)
		table_rescan(scan->scan, NULL);
	ExecScanReScan(&state->ss);
}

static void
explain(CustomScanState *state, List *ancestors, ExplainState *es)
{
	List *args = private_of((LightScan *) state, FILTER);
	KgViewFilter filter;

	if (args != NIL && kg_view_filter(args, &filter))
		ExplainPropertyText("Keys", filter.property, es);
}

/*
 * The conditions of a scan: comparisons of a column with a constant, and all
 * other conditions.
 */
typedef struct Compared
{
	const char *tenant;
	const char *bundle;
	const char *type;
	Node *own_tenant;	  /* the condition that compares the tenant */
	List *rest;			  /* all other conditions */
	const KgType *entity; /* the type, if the table is kg_entity */
	AttrNumber column;
	int32 number;
} Compared;

/*
 * If the condition is "column = constant" for one of the columns relation_no,
 * tenant, bundle and entity_type, stores the comparison and returns true.
 * Otherwise returns false.
 */
static bool
store_comparison(Compared *compared, Oid table, Node *condition)
{
	const OpExpr *op = (const OpExpr *) condition;
	const Var *column;
	const Const *value;
	const char *name;

	if (!IsA(op, OpExpr) || list_length(op->args) != 2 ||
		!IsA(linitial(op->args), Var) || !IsA(lsecond(op->args), Const))
		return false;
	column = linitial(op->args);
	value = lsecond(op->args);
	if (value->constisnull)
		return false;
	name = get_attname(table, column->varattno, true);
	if (name == NULL)
		return false;
	if (get_opcode(op->opno) == F_INT4EQ && strcmp(name, "relation_no") == 0)
	{
		compared->column = column->varattno;
		compared->number = DatumGetInt32(value->constvalue);
		return true;
	}
	if (get_opcode(op->opno) != F_TEXTEQ)
		return false;
	if (strcmp(name, "tenant") == 0)
	{
		compared->tenant = TextDatumGetCString(value->constvalue);
		compared->own_tenant = condition;
	}
	else if (strcmp(name, "bundle") == 0)
		compared->bundle = TextDatumGetCString(value->constvalue);
	else if (strcmp(name, "entity_type") == 0)
		compared->type = TextDatumGetCString(value->constvalue);
	else
		return false;
	return true;
}

/*
 * Returns whether a condition is true for all rows that have the tenant and the
 * number of the type. The answer may hold only while the caller sees all
 * entities. So kg_ask_tables_require() checks that again when the plan runs.
 */
static bool
is_true(KgAsk *ask, const Node *condition)
{
	const char *name = kg_own_call(condition);

	if (name == NULL)
		return false;
	if (strcmp(name, "kg_own_tenant") == 0 || strcmp(name, "kg_view_row") == 0)
		return true;
	if (strcmp(name, "kg_entity_visible") != 0 ||
		!kg_validity_rows_suffice(ask->catalog) || kg_decisions_needed())
		return false;
	ask->whole = true;
	return true;
}

/*
 * Finds the type whose bundle and name the conditions contain, and sets the
 * number of the type.
 */
static void
find_type(const KgAsk *ask, Oid table, Compared *compared)
{
	const KgType *type;

	if (compared->bundle == NULL || compared->type == NULL)
		return;
	type = kg_catalog_type_in(ask->catalog, compared->bundle, compared->type);
	if (type == NULL)
		return;
	compared->entity = type;
	compared->column = get_attnum(table, "type_no");
	compared->number = type->type_no;
}

/*
 * Reads the conditions of a scan. Returns false if they do not select a single
 * type or relation of the caller's tenant.
 */
static bool
read_conditions(KgAsk *ask, Oid table, List *conditions, Compared *compared)
{
	bool entities = kg_is_relation(table, "kg_entity");
	ListCell *lc;

	if (!entities && !kg_is_relation(table, "kg_edge"))
		return false;
	memset(compared, 0, sizeof(*compared));
	foreach(lc, conditions)
		if (!store_comparison(compared, table, lfirst(lc)))
			compared->rest = lappend(compared->rest, lfirst(lc));
	if (entities)
		find_type(ask, table, compared);
	return compared->number != 0 && compared->tenant != NULL &&
		   strcmp(compared->tenant, ask->catalog->tenant) == 0;
}

Plan *
kg_ask_light_scan(KgAsk *ask, const PlannedStmt *statement, Plan *plan)
{
	CustomScan *scan;
	Index number;
	Compared compared;
	Oid table;
	List *others = NIL;
	List *filter = NIL;
	List *rest = NIL;
	ListCell *lc;

	if (!IsA(plan, SeqScan))
		return plan;
	number = ((SeqScan *) plan)->scan.scanrelid;
	table = rt_fetch(number, statement->rtable)->relid;
	if (!read_conditions(ask, table, plan->qual, &compared))
		return plan;
	foreach(lc, compared.rest)
		if (!is_true(ask, lfirst(lc)))
			others = lappend(others, lfirst(lc));
	if (compared.entity != NULL)
		filter = kg_view_exact(table, number, compared.entity, others, &rest);
	scan = makeNode(CustomScan);
	scan->scan.plan = *plan;
	scan->scan.plan.type = T_CustomScan;
	scan->scan.plan.qual = lcons(compared.own_tenant, list_copy(others));
	scan->scan.scanrelid = number;
	scan->custom_relids = bms_make_singleton(number);
	scan->custom_private = list_make5(
		list_make2_int(compared.column, compared.number),
		makeString((char *) compared.tenant),
		others,
		filter,
		rest);
	scan->methods = &plan_methods;
	return (Plan *) scan;
}
