/*
 * rejects.h
 *	  The file of rejected rows: one JSON object per line, with the row's file
 *	  and line, the error, and the row.
 *
 * The rows of a batch are written to the file before the batch is committed.
 * The position of the batch includes the length of the file. When a load is
 * continued, rows of a batch that was not committed are removed from the file.
 */
#ifndef KG_REJECTS_H
#define KG_REJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "kgctl/buf.h"
#include "kgctl/json.h"

typedef struct KgRejects
{
	const char *path; /* NULL: no file */
	int fd;
	uint64_t size; /* size of the committed part, in bytes */
	KgBuf added;   /* rows that the current batch has added */
} KgRejects;

/*
 * kg_rejects_open() creates a file. kg_rejects_go_on() continues a file and
 * truncates it to its first size bytes, which are valid. On failure, both print
 * an error and return false.
 */
extern bool kg_rejects_open(KgRejects *rejects, const char *path, bool force);
extern bool kg_rejects_go_on(KgRejects *rejects, const char *path,
							 uint64_t size);
extern void kg_rejects_close(KgRejects *rejects);

/*
 * Adds a row. item is the row as JSON. If the row is not JSON, item is NULL and
 * text is the row in the file, or NULL. Does nothing if there is no file of
 * rejects.
 */
extern void kg_rejects_add(KgRejects *rejects, const char *file,
						   unsigned long line, const KgJson *error,
						   const char *item, size_t itemlen, const char *text,
						   size_t textlen);

/*
 * kg_rejects_write() writes the added rows, and returns false on failure.
 * kg_rejects_keep() makes the written rows permanent; call kg_rejects_keep()
 * after the batch was committed.
 */
extern bool kg_rejects_write(KgRejects *rejects);
extern void kg_rejects_keep(KgRejects *rejects);

#endif /* KG_REJECTS_H */
