/*
 * edge_history.h
 *	  Reading the changes of edges as the caller.
 */
#ifndef KG_EDGE_HISTORY_H
#define KG_EDGE_HISTORY_H

#include "query/time/history.h"
#include "store/edge/given_edges.h"

/*
 * The edges of a relation between two entities: the edge with a key, or all.
 */
typedef struct KgEdgeSought
{
	const KgRelation *relation;
	KgEdgeEnd ends[2]; /* source, target */
	const char *key;   /* NULL: any */
} KgEdgeSought;

/*
 * Reads at most n changes of these edges, the newest first, with numbers below
 * a change (0: all). Returns the number of changes read; 0 if the caller does
 * not see an end.
 */
extern int kg_edge_history_read(const KgCatalog *catalog,
								const KgEdgeSought *sought, int64 below, int n,
								KgChange *changes);

#endif /* KG_EDGE_HISTORY_H */
