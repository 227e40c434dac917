/*
 * other_tool.c
 *	  Finds the other tool that the arguments of a call fit.
 */
#include "postgres.h"

#include "auth/agent.h"
#include "base/error.h"
#include "query/argument/arguments.h"
#include "query/argument/names.h"
#include "query/argument/repair.h"
#include "query/run/running.h"
#include "tools/catalog/catalog_tools.h"
#include "tools/callable.h"
#include "tools/fixed_tools.h"
#include "tools/correct/other_tool.h"
#include "tools/offered.h"
#include "tools/input/outline.h"

/*
 * Returns whether a tool accepts the object: the schema template has all
 * members of the object, and the object has all members that the template
 * requires.
 */
static bool
fits(const JsonbContainer *object, const char *template)
{
	const KgOutline *outline = kg_outline(template);

	kg_json_each(it, object)
		if (kg_outline_member(
				outline, it.key.val.string.val, it.key.val.string.len) == NULL)
			return false;
	return kg_outline_is_complete(outline, object);
}

/*
 * Returns the list or get tool for the type of the called tool, if the
 * arguments fit that list or get tool. Returns NULL if they do not fit, or if
 * the caller does not have the tool.
 */
static const char *
other_of_type(const KgCatalog *catalog, const KgTool *called,
			  const JsonbContainer *arguments)
{
	const KgAgent *agent = kg_agent_current();
	int offered = kg_operations_offered();
	JsonbValue value;

	for (int i = 0; i < catalog->ntools; i++)
	{
		const KgTool *tool = &catalog->tools[i];
		bool get = tool->operation == KG_EXPOSE_GET;

		if (tool->row != called->row || tool == called ||
			(!get && tool->operation != KG_EXPOSE_LIST) ||
			!kg_tool_is_offered(agent, tool, offered) ||
			!fits(arguments,
				  kg_tool_input_template(kg_tool_type(tool), tool->operation)))
			continue;
		if (!get || kg_json_get(arguments, "ids", &value) != NULL ||
			kg_json_get(arguments, "id", &value) != NULL)
			return tool->name;
	}
	return NULL;
}

/*
 * Returns whether a call with an unknown argument may be meant for another
 * tool, "tool". This is possible for graph tools. Between compact tools it is
 * possible if "tool" requires the argument.
 */
static bool
may_be_meant(const KgFixedTool *tool, const KgFixedTool *called,
			 const JsonbValue *key)
{
	const KgMember *member;

	if ((tool->toolset & (KG_TOOLSET_GRAPH | KG_TOOLSET_BFS)) != 0)
		return true;
	if ((tool->toolset & called->toolset & KG_TOOLSET_COMPACT) == 0)
		return false;
	member = kg_outline_member(
		kg_outline(tool->name), key->val.string.val, key->val.string.len);
	return member != NULL && member->required;
}

static const char *
other_fixed(const KgCatalog *catalog, const KgFixedTool *called,
			const JsonbContainer *arguments, const JsonbValue *key)
{
	const KgAgent *agent = kg_agent_current();
	const char *found = NULL;
	const KgFixedTool *tool;
	int n = 0;

	for (int i = 0; (tool = kg_fixed_tool(i)) != NULL; i++)
	{
		if (tool == called || tool->writes != NULL ||
			!may_be_meant(tool, called, key) ||
			!kg_fixed_tool_exists(catalog, tool) ||
			!kg_agent_has_tool(agent, tool->toolset, tool->name) ||
			!fits(arguments, tool->name))
			continue;
		found = tool->name;
		n++;
	}
	return n == 1 ? found : NULL;
}

static KG_NORETURN void
refuse(const JsonbValue *key, const char *other, const Jsonb *arguments)
{
	char *name = kg_json_cstring(key);
	KgError *err = kg_args_unknown(
		"",
		name,
		psprintf("the arguments are those of the tool \"%s\"", other));

	kg_error_call_tool(err, other, arguments);
	kg_error_throw(err);
}

/*
 * Raises KG_INVALID_INPUT if the call has "search" and "node_label". Only the
 * list tool of a type has "search", and the error suggests a call of it.
 */
static void
refuse_search(const KgCatalog *catalog, const JsonbContainer *arguments,
			  const JsonbValue *key)
{
	const KgAgent *agent = kg_agent_current();
	int offered = kg_operations_offered();
	JsonbValue label;
	Jsonb *rest;

	if (!kg_json_string_is(key, "search") ||
		kg_json_get(arguments, "node_label", &label) == NULL ||
		label.type != jbvString)
		return;
	rest = kg_json_without(kg_running_call()->arguments, "node_label");
	for (int i = 0; i < catalog->ntools; i++)
	{
		const KgTool *tool = &catalog->tools[i];

		if (tool->operation == KG_EXPOSE_LIST && tool->row != NULL &&
			kg_json_string_is(&label, kg_row_handle(tool->row)) &&
			kg_tool_is_offered(agent, tool, offered) &&
			fits(&rest->root,
				 kg_tool_input_template(kg_tool_type(tool), tool->operation)))
			refuse(key, tool->name, rest);
	}
}

/*
 * Returns whether the unknown argument is another name of an argument that the
 * called tool has, such as max_hops for k. If so, the call is meant for the
 * called tool, even if another tool has an argument with that name.
 */
static bool
is_ours_by_another_name(const KgCall *call, const KgFixedTool *called,
						const JsonbValue *key)
{
	const JsonbContainer *arguments = &call->arguments->root;
	const KgOutline *outline;
	JsonbValue value;

	if (called == NULL)
		return false;
	outline = kg_outline(called->name);
	(void) kg_json_get(arguments, kg_json_cstring(key), &value);
	return value.type != jbvBinary &&
		   kg_name_same(arguments, kg_json_cstring(key), &value, outline) !=
			   NULL;
}

void
kg_refuse_other_tool(const JsonbContainer *arguments, const JsonbValue *key)
{
	const KgCall *call = kg_running_call();
	const KgCatalog *catalog = kg_running_catalog();
	const char *other;
	KgCallable called;

	if (call == NULL || call->tool == NULL ||
		arguments != &call->arguments->root ||
		!kg_callable_find(catalog, call->tool, &called))
		return;
	/* A call of a tool that writes is never meant for a tool that reads. */
	if (kg_callable_writes(&called) ||
		is_ours_by_another_name(call, called.fixed, key))
		return;
	if (called.fixed != NULL && strcmp(call->tool, "find_nodes") == 0)
		refuse_search(catalog, arguments, key);
	other = called.tool != NULL
				? other_of_type(catalog, called.tool, arguments)
				: other_fixed(catalog, called.fixed, arguments, key);
	if (other == NULL)
		return;
	refuse(key, other, NULL);
}
