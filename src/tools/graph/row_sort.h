/*
 * graph/row_sort.h
 *	  The argument "sort" of traverse_relationships: rows in the order of a
 *	  property of their ends or edges.
 */
#ifndef KG_GRAPH_ROW_SORT_H
#define KG_GRAPH_ROW_SORT_H

#include "query/graph/ref_path.h"
#include "query/list/list.h"
#include "tools/graph/graph.h"

typedef struct KgRowSortKey
{
	const char *name; /* name of the property */
	const char *path; /* JSON Pointer of the name */
	/* number of the step whose end has the property; 0: the start */
	int step;
	/* the property is one of the step's edges, not of the node at its end */
	bool edge;
	bool descending;
	/* the property by rank - 1, or by the relation's index; or NULL */
	const KgField **fields;
	/* indexed by rank - 1; NULL if the property is not a path */
	const KgRefPath **paths;
} KgRowSortKey;

typedef struct KgRowSort
{
	int n;
	KgRowSortKey keys[KG_MAX_SORT];
} KgRowSort;

/* Reads "sort". Call it after reading the steps. */
extern void kg_row_sort_read(KgGraphCall *call, const KgSteps *steps,
							 const KgType *from, KgRowSort *sort);

/*
 * Sorts all rows of a traversal. Missing values are last; rows with equal
 * values keep their order.
 */
extern void kg_row_sort_run(KgGraphCall *call, const KgRowSort *sort,
							const KgTraversal *t, KgBinding *rows, uint32 n);

#endif /* KG_GRAPH_ROW_SORT_H */
