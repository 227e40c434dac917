/*
 * outline.c
 *	  Parses the templates of input schemas to outlines: the members of
 *	  arguments with their types and defaults.
 */
#include "postgres.h"

#include "base/json.h"
#include "miscadmin.h"
#include "tools/input/outline.h"
#include "tools/input/schema_template.h"
#include "utils/memutils.h"

/*
 * Maximum number of cached outlines. The cache compares addresses of tools'
 * names, so a name that has two copies also has two entries.
 */
#define KG_MAX_OUTLINES 256

static const KgOutline *read_outline(const JsonbContainer *schema);

static void
read_type(const JsonbValue *type, KgMember *member)
{
	if (kg_json_is_array(type))
	{
		kg_json_each(it, kg_json_container(type))
			read_type(&it.value, member);
		return;
	}
	member->string |= kg_json_string_is(type, "string");
	member->number |= kg_json_string_is(type, "integer") ||
					  kg_json_string_is(type, "number");
}

/* Returns whether the items of an array are names. */
static bool
are_names(const JsonbContainer *items)
{
	JsonbValue value;

	return kg_json_get(items, "$name", &value) != NULL ||
		   kg_json_get(items, "enum", &value) != NULL;
}

/* Returns whether the items of an array are objects. */
static bool
are_objects(const JsonbContainer *items)
{
	JsonbValue value;

	return kg_json_get(items, "$object", &value) != NULL ||
		   (kg_json_get(items, "type", &value) != NULL &&
			kg_json_string_is(&value, "object"));
}

static void
read_bound(const JsonbValue *value, KgMemberBound *bound)
{
	bound->given = true;
	bound->number = -1;
	if (value->type == jbvString)
		bound->number = kg_template_find_number(value->val.string.val,
												value->val.string.len);
	else if (!kg_json_int64(value, &bound->value))
		elog(ERROR, "a bound of an argument is not an integer");
}

/*
 * Reads the default of a member. A string is a value of an enum or the name of
 * a number of schema_template.c. In the second case, the default is that
 * number.
 */
static void
read_default(const JsonbValue *value, KgMember *member)
{
	if (value->type == jbvString &&
		kg_template_find_number(value->val.string.val, value->val.string.len) <
			0)
		member->default_name = kg_json_cstring(value);
	else if (value->type != jbvBool)
		read_bound(value, &member->default_number);
}

/* Returns the keys of an object, or the items of an array, as strings. */
static const char **
read_names(const JsonbContainer *container, int *n)
{
	const char **names = palloc((kg_json_length(container) + 1) *
								sizeof(char *));

	*n = 0;
	kg_json_each(it, container)
		names[(*n)++] = kg_json_cstring(it.is_object ? &it.key : &it.value);
	return names;
}

/* Reads the alternatives (anyOf) of a member: types, or schemas with a type. */
static void
read_alternatives(const JsonbContainer *alternatives, KgMember *member)
{
	JsonbValue type;

	kg_json_each(it, alternatives)
	{
		type = it.value;
		if (kg_json_is_object(&it.value) &&
			kg_json_get(kg_json_container(&it.value), "type", &type) == NULL)
			continue;
		member->or_array |= kg_json_string_is(&type, "array");
		member->or_object |= kg_json_string_is(&type, "object");
	}
}

static void
read_keyword(const JsonbValue *keyword, const JsonbValue *value,
			 KgMember *member)
{
	const JsonbContainer *inner = kg_json_container(value);

	if (kg_json_string_is(keyword, "type"))
	{
		member->typed = true;
		member->array = kg_json_string_is(value, "array");
		member->object = kg_json_string_is(value, "object");
		read_type(value, member);
		if (kg_json_is_array(value))
			read_alternatives(inner, member);
	}
	else if (kg_json_string_is(keyword, "anyOf"))
		read_alternatives(inner, member);
	else if (kg_json_string_is(keyword, "minimum"))
		read_bound(value, &member->minimum);
	else if (kg_json_string_is(keyword, "maximum"))
		read_bound(value, &member->maximum);
	else if (kg_json_string_is(keyword, "minItems"))
		read_bound(value, &member->min_items);
	else if (kg_json_string_is(keyword, "maxItems"))
		read_bound(value, &member->max_items);
	else if (kg_json_string_is(keyword, "default"))
		read_default(value, member);
	else if (kg_json_string_is(keyword, "enum"))
		member->names = read_names(inner, &member->nnames);
	else if (kg_json_string_is(keyword, "$filters"))
		member->filters = member->typed = member->object = true;
	else if (kg_json_string_is(keyword, "items") && inner != NULL)
	{
		member->inner = read_outline(inner);
		member->of_names = are_names(inner);
		member->of_objects = member->inner->n > 0 || are_objects(inner);
	}
}

static void
read_member(const JsonbContainer *schema, KgMember *member)
{
	JsonbValue value;

	if (kg_json_get(schema, "properties", &value) != NULL)
		member->inner = read_outline(schema);
	kg_json_each(it, schema)
		read_keyword(&it.key, &it.value, member);
}

static void
read_required(const JsonbContainer *names, const KgOutline *outline,
			  KgMember *members)
{
	kg_json_each(it, names)
	{
		const KgMember *member = kg_outline_member(
			outline, it.value.val.string.val, it.value.val.string.len);

		if (member == NULL)
			elog(ERROR, "a required argument is not declared");
		members[member - outline->members].required = true;
	}
}

/*
 * Returns the member that a string stands for if the string is sent in place of
 * the object. The template names this member; otherwise it is the only required
 * member.
 */
static const char *
read_string_member(const JsonbContainer *schema, const KgOutline *outline)
{
	const char *found = NULL;
	JsonbValue value;

	if (kg_json_get(schema, "$string", &value) != NULL)
		return kg_json_cstring(&value);
	for (int i = 0; i < outline->n; i++)
	{
		if (!outline->members[i].required)
			continue;
		if (found != NULL)
			return NULL;
		found = outline->names[i];
	}
	return found;
}

static const KgOutline *
read_outline(const JsonbContainer *schema)
{
	KgOutline *outline = palloc0(sizeof(KgOutline));
	KgMember *members;
	JsonbValue value;

	check_stack_depth();
	if (kg_json_get(schema, "properties", &value) != NULL)
	{
		outline->names = read_names(kg_json_container(&value), &outline->n);
		outline->members = members = palloc0((outline->n + 1) *
											 sizeof(KgMember));
		kg_json_each(it, kg_json_container(&value))
		{
			members[it.index].len = it.key.val.string.len;
			read_member(kg_json_container(&it.value), &members[it.index]);
		}
		if (kg_json_get(schema, "required", &value) != NULL)
			read_required(kg_json_container(&value), outline, members);
	}
	outline->string_member = read_string_member(schema, outline);
	return outline;
}

const KgOutline *
kg_outline(const char *tool)
{
	static struct
	{
		const char *tool;
		const KgOutline *outline;
	} outlines[KG_MAX_OUTLINES];
	MemoryContext old;
	Jsonb *schema;
	int i;

	/*
	 * Names are string constants, so comparing addresses suffices. If another
	 * file has its own copy of a name, the outline is cached twice.
	 */
	for (i = 0; i < KG_MAX_OUTLINES && outlines[i].tool != NULL; i++)
		if (outlines[i].tool == tool)
			return outlines[i].outline;
	if (i == KG_MAX_OUTLINES)
		elog(ERROR, "too many templates of input schemas");
	schema = kg_template_outline(tool);
	old = MemoryContextSwitchTo(TopMemoryContext);
	outlines[i].outline = read_outline(&schema->root);
	MemoryContextSwitchTo(old);
	outlines[i].tool = tool;
	return outlines[i].outline;
}
