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

/* A conflict between properties of edges that become one edge. */
typedef struct KgEdgeConflict
{
	const KgRelation *relation;
	int64 ends[2];	   /* nodes at the ends of the united edge */
	const int *owners; /* indexed by document: number of the merged entity */
	int n;			   /* number of documents */
	const KgUniteConflict *conflict;
} KgEdgeConflict;

typedef struct KgMergeEdges
{
	int64 moved;	 /* edges that get another end */
	int64 united;	 /* edges that go into a parallel edge */
	int64 dropped;	 /* edges between merged entities */
	List *conflicts; /* List of KgEdgeConflict * */
	List *relations; /* the relations (KgRelation *) of the changed edges */
	uint64 digest;	 /* changes with the state of each edge */
	KgColumns gone;
	KgColumns written;
	/* by index in "written": KG_EDGE_NONE or KG_EDGE_OTHER */
	int *found;
} KgMergeEdges;

/*
 * Decides the effect on the explicit edges of merged entities. nodes[0] is the
 * entity that stays, and prefer the number of an entity or -1. The relations
 * and the nodes are locked. Raises KG_FORBIDDEN if other nodes than the first
 * have edges and the caller does not see the tenant as a whole, and KG_CONFLICT
 * if an edge is newer than the transaction's snapshot. Runs as the owner.
 */
extern void kg_merge_edges_plan(const KgCatalog *catalog,
								const KgUserContext *caller, const int64 *nodes,
								int n, int prefer, KgMergeEdges *plan);

/* Writes the effect, as the current role. */
extern void kg_merge_edges_write(const KgCatalog *catalog,
								 const KgMergeEdges *plan);

#endif /* KG_MERGE_EDGES_H */
