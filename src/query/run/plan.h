/*
 * plan.h
 *	  Saved plans: the only module that runs a tool's SQL.
 *
 * A statement is SQL text whose values are all parameters. Its plan is made
 * once per text, role and row_security, and per tenant if it reads tables of
 * the user. The plan is always generic, and stays in a bounded cache of the
 * backend. Statements run read-only, with the caller's
 * privileges and policies, on the snapshot of the calling statement.
 */
#ifndef KG_PLAN_H
#define KG_PLAN_H

#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "query/graph/nodeset.h"

/*
 * A range of node numbers that one index scan reads. Nodes of the range that
 * are not wanted are skipped.
 */
typedef struct KgRange
{
	int64 first;
	int64 last;
} KgRange;

typedef struct KgRanges
{
	const KgRange *ranges;
	uint32 n;
	/* nodes are wanted from this index in set on */
	const KgNodeSet *set;
	uint32 wanted;
} KgRanges;

/* Returns the number of wanted nodes. */
static inline uint32
kg_ranges_wanted(const KgRanges *ranges)
{
	return ranges->set->n - ranges->wanted;
}

static inline bool
kg_ranges_want(const KgRanges *ranges, int64 node)
{
	uint32 place = kg_nodeset_find(ranges->set, node);

	return place != KG_NO_NODE && place >= ranges->wanted;
}

typedef struct KgStatement
{
	const char *sql;
	int nargs;
	const Oid *argtypes;
	const Datum *values;
	const bool *nulls; /* NULL: no value is null */
	/*
	 * the statement's executor may stay open between calls (query/run/held.h)
	 */
	bool hold;
	/*
	 * reads tables of the user; planned with their real sizes, and with the
	 * statement's values unless by_ids is set
	 */
	bool foreign;
	/* for a foreign statement: rows are selected by ids alone */
	bool by_ids;
	/*
	 * For a foreign statement: the tenant for which it is planned. The planner
	 * estimates the number of rows that policies and tenant_column show to this
	 * tenant.
	 */
	const char *tenant;
	/* not a statement of a tool: policies act as in the caller's own SQL */
	bool plain;
	/* may omit rows for which no more decisions are possible */
	bool lower_bound;
	/*
	 * The number of the column that has a node of kg_entity, or 0. Each row,
	 * and whether it is returned, then depends on the entity of this node
	 * alone.
	 */
	int node_column;
	/*
	 * The ranges that the statement is run for, or NULL. The second and third
	 * parameter are set to the bounds of each range in turn.
	 */
	const KgRanges *ranges;
} KgStatement;

/*
 * Receives a row, in the memory context of kg_plan_run()'s caller. The slot is
 * valid only during the call, so values that are stored must be copied.
 * Returns false to stop the statement.
 */
typedef bool (*KgRowFunction)(TupleTableSlot *slot, void *arg);

/* Returns the value of a column that is never null. */
static inline Datum
kg_slot_datum(TupleTableSlot *slot, int column)
{
	bool isnull;

	return slot_getattr(slot, column, &isnull);
}

/*
 * Runs a statement and passes each row to the function. Returns the number of
 * rows. May be nested: a row function may run statements, too.
 */
extern uint64 kg_plan_run(const KgStatement *statement, KgRowFunction row,
						  void *arg);

/*
 * Returns whether the statement's executor is open or can be held open.
 * Otherwise each range would take the time of an executor's start.
 */
extern bool kg_plan_holds(const KgStatement *statement);
/*
 * Returns the first column of the first row as a bigint; 0 if there is no row.
 */
extern int64 kg_plan_run_int64(const KgStatement *statement);
/*
 * Returns the count in the first column of the first row; 0 if there is no
 * row. Sets *all to false if the count is a lower bound.
 */
extern int64 kg_plan_count_rows(const KgStatement *statement, bool *all);

/*
 * Returns the statement's plan as text, without costs: estimates depend on
 * statistics of other tenants, too.
 */
extern char *kg_plan_explain(const KgStatement *statement);

/*
 * Adds n to the count of work done in a loop, and checks for interrupts after
 * every 65,536 units of work.
 */
static inline void
kg_plan_count(uint64 *done, uint64 n)
{
	uint64 before = *done;

	*done += n;
	if ((before ^ *done) >> 16 != 0)
		CHECK_FOR_INTERRUPTS();
}

#endif /* KG_PLAN_H */
