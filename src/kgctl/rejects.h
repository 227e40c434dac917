/*
 * rejects.h
 *	  The file of rows that were not loaded: a JSON object a line, with the
 *	  row's file and line, what is wrong, and the row.
 *
 * What a batch adds is in the file before the batch is committed, and the
 * batch's position says how long the file is then: a load that goes on cuts off
 * what a batch has added that was not committed.
 */
#ifndef KG_REJECTS_H
#define KG_REJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "kgctl/buf.h"
#include "kgctl/json.h"

typedef struct KgRejects
{
	const char *path; /* NULL: there is no such file */
	int fd;
	uint64_t size; /* of what is committed */
	KgBuf added;   /* by this batch */
} KgRejects;

/*
 * A new file; or, going on, one of which so many bytes stay.  False after a
 * message.
 */
extern bool kg_rejects_open(KgRejects *rejects, const char *path, bool force);
extern bool kg_rejects_go_on(KgRejects *rejects, const char *path,
							 uint64_t size);
extern void kg_rejects_close(KgRejects *rejects);

/*
 * Add a row: item is its JSON, or NULL where it is none; text is then what
 * stands in the file, or NULL too.
 */
extern void kg_rejects_add(KgRejects *rejects, const char *file,
						   unsigned long line, const KgJson *error,
						   const char *item, size_t itemlen, const char *text,
						   size_t textlen);

/* Write what was added; and, once the batch is committed, keep it. */
extern bool kg_rejects_write(KgRejects *rejects);
extern void kg_rejects_keep(KgRejects *rejects);

#endif /* KG_REJECTS_H */
