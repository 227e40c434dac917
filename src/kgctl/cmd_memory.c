/*
 * cmd_memory.c
 *	  kgctl memory: the bundle of the toolset "memory", and the file format of
 *	  the MCP reference server "memory" (JSON objects, one per line or in an
 *	  array).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/commands.h"
#include "kgctl/db.h"
#include "kgctl/files.h"
#include "kgctl/json.h"
#include "kgctl/log.h"
#include "kgctl/memory_bundle.h"
#include "kgctl/rows.h"
#include "kgctl/show.h"
#include "kgctl/stored.h"

#define BUNDLE "memory"
#define BATCH 500
#define MAX_NAME 128
#define MAX_TYPE 512

static const char memory_options[] = "-q, --quiet\tprint nothing on success\n";

static int
run_init(const KgArgs *args, KgDb *db)
{
	const char *values[] = {KG_MEMORY_BUNDLE_TEXT, "{\"mode\": \"merge\"}"};
	char *text = NULL;
	int code = KG_EXIT_OK;

	if (!kg_db_call(db, "kg_apply_bundle", "jsonb jsonb", values, &text) ||
		!kg_db_commit(db))
		code = db->exit;
	else if (!kg_args_has(args, "quiet"))
		puts("bundle \"" BUNDLE "\" is there");
	free(text);
	return code;
}

/* ---- import ---- */

typedef struct Import
{
	KgDb *db;
	const char *path;
	KgArena *arena;
	KgJson *entities;
	KgJson *observations;
	KgJson *relations;
	size_t nentities;
	size_t nrelations;
	size_t bad;
	unsigned long line;
} Import;

static bool
complain(Import *import, const char *what)
{
	kg_error("%s:%lu: %s; skipped", import->path, import->line, what);
	import->bad++;
	return false;
}

/*
 * Calls a tool with one argument, which is an array of items. Returns false on
 * failure.
 */
static bool
send(Import *import, const char *tool, const char *argument, KgJson *items)
{
	KgJson *arguments = kg_json_object(import->arena);
	const char *values[2] = {tool};
	const KgJson *root;
	const char *message;
	char *text = NULL;
	KgBuf out;
	bool ok;

	if (kgctl_json_length(items) == 0)
		return true;
	kg_json_put(import->arena, arguments, argument, items);
	kg_buf_init(&out);
	kg_json_write(&out, arguments, -1);
	values[1] = out.data;
	ok = kg_db_call(import->db, "kg_call_tool", "text jsonb", values, &text) &&
		 (root = kg_db_read(import->db, import->arena, text, NULL)) != NULL;
	if (ok && kg_json_is_true(kgctl_json_get(root, "isError")))
	{
		message = kg_json_get_text(
			kgctl_json_get(kgctl_json_get(root, "structuredContent"), "error"),
			"message");
		kg_error("%s: %s", tool, message ? message : "refused");
		import->db->exit = KG_EXIT_REFUSED;
		ok = false;
	}
	kg_buf_free(&out);
	free(text);
	return ok;
}

static void
begin_batch(Import *import)
{
	kg_arena_reset(import->arena);
	import->entities = kg_json_array(import->arena);
	import->observations = kg_json_array(import->arena);
	import->relations = kg_json_array(import->arena);
}

static bool
end_batch(Import *import)
{
	/*
	 * Observations of entities that exist already are added by
	 * add_observations.
	 */
	bool ok = send(import, "create_entities", "entities", import->entities) &&
			  send(import,
				   "add_observations",
				   "observations",
				   import->observations) &&
			  send(import, "create_relations", "relations", import->relations);

	begin_batch(import);
	return ok;
}

static bool
is_name(const char *text)
{
	return text != NULL && *text != '\0' && strlen(text) <= MAX_NAME;
}

static void
put_text(Import *import, KgJson *object, const char *key, const char *text)
{
	kg_json_put(import->arena,
				object,
				key,
				kg_json_string(import->arena, text, strlen(text)));
}

static bool
take_entity(Import *import, const KgJson *item)
{
	const char *name = kg_json_get_text(item, "name");
	const char *type = kg_json_get_text(item, "entityType");
	KgJson *list = kgctl_json_get(item, "observations");
	KgJson *entity;
	KgJson *more;

	if (!is_name(name))
		return complain(import, "\"name\" is not a text of 1 to 128 bytes");
	if (type == NULL)
		return complain(import, "\"entityType\" is not a text");
	if (list == NULL || list->kind != KG_JSON_ARRAY)
		return complain(import, "\"observations\" is not an array");
	for (size_t i = 0; i < kgctl_json_length(list); i++)
		if (kgctl_json_text(list->u.items[i]) == NULL)
			return complain(import, "an observation is not a text");
	entity = kg_json_object(import->arena);
	put_text(import, entity, "name", name);
	put_text(import, entity, "entityType", type);
	kg_json_put(import->arena, entity, "observations", list);
	kg_json_push(import->arena, import->entities, entity);
	more = kg_json_object(import->arena);
	put_text(import, more, "entityName", name);
	kg_json_put(import->arena, more, "contents", list);
	kg_json_push(import->arena, import->observations, more);
	import->nentities++;
	return true;
}

static bool
take_relation(Import *import, const KgJson *item)
{
	const char *from = kg_json_get_text(item, "from");
	const char *to = kg_json_get_text(item, "to");
	const char *type = kg_json_get_text(item, "relationType");
	KgJson *relation;

	if (!is_name(from) || !is_name(to))
		return complain(import,
						"\"from\" or \"to\" is not a text of 1 to 128 bytes");
	if (type == NULL || strlen(type) > MAX_TYPE)
		return complain(import,
						"\"relationType\" is not a text of at most 512 bytes");
	relation = kg_json_object(import->arena);
	put_text(import, relation, "from", from);
	put_text(import, relation, "to", to);
	put_text(import, relation, "relationType", type);
	kg_json_push(import->arena, import->relations, relation);
	import->nrelations++;
	return true;
}

static void
take_item(Import *import, const KgctlRows *rows)
{
	char *error = NULL;
	KgJson *item = NULL;
	const char *type;

	if (rows->error == NULL)
		item = kgctl_json_parse(
			import->arena, rows->text, rows->len, NULL, &error);
	type = item && item->kind == KG_JSON_OBJECT ? kg_json_get_text(item, "type")
												: NULL;
	if (item == NULL)
		(void) complain(import, rows->error ? rows->error : error);
	else if (type != NULL && strcmp(type, "entity") == 0)
		(void) take_entity(import, item);
	else if (type != NULL && strcmp(type, "relation") == 0)
		(void) take_relation(import, item);
	else
		(void) complain(import,
						"\"type\" is neither \"entity\" nor \"relation\"");
	free(error);
}

static bool
take_items(Import *import, KgctlRows *rows)
{
	KgRowsResult result;

	begin_batch(import);
	for (size_t n = 1; (result = kg_rows_next(rows)) == KG_ROWS_ROW; n++)
	{
		import->line = rows->line;
		take_item(import, rows);
		if (n % BATCH == 0 && !end_batch(import))
			return false;
	}
	if (result == KG_ROWS_END)
		return end_batch(import);
	kg_error("%s: %s; nothing was written", import->path, rows->error);
	import->db->exit = KG_EXIT_INPUT;
	return false;
}

static int
run_import(const KgArgs *args, KgDb *db)
{
	Import import = {db, args->rest[1], kg_arena_new()};
	KgctlInput in;
	KgctlRows rows;
	int code = KG_EXIT_OK;

	if (!kgctl_input_open(&in, import.path))
	{
		kg_input_close(&in);
		kg_arena_free(import.arena);
		return KG_EXIT_INPUT;
	}
	kg_rows_start(&rows, &in, KG_ROWS_JSON, ',', KG_MAX_FILE);
	if (!take_items(&import, &rows) || !kg_db_commit(db))
		code = db->exit;
	else
	{
		if (!kg_args_has(args, "quiet"))
			kg_print(stdout,
					 "%zu entities, %zu relations read, %zu lines skipped\n",
					 import.nentities,
					 import.nrelations,
					 import.bad);
		code = import.bad > 0 ? KG_EXIT_DIFFERENT : KG_EXIT_OK;
	}
	kg_rows_free(&rows);
	kg_input_close(&in);
	kg_arena_free(import.arena);
	return code;
}

/* ---- export ---- */

static const KgJson *
items_of(const KgJson *bundle, const char *type)
{
	const KgJson *sets = kgctl_json_get(bundle, "entities");

	for (size_t i = 0; i < kgctl_json_length(sets); i++)
	{
		const char *name = kg_json_get_text(sets->u.items[i], "entity_type");

		if (name != NULL && strcmp(name, type) == 0)
			return kgctl_json_get(sets->u.items[i], "items");
	}
	return NULL;
}

static const char *
text_in(const KgJson *object, const char *key)
{
	const char *text = kg_json_get_text(object, key);

	return text ? text : "";
}

static long long
place(const KgJson *observation)
{
	const KgJson *n = kgctl_json_get(observation, "n");

	return n && n->kind == KG_JSON_NUMBER ? strtoll(n->u.text, NULL, 10) : 0;
}

static int
compare_observations(const void *a, const void *b)
{
	const KgJson *x = *(const KgJson *const *) a;
	const KgJson *y = *(const KgJson *const *) b;
	int order = strcmp(text_in(x, "entity"), text_in(y, "entity"));

	if (order == 0)
		order = place(x) < place(y) ? -1 : place(x) > place(y);
	return order != 0 ? order : strcmp(text_in(x, "id"), text_in(y, "id"));
}

static const KgJson **
sorted_observations(const KgJson *items)
{
	size_t n = items ? kgctl_json_length(items) : 0;
	const KgJson **list = kg_malloc((n + 1) * sizeof(*list));

	for (size_t i = 0; i < n; i++)
		list[i] = items->u.items[i];
	qsort(list, n, sizeof(*list), compare_observations);
	list[n] = NULL;
	return list;
}

static void
add_text(KgBuf *out, const char *before, const char *text)
{
	kg_buf_puts(out, before);
	kg_buf_json(out, text, strlen(text));
}

static void
print_line(KgBuf *out)
{
	kg_buf_puts(out, "}\n");
	fwrite(out->data, 1, out->len, stdout);
	out->len = 0;
}

/*
 * Prints the entities with their observations. Both lists must be ordered by
 * the entity's name; *next are the observations that remain.
 */
static void
print_entities(const KgJson *entities, const KgJson **next, KgBuf *out)
{
	for (size_t i = 0; entities && i < kgctl_json_length(entities); i++)
	{
		const KgJson *entity = entities->u.items[i];
		const char *name = text_in(entity, "name");
		const char *comma = "";

		if (kg_json_is_true(kgctl_json_get(entity, "stub")))
			continue;
		add_text(out, "{\"type\":\"entity\",\"name\":", name);
		add_text(out, ",\"entityType\":", text_in(entity, "entityType"));
		kg_buf_puts(out, ",\"observations\":[");
		while (*next && strcmp(text_in(*next, "entity"), name) < 0)
			next++;
		for (; *next && strcmp(text_in(*next, "entity"), name) == 0; next++)
		{
			add_text(out, comma, text_in(*next, "content"));
			comma = ",";
		}
		kg_buf_puts(out, "]");
		print_line(out);
	}
}

/* Returns the part of a handle ("type:id") after the type. */
static const char *
name_of(const char *handle)
{
	const char *colon = strchr(handle, ':');

	return colon ? colon + 1 : handle;
}

/* Appends a relation as a line of the file. Relations follow the entities. */
static void
add_relation(void *arg, const KgJson *edge)
{
	KgBuf *out = arg;

	add_text(out,
			 "{\"type\":\"relation\",\"from\":",
			 name_of(text_in(edge, "from")));
	add_text(out, ",\"to\":", name_of(text_in(edge, "to")));
	add_text(out,
			 ",\"relationType\":",
			 text_in(kgctl_json_get(edge, "properties"), "relationType"));
	kg_buf_puts(out, "}\n");
}

static void
print_memory(const KgJson *bundle, const KgBuf *relations)
{
	const KgJson **observations = sorted_observations(
		items_of(bundle, "observation"));
	KgBuf out;

	kg_buf_init(&out);
	print_entities(items_of(bundle, "entity"), observations, &out);
	if (relations->len > 0)
		fwrite(relations->data, 1, relations->len, stdout);
	kg_buf_free(&out);
	free(observations);
}

static int
run_memory_export(KgDb *db)
{
	KgArena *arena = kg_arena_new();
	const KgJson *bundle;
	KgBuf text;
	KgBuf relations;
	int code = KG_EXIT_OK;

	kg_buf_init(&text);
	kg_buf_init(&relations);
	if (!kg_stored_read(db, BUNDLE, &text, add_relation, &relations))
		code = db->exit;
	else if (text.len == 0)
	{
		kg_error("there is no bundle \"" BUNDLE "\"");
		code = KG_EXIT_REFUSED;
	}
	else if ((bundle = kg_db_read(db, arena, text.data, "entities")) == NULL)
		code = db->exit;
	else
		print_memory(bundle, &relations);
	kg_buf_free(&relations);
	kg_buf_free(&text);
	kg_arena_free(arena);
	return code;
}

static int
run_memory(const KgArgs *args)
{
	const char *what = args->rest[0];
	bool import = strcmp(what, "import") == 0;
	KgDb db;
	int code;

	if (!import && strcmp(what, "init") != 0 && strcmp(what, "export") != 0)
	{
		kg_error("memory: \"%s\" is not init, import or export", what);
		return KG_EXIT_USAGE;
	}
	if ((args->nrest == 2) != import)
	{
		kg_error(import ? "memory import: a file is required"
						: "memory: this command takes no file");
		return KG_EXIT_USAGE;
	}
	if (!kg_db_open(&db, args))
		code = db.exit;
	else if (import)
		code = run_import(args, &db);
	else
		code = strcmp(what, "init") == 0 ? run_init(args, &db)
										 : run_memory_export(&db);
	kg_db_close(&db);
	return code;
}

const KgCommand kg_command_memory = {
	"memory",
	" init | import FILE.jsonl | export",
	"the memory toolset's bundle, and files of the reference server",
	memory_options,
	kg_db_options,
	1,
	2,
	run_memory};
