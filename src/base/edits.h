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

#endif /* KG_EDITS_H */
