/*
 * type_filters.c
 *	  The parts of published schemas that list the properties by which a type
 *	  can be filtered and sorted, and those that can be returned.
 *
 *	  Operators are written out only for the id. For other properties they are
 *	  only named, because a list of tools must be short.
 */
#include "postgres.h"

#include "base/settings.h"
#include "query/filter/any.h"
#include "tools/input/type_parts.h"

void
kg_enum_write(const KgField *field, const char *key, KgJsonWriter *w)
{
	if (field->nenum == 0)
		return;
	kg_jw_kbegin_array(w, key);
	for (int i = 0; i < field->nenum; i++)
	{
		JsonbValue value;

		kg_field_enum_value(field, i, &value);
		kg_jw_value(w, &value);
	}
	kg_jw_end_array(w);
}

/*
 * Writes the members of a schema for one value of a field. field NULL means the
 * id. If "ordered" is true, the value is an operand of a comparison by order,
 * so a number need not be in the enum.
 */
static void
write_value_members(KgJsonWriter *w, const KgField *field, bool ordered)
{
	switch (field ? field->kind : KG_KIND_STRING)
	{
		case KG_KIND_ENUM:
			kg_enum_write(field, "enum", w);
			break;
		case KG_KIND_INTEGER:
		case KG_KIND_NUMBER:
			kg_jw_kstring(w,
						  "type",
						  field->kind == KG_KIND_INTEGER ? "integer"
														 : "number");
			if (!ordered)
				kg_enum_write(field, "enum", w);
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
		case KG_KIND_STRING:
		case KG_KIND_OBJECT:
		case KG_KIND_ANY:
			if (field == NULL || field->ref_type != NULL)
			{
				/*
				 * An id may also be sent as an integer, which the tool converts
				 * to text.
				 */
				kg_jw_kbegin_array(w, "type");
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
write_operator(KgJsonWriter *w, const KgField *field, KgOp op)
{
	KgOperandForm form = kg_operator(op)->form;

	switch (form)
	{
		case KG_OPERAND_VALUE:
		case KG_OPERAND_ORDERED:
			write_value_members(w, field, form == KG_OPERAND_ORDERED);
			break;
		case KG_OPERAND_LIST:
			kg_jw_kstring(w, "type", "array");
			kg_jw_kint(w, "minItems", 1);
			kg_jw_kint(w, "maxItems", KG_MAX_IN_VALUES);
			kg_jw_kbegin_object(w, "items");
			write_value_members(w, field, false);
			kg_jw_end_object(w);
			break;
		case KG_OPERAND_PART:
			kg_jw_kstring(w, "type", "string");
			kg_jw_kint(w, "minLength", 1);
			break;
		case KG_OPERAND_FLAG:
			kg_jw_kstring(w, "type", "boolean");
			break;
	}
}

static void
write_operators(KgJsonWriter *w, const KgField *field)
{
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "type", "object");
	kg_jw_kint(w, "minProperties", 1);
	kg_jw_kbool(w, "additionalProperties", false);
	kg_jw_kbegin_object(w, "properties");
	for (int op = 0; op < KG_NOPS; op++)
	{
		if (!kg_op_applies(op, field))
			continue;
		kg_jw_kbegin_object(w, kg_operator(op)->name);
		write_operator(w, field, op);
		kg_jw_end_object(w);
	}
	kg_jw_end_object(w);
	kg_jw_end_object(w);
}

/*
 * Returns a list of the operators of a field, such as "eq, ne, in, is_null,
 * is_not_null".
 */
static char *
operator_names(const KgField *field)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int op = 0; op < KG_NOPS; op++)
		if (kg_op_applies(op, field))
			appendStringInfo(
				&names, "%s%s", names.len ? ", " : "", kg_operator(op)->name);
	return names.data;
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
						 "%san array: a value matches if it is among the items",
						 text.len ? "; " : "");
	return text.len ? text.data : NULL;
}

/*
 * Writes the schema of a condition on a field. If written_out is true, the
 * schema has the schemas of the operators' operands. Otherwise it lists only
 * the names of the operators.
 */
static void
write_condition(KgJsonWriter *w, const char *name, const KgField *field,
				bool written_out)
{
	char *description = field_description(field);

	kg_jw_kbegin_object(w, name);
	kg_jw_kstring_if(w, "description", description);
	kg_jw_kbegin_array(w, "anyOf");
	kg_jw_begin_object(w);
	write_value_members(w, field, false);
	kg_jw_end_object(w);
	if (written_out)
		write_operators(w, field);
	else
	{
		kg_jw_begin_object(w);
		kg_jw_kstring(w, "type", "object");
		kg_jw_kstring(w, "description", operator_names(field));
		kg_jw_end_object(w);
	}
	kg_jw_begin_object(w);
	kg_jw_kstring(w, "type", "array");
	if (written_out)
	{
		kg_jw_kint(w, "minItems", 1);
		kg_jw_kint(w, "maxItems", KG_MAX_CONDITION_OBJECTS);
	}
	kg_jw_kbegin_object(w, "items");
	kg_jw_kstring(w, "type", "object");
	kg_jw_end_object(w);
	kg_jw_end_object(w);
	kg_jw_end_array(w);
	kg_jw_end_object(w);
}

/*
 * Returns whether filters can compare the values of the field. Excludes the id,
 * because it is written separately.
 */
static bool
is_comparable(const KgType *type, const KgField *field)
{
	return field != type->id_field && field->kind != KG_KIND_OBJECT &&
		   field->kind != KG_KIND_ANY;
}

static bool
is_filterable(const KgType *type, const KgField *field)
{
	return field->indexed && is_comparable(type, field);
}

/*
 * Returns whether a filter must read the field from documents
 * (query/filter/scan.h). If the schema is not written in full, it has only the
 * name of such a field.
 */
static bool
is_scannable(const KgType *type, const KgField *field)
{
	return !field->indexed && !field->derived && is_comparable(type, field);
}

static void
write_scanned(KgJsonWriter *w, const char *name)
{
	kg_jw_kbegin_object(w, name);
	kg_jw_kstring(w, "description", "not indexed");
	kg_jw_end_object(w);
}

static void
write_field_condition(KgJsonWriter *w, const KgType *type, const KgField *field,
					  bool repeat)
{
	const char *name = strcmp(field->name, KG_ANY) == 0 ? KG_ANY_PROPERTY
														: field->name;

	if (is_filterable(type, field) || (repeat && is_scannable(type, field)))
		write_condition(w, name, field, repeat);
	else if (is_scannable(type, field))
		write_scanned(w, name);
}

static char *
filters_description(const KgType *type)
{
	const char *text =
		"{field: value, {operator: value} or a list of these objects}: all "
		"must match. in, contains_any, contains_all take a list; is_null, "
		"is_not_null a boolean";

	for (int i = 0; i < type->nfields; i++)
		if (is_scannable(type, &type->fields[i]))
			return psprintf("%s. Filters marked not indexed work if others "
							"leave at most %d entities",
							text,
							kg_setting_max_scan);
	return pstrdup(text);
}

static void
write_alternatives(KgJsonWriter *w, bool written_out)
{
	kg_jw_kbegin_object(w, KG_ANY);
	kg_jw_kstring(w, "type", "array");
	kg_jw_kstring(w, "description", "one of these must match");
	if (written_out)
	{
		kg_jw_kint(w, "minItems", KG_MIN_ALTERNATIVES);
		kg_jw_kint(w, "maxItems", KG_MAX_ALTERNATIVES);
	}
	kg_jw_kbegin_object(w, "items");
	kg_jw_kstring(w, "type", "object");
	kg_jw_end_object(w);
	kg_jw_end_object(w);
}

Jsonb *
kg_type_filters_schema(const KgType *type, bool repeat)
{
	KgJsonWriter w;

	kg_jw_init_object(&w);
	kg_jw_kstring(&w, "type", "object");
	kg_jw_kstring(&w, "description", filters_description(type));
	kg_jw_kbool(&w, "additionalProperties", false);
	kg_jw_kint(&w, "maxProperties", kg_setting_max_filters);
	kg_jw_kbegin_object(&w, "properties");
	write_condition(&w, "id", type->number_ids ? type->id_field : NULL, true);
	/* A filter may name the id as "id" or by the name of its property. */
	if (strcmp(type->id_field->name, "id") != 0)
		write_condition(&w,
						type->id_field->name,
						type->number_ids ? type->id_field : NULL,
						repeat);
	for (int i = 0; i < type->nfields; i++)
		write_field_condition(&w, type, &type->fields[i], repeat);
	write_alternatives(&w, repeat);
	kg_jw_end_object(&w);
	return kg_jw_finish(&w);
}

static bool
is_sortable(const KgType *type, const KgField *field)
{
	return is_filterable(type, field) && !field->is_array;
}

const char *
kg_type_sort_note(const KgType *type)
{
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].kind == KG_KIND_ENUM &&
			is_sortable(type, &type->fields[i]))
			return "missing values last, ties by id; string enums: desc has "
				   "the first declared value first, asc the last";
	return "missing values last, ties by id";
}

Jsonb *
kg_type_sort_names(const KgType *type)
{
	KgJsonWriter w;

	kg_jw_init_array(&w);
	kg_jw_string(&w, "id");
	if (strcmp(type->id_field->name, "id") != 0)
		kg_jw_string(&w, type->id_field->name);
	for (int i = 0; i < type->nfields; i++)
		if (is_sortable(type, &type->fields[i]))
			kg_jw_string(&w, type->fields[i].name);
	return kg_jw_finish(&w);
}

Jsonb *
kg_type_field_names(const KgType *type)
{
	KgJsonWriter w;

	kg_jw_init_array(&w);
	for (int i = 0; i < type->nfields; i++)
		kg_jw_string(&w, type->fields[i].name);
	return kg_jw_finish(&w);
}
