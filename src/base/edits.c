/*
 * edits.c
 *	  Edit distance: Levenshtein's distance in which a swap of neighbors counts
 *	  as one edit ("optimal string alignment").
 */
#include "postgres.h"

#include "base/edits.h"

bool
kg_chars_set(KgChars *chars, const char *text)
{
	int len = strlen(text);

	chars->n = 0;
	chars->chars[0] = 0;
	if (len > KG_EDITS_LENGTH * 4 ||
		(len > KG_EDITS_LENGTH && pg_mbstrlen(text) > KG_EDITS_LENGTH))
		return false;
	chars->n = pg_mb2wchar_with_len(text, chars->chars, len);
	return true;
}

/*
 * Returns the value of a cell of the matrix of distances. A row of the matrix
 * belongs to a character of a, and column j to a character of b.
 */
static inline int
cell(const KgChars *b, const int *oldest, const int *before, const int *row,
	 pg_wchar previous, pg_wchar c, int j)
{
	int least = before[j - 1] + (b->chars[j - 1] != c);

	least = Min(least, before[j] + 1);
	least = Min(least, row[j - 1] + 1);
	if (oldest != NULL && j > 1 && b->chars[j - 2] == c &&
		b->chars[j - 1] == previous)
		least = Min(least, oldest[j - 2] + 1);
	return least;
}

/*
 * Returns the edit distance of a and b, or most + 1 if it is above most.
 * Computes only cells of the matrix near the diagonal: a cell that is farther
 * than "most" from it cannot be part of a distance up to "most".
 */
int
kg_edits(const KgChars *a, const KgChars *b, int most)
{
	int rows[3][KG_EDITS_LENGTH + 2];
	int far = most + 1;

	if (abs(a->n - b->n) > most)
		return far;
	for (int j = 0; j <= b->n; j++)
		rows[0][j] = j;
	for (int i = 1; i <= a->n; i++)
	{
		const int *oldest = i > 1 ? rows[(i + 1) % 3] : NULL;
		const int *before = rows[(i + 2) % 3];
		int *row = rows[i % 3];
		int from = Max(1, i - most);
		int to = Min(b->n, i + most);
		int least;

		row[from - 1] = from == 1 ? i : far;
		least = row[from - 1];
		for (int j = from; j <= to; j++)
		{
			row[j] = cell(b,
						  oldest,
						  before,
						  row,
						  i > 1 ? a->chars[i - 2] : 0,
						  a->chars[i - 1],
						  j);
			least = Min(least, row[j]);
		}
		if (to < b->n)
			row[to + 1] = far;
		if (least > most)
			return far;
	}
	return Min(rows[a->n % 3][b->n], far);
}
