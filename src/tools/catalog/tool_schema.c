/*
 * tool_schema.c
 *	  The published input and output schemas of the catalog tools.
 *
 *	  Models follow the schemas that they receive. A schema therefore lists
 *	  every property that can be filtered, with its values, operators, bounds
 *	  and defaults. It has no $ref, because some clients do not support $ref.
 *	  The operands of operators are written out only for the id, to limit the
 *	  size of a list of tools.
 */
#include "postgres.h"

#include "tools/catalog/catalog_tools.h"
#include "tools/input/schema_template.h"

const char *
kg_tool_input_template(const KgType *type, int operation)
{
	switch (operation)
	{
		case KG_EXPOSE_LIST:
			return "list_type";
		case KG_EXPOSE_LIST_IDS:
			return "list_type_ids";
		case KG_EXPOSE_HISTORY:
			return "type_history";
		default:
			return type->history ? "get_type_with_history" : "get_type";
	}
}

Jsonb *
kg_tool_input_schema(const KgType *type, int operation, KgExpandedParts *parts)
{
	return kg_expand_input(
		NULL, kg_tool_input_template(type, operation), type, false, parts);
}

const char *
kg_tool_output_template(const KgType *type, int operation)
{
	if (operation == KG_EXPOSE_LIST_IDS && type->nsummary > 0)
		return "list_type_ids_with_summaries";
	return kg_tool_input_template(type, operation);
}

/* ---- titles and descriptions ---- */

char *
kg_tool_title(const KgType *type, int operation)
{
	const char *name = type->title ? type->title : type->name;

	switch (operation)
	{
		case KG_EXPOSE_GET:
			return psprintf("Get %s", name);
		case KG_EXPOSE_HISTORY:
			return psprintf("History: %s", name);
		case KG_EXPOSE_LIST_IDS:
			return psprintf("List ids: %s", name);
		default:
			return psprintf("List %s", name);
	}
}

char *
kg_tool_description(const KgType *type, int operation)
{
	StringInfoData text;

	initStringInfo(&text);
	if (type->tool_description)
		appendStringInfo(&text, "%s\n", type->tool_description);
	else if (type->description)
		appendStringInfo(&text, "%s\n", type->description);
	switch (operation)
	{
		case KG_EXPOSE_GET:
			appendStringInfo(
				&text,
				"Get entities of type \"%s\" (bundle \"%s\") by id, in the "
				"requested order; not_found has ids that do not exist.",
				type->name,
				type->bundle);
			break;
		case KG_EXPOSE_HISTORY:
			appendStringInfo(&text,
							 "List the changes of an entity of type \"%s\" "
							 "(bundle \"%s\"), newest first: time, author, "
							 "reason, and the properties before and after.",
							 type->name,
							 type->bundle);
			break;
		case KG_EXPOSE_LIST_IDS:
			appendStringInfo(
				&text,
				"List ids of entities of type \"%s\" (bundle \"%s\")%s: "
				"%s and sorted. Cheaper than whole entities, which get_%s "
				"returns.",
				type->name,
				type->bundle,
				type->nsummary ? " with a summary" : "",
				type->binding ? "filtered" : "filtered, searched",
				type->name);
			break;
		default:
			appendStringInfo(
				&text,
				"List, filter%s and sort entities of type \"%s\" (bundle "
				"\"%s\"). If truncated, send the arguments in next.",
				type->binding ? "" : ", search",
				type->name,
				type->bundle);
			break;
	}
	return text.data;
}
