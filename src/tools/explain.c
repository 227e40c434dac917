/*
 * explain.c
 *	  Reports how a tool call is executed.
 *
 *	  The call is run, so that the report lists the statements that it
 *	  executed.
 */
#include "postgres.h"

#include "base/error.h"
#include "base/json.h"
#include "base/settings.h"
#include "model/catalog.h"
#include "query/graph/cost.h"
#include "query/run/plan.h"
#include "tools/catalog/catalog_tools.h"
#include "tools/dispatch.h"
#include "tools/offered.h"
#include "tools/explain.h"
#include "utils/builtins.h"

static void
write_statement(const KgStatement *statement, KgJsonWriter *w)
{
	char *plan = kg_plan_explain(statement);
	char *line;

	kg_jw_begin_object(w);
	kg_jw_kstring(w, "sql", statement->sql);
	kg_jw_kbegin_array(w, "parameters");
	for (int i = 0; i < statement->nargs; i++)
		kg_jw_string(w, format_type_be(statement->argtypes[i]));
	kg_jw_end_array(w);
	kg_jw_kbegin_array(w, "plan");
	for (line = strtok(plan, "\n"); line; line = strtok(NULL, "\n"))
		kg_jw_string(w, line);
	kg_jw_end_array(w);
	kg_jw_end_object(w);
}

static KG_NORETURN void
throw_writes(const char *name)
{
	KG_THROW(
		KG_INVALID_INPUT,
		.message = psprintf("tool \"%s\" writes and cannot be explained", name),
		.path = "/tool",
		.got_string = name,
		.expected = "a tool that reads");
}

Jsonb *
kg_tools_explain(KgCall *call, const char *name, const Jsonb *arguments)
{
	const KgCatalog *catalog = kg_running_catalog();
	const KgTool *tool = kg_catalog_tool(catalog, name);
	KgExplained explained = {CurrentMemoryContext, NIL, -1};
	ListCell *lc;
	KgToolCall tool_call = {.name = name, .arguments = arguments};
	KgJsonWriter w;

	if (tool && (tool->operation & KG_EXPOSE_WRITING) &&
		kg_tool_is_offered(kg_agent_current(), tool, kg_operations_offered()))
		throw_writes(name);
	call->explained = &explained;
	(void) kg_tools_call(&tool_call);
	call->explained = NULL;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "tool", name);
	kg_jw_key(&w, "ast");
	if (tool)
		kg_tool_write_ast(kg_tool_type(tool), tool->operation, arguments, &w);
	else
		kg_jw_jsonb(&w, arguments);
	if (explained.cost >= 0)
	{
		kg_jw_kbegin_object(&w, "estimate");
		kg_jw_kint(
			&w, "edges", (int64) Min(kg_cost_rounded(explained.cost), 1e18));
		kg_jw_kint(&w, "max_cost", kg_setting_max_cost);
		kg_jw_end_object(&w);
	}
	kg_jw_kbegin_array(&w, "statements");
	foreach(lc, explained.statements)
		write_statement(lfirst(lc), &w);
	kg_jw_end_array(&w);
	return kg_jw_finish(&w);
}
