/*
 * similar_sets.c
 *	  Pairs of similar sets of numbers.
 *
 * The members of each set are ordered by rarity, the rarest first. If two sets
 * have at least the similarity t, then the first n - ceil(t n) + 1 members of
 * each set (n: its size) include a common member. So only sets with a common
 * member there are compared (prefix filtering, as in PPJoin).
 */
#include "postgres.h"

#include <math.h>

#include "model/adjacency.h"
#include "query/duplicates/similar_sets.h"
#include "utils/memutils.h"

int
kg_set_common(const KgNumberSet *a, const KgNumberSet *b)
{
	int common = 0;

	for (int i = 0, j = 0; i < a->n && j < b->n;)
		if (a->numbers[i] == b->numbers[j])
		{
			common++;
			i++;
			j++;
		}
		else if (a->numbers[i] < b->numbers[j])
			i++;
		else
			j++;
	return common;
}

/* A member of a set. */
typedef struct Member
{
	int64 number;
	int set;
	int place;
} Member;

static int
compare_members(const void *pa, const void *pb, void *arg)
{
	const Member *a = pa;
	const Member *b = pb;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->set - b->set;
}

static Member *
members_of(const KgNumberSet *sets, int nsets, int *n)
{
	uint64 total = 0;
	Member *members;

	for (int i = 0; i < nsets; i++)
		total += sets[i].n;
	members = MemoryContextAllocHuge(CurrentMemoryContext,
									 Max(1, total) * sizeof(Member));
	*n = 0;
	for (int i = 0; i < nsets; i++)
		for (int k = 0; k < sets[i].n; k++)
			members[(*n)++] = (Member){sets[i].numbers[k], i, k};
	qsort_interruptible(members, *n, sizeof(Member), compare_members, NULL);
	return members;
}

/*
 * Replaces each number by its rank by frequency: the rarest number has the
 * lowest rank.
 */
static void
rank_numbers(KgNumberSet *sets, int nsets)
{
	int n;
	Member *members = members_of(sets, nsets, &n);

	for (int i = 0, next; i < n; i = next)
	{
		for (next = i + 1;
			 next < n && members[next].number == members[i].number;
			 next++)
			;
		for (int k = i; k < next; k++)
			sets[members[k].set].numbers[members[k].place] = ((int64) (next - i)
															  << 32) +
															 i;
	}
	for (int i = 0; i < nsets; i++)
		if (sets[i].n > 1)
			qsort_interruptible(sets[i].numbers,
								sets[i].n,
								sizeof(int64),
								kg_compare_nodes,
								NULL);
	pfree(members);
}

void
kg_similar_sets(KgNumberSet *sets, int nsets, int smallest, double least,
				void (*work)(void *arg),
				void (*found)(int i, int j, double similarity, void *arg),
				void *arg)
{
	KgNumberSet *first = palloc(Max(1, nsets) * sizeof(KgNumberSet));
	Member *members;
	int n;

	rank_numbers(sets, nsets);
	for (int i = 0; i < nsets; i++)
	{
		first[i] = sets[i];
		if (sets[i].n < smallest)
			first[i].n = 0;
		else
			first[i].n -= (int) ceil(least * sets[i].n - 1e-9) - 1;
	}
	members = members_of(first, nsets, &n);
	for (int i = 0, next; i < n; i = next)
	{
		for (next = i + 1;
			 next < n && members[next].number == members[i].number;
			 next++)
			;
		for (int a = i; a < next; a++)
			for (int b = a + 1; b < next; b++)
			{
				const KgNumberSet *x = &sets[members[a].set];
				const KgNumberSet *y = &sets[members[b].set];
				int common;

				work(arg);
				if (Min(x->n, y->n) < least * Max(x->n, y->n) - 1e-9)
					continue;
				common = kg_set_common(x, y);
				if (common >= least * (x->n + y->n - common) - 1e-9)
					found(members[a].set,
						  members[b].set,
						  (double) common / (x->n + y->n - common),
						  arg);
			}
	}
	pfree(members);
	pfree(first);
}
