/*
 * explain.c
 *	  The plan of a query.
 */
#include "postgres.h"

#include "ask/explain.h"
#include "base/compat.h"
#include "base/compat_explain.h"

void
kg_ask_explain(KgAsk *ask, PlannedStmt *plan)
{
	ExplainState *es = NewExplainState();
	char *line;

	es->costs = false;
	es->format = EXPLAIN_FORMAT_TEXT;
	kg_explain_plan(copyObject(plan), es, ask->sql);
	for (line = strtok(es->str->data, "\n"); line; line = strtok(NULL, "\n"))
		ask->plan = lappend(ask->plan, line);
}
