/*
 * rows.c
 *	  The rows of a file. The end of a row is found byte by byte. The state of
 *	  this search is retained while more input is read, so each byte is
 *	  scanned once. A row that is too long is discarded during the search for
 *	  its end.
 */
#include <stdlib.h>
#include <string.h>

#include "kgctl/rows.h"
#include "kgctl/utf8.h"

/* The states of the search for the end of a row. */
enum
{
	AT_START,  /* at the start of a cell or an item */
	IN_PLAIN,  /* in an unquoted cell, or outside of a JSON string */
	IN_QUOTES, /* in a quoted cell or a string */
	/* after a quote in a quoted cell, or after a backslash in a JSON string */
	AT_QUOTE
};

void
kg_rows_start(KgctlRows *rows, KgctlInput *in, KgRowForm form, char delimiter,
			  size_t max)
{
	memset(rows, 0, sizeof(*rows));
	rows->in = in;
	rows->form = form;
	rows->delimiter = delimiter;
	rows->max = max;
	kg_buf_init(&rows->cells);
}

void
kg_rows_free(KgctlRows *rows)
{
	free(rows->error);
	free(rows->cell);
	kg_buf_free(&rows->cells);
}

static void
set_error(KgctlRows *rows, char *error)
{
	free(rows->error);
	rows->error = error;
}

static KgRowsResult
broken(KgctlRows *rows, char *error)
{
	set_error(rows, error);
	return KG_ROWS_BROKEN;
}

static KgRowsResult
broken_input(KgctlRows *rows)
{
	return broken(rows, kg_strdup(rows->in->error));
}

/*
 * Begins to read the input: skips a byte order mark. Returns KG_ROWS_BROKEN for
 * UTF-16, a ZIP archive or an input that cannot be read, otherwise KG_ROWS_ROW.
 */
static KgRowsResult
begin(KgctlRows *rows)
{
	KgctlInput *in = rows->in;
	const char *p;
	size_t n;

	while (in->end - in->start < 4 && kg_input_more(in))
		;
	if (in->error != NULL)
		return broken_input(rows);
	p = in->data + in->start;
	n = in->end - in->start;
	if (n >= 2 &&
		(memcmp(p, "\xFF\xFE", 2) == 0 || memcmp(p, "\xFE\xFF", 2) == 0))
		return broken(rows,
					  kg_strdup("the text is in UTF-16; convert it: iconv -f "
								"UTF-16 -t UTF-8 FILE | kgctl load ... -"));
	if (n >= 4 && memcmp(p, "PK\003\004", 4) == 0)
		return broken(rows,
					  kg_strdup("is a ZIP archive or a spreadsheet; unpack it, "
								"or save it as CSV"));
	if (n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
		kg_input_take(in, 3);
	rows->begun = true;
	return KG_ROWS_ROW;
}

/* Skips white space. Returns false at the end of the input. */
static bool
take_space(KgctlInput *in)
{
	for (;;)
	{
		size_t i = in->start;

		while (i < in->end && strchr(" \t\r\n", in->data[i]) != NULL &&
			   in->data[i] != '\0')
			i++;
		kg_input_take(in, i - in->start);
		if (in->start < in->end)
			return true;
		if (!kg_input_more(in))
			return false;
	}
}

/*
 * Skips white space before JSON text, and the opening bracket of an array.
 * Returns KG_ROWS_ROW if text follows, and KG_ROWS_END at the end of the input.
 * Reports broken input.
 */
static KgRowsResult
begin_json(KgctlRows *rows)
{
	KgctlInput *in = rows->in;

	if (!take_space(in))
		return in->error ? broken_input(rows) : KG_ROWS_END;
	if (in->data[in->start] == '[')
	{
		rows->array = true;
		kg_input_take(in, 1);
	}
	return KG_ROWS_ROW;
}

/* Scans one byte of a line. Returns whether it is the last byte of the row. */
static bool
step_line(KgctlRows *rows, char c)
{
	return c == '\n';
}

static bool
step_cells(KgctlRows *rows, char c)
{
	switch (rows->state)
	{
		case AT_START:
			if (c == '"')
				rows->state = IN_QUOTES;
			else if (c != rows->delimiter)
				rows->state = IN_PLAIN;
			break;
		case IN_QUOTES:
			if (c == '"')
				rows->state = AT_QUOTE;
			return false;
		case AT_QUOTE:
			if (c == '"')
			{
				rows->state = IN_QUOTES;
				return false;
			}
			rows->state = IN_PLAIN;
			break;
		default:
			break;
	}
	if (c == rows->delimiter)
		rows->state = AT_START;
	return c == '\n';
}

/*
 * Scans one byte of an array. Returns whether it is the comma or bracket after
 * an item.
 */
static bool
step_item(KgctlRows *rows, char c)
{
	switch (rows->state)
	{
		case AT_QUOTE:
			rows->state = IN_QUOTES;
			return false;
		case IN_QUOTES:
			if (c == '\\')
				rows->state = AT_QUOTE;
			else if (c == '"')
				rows->state = IN_PLAIN;
			return false;
		default:
			break;
	}
	if (c == '"')
		rows->state = IN_QUOTES;
	else if (c == '{' || c == '[')
		rows->depth++;
	else if (rows->depth == 0 && (c == ',' || c == ']'))
		return true;
	else if (c == '}' || c == ']')
		rows->depth--;
	return false;
}

/*
 * Finds the end of the row that begins at the start of the input. Sets *len to
 * the row's length and returns true. If the input ends first, the rest of the
 * input is the row. If the row is longer than rows->max, its bytes are
 * discarded and rows->dropped is set. Returns false if the input cannot be
 * read.
 */
static bool
find_end(KgctlRows *rows, bool (*step)(KgctlRows *rows, char c), size_t *len)
{
	KgctlInput *in = rows->in;

	rows->scanned = 0;
	rows->state = AT_START;
	rows->depth = 0;
	rows->dropped = false;
	for (;;)
	{
		/* Fast path: most files consist of lines. */
		if (step == step_line)
		{
			const char *p = in->data + in->start + rows->scanned;
			const char *end = memchr(
				p, '\n', in->end - in->start - rows->scanned);

			rows->scanned = end ? (size_t) (end + 1 - in->data) - in->start
								: in->end - in->start;
			if (end != NULL)
			{
				*len = rows->scanned;
				return true;
			}
		}
		while (in->start + rows->scanned < in->end)
			if (step(rows, in->data[in->start + rows->scanned++]))
			{
				*len = rows->scanned;
				return true;
			}
		if (rows->scanned > rows->max)
		{
			rows->dropped = true;
			kg_input_take(in, rows->scanned);
			rows->scanned = 0;
		}
		if (!kg_input_more(in))
		{
			*len = rows->scanned;
			return in->error == NULL;
		}
	}
}

/*
 * Sets the row's text to the next bytes of the input, without the line's end.
 * Sets the row's error if the text is too long, is not UTF-8 or contains NUL.
 */
static void
set_text(KgctlRows *rows, size_t len)
{
	const char *text = rows->in->data + rows->in->start;
	size_t bad;

	while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		len--;
	rows->text = rows->dropped || len > rows->max ? NULL : text;
	rows->len = len;
	if (rows->text == NULL)
		set_error(rows,
				  kg_format("the row has more than %zu bytes; to load longer "
							"rows, raise --max-row",
							rows->max));
	else if (!kg_utf8_valid(text, len, &bad))
		set_error(
			rows,
			kg_format("byte %zu of the row is not UTF-8; if the file is in "
					  "Latin-1: iconv -f LATIN1 -t UTF-8 FILE | kgctl "
					  "load ... -",
					  bad + 1));
	else if (memchr(text, '\0', len) != NULL)
		set_error(
			rows,
			kg_strdup(
				"the row contains a NUL byte, which PostgreSQL cannot store"));
}

static void
add_cell(KgctlRows *rows, size_t at, bool quoted)
{
	KgCell *cell;

	if (rows->ncells == rows->room)
	{
		rows->room = rows->room ? 2 * rows->room : 64;
		rows->cell = kg_realloc(rows->cell, rows->room * sizeof(KgCell));
	}
	cell = &rows->cell[rows->ncells++];
	cell->at = at;
	cell->len = rows->cells.len - at;
	cell->quoted = quoted;
	kg_buf_putc(&rows->cells, '\0');
}

/*
 * Reads a quoted cell from after its first quote. Returns the position after
 * its last quote, or NULL if the cell is malformed.
 */
static const char *
read_quoted(KgctlRows *rows, const char *p, const char *end)
{
	for (;;)
	{
		const char *quote = memchr(p, '"', (size_t) (end - p));

		if (quote == NULL)
		{
			set_error(rows,
					  kg_format("the quote of cell %zu is not closed",
								rows->ncells + 1));
			return NULL;
		}
		kg_buf_add(&rows->cells, p, (size_t) (quote - p));
		p = quote + 1;
		if (p == end || *p != '"')
			break;
		kg_buf_putc(&rows->cells, '"');
		p++;
	}
	if (p < end && *p != rows->delimiter)
	{
		set_error(rows,
				  kg_format("text after the closing quote of cell %zu; a quote "
							"in a cell is written twice",
							rows->ncells + 1));
		return NULL;
	}
	return p;
}

static const char *
read_plain(KgctlRows *rows, const char *p, const char *end)
{
	const char *stop = memchr(p, rows->delimiter, (size_t) (end - p));

	if (stop == NULL)
		stop = end;
	if (memchr(p, '"', (size_t) (stop - p)) != NULL)
	{
		set_error(
			rows,
			kg_format("a quote inside of cell %zu; put the whole cell into "
					  "quotes and write those in it twice",
					  rows->ncells + 1));
		return NULL;
	}
	kg_buf_add(&rows->cells, p, (size_t) (stop - p));
	return stop;
}

static void
split_cells(KgctlRows *rows)
{
	const char *p = rows->text;
	const char *end = p + rows->len;

	rows->cells.len = 0;
	rows->ncells = 0;
	for (;;)
	{
		size_t at = rows->cells.len;
		bool quoted = p < end && *p == '"';

		p = quoted ? read_quoted(rows, p + 1, end) : read_plain(rows, p, end);
		if (p == NULL)
			return;
		add_cell(rows, at, quoted);
		if (p == end)
			return;
		p++;
	}
}

/*
 * Called at the end of the input. Returns KG_ROWS_BROKEN if the row has a
 * quoted cell that is not closed, otherwise KG_ROWS_ROW. Such a cell may have
 * taken in the rows that should follow.
 */
static KgRowsResult
check_open_quote(KgctlRows *rows)
{
	if (rows->form != KG_ROWS_CELLS || rows->state != IN_QUOTES)
		return KG_ROWS_ROW;
	return broken(rows,
				  kg_format("line %lu: a quote that opens in this row is never "
							"closed; close it, or write a quote of the text "
							"twice",
							rows->line));
}

/*
 * Reads the next line as JSON or as a row of cells. Returns whether there is a
 * row (KgRowsResult).
 */
static KgRowsResult
next_line(KgctlRows *rows)
{
	KgctlInput *in = rows->in;
	size_t len;

	for (;;)
	{
		rows->line = in->line;
		if (!find_end(rows,
					  rows->form == KG_ROWS_JSON ? step_line : step_cells,
					  &len))
			return broken_input(rows);
		if (len == 0 && !rows->dropped)
			return KG_ROWS_END;
		if (in->eof && check_open_quote(rows) == KG_ROWS_BROKEN)
			return KG_ROWS_BROKEN;
		set_text(rows, len);
		/* A blank line is not a row. */
		if (rows->error == NULL && strspn(rows->text, " \t\r\n") >= rows->len &&
			(rows->form == KG_ROWS_JSON || rows->len == 0))
		{
			kg_input_take(in, len);
			continue;
		}
		if (rows->error == NULL && rows->form == KG_ROWS_CELLS)
			split_cells(rows);
		kg_input_take(in, len);
		return KG_ROWS_ROW;
	}
}

static KgRowsResult
end_of_array(KgctlRows *rows)
{
	KgctlInput *in = rows->in;

	kg_input_take(in, 1);
	rows->ended = true;
	if (take_space(in))
		return broken(
			rows,
			kg_format("line %lu: text after the end of the array", in->line));
	return in->error ? broken_input(rows) : KG_ROWS_END;
}

static KgRowsResult
cut_array(KgctlRows *rows)
{
	return broken(
		rows,
		kg_format("line %lu: the array is not closed: the file is not "
				  "whole",
				  rows->in->line));
}

static KgRowsResult
next_item(KgctlRows *rows)
{
	KgctlInput *in = rows->in;
	size_t len;

	if (rows->ended)
		return KG_ROWS_END;
	if (!take_space(in))
		return in->error ? broken_input(rows) : cut_array(rows);
	if (in->data[in->start] == ']')
		return end_of_array(rows);
	if (rows->between)
	{
		/* Consume the byte that has ended the item. */
		kg_input_take(in, 1);
		if (!take_space(in))
			return in->error ? broken_input(rows) : cut_array(rows);
	}
	rows->line = in->line;
	if (!find_end(rows, step_item, &len))
		return broken_input(rows);
	if (in->eof &&
		(len == 0 || strchr(",]", in->data[in->start + len - 1]) == NULL))
		return cut_array(rows);
	len--;
	set_text(rows, len);
	if (rows->error == NULL && len == 0)
		set_error(rows, kg_strdup("an item is missing between two commas"));
	kg_input_take(in, len);
	rows->between = true;
	return KG_ROWS_ROW;
}

KgRowsResult
kg_rows_next(KgctlRows *rows)
{
	KgRowsResult result = KG_ROWS_ROW;

	set_error(rows, NULL);
	if (!rows->begun)
	{
		result = begin(rows);
		if (result == KG_ROWS_ROW && rows->form == KG_ROWS_JSON)
			result = begin_json(rows);
	}
	if (result != KG_ROWS_ROW)
		return result;
	return rows->array ? next_item(rows) : next_line(rows);
}

bool
kg_rows_skip(KgctlRows *rows, uint64_t offset)
{
	if (offset == 0)
		return true;
	if (!rows->begun &&
		(begin(rows) != KG_ROWS_ROW ||
		 (rows->form == KG_ROWS_JSON && begin_json(rows) != KG_ROWS_ROW)))
		return false;
	rows->between = true;
	return kg_input_skip(rows->in, offset);
}
