/*
 * tool_schema.c
 *	  The published input and output schemas of the catalog tools.
 *
 * A model obeys what it is shown: every property that may be filtered, its
 * values, operators, bounds and defaults are written out, without $ref, which
 * some clients do not follow.
 */
#include "postgres.h"

#include "base/settings.h"
#include "catalog/term.h"
#include "query/filter.h"
#include "query/list.h"
#include "tools/catalog_tools.h"

/* An enum of more values than this is written out once a property. */
#define KG_REPEATED_ENUM 16

static void
begin_property(KgJsonWriter *w, const char *name, const char *type,
			   const char *description)
{
	kg_jw_key(w, name);
	kg_jw_begin_object(w);
	if (type)
		kg_jw_kstring(w, "type", type);
	if (description)
		kg_jw_kstring(w, "description", description);
}

static void
write_integer(KgJsonWriter *w, const char *name, int64 min, int64 max,
			  int64 dflt, const char *description)
{
	begin_property(w, name, "integer", description);
	kg_jw_kint(w, "minimum", min);
	if (max > 0)
		kg_jw_kint(w, "maximum", max);
	if (dflt >= 0)
		kg_jw_kint(w, "default", dflt);
	kg_jw_end_object(w);
}

/*
 * The members of a schema for one value of a field; NULL is the id.  Operators
 * name a long enum by where it is written out: a list of tools has to fit.
 */
static void
write_value_members(KgJsonWriter *w, const KgField *field, bool operator)
{
	switch (field ? field->kind : KG_KIND_STRING)
	{
		case KG_KIND_ENUM:
			if (operator&& field->nenum> KG_REPEATED_ENUM)
			{
				kg_jw_kstring(w, "type", "string");
				kg_jw_kstring(w, "description", "one of the property's enum");
				break;
			}
			kg_jw_key(w, "enum");
			kg_jw_begin_array(w);
			for (int i = 0; i < field->nenum; i++)
				kg_jw_string(w, field->enum_values[i]);
			kg_jw_end_array(w);
			break;
		case KG_KIND_INTEGER:
			kg_jw_kstring(w, "type", "integer");
			break;
		case KG_KIND_NUMBER:
			kg_jw_kstring(w, "type", "number");
			break;
		case KG_KIND_BOOLEAN:
			kg_jw_kstring(w, "type", "boolean");
			break;
		case KG_KIND_DATE:
			kg_jw_kstring(w, "type", "string");
			kg_jw_kstring(w, "format", "date");
			break;
		case KG_KIND_DATETIME:
			kg_jw_kstring(w, "type", "string");
			kg_jw_kstring(w, "format", "date-time");
			break;
		default:
			if (field == NULL || field->ref_type != NULL)
			{
				/* Ids that look like numbers are read as text. */
				kg_jw_key(w, "type");
				kg_jw_begin_array(w);
				kg_jw_string(w, "string");
				kg_jw_string(w, "integer");
				kg_jw_end_array(w);
			}
			else
				kg_jw_kstring(w, "type", "string");
			break;
	}
}

static void
write_value(KgJsonWriter *w, const KgField *field, bool operator)
{
	kg_jw_begin_object(w);
	write_value_members(w, field, operator);
	kg_jw_end_object(w);
}

static void
write_operators(KgJsonWriter *w, const KgField *field)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "type", "object");
	kg_jw_kint(w, "minProperties", 1);
	kg_jw_kbool(w, "additionalProperties", false);
	kg_jw_key(w, "properties");
	kg_jw_begin_object(w);
	for (int op = KG_OP_EQ; op <= KG_OP_CONTAINS_ALL; op++)
	{
		if (!kg_op_applies(op, field))
			continue;
		kg_jw_key(w, kg_op_name(op));
		kg_jw_begin_object(w);
		switch (op)
		{
			case KG_OP_IN:
			case KG_OP_CONTAINS_ANY:
			case KG_OP_CONTAINS_ALL:
				kg_jw_kstring(w, "type", "array");
				kg_jw_kint(w, "minItems", 1);
				kg_jw_kint(w, "maxItems", KG_MAX_IN_VALUES);
				kg_jw_key(w, "items");
				write_value(w, field, true);
				break;
			case KG_OP_CONTAINS:
			case KG_OP_STARTS_WITH:
			case KG_OP_ENDS_WITH:
				kg_jw_kstring(w, "type", "string");
				kg_jw_kint(w, "minLength", 1);
				break;
			case KG_OP_IS_NULL:
				kg_jw_kstring(w, "type", "boolean");
				break;
			default:
				write_value_members(w, field, true);
				break;
		}
		kg_jw_end_object(w);
		if (op == KG_OP_IS_NULL)
		{
			begin_property(w, "is_not_null", "boolean", NULL);
			kg_jw_end_object(w);
		}
	}
	kg_jw_end_object(w);
	kg_jw_end_object(w);
}

static char *
field_description(const KgField *field)
{
	StringInfoData text;

	initStringInfo(&text);
	if (field == NULL)
		return "the entity's id";
	if (field->description)
		appendStringInfoString(&text, field->description);
	else if (field->title)
		appendStringInfoString(&text, field->title);
	if (field->ref_type)
		appendStringInfo(&text,
						 "%sid of an entity of type \"%s\", not its name",
						 text.len ? "; " : "",
						 field->ref_type);
	if (field->is_array)
		appendStringInfo(&text,
						 "%san array: a value means that it is among the items",
						 text.len ? "; " : "");
	return text.len ? text.data : NULL;
}

static void
write_condition(KgJsonWriter *w, const char *name, const KgField *field)
{
	char *description = field_description(field);

	kg_jw_key(w, name);
	kg_jw_begin_object(w);
	if (description)
		kg_jw_kstring(w, "description", description);
	kg_jw_key(w, "anyOf");
	kg_jw_begin_array(w);
	write_value(w, field, false);
	write_operators(w, field);
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "type", "array");
	kg_jw_kstring(w,
				  "description",
				  "several objects of operators, all of which must hold");
	kg_jw_kint(w, "minItems", 1);
	kg_jw_kint(w, "maxItems", KG_MAX_CONDITION_OBJECTS);
	kg_jw_key(w, "items");
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "type", "object");
	kg_jw_kint(w, "minProperties", 1);
	kg_jw_end_object(w);
	kg_jw_end_object(w);
	kg_jw_end_array(w);
	kg_jw_end_object(w);
}

static bool
is_filterable(const KgType *type, const KgField *field)
{
	return field->indexed && field != type->id_field &&
		   field->kind != KG_KIND_OBJECT && field->kind != KG_KIND_ANY;
}

static void
write_filters(KgJsonWriter *w, const KgType *type)
{
	begin_property(w,
				   "filters",
				   "object",
				   "conditions that must all hold: a value means equality, an "
				   "object of operators anything else");
	kg_jw_kbool(w, "additionalProperties", false);
	kg_jw_kint(w, "maxProperties", kg_setting_max_filters);
	kg_jw_key(w, "properties");
	kg_jw_begin_object(w);
	write_condition(w, "id", NULL);
	/* The id property's own name means the id too. */
	if (strcmp(type->id_field->name, "id") != 0)
		write_condition(w, type->id_field->name, NULL);
	for (int i = 0; i < type->nfields; i++)
		if (is_filterable(type, &type->fields[i]))
			write_condition(w, type->fields[i].name, &type->fields[i]);
	kg_jw_end_object(w);
	kg_jw_end_object(w);
}

static void
write_sort(KgJsonWriter *w, const KgType *type)
{
	begin_property(
		w,
		"sort",
		"array",
		"missing values come last in both orders and ties go by id; an enum "
		"sorts by its declaration, where desc is first declared first");
	kg_jw_kint(w, "maxItems", KG_MAX_SORT);
	kg_jw_key(w, "items");
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "type", "object");
	kg_jw_kbool(w, "additionalProperties", false);
	kg_jw_key(w, "required");
	kg_jw_begin_array(w);
	kg_jw_string(w, "field");
	kg_jw_end_array(w);
	kg_jw_key(w, "properties");
	kg_jw_begin_object(w);
	begin_property(w, "field", "string", NULL);
	kg_jw_key(w, "enum");
	kg_jw_begin_array(w);
	kg_jw_string(w, "id");
	if (strcmp(type->id_field->name, "id") != 0)
		kg_jw_string(w, type->id_field->name);
	for (int i = 0; i < type->nfields; i++)
		if (is_filterable(type, &type->fields[i]) && !type->fields[i].is_array)
			kg_jw_string(w, type->fields[i].name);
	kg_jw_end_array(w);
	kg_jw_end_object(w);
	begin_property(w, "order", "string", NULL);
	kg_jw_key(w, "enum");
	kg_jw_begin_array(w);
	kg_jw_string(w, "asc");
	kg_jw_string(w, "desc");
	kg_jw_end_array(w);
	kg_jw_kstring(w, "default", "asc");
	kg_jw_end_object(w);
	kg_jw_end_object(w);
	kg_jw_end_object(w);
	kg_jw_end_object(w);
}

static void
write_fields(KgJsonWriter *w, const KgType *type)
{
	begin_property(
		w, "fields", "array", "properties to show; without it all are");
	kg_jw_kint(w, "minItems", 1);
	kg_jw_kint(w, "maxItems", KG_MAX_PROJECTED_FIELDS);
	kg_jw_key(w, "items");
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "type", "string");
	kg_jw_key(w, "enum");
	kg_jw_begin_array(w);
	for (int i = 0; i < type->nfields; i++)
		kg_jw_string(w, type->fields[i].name);
	kg_jw_end_array(w);
	kg_jw_end_object(w);
	kg_jw_end_object(w);
}

static void
write_max_bytes(KgJsonWriter *w)
{
	write_integer(w,
				  "max_bytes",
				  KG_MIN_REPLY_BYTES,
				  kg_setting_max_reply_bytes,
				  Min(kg_setting_reply_bytes, kg_setting_max_reply_bytes),
				  "largest reply; past it data and then items are withheld, "
				  "and counted");
}

static void
write_list_arguments(KgJsonWriter *w, const KgType *type, bool ids_only)
{
	write_filters(w, type);
	begin_property(w,
				   "search",
				   "string",
				   "a name, an alias or an id, or a part or a misspelling of "
				   "one; best matches first unless sorted");
	kg_jw_kint(w, "minLength", 1);
	kg_jw_kint(w, "maxLength", KG_MAX_TERM_BYTES);
	kg_jw_end_object(w);
	write_sort(w, type);
	if (!ids_only)
		write_fields(w, type);
	write_integer(w,
				  "limit",
				  1,
				  KG_MAX_LIST_LIMIT,
				  KG_DEFAULT_LIST_LIMIT,
				  "how many to return");
	write_integer(w,
				  "offset",
				  0,
				  kg_setting_max_offset,
				  0,
				  "how many to skip; not together with cursor");
	begin_property(w,
				   "cursor",
				   "string",
				   "from \"next\" of the reply before; not together with "
				   "offset");
	kg_jw_end_object(w);
	write_max_bytes(w);
}

/* Exactly one of ids and id; parsing says so too. */
static void
write_get_arguments(KgJsonWriter *w, const KgType *type)
{
	begin_property(w, "ids", "array", "ids of the entities");
	kg_jw_kint(w, "minItems", 1);
	kg_jw_kint(w, "maxItems", KG_MAX_GET_IDS);
	kg_jw_key(w, "items");
	write_value(w, NULL, false);
	kg_jw_end_object(w);
	kg_jw_key(w, "id");
	kg_jw_begin_object(w);
	write_value_members(w, NULL, false);
	kg_jw_kstring(w, "description", "instead of ids: one id");
	kg_jw_end_object(w);
	write_fields(w, type);
	write_max_bytes(w);
}

Jsonb *
kg_tool_input_schema(const KgType *type, int operation)
{
	KgJsonWriter w;

	kg_jw_init(&w);
	kg_jw_begin_object(&w);
	kg_jw_kstring(&w, "type", "object");
	kg_jw_kbool(&w, "additionalProperties", false);
	kg_jw_key(&w, "properties");
	kg_jw_begin_object(&w);
	if (operation == KG_EXPOSE_GET)
		write_get_arguments(&w, type);
	else
		write_list_arguments(&w, type, operation == KG_EXPOSE_LIST_IDS);
	kg_jw_end_object(&w);
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}

/*
 * Output schemas: what is always there is required.
 */

static void
write_item_schema(KgJsonWriter *w, bool with_data, bool nullable, bool open)
{
	kg_jw_begin_object(w);
	if (nullable)
	{
		kg_jw_key(w, "type");
		kg_jw_begin_array(w);
		kg_jw_string(w, "object");
		kg_jw_string(w, "null");
		kg_jw_end_array(w);
	}
	else
		kg_jw_kstring(w, "type", "object");
	kg_jw_key(w, "required");
	kg_jw_begin_array(w);
	kg_jw_string(w, "id");
	kg_jw_end_array(w);
	kg_jw_key(w, "properties");
	kg_jw_begin_object(w);
	begin_property(w, "id", "string", NULL);
	kg_jw_end_object(w);
	if (with_data)
	{
		begin_property(
			w, "data", "object", "absent where withheld by max_bytes");
		kg_jw_end_object(w);
	}
	if (open)
	{
		begin_property(w, "matched_on", "object", "why a search found it");
		kg_jw_end_object(w);
		begin_property(w, "score", "number", NULL);
		kg_jw_end_object(w);
	}
	kg_jw_end_object(w);
	kg_jw_end_object(w);
}

static void
write_member(KgJsonWriter *w, const char *name, const char *type,
			 const char *description)
{
	begin_property(w, name, type, description);
	/* Some interfaces of models refuse an array that does not say of what. */
	if (strcmp(type, "array") == 0)
	{
		kg_jw_key(w, "items");
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "type", "object");
		kg_jw_end_object(w);
	}
	kg_jw_end_object(w);
}

static void
write_string_array(KgJsonWriter *w, const char *name)
{
	begin_property(w, name, "array", NULL);
	kg_jw_key(w, "items");
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "type", "string");
	kg_jw_end_object(w);
	kg_jw_end_object(w);
}

static void
write_envelope(KgJsonWriter *w)
{
	write_member(w, "returned", "integer", NULL);
	write_member(w, "truncated", "boolean", "there is more, or less was shown");
	write_member(
		w, "reason", "string", "limit, max_bytes or max_search_matches");
	write_member(w, "next", "object", "arguments to send for the rest");
	write_member(w, "withheld", "object", "how much max_bytes held back");
	write_member(w, "hints", "array", "what exists near what was not found");
	write_member(w, "repaired", "array", "arguments read as something else");
	write_string_array(w, "untrusted");
	write_member(w, "content_types", "object", "media types of properties");
}

Jsonb *
kg_tool_output_schema(const KgType *type, int operation)
{
	bool list_ids = operation == KG_EXPOSE_LIST_IDS;
	bool items = operation == KG_EXPOSE_LIST || (list_ids && type->nsummary);
	KgJsonWriter w;

	kg_jw_init(&w);
	kg_jw_begin_object(&w);
	kg_jw_kstring(&w, "type", "object");
	kg_jw_key(&w, "required");
	kg_jw_begin_array(&w);
	if (operation != KG_EXPOSE_GET)
		kg_jw_string(&w, items ? "items" : "ids");
	kg_jw_string(&w, "returned");
	kg_jw_string(&w, "truncated");
	kg_jw_end_array(&w);
	kg_jw_key(&w, "properties");
	kg_jw_begin_object(&w);
	if (operation == KG_EXPOSE_GET)
	{
		kg_jw_key(&w, "entity");
		write_item_schema(&w, true, true, false);
		begin_property(&w, "entities", "array", "in the order of ids");
		kg_jw_key(&w, "items");
		write_item_schema(&w, true, false, false);
		kg_jw_end_object(&w);
		write_string_array(&w, "not_found");
	}
	else
	{
		if (items)
		{
			begin_property(&w, "items", "array", NULL);
			kg_jw_key(&w, "items");
			write_item_schema(&w, !list_ids, false, true);
			kg_jw_end_object(&w);
		}
		else
			write_string_array(&w, "ids");
		write_member(&w, "total", "integer", "all that match");
		write_member(&w, "total_at_least", "integer", "where not all counted");
		if (!list_ids)
		{
			write_member(&w, "limit", "integer", NULL);
			write_member(&w, "offset", "integer", NULL);
		}
	}
	write_envelope(&w);
	kg_jw_end_object(&w);
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}

/*
 * Titles and descriptions.
 */

char *
kg_tool_title(const KgType *type, int operation)
{
	const char *name = type->title ? type->title : type->name;

	switch (operation)
	{
		case KG_EXPOSE_GET:
			return psprintf("Get %s", name);
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
				"Entities of type \"%s\" (bundle \"%s\") by id, at most %d, in "
				"the order asked for; ids that do not exist come back in "
				"not_found with the nearest that do.",
				type->name,
				type->bundle,
				KG_MAX_GET_IDS);
			break;
		case KG_EXPOSE_LIST_IDS:
			appendStringInfo(
				&text,
				"Ids of entities of type \"%s\" (bundle \"%s\")%s: filtered, "
				"searched and sorted. Cheaper than the whole entities, which "
				"get_%s returns.",
				type->name,
				type->bundle,
				type->nsummary ? " with a summary" : "",
				type->name);
			break;
		default:
			appendStringInfo(
				&text,
				"Entities of type \"%s\" (bundle \"%s\"): filtered, searched "
				"by name and sorted. A reply says how many there are in total "
				"and, when truncated, what to send next.",
				type->name,
				type->bundle);
			break;
	}
	return text.data;
}
