/*
 * decide.c
 *	  Runs a query over types with x-authorize, whose access decisions a
 *	  gateway supplies.
 *
 * If a row has no decision, the query runs without the row. Other tools show
 * such rows in a trial run, which only collects the nodes to decide. A query
 * must not, because an error of the caller's expression could report a value
 * of the row.
 */
#include "postgres.h"

#include "ask/decide.h"
#include "ask/run.h"
#include "ask/tables.h"
#include "query/run/decisions.h"
#include "query/view/view_rows.h"

/*
 * Returns the list, with the type added if the type is not NULL and has
 * x-authorize. Raises KG_FORBIDDEN if the type has x-authorize and neither an
 * authorizer nor a gateway decides.
 */
static List *
add_type(List *types, const KgAsk *ask, const KgType *type)
{
	if (type == NULL || type->authorize == NULL)
		return types;
	kg_decisions_require(ask->catalog, type, NULL);
	return lappend(types, (void *) type);
}

/*
 * Returns the types with x-authorize whose entities the query can read. If the
 * query calls a table function, returns all types with x-authorize, because a
 * table function may read any type.
 */
static List *
decided_types(const KgAsk *ask)
{
	List *types = NIL;
	ListCell *lc;

	if (ask->calls != NIL)
		for (int i = 0; i < ask->catalog->ntypes; i++)
			types = add_type(
				types,
				ask,
				kg_type_with(&ask->catalog->types[i], KG_TRAIT_AUTHORIZE));
	else
		foreach(lc, kg_ask_types(ask))
			types = add_type(types, ask, lfirst(lc));
	return types;
}

static void
run_in_exchange(KgAsk *ask, PlannedStmt *plan)
{
	KgDecisions *decisions = kg_decisions_of_call(kg_running_call());
	const KgStatement statement = {NULL};

	kg_decisions_try(decisions, &statement, 0);
	PG_TRY();
	{
		kg_ask_run(ask, plan);
	}
	PG_FINALLY();
	{
		kg_decisions_tried(decisions);
	}
	PG_END_TRY();
	(void) kg_decisions_settle(decisions);
	if (kg_decisions_exhausted(decisions))
		kg_decisions_throw_exhausted();
}

void
kg_ask_run_decided(KgAsk *ask, PlannedStmt *plan)
{
	List *types = ask->catalog->authorizes ? decided_types(ask) : NIL;

	if (types == NIL || !kg_decisions_are_outside())
	{
		kg_ask_run(ask, plan);
		return;
	}
	kg_view_decide(ask->catalog, types);
	run_in_exchange(ask, plan);
}
