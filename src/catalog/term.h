/*
 * term.h
 *	  Search terms: how names are folded, cut into tokens and trigrams.
 *	  The writer of kg_term and the search use the same functions.
 */
#ifndef KG_TERM_H
#define KG_TERM_H

/* kg_term.kind */
#define KG_TERM_LABEL 'l' /* the whole label, folded */
#define KG_TERM_ALIAS 'a' /* a whole alias, folded */
#define KG_TERM_ID 'i'	  /* the id, folded, where that is another text */
#define KG_TERM_TOKEN 't' /* a token of label, alias or id */

#define KG_MAX_TERM_BYTES 256

/*
 * Lower-cased by simple Unicode case folding, white space runs to one blank,
 * trimmed, cut at KG_MAX_TERM_BYTES on a character boundary.
 */
extern char *kg_term_fold(const char *text, int len);

/* Distinct tokens of a folded text: runs of letters and digits. */
extern int kg_term_tokens(const char *folded, char ***tokens);

/* Distinct trigrams of a token, padded as pg_trgm does ("  t", " to", ...). */
extern int kg_term_trigrams(const char *token, char ***trigrams);

#endif /* KG_TERM_H */
