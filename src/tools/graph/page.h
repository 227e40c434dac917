/*
 * graph/page.h
 *	  A page of a breadth-first search as nodes and edges of a reply.
 */
#ifndef KG_GRAPH_PAGE_H
#define KG_GRAPH_PAGE_H

#include "query/graph/neighbors.h"
#include "tools/graph/reply.h"

/* Returns whether the reply is ordered by relevance instead of by distance. */
extern bool kg_call_by_relevance(const KgInput *in);
/*
 * Returns the number of hops to use for finding the types that the call
 * reaches. By relevance, the number is high enough to reach every connected
 * type.
 */
extern int kg_call_type_hops(const KgGraphCall *call, bool by_relevance,
							 int64 hops);

/*
 * Fills nodes, edges and units from a page. Each node is a unit; an edge
 * belongs to the unit of its later end. Marks all nodes and edges as full.
 */
extern void kg_reply_from_page(KgReply *reply, const KgReach *reach,
							   const KgPage *page);

/* Returns the name of a relation for replies, or "*" if it is unknown. */
extern const char *kg_relation_name(const KgCatalog *catalog,
									int32 relation_no);

#endif /* KG_GRAPH_PAGE_H */
