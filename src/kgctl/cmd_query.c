/*
 * cmd_query.c
 *	  kgctl query: runs one SELECT over types and relations, and prints its
 *	  rows as a table, as CSV or as JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/commands.h"
#include "kgctl/db.h"
#include "kgctl/files.h"
#include "kgctl/json.h"
#include "kgctl/log.h"
#include "kgctl/show.h"

static const char query_options[] =
	"--csv\tprint the rows as CSV, with the names of the columns\n"
	"--json\tprint the reply as JSON\n"
	"--explain\tprint the plan, too; for members of pg_read_all_stats\n"
	"--limit N\tmaximum number of rows (100)\n"
	"--valid-at TIME\tonly rows that are valid at a date-time, or now\n";

/*
 * Maximum number of characters in a cell of the table. A longer text is
 * truncated.
 */
#define KG_MAX_CELL 60

/* ---- arguments ---- */

/*
 * Reads the statement, given as the argument itself, as @FILE, or as "-" for
 * standard input. On failure, prints an error and returns false.
 */
static bool
read_statement(const KgArgs *args, KgBuf *sql)
{
	const char *word = args->rest[0];

	if (word[0] != '@' && strcmp(word, "-") != 0)
	{
		kg_buf_puts(sql, word);
		return true;
	}
	return kg_read_file(word[0] == '@' ? word + 1 : word, sql);
}

/*
 * Returns the values of $1, $2, ... from the command's words. A word that is
 * valid JSON is used as JSON, and any other word as a string.
 */
static KgJson *
parameters(KgArena *arena, const KgArgs *args)
{
	KgJson *values = kg_json_array(arena);

	for (size_t i = 1; i < args->nrest; i++)
	{
		const char *word = args->rest[i];
		char *error = NULL;
		KgJson *value = kgctl_json_parse(
			arena, word, strlen(word), NULL, &error);

		if (value == NULL)
			value = kg_json_string(arena, word, strlen(word));
		free(error);
		kg_json_push(arena, values, value);
	}
	return values;
}

static bool
read_arguments(KgArena *arena, const KgArgs *args, KgBuf *out)
{
	KgJson *object = kg_json_object(arena);
	const char *valid_at = kg_args_get(args, "valid-at");
	long limit = 0;
	KgBuf sql;

	kg_buf_init(&sql);
	if (!read_statement(args, &sql) ||
		!kgctl_args_number(args, "limit", 1, 1000000, &limit))
	{
		kg_buf_free(&sql);
		return false;
	}
	kg_json_put(arena, object, "sql", kg_json_string(arena, sql.data, sql.len));
	kg_buf_free(&sql);
	if (args->nrest > 1)
		kg_json_put(arena, object, "params", parameters(arena, args));
	if (limit > 0)
	{
		const char *digits = kg_arena_format(arena, "%ld", limit);

		kg_json_put(arena,
					object,
					"limit",
					kg_json_number(arena, digits, strlen(digits)));
	}
	if (valid_at != NULL)
		kg_json_put(arena,
					object,
					"valid_at",
					kg_json_string(arena, valid_at, strlen(valid_at)));
	if (kg_args_has(args, "explain"))
		kg_json_put(arena, object, "explain", kg_json_bool(arena, true));
	kg_json_write(out, object, -1);
	return true;
}

/* ---- rows ---- */

/* Appends the text of a cell. NULL becomes the empty text. */
static void
write_cell(KgBuf *out, const KgJson *value)
{
	if (value->kind == KG_JSON_STRING)
		kg_buf_add(out, value->u.text, value->len);
	else if (value->kind != KG_JSON_NULL)
		kg_json_write(out, value, -1);
}

/*
 * Writes a cell of CSV. An empty string is quoted, so that it differs from
 * NULL.
 */
static void
write_csv_cell(KgBuf *out, const KgJson *value)
{
	KgBuf cell;

	kg_buf_init(&cell);
	write_cell(&cell, value);
	if (value->kind == KG_JSON_STRING &&
		(cell.len == 0 || strpbrk(cell.data, "\",\r\n") != NULL ||
		 cell.data[0] == ' ' || cell.data[cell.len - 1] == ' '))
	{
		kg_buf_putc(out, '"');
		for (size_t i = 0; i < cell.len; i++)
		{
			if (cell.data[i] == '"')
				kg_buf_putc(out, '"');
			kg_buf_putc(out, cell.data[i]);
		}
		kg_buf_putc(out, '"');
	}
	else if (cell.len > 0 && strpbrk(cell.data, "\",\r\n") != NULL)
	{
		/*
		 * Arrays and objects are written as JSON text; CSV doubles the
		 * quotation marks of this text.
		 */
		KgJson text = {.kind = KG_JSON_STRING, .len = cell.len};

		text.u.text = cell.data;
		write_csv_cell(out, &text);
	}
	else if (cell.len > 0)
		kg_buf_add(out, cell.data, cell.len);
	kg_buf_free(&cell);
}

static void
print_csv_row(const KgJson *row)
{
	KgBuf line;

	kg_buf_init(&line);
	for (size_t i = 0; i < kgctl_json_length(row); i++)
	{
		if (i > 0)
			kg_buf_putc(&line, ',');
		write_csv_cell(&line, row->u.items[i]);
	}
	kg_buf_putc(&line, '\n');
	fwrite(line.data, 1, line.len, stdout);
	kg_buf_free(&line);
}

static void
print_csv(const KgJson *columns, const KgJson *rows)
{
	print_csv_row(columns);
	for (size_t i = 0; i < kgctl_json_length(rows); i++)
		print_csv_row(rows->u.items[i]);
}

/*
 * Returns the number of characters to show, and truncates the text after them.
 */
static size_t
shown_width(char *text)
{
	size_t n = 0;

	for (char *at = text; *at != '\0'; at++)
		if ((*at & 0xC0) != 0x80 && n++ == KG_MAX_CELL)
		{
			*at = '\0';
			return KG_MAX_CELL;
		}
	return n;
}

/*
 * Returns the text of a cell in a table (malloc'd), on one line and truncated.
 */
static char *
shown_cell(const KgJson *value, size_t *width)
{
	KgBuf cell;
	char *shown;

	kg_buf_init(&cell);
	write_cell(&cell, value);
	kg_buf_putc(&cell, '\0');
	shown = kg_malloc(cell.len * KG_SHOW_MAX + 1);
	(void) kg_show(shown, cell.len * KG_SHOW_MAX + 1, cell.data, false);
	kg_buf_free(&cell);
	*width = shown_width(shown);
	return shown;
}

static void
widen(const KgJson *row, size_t *widths)
{
	for (size_t i = 0; i < kgctl_json_length(row); i++)
	{
		size_t width;

		free(shown_cell(row->u.items[i], &width));
		if (width > widths[i])
			widths[i] = width;
	}
}

static void
print_row(const KgJson *row, const size_t *widths)
{
	size_t n = kgctl_json_length(row);

	for (size_t i = 0; i < n; i++)
	{
		size_t width;
		char *cell = shown_cell(row->u.items[i], &width);
		bool number = row->u.items[i]->kind == KG_JSON_NUMBER;
		int space = (int) (widths[i] - width);

		printf("%s%*s%s%*s",
			   i > 0 ? " | " : "",
			   number ? space : 0,
			   "",
			   cell,
			   number || i + 1 == n ? 0 : space,
			   "");
		free(cell);
	}
	putchar('\n');
}

static void
print_table(const KgJson *columns, const KgJson *rows)
{
	size_t n = kgctl_json_length(columns);
	size_t *widths = kg_calloc(n + 1, sizeof(size_t));

	widen(columns, widths);
	for (size_t i = 0; i < kgctl_json_length(rows); i++)
		widen(rows->u.items[i], widths);
	print_row(columns, widths);
	for (size_t i = 0; i < n; i++)
	{
		if (i > 0)
			fputs("-+-", stdout);
		for (size_t j = 0; j < widths[i]; j++)
			putchar('-');
	}
	putchar('\n');
	for (size_t i = 0; i < kgctl_json_length(rows); i++)
		print_row(rows->u.items[i], widths);
	free(widths);
}

static void
print_reply(const KgArgs *args, const KgJson *reply)
{
	const KgJson *columns = kgctl_json_get(reply, "columns");
	const KgJson *rows = kgctl_json_get(reply, "rows");
	const KgJson *plan = kgctl_json_get(reply, "plan");

	if (kg_args_has(args, "csv"))
		print_csv(columns, rows);
	else
		print_table(columns, rows);
	for (size_t i = 0; i < kgctl_json_length(plan); i++)
		kg_print(stderr, "%s\n", kgctl_json_text(plan->u.items[i]));
	if (kg_json_is_true(kgctl_json_get(reply, "truncated")))
		kg_print(stderr,
				 "%zu rows; there are more (%s)\n",
				 kgctl_json_length(rows),
				 kg_json_text_or(reply, "reason", "limit"));
}

static int
query(const KgArgs *args, KgArena *arena, const char *arguments)
{
	KgDb db;
	char *text = NULL;
	const KgJson *reply;
	int code = KG_EXIT_OK;

	if (!kg_db_open(&db, args) ||
		!kg_db_call(&db, "kg_query", "jsonb", &arguments, &text) ||
		(reply = kg_db_read(&db, arena, text, "rows")) == NULL)
		code = db.exit == KG_EXIT_REFUSED ? KG_EXIT_DIFFERENT : db.exit;
	else if (kg_args_has(args, "json"))
		puts(text);
	else
		print_reply(args, reply);
	kg_db_close(&db);
	free(text);
	return code;
}

static int
run_query(const KgArgs *args)
{
	KgArena *arena = kg_arena_new();
	KgBuf arguments;
	int code = KG_EXIT_USAGE;

	kg_buf_init(&arguments);
	if (read_arguments(arena, args, &arguments))
		code = query(args, arena, arguments.data);
	kg_buf_free(&arguments);
	kg_arena_free(arena);
	return code;
}

const KgCommand kg_command_query = {"query",
									" STATEMENT|@FILE|- [VALUE...]",
									"answer one query over types and relations",
									query_options,
									kg_db_options,
									1,
									65,
									run_query};
