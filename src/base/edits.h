/*
 * edits.h
 *	  How far one text is from another in typing errors.
 */
#ifndef KG_EDITS_H
#define KG_EDITS_H

#include "mb/pg_wchar.h"

/* Characters; what is longer is not compared. */
#define KG_EDITS_LENGTH 256

/* A text as characters. */
typedef struct KgChars
{
	int n;
	pg_wchar chars[KG_EDITS_LENGTH + 1];
} KgChars;

/* False, and no characters, where the text is too long. */
extern bool kg_chars_set(KgChars *chars, const char *text);

/*
 * The least number of characters inserted, deleted, replaced, or swapped with
 * the next, that makes one of the other; most + 1 where it is more than most.
 */
extern int kg_edits(const KgChars *a, const KgChars *b, int most);

/*
 * One more character of a text that is compared with another a character at a
 * time: row is computed from the rows of the text without its last character
 * (before) and its last two (oldest, NULL where it has one).  A row has an
 * entry for each number of characters of the other; the rows of no characters
 * count from 0.  Returns the least entry: no longer text has fewer edits.
 */
extern int kg_edits_row(const KgChars *other, const int *oldest,
						const int *before, pg_wchar previous, pg_wchar c,
						int *row);

#endif /* KG_EDITS_H */
