/*
 * bundle/read.c
 *	  Reading a bundle from a directory or a file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/bundle/bundle.h"
#include "kgctl/files.h"
#include "kgctl/log.h"
#include "kgctl/property_order.h"
#include "kgctl/bundle/yaml.h"

static const char not_inside[] = "expected a relative path inside the bundle";

/*
 * Returns the value of a file's text. The suffix of the path determines the
 * format. On failure, prints an error and returns NULL.
 */
static KgJson *
parse_text(KgctlBundle *bundle, const char *path, const KgBuf *text)
{
	const char *source = kg_arena_format(bundle->arena, "%s", path);
	unsigned long line = 0;
	char *error;
	char *message;
	KgJson *value;

	bundle->nfiles++;
	if (kg_is_yaml(path))
		value = kg_yaml_parse(
			bundle->arena, text->data, text->len, source, &error);
	else
		value = kg_json_parse_bundle(
			bundle->arena, text->data, text->len, source, &error);
	if (value != NULL)
		return value;
	/* Turns "line 3, column 7: text" into "path:3: column 7: text". */
	message = error;
	if (sscanf(error, "line %lu", &line) == 1)
	{
		message = strpbrk(error, ",:");
		message = message ? message + 1 : error;
		while (*message == ' ')
			message++;
		kg_error("%s:%lu: %s", path, line, message);
	}
	else
		kg_error("%s: %s", path, message);
	free(error);
	return NULL;
}

static KgJson *
parse_part(KgctlBundle *bundle, const char *dir, const char *name)
{
	char *path = kg_arena_format(bundle->arena, "%s/%s", dir, name);
	KgBuf text;
	KgJson *value = NULL;

	kg_buf_init(&text);
	if (kg_read_below(dir, name, &text))
		value = parse_text(bundle, path, &text);
	if (value != NULL && value->kind == KG_JSON_ARRAY)
	{
		/* The parsed items may point into the text, so retain it. */
		bundle->parts = kg_realloc(bundle->parts,
								   (bundle->nparts + 1) * sizeof(KgBuf));
		bundle->parts[bundle->nparts++] = text;
	}
	else
		kg_buf_free(&text);
	return value;
}

/*
 * Returns whether a file named in a manifest is below the bundle's directory.
 * Otherwise a manifest of another author could send any file of this machine to
 * the database.
 */
static bool
is_inside(const KgJson *name)
{
	const char *s = kgctl_json_text(name);
	const char *p;

	if (s == NULL || *s == '\0' || *s == '/')
		return false;
	for (p = s; p != NULL; p = strchr(p, '/'))
	{
		if (*p == '/')
			p++;
		if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == '\0'))
			return false;
	}
	return true;
}

static bool
known_keys(const KgJson *object, const char *const *keys)
{
	bool ok = true;

	for (size_t i = 0; i < object->len; i++)
	{
		const char *const *key = keys;

		while (*key != NULL && strcmp(*key, object->u.members[i].key) != 0)
			key++;
		if (*key == NULL)
			ok = kg_bundle_complain(object->u.members[i].value,
									"unknown key \"%s\"",
									object->u.members[i].key);
	}
	return ok;
}

/*
 * Appends the items in a file, which contains one item or an array of items. On
 * failure, prints an error and returns false.
 */
static bool
append_items(KgctlBundle *bundle, KgJson *items, KgJson *value)
{
	if (value == NULL)
		return false;
	if (value->kind == KG_JSON_OBJECT || value->kind == KG_JSON_RAW)
		kg_json_push(bundle->arena, items, value);
	else if (value->kind == KG_JSON_ARRAY)
		for (size_t i = 0; i < value->len; i++)
			kg_json_push(bundle->arena, items, value->u.items[i]);
	else
		/*
		 * An empty file is refused instead of read as an empty list, because
		 * applying an empty list would delete all items.
		 */
		return kg_bundle_complain(
			value, "expected one object or a list of objects ([] for none)");
	return true;
}

static bool
append_directory(KgctlBundle *bundle, KgJson *items, const char *dir,
				 const KgJson *entry)
{
	static const char *const suffixes[] = {".yaml", ".yml", ".json", NULL};
	const char *name = kgctl_json_text(entry);
	char **names;
	size_t count;
	bool ok = kg_list_below(dir, name, suffixes, &names, &count);

	if (ok && count == 0)
		ok = kg_bundle_complain(
			entry, "no file ends in .yaml, .yml or .json in \"%s\"", name);
	for (size_t i = 0; i < count; i++)
	{
		char *path = kg_arena_format(bundle->arena, "%s/%s", name, names[i]);

		if (!append_items(bundle, items, parse_part(bundle, dir, path)))
			ok = false;
	}
	kg_free_list(names, count);
	return ok;
}

/*
 * Reads items from the member <what>_file, <what>_path or <what> of entry. At
 * most one of these members may be present. On failure, prints an error and
 * returns false.
 */
static bool
read_items(KgctlBundle *bundle, const char *dir, const KgJson *entry,
		   const char *what, KgJson *items)
{
	char *file_key = kg_arena_format(bundle->arena, "%s_file", what);
	char *path_key = kg_arena_format(bundle->arena, "%s_path", what);
	const KgJson *file = kgctl_json_get(entry, file_key);
	const KgJson *path = kgctl_json_get(entry, path_key);
	KgJson *here = kgctl_json_get(entry, what);
	bool ok = true;

	if ((file != NULL) + (path != NULL) + (here != NULL) > 1)
		ok = kg_bundle_complain(entry,
								"%s, %s and %s exclude each other",
								file_key,
								path_key,
								what);
	else if ((file != NULL && !is_inside(file)) ||
			 (path != NULL && !is_inside(path)))
		ok = kg_bundle_complain(file ? file : path, not_inside);
	else if (file != NULL)
		ok = append_items(
			bundle, items, parse_part(bundle, dir, kgctl_json_text(file)));
	else if (path != NULL)
		ok = append_directory(bundle, items, dir, path);
	else if (here != NULL)
		ok = append_items(bundle, items, here);
	return ok;
}

/*
 * Reads a schema from the member schema_file or schema. Sets *schema to NULL if
 * the type has neither member. On failure, prints an error and returns false.
 */
static bool
read_schema(KgctlBundle *bundle, const char *dir, const KgJson *entry,
			KgJson **schema)
{
	const KgJson *file = kgctl_json_get(entry, "schema_file");

	*schema = kgctl_json_get(entry, "schema");
	if (file == NULL)
		return true;
	if (*schema != NULL)
		return kg_bundle_complain(file,
								  "schema_file and schema exclude each other");
	if (!is_inside(file))
		return kg_bundle_complain(file, not_inside);
	*schema = parse_part(bundle, dir, kgctl_json_text(file));
	return *schema != NULL;
}

static void
set(KgctlBundle *bundle, KgJson *object, const char *key, KgJson *value)
{
	kg_json_put(bundle->arena, object, key, value);
}

/* Returns a new object with the source position of entry. */
static KgJson *
object_for(KgctlBundle *bundle, const KgJson *entry)
{
	KgJson *object = kg_json_object(bundle->arena);

	object->source = entry->source;
	object->line = entry->line;
	return object;
}

static bool
read_type(KgctlBundle *bundle, const char *dir, KgJson *entry, KgJson *schemas,
		  KgJson *entities)
{
	static const char *const keys[] = {"name",
									   "schema_file",
									   "schema",
									   "entities_file",
									   "entities_path",
									   "entities",
									   NULL};
	KgJson *name = kgctl_json_get(entry, "name");
	KgJson *items = kg_json_array(bundle->arena);
	KgJson *schema;
	KgJson *part;

	if (entry->kind != KG_JSON_OBJECT || kgctl_json_text(name) == NULL)
		return kg_bundle_complain(entry, "expected an object with a name");
	if (!known_keys(entry, keys) || !read_schema(bundle, dir, entry, &schema) ||
		!read_items(bundle, dir, entry, "entities", items))
		return false;
	if (schema == NULL)
		return kg_bundle_complain(
			entry, "schema_file is missing for \"%s\"", kgctl_json_text(name));
	part = object_for(bundle, entry);
	set(bundle, part, "entity_type", name);
	set(bundle, part, "schema", schema);
	kg_json_push(bundle->arena, schemas, part);
	if (items->len == 0)
		return true;
	part = object_for(bundle, entry);
	set(bundle, part, "entity_type", name);
	set(bundle, part, "items", items);
	kg_json_push(bundle->arena, entities, part);
	return true;
}

static bool
read_relations(KgctlBundle *bundle, const char *dir, const KgJson *list,
			   KgJson *relations)
{
	bool ok = true;

	if (list == NULL)
		return true;
	if (list->kind != KG_JSON_ARRAY)
		return kg_bundle_complain(list,
								  "expected a list of relations ([] for none)");
	for (size_t i = 0; i < list->len; i++)
	{
		KgJson *entry = list->u.items[i];
		KgJson *copy = object_for(bundle, entry);
		KgJson *schema = NULL;

		if (entry->kind != KG_JSON_OBJECT)
		{
			ok = kg_bundle_complain(entry, "expected an object");
			continue;
		}
		if (!read_schema(bundle, dir, entry, &schema))
			ok = false;
		for (size_t k = 0; k < entry->len; k++)
		{
			const char *key = entry->u.members[k].key;

			/*
			 * Copy unknown members too, because the database checks the names
			 * of members.
			 */
			if (strcmp(key, "schema") != 0 && strcmp(key, "schema_file") != 0)
				set(bundle, copy, key, entry->u.members[k].value);
		}
		set(bundle, copy, "schema", schema);
		kg_json_push(bundle->arena, relations, copy);
	}
	return ok;
}

static KgJson *
read_manifest(KgctlBundle *bundle, const char *dir)
{
	static const char *const names[] = {
		"manifest.yaml", "manifest.yml", "manifest.json"};

	for (size_t i = 0; i < 3; i++)
		if (kg_exists_below(dir, names[i]))
			return parse_part(bundle, dir, names[i]);
	kg_error("%s: no manifest.yaml", dir);
	return NULL;
}

/*
 * Makes the payload from the manifest. On failure, prints an error and returns
 * false.
 */
static bool
read_parts(KgctlBundle *bundle, const char *dir, const KgJson *manifest,
		   const KgJson *types)
{
	static const char *const copied[] = {
		"bundle_name", "version", "description", "instructions"};
	KgJson *root = bundle->root = object_for(bundle, manifest);
	KgJson *definitions = kg_json_array(bundle->arena);
	KgJson *schemas = kg_json_array(bundle->arena);
	KgJson *relations = kg_json_array(bundle->arena);
	KgJson *entities = kg_json_array(bundle->arena);
	KgJson *edges = kg_json_array(bundle->arena);
	KgJson *tools = kg_json_array(bundle->arena);
	bool ok = true;

	for (size_t i = 0; i < types->len; i++)
		if (!read_type(bundle, dir, types->u.items[i], schemas, entities))
			ok = false;
	ok = read_items(bundle, dir, manifest, "definitions", definitions) && ok;
	ok = read_relations(
			 bundle, dir, kgctl_json_get(manifest, "relations"), relations) &&
		 ok;
	ok = read_items(bundle, dir, manifest, "edges", edges) && ok;
	ok = read_items(bundle, dir, manifest, "tools", tools) && ok;
	for (size_t i = 0; i < 4; i++)
		set(bundle, root, copied[i], kgctl_json_get(manifest, copied[i]));
	set(bundle, root, "definitions", definitions->len ? definitions : NULL);
	set(bundle, root, "schemas", schemas);
	set(bundle, root, "relations", relations->len ? relations : NULL);
	set(bundle, root, "entities", entities);
	set(bundle, root, "edges", edges->len ? edges : NULL);
	set(bundle, root, "tools", tools->len ? tools : NULL);
	return ok;
}

static bool
read_directory(const char *dir, KgctlBundle *bundle)
{
	static const char *const keys[] = {"bundle_name",
									   "version",
									   "description",
									   "instructions",
									   "entity_types",
									   "relations",
									   "edges",
									   "edges_file",
									   "edges_path",
									   "definitions",
									   "definitions_file",
									   "definitions_path",
									   "tools",
									   "tools_file",
									   "tools_path",
									   NULL};
	KgJson *manifest = read_manifest(bundle, dir);
	const KgJson *types = kgctl_json_get(manifest, "entity_types");
	bool ok;

	if (manifest == NULL)
		return false;
	if (manifest->kind != KG_JSON_OBJECT)
		return kg_bundle_complain(manifest, "expected an object");
	ok = known_keys(manifest, keys);
	if (types == NULL || types->kind != KG_JSON_ARRAY)
		return kg_bundle_complain(types ? types : manifest,
								  "expected a list under entity_types");
	return read_parts(bundle, dir, manifest, types) && ok;
}

/*
 * Stores the order of properties in the schemas. If a schema has changed, the
 * text will be made again from the values. The previous text is not freed,
 * because entities point into it.
 */
static void
keep_orders(KgctlBundle *bundle)
{
	const KgJson *schemas = kgctl_json_get(bundle->root, "schemas");
	bool kept = false;

	for (size_t i = 0; i < kgctl_json_length(schemas); i++)
		kept |= kg_property_order_keep(
			bundle->arena, kgctl_json_get(schemas->u.items[i], "schema"));
	if (!kept)
		return;
	bundle->parts = kg_realloc(bundle->parts,
							   (bundle->nparts + 1) * sizeof(KgBuf));
	bundle->parts[bundle->nparts++] = bundle->text;
	kg_buf_init(&bundle->text);
}

bool
kg_bundle_read(const char *path, KgctlBundle *bundle)
{
	bool ok;

	memset(bundle, 0, sizeof(*bundle));
	bundle->arena = kg_arena_new();
	if (kg_is_directory(path))
		ok = read_directory(path, bundle);
	else
	{
		if (kg_read_file(path, &bundle->text))
			bundle->root = parse_text(bundle, path, &bundle->text);
		ok = bundle->root != NULL;
		/*
		 * A JSON file is sent unchanged. For YAML the text is made from the
		 * values.
		 */
		if (kg_is_yaml(path))
			kg_buf_free(&bundle->text);
		/* The database does not accept a byte order mark, so blank it out. */
		else if (ok && bundle->text.len >= 3 &&
				 memcmp(bundle->text.data, "\xEF\xBB\xBF", 3) == 0)
			memcpy(bundle->text.data, "   ", 3);
	}
	if (ok)
		keep_orders(bundle);
	return ok && kgctl_bundle_check(bundle);
}

const char *
kg_bundle_text(KgctlBundle *bundle)
{
	if (bundle->text.len == 0)
		kg_json_write(&bundle->text, bundle->root, -1);
	return bundle->text.data;
}

void
kg_bundle_free(KgctlBundle *bundle)
{
	for (size_t i = 0; i < bundle->nparts; i++)
		kg_buf_free(&bundle->parts[i]);
	free(bundle->parts);
	kg_buf_free(&bundle->text);
	kg_arena_free(bundle->arena);
	memset(bundle, 0, sizeof(*bundle));
}
