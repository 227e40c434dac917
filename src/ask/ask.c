/*
 * ask.c
 *	  A query: one SELECT over the caller's types and relations as tables.
 */
#include "postgres.h"

#include "ask/amend.h"
#include "ask/ask.h"
#include "ask/bound.h"
#include "ask/decide.h"
#include "ask/explain.h"
#include "ask/memory.h"
#include "ask/parameters.h"
#include "ask/plan.h"
#include "ask/query.h"
#include "ask/raw.h"
#include "ask/settings.h"
#include "ask/tables.h"
#include "base/catch.h"
#include "query/run/running.h"

static void
answer(void *arg)
{
	KgAsk *ask = arg;
	RawStmt *statement = kg_ask_parse(ask);
	Query *query = kg_ask_analyse(ask, statement);
	PlannedStmt *plan;

	kg_ask_check(ask, query);
	kg_ask_bind(ask);
	query = kg_ask_bound(ask, query);
	kg_ask_tables_plant(ask, query);
	plan = kg_ask_plan(ask, query);
	if (ask->explain)
		kg_ask_explain(ask, plan);
	kg_ask_tables_require(ask);
	kg_ask_run_decided(ask, plan);
}

static void
answer_within_memory(void *arg)
{
	kg_ask_within_memory(answer, arg);
}

static void
prepare(void *arg)
{
	KgAsk *ask = arg;
	RawStmt *statement = kg_ask_parse(ask);

	if (!ask->names_only)
		kg_ask_check(ask, kg_ask_analyse(ask, statement));
}

static void
prepare_within_memory(void *arg)
{
	kg_ask_within_memory(prepare, arg);
}

void
kg_ask_check_names(KgAsk *ask)
{
	ask->names_only = true;
	kg_catch_amend(prepare, kg_ask_amend, ask);
}

void
kg_ask_prepare(KgAsk *ask)
{
	KgAskSettings settings;

	kg_ask_settings_begin(&settings);
	kg_catch_amend(prepare_within_memory, kg_ask_amend, ask);
	kg_ask_settings_end(&settings);
}

/*
 * Runs a query (ask.h). The time limit of the call also covers the planning,
 * because the planner evaluates constant expressions.
 */
void
kg_ask(KgAsk *ask)
{
	KgAskSettings settings;

	ask->catalog = kg_running_catalog();
	kg_ask_settings_begin(&settings);
	kg_catch_amend(answer_within_memory, kg_ask_amend, ask);
	kg_ask_settings_end(&settings);
}
