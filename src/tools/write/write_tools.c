/*
 * write_tools.c
 *	  The table of the toolset write with its schemas, and the tools create,
 *	  update, delete, link and unlink.
 *
 *	  Each of these takes the arguments of the generated tool for its operation,
 *	  and the type or relation. It writes a type only if the type exposes the
 *	  operation. The tools schema, find and get belong to the toolset compact,
 *	  too.
 */
#include "postgres.h"

#include "base/json.h"
#include "query/run/running.h"
#include "tools/input/input.h"
#include "tools/write/exposed.h"
#include "tools/write/write_schema.h"
#include "tools/write/write_tool.h"
#include "tools/write/write_tools.h"

#define OF_TYPE(required, items)                                              \
	"{'type':'object','additionalProperties':false,'required':['type',"       \
	"'" required "'],'properties':{'type':<type>," items "," KG_WRITE_OPTIONS \
	"}}"

#define OF_RELATION(item)                                                 \
	"{'type':'object','additionalProperties':false,'required':['relation" \
	"','items'],'properties':{'relation':<relation>,'items':" MANY(       \
		item) "," KG_WRITE_OPTIONS "}}"

#define MANY(item)                                           \
	"{'type':'array','minItems':1,'maxItems':" CppAsString2( \
		KG_WRITE_ITEMS) ",'items':" item "}"

static const char create_input[] = OF_TYPE(
	"items", "'items':" MANY("{'type':'object','description':'the "
							 "properties, by name'}"));

static const char update_input[] = OF_TYPE(
	"items",
	"'items':" MANY(
		"{'type':'object','additionalProperties':false,'required':['id"
		"'],'properties':{'id':<id>,'set':{'type':'object',"
		"'description':'{property: new value}'}," KG_PATCH KG_PATCH_ARRAYS
		"}}"));

static const char delete_input[] = OF_TYPE(
	"ids", "'ids':" MANY("{'anyOf':[<id>,{'type':'object',"
						 "'additionalProperties':false,'required':["
						 "'id'],'properties':{'id':<id>,"
						 "'expected_version':" KG_SOME_VERSION "}}]}"));

static const char edge_input[] = OF_RELATION(
	"{'type':'object','additionalProperties':false,'required':['from',"
	"'to'],'properties':{" KG_EDGE_ENDS ",'properties':{'type':'object'}}}");

static const char changes_input[] =
	"{'type':'object','additionalProperties':false,'properties':{'since':"
	"{'type':'string','format':'date-time'},'types':{'type':'array','items':"
	"<type>},'mine':{'type':'boolean','default':false,'description':'only "
	"your own'},'limit':{'type':'integer','minimum':1,'maximum':500,"
	"'default':50},'cursor':<cursor>,'max_bytes':<max_bytes>}}";

static const char changes_output[] =
	"{'type':'object','required':['changes','returned','truncated'],"
	"'properties':{'changes':<objects>,'returned':<count>,'truncated':"
	"<boolean>,'next':{'type':'object'}}}";

/* A number of a change: an integer that each reader of JSON keeps exactly. */
#define NUMBER "{'type':'integer','minimum':1,'maximum':9007199254740991}"

static const char undo_input[] =
	"{'type':'object','additionalProperties':false,'properties':{'change'"
	":" NUMBER ",'transaction':" NUMBER
	",'dry_run':{'type':'boolean','default':false,'description':"
	"'only tell what would happen'},'reason':{'type':'string','maxLength':"
	"1000},'confirm':{'type':'string'}}}";

static const char undo_output[] =
	"{'type':'object','required':['items'],'properties':{'items':<objects>}}";

/* Not an operation that a type exposes. */
static const KgOperation undoes = {.destructive = true, .idempotent = false};

/* ---- create, update, delete, link, unlink ---- */

static Jsonb *
write_named(const char *name, int operation, const Jsonb *arguments)
{
	const char *member = kg_exposed_member(operation);
	KgRepairs repairs = {NIL};
	const KgTool *tool;
	KgInput in;

	kg_write_require();
	kg_input_open(&in, arguments, kg_fixed_tool_find(name)->input, &repairs);
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
	{"changes",
	 KG_TOOLSET_WRITE,
	 "Changes",
	 "What changed, the newest first: who, when, before and after. Types "
	 "without history have no changes.",
	 changes_input,
	 changes_output,
	 kg_tool_changes},
	{"create",
	 KG_TOOLSET_WRITE,
	 "Create",
	 "Make new entities of a type; schema has its properties. An id that "
	 "exists is refused, never overwritten.",
	 create_input,
	 KG_WRITE_OUTPUT,
	 kg_tool_create,
	 &kg_operations[KG_OPERATION_CREATE]},
	{"delete",
	 KG_TOOLSET_WRITE,
	 "Delete",
	 "Delete entities of a type by id. Refused if a reference to an entity "
	 "restricts its deletion; the error has the referring handles.",
	 delete_input,
	 KG_WRITE_OUTPUT,
	 kg_tool_delete,
	 &kg_operations[KG_OPERATION_DELETE]},
	{"link",
	 KG_TOOLSET_WRITE,
	 "Link",
	 "Make edges of a relation, or replace the properties of existing ones.",
	 edge_input,
	 KG_WRITE_OUTPUT,
	 kg_tool_link,
	 &kg_operations[KG_OPERATION_LINK]},
	{"undo",
	 KG_TOOLSET_WRITE,
	 "Undo",
	 "Undo a change or a transaction, by its number in changes. dry_run "
	 "first. Refused if a property was changed since.",
	 undo_input,
	 undo_output,
	 kg_tool_undo,
	 &undoes},
	{"unlink",
	 KG_TOOLSET_WRITE,
	 "Unlink",
	 "Delete edges of a relation.",
	 edge_input,
	 KG_WRITE_OUTPUT,
	 kg_tool_unlink,
	 &kg_operations[KG_OPERATION_UNLINK]},
	{"update",
	 KG_TOOLSET_WRITE,
	 "Update",
	 "Change properties of entities of a type; other properties stay. "
	 "With expected_version, the version that you have read, a change by "
	 "others since then is not overwritten.",
	 update_input,
	 KG_WRITE_OUTPUT,
	 kg_tool_update,
	 &kg_operations[KG_OPERATION_UPDATE]},
	{NULL}};
