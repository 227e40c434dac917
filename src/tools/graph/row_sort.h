/*
 * graph/row_sort.h
 *	  The argument "sort" of traverse_relationships: orders rows by a property
 *	  of their nodes or edges.
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
	/*
	 * Number of the step that ends at the node with the property; 0: the start
	 * node.
	 */
	int step;
	/*
	 * true: the property belongs to the edges of the step; false: it belongs to
	 * the node at the step's end
	 */
	bool edge;
	bool descending;
	/*
	 * The property: for nodes, indexed by rank of the type - 1; for edges,
	 * indexed by relation in the catalog. An element, or the array, may be
	 * NULL.
	 */
	const KgField **fields;
	/*
	 * Path to the property, indexed by rank - 1. NULL if the property is not
	 * reached by a path.
	 */
	const KgRefPath **paths;
} KgRowSortKey;

typedef struct KgRowSort
{
	int n;
	KgRowSortKey keys[KG_MAX_SORT];
} KgRowSort;

/* Reads the argument "sort". Must be called after the steps were read. */
extern void kg_row_sort_read(KgGraphCall *call, const KgSteps *steps,
							 const KgType *from, KgRowSort *sort);

/*
 * Sorts all rows of a traversal. Missing values are last. Rows with equal
 * values stay in their order.
 */
extern void kg_row_sort_run(KgGraphCall *call, const KgRowSort *sort,
							const KgTraversal *t, KgBinding *rows, uint32 n);

#endif /* KG_GRAPH_ROW_SORT_H */
