/*
 * graph/page.h
 *	  A page of a breadth-first search as nodes and edges of a reply.
 */
#ifndef KG_GRAPH_PAGE_H
#define KG_GRAPH_PAGE_H

#include "query/graph/neighbors.h"
#include "tools/graph/reply.h"

/*
 * Returns whether the call requests nodes in the order of relevance instead of
 * distance.
 */
extern bool kg_call_by_relevance(const KgInput *in);
/*
 * Returns the number of hops for finding the types that the call can reach. A
 * search by relevance has no limit of hops, so the number is then high enough
 * to reach every connected type.
 */
extern int kg_call_type_hops(const KgGraphCall *call, bool by_relevance,
							 int64 hops);

/*
 * Fills nodes, edges and units of the reply from a page. Each node is a unit.
 * An edge belongs to the unit of its later end on the page. Marks all nodes
 * and edges as full.
 */
extern void kg_reply_from_page(KgReply *reply, const KgReach *reach,
							   const KgPage *page);

/*
 * Returns the name under which replies show a relation, or "*" if the relation
 * is unknown.
 */
extern const char *kg_relation_name(const KgCatalog *catalog,
									int32 relation_no);

#endif /* KG_GRAPH_PAGE_H */
