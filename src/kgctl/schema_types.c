/*
 * schema_types.c
 *	  The JSON types that a schema permits. For example, a text becomes a
 *	  number only if the schema permits numbers. The database checks
 *	  everything else.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "kgctl/schema_types.h"

/* Maximal number of nested $ref and anyOf in the search for types. */
#define MAX_STEPS 16

static unsigned types_of(const KgJson *root, const KgJson *schema, int steps);

static unsigned
type_named(const char *name)
{
	static const struct
	{
		const char *name;
		unsigned types;
	} names[] = {{"string", KG_MAY_TEXT},
				 {"integer", KG_MAY_NUMBER},
				 {"number", KG_MAY_NUMBER},
				 {"boolean", KG_MAY_BOOL},
				 {"null", KG_MAY_NULL},
				 {"array", KG_MAY_ARRAY},
				 {"object", KG_MAY_OBJECT}};

	for (size_t i = 0; name != NULL && i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].types;
	return 0;
}

unsigned
kg_schema_type_of(const KgJson *value)
{
	switch (value->kind)
	{
		case KG_JSON_NULL:
			return KG_MAY_NULL;
		case KG_JSON_BOOL:
			return KG_MAY_BOOL;
		case KG_JSON_NUMBER:
			return KG_MAY_NUMBER;
		case KG_JSON_STRING:
			return KG_MAY_TEXT;
		case KG_JSON_ARRAY:
			return KG_MAY_ARRAY;
		case KG_JSON_OBJECT:
		case KG_JSON_RAW:
			break;
	}
	return KG_MAY_OBJECT;
}

bool
kg_schema_is_nullable(const KgJson *root, const KgJson *schema)
{
	const char *dialect = kg_json_get_text(root, "$schema");

	return kg_json_is_true(kgctl_json_get(schema, "nullable")) &&
		   dialect != NULL &&
		   strcmp(dialect, "https://spec.openapis.org/oas/3.0/dialect") == 0;
}

static unsigned
types_of_list(const KgJson *root, const KgJson *list, int steps)
{
	unsigned types = 0;

	for (size_t i = 0; i < kgctl_json_length(list); i++)
		types |= types_of(root, list->u.items[i], steps);
	return types;
}

static unsigned
types_of(const KgJson *root, const KgJson *schema, int steps)
{
	const KgJson *type = kgctl_json_get(schema, "type");
	const KgJson *values = kgctl_json_get(schema, "enum");
	const KgJson *value = kgctl_json_get(schema, "const");
	const char *ref = kg_json_get_text(schema, "$ref");
	unsigned types = 0;

	if (steps >= MAX_STEPS)
		return 0;
	if (kgctl_json_text(type) != NULL)
		return type_named(kgctl_json_text(type)) |
			   (kg_schema_is_nullable(root, schema) ? KG_MAY_NULL : 0);
	for (size_t i = 0; i < kgctl_json_length(type); i++)
		types |= type_named(kgctl_json_text(type->u.items[i]));
	if (types == 0 && value != NULL)
		types = kg_schema_type_of(value);
	if (types == 0)
		for (size_t i = 0; i < kgctl_json_length(values); i++)
			types |= kg_schema_type_of(values->u.items[i]);
	if (types == 0 && ref != NULL && strncmp(ref, "#/", 2) == 0)
	{
		KgArena *arena = kg_arena_new();

		types = types_of(
			root, kg_json_nearest(arena, root, ref + 1), steps + 1);
		kg_arena_free(arena);
	}
	if (types == 0)
		types = types_of_list(root, kgctl_json_get(schema, "anyOf"), steps + 1);
	if (types == 0)
		types = types_of_list(root, kgctl_json_get(schema, "oneOf"), steps + 1);
	if (types == 0)
		types = types_of_list(root, kgctl_json_get(schema, "allOf"), steps + 1);
	return types;
}

unsigned
kg_schema_types(const KgJson *root, const KgJson *schema)
{
	return types_of(root, schema, 0);
}

const KgJson *
kg_schema_follow(KgArena *arena, const KgJson *root, const KgJson *schema)
{
	const char *ref;

	for (int i = 0;
		 i < MAX_STEPS && (ref = kg_json_get_text(schema, "$ref")) != NULL &&
		 strncmp(ref, "#/", 2) == 0;
		 i++)
		schema = kg_json_nearest(arena, root, ref + 1);
	return schema;
}

static bool
add_json(KgBuf *out, const char *text, size_t len)
{
	KgArena *arena = kg_arena_new();
	char *error = NULL;
	const KgJson *value = kgctl_json_parse(arena, text, len, NULL, &error);

	if (value != NULL)
		kg_json_write(out, value, -1);
	free(error);
	kg_arena_free(arena);
	return value != NULL;
}

bool
kg_schema_value(unsigned types, const char *text, size_t len, KgBuf *out)
{
	if ((types & KG_MAY_NUMBER) && kg_json_number_fits(text, len))
		kg_buf_add(out, text, len);
	else if ((types & KG_MAY_BOOL) && strcasecmp(text, "true") == 0)
		kg_buf_puts(out, "true");
	else if ((types & KG_MAY_BOOL) && strcasecmp(text, "false") == 0)
		kg_buf_puts(out, "false");
	else if ((types & KG_MAY_JSON) && (*text == '[' || *text == '{') &&
			 add_json(out, text, len))
		return true;
	else if (types & KG_MAY_TEXT)
		kg_buf_json(out, text, len);
	else
		return false;
	return true;
}
