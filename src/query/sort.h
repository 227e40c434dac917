/*
 * sort.h
 *	  Sorting what a search found.
 *
 *	  As qsort_interruptible() of the server, and it looks at the clock of the
 *	  call, too: for arrays whose length only the limits of a search bound.
 */
#ifndef KG_SORT_H
#define KG_SORT_H

typedef int (*KgCompare)(const void *a, const void *b, void *arg);

extern void kg_sort(void *items, size_t n, size_t size, KgCompare compare,
					void *arg);

#endif /* KG_SORT_H */
