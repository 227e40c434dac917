/*
 * load.c
 *	  Loads of rows in batches. kg_put_entities() and kg_put_edges() return a
 *	  verdict (accepted or an error) for each row. But some rows are refused
 *	  only when they are written: by a trigger of a DBA, or because of a
 *	  concurrent write of the same value. Such a row fails the whole batch.
 *	  Then the batch is halved repeatedly until these rows are found.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kgctl/load.h"
#include "kgctl/log.h"

/*
 * Maximal size of a batch in bytes. A batch is in memory three times when it is
 * sent.
 */
#define MAX_BYTES ((size_t) 2 * 1024 * 1024)
/* Maximal number of attempts for a batch that conflicts with other sessions. */
#define MAX_TRIES 10
/*
 * A load that has written at least this number of rows packs the edges when it
 * ends, as applying a bundle does.
 */
#define PACK_FROM 10000

void
kg_load_start(KgLoad *load)
{
	kg_buf_init(&load->items);
	load->rows = kg_calloc((size_t) load->max_rows, sizeof(KgLoadRow));
	load->seen = kg_calloc((size_t) load->max_rows * 2, sizeof(uint64_t));
	load->arena = kg_arena_new();
}

void
kg_load_free(KgLoad *load)
{
	kg_buf_free(&load->items);
	free(load->rows);
	free(load->seen);
	if (load->arena != NULL)
		kg_arena_free(load->arena);
}

/* ---- the position ---- */

static char *
position(const KgLoad *load, bool done)
{
	const KgLoadPlace *p = &load->place;
	const KgLoadCounts *c = &load->counts;
	char hash[17];
	json_t *made;
	KgBuf text;

	snprintf(hash, sizeof(hash), "%016" PRIx64, p->hash);
	made = json_pack(
		"{s:b, s:I, s:s, s:I, s:s, s:I, s:{s:I, s:I, s:I, s:I, s:I}}",
		"done",
		done,
		"file",
		(json_int_t) p->file,
		"path",
		load->files[p->file],
		"offset",
		(json_int_t) p->offset,
		"hash",
		hash,
		"line",
		(json_int_t) p->line,
		"counts",
		"rows",
		(json_int_t) c->rows,
		"created",
		(json_int_t) c->created,
		"updated",
		(json_int_t) c->updated,
		"unchanged",
		(json_int_t) c->unchanged,
		"rejected",
		(json_int_t) c->rejected);
	if (load->rejects.path != NULL)
		json_object_set_new(made,
							"rejects",
							json_pack("{s:s, s:I}",
									  "path",
									  load->rejects.path,
									  "bytes",
									  (json_int_t) (load->rejects.size +
													load->rejects.added.len)));
	kg_buf_init(&text);
	kg_json_write_made(&text, made);
	return kg_buf_detach(&text);
}

static uint64_t
number_in(const KgJson *object, const char *name, int base)
{
	const KgJson *value = kgctl_json_get(object, name);

	return value != NULL && (value->kind == KG_JSON_NUMBER ||
							 value->kind == KG_JSON_STRING)
			   ? strtoull(value->u.text, NULL, base)
			   : 0;
}

static char *
text_in(const KgJson *object, const char *name)
{
	const char *text = kg_json_get_text(object, name);

	return text ? kg_strdup(text) : NULL;
}

static void
take_position(KgLoad *load, KgLoadStopped *stopped, const KgJson *kept)
{
	const KgJson *p = kgctl_json_get(kept, "position");
	const KgJson *counts = kgctl_json_get(p, "counts");
	const KgJson *rejects = kgctl_json_get(p, "rejects");

	stopped->found = true;
	stopped->done = kg_json_is_true(kgctl_json_get(p, "done"));
	stopped->path = text_in(p, "path");
	stopped->time = text_in(kept, "updated_at");
	stopped->rejects = text_in(rejects, "path");
	stopped->size = number_in(rejects, "bytes", 10);
	load->batch = (long long) number_in(kept, "batch", 10);
	load->place.file = (size_t) number_in(p, "file", 10);
	load->place.offset = number_in(p, "offset", 10);
	load->place.hash = number_in(p, "hash", 16);
	load->place.line = (unsigned long) number_in(p, "line", 10);
	load->counts.rows = number_in(counts, "rows", 10);
	load->counts.created = number_in(counts, "created", 10);
	load->counts.updated = number_in(counts, "updated", 10);
	load->counts.unchanged = number_in(counts, "unchanged", 10);
	load->counts.rejected = number_in(counts, "rejected", 10);
}

bool
kg_load_stopped(KgLoad *load, KgLoadStopped *stopped)
{
	const char *values[] = {load->name};
	char *text;
	bool ok;

	memset(stopped, 0, sizeof(*stopped));
	ok = kg_db_call(&load->db, "kg_load_position", "text", values, &text);
	if (ok && text != NULL)
	{
		const KgJson *kept = kg_db_read(
			&load->db, load->arena, text, "position");

		ok = kept != NULL;
		if (ok)
			take_position(load, stopped, kept);
	}
	free(text);
	kg_arena_reset(load->arena);
	return ok;
}

void
kg_load_stopped_free(KgLoadStopped *stopped)
{
	free(stopped->path);
	free(stopped->rejects);
	free(stopped->time);
}

static bool
mark(KgLoad *load, long long batch, bool done)
{
	char *text = position(load, done);
	char number[32];
	const char *values[] = {load->name, number, text};
	char *ignored = NULL;
	bool ok;

	snprintf(number, sizeof(number), "%lld", batch);
	ok = kg_db_call(
		&load->db, "kg_load_batch", "text int8 jsonb", values, &ignored);
	free(ignored);
	free(text);
	return ok;
}

/*
 * Sets the text about the rows that remain loaded if the current transaction is
 * not committed.
 */
static void
say_unchanged(const KgLoad *load)
{
	/*
	 * Use two buffers in turn, because a signal handler may read the current
	 * text.
	 */
	static char texts[2][256];
	static int which;
	char *text = texts[which];

	if (load->atomic)
		return;
	which = !which;
	snprintf(text,
			 sizeof(texts[0]),
			 "the batch was not written, but the %" PRIu64
			 " rows before it were; --resume continues after them",
			 load->counts.rows);
	kg_db_unchanged(text);
}

bool
kg_load_begin(KgLoad *load)
{
	memset(&load->place, 0, sizeof(load->place));
	memset(&load->counts, 0, sizeof(load->counts));
	load->batch = 0;
	return mark(load, 0, false);
}

/* ---- rows ---- */

static const KgJson *
error_of_row(KgLoad *load, const char *message, const char *property)
{
	KgJson *error = kg_json_object(load->arena);

	kg_json_put(load->arena,
				error,
				"code",
				kg_json_string(load->arena, "INVALID_INPUT", 13));
	if (property != NULL)
	{
		char *path = kg_arena_format(load->arena, "/%s", property);

		kg_json_put(load->arena,
					error,
					"path",
					kg_json_string(load->arena, path, strlen(path)));
	}
	kg_json_put(load->arena,
				error,
				"message",
				kg_json_string(load->arena, message, strlen(message)));
	return error;
}

/*
 * Counts the error of a row, and prints it unless the maximum number of errors
 * was printed. Does nothing if errors are written to a file of rejects.
 */
static void
report(KgLoad *load, size_t file, unsigned long line, const KgJson *error)
{
	if (load->rejects.path != NULL)
		return;
	if (load->reported < (size_t) load->max_errors)
	{
		kg_progress_clear(&load->progress);
		kg_report_row(load->files[file], line, error);
	}
	load->reported++;
}

/*
 * Returns a hash that identifies the entity or the edge of a row, or 0 if the
 * row lacks its id. The hash of an edge need not distinguish its ends, because
 * a false match only ends the batch early.
 */
static uint64_t
hash_of(const KgLoad *load, const KgJson *item)
{
	const char *names[] = {load->edges ? "from" : load->id_field,
						   load->edges ? "to" : NULL};
	uint64_t hash = 0;

	for (int i = 0; i < (load->edges ? 2 : 1); i++)
	{
		const KgJson *value = names[i] ? kgctl_json_get(item, names[i]) : NULL;

		if (!kg_json_is_id(value))
			return 0;
		hash += kg_hash(0, value->u.text, value->len);
	}
	if (load->edges && load->key != NULL)
	{
		const KgJson *key = kgctl_json_get(kgctl_json_get(item, "properties"),
										   load->key);

		if (kg_json_is_id(key))
			hash = hash * 31 + kg_hash(0, key->u.text, key->len);
	}
	return hash | 1;
}

/* Adds a hash to the batch. Returns whether the batch already had the hash. */
static bool
see(KgLoad *load, uint64_t hash)
{
	size_t size = (size_t) load->max_rows * 2;
	size_t i = (size_t) (hash % size);

	if (hash == 0)
		return false;
	while (load->seen[i] != 0 && load->seen[i] != hash)
		i = (i + 1) % size;
	if (load->seen[i] == hash)
		return true;
	load->seen[i] = hash;
	return false;
}

static bool
is_full(const KgLoad *load)
{
	return load->counted.rows >= (uint64_t) load->max_rows ||
		   load->items.len + load->rejects.added.len >= MAX_BYTES;
}

static void
count_row(KgLoad *load, const KgLoadPlace *after)
{
	load->place = *after;
	load->counted.rows++;
	load->progress.count++;
}

bool
kg_load_row(KgLoad *load, const KgLoadPlace *after, unsigned long line,
			const KgJson *item, const char *text, size_t len)
{
	uint64_t hash = hash_of(load, item);
	KgLoadRow *row;

	/*
	 * Write the batch before the row, because a later row must replace an
	 * earlier row of the same entity or edge.
	 */
	if (see(load, hash))
	{
		if (!kg_load_flush(load))
			return false;
		(void) see(load, hash);
	}
	row = &load->rows[load->nrows++];
	kg_buf_putc(&load->items, load->nrows == 1 ? '[' : ',');
	row->file = after->file;
	row->line = line;
	row->at = load->items.len;
	if (load->edges && kgctl_json_get(item, "relation") == NULL)
	{
		const char *rest = memchr(text, '{', len);

		kg_buf_puts(&load->items, "{\"relation\":");
		kg_buf_json(&load->items, load->target, strlen(load->target));
		kg_buf_puts(&load->items, item->len > 0 ? "," : "");
		kg_buf_add(&load->items, rest + 1, len - (size_t) (rest + 1 - text));
	}
	else
		kg_buf_add(&load->items, text, len);
	row->len = load->items.len - row->at;
	count_row(load, after);
	return !is_full(load) || kg_load_flush(load);
}

bool
kg_load_bad_row(KgLoad *load, const KgLoadPlace *after, unsigned long line,
				const char *message, const char *property, const char *text,
				size_t len)
{
	const KgJson *error = error_of_row(load, message, property);

	report(load, after->file, line, error);
	kg_rejects_add(&load->rejects,
				   load->files[after->file],
				   line,
				   error,
				   NULL,
				   0,
				   text,
				   len);
	load->counted.rejected++;
	count_row(load, after);
	kg_arena_reset(load->arena);
	return !is_full(load) || kg_load_flush(load);
}

/* ---- batches ---- */

/*
 * Removes the prefix from an error's path, such as "/items/17/name", so that it
 * becomes "/name".
 */
static void
shorten_path(KgArena *arena, KgJson *error)
{
	const char *path = kg_json_get_text(error, "path");
	const char *rest;

	if (path == NULL || strncmp(path, "/items/", 7) != 0)
		return;
	rest = path + 7 + strspn(path + 7, "0123456789");
	for (size_t i = 0; i < error->len; i++)
		if (strcmp(error->u.members[i].key, "path") == 0)
			error->u.members[i].value = kg_json_string(
				arena, rest, strlen(rest));
}

static void
reject(KgLoad *load, const KgLoadRow *row, KgJson *error)
{
	shorten_path(load->arena, error);
	report(load, row->file, row->line, error);
	kg_rejects_add(&load->rejects,
				   load->files[row->file],
				   row->line,
				   error,
				   load->items.data + row->at,
				   row->len,
				   NULL,
				   0);
	load->counted.rejected++;
}

/*
 * Reads the verdicts of n rows, counts them and reports the errors. Returns
 * false if the verdicts are malformed.
 */
static bool
take_verdicts(KgLoad *load, size_t first, size_t n, const char *text)
{
	const KgJson *root = kg_db_read(&load->db, load->arena, text, "counts");
	const KgJson *counts = kgctl_json_get(root, "counts");
	const KgJson *items = kgctl_json_get(root, "items");

	if (root == NULL)
		return false;
	if (kgctl_json_length(items) != n)
	{
		kg_db_nonsense(&load->db);
		return false;
	}
	load->counted.created += number_in(counts, "created", 10);
	load->counted.updated += number_in(counts, "updated", 10);
	load->counted.unchanged += number_in(counts, "unchanged", 10);
	for (size_t i = 0; i < n; i++)
	{
		KgJson *error = kgctl_json_get(items->u.items[i], "error");

		if (error != NULL)
			reject(load, &load->rows[first + i], error);
	}
	return true;
}

/*
 * Returns whether an SQLSTATE means that rows are invalid, not that the server
 * has failed.
 */
static bool
is_of_rows(const char *state)
{
	return strncmp(state, "22", 2) == 0 || strncmp(state, "23", 2) == 0 ||
		   strncmp(state, "P0", 2) == 0;
}

/*
 * Returns whether an SQLSTATE means a conflict with other sessions, so that a
 * retry may succeed.
 */
static bool
is_passing(const char *state)
{
	return strcmp(state, "40001") == 0 || strcmp(state, "40P01") == 0 ||
		   strcmp(state, "55P03") == 0;
}

static KgJson *
read_error(KgLoad *load, const char *text)
{
	char *ignored = NULL;
	KgJson *error = kgctl_json_parse(
		load->arena, text, strlen(text), NULL, &ignored);

	free(ignored);
	return error != NULL && error->kind == KG_JSON_OBJECT
			   ? error
			   : kg_json_object(load->arena);
}

typedef enum Outcome
{
	WRITTEN,
	AGAIN, /* the batch must be tried again */
	FAILED /* the error was reported */
} Outcome;

static Outcome put_rows(KgLoad *load, size_t first, size_t n);

static Outcome
put_halves(KgLoad *load, size_t first, size_t n, KgJson *error)
{
	Outcome outcome;

	if (n == 1)
	{
		reject(load, &load->rows[first], error);
		return WRITTEN;
	}
	outcome = put_rows(load, first, n / 2);
	return outcome == WRITTEN ? put_rows(load, first + n / 2, n - n / 2)
							  : outcome;
}

static Outcome
take_error(KgLoad *load, size_t first, size_t n, const KgDbError *error)
{
	KgJson *object;

	if (is_passing(error->state) && !load->atomic)
		return AGAIN;
	object = read_error(load, error->object);
	if (is_of_rows(error->state))
		return kg_db_undo(&load->db) ? put_halves(load, first, n, object)
									 : FAILED;
	kg_progress_clear(&load->progress);
	kg_report_row(
		load->files[load->rows[first].file], load->rows[first].line, object);
	load->db.exit = KG_EXIT_REFUSED;
	return FAILED;
}

static Outcome
put_rows(KgLoad *load, size_t first, size_t n)
{
	const KgLoadRow *last = &load->rows[first + n - 1];
	const char *values[3];
	char *answer;
	KgDbError error;
	KgBuf part;
	Outcome outcome = FAILED;
	bool ok;

	if (!kg_db_savepoint(&load->db))
		return FAILED;
	kg_buf_init(&part);
	kg_buf_putc(&part, '[');
	kg_buf_add(&part,
			   load->items.data + load->rows[first].at,
			   last->at + last->len - load->rows[first].at);
	kg_buf_putc(&part, ']');
	values[0] = load->edges ? part.data : load->target;
	values[1] = part.data;
	ok = kg_db_try(&load->db,
				   load->edges ? "kg_put_edges" : "kg_put_entities",
				   load->edges ? "jsonb" : "text jsonb",
				   values,
				   &answer,
				   &error);
	kg_buf_free(&part);
	if (ok)
	{
		if (take_verdicts(load, first, n, answer) && kg_db_release(&load->db))
			outcome = WRITTEN;
	}
	else if (error.object != NULL)
		outcome = take_error(load, first, n, &error);
	free(answer);
	free(error.object);
	return outcome;
}

/*
 * Stops the load, because errors are not written to a file of rejects. Returns
 * false.
 */
static bool
stop_at_errors(KgLoad *load)
{
	kg_progress_clear(&load->progress);
	if (load->reported > (size_t) load->max_errors)
		kg_error("and %zu more", load->reported - (size_t) load->max_errors);
	if (load->atomic)
		kg_error("nothing was written; --rejects FILE stores the errors of all "
				 "rows");
	else
		kg_error(
			"the batch with %s was not written, but the %" PRIu64
			" rows before the batch were; correct the file and continue with "
			"--resume, or use --rejects FILE to store such rows",
			load->reported == 1 ? "this row" : "these rows",
			load->counts.rows);
	load->db.exit = KG_EXIT_REFUSED;
	return false;
}

static void
add_counts(KgLoadCounts *to, const KgLoadCounts *from)
{
	to->rows += from->rows;
	to->created += from->created;
	to->updated += from->updated;
	to->unchanged += from->unchanged;
	to->rejected += from->rejected;
}

static void
clear_batch(KgLoad *load)
{
	load->items.len = 0;
	load->nrows = 0;
	memset(&load->counted, 0, sizeof(load->counted));
	memset(load->seen, 0, (size_t) load->max_rows * 2 * sizeof(uint64_t));
}

/*
 * Adds the counts of the batch to the totals. Unless the whole load is one
 * transaction, also writes the totals with the position, and commits the batch.
 * If that fails, restores the totals and returns false.
 */
static bool
write_position(KgLoad *load)
{
	KgLoadCounts before = load->counts;
	bool ok;

	add_counts(&load->counts, &load->counted);
	ok = load->atomic || (mark(load, load->batch + 1, false) &&
						  kg_rejects_write(&load->rejects));
	if (ok && !load->atomic)
		ok = kg_db_commit(&load->db);
	if (!ok)
	{
		load->counts = before;
		return false;
	}
	load->batch++;
	if (!load->atomic)
		kg_rejects_keep(&load->rejects);
	return true;
}

static bool
begin_batch(KgLoad *load)
{
	/*
	 * A custom plan would include the values as constants, and so need memory
	 * for a second copy of the batch.
	 */
	return (load->atomic || kg_db_begin(&load->db)) &&
		   kg_db_set(&load->db, "plan_cache_mode", "force_generic_plan");
}

static bool
write_batch(KgLoad *load)
{
	KgLoadCounts read = load->counted;
	size_t added = load->rejects.added.len;

	for (int tries = 1;; tries++)
	{
		Outcome outcome = begin_batch(load) ? WRITTEN : FAILED;

		if (outcome == WRITTEN && load->nrows > 0)
			outcome = put_rows(load, 0, load->nrows);
		kg_arena_reset(load->arena);
		if (outcome == WRITTEN)
			break;
		if (outcome == FAILED || !kg_db_rollback(&load->db))
			return false;
		if (tries == MAX_TRIES)
		{
			kg_error("the batch was tried %d times, but other sessions wrote "
					 "the same rows each time; the %" PRIu64
					 " rows before the batch were written, and --resume "
					 "continues after them",
					 tries,
					 load->counts.rows);
			load->db.exit = KG_EXIT_DATABASE;
			return false;
		}
		load->counted = read;
		load->rejects.added.len = added;
	}
	if (load->counted.rejected > 0 && load->rejects.path == NULL)
		return stop_at_errors(load);
	return write_position(load);
}

bool
kg_load_flush(KgLoad *load)
{
	bool ok;

	if (load->counted.rows == 0)
		return true;
	say_unchanged(load);
	ok = write_batch(load);
	if (ok && load->atomic && load->rejects.added.len > 0)
	{
		/*
		 * A load in one transaction stores no position for the file of rejects,
		 * so the file is made permanent as it grows.
		 */
		ok = kg_rejects_write(&load->rejects);
		kg_rejects_keep(&load->rejects);
	}
	clear_batch(load);
	say_unchanged(load);
	return ok;
}

/*
 * Packs the edges after a large load. A caller that sees only a part of the
 * tenant may not pack edges; then a later call of kg_pack() must pack them.
 * Returns false on other failures.
 */
static bool
pack_edges(KgLoad *load)
{
	char *packed;
	KgDbError error = {{0}};
	bool ok;

	if (load->counts.created + load->counts.updated < PACK_FROM)
		return true;
	if (!kg_db_begin(&load->db))
		return false;
	ok = kg_db_try(&load->db, "kg_pack", "", NULL, &packed, &error);
	free(packed);
	if (ok)
		return kg_db_commit(&load->db);
	ok = error.object != NULL;
	free(error.object);
	return ok && kg_db_rollback(&load->db);
}

bool
kg_load_end(KgLoad *load)
{
	bool ok;

	if (!kg_load_flush(load))
		return false;
	if (load->atomic && (load->counts.rejected > 0 || load->dry_run))
		return kg_db_rollback(&load->db);
	ok = load->atomic ||
		 (kg_db_begin(&load->db) && mark(load, load->batch + 1, true));
	return ok && kg_db_commit(&load->db) && pack_edges(load);
}
