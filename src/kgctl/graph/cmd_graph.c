/*
 * graph/cmd_graph.c
 *	  kgctl export --format, and kgctl load --bundle.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kgctl/db.h"
#include "kgctl/files.h"
#include "kgctl/graph/graph.h"
#include "kgctl/log.h"
#include "kgctl/stored.h"

static const KgGraphFormat *const formats[] = {&kg_format_ndjson,
											   &kg_format_csv,
											   &kg_format_graphml,
											   &kg_format_turtle,
											   &kg_format_ntriples,
											   &kg_format_jsonld,
											   &kg_format_cypher};

#define NFORMATS (sizeof(formats) / sizeof(*formats))

/*
 * Returns the names of the formats that can be read or, if read is false,
 * written.
 */
static char *
list_formats(bool read)
{
	KgBuf names;

	kg_buf_init(&names);
	for (size_t i = 0; i < NFORMATS; i++)
		if (!read || formats[i]->read != NULL)
			kg_buf_printf(
				&names, "%s%s", names.len ? ", " : "", formats[i]->name);
	return kg_buf_detach(&names);
}

static const KgGraphFormat *
named_format(const char *name, bool read)
{
	char *names;

	for (size_t i = 0; i < NFORMATS; i++)
		if (strcmp(formats[i]->name, name) == 0 &&
			(!read || formats[i]->read != NULL))
			return formats[i];
	names = list_formats(read);
	if (read && strcmp(name, "csv") == 0)
		kg_error("--format: a CSV file contains one type or relation; load it "
				 "with --type or --relation instead of --bundle");
	else
		kg_error("--format: \"%s\" is not one of %s", name, names);
	free(names);
	return NULL;
}

/*
 * Returns the format that a file's suffix determines. If the suffix is unknown,
 * prints an error and returns NULL.
 */
static const KgGraphFormat *
format_of(const char *path)
{
	size_t len = strlen(path);
	char *name;
	char *names;

	if (kg_ends_with(path, ".gz"))
		len -= 3;
	else if (kg_ends_with(path, ".zst"))
		len -= 4;
	name = kg_strndup(path, len);
	for (size_t i = 0; i < NFORMATS; i++)
		if (formats[i]->read != NULL && kg_ends_with(name, formats[i]->suffix))
		{
			free(name);
			return formats[i];
		}
	free(name);
	names = list_formats(true);
	kg_error("%s: the name does not show the format; add --format with one of "
			 "%s",
			 path,
			 names);
	free(names);
	return NULL;
}

/*
 * Sets the base of IRIs from --base. On failure, prints an error and returns
 * false.
 */
static bool
set_base(KgGraph *graph, const char *bundle)
{
	const char *given = kg_args_get(graph->args, "base");

	graph->base = given ? given
						: kg_arena_format(graph->arena,
										  "https://kg-graph.invalid/%s/",
										  bundle);
	if (strchr(graph->base, ':') != NULL &&
		strpbrk(graph->base, " <>\"{}|\\^`#") == NULL &&
		(kg_ends_with(graph->base, "/") || kg_ends_with(graph->base, ":")))
		return true;
	kg_error("--base: \"%s\" is not an absolute IRI that ends in / or :",
			 graph->base);
	return false;
}

/* ---- export ---- */

static bool
write_text(const KgArgs *args, const char *dir, const char *name,
		   const KgBuf *out)
{
	const char *path = dir ? dir : kg_args_get(args, "output");
	char *full;
	bool ok;

	if (path == NULL || strcmp(path, "-") == 0)
	{
		fwrite(out->data, 1, out->len, stdout);
		return true;
	}
	full = name ? kg_format("%s/%s", path, name) : kg_strdup(path);
	ok = kg_args_has(args, "force") || access(full, F_OK) != 0;
	if (!ok)
		kg_error("%s exists; use --force to overwrite it", full);
	ok = ok && (name ? kg_write_below(path, name, out->data, out->len, 0666)
					 : kg_write_file(full, out->data, out->len, 0666));
	free(full);
	return ok;
}

static bool
write_graph(const KgGraph *graph, const KgGraphFormat *format, const char *dir,
			const char *name)
{
	KgBuf out;
	bool ok;

	kg_buf_init(&out);
	kg_buf_puts(&out, "");
	ok = format->write(graph, &out) && write_text(graph->args, dir, name, &out);
	kg_buf_free(&out);
	return ok;
}

/*
 * Returns whether a type or relation reads a table of the database. An export
 * has no rows of tables.
 */
static bool
reads_table(const KgJson *declared)
{
	return kgctl_json_get(kgctl_json_get(declared, "schema"), "x-table") !=
		   NULL;
}

/*
 * Writes a file for each item of a list of types or relations, except those
 * that read tables. Returns false on failure.
 */
static bool
write_each(KgGraph *graph, const KgGraphFormat *format, const char *list,
		   const char *member, const char *dir)
{
	const KgJson *items = kgctl_json_get(graph->bundle, list);
	bool types = strcmp(list, "schemas") == 0;
	bool ok = true;

	for (size_t i = 0; ok && i < kgctl_json_length(items); i++)
	{
		const char *name = kg_json_text_or(items->u.items[i], member, "");
		char *file = kg_format(
			"%s/%s%s", types ? "entities" : "edges", name, format->suffix);
		bool again = reads_table(items->u.items[i]);

		for (size_t k = 0; k < i; k++)
			again |= strcmp(kg_json_text_or(items->u.items[k], member, ""),
							name) == 0;
		graph->type = types ? name : NULL;
		graph->relation = types ? NULL : name;
		ok = again || write_graph(graph, format, dir, file);
		free(file);
	}
	return ok;
}

static bool
write_directory(KgGraph *graph, const KgGraphFormat *format)
{
	const char *dir = kg_args_get(graph->args, "output");
	char *entities;
	char *edges;
	bool ok;

	if (dir == NULL || strcmp(dir, "-") == 0)
	{
		kg_error("--format %s has a file for each type and relation; add "
				 "--output DIRECTORY, or --type or --relation",
				 format->name);
		return false;
	}
	entities = kg_format("%s/entities", dir);
	edges = kg_format("%s/edges", dir);
	ok = kg_make_directory(dir) && kg_make_directory(entities) &&
		 kg_make_directory(edges) &&
		 write_each(graph, format, "schemas", "entity_type", dir) &&
		 write_each(graph, format, "relations", "name", dir);
	free(entities);
	free(edges);
	return ok;
}

/*
 * Checks that the bundle has the type of --type and the relation of --relation.
 * If not, prints an error and returns false.
 */
static bool
check_names(const KgGraph *graph)
{
	if (graph->type != NULL && kg_graph_schema(graph, graph->type) == NULL)
		kg_error("--type: the bundle has no entity type \"%s\"", graph->type);
	else if (graph->relation != NULL &&
			 kg_graph_relation(graph, graph->relation) == NULL)
		kg_error("--relation: the bundle declares no relation \"%s\"",
				 graph->relation);
	else
		return true;
	return false;
}

/*
 * Appends the names of those exported types or relations of a list that read
 * tables. Returns the number of exported types or relations that do not.
 */
static size_t
name_tables(const KgGraph *graph, const char *list, const char *member,
			const char *only, KgBuf *names)
{
	const KgJson *items = kgctl_json_get(graph->bundle, list);
	bool all = graph->type == NULL && graph->relation == NULL;
	size_t stored = 0;

	for (size_t i = 0; i < kgctl_json_length(items); i++)
	{
		const char *name = kg_json_text_or(items->u.items[i], member, "");

		if (!all && (only == NULL || strcmp(name, only) != 0))
			continue;
		if (reads_table(items->u.items[i]))
			kg_buf_printf(names, "%s\"%s\"", names->len > 0 ? ", " : "", name);
		else
			stored++;
	}
	return stored;
}

/*
 * Prints which types and relations are not exported, because they read tables.
 * Returns false if there is nothing else to export.
 */
static bool
check_tables(const KgGraph *graph)
{
	KgBuf names;
	size_t stored;
	bool ok;

	kg_buf_init(&names);
	stored = name_tables(graph, "schemas", "entity_type", graph->type, &names);
	stored += name_tables(graph, "relations", "name", graph->relation, &names);
	ok = names.len == 0 || stored > 0;
	if (names.len > 0)
		kg_error("%sthe rows of tables are not exported: %s; write them with "
				 "\"kgctl query --csv 'SELECT ...'\"",
				 ok ? "warning: " : "",
				 names.data);
	kg_buf_free(&names);
	return ok;
}

static int
export_stored(KgGraph *graph, const KgGraphFormat *format, KgDb *db)
{
	const char *name = graph->args->rest[0];
	bool split = kg_format_is_split(format);
	KgBuf text;
	bool ok;

	kg_buf_init(&text);
	ok = kg_stored_read(db, name, &text, NULL, NULL);
	if (ok && text.len == 0)
	{
		kg_error("bundle \"%s\" does not exist", name);
		db->exit = KG_EXIT_REFUSED;
		ok = false;
	}
	ok = ok && (graph->bundle = kg_db_read(
					db, graph->arena, text.data, "entities")) != NULL;
	kg_buf_free(&text);
	if (!ok)
		return db->exit;
	if (!check_names(graph) || !check_tables(graph))
		return KG_EXIT_USAGE;
	if (split && graph->type == NULL && graph->relation == NULL)
		ok = write_directory(graph, format);
	else
		ok = write_graph(graph, format, NULL, NULL);
	return ok ? KG_EXIT_OK : KG_EXIT_INPUT;
}

int
kg_export_graph(const KgArgs *args)
{
	const KgGraphFormat *format = named_format(kg_args_get(args, "format"),
											   false);
	const char *delimiter = kg_args_get(args, "delimiter");
	KgGraph graph = {.args = args};
	char ignored;
	KgDb db;
	int code = KG_EXIT_USAGE;

	graph.arena = kg_arena_new();
	graph.type = kg_args_get(args, "type");
	graph.relation = kg_args_get(args, "relation");
	if (format == NULL || !set_base(&graph, args->rest[0]))
		;
	else if (delimiter != NULL && format != &kg_format_csv)
		kg_error("--delimiter requires --format csv");
	else if (!kg_args_delimiter(args, ',', &ignored))
		;
	else if (format == &kg_format_csv && graph.type && graph.relation)
		kg_error("--format csv writes one type or one relation to a file; add "
				 "--type or --relation");
	else
	{
		code = kg_db_open(&db, args) ? export_stored(&graph, format, &db)
									 : db.exit;
		kg_db_close(&db);
	}
	kg_arena_free(graph.arena);
	return code;
}

/* ---- load ---- */

/*
 * Options that are valid only for a load in batches. A load of a graph is one
 * transaction, so it refuses these options.
 */
static const char *const of_batches[] = {"rejects",
										 "again",
										 "force",
										 "resume",
										 "name",
										 "batch",
										 "max-row",
										 "delimiter",
										 "empty"};

static bool
check_load(const KgArgs *args, long *max_errors)
{
	for (size_t i = 0; i < sizeof(of_batches) / sizeof(*of_batches); i++)
		if (kg_args_has(args, of_batches[i]))
		{
			kg_error("load: --bundle loads a graph in one transaction, without "
					 "--%s; load the entities of one type with --type alone",
					 of_batches[i]);
			return false;
		}
	return kgctl_args_number(args, "max-errors", 1, 10000, max_errors);
}

static int
read_file(KgGraph *graph, const char *path)
{
	const char *given = kg_args_get(graph->args, "format");
	const KgGraphFormat *format = given ? named_format(given, true)
										: format_of(path);
	KgctlInput in;
	bool ok;

	if (format == NULL)
		return KG_EXIT_USAGE;
	graph->path = path;
	ok = kgctl_input_open(&in, path) && format->read(graph, &in);
	kg_input_close(&in);
	return ok ? KG_EXIT_OK : KG_EXIT_INPUT;
}

static const KgJson *
payload_of(const KgGraph *graph)
{
	KgJson *root = kg_json_object(graph->arena);

	kg_json_put(graph->arena,
				root,
				"bundle_name",
				kgctl_json_get(graph->bundle, "bundle_name"));
	kg_json_put(graph->arena,
				root,
				"version",
				kgctl_json_get(graph->bundle, "version"));
	kg_json_put(graph->arena, root, "entities", graph->entities);
	if (graph->edges->len > 0)
		kg_json_put(graph->arena, root, "edges", graph->edges);
	return root;
}

static int
send_graph(KgGraph *graph, long max_errors)
{
	KgctlBundle bundle;
	int code = KG_EXIT_INPUT;

	memset(&bundle, 0, sizeof(bundle));
	bundle.arena = kg_arena_new();
	bundle.root = (KgJson *) payload_of(graph);
	bundle.stored = graph->bundle;
	if (kgctl_bundle_check(&bundle))
		code = kg_bundle_send(graph->args,
							  &bundle,
							  true,
							  kg_args_has(graph->args, "dry-run"),
							  max_errors,
							  0);
	kg_bundle_free(&bundle);
	return code;
}

int
kg_load_graph(const KgArgs *args)
{
	const char *name = kg_args_get(args, "bundle");
	KgGraph graph = {.args = args};
	long max_errors = 100;
	KgDb db;
	int code = KG_EXIT_USAGE;

	graph.arena = kg_arena_new();
	graph.entities = kg_json_array(graph.arena);
	graph.edges = kg_json_array(graph.arena);
	graph.type = kg_args_get(args, "type");
	graph.relation = kg_args_get(args, "relation");
	if (check_load(args, &max_errors) && set_base(&graph, name))
	{
		if (kg_db_open(&db, args))
			graph.bundle = kg_stored_declared(&db, graph.arena, name);
		code = graph.bundle ? KG_EXIT_OK : db.exit;
		kg_db_close(&db);
		if (code == KG_EXIT_OK && !check_names(&graph))
			code = KG_EXIT_USAGE;
		for (size_t i = 0; i < args->nrest && code == KG_EXIT_OK; i++)
			code = read_file(&graph, args->rest[i]);
		if (code == KG_EXIT_OK)
			code = send_graph(&graph, max_errors);
	}
	kg_arena_free(graph.arena);
	return code;
}
