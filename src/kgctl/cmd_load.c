/*
 * cmd_load.c
 *	  kgctl load: rows of files as entities of a type, or as edges of a
 *	  relation.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/columns.h"
#include "kgctl/commands.h"
#include "kgctl/graph/graph.h"
#include "kgctl/load.h"
#include "kgctl/log.h"
#include "kgctl/rows.h"
#include "kgctl/show.h"

#define BATCH_ROWS 5000
#define MAX_BATCH_ROWS 100000
#define ROW_BYTES (8L * 1024 * 1024)
#define MAX_ROW_BYTES (256L * 1024 * 1024)
#define MAX_NAME 900

static const char load_options[] =
	"--type TYPE\tthe rows are entities of this type\n"
	"--relation NAME\tthe rows are edges of this relation: from, to, "
	"properties\n"
	"--bundle NAME\tthe rows are entities and edges of this bundle, in a graph "
	"format; with --type or --relation: those without one\n"
	"--map COLUMN=PROPERTY...\tthe property of a column of CSV; without a "
	"property the column is left out\n"
	"--format FORMAT\tjson (lines or an array), csv or tsv; with --bundle "
	"ndjson, graphml, turtle, ntriples or jsonld (else by the file's name)\n"
	"--base IRI\twith --bundle: the beginning of IRIs (default "
	"https://kg-graph.invalid/BUNDLE/)\n"
	"--delimiter C\tthe separator of cells (default: comma; for tsv a tab)\n"
	"--empty WHAT\tthe value of an empty cell: absent (default), or null if "
	"the schema allows it\n"
	"--rejects FILE\twrite refused rows to FILE, and continue\n"
	"--again\tload corrected files that --rejects has written\n"
	"-f, --force\toverwrite FILE\n"
	"--resume\tcontinue this load after its last complete batch\n"
	"--name NAME\tthe name of the load for --resume (default: from the type or "
	"relation, and the files)\n"
	"--atomic\tload all rows in one transaction, or none\n"
	"-n, --dry-run\tcheck all rows, and write none\n"
	"--batch N\tnumber of rows of a transaction (default 5000)\n"
	"--max-row BYTES\tmaximum length of a row (default 8388608)\n"
	"--max-errors N\terrors to report (default 100)\n"
	"-q, --quiet\tprint nothing on success\n";

typedef enum Format
{
	FORMAT_JSON,
	FORMAT_CSV,
	FORMAT_TSV
} Format;

typedef struct Command
{
	const KgArgs *args;
	KgLoad load;
	KgTarget target;
	KgArena *arena; /* memory for one row */
	KgBuf text;		/* a row of cells as JSON */
	bool resume;
	bool again;
	long max_row;
	uint64_t total;	 /* bytes of all files; 0: unknown */
	uint64_t before; /* total bytes of the files before the current file */
} Command;

/* ---- options ---- */

static bool
find_format(const KgArgs *args, const char *path, Format *format)
{
	static const struct
	{
		const char *suffix;
		Format format;
	} suffixes[] = {{".json", FORMAT_JSON},
					{".jsonl", FORMAT_JSON},
					{".ndjson", FORMAT_JSON},
					{".csv", FORMAT_CSV},
					{".tsv", FORMAT_TSV},
					{".tab", FORMAT_TSV}};
	const char *given = kg_args_get(args, "format");
	char *name = given ? kg_format(".%s", given) : kg_strdup(path);
	size_t len = strlen(name);
	size_t i;

	if (given == NULL && (kg_ends_with(name, ".gz")))
		name[len - 3] = '\0';
	else if (given == NULL && kg_ends_with(name, ".zst"))
		name[len - 4] = '\0';
	for (i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (kg_ends_with(name, suffixes[i].suffix))
			break;
	free(name);
	if (i < sizeof(suffixes) / sizeof(*suffixes))
	{
		*format = suffixes[i].format;
		return true;
	}
	if (given != NULL)
		kg_error("--format: \"%s\" is not json, csv or tsv", given);
	else
		kg_error("%s: the name does not show the format; add --format json, "
				 "csv or tsv",
				 path);
	return false;
}

/* Returns the name of the load, by which --resume finds the load's position. */
static char *
name_of(const KgArgs *args, const KgLoad *load)
{
	const char *given = kg_args_get(args, "name");
	KgBuf name;

	if (given != NULL)
		return kg_strdup(given);
	kg_buf_init(&name);
	kg_buf_printf(
		&name, "%s %s:", load->edges ? "relation" : "type", load->target);
	for (size_t i = 0; i < args->nrest; i++)
		kg_buf_printf(&name, " %s", args->rest[i]);
	if (name.len > MAX_NAME)
	{
		uint64_t hash = kg_hash(0, name.data, name.len);

		name.len = MAX_NAME;
		while (name.len > 0 &&
			   ((unsigned char) name.data[name.len] & 0xC0) == 0x80)
			name.len--;
		kg_buf_printf(&name, "... %016" PRIx64, hash);
	}
	return kg_buf_detach(&name);
}

static bool
check_options(Command *c)
{
	const KgArgs *args = c->args;
	KgLoad *load = &c->load;
	const char *type = kg_args_get(args, "type");
	const char *relation = kg_args_get(args, "relation");
	const char *empty = kg_args_get(args, "empty");

	load->edges = relation != NULL;
	load->target = relation ? relation : type;
	load->dry_run = kg_args_has(args, "dry-run");
	load->atomic = kg_args_has(args, "atomic") || load->dry_run;
	load->max_rows = BATCH_ROWS;
	load->max_errors = 100;
	load->files = args->rest;
	c->resume = kg_args_has(args, "resume");
	c->again = kg_args_has(args, "again");
	c->max_row = ROW_BYTES;
	if ((type == NULL) == (relation == NULL))
		kg_error("load: one of --type, --relation and --bundle is required");
	else if (kg_args_has(args, "base"))
		kg_error("load: --base is used with --bundle");
	else if (load->atomic && c->resume)
		kg_error("load: --atomic and --dry-run leave nothing for --resume");
	else if (empty != NULL && strcmp(empty, "null") != 0 &&
			 strcmp(empty, "absent") != 0)
		kg_error("--empty: \"%s\" is not absent or null", empty);
	else
		return kgctl_args_number(
				   args, "batch", 1, MAX_BATCH_ROWS, &load->max_rows) &&
			   kgctl_args_number(
				   args, "max-row", 1, MAX_ROW_BYTES, &c->max_row) &&
			   kgctl_args_number(
				   args, "max-errors", 1, 10000, &load->max_errors);
	return false;
}

/* ---- rows ---- */

static void
show_progress(Command *c, const KgctlInput *in)
{
	if (c->total > 0)
		c->load.progress.done = (double) (c->before + in->read) /
								(double) c->total;
	kg_progress_show(&c->load.progress, false);
}

static KgLoadPlace
place_after(size_t file, const KgctlInput *in)
{
	KgLoadPlace place = {file, in->offset, in->hash, in->line};

	return place;
}

/*
 * Returns the row that a line of a file of rejects contains, and sets *text to
 * the row's text. Returns NULL if the line contains no row.
 */
static const KgJson *
unwrap(Command *c, const KgJson *line, const char **text, size_t *len)
{
	const KgJson *item = kgctl_json_get(line, "item");

	if (item == NULL || item->kind != KG_JSON_OBJECT)
		return NULL;
	c->text.len = 0;
	kg_json_write(&c->text, item, -1);
	*text = c->text.data;
	*len = c->text.len;
	return item;
}

/*
 * Returns the text of the error "not JSON" without "line 1", because most rows
 * have one line. Frees error.
 */
static char *
say_not_json(char *error)
{
	bool first = error != NULL && strncmp(error, "line 1, ", 8) == 0;
	char *said = kg_format("not JSON: %s",
						   error ? error + (first ? 8 : 0) : "nothing");

	free(error);
	return said;
}

/*
 * Returns a row as JSON. If the row is invalid, sets *error (malloc'd) and
 * returns NULL.
 */
static const KgJson *
read_row(Command *c, const KgctlRows *rows, const KgctlColumns *columns,
		 const char **text, size_t *len, char **error, const char **property)
{
	const KgJson *item;

	*text = rows->text;
	*len = rows->len;
	*property = NULL;
	*error = NULL;
	if (columns != NULL)
	{
		c->text.len = 0;
		*error = kg_columns_row(columns, rows, &c->text, property);
		if (*error != NULL)
			return NULL;
		*text = c->text.data;
		*len = c->text.len;
	}
	item = kgctl_json_parse(c->arena, *text, *len, NULL, error);
	if (item == NULL)
		*error = say_not_json(*error);
	else if (item->kind != KG_JSON_OBJECT)
		*error = kg_strdup("the row is not an object");
	else if (c->again && (item = unwrap(c, item, text, len)) == NULL)
		*error = kg_strdup("the line has no \"item\" that is an object; "
						   "correct the row in the file from which it came");
	return *error == NULL ? item : NULL;
}

static bool
take_row(Command *c, size_t file, KgctlRows *rows, const KgctlColumns *columns)
{
	KgLoadPlace after = place_after(file, rows->in);
	const char *property = NULL;
	const char *text;
	size_t len;
	const KgJson *item;
	char *error = NULL;
	bool ok;

	if (rows->error != NULL)
		return kg_load_bad_row(&c->load,
							   &after,
							   rows->line,
							   rows->error,
							   NULL,
							   rows->text,
							   rows->len);
	item = read_row(c, rows, columns, &text, &len, &error, &property);
	if (item != NULL)
		ok = kg_load_row(&c->load, &after, rows->line, item, text, len);
	else
		ok = kg_load_bad_row(&c->load,
							 &after,
							 rows->line,
							 error,
							 property,
							 rows->text,
							 rows->len);
	free(error);
	kg_arena_reset(c->arena);
	return ok;
}

static bool
stop_interrupted(Command *c)
{
	kg_progress_clear(&c->load.progress);
	if (c->load.atomic)
		kg_error("cancelled; nothing was written");
	else
		kg_error("cancelled; %" PRIu64
				 " rows were written, --resume continues after them",
				 c->load.counts.rows);
	c->load.db.exit = KG_EXIT_INTERRUPTED;
	return false;
}

/*
 * Ends the load, because the input cannot be read further. First writes the
 * batch of valid rows, so that no row that was read is lost. Prints the error
 * and returns false.
 */
static bool
stop_broken(Command *c, const KgctlRows *rows)
{
	bool ok = c->load.atomic || kg_load_flush(&c->load);

	if (!ok)
		return false;
	kg_progress_clear(&c->load.progress);
	kg_error("%s: %s", rows->in->path, rows->error);
	if (c->load.atomic)
		kg_error("nothing was written");
	else
		kg_error(
			"%" PRIu64
			" rows were written; correct the file and continue with --resume",
			c->load.counts.rows);
	c->load.db.exit = KG_EXIT_INPUT;
	return false;
}

static bool
take_rows(Command *c, size_t file, KgctlRows *rows, const KgctlColumns *columns)
{
	for (;;)
	{
		KgRowsResult result = kg_rows_next(rows);

		if (kg_db_interrupted())
			return stop_interrupted(c);
		if (result == KG_ROWS_BROKEN)
			return stop_broken(c, rows);
		if (result == KG_ROWS_END)
			return true;
		show_progress(c, rows->in);
		if (!take_row(c, file, rows, columns))
			return false;
	}
}

/*
 * Reads the header, which is the first row of a file with cells. On failure,
 * prints an error and returns false.
 */
static bool
read_header(Command *c, KgctlRows *rows, KgctlColumns **columns)
{
	KgRowsResult result = kg_rows_next(rows);

	if (result == KG_ROWS_BROKEN)
		return stop_broken(c, rows);
	if (result == KG_ROWS_END)
		kg_error("%s: is empty: the first row names the columns",
				 rows->in->path);
	else if (rows->error != NULL)
		kg_error("%s:%lu: %s", rows->in->path, rows->line, rows->error);
	else
		*columns = kg_columns_new(
			rows, c->args, c->target.schema, c->load.edges);
	c->load.db.exit = KG_EXIT_INPUT;
	return *columns != NULL;
}

/*
 * Skips the rows that an earlier run has loaded. If these rows have changed, or
 * on another failure, prints an error and returns false.
 */
static bool
skip_loaded(Command *c, KgctlRows *rows)
{
	const KgLoadPlace *place = &c->load.place;
	bool whole = kg_rows_skip(rows, place->offset);

	c->load.db.exit = KG_EXIT_INPUT;
	if (rows->in->error != NULL)
		kg_error("%s: %s", rows->in->path, rows->in->error);
	/* At offset 0 no row was loaded, so there is nothing to compare. */
	else if (place->offset > 0 &&
			 (!whole || rows->in->offset != place->offset ||
			  rows->in->hash != place->hash))
		kg_error("%s: lines before line %lu, which were loaded, have changed "
				 "since; load the file again, without --resume",
				 rows->in->path,
				 place->line);
	else
	{
		if (c->total > 0)
			c->load.progress.begun = (double) (c->before + rows->in->read) /
									 (double) c->total;
		return true;
	}
	return false;
}

static bool
load_file(Command *c, size_t file, bool skip)
{
	const char *path = c->load.files[file];
	KgctlInput in;
	KgctlRows rows;
	KgctlColumns *columns = NULL;
	Format format = FORMAT_JSON;
	char delimiter = ',';
	bool ok;

	c->load.db.exit = KG_EXIT_USAGE;
	if (!c->again &&
		(!find_format(c->args, path, &format) ||
		 !kg_args_delimiter(
			 c->args, format == FORMAT_TSV ? '\t' : ',', &delimiter)))
		return false;
	c->load.db.exit = KG_EXIT_INPUT;
	if (!kgctl_input_open(&in, path))
	{
		kg_input_close(&in);
		return false;
	}
	kg_rows_start(&rows,
				  &in,
				  format == FORMAT_JSON ? KG_ROWS_JSON : KG_ROWS_CELLS,
				  delimiter,
				  (size_t) c->max_row);
	ok = (format == FORMAT_JSON || read_header(c, &rows, &columns)) &&
		 (!skip || skip_loaded(c, &rows)) && take_rows(c, file, &rows, columns);
	c->before += in.size;
	kg_columns_free(columns);
	kg_rows_free(&rows);
	kg_input_close(&in);
	return ok;
}

/* ---- the load ---- */

static void
add_sizes(Command *c)
{
	for (size_t i = 0; i < c->args->nrest; i++)
	{
		uint64_t size = kg_input_size(c->args->rest[i]);

		if (size == 0)
		{
			c->total = 0;
			return;
		}
		c->total += size;
	}
}

static bool
open_rejects(Command *c, const KgLoadStopped *stopped)
{
	const char *path = kg_args_get(c->args, "rejects");
	KgRejects *rejects = &c->load.rejects;

	if (path == NULL)
		return true;
	c->load.db.exit = KG_EXIT_INPUT;
	if (stopped->found && stopped->rejects != NULL &&
		strcmp(stopped->rejects, path) == 0)
		return kg_rejects_go_on(rejects, path, stopped->size);
	return kg_rejects_open(rejects, path, kg_args_has(c->args, "force"));
}

/*
 * Finds the position at which the load continues. Sets *first to the index of
 * the file that has this position. On failure, prints an error and returns
 * false.
 */
static bool
find_start(Command *c, KgLoadStopped *stopped, size_t *first)
{
	KgLoad *load = &c->load;

	*first = 0;
	if (load->atomic)
		return true;
	if (!kg_load_stopped(load, stopped))
		return false;
	if (!c->resume)
	{
		if (stopped->found && !stopped->done && load->counts.rows > 0)
			kg_error("%s stopped after %" PRIu64
					 " rows at %s; --resume would continue it, and this load "
					 "starts again",
					 load->name,
					 load->counts.rows,
					 stopped->time ? stopped->time : "?");
		stopped->found = false;
		return kg_load_begin(load);
	}
	if (!stopped->found)
		return kg_load_begin(load);
	*first = load->place.file;
	if (*first < c->args->nrest && stopped->path != NULL &&
		strcmp(stopped->path, load->files[*first]) == 0)
		return true;
	kg_error("%s stopped in %s, which is not file %zu of the given files",
			 load->name,
			 stopped->path ? stopped->path : "?",
			 *first + 1);
	load->db.exit = KG_EXIT_INPUT;
	return false;
}

static bool
load_files(Command *c, size_t first, bool resumed)
{
	KgLoad *load = &c->load;

	add_sizes(c);
	kg_progress_start(&load->progress, load->target);
	load->progress.unit = "rows";
	load->progress.count = load->progress.skipped = load->counts.rows;
	load->db.progress = &load->progress;
	for (size_t i = 0; i < c->args->nrest; i++)
		if (i < first)
			c->before += kg_input_size(c->args->rest[i]);
		else if (!load_file(c, i, resumed && i == first))
			return false;
	return kg_load_end(load);
}

static void
print_counts(const Command *c, double seconds)
{
	const KgLoadCounts *n = &c->load.counts;
	const char *undone = c->load.dry_run ? ", and nothing was written"
						 : c->load.atomic && n->rejected > 0
							 ? ", and so nothing was written"
							 : "";

	if (kg_args_has(c->args, "quiet") && n->rejected == 0)
		return;
	kg_print(stdout,
			 "%s: %" PRIu64 " rows: created %" PRIu64 ", updated %" PRIu64
			 ", unchanged %" PRIu64 ", rejected %" PRIu64 "%s (%.1f s)\n",
			 c->load.target,
			 n->rows,
			 n->created,
			 n->updated,
			 n->unchanged,
			 n->rejected,
			 undone,
			 seconds);
	if (n->rejected > 0 && c->load.rejects.path != NULL)
		kg_error("%" PRIu64
				 " rows are in %s; correct them there, then run: kgctl load "
				 "%s %s --again %s",
				 n->rejected,
				 c->load.rejects.path,
				 c->load.edges ? "--relation" : "--type",
				 c->load.target,
				 c->load.rejects.path);
}

static int
run_files(Command *c)
{
	KgLoad *load = &c->load;
	KgLoadStopped stopped;
	size_t first;
	bool ok;

	memset(&stopped, 0, sizeof(stopped));
	ok = find_start(c, &stopped, &first);
	if (ok && stopped.found && stopped.done)
		kg_print(stdout,
				 "%s: already loaded, %" PRIu64 " rows, at %s\n",
				 load->name,
				 load->counts.rows,
				 stopped.time ? stopped.time : "?");
	else if (ok)
	{
		/*
		 * Commit the position of a new load before the first row is read, so
		 * that --resume finds it.
		 */
		ok = open_rejects(c, &stopped) &&
			 (load->atomic || kg_db_commit(&load->db)) &&
			 load_files(c, first, stopped.found);
		kg_progress_end(&load->progress);
		if (ok)
			print_counts(c, kg_seconds_since(&load->progress.start));
	}
	kg_load_stopped_free(&stopped);
	if (!ok)
		return load->db.exit;
	if (load->counts.rejected == 0)
		return KG_EXIT_OK;
	return load->atomic ? KG_EXIT_REFUSED : KG_EXIT_DIFFERENT;
}

static int
run_load(const KgArgs *args)
{
	Command c;
	int code;

	if (kg_args_has(args, "bundle"))
		return kg_load_graph(args);
	memset(&c, 0, sizeof(c));
	c.args = args;
	if (!check_options(&c))
		return KG_EXIT_USAGE;
	kg_load_start(&c.load);
	kg_buf_init(&c.text);
	c.arena = kg_arena_new();
	c.target.arena = kg_arena_new();
	c.load.name = name_of(args, &c.load);
	if (!kg_db_open(&c.load.db, args) ||
		!kg_stored_target(&c.load.db, c.load.target, c.load.edges, &c.target))
		code = c.load.db.exit;
	else
	{
		c.load.id_field = c.target.id_field;
		c.load.key = c.target.key;
		code = run_files(&c);
	}
	kg_db_close(&c.load.db);
	kg_rejects_close(&c.load.rejects);
	kg_load_free(&c.load);
	kg_arena_free(c.arena);
	kg_arena_free(c.target.arena);
	kg_buf_free(&c.text);
	free((char *) c.load.name);
	return code;
}

const KgCommand kg_command_load = {
	"load",
	" FILE...",
	"load entities and edges from JSON, CSV, TSV and graph formats",
	load_options,
	kg_db_options,
	1,
	1000,
	run_load};
