/*
 * load.h
 *	  Rows that are written in batches, each in a transaction of its own, with
 *	  how far the load has come in the same one; or all in one transaction.
 */
#ifndef KG_KGCTL_LOAD_H
#define KG_KGCTL_LOAD_H

#include "kgctl/db.h"
#include "kgctl/input.h"
#include "kgctl/rejects.h"
#include "kgctl/stored.h"

/* Where a row ends: what is before it is loaded. */
typedef struct KgLoadPlace
{
	size_t file; /* of the files that were named, from 0 */
	uint64_t offset;
	uint64_t hash;
	unsigned long line;
} KgLoadPlace;

typedef struct KgLoadCounts
{
	uint64_t rows;
	uint64_t created;
	uint64_t updated;
	uint64_t unchanged;
	uint64_t rejected;
} KgLoadCounts;

typedef struct KgLoadRow
{
	size_t file;
	unsigned long line;
	size_t at; /* in items */
	size_t len;
} KgLoadRow;

typedef struct KgLoad
{
	KgDb db;
	const char *name;	/* of the load */
	const char *target; /* entity type, or relation */
	const char *const *files;
	bool edges;
	bool atomic;
	bool dry_run;
	long max_rows; /* of a batch */
	long max_errors;
	const char *id_field;
	const char *key;
	KgRejects rejects;
	KgProgress progress;

	KgLoadCounts counts; /* of what is written */
	KgLoadPlace place;	 /* after the last row of the batch */
	long long batch;	 /* the last that was written */

	/* The batch. */
	KgBuf items;
	KgLoadRow *rows;
	size_t nrows;
	KgLoadCounts counted; /* in it */
	uint64_t *seen;		  /* hashes of what it has */
	size_t reported;	  /* errors, in all */
	KgArena *arena;
} KgLoad;

extern void kg_load_start(KgLoad *load);
extern void kg_load_free(KgLoad *load);

/*
 * How far the load has come: *found is false where nothing is known of it,
 * *done says that it is complete.  rejects and size are of its file of rejected
 * rows.
 */
typedef struct KgLoadStopped
{
	bool found;
	bool done;
	char *path;	   /* of the file that it stopped in */
	char *rejects; /* or NULL */
	uint64_t size;
	char *time;
} KgLoadStopped;

extern bool kg_load_stopped(KgLoad *load, KgLoadStopped *stopped);
extern void kg_load_stopped_free(KgLoadStopped *stopped);

/* Begin anew, forgetting how far it has come before. */
extern bool kg_load_begin(KgLoad *load);

/*
 * A row that is good so far, as JSON; the batch before it is written where it
 * has the same thing, or is full.  False: the load has stopped.
 */
extern bool kg_load_row(KgLoad *load, const KgLoadPlace *after,
						unsigned long line, const KgJson *item,
						const char *text, size_t len);

/* One that is not; property may be NULL, text is what stands in the file. */
extern bool kg_load_bad_row(KgLoad *load, const KgLoadPlace *after,
							unsigned long line, const char *error,
							const char *property, const char *text, size_t len);

/* Write the batch. */
extern bool kg_load_flush(KgLoad *load);

/* Write what is left, and that the load is complete. */
extern bool kg_load_end(KgLoad *load);

#endif /* KG_KGCTL_LOAD_H */
