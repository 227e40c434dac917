/*
 * write_tools.c
 *	  The table of the toolset write, and its tools create, update, delete,
 *	  merge, link and unlink.
 *
 *	  Each of these tools has the arguments of the generated tool for its
 *	  operation, and an argument for the type or relation. It writes only if
 *	  the type or relation exposes the operation. The tools schema, find and
 *	  get also belong to the toolset compact.
 */
#include "postgres.h"

#include "base/json.h"
#include "query/run/running.h"
#include "tools/input/input.h"
#include "tools/write/exposed.h"
#include "tools/write/write_schema.h"
#include "tools/write/write_tool.h"
#include "tools/write/write_tools.h"

/* The operation of the tool undo, which types cannot expose. */
static const KgOperation undoes = {.destructive = true, .idempotent = false};

/* ---- create, update, delete, merge, link, unlink ---- */

static Jsonb *
write_named(const char *name, int operation, const Jsonb *arguments)
{
	const char *member = kg_exposed_member(operation);
	KgRepairs repairs = {NIL};
	const KgTool *tool;
	KgInput in;

	kg_write_require();
	kg_input_open(&in, arguments, name, &repairs);
	kg_input_require(&in, member);
	tool = kg_exposed_require(kg_running_catalog(),
							  kg_input_string(&in, member),
							  operation,
							  kg_input_path(&in, member));
	return kg_tool_write(tool, kg_json_without(arguments, member));
}

Jsonb *
kg_tool_create(const Jsonb *arguments)
{
	return write_named("create", KG_EXPOSE_CREATE, arguments);
}

Jsonb *
kg_tool_update(const Jsonb *arguments)
{
	return write_named("update", KG_EXPOSE_UPDATE, arguments);
}

Jsonb *
kg_tool_delete(const Jsonb *arguments)
{
	return write_named("delete", KG_EXPOSE_DELETE, arguments);
}

Jsonb *
kg_tool_merge(const Jsonb *arguments)
{
	return write_named("merge", KG_EXPOSE_MERGE, arguments);
}

Jsonb *
kg_tool_link(const Jsonb *arguments)
{
	return write_named("link", KG_EXPOSE_LINK, arguments);
}

Jsonb *
kg_tool_unlink(const Jsonb *arguments)
{
	return write_named("unlink", KG_EXPOSE_UNLINK, arguments);
}

const KgFixedTool kg_write_tools[] = {
	{"changes", KG_TOOLSET_WRITE, kg_tool_changes},
	{"create",
	 KG_TOOLSET_WRITE,
	 kg_tool_create,
	 &kg_operations[KG_OPERATION_CREATE]},
	{"delete",
	 KG_TOOLSET_WRITE,
	 kg_tool_delete,
	 &kg_operations[KG_OPERATION_DELETE]},
	{"duplicates", KG_TOOLSET_WRITE, kg_tool_duplicates},
	{"link", KG_TOOLSET_WRITE, kg_tool_link, &kg_operations[KG_OPERATION_LINK]},
	{"merge",
	 KG_TOOLSET_WRITE,
	 kg_tool_merge,
	 &kg_operations[KG_OPERATION_MERGE]},
	{"undo", KG_TOOLSET_WRITE, kg_tool_undo, &undoes},
	{"unlink",
	 KG_TOOLSET_WRITE,
	 kg_tool_unlink,
	 &kg_operations[KG_OPERATION_UNLINK]},
	{"update",
	 KG_TOOLSET_WRITE,
	 kg_tool_update,
	 &kg_operations[KG_OPERATION_UPDATE]},
	{NULL}};
