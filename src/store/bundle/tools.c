/*
 * bundle/tools.c
 *	  The generated tools of a bundle. Checks their names, and makes the rows
 *	  of kg_tool equal to the tools that the bundle's types and relations
 *	  expose.
 */
#include "postgres.h"

#include "base/spi.h"
#include "base/text.h"
#include "model/memory.h"
#include "miscadmin.h"
#include "store/bundle/bundle.h"
#include "store/registered_tools.h"
#include "utils/builtins.h"

#define KG_MAX_TOOL_NAME 64

/* A tool that the payload generates for a type or a relation. */
typedef struct NewTool
{
	const char *name;
	const KgOperation *operation;
	const char *type;
	const char *relation;
	const char *path;
} NewTool;

static List *
add_tools(List *tools, int expose, const NewTool *of)
{
	const char *name = of->type ? of->type : of->relation;
	const KgOperation *operation;

	for (int i = 0; (operation = kg_operation(i)) != NULL; i++)
	{
		NewTool *tool;

		if ((expose & operation->expose) == 0)
			continue;
		tool = palloc(sizeof(NewTool));
		*tool = *of;
		tool->operation = operation;
		tool->name = kg_operation_tool(operation, name);
		tools = lappend(tools, tool);
	}
	return tools;
}

static List *
new_tools(const KgApply *apply)
{
	const KgPayload *payload = apply->payload;
	List *tools = NIL;
	ListCell *lc;

	for (int i = 0; i < payload->ntypes; i++)
	{
		const KgPayloadType *type = &payload->types[i];
		NewTool of = {.type = type->name, .path = type->path};

		if (type->parsed != NULL)
			tools = add_tools(tools, type->parsed->expose, &of);
	}
	foreach(lc, kg_bundle_exposed(apply))
	{
		const KgExposed *exposed = lfirst(lc);
		NewTool of = {.relation = exposed->relation, .path = exposed->path};

		tools = add_tools(tools, exposed->expose, &of);
	}
	return tools;
}

static bool
is_own(const KgApply *apply, const KgTool *tool)
{
	return strcmp(tool->bundle, apply->payload->name) == 0;
}

/*
 * Returns whether the tool belongs to a type of this bundle that the merge
 * does not change.
 */
static bool
stays(const KgApply *apply, const KgTool *tool)
{
	return apply->options.merge && is_own(apply, tool) && tool->row != NULL &&
		   kg_payload_type(apply->payload, tool->row->name) == NULL;
}

static void
report(KgApply *apply, const NewTool *tool, KgError *err, const char *expected)
{
	kg_error_got_string(err, tool->name);
	kg_error_expected(err, "%s", expected);
	kg_error_path(err, "%s", tool->path);
	kg_error_report(&apply->errors, err);
}

static void
check_tool(KgApply *apply, const NewTool *tool, const List *taken)
{
	const KgTool *other = kg_catalog_tool(apply->before, tool->name);
	ListCell *lc;

	if (strlen(tool->name) > KG_MAX_TOOL_NAME)
		report(apply,
			   tool,
			   kg_error_new(KG_INVALID_INPUT,
							"tool name \"%s\" has %d characters; %d are "
							"allowed",
							tool->name,
							(int) strlen(tool->name),
							KG_MAX_TOOL_NAME),
			   tool->type ? "a shorter name of the entity type, or an "
							"\"x-tool-expose\" without the tool"
						  : "a shorter name of the relation, or a relation "
							"without \"tools\"");
	/*
	 * A tool that is stored already is not reported here; kg_check() reports
	 * it.
	 */
	if (kg_tool_hooks->is_fixed(tool->name) &&
		(other == NULL || !is_own(apply, other)))
		report(
			apply,
			tool,
			kg_error_new(KG_ALREADY_EXISTS,
						 "tool_name_collision_in_tenant: tool \"%s\" of bundle "
						 "\"%s\" has the name of a tool that every tenant has",
						 tool->name,
						 apply->payload->name),
			tool->type ? "another name of the entity type, or an "
						 "\"x-tool-expose\" without the tool"
					   : "another name of the relation, or a relation without "
						 "\"tools\"");
	foreach(lc, taken)
		if (strcmp(lfirst(lc), tool->name) == 0)
			report(apply,
				   tool,
				   kg_error_new(KG_ALREADY_EXISTS,
								"tool_name_collision_in_tenant: tool \"%s\" "
								"would be made twice by bundle \"%s\"",
								tool->name,
								apply->payload->name),
				   "another name of one of the entity types");
	if (other != NULL && !is_own(apply, other))
		report(apply,
			   tool,
			   kg_error_new(KG_ALREADY_EXISTS,
							"tool_name_collision_in_tenant: tool \"%s\" of "
							"bundle \"%s\" already exists in bundle \"%s\"",
							tool->name,
							apply->payload->name,
							other->bundle),
			   tool->type ? "another name of the entity type, or an "
							"\"x-tool-expose\" without the tool"
						  : "another name of the relation, or a relation "
							"without \"tools\"");
}

/*
 * Checks names if the bundle of the toolset "memory" is applied. That bundle
 * activates tools with fixed names, but a tenant of an older version may
 * already have tools with these names.
 */
static void
check_memory(KgApply *apply)
{
	const KgCatalog *before = apply->before;

	if (strcmp(apply->payload->name, KG_MEMORY_BUNDLE) != 0)
		return;
	for (int i = 0; i < before->ntools; i++)
	{
		const KgTool *tool = &before->tools[i];

		if (is_own(apply, tool) || !kg_tool_hooks->is_fixed(tool->name))
			continue;
		KG_REPORT(
			&apply->errors,
			KG_ALREADY_EXISTS,
			.message = psprintf(
				"tool_name_collision_in_tenant: tool \"%s\" of the toolset "
				"memory already exists in bundle \"%s\"",
				tool->name,
				tool->bundle),
			.got_string = tool->name,
			.expected =
				"another name for the type or relation that makes that tool",
			.path = "/bundle_name");
	}
}

void
kg_bundle_check_tools(KgApply *apply)
{
	List *taken = NIL;
	ListCell *lc;

	check_memory(apply);
	for (int i = 0; i < apply->before->ntools; i++)
		if (stays(apply, &apply->before->tools[i]))
			taken = lappend(taken, pstrdup(apply->before->tools[i].name));
	foreach(lc, new_tools(apply))
	{
		const NewTool *tool = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		check_tool(apply, tool, taken);
		taken = lappend(taken, (char *) tool->name);
	}
}

static bool
is_stored(const KgApply *apply, const NewTool *tool)
{
	const KgTool *stored = kg_catalog_tool(apply->before, tool->name);

	return stored != NULL && is_own(apply, stored) &&
		   stored->operation == tool->operation->expose &&
		   kg_text_same(stored->row ? stored->row->name : NULL, tool->type) &&
		   kg_text_same(stored->relation ? stored->relation->name : NULL,
						tool->relation);
}

/*
 * Writes a tool. Raises KG_ALREADY_EXISTS if another bundle or a registered
 * tool has this name, which another session has committed since check_tool().
 */
static void
write_tool(KgApply *apply, const NewTool *tool)
{
	KG_SPI_EXEC("INSERT INTO @kg_tool AS t (tenant, tool, bundle, entity_type, "
				"operation, relation) VALUES ($1, $2, $3, $4, $5, $6) "
				"ON CONFLICT (tenant, tool) DO UPDATE SET entity_type = $4, "
				"operation = $5, relation = $6 WHERE t.bundle = $3 "
				"AND t.operation NOT IN ('registered', 'alias') "
				"RETURNING tool",
				kg_arg_text(apply->tenant),
				kg_arg_text(tool->name),
				kg_arg_text(apply->payload->name),
				kg_arg_text(tool->type),
				kg_arg_text(tool->operation->name),
				kg_arg_text(tool->relation));
	if (SPI_processed == 0)
		kg_error_throw(kg_error_new(
			KG_ALREADY_EXISTS,
			"tool_name_collision_in_tenant: tool \"%s\" of bundle \"%s\" now "
			"exists in another bundle",
			tool->name,
			apply->payload->name));
}

static void
delete_tool(const KgApply *apply, const char *name)
{
	KG_SPI_EXEC("DELETE FROM @kg_tool WHERE tenant = $1 AND bundle = $2 "
				"AND tool = $3",
				kg_arg_text(apply->tenant),
				kg_arg_text(apply->payload->name),
				kg_arg_text(name));
}

static bool
is_made(const List *tools, const char *name)
{
	ListCell *lc;

	foreach(lc, tools)
		if (strcmp(((const NewTool *) lfirst(lc))->name, name) == 0)
			return true;
	return false;
}

/*
 * Writes the generated tools of the bundle, and deletes those that the bundle
 * no longer makes. They change only under the bundle's lock.
 */
void
kg_bundle_write_tools(KgApply *apply)
{
	List *tools = new_tools(apply);
	ListCell *lc;

	for (int i = 0; i < apply->before->ntools; i++)
	{
		const KgTool *tool = &apply->before->tools[i];

		if (!is_own(apply, tool) || stays(apply, tool) ||
			is_made(tools, tool->name))
			continue;
		delete_tool(apply, tool->name);
		apply->changed = true;
	}
	foreach(lc, tools)
	{
		const NewTool *tool = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (is_stored(apply, tool))
			continue;
		write_tool(apply, tool);
		apply->changed = true;
	}
}
