/*
 * sort.c
 *	  Sorting what a search found.
 *
 * qsort_interruptible() ends when the statement is cancelled, but it knows
 * nothing of kg_graph.max_call_time.  So its template is taken with our own
 * check in place of the server's, which it makes for each part of the array.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "query/plan.h"
#include "query/sort.h"

/* Parts between two looks at the clock; most are of a few items. */
#define KG_SORT_PARTS 1024

static inline void
sort_part(void)
{
	static uint32 parts = 0;

	if (++parts % KG_SORT_PARTS == 0)
		kg_plan_check();
}

#undef CHECK_FOR_INTERRUPTS
#define CHECK_FOR_INTERRUPTS() sort_part()

#define ST_SORT sort_items
#define ST_ELEMENT_TYPE_VOID
#define ST_COMPARE_RUNTIME_POINTER
#define ST_COMPARATOR_TYPE_NAME KgSortCompare
#define ST_COMPARE_ARG_TYPE void
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DECLARE
#define ST_DEFINE
#include "lib/sort_template.h"

void
kg_sort(void *items, size_t n, size_t size, KgCompare compare, void *arg)
{
	kg_plan_check();
	sort_items(items, n, size, compare, arg);
}
