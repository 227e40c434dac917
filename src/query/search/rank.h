/*
 * rank.h
 *	  The rank of a name as a match of a query, from 0 to 1. Searches,
 *	  nearest ids of hints, and suggestions all rank by these functions.
 *
 * The highest rank has the name itself. Next are names that begin with the
 * query, or that equal it except for a few typing errors. They are ranked by
 * the share of the name that matches, and higher if the query ends at the end
 * of a word. Last are names with words of the query, ranked by the rarity of
 * the words and the length of the name. Aliases rank below labels.
 */
#ifndef KG_RANK_H
#define KG_RANK_H

#include "base/edits.h"

#define KG_RANK_EXACT 1.0
/* The rank of an id that matches only by its number. */
#define KG_RANK_NUMBER 0.95
/*
 * The difference in rank between a match in a label or id and a match in an
 * alias.
 */
#define KG_RANK_ALIAS 0.05

/*
 * Returns the rank of a name that begins with the query. part is the query's
 * share of the name. whole: the query ends at the end of a word.
 */
extern double kg_rank_prefix(double part, bool whole);

/* Returns the rank of a word of a name that begins with a query's word. */
extern double kg_rank_word_prefix(double part);

/*
 * Returns the rank of a name that contains the query, or 0 if the name does
 * not contain it.
 */
extern double kg_rank_part(const KgChars *asked, const KgChars *name);

/*
 * Returns the similarity of two texts: the second may have typing errors or
 * may contain the first. Fewer than three letters count only in scripts
 * without spaces between words. 0: not similar; 1: equal.
 */
extern double kg_rank_alike(const KgChars *asked, const KgChars *name);

/* Returns the weight of a word that this number of entities has. */
extern double kg_rank_rarity(int64 entities);

/*
 * Returns the rank of a name with some of the query's words. said is the share
 * of the words' weight that the name has (1: all words, as they are written).
 * part is the words' share of the name's length.
 */
extern double kg_rank_words(double said, double part);

#endif /* KG_RANK_H */
