/*
 * term.h
 *	  Search terms: how names are folded, cut into tokens and trigrams.
 *	  The writer of kg_term and the search use the same functions.
 */
#ifndef KG_TERM_H
#define KG_TERM_H

#include "mb/pg_wchar.h"

/* kg_term.kind */
#define KG_TERM_LABEL 'l'	  /* the whole label, folded */
#define KG_TERM_ALIAS 'a'	  /* a whole alias, folded */
#define KG_TERM_ID 'i'		  /* the id, folded, where that is another text */
#define KG_TERM_TEXT 'w'	  /* none there: words of a text, in kg_word */
#define KG_TERM_EMBEDDING 'e' /* none there: of an embedding */
#define KG_TERM_TOKEN 't'	  /* a token of label, alias or id */
#define KG_TERM_SIGN 's' /* a sign of label or alias, for the toolset memory */

#define KG_MAX_TERM_BYTES 256

/* Code points; a list of them is in order. */
typedef struct KgCodeRange
{
	pg_wchar first;
	pg_wchar last;
} KgCodeRange;

extern bool kg_in_ranges(pg_wchar c, const KgCodeRange *ranges, int n);

/*
 * What letters have in common with those typed without accents: compatible
 * forms (NFKC), lower case, without accents, points and vowel marks ("ile-de-france");
 * white space runs to one blank, trimmed.
 */
extern char *kg_text_fold(const char *text, int len);
/* The same, cut at KG_MAX_TERM_BYTES on a character boundary. */
extern char *kg_term_fold(const char *text, int len);

/* Distinct tokens of a folded text: runs of letters and digits. */
extern int kg_term_tokens(const char *folded, char ***tokens);

/* Does no word of a folded text go on after so many bytes of it? */
extern bool kg_term_ends_word(const char *folded, int len);

/* Distinct signs of a folded text: whatever is neither in a token nor a blank. */
extern int kg_term_signs(const char *folded, char ***signs);

/* Distinct trigrams of a token: the texts that contain it have them all. */
extern int kg_term_trigrams(const char *token, char ***trigrams);

/*
 * What a term is stored by in kg_trigram: where it is a token, its trigrams and
 * what is shorter at its end, so that a row begins with whatever letters are in
 * it; and its pieces.  A text that may have n edits is cut into n + 1 pieces, of
 * which at least one is left as it was; a piece is stored with the number of
 * characters of the whole and its place in it (":8:1:pha", which no token is).
 */
extern int kg_term_rows(const char *term, char ***rows);

/*
 * The pieces by which every term that is near to a text is found: of each
 * length that it may have had, at each place where its edits may have moved
 * them.  A swap across the border of two pieces spoils both; so the letter
 * beyond a border is tried in the place of the one before it.
 */
extern int kg_term_probes(const char *text, char ***probes);

#endif /* KG_TERM_H */
