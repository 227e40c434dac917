/*
 * type_rows.c
 *	  Estimates of the entities of one type, for the planner.
 *
 * The statistics of kg_entity cover all types and tenants together. So the
 * planner assumes as many distinct values of entity_id and node as in the
 * whole table. It then estimates a join on these columns to have only a
 * fraction of its real rows. Within one type both columns are unique: a hook
 * replaces the number of distinct values by the number of entities of the
 * type. That number comes from the statistics of the columns that name the
 * type, not from the rows, and does not depend on the caller.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/extension.h"
#include "base/invalidate.h"
#include "catalog/pg_statistic.h"
#include "optimizer/optimizer.h"
#include "query/view/type_rows.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

/*
 * Numbers of the columns of kg_entity that name a type, and of those that are
 * unique within a type.
 */
typedef struct Columns
{
	Oid relid;
	AttrNumber of_type[3];
	AttrNumber unique[2];
} Columns;

static get_relation_stats_hook_type next_statistics = NULL;

/*
 * Returns the columns of kg_entity, or NULL if the table is another one. They
 * are kept, because the planner asks for the statistics of every column that a
 * statement compares. A change of kg_generation() makes them invalid.
 */
static const Columns *
columns_of(Oid relid)
{
	static const char *const of_type[] = {"tenant", "bundle", "entity_type"};
	static const char *const unique[] = {"node", "entity_id"};
	static Columns known;
	static uint64 known_generation = 0;
	uint64 generation = kg_generation();

	if (known_generation != generation)
	{
		if (!kg_is_relation(relid, "kg_entity"))
			return NULL;
		known.relid = relid;
		for (int i = 0; i < lengthof(of_type); i++)
			known.of_type[i] = get_attnum(relid, of_type[i]);
		for (int i = 0; i < lengthof(unique); i++)
			known.unique[i] = get_attnum(relid, unique[i]);
		known_generation = generation;
	}
	return relid == known.relid ? &known : NULL;
}

static int
find_column(const AttrNumber *columns, int n, AttrNumber column)
{
	for (int i = 0; i < n; i++)
		if (columns[i] == column)
			return i;
	return -1;
}

/*
 * Returns the index in columns->of_type of the column that the condition
 * compares with a constant, or -1.
 */
static int
compared_column(const Columns *columns, Index relno, const Node *clause)
{
	const OpExpr *op = (const OpExpr *) clause;
	const Var *column;

	if (!IsA(op, OpExpr) || list_length(op->args) != 2 ||
		op->opfuncid != F_TEXTEQ || !IsA(lsecond(op->args), Const))
		return -1;
	column = linitial(op->args);
	if (!IsA(column, Var) || column->varno != relno || column->varattno <= 0)
		return -1;
	return find_column(
		columns->of_type, lengthof(columns->of_type), column->varattno);
}

double
kg_type_rows(PlannerInfo *root, RelOptInfo *rel)
{
	const Columns *columns;
	List *conditions = NIL;
	int compared = 0;
	ListCell *lc;

	if (rel == NULL || rel->rtekind != RTE_RELATION || rel->tuples <= 0)
		return 0;
	columns = columns_of(root->simple_rte_array[rel->relid]->relid);
	if (columns == NULL)
		return 0;
	foreach(lc, rel->baserestrictinfo)
	{
		RestrictInfo *restriction = lfirst(lc);
		int column = compared_column(
			columns, rel->relid, (const Node *) restriction->clause);

		if (column < 0)
			continue;
		compared |= 1 << column;
		conditions = lappend(conditions, restriction);
	}
	if (compared != (1 << lengthof(columns->of_type)) - 1)
		return 0;
	return clamp_row_est(
		rel->tuples *
		clauselist_selectivity(root, conditions, 0, JOIN_INNER, NULL));
}

static RelOptInfo *
find_rel(const PlannerInfo *root, const RangeTblEntry *rte)
{
	for (int i = 1; i < root->simple_rel_array_size; i++)
		if (root->simple_rte_array[i] == rte)
			return root->simple_rel_array[i];
	return NULL;
}

/*
 * Sets the statistics of a column that is unique within the type. Returns false
 * for other columns, and if the number of entities of the type is not known.
 */
static bool
set_statistics(PlannerInfo *root, RangeTblEntry *rte, AttrNumber column,
			   VariableStatData *data)
{
	const Columns *columns;
	double rows;
	HeapTuple known;

	if (rte->rtekind != RTE_RELATION || column <= 0)
		return false;
	columns = columns_of(rte->relid);
	if (columns == NULL ||
		find_column(columns->unique, lengthof(columns->unique), column) < 0)
		return false;
	rows = kg_type_rows(root, find_rel(root, rte));
	if (rows <= 0)
		return false;
	known = SearchSysCacheCopy3(STATRELATTINH,
								ObjectIdGetDatum(rte->relid),
								Int16GetDatum(column),
								BoolGetDatum(rte->inh));
	if (!HeapTupleIsValid(known))
		return false;
	((Form_pg_statistic) GETSTRUCT(known))->stadistinct = rows;
	data->statsTuple = known;
	data->freefunc = heap_freetuple;
	return true;
}

static bool
statistics_hook(PlannerInfo *root, RangeTblEntry *rte, AttrNumber column,
				VariableStatData *data)
{
	if (next_statistics != NULL && next_statistics(root, rte, column, data))
		return true;
	return set_statistics(root, rte, column, data);
}

void
kg_type_rows_init(void)
{
	next_statistics = get_relation_stats_hook;
	get_relation_stats_hook = statistics_hook;
}
