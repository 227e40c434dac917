/*
 * edits.h
 *	  Edit distance of two texts.
 */
#ifndef KG_EDITS_H
#define KG_EDITS_H

#include "mb/pg_wchar.h"

/* Maximum length of a text that can be compared; characters. */
#define KG_EDITS_LENGTH 256

/* A text as an array of characters. */
typedef struct KgChars
{
	int n;
	pg_wchar chars[KG_EDITS_LENGTH + 1];
} KgChars;

/*
 * Stores the characters of text.  Returns false, and stores no characters, if
 * the text is too long.
 */
extern bool kg_chars_set(KgChars *chars, const char *text);

/*
 * Returns the edit distance of a and b: the least number of characters to
 * insert, delete, replace or swap with their neighbor.  Returns most + 1 if it
 * is above most.
 */
extern int kg_edits(const KgChars *a, const KgChars *b, int most);

#endif /* KG_EDITS_H */
