/*
 * merge_edges.h
 *	  Explicit edges of merged entities.
 */
#ifndef KG_MERGE_EDGES_H
#define KG_MERGE_EDGES_H

#include "base/extension.h"
#include "model/catalog.h"
#include "store/derived/columns.h"
#include "store/merge/unite.h"

/*
 * A conflict between properties of edges that become one edge by a merge of
 * entities.
 */
typedef struct KgEdgeConflict
{
	const KgRelation *relation;
	int64 ends[2]; /* nodes at the ends of the resulting edge */
	/* for each document, the index of the merged entity that it comes from */
	const int *owners;
	int n; /* number of documents */
	const KgUniteConflict *conflict;
} KgEdgeConflict;

typedef struct KgMergeEdges
{
	int64 moved;  /* number of edges that get another end */
	int64 united; /* number of edges that are merged into a parallel edge */
	/* number of edges between merged entities, which are deleted */
	int64 dropped;
	List *conflicts; /* List of KgEdgeConflict * */
	List *relations; /* the relations (KgRelation *) of the changed edges */
	/* a digest that changes if the state of any edge changes */
	uint64 digest;
	KgColumns gone;
	KgColumns written;
	/* KG_EDGE_NONE or KG_EDGE_OTHER for each row of "written". */
	int *found;
} KgMergeEdges;

/*
 * Decides the changes of explicit edges that a merge causes. nodes[0] is the
 * entity that stays. prefer is the index of the entity whose values are used in
 * conflicts, or -1. The caller must have locked the relations and the nodes.
 * Raises KG_FORBIDDEN if another node than the first has edges and the caller
 * does not see the whole tenant. Raises KG_CONFLICT if an edge is newer than
 * the transaction's snapshot. Runs as the owner.
 */
extern void kg_merge_edges_plan(const KgCatalog *catalog,
								const KgUserContext *caller, const int64 *nodes,
								int n, int prefer, KgMergeEdges *plan);

/* Writes the changes of edges in plan, as the current role. */
extern void kg_merge_edges_write(const KgCatalog *catalog,
								 const KgMergeEdges *plan);

#endif /* KG_MERGE_EDGES_H */
