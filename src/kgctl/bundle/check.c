/*
 * bundle/check.c
 *	  The checks of a payload that need no database: its outer structure, and
 *	  duplicate entities and tools. An error names the positions of both
 *	  duplicates. This file also finds the line of a source file for an error
 *	  of the database.
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/bundle/bundle.h"
#include "kgctl/log.h"

bool
kg_bundle_complain(const KgJson *at, const char *fmt, ...)
{
	KgBuf text;
	va_list args;

	kg_buf_init(&text);
	va_start(args, fmt);
	kg_buf_vprintf(&text, fmt, args);
	va_end(args);
	kg_error("%s:%u: %s", at->source ? at->source : "?", at->line, text.data);
	kg_buf_free(&text);
	return false;
}

static const KgJson *
find_schema(const KgJson *root, const char *entity_type)
{
	const KgJson *schemas = kgctl_json_get(root, "schemas");

	for (size_t i = 0; i < kgctl_json_length(schemas); i++)
	{
		const char *name = kg_json_get_text(schemas->u.items[i], "entity_type");

		if (name != NULL && strcmp(name, entity_type) == 0)
			return schemas->u.items[i];
	}
	return NULL;
}

const KgJson *
kg_bundle_entity_id(const KgctlBundle *bundle, KgArena *arena,
					const char *entity_type, const KgJson *item)
{
	const KgJson *root = bundle->stored ? bundle->stored : bundle->root;
	const KgJson *entry = find_schema(root, entity_type);
	const char *field = kg_json_get_text(kgctl_json_get(entry, "schema"),
										 "x-id-field");
	const KgJson *id = field ? kgctl_json_get(kg_json_load(arena, item), field)
							 : NULL;

	return kg_json_is_id(id) ? id : NULL;
}

/*
 * The id of an entity that was read, and the entity's position in the order of
 * reading.
 */
typedef struct Seen
{
	const KgJson *id;
	size_t order;
} Seen;

static int
compare_ids(const void *a, const void *b)
{
	const Seen *x = a;
	const Seen *y = b;
	int order = strcmp(x->id->u.text, y->id->u.text);

	if (order == 0)
		return x->order < y->order ? -1 : x->order > y->order;
	return order;
}

static bool
check_duplicates(const char *entity_type, Seen *seen, size_t n)
{
	bool ok = true;

	qsort(seen, n, sizeof(Seen), compare_ids);
	for (size_t i = 1; i < n; i++)
	{
		const KgJson *first = seen[i - 1].id;
		const KgJson *second = seen[i].id;

		if (strcmp(first->u.text, second->u.text) != 0)
			continue;
		ok = kg_bundle_complain(second,
								"%s \"%s\" is also in %s:%u",
								entity_type,
								second->u.text,
								first->source ? first->source : "?",
								first->line);
	}
	return ok;
}

static const KgJson *
copy_id(KgArena *arena, const KgJson *id)
{
	KgJson *copy = kg_json_new(arena, id->kind);

	*copy = *id;
	copy->u.text = kg_arena_strndup(arena, id->u.text, id->len);
	return copy;
}

static bool
check_entities(KgctlBundle *bundle, const KgJson *set)
{
	const char *entity_type = kg_json_get_text(set, "entity_type");
	const KgJson *items = kgctl_json_get(set, "items");
	KgArena *ids;
	KgArena *scratch;
	Seen *seen;
	size_t n = 0;
	bool ok = true;

	if (entity_type == NULL || items == NULL || items->kind != KG_JSON_ARRAY)
		return kg_bundle_complain(
			set, "expected an object with entity_type and items");
	bundle->nentities += items->len;
	ids = kg_arena_new();
	scratch = kg_arena_new();
	seen = kg_malloc((items->len + 1) * sizeof(Seen));
	for (size_t i = 0; i < items->len; i++)
	{
		const KgJson *item = items->u.items[i];

		if (item->kind != KG_JSON_OBJECT && item->kind != KG_JSON_RAW)
			ok = kg_bundle_complain(item, "an entity must be an object");
		else
		{
			const KgJson *id = kg_bundle_entity_id(
				bundle, scratch, entity_type, item);

			seen[n].order = i;
			if (id != NULL)
				seen[n++].id = copy_id(ids, id);
			kg_arena_reset(scratch);
		}
	}
	ok = check_duplicates(entity_type, seen, n) && ok;
	free(seen);
	kg_arena_free(ids);
	kg_arena_free(scratch);
	return ok;
}

/*
 * Returns the length of a version without its build metadata. Versions that
 * differ only in build metadata are equal.
 */
static size_t
version_length(const KgJson *version)
{
	return strcspn(version->u.text, "+");
}

static bool
same_tool(const KgJson *a, const KgJson *b)
{
	const char *name = kg_json_get_text(a, "name");
	const char *other = kg_json_get_text(b, "name");
	const KgJson *version = kgctl_json_get(a, "version");
	const KgJson *number = kgctl_json_get(b, "version");

	return name != NULL && other != NULL && strcmp(name, other) == 0 &&
		   version != NULL && version->kind == KG_JSON_STRING &&
		   number != NULL && number->kind == KG_JSON_STRING &&
		   version_length(version) == version_length(number) &&
		   strncmp(version->u.text, number->u.text, version_length(version)) ==
			   0;
}

static bool
check_tools(const KgJson *tools)
{
	bool ok = true;

	for (size_t i = 0; i < kgctl_json_length(tools); i++)
		for (size_t k = 0; k < i; k++)
		{
			const KgJson *first = tools->u.items[k];
			const KgJson *second = tools->u.items[i];

			if (!same_tool(first, second))
				continue;
			ok = kg_bundle_complain(second,
									"version \"%s\" of tool \"%s\" is also in "
									"%s:%u",
									kg_json_get_text(second, "version"),
									kg_json_get_text(second, "name"),
									first->source ? first->source : "?",
									first->line);
			break;
		}
	return ok;
}

static bool
check_array(const KgJson *root, const char *key, const KgJson **array)
{
	*array = kgctl_json_get(root, key);
	if (*array == NULL || (*array)->kind == KG_JSON_ARRAY)
		return true;
	return kg_bundle_complain(*array, "%s must be a list", key);
}

bool
kgctl_bundle_check(KgctlBundle *bundle)
{
	const KgJson *root = bundle->root;
	const KgJson *schemas;
	const KgJson *entities;
	const KgJson *edges;
	const KgJson *tools;
	bool ok = true;

	if (root->kind != KG_JSON_OBJECT)
		return kg_bundle_complain(root, "a bundle must be an object");
	bundle->name = kg_json_get_text(root, "bundle_name");
	if (bundle->name == NULL)
		ok = kg_bundle_complain(root, "bundle_name is missing or not a string");
	if (kg_json_get_text(root, "version") == NULL)
		ok = kg_bundle_complain(
			root, "version is missing or not a string (quote it)");
	if (!check_array(root, "schemas", &schemas) ||
		!check_array(root, "entities", &entities) ||
		!check_array(root, "edges", &edges) ||
		!check_array(root, "tools", &tools))
		return false;
	for (size_t i = 0; i < kgctl_json_length(schemas); i++)
		if (kg_json_get_text(schemas->u.items[i], "entity_type") == NULL)
			ok = kg_bundle_complain(schemas->u.items[i],
									"entity_type is missing");
	for (size_t i = 0; i < kgctl_json_length(entities); i++)
		ok = check_entities(bundle, entities->u.items[i]) && ok;
	ok = check_tools(tools) && ok;
	bundle->nedges = kgctl_json_length(edges);
	return ok;
}

static const KgJson *
locate_entity(const KgctlBundle *bundle, const char *entity_type,
			  const char *id)
{
	const KgJson *entities = kgctl_json_get(bundle->root, "entities");
	const KgJson *located = NULL;
	KgArena *scratch = kg_arena_new();

	for (size_t i = 0; located == NULL && i < kgctl_json_length(entities); i++)
	{
		const char *type = kg_json_get_text(entities->u.items[i],
											"entity_type");
		const KgJson *items = kgctl_json_get(entities->u.items[i], "items");

		if (type == NULL || strcmp(type, entity_type) != 0)
			continue;
		for (size_t k = 0; located == NULL && k < kgctl_json_length(items); k++)
		{
			const KgJson *found = kg_bundle_entity_id(
				bundle, scratch, type, items->u.items[k]);

			if (found != NULL && strcmp(found->u.text, id) == 0)
				located = items->u.items[k];
			kg_arena_reset(scratch);
		}
	}
	kg_arena_free(scratch);
	return located;
}

const KgJson *
kg_bundle_locate(KgctlBundle *bundle, const char *entity_type, const char *id,
				 const char *pointer)
{
	const KgJson *start = NULL;

	if (entity_type != NULL && id != NULL)
		start = locate_entity(bundle, entity_type, id);
	else if (entity_type != NULL)
	{
		start = find_schema(bundle->root, entity_type);
		if (start != NULL && kgctl_json_get(start, "schema") != NULL)
			start = kgctl_json_get(start, "schema");
	}
	else
		start = bundle->root;
	if (start == NULL)
		return NULL;
	if (pointer != NULL)
		start = kg_json_nearest(bundle->arena, start, pointer);
	return start->line > 0 || start->source != NULL ? start : NULL;
}
