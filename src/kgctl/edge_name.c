/*
 * edge_name.c
 *	  Names of edges. A name does not depend on the form in which an end is
 *	  written: "type:id", "bundle/type:id" or a bare id.
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/bundle/bundle.h"

const char *
kg_bundle_own_name(const KgJson *bundle, const char *type)
{
	const char *name = kg_json_text_or(bundle, "bundle_name", "");
	size_t len = strlen(name);

	return strncmp(type, name, len) == 0 && type[len] == '/' ? type + len + 1
															 : type;
}

/* Returns whether a prefix of this length names the declared type. */
static bool
names_type(const char *declared, const char *prefix, size_t len)
{
	const char *slash = strchr(declared, '/');

	if (slash != NULL && memchr(prefix, '/', len) == NULL)
		declared = slash + 1;
	return strlen(declared) == len && memcmp(declared, prefix, len) == 0;
}

/*
 * Returns an end as a handle "type:id". The type is the one that the bundle's
 * relation declares for this end. If the relation does not determine the type,
 * returns the end unchanged.
 */
static const char *
name_end(KgArena *arena, const KgJson *bundle, const char *relation,
		 const char *end, const char *text)
{
	const KgJson *list = kgctl_json_get(bundle, "relations");
	const char *handle = kg_bundle_own_name(bundle, text);
	const char *colon = strchr(handle, ':');
	const char *only = NULL;
	bool several = false;

	for (size_t i = 0; i < kgctl_json_length(list); i++)
	{
		const KgJson *item = list->u.items[i];
		const char *type = kg_bundle_own_name(bundle,
											  kg_json_text_or(item, end, ""));

		if (strcmp(kg_json_text_or(item, "name", ""), relation) != 0)
			continue;
		if (colon != NULL &&
			names_type(type, handle, (size_t) (colon - handle)))
			return kg_arena_format(arena, "%s%s", type, colon);
		several |= only != NULL && strcmp(only, type) != 0;
		only = type;
	}
	if (only == NULL || several)
		return text;
	return kg_arena_format(arena, "%s:%s", only, text);
}

static const KgJson *
declared(const KgJson *bundle, const char *relation)
{
	const KgJson *list = kgctl_json_get(bundle, "relations");

	for (size_t i = 0; i < kgctl_json_length(list); i++)
		if (strcmp(kg_json_text_or(list->u.items[i], "name", ""), relation) ==
			0)
			return list->u.items[i];
	return NULL;
}

/*
 * Returns "PROPERTY: VALUE" for the property that distinguishes parallel edges,
 * or NULL if the relation has no such property.
 */
static const char *
name_key(KgArena *arena, const KgJson *relation, const KgJson *edge)
{
	const KgJson *key = kgctl_json_get(relation, "key");
	const char *member;
	const char *name;
	KgBuf text;

	if (kgctl_json_length(key) != 1)
		return NULL;
	member = kgctl_json_text(key->u.items[0]);
	if (member == NULL)
		return NULL;
	kg_buf_init(&text);
	kg_json_write(
		&text, kgctl_json_get(kgctl_json_get(edge, "properties"), member), -1);
	name = kg_arena_format(arena, "%s: %s", member, text.data);
	kg_buf_free(&text);
	return name;
}

const char *
kg_edge_name(KgArena *arena, const KgJson *bundle, const KgJson *edge)
{
	const char *name = kg_json_text_or(edge, "relation", "?");
	const KgJson *relation = declared(bundle, name);
	const char *from = name_end(
		arena, bundle, name, "from", kg_json_text_or(edge, "from", "?"));
	const char *to = name_end(
		arena, bundle, name, "to", kg_json_text_or(edge, "to", "?"));
	const char *key = name_key(arena, relation, edge);

	if (kg_json_is_true(kgctl_json_get(relation, "symmetric")) &&
		strcmp(from, to) > 0)
	{
		const char *other = from;

		from = to;
		to = other;
	}
	return kg_arena_format(arena,
						   "%s %s -> %s%s%s%s",
						   name,
						   from,
						   to,
						   key ? " (" : "",
						   key ? key : "",
						   key ? ")" : "");
}
