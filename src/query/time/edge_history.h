/*
 * edge_history.h
 *	  Reading the changes of edges as the caller.
 */
#ifndef KG_EDGE_HISTORY_H
#define KG_EDGE_HISTORY_H

#include "query/time/history.h"
#include "store/edge/given_edges.h"

/* The edges of a relation between two entities; one of a key, or all. */
typedef struct KgEdgeSought
{
	const KgRelation *relation;
	KgEdgeEnd ends[2]; /* source, target */
	const char *key;   /* NULL: any */
} KgEdgeSought;

/*
 * Their changes, the newest first: at most n, below a change (0: all).  Where
 * the caller does not see an end, there are none.
 */
extern int kg_edge_history_read(const KgCatalog *catalog,
								const KgEdgeSought *sought, int64 below, int n,
								KgChange *changes);

#endif /* KG_EDGE_HISTORY_H */
