/*
 * callable.c
 *	  Tools that are not registered: generated tools and fixed tools.
 */
#include "postgres.h"

#include "base/json.h"
#include "query/argument/repair.h"
#include "query/run/running.h"
#include "tools/callable.h"
#include "tools/catalog/catalog_tools.h"
#include "tools/catalog/history_tool.h"
#include "tools/input/outline.h"
#include "tools/input/schema_template.h"
#include "tools/write/write_schema.h"
#include "tools/write/write_tool.h"

bool
kg_callable_find(const KgCatalog *catalog, const char *name,
				 KgCallable *callable)
{
	callable->tool = kg_catalog_tool(catalog, name);
	callable->fixed = callable->tool ? NULL : kg_fixed_tool_find(name);
	if (callable->fixed && !kg_fixed_tool_exists(catalog, callable->fixed))
		callable->fixed = NULL;
	return callable->tool != NULL || callable->fixed != NULL;
}

bool
kg_callable_writes(const KgCallable *callable)
{
	if (callable->fixed != NULL)
		return callable->fixed->writes != NULL;
	return (callable->tool->operation & KG_EXPOSE_WRITING) != 0;
}

Jsonb *
kg_callable_input(const KgCatalog *catalog, const KgCallable *callable)
{
	if (callable->fixed != NULL)
		return kg_expand_input(
			catalog, callable->fixed->name, NULL, true, NULL);
	if (kg_callable_writes(callable))
		return kg_write_input_schema(callable->tool, NULL);
	return kg_expand_input(catalog,
						   kg_tool_input_template(kg_tool_type(callable->tool),
												  callable->tool->operation),
						   kg_tool_type(callable->tool),
						   true,
						   NULL);
}

static Jsonb *
call_catalog_tool(const KgCatalog *catalog, const KgTool *tool,
				  const Jsonb *arguments)
{
	if (tool->operation & KG_EXPOSE_WRITING)
		return kg_tool_write(tool, arguments);
	if (tool->operation == KG_EXPOSE_HISTORY)
		return kg_tool_history(catalog, kg_tool_type(tool), arguments);
	if (tool->operation == KG_EXPOSE_GET)
		return kg_tool_get(catalog, kg_tool_type(tool), arguments);
	return kg_tool_list(catalog,
						kg_tool_type(tool),
						arguments,
						tool->operation == KG_EXPOSE_LIST_IDS);
}

Jsonb *
kg_callable_call(const KgCatalog *catalog, const KgCallable *callable,
				 const Jsonb *arguments)
{
	kg_running_begin_tool();
	kg_repair_begin(callable->tool ? callable->tool->name
								   : callable->fixed->name,
					arguments);
	if (callable->tool != NULL)
		return call_catalog_tool(catalog, callable->tool, arguments);
	return callable->fixed->call(arguments);
}

/* Returns whether the tool has the argument idempotency_key. */
static bool
takes_key(const KgCallable *callable)
{
	static const char key[] = "idempotency_key";

	if (callable->fixed == NULL)
		return kg_callable_writes(callable);
	return kg_outline_member(
			   kg_outline(callable->fixed->name), key, strlen(key)) != NULL;
}

const Jsonb *
kg_callable_with_key(const KgCallable *callable, const Jsonb *arguments,
					 const char *key)
{
	JsonbValue value;

	if (key == NULL || !takes_key(callable) || !JB_ROOT_IS_OBJECT(arguments) ||
		(kg_json_get(&arguments->root, "idempotency_key", &value) != NULL &&
		 value.type != jbvNull))
		return arguments;
	value = kg_json_string_value(key);
	return kg_json_with(arguments, "idempotency_key", &value);
}
