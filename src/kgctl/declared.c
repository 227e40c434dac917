/*
 * declared.c
 *	  Relations and registered tools of a bundle in a normal form, without
 *	  members that have default values, so that equivalent definitions are
 *	  equal.
 */
#include <string.h>

#include "kgctl/bundle/bundle.h"

static bool
is_empty(const KgJson *value)
{
	if (value->kind == KG_JSON_BOOL)
		return !value->u.boolean;
	return value->kind == KG_JSON_NULL ||
		   (value->kind != KG_JSON_NUMBER && value->len == 0);
}

static bool
is_one_of(const char *name, const char *const *names)
{
	for (; names != NULL && *names != NULL; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

static KgJson *
without(KgArena *arena, const KgJson *object, const char *const *names)
{
	KgJson *kept = kg_json_object(arena);

	for (size_t i = 0; i < object->len; i++)
	{
		const KgctlMember *m = &object->u.members[i];

		if (!is_empty(m->value) && !is_one_of(m->key, names))
			kg_json_set(arena, kept, m->key, m->keylen, m->value);
	}
	return kept;
}

static KgJson *
text(KgArena *arena, const char *s)
{
	return kg_json_string(arena, s, strlen(s));
}

const KgJson *
kg_declared_relation(KgArena *arena, const KgJson *bundle,
					 const KgJson *relation)
{
	static const char *const ends[] = {"from", "to", NULL};
	KgJson *kept;

	if (relation->kind != KG_JSON_OBJECT)
		return relation;
	kept = without(arena, relation, ends);
	for (size_t i = 0; ends[i] != NULL; i++)
	{
		const char *type = kg_json_get_text(relation, ends[i]);

		if (type != NULL)
			kg_json_put(arena,
						kept,
						ends[i],
						text(arena, kg_bundle_own_name(bundle, type)));
	}
	return kept;
}

/*
 * Returns the schema without the members that the database adds, such as the
 * refusal of undeclared arguments.
 */
static KgJson *
plain_schema(KgArena *arena, const KgJson *schema)
{
	static const char *const closed[] = {"additionalProperties", NULL};
	bool is_closed = kg_json_is_false(kgctl_json_get(schema, closed[0]));

	return without(arena, schema, is_closed ? closed : NULL);
}

const KgJson *
kg_declared_tool(KgArena *arena, const KgJson *tool)
{
	/*
	 * Members that a tool with default_of takes from another version. The
	 * database returns their resolved values, so they are left out.
	 */
	static const char *const resolved[] = {
		"input_schema", "operation", "operations", "select", "toolset", NULL};
	static const char *const other[] = {"input_schema", "toolset", NULL};
	const KgJson *schema = kgctl_json_get(tool, "input_schema");
	const char *toolset = kg_json_get_text(tool, "toolset");
	bool takes = kg_json_get_text(tool, "default_of") != NULL;
	KgJson *kept;

	if (tool->kind != KG_JSON_OBJECT)
		return tool;
	kept = without(arena, tool, takes ? resolved : other);
	if (schema != NULL && schema->kind == KG_JSON_OBJECT)
		kg_json_put(arena, kept, "input_schema", plain_schema(arena, schema));
	if (toolset != NULL && strcmp(toolset, "tools") != 0)
		kg_json_put(arena, kept, "toolset", text(arena, toolset));
	return kept;
}
