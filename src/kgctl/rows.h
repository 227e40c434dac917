/*
 * rows.h
 *	  The rows of a file, one after the other: lines of JSON, objects of a
 *	  JSON array, or lines of CSV and TSV.
 */
#ifndef KG_ROWS_H
#define KG_ROWS_H

#include "kgctl/buf.h"
#include "kgctl/input.h"

typedef enum KgRowForm
{
	KG_ROWS_JSON, /* lines of JSON or one JSON array; the first byte decides */
	KG_ROWS_CELLS
} KgRowForm;

typedef struct KgCell
{
	/* index of the cell's text in cells.data; the text is NUL-terminated */
	size_t at;
	size_t len;
	bool quoted;
} KgCell;

typedef struct KgctlRows
{
	KgctlInput *in;
	KgRowForm form;
	char delimiter; /* delimiter of cells */
	size_t max;		/* maximal length of a row in bytes */

	/*
	 * Members of the current row. They are valid until the next call of
	 * kg_rows_next().
	 */
	unsigned long line;
	const char *text; /* text of the row in the file; NULL: it is too long */
	size_t len;
	char *error; /* why the row is invalid, or NULL */
	KgBuf cells;
	KgCell *cell;
	size_t ncells;

	/* Members of the search for the end of the row. */
	bool array;	  /* the input is one JSON array */
	bool begun;	  /* the input before the first row was read */
	bool ended;	  /* the array's end was read */
	bool between; /* a comma or the array's end must follow */
	size_t scanned;
	int depth;
	int state;
	/* the start of the row was discarded, because the row is too long */
	bool dropped;
	size_t room; /* capacity of cell */
} KgctlRows;

typedef enum KgRowsResult
{
	KG_ROWS_ROW, /* a row; it is invalid if error is set */
	KG_ROWS_END,
	KG_ROWS_BROKEN /* reading has failed; error has the reason */
} KgRowsResult;

extern void kg_rows_start(KgctlRows *rows, KgctlInput *in, KgRowForm form,
						  char delimiter, size_t max);
extern void kg_rows_free(KgctlRows *rows);

/*
 * Reads the next row and consumes it. The input's offset, hash and line are
 * then those after the row. Returns whether there is a row, the end of the
 * input, or a failure.
 */
extern KgRowsResult kg_rows_next(KgctlRows *rows);

/* Skips the rows before an offset. Returns false if the input is shorter. */
extern bool kg_rows_skip(KgctlRows *rows, uint64_t offset);

#endif /* KG_ROWS_H */
