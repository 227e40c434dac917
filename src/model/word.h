/*
 * word.h
 *	  Words of texts, the unit of search in x-search properties.
 *
 * A text is folded (model/term.h) and cut into runs of letters and digits.
 * Scripts without spaces between words (Han, Kana, Hangul, Thai) are cut into
 * pairs of neighboring characters; a single character is a word.  The writer
 * of kg_word and the search use these functions.
 */
#ifndef KG_WORD_H
#define KG_WORD_H

#include "base/edits.h"

/* A distinct word, truncated to KG_MAX_TERM_BYTES. */
typedef struct KgWord
{
	char *word;
	int frequency;
} KgWord;

/* A position in the text at which a word begins. */
typedef struct KgWordPlace
{
	const char *start;
	int len;
} KgWordPlace;

typedef struct KgWords
{
	int length; /* number of words, repetitions included */
	int capacity;
	KgWordPlace *places;
	/*
	 * number of distinct words that kg_words_count() has found, in byte order
	 */
	int n;
	KgWord *words;
} KgWords;

/*
 * Returns true if all characters belong to scripts without spaces between
 * words.
 */
extern bool kg_is_paired(const KgChars *text);

/* Adds the words of a text. Allocates in the current memory context. */
extern void kg_words_add(KgWords *words, const char *text, int len);
/*
 * Determines the distinct words among the added words, and the frequency of
 * each word.
 */
extern void kg_words_count(KgWords *words);
extern bool kg_words_same(const KgWords *a, const KgWords *b);

#endif /* KG_WORD_H */
