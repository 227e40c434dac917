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
	const char *name; /* of the property */
	const char *path; /* JSON Pointer of the name */
	int step;		  /* whose end has it, from 1; 0: the start has it */
	bool edge;		  /* the edge of the step has it */
	bool descending;
	/* by rank - 1, or by relation: the property, or NULL */
	const KgField **fields;
	const KgRefPath **paths; /* by rank - 1: the property is a path */
} KgRowSortKey;

typedef struct KgRowSort
{
	int n;
	KgRowSortKey keys[KG_MAX_SORT];
} KgRowSort;

/* Reads the argument, after the steps. */
extern void kg_row_sort_read(KgGraphCall *call, const KgSteps *steps,
							 const KgType *from, KgRowSort *sort);

/*
 * Sorts all rows of a traversal. refs has the nodes of the rows, by node.
 * Missing values are last; rows with equal values keep their order.
 */
extern void kg_row_sort_run(KgGraphCall *call, const KgRowSort *sort,
							const KgTraversal *t, KgBinding *rows, uint32 n,
							const KgRef *refs);

#endif /* KG_GRAPH_ROW_SORT_H */
