/*
 * term.h
 *	  Search terms: folding of names, tokens and trigrams. Both the writer of
 *	  kg_term and the search use these functions.
 */
#ifndef KG_TERM_H
#define KG_TERM_H

#include "mb/pg_wchar.h"

/* Values of kg_term.kind. */
#define KG_TERM_LABEL 'l' /* the whole label, folded */
#define KG_TERM_ALIAS 'a' /* a whole alias, folded */
#define KG_TERM_ID 'i'	  /* the id, folded, if it differs from the label */
/* words of a text, stored in kg_word instead of kg_term */
#define KG_TERM_TEXT 'w'
/* result of an embedding, not stored in kg_term */
#define KG_TERM_EMBEDDING 'e'
#define KG_TERM_TOKEN 't' /* a token of label, alias or id */
#define KG_TERM_SIGN 's'  /* a sign of label or alias, for the toolset memory */

#define KG_MAX_TERM_BYTES 256

/* A range of code points. A list of ranges is sorted by code point. */
typedef struct KgCodeRange
{
	pg_wchar first;
	pg_wchar last;
} KgCodeRange;

extern bool kg_in_ranges(pg_wchar c, const KgCodeRange *ranges, int n);

/*
 * Returns the text, folded for search: in NFKC and lower case, without accents,
 * points and vowel marks ("ile-de-france"). A run of white space becomes one
 * blank; white space at the beginning and the end is removed.
 */
extern char *kg_text_fold(const char *text, int len);
/*
 * Returns the folded text (kg_text_fold()), truncated to KG_MAX_TERM_BYTES at a
 * character boundary.
 */
extern char *kg_term_fold(const char *text, int len);

/*
 * Sets *tokens to the distinct tokens of a folded text (runs of letters and
 * digits), and returns their number.
 */
extern int kg_term_tokens(const char *folded, char ***tokens);

/* Returns true if byte offset len of the folded text is not inside a word. */
extern bool kg_term_ends_word(const char *folded, int len);

/*
 * Sets *signs to the distinct signs of a folded text, and returns their number.
 * Signs are characters that are neither blank nor part of a token.
 */
extern int kg_term_signs(const char *folded, char ***signs);

/*
 * Sets *trigrams to the distinct trigrams of a token, and returns their number.
 * A text that contains the token has all these trigrams.
 */
extern int kg_term_trigrams(const char *token, char ***trigrams);

/*
 * Sets *rows to the texts by which kg_trigram finds a term, and returns their
 * number. For a token, these are its trigrams, the shorter suffixes at its end,
 * and its pieces. Because of the suffixes, each substring of the token is at
 * the beginning of one of these texts.
 *
 * To tolerate n edits, the token is cut into n + 1 pieces, so at least one
 * piece is unchanged. A piece is stored with the number of characters of the
 * whole token and the number of the piece (":8:1:pha"). No token has this form.
 */
extern int kg_term_rows(const char *term, char ***rows);

/*
 * Sets *probes to the pieces by which a search finds all terms within the
 * permitted number of edits of a text, and returns their number. There are
 * pieces for each length that such a term may have, and for each position to
 * which edits may have moved a piece.
 *
 * A swap of two letters across the border of two pieces changes both pieces.
 * Therefore the letter after a border is also tried in place of the letter
 * before the border.
 */
extern int kg_term_probes(const char *text, char ***probes);

#endif /* KG_TERM_H */
