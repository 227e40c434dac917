/*
 * list_rows.c
 *	  The best rows of a list, in order.
 *
 * When rows reach twice the number wanted, they are sorted and cut. So memory
 * depends on the page, not on the number of matches.
 */
#include "postgres.h"

#include "model/id.h"
#include "model/key.h"
#include "query/list/list.h"

/*
 * Returns whether the key is that of a missing value. No other key begins with
 * its byte.
 */
static bool
is_missing(const bytea *key)
{
	return VARSIZE_ANY_EXHDR(key) == 1 &&
		   (unsigned char) *VARDATA_ANY(key) == 0xff;
}

static int
compare_key(const bytea *a, const bytea *b, bool descending)
{
	int cmp = kg_key_compare(a, b);

	/* A missing value sorts last in both directions. */
	if (cmp != 0 && descending && !is_missing(a) && !is_missing(b))
		return -cmp;
	return cmp;
}

static int
row_order(const KgListQuery *query, const KgRow *a, const KgRow *b)
{
	int shift = query->by_rank ? 1 : 0;
	int cmp;

	if (query->by_rank)
	{
		cmp = compare_key(a->keys[0], b->keys[0], false);
		if (cmp != 0)
			return cmp;
	}
	for (int i = 0; i < query->nsort; i++)
	{
		cmp = compare_key(
			a->keys[i + shift], b->keys[i + shift], query->sort[i].descending);
		if (cmp != 0)
			return cmp;
	}
	cmp = kg_id_compare(query->type, a->entity_id, b->entity_id);
	return query->id_descending ? -cmp : cmp;
}

static int
compare_rows(const void *a, const void *b, void *arg)
{
	return row_order(arg, *(const KgRow *const *) a, *(const KgRow *const *) b);
}

void
kg_rows_init(KgRows *rows, const KgListQuery *query, int max)
{
	memset(rows, 0, sizeof(*rows));
	rows->query = query;
	rows->max = max;
	rows->allocated = Min(2 * max, 256);
	rows->rows = palloc(rows->allocated * sizeof(KgRow *));
}

static void
free_row(const KgRows *rows, KgRow *row)
{
	for (int i = 0; i < kg_list_nkeys(rows->query); i++)
		pfree(row->keys[i]);
	pfree(row->entity_id);
	if (row->stored)
		pfree(row->stored);
	pfree(row);
}

void
kg_rows_finish(KgRows *rows)
{
	int n = 0;

	if (rows->n > 1)
		qsort_interruptible(rows->rows,
							rows->n,
							sizeof(KgRow *),
							compare_rows,
							(void *) rows->query);
	for (int i = 0; i < rows->n; i++)
	{
		KgRow *row = rows->rows[i];

		if (n == rows->max || (n > 0 && rows->rows[n - 1]->node == row->node))
			free_row(rows, row);
		else
			rows->rows[n++] = row;
	}
	rows->n = n;
	rows->pruned = n == rows->max;
}

bool
kg_rows_add(KgRows *rows, KgRow *row)
{
	const KgListQuery *query = rows->query;

	if (query->after && row_order(query, row, query->after) <= 0)
	{
		free_row(rows, row);
		return false;
	}
	if (rows->pruned && row_order(query, row, rows->rows[rows->max - 1]) > 0)
	{
		free_row(rows, row);
		return true;
	}
	if (rows->n == rows->allocated && rows->allocated < 2 * rows->max)
	{
		rows->allocated = Min(2 * rows->max, rows->allocated * 2);
		rows->rows = repalloc(rows->rows, rows->allocated * sizeof(KgRow *));
	}
	else if (rows->n == rows->allocated)
		kg_rows_finish(rows);
	rows->rows[rows->n++] = row;
	return true;
}

void
kg_rows_drop_group(KgRows *rows, const bytea *key)
{
	while (rows->n > 0 &&
		   compare_key(rows->rows[rows->n - 1]->keys[0], key, false) == 0)
		free_row(rows, rows->rows[--rows->n]);
}
