/*
 * similar_sets.h
 *	  Pairs of similar sets of numbers.
 */
#ifndef KG_SIMILAR_SETS_H
#define KG_SIMILAR_SETS_H

#include "postgres.h"

/* A set of numbers, ascending and distinct. */
typedef struct KgNumberSet
{
	int n;
	int64 *numbers;
} KgNumberSet;

/* Returns the number of common members. */
extern int kg_set_common(const KgNumberSet *a, const KgNumberSet *b);

/*
 * Calls found for each pair i < j of sets whose Jaccard similarity is at least
 * "least" (above 0). The Jaccard similarity is the number of common members
 * divided by the number of members of the union of both sets. Sets with fewer
 * than "smallest" members (at least 1) are not compared. found may be called
 * several times for a pair. The numbers in all sets are replaced by their ranks
 * by frequency. work is called for each comparison, and may raise an error.
 */
extern void kg_similar_sets(KgNumberSet *sets, int nsets, int smallest,
							double least, void (*work)(void *arg),
							void (*found)(int i, int j, double similarity,
										  void *arg),
							void *arg);

#endif /* KG_SIMILAR_SETS_H */
