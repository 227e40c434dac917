/*
 * write_schema.c
 *	  The published schemas, titles and descriptions of the generated tools that
 *	  write.
 */
#include "postgres.h"

#include "base/json.h"
#include "model/schema_ref.h"
#include "miscadmin.h"
#include "query/run/running.h"
#include "tools/input/client_schema.h"
#include "tools/input/schema_template.h"
#include "tools/write/write_schema.h"

const char *
kg_write_input_template(const KgTool *tool)
{
	switch (tool->operation)
	{
		case KG_EXPOSE_CREATE:
			return "create_type";
		case KG_EXPOSE_UPDATE:
			return "update_type";
		case KG_EXPOSE_DELETE:
			return "delete_type";
		case KG_EXPOSE_MERGE:
			return "merge_type";
		case KG_EXPOSE_LINK:
			return "link_relation";
		case KG_EXPOSE_UNLINK:
			return tool->relation->key != NULL ? "unlink_keyed_relation"
											   : "unlink_relation";
		default:
			elog(ERROR, "no tool writes by operation %d", tool->operation);
			return NULL;
	}
}

Jsonb *
kg_write_input_schema(const KgTool *tool, KgExpandedParts *parts)
{
	const char *template = kg_write_input_template(tool);

	if (tool->relation != NULL)
		return kg_expand_relation_input(template, tool->relation, parts);
	return kg_expand_input(NULL, template, kg_tool_type(tool), false, parts);
}

/* ---- titles and descriptions ---- */

char *
kg_write_title(const KgTool *tool)
{
	const KgType *type = kg_tool_type(tool);
	const char *name = type == NULL	 ? tool->relation->name
					   : type->title ? type->title
									 : type->name;

	switch (tool->operation)
	{
		case KG_EXPOSE_CREATE:
			return psprintf("Create %s", name);
		case KG_EXPOSE_UPDATE:
			return psprintf("Update %s", name);
		case KG_EXPOSE_DELETE:
			return psprintf("Delete %s", name);
		case KG_EXPOSE_MERGE:
			return psprintf("Merge %s", name);
		case KG_EXPOSE_LINK:
			return psprintf("Link: %s", name);
		default:
			return psprintf("Unlink: %s", name);
	}
}

static void
append_variants(StringInfo text, const KgRelation *relation)
{
	const KgCatalog *catalog = kg_running_catalog();
	bool any = false;

	for (int i = 0; i < relation->nvariants; i++)
	{
		const KgType *from = kg_catalog_type_no(
			catalog, relation->variants[i].from_type_no);
		const KgType *to = kg_catalog_type_no(catalog,
											  relation->variants[i].to_type_no);

		if (from == NULL || to == NULL)
			continue;
		appendStringInfo(text,
						 "%s%s to %s",
						 any ? ", " : " It joins ",
						 kg_type_handle(from),
						 kg_type_handle(to));
		any = true;
	}
	if (any)
		appendStringInfoChar(text, '.');
}

char *
kg_write_description(const KgTool *tool)
{
	const KgType *type = kg_tool_type(tool);
	const char *name = type ? type->name : tool->relation->name;
	StringInfoData text;

	initStringInfo(&text);
	if (type != NULL && type->tool_description)
		appendStringInfo(&text, "%s\n", type->tool_description);
	else if (type != NULL && type->description)
		appendStringInfo(&text, "%s\n", type->description);
	switch (tool->operation)
	{
		case KG_EXPOSE_CREATE:
			appendStringInfo(
				&text,
				"Make new entities of type \"%s\" (bundle \"%s\"). An id that "
				"exists is refused, never overwritten.",
				name,
				tool->bundle);
			break;
		case KG_EXPOSE_UPDATE:
			appendStringInfo(
				&text,
				"Change properties of entities of type \"%s\" (bundle \"%s\"); "
				"other properties stay. With expected_version, the version "
				"that you have read, a change by others since then is not "
				"overwritten.",
				name,
				tool->bundle);
			break;
		case KG_EXPOSE_DELETE:
			appendStringInfo(
				&text,
				"Delete entities of type \"%s\" (bundle \"%s\") by id. Refused "
				"if a reference to an entity restricts its deletion; the error "
				"has the referring handles.",
				name,
				tool->bundle);
			break;
		case KG_EXPOSE_MERGE:
			appendStringInfo(
				&text,
				"Merge entities of type \"%s\" (bundle \"%s\") that are the "
				"same into one of them: its properties, references and edges "
				"are united, and the other ids lead to it.",
				name,
				tool->bundle);
			break;
		case KG_EXPOSE_LINK:
			appendStringInfo(
				&text,
				"Make edges of relation \"%s\" (bundle \"%s\"), or replace the "
				"properties of existing ones.",
				name,
				tool->bundle);
			append_variants(&text, tool->relation);
			break;
		default:
			appendStringInfo(&text,
							 "Delete edges of relation \"%s\" (bundle \"%s\").",
							 name,
							 tool->bundle);
			append_variants(&text, tool->relation);
			break;
	}
	if (type != NULL && type->binding != NULL)
		appendStringInfoString(&text,
							   " They are rows of a table, under its "
							   "constraints and policies. There is no history, "
							   "and undo does not change them back.");
	return text.data;
}
