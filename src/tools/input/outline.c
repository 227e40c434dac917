/*
 * outline.c
 *	  Parses the templates of input schemas.
 */
#include "postgres.h"

#include "base/json.h"
#include "miscadmin.h"
#include "tools/input/outline.h"
#include "tools/input/schema_template.h"
#include "utils/memutils.h"

/* Maximum number of templates; there are fewer tools. */
#define KG_MAX_OUTLINES 64

static const KgOutline *read_outline(const JsonbContainer *schema);

static void
read_bound(const JsonbValue *value, KgBound *bound)
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
 * Reads a default. A string is a name, unless it is the name of a number of a
 * template.
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
	}
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
	else if (kg_json_string_is(keyword, "items") && inner != NULL)
		member->inner = read_outline(inner);
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

static int
find_member(const KgOutline *outline, const char *name, int len)
{
	for (int i = 0; i < outline->n; i++)
		if (outline->members[i].len == len &&
			memcmp(outline->names[i], name, len) == 0)
			return i;
	return -1;
}

static void
read_required(const JsonbContainer *names, KgOutline *outline)
{
	kg_json_each(it, names)
	{
		int i = find_member(
			outline, it.value.val.string.val, it.value.val.string.len);

		if (i < 0)
			elog(ERROR, "a required argument is not declared");
		outline->members[i].required = true;
	}
}

static const KgOutline *
read_outline(const JsonbContainer *schema)
{
	KgOutline *outline = palloc0(sizeof(KgOutline));
	JsonbValue value;

	check_stack_depth();
	if (kg_json_get(schema, "properties", &value) == NULL)
		return outline;
	outline->names = read_names(kg_json_container(&value), &outline->n);
	outline->members = palloc0((outline->n + 1) * sizeof(KgMember));
	kg_json_each(it, kg_json_container(&value))
	{
		outline->members[it.index].len = it.key.val.string.len;
		read_member(kg_json_container(&it.value), &outline->members[it.index]);
	}
	if (kg_json_get(schema, "required", &value) != NULL)
		read_required(kg_json_container(&value), outline);
	return outline;
}

const KgOutline *
kg_outline(const char *template)
{
	static struct
	{
		const char *template;
		const KgOutline *outline;
	} outlines[KG_MAX_OUTLINES];
	MemoryContext old;
	Jsonb *schema;
	int i;

	for (i = 0; i < KG_MAX_OUTLINES && outlines[i].template != NULL; i++)
		if (outlines[i].template == template)
			return outlines[i].outline;
	if (i == KG_MAX_OUTLINES)
		elog(ERROR, "too many templates of input schemas");
	schema = kg_template_outline(template);
	old = MemoryContextSwitchTo(TopMemoryContext);
	outlines[i].outline = read_outline(&schema->root);
	MemoryContextSwitchTo(old);
	outlines[i].template = template;
	return outlines[i].outline;
}

const KgMember *
kg_outline_member(const KgOutline *outline, const char *name, int len)
{
	int i = find_member(outline, name, len);

	return i >= 0 ? &outline->members[i] : NULL;
}

bool
kg_outline_is_complete(const KgOutline *outline, const JsonbContainer *object)
{
	JsonbValue value;

	for (int i = 0; i < outline->n; i++)
		if (outline->members[i].required &&
			kg_json_get(object, outline->names[i], &value) == NULL)
			return false;
	return true;
}
