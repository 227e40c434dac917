/*
 * load.h
 *	  Loads of rows: in batches, or all rows in one transaction. Each batch is
 *	  written in its own transaction, together with the position of the load.
 */
#ifndef KG_KGCTL_LOAD_H
#define KG_KGCTL_LOAD_H

#include "kgctl/db.h"
#include "kgctl/input.h"
#include "kgctl/rejects.h"
#include "kgctl/stored.h"

/*
 * A position in the files, after a row. All rows before this position are
 * loaded.
 */
typedef struct KgLoadPlace
{
	size_t file; /* index into KgLoad.files */
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
	size_t at; /* index of the row's first byte in items */
	size_t len;
} KgLoadRow;

typedef struct KgLoad
{
	KgDb db;
	const char *name;	/* name of the load */
	const char *target; /* an entity type or a relation */
	const char *const *files;
	bool edges;
	bool atomic;
	bool dry_run;
	long max_rows; /* maximum number of rows of a batch */
	long max_errors;
	const char *id_field;
	const char *key;
	KgRejects rejects;
	KgProgress progress;

	KgLoadCounts counts; /* counts of all written rows */
	KgLoadPlace place;	 /* position after the last row of the batch */
	long long batch;	 /* number of the batch that was written last */

	/* Members of the current batch. */
	KgBuf items;
	KgLoadRow *rows;
	size_t nrows;
	KgLoadCounts counted; /* counts of the current batch */
	uint64_t *seen;		  /* hashes of the ids or edges in the batch */
	size_t reported;	  /* total number of reported errors */
	KgArena *arena;
} KgLoad;

extern void kg_load_start(KgLoad *load);
extern void kg_load_free(KgLoad *load);

/*
 * The position at which an earlier load has stopped. found is false if no
 * position is stored; done means that the load is complete. rejects and size
 * are the path and the size of its file of rejected rows.
 */
typedef struct KgLoadStopped
{
	bool found;
	bool done;
	char *path;	   /* path of the file in which the load stopped */
	char *rejects; /* path of the file of rejects, or NULL */
	uint64_t size;
	char *time;
} KgLoadStopped;

extern bool kg_load_stopped(KgLoad *load, KgLoadStopped *stopped);
extern void kg_load_stopped_free(KgLoadStopped *stopped);

/*
 * Begins a load from the start and discards the previous position. Returns
 * false on failure.
 */
extern bool kg_load_begin(KgLoad *load);

/*
 * Adds a valid row. item is the row as JSON. If the batch already contains the
 * same entity or edge, writes the batch first. If the row fills the batch,
 * writes it, too. Returns false if the load has stopped.
 */
extern bool kg_load_row(KgLoad *load, const KgLoadPlace *after,
						unsigned long line, const KgJson *item,
						const char *text, size_t len);

/*
 * Adds an invalid row with its error. property is the name of the invalid
 * property, or NULL. text is the row in the file. If the row fills the batch,
 * writes it. Returns false if the load has stopped.
 */
extern bool kg_load_bad_row(KgLoad *load, const KgLoadPlace *after,
							unsigned long line, const char *error,
							const char *property, const char *text, size_t len);

/*
 * Writes the rows of the current batch. Returns false if the load has stopped.
 */
extern bool kg_load_flush(KgLoad *load);

/*
 * Writes the last batch, and records that the load is complete. Packs the edges
 * if many rows were written. If the whole load is one transaction, rolls it
 * back for a dry run, or if rows were rejected. Returns false on failure.
 */
extern bool kg_load_end(KgLoad *load);

#endif /* KG_KGCTL_LOAD_H */
