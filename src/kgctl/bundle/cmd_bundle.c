/*
 * cmd_bundle.c
 *	  kgctl apply, validate, diff, export, suggest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kgctl/bundle/bundle.h"
#include "kgctl/commands.h"
#include "kgctl/db.h"
#include "kgctl/files.h"
#include "kgctl/graph/graph.h"
#include "kgctl/log.h"
#include "kgctl/show.h"
#include "kgctl/stored.h"
#include "kgctl/bundle/yaml.h"

/* The greatest max_errors that kg_apply_bundle_text() accepts. */
#define KG_MAX_ERRORS 10000

static const char apply_options[] =
	"-n, --dry-run\tcheck and count, change nothing\n"
	"--merge\tkeep rows that the bundle does not contain\n"
	"--expected-revision N\trefuse when the stored bundle has another "
	"revision\n"
	"--max-errors N\terrors to report (default 100)\n"
	"--json\tprint the database's answer as JSON\n"
	"-q, --quiet\tprint nothing on success\n";

static const char validate_options[] =
	"--offline\tonly checks that need no database\n"
	"--max-errors N\terrors to report (default 100)\n"
	"-q, --quiet\tprint nothing on success\n";

static const char diff_options[] = "--brief\tonly names, no values\n"
								   "-q, --quiet\tonly the exit code\n";

static const char export_options[] =
	"-o, --output PATH\tdirectory, or file ending in .json or .yaml "
	"(default: JSON on standard output)\n"
	"--format FORMAT\twrite only the graph: ndjson, csv, graphml, turtle, "
	"ntriples, jsonld or cypher\n"
	"--type TYPE\twith --format: only entities of this type\n"
	"--relation NAME\twith --format: only edges of this relation\n"
	"--base IRI\twith --format: the beginning of IRIs (default "
	"https://kg-graph.invalid/BUNDLE/)\n"
	"--delimiter C\twith --format csv: the separator of cells (default: "
	"comma)\n"
	"-f, --force\toverwrite existing files\n";

static int
read_and_send(const KgArgs *args, bool dry_run, bool offline)
{
	KgctlBundle bundle;
	long max_errors = 100;
	long revision = 0;
	int code = KG_EXIT_OK;

	if (!kgctl_args_number(args, "max-errors", 1, KG_MAX_ERRORS, &max_errors) ||
		!kgctl_args_number(args, "expected-revision", 0, 2147483647, &revision))
		return KG_EXIT_USAGE;
	if (!kg_bundle_read(args->rest[0], &bundle))
		code = KG_EXIT_INPUT;
	else if (!offline)
		code = kg_bundle_send(args,
							  &bundle,
							  kg_args_has(args, "merge"),
							  dry_run,
							  max_errors,
							  revision);
	else if (!kg_args_has(args, "quiet"))
		kg_print(stdout,
				 "%s: well formed: %zu entities, %zu edges in %zu files\n",
				 bundle.name,
				 bundle.nentities,
				 bundle.nedges,
				 bundle.nfiles);
	kg_bundle_free(&bundle);
	return code;
}

static int
run_apply(const KgArgs *args)
{
	return read_and_send(args, kg_args_has(args, "dry-run"), false);
}

const KgCommand kg_command_apply = {
	"apply",
	" DIR|FILE",
	"make the stored bundle equal to this bundle",
	apply_options,
	kg_db_options,
	1,
	1,
	run_apply};

static int
run_validate(const KgArgs *args)
{
	return read_and_send(args, true, kg_args_has(args, "offline"));
}

const KgCommand kg_command_validate = {"validate",
									   " DIR|FILE",
									   "check a bundle, change nothing",
									   validate_options,
									   kg_db_options,
									   1,
									   1,
									   run_validate};

/*
 * The parser of a stored bundle: kgctl_json_parse() or kg_json_parse_bundle().
 */
typedef KgJson *(*Parse)(KgArena *arena, const char *text, size_t len,
						 const char *source, char **error);

/*
 * Parses the text of a stored bundle. If the text is empty, no bundle is
 * stored, and *stored becomes NULL. On failure, prints an error and returns
 * false.
 */
static bool
parse_stored(KgDb *db, Parse parse, KgArena *arena, const KgBuf *text,
			 KgJson **stored)
{
	char *error = NULL;

	*stored = NULL;
	if (text->len == 0)
		return true;
	*stored = parse(arena, text->data, text->len, "database", &error);
	if (*stored == NULL)
	{
		kg_error("the database's answer cannot be read: %s", error);
		db->exit = KG_EXIT_INTERNAL;
	}
	free(error);
	return *stored != NULL;
}

/*
 * Compares a stored edge with the wanted bundle. Stored edges come one by one
 * and are not retained.
 */
static void
compare_edge(void *arg, const KgJson *edge)
{
	kg_diff_edge(arg, edge);
}

static size_t
print_diff(const KgArgs *args, KgDiff *diff, const KgJson *stored)
{
	FILE *out = stdout;
	size_t n;

	if (kg_args_has(args, "quiet"))
		out = fopen("/dev/null", "w");
	if (out == NULL)
		out = stderr;
	n = kg_diff_print(diff, out, stored, kg_args_has(args, "brief"));
	if (out != stdout && out != stderr)
		fclose(out);
	return n;
}

static int
diff_bundle(const KgArgs *args, KgctlBundle *bundle)
{
	KgDb db;
	KgDiff *diff = kg_diff_new(bundle->root);
	KgJson *stored;
	KgBuf text;
	int code;

	kg_buf_init(&text);
	if (!kg_db_open(&db, args) ||
		!kg_stored_read(&db, bundle->name, &text, compare_edge, diff) ||
		!parse_stored(&db, kg_json_parse_bundle, bundle->arena, &text, &stored))
		code = db.exit;
	else
		code = print_diff(args, diff, stored) ? KG_EXIT_DIFFERENT : KG_EXIT_OK;
	kg_diff_free(diff);
	kg_buf_free(&text);
	kg_db_close(&db);
	return code;
}

static int
run_diff(const KgArgs *args)
{
	KgctlBundle bundle;
	int code = kg_bundle_read(args->rest[0], &bundle)
				   ? diff_bundle(args, &bundle)
				   : KG_EXIT_INPUT;

	kg_bundle_free(&bundle);
	return code;
}

const KgCommand kg_command_diff = {"diff",
								   " DIR|FILE",
								   "show the changes of an apply",
								   diff_options,
								   kg_db_options,
								   1,
								   1,
								   run_diff};

/*
 * Writes the payload to a directory, a JSON or YAML file, or standard output.
 * On failure, prints an error and returns false.
 */
static bool
write_out(const KgArgs *args, const KgJson *payload)
{
	const char *path = kg_args_get(args, "output");
	bool force = kg_args_has(args, "force");
	bool yaml = path != NULL && kg_is_yaml(path);
	KgBuf out;
	bool ok = true;

	if (path != NULL && !yaml && !kg_ends_with(path, ".json") &&
		strcmp(path, "-") != 0)
		return kg_bundle_write(payload, path, force);
	kg_buf_init(&out);
	if (yaml)
		ok = kg_yaml_write(&out, payload);
	else
	{
		kg_json_write(&out, payload, 0);
		kg_buf_putc(&out, '\n');
	}
	if (!ok)
		kg_error("the bundle cannot be written as YAML");
	else if (path == NULL || strcmp(path, "-") == 0)
		fwrite(out.data, 1, out.len, stdout);
	else if (!force && access(path, F_OK) == 0)
	{
		kg_error("%s exists; use --force to overwrite it", path);
		ok = false;
	}
	else
		ok = kg_write_file(path, out.data, out.len, 0666);
	kg_buf_free(&out);
	return ok;
}

/*
 * Options that are valid only for an export in a graph format, not for an
 * export of a bundle.
 */
static const char *const graph_only[] = {
	"type", "relation", "base", "delimiter"};

static int
run_export(const KgArgs *args)
{
	KgDb db;
	KgArena *arena = kg_arena_new();
	KgJson *payload;
	KgBuf text;
	int code;

	if (kg_args_has(args, "format"))
	{
		kg_arena_free(arena);
		return kg_export_graph(args);
	}
	for (size_t i = 0; i < sizeof(graph_only) / sizeof(*graph_only); i++)
		if (kg_args_has(args, graph_only[i]))
		{
			kg_error("export: --%s requires --format", graph_only[i]);
			kg_arena_free(arena);
			return KG_EXIT_USAGE;
		}
	kg_buf_init(&text);
	if (!kg_db_open(&db, args) ||
		!kg_stored_read(&db, args->rest[0], &text, NULL, NULL) ||
		!parse_stored(&db, kgctl_json_parse, arena, &text, &payload))
		code = db.exit;
	else if (payload == NULL)
	{
		kg_error("bundle \"%s\" does not exist", args->rest[0]);
		code = KG_EXIT_REFUSED;
	}
	else
		code = write_out(args, payload) ? KG_EXIT_OK : KG_EXIT_INPUT;
	kg_db_close(&db);
	kg_buf_free(&text);
	kg_arena_free(arena);
	return code;
}

const KgCommand kg_command_export = {
	"export",
	" BUNDLE",
	"write a bundle, or its graph in the format of other programs",
	export_options,
	kg_db_options,
	1,
	1,
	run_export};

/* ---- suggest ---- */

static const char suggest_options[] =
	"--schema NAME\tthe schema of the tables (default: public)\n"
	"--bundle NAME\tname of the bundle (default: that of the schema)\n"
	"--tenant-column NAME\ta column with the tenant's name, in tables that "
	"have "
	"it\n"
	"--shared\tall tenants may see all rows\n"
	"-o, --output PATH\tdirectory, or file ending in .json or .yaml "
	"(default: JSON on standard output)\n"
	"-f, --force\toverwrite existing files\n"
	"-q, --quiet\tprint nothing on success\n";

/* Returns the options of kg_suggest_bindings(). */
static char *
suggestion_options(KgArena *arena, const KgArgs *args)
{
	static const char *const names[][2] = {{"bundle", "bundle"},
										   {"tenant-column", "tenant_column"}};
	KgJson *object = kg_json_object(arena);
	KgBuf text;

	for (size_t i = 0; i < 2; i++)
	{
		const char *value = kg_args_get(args, names[i][0]);

		if (value != NULL)
			kg_json_put(arena,
						object,
						names[i][1],
						kg_json_string(arena, value, strlen(value)));
	}
	if (kg_args_has(args, "shared"))
		kg_json_put(arena, object, "shared", kg_json_bool(arena, true));
	kg_buf_init(&text);
	kg_json_write(&text, object, -1);
	return text.data;
}

/*
 * Prints the numbers of suggested types and relations, and the next command to
 * run, on standard error. Does nothing if the bundle goes to standard output,
 * or with --quiet.
 */
static void
report_suggestion(const KgArgs *args, const KgJson *payload)
{
	const char *path = kg_args_get(args, "output");

	if (path == NULL || kg_args_has(args, "quiet"))
		return;
	kg_print(stderr,
			 "%s: %zu types, %zu relations of join tables\nReview it, then "
			 "run: kgctl apply %s\n",
			 path,
			 kgctl_json_length(kgctl_json_get(payload, "schemas")),
			 kgctl_json_length(kgctl_json_get(payload, "relations")),
			 path);
}

static int
run_suggest(const KgArgs *args)
{
	KgDb db;
	KgArena *arena = kg_arena_new();
	char *options = suggestion_options(arena, args);
	const char *schema = kg_args_get(args, "schema");
	const char *values[] = {schema ? schema : "public", options};
	const KgJson *payload = NULL;
	char *text = NULL;
	int code;

	if (kg_db_open(&db, args) &&
		kg_db_call(&db, "kg_suggest_bindings", "text jsonb", values, &text))
		payload = kg_db_read(&db, arena, text, "schemas");
	if (payload == NULL)
		code = db.exit;
	else if (write_out(args, payload))
	{
		report_suggestion(args, payload);
		code = KG_EXIT_OK;
	}
	else
		code = KG_EXIT_INPUT;
	kg_db_close(&db);
	free(text);
	free(options);
	kg_arena_free(arena);
	return code;
}

const KgCommand kg_command_suggest = {
	"suggest",
	"",
	"write a bundle of types that read the tables of a schema",
	suggest_options,
	kg_db_options,
	0,
	0,
	run_suggest};
