/*
 * rank.h
 *	  How well a name answers what was asked, from 0 to 1.  What search, the
 *	  nearest ids of hints and suggestions rank by is here and nowhere else.
 *
 * From the top: the name itself; a name that begins with what was asked, best as
 * a word, or has few typing errors, by how much of it that is; names with its words, by how
 * rare these are and how long the name is.  Aliases rank below labels.
 */
#ifndef KG_RANK_H
#define KG_RANK_H

#include "base/edits.h"

#define KG_RANK_EXACT 1.0
/* What a match in an alias loses to one in a label or id. */
#define KG_RANK_ALIAS 0.05

/*
 * A name that begins with what was asked, of which that is such a part; whole:
 * its words do, the last one too.
 */
extern double kg_rank_prefix(double part, bool whole);

/* The same of a word of a name. */
extern double kg_rank_word_prefix(double part);

/* A name that has what was asked in it; 0: it has not. */
extern double kg_rank_part(const KgChars *asked, const KgChars *name);

/*
 * How alike two texts are that may have typing errors, or of which the second
 * contains the first, of which fewer than three letters count where the script
 * has no spaces between words; 0: not at all.  Of the same, 1.
 */
extern double kg_rank_alike(const KgChars *asked, const KgChars *name);

/* How much a word says of which so many entities have it. */
extern double kg_rank_rarity(int64 entities);

/*
 * A name with such a part of what the words asked for say (1: all of them, as
 * they are written), and of whose length they are such a part.
 */
extern double kg_rank_words(double said, double part);

#endif /* KG_RANK_H */
