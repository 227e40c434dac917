/*
 * graph/page.h
 *	  A page of a breadth-first search as nodes and edges of a reply.
 */
#ifndef KG_GRAPH_PAGE_H
#define KG_GRAPH_PAGE_H

#include "query/graph/neighbors.h"
#include "tools/graph/reply.h"

/* Is what was found to be told by relevance, instead of by distance? */
extern bool kg_call_by_relevance(const KgInput *in);
/*
 * How many hops tell which types the call reaches: to know what is relevant the
 * walk goes on until no relation leads to another type.
 */
extern int kg_call_type_hops(const KgGraphCall *call, bool by_relevance,
							 int64 hops);

/*
 * Fill nodes, edges and units: each node is a unit, an edge belongs to its
 * later end.  Everything is full; the caller says otherwise.
 */
extern void kg_reply_from_page(KgReply *reply, const KgReach *reach,
							   const KgPage *page);

/* The name of a relation in replies. */
extern const char *kg_relation_name(const KgCatalog *catalog,
									int32 relation_no);

#endif /* KG_GRAPH_PAGE_H */
