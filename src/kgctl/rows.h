/*
 * rows.h
 *	  The rows of a file, one after the other: lines of JSON, the objects of a
 *	  JSON array, or cells of CSV and TSV.
 */
#ifndef KG_ROWS_H
#define KG_ROWS_H

#include "kgctl/buf.h"
#include "kgctl/input.h"

typedef enum KgRowForm
{
	KG_ROWS_JSON, /* lines or an array, which the first byte tells */
	KG_ROWS_CELLS
} KgRowForm;

typedef struct KgCell
{
	size_t at; /* in the row's cells.data, with a NUL after it */
	size_t len;
	bool quoted;
} KgCell;

typedef struct KgRows
{
	KgInput *in;
	KgRowForm form;
	char delimiter; /* of cells */
	size_t max;		/* bytes of a row */

	/* The row: its text is valid until the next one is asked for. */
	unsigned long line;
	const char *text; /* as it is in the file; NULL: too long to be kept */
	size_t len;
	char *error; /* why it is none, or NULL */
	KgBuf cells;
	KgCell *cell;
	size_t ncells;

	/* How far the row that is looked for has been looked at. */
	bool array;	  /* the text is one JSON array */
	bool begun;	  /* what comes before the first row is read */
	bool ended;	  /* the array's end was read */
	bool between; /* a comma or the end of the array comes next */
	size_t scanned;
	int depth;
	int state;
	bool dropped; /* its beginning: it is too long */
	size_t room;  /* of cell */
} KgRows;

typedef enum KgRowsResult
{
	KG_ROWS_ROW, /* error says whether it is good */
	KG_ROWS_END,
	KG_ROWS_BROKEN /* error says why nothing can be read any more */
} KgRowsResult;

extern void kg_rows_start(KgRows *rows, KgInput *in, KgRowForm form,
						  char delimiter, size_t max);
extern void kg_rows_free(KgRows *rows);

/*
 * The next row; it is taken from the input, whose offset, hash and line are
 * those after it then.
 */
extern KgRowsResult kg_rows_next(KgRows *rows);

/* Go on after the rows up to an offset; false where the input has less. */
extern bool kg_rows_skip(KgRows *rows, uint64_t offset);

#endif /* KG_ROWS_H */
