/*
 * mend.c
 *	  Corrects statements that are valid over plain tables, but not over the
 *	  tables of a query.
 *
 * The name of the column to correct is read from the parser's message, which
 * is in English because settings.c sets lc_messages.
 */
#include "postgres.h"

#include "ask/mend.h"
#include "ask/refuse.h"
#include "ask/tables.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

/* A search for the part of the statement at a byte offset. */
typedef struct Search
{
	int location;
	/* innermost SELECT that contains the offset; NULL until it is found */
	SelectStmt *select;
	/* output column whose expression is located at the offset, or NULL */
	ResTarget *target;
	/* innermost SELECT that contains the node being visited */
	SelectStmt *around;
} Search;

static bool
find_at(Node *node, void *arg)
{
	Search *search = arg;
	SelectStmt *outer = search->around;
	bool found;

	if (node == NULL || IsA(node, Alias))
		return false;
	check_stack_depth();
	if (IsA(node, ResTarget) &&
		exprLocation(((ResTarget *) node)->val) == search->location)
		search->target = (ResTarget *) node;
	if (exprLocation(node) == search->location && !IsA(node, List) &&
		search->around != NULL)
	{
		search->select = search->around;
		return true;
	}
	if (IsA(node, SelectStmt))
		search->around = (SelectStmt *) node;
	found = raw_expression_tree_walker(node, find_at, search);
	search->around = outer;
	return found;
}

/* ---- columns that GROUP BY lacks ---- */

/*
 * Reads "table.column" from the message of the parser. Returns false if the
 * message has no such name.
 */
static bool
read_column(const char *message, char **table, char **column)
{
	const char *begin = strchr(message, '"');
	const char *end = begin ? strchr(begin + 1, '"') : NULL;
	const char *dot = begin ? strchr(begin, '.') : NULL;

	if (end == NULL || dot == NULL || dot > end)
		return false;
	*table = pnstrdup(begin + 1, dot - begin - 1);
	*column = pnstrdup(dot + 1, end - dot - 1);
	return true;
}

/*
 * Returns the table with this name in an item of FROM, or NULL. Adds the
 * number of tables in the item to *n.
 */
static const RangeVar *
find_table(Node *from, const char *name, int *n)
{
	const RangeVar *table = (const RangeVar *) from;
	const JoinExpr *join = (const JoinExpr *) from;
	const RangeVar *found;

	check_stack_depth();
	if (IsA(from, JoinExpr))
	{
		found = find_table(join->larg, name, n);
		table = find_table(join->rarg, name, n);
		return found ? found : table;
	}
	(*n)++;
	if (!IsA(from, RangeVar) ||
		strcmp(table->alias ? table->alias->aliasname : table->relname, name) !=
			0)
		return NULL;
	return table;
}

/* Returns whether the column of the table has the ids of its entities. */
static bool
is_id_of(const Query *table, const char *column)
{
	const TargetEntry *id = linitial(table->targetList);
	ListCell *lc;

	foreach(lc, table->targetList)
	{
		const TargetEntry *other = lfirst(lc);

		if (pg_strcasecmp(other->resname, column) == 0)
			return equal(other->expr, id->expr);
	}
	return false;
}

/*
 * Returns whether GROUP BY has the id of the table. If "alone" is true, FROM
 * has no other table, so the column may be written without the name of the
 * table.
 */
static bool
groups_by_id(const SelectStmt *select, const char *name, const Query *table,
			 bool alone)
{
	ListCell *lc;

	foreach(lc, select->groupClause)
	{
		const ColumnRef *ref = lfirst(lc);
		int n;

		if (!IsA(ref, ColumnRef) || !IsA(llast(ref->fields), String))
			continue;
		n = list_length(ref->fields);
		if ((n == 1 && alone) ||
			(n == 2 && strcmp(strVal(linitial(ref->fields)), name) == 0))
			if (is_id_of(table, strVal(llast(ref->fields))))
				return true;
	}
	return false;
}

static bool
has_grouping_sets(const SelectStmt *select)
{
	ListCell *lc;

	foreach(lc, select->groupClause)
		if (IsA(lfirst(lc), GroupingSet))
			return true;
	return false;
}

static bool
group_by_column(const KgAsk *ask, SelectStmt *select, const char *message)
{
	const RangeVar *named = NULL;
	const Query *table;
	char *name;
	char *column;
	ColumnRef *ref;
	int n = 0;
	ListCell *lc;

	if (select->groupClause == NIL || has_grouping_sets(select) ||
		!read_column(message, &name, &column))
		return false;
	foreach(lc, select->fromClause)
	{
		const RangeVar *found = find_table(lfirst(lc), name, &n);

		named = named ? named : found;
	}
	/* The name may mean a CTE with the same name, which has no key. */
	if (named == NULL || kg_ask_is_cte(ask, named->relname))
		return false;
	/*
	 * The table of a relation has no key, because an entity may be the end of
	 * several edges.
	 */
	table = kg_ask_keyed_query(ask, named->relname);
	if (table == NULL || !groups_by_id(select, name, table, n == 1))
		return false;
	ref = makeNode(ColumnRef);
	ref->fields = list_make2(makeString(name), makeString(column));
	ref->location = -1;
	select->groupClause = lappend(select->groupClause, ref);
	return true;
}

/* ---- columns of a recursive query that differ in collation ---- */

static bool
collate(ResTarget *target)
{
	CollateClause *clause;

	if (IsA(target->val, CollateClause))
		return false;
	clause = makeNode(CollateClause);
	clause->arg = target->val;
	clause->collname = list_make2(makeString("pg_catalog"), makeString("C"));
	clause->location = exprLocation(target->val);
	target->val = (Node *) clause;
	return true;
}

bool
kg_ask_is_mendable(const ErrorData *edata)
{
	return edata->sqlerrcode == ERRCODE_GROUPING_ERROR ||
		   edata->sqlerrcode == ERRCODE_COLLATION_MISMATCH;
}

bool
kg_ask_mend(const KgAsk *ask, RawStmt *statement, const ErrorData *edata)
{
	Search search = {kg_ask_location(ask, edata->cursorpos)};

	if (search.location < 0)
		return false;
	(void) find_at(statement->stmt, &search);
	if (edata->sqlerrcode == ERRCODE_COLLATION_MISMATCH)
		return search.target != NULL && collate(search.target);
	return search.select != NULL &&
		   group_by_column(ask, search.select, edata->message);
}
