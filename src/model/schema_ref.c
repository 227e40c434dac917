/*
 * schema_ref.c
 *	  Finding the subschema to which a $ref refers.
 */
#include "postgres.h"

#include "base/json.h"
#include "model/schema_ref.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"

/* Returns the next unescaped step of a JSON Pointer and advances *pointer. */
static char *
next_step(const char **pointer)
{
	StringInfoData step;
	const char *p = *pointer + 1;

	initStringInfo(&step);
	for (; *p && *p != '/'; p++)
	{
		if (p[0] == '~' && (p[1] == '0' || p[1] == '1'))
			appendStringInfoChar(&step, *++p == '0' ? '~' : '/');
		else if (p[0] == '%' && isxdigit((unsigned char) p[1]) &&
				 isxdigit((unsigned char) p[2]))
		{
			appendStringInfoChar(&step,
								 (char) strtol(pnstrdup(p + 1, 2), NULL, 16));
			p += 2;
		}
		else
			appendStringInfoChar(&step, *p);
	}
	*pointer = p;
	return step.data;
}

static bool
follow(JsonbValue *value, const char *pointer)
{
	while (*pointer)
	{
		const JsonbContainer *container = kg_json_container(value);
		char *step;

		if (container == NULL || *pointer != '/')
			return false;
		step = next_step(&pointer);
		if (JsonContainerIsObject(container))
		{
			if (kg_json_get(container, step, value) == NULL)
				return false;
		}
		else
		{
			char *end;
			unsigned long index = strtoul(step, &end, 10);
			JsonbValue *item;

			if (*step == '\0' || *end != '\0')
				return false;
			item = getIthJsonbValueFromContainer((JsonbContainer *) container,
												 index);
			if (item == NULL)
				return false;
			*value = *item;
		}
	}
	return true;
}

/* Finds the first object inside the container that has this $anchor. */
static bool
find_anchor(const JsonbContainer *container, const char *anchor,
			JsonbValue *target)
{
	KgJsonIter it;
	JsonbValue name;
	bool found = false;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	kg_json_iter_init(&it, container);
	while (!found && kg_json_iter_next(&it))
	{
		const JsonbContainer *below = kg_json_container(&it.value);

		if (below == NULL)
			continue;
		if (kg_json_get(below, "$anchor", &name) != NULL &&
			kg_json_string_is(&name, anchor))
		{
			*target = it.value;
			found = true;
		}
		else
			found = find_anchor(below, anchor, target);
	}
	return found;
}

bool
kg_schema_ref_find(const Jsonb *schema, const Jsonb *definitions,
				   const char *ref, JsonbValue *target)
{
	const char *hash = strchr(ref, '#');
	int len = hash ? hash - ref : strlen(ref);

	kg_json_root(schema, target);
	if (len > 0)
	{
		if (definitions == NULL ||
			kg_json_get(&definitions->root, pnstrdup(ref, len), target) == NULL)
			return false;
	}
	if (hash == NULL || hash[1] == '\0')
		return true;
	if (hash[1] == '/')
		return follow(target, hash + 1);
	if (kg_json_container(target) == NULL)
		return false;
	return find_anchor(kg_json_container(target), hash + 1, target);
}
