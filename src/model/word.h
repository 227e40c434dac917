/*
 * word.h
 *	  Words of texts: what x-search properties are searched by.
 *
 * A text is folded as names are (model/term.h) and cut into runs of letters
 * and digits.  Scripts that write no space between words (Han, Kana, Hangul,
 * Thai) are cut into pairs of neighbours, a single character by itself.
 * The writer of kg_word and the search use the same functions.
 */
#ifndef KG_WORD_H
#define KG_WORD_H

#include "base/edits.h"

/* A word is cut at KG_MAX_TERM_BYTES. */
typedef struct KgWord
{
	char *word;
	int frequency;
} KgWord;

/* A place where a word is. */
typedef struct KgWordPlace
{
	const char *start;
	int len;
} KgWordPlace;

typedef struct KgWords
{
	int length; /* how many, each as often as it is there */
	int capacity;
	KgWordPlace *places;
	int n; /* distinct ones, by byte, of kg_words_count() */
	KgWord *words;
} KgWords;

/* Is all of it of scripts that write no space between words? */
extern bool kg_is_paired(const KgChars *text);

/* Add the words of a text; what it takes is in the current memory context. */
extern void kg_words_add(KgWords *words, const char *text, int len);
/* Count what was added. */
extern void kg_words_count(KgWords *words);
extern bool kg_words_same(const KgWords *a, const KgWords *b);

#endif /* KG_WORD_H */
