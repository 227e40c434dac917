/*
 * term.h
 *	  Search terms: folding of names, tokens and trigrams.
 *
 * The writer of kg_term and the search use these functions.
 */
#ifndef KG_TERM_H
#define KG_TERM_H

#include "mb/pg_wchar.h"

/* Values of kg_term.kind. */
#define KG_TERM_LABEL 'l'	  /* the whole label, folded */
#define KG_TERM_ALIAS 'a'	  /* a whole alias, folded */
#define KG_TERM_ID 'i'		  /* the id, folded, if that differs */
#define KG_TERM_TEXT 'w'	  /* not in kg_term: words of a text, in kg_word */
#define KG_TERM_EMBEDDING 'e' /* not in kg_term: from an embedding */
#define KG_TERM_TOKEN 't'	  /* a token of label, alias or id */
#define KG_TERM_SIGN 's' /* a sign of label or alias, for the toolset memory */

#define KG_MAX_TERM_BYTES 256

/* A range of code points.  Lists of ranges are sorted. */
typedef struct KgCodeRange
{
	pg_wchar first;
	pg_wchar last;
} KgCodeRange;

extern bool kg_in_ranges(pg_wchar c, const KgCodeRange *ranges, int n);

/*
 * Folds a text for search: compatible forms (NFKC), lower case, no accents,
 * points or vowel marks ("ile-de-france"). Runs of white space become one
 * blank. White space at the beginning and the end is removed.
 */
extern char *kg_text_fold(const char *text, int len);
/* Folds a text and cuts it at KG_MAX_TERM_BYTES, on a character boundary. */
extern char *kg_term_fold(const char *text, int len);

/* Returns the distinct tokens of a folded text: runs of letters and digits. */
extern int kg_term_tokens(const char *folded, char ***tokens);

/* Returns true if no word of the folded text crosses the byte offset len. */
extern bool kg_term_ends_word(const char *folded, int len);

/*
 * Returns the distinct signs of a folded text: characters that are neither
 * blank nor part of a token.
 */
extern int kg_term_signs(const char *folded, char ***signs);

/*
 * Returns the distinct trigrams of a token. A text that contains the token has
 * all these trigrams.
 */
extern int kg_term_trigrams(const char *token, char ***trigrams);

/*
 * Returns the texts by which kg_trigram stores a term.
 *
 * For a token, these are its trigrams, the shorter suffixes at its end, and
 * its pieces. Because of the suffixes, each substring of the token is at the
 * beginning of some row. If up to n edits are permitted, the text is cut into
 * n + 1 pieces, so at least one piece is unchanged. A piece is stored with the
 * number of characters of the whole text and the position of the piece
 * (":8:1:pha"). This form differs from any token.
 */
extern int kg_term_rows(const char *term, char ***rows);

/*
 * Returns the pieces by which every term within the permitted edits of a text
 * is found.
 *
 * The pieces cover each length that the term may have, and each position to
 * which edits may have moved a piece. A swap of two letters across the border
 * of two pieces changes both pieces. Therefore the letter after a border is
 * also tried in place of the letter before the border.
 */
extern int kg_term_probes(const char *text, char ***probes);

#endif /* KG_TERM_H */
