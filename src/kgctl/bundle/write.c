/*
 * bundle/write.c
 *	  Writing a payload as a directory: manifest.yaml, for each type a file of
 *	  its schema and a file of its entities, a file of edges and a file of
 *	  tools.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kgctl/bundle/bundle.h"
#include "kgctl/files.h"
#include "kgctl/log.h"
#include "kgctl/property_order.h"
#include "kgctl/bundle/yaml.h"

typedef struct Writer
{
	KgArena *arena;
	const char *dir;
	const KgJson *payload;
} Writer;

static bool
write_file(const Writer *w, const char *name, const KgJson *value)
{
	char *path = kg_arena_format(w->arena, "%s/%s", w->dir, name);
	KgBuf out;
	bool ok = true;

	kg_buf_init(&out);
	if (kg_is_yaml(name))
		ok = kg_yaml_write(&out, value);
	else
	{
		kg_json_write(&out, value, 0);
		kg_buf_putc(&out, '\n');
	}
	if (!ok)
		kg_error("%s: cannot be written as YAML", path);
	ok = ok && kg_write_below(w->dir, name, out.data, out.len, 0666);
	kg_buf_free(&out);
	return ok;
}

static void
set_text(const Writer *w, KgJson *object, const char *key, const char *text)
{
	kg_json_put(
		w->arena, object, key, kg_json_string(w->arena, text, strlen(text)));
}

static void
copy_member(const Writer *w, KgJson *to, const KgJson *from, const char *key)
{
	KgJson *value = kgctl_json_get(from, key);

	if (value != NULL && value->kind != KG_JSON_NULL)
		kg_json_put(w->arena, to, key, value);
}

/*
 * Returns whether a type name is a safe file name: at most 64 letters, digits,
 * _ and -.
 */
static bool
safe_name(const char *name)
{
	const char *p;

	for (p = name; *p != '\0'; p++)
		if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
			  (*p >= '0' && *p <= '9') || *p == '_' || *p == '-'))
			return false;
	return p > name && p - name <= 64;
}

static const KgJson *
items_of(const KgJson *payload, const char *entity_type)
{
	const KgJson *entities = kgctl_json_get(payload, "entities");

	for (size_t i = 0; i < kgctl_json_length(entities); i++)
	{
		const char *name = kg_json_get_text(entities->u.items[i],
											"entity_type");

		if (name != NULL && strcmp(name, entity_type) == 0)
			return kgctl_json_get(entities->u.items[i], "items");
	}
	return NULL;
}

static bool
write_type(const Writer *w, const KgJson *entry, KgJson *types)
{
	const char *name = kg_json_get_text(entry, "entity_type");
	KgJson *schema = kgctl_json_get(entry, "schema");
	const KgJson *items;
	KgJson *type = kg_json_object(w->arena);
	char *file;
	bool ok;

	if (name == NULL || schema == NULL || !safe_name(name))
	{
		kg_error("the database returned a type without a usable name");
		return false;
	}
	set_text(w, type, "name", name);
	kg_property_order_restore(schema);
	file = kg_arena_format(w->arena, "schemas/%s.schema.json", name);
	set_text(w, type, "schema_file", file);
	ok = write_file(w, file, schema);
	items = items_of(w->payload, name);
	if (kgctl_json_length(items) > 0)
	{
		file = kg_arena_format(w->arena, "entities/%s.yaml", name);
		set_text(w, type, "entities_file", file);
		ok = ok && write_file(w, file, items);
	}
	kg_json_push(w->arena, types, type);
	return ok;
}

/*
 * Writes a list of the payload to a separate file, if the list has items.
 * Returns false on failure.
 */
static bool
write_list(const Writer *w, KgJson *manifest, const char *what)
{
	const KgJson *list = kgctl_json_get(w->payload, what);
	char *file = kg_arena_format(w->arena, "%s.yaml", what);

	if (kgctl_json_length(list) == 0)
		return true;
	set_text(w, manifest, kg_arena_format(w->arena, "%s_file", what), file);
	return write_file(w, file, list);
}

static bool
prepare(const Writer *w, bool force)
{
	static const char *const folders[] = {"schemas", "entities"};
	static const char *const any[] = {"", NULL};
	char **names;
	size_t count = 0;
	bool ok = kg_make_directory(w->dir) &&
			  kg_list_below(w->dir, ".", any, &names, &count);

	if (ok && count > 0 && !force)
	{
		kg_error("%s is not empty; use --force to write into it", w->dir);
		ok = false;
	}
	if (count > 0)
		kg_free_list(names, count);
	for (size_t i = 0; i < 2 && ok; i++)
		ok = kg_make_directory(
			kg_arena_format(w->arena, "%s/%s", w->dir, folders[i]));
	return ok;
}

bool
kg_bundle_write(const KgJson *payload, const char *path, bool force)
{
	static const char *const copied[] = {
		"bundle_name", "version", "description", "instructions", "definitions"};
	Writer w;
	KgJson *manifest;
	KgJson *types;
	const KgJson *schemas = kgctl_json_get(payload, "schemas");
	bool ok;

	w.arena = kg_arena_new();
	w.dir = path;
	w.payload = payload;
	ok = prepare(&w, force);
	manifest = kg_json_object(w.arena);
	types = kg_json_array(w.arena);
	for (size_t i = 0; i < 5; i++)
		copy_member(&w, manifest, payload, copied[i]);
	for (size_t i = 0; ok && i < kgctl_json_length(schemas); i++)
		ok = write_type(&w, schemas->u.items[i], types);
	kg_json_put(w.arena, manifest, "entity_types", types);
	copy_member(&w, manifest, payload, "relations");
	ok = ok && write_list(&w, manifest, "edges") &&
		 write_list(&w, manifest, "tools");
	/*
	 * The manifest is written last, so that an incomplete directory does not
	 * look complete.
	 */
	ok = ok && write_file(&w, "manifest.yaml", manifest);
	kg_arena_free(w.arena);
	return ok;
}
