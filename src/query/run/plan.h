/*
 * plan.h
 *	  Saved plans: the only place that runs a tool's SQL.
 *
 * A statement is SQL text whose values are all parameters.  Its plan is made
 * once per text, role and row_security, is always generic, and stays in a
 * bounded cache of the backend.  Statements run read-only with the caller's
 * privileges and policies, on the snapshot of the calling statement.
 */
#ifndef KG_PLAN_H
#define KG_PLAN_H

#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "query/graph/nodeset.h"

/*
 * Successive nodes that one scan of the index reads, with what lies between
 * them: of those only the wanted ones are looked at.
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
	const KgNodeSet *set; /* wanted are those from that place on */
	uint32 wanted;
} KgRanges;

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
	const bool *nulls; /* NULL: none is null */
	bool hold;		   /* may be kept started, see query/run/held.h */
	bool plain; /* no tool's: policies answer as in the caller's own SQL */
	bool lower_bound; /* may leave out what cannot be decided any more */
	/*
	 * The column with a node of kg_entity, or 0.  Each row is of that entity and
	 * of no other, and whether it is there depends on no other either.
	 */
	int node_column;
	/*
	 * NULL, or what it is run for: the second and third parameter are set to the
	 * bounds of each range in turn.
	 */
	const KgRanges *ranges;
} KgStatement;

/*
 * A row.  Runs in the memory context of kg_plan_run()'s caller; what the slot
 * holds must be copied to be kept.  Return false to stop the statement.
 */
typedef bool (*KgRowFunction)(TupleTableSlot *slot, void *arg);

/* A column that is never null. */
static inline Datum
kg_slot_datum(TupleTableSlot *slot, int column)
{
	bool isnull;

	return slot_getattr(slot, column, &isnull);
}

/*
 * Run a statement and hand each row to the function.  Returns the number of
 * rows.  May be nested: a row function may run statements of its own.
 */
extern uint64 kg_plan_run(const KgStatement *statement, KgRowFunction row,
						  void *arg);

/*
 * Is the executor of such a statement open, or can it be opened?  Without, each
 * range would take as long as to start one.
 */
extern bool kg_plan_holds(const KgStatement *statement);
/* The first column of the first row as a bigint; 0 where there is no row. */
extern int64 kg_plan_run_int64(const KgStatement *statement);
/* The same of a count that may be a lower bound: is it all? */
extern int64 kg_plan_count_rows(const KgStatement *statement, bool *all);

/*
 * The statement's plan as text, without costs: estimates are made of other
 * tenants' statistics too.
 */
extern char *kg_plan_explain(const KgStatement *statement);

/*
 * For what runs a statement's executor: around it, so that policies
 * know who asks, and once in a while between its rows, for interrupts and for
 * the clock, where a call of a tool has one.
 */
extern void kg_plan_enter(void);
extern void kg_plan_leave(void);

/*
 * In a loop in memory: count what was done, and check every 65,536.
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
