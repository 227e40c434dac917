/*
 * select.h
 *	  The nodes that a tool starts from: {label, ids?, filters?}.
 */
#ifndef KG_SELECT_H
#define KG_SELECT_H

#include "query/filter/filter.h"
#include "query/graph/graph_search.h"

typedef struct KgSelector
{
	const KgType *type;
	int nids; /* 0: no ids were given */
	char **ids;
	const KgFilter *filter;			 /* analysed; or NULL */
	const struct KgRelated *related; /* or NULL */
	const char *path;				 /* JSON Pointer of the selector */
	const char *ids_path;			 /* of its ids */
	bool few; /* edges are counted of each: kg_graph.max_scan of them will do */
} KgSelector;

/*
 * The visible nodes that a selector means, each once, in no order; allocated
 * in the graph's context.  More than kg_graph.max_visited are
 * KG_LIMIT_EXCEEDED.
 */
extern int64 *kg_select_nodes(KgGraph *graph, const KgSelector *selector,
							  uint32 *n);

/*
 * What of a selector no index says, what its nodes are related to and
 * query/filter/scan.h: keep those of the nodes that pass; returns their number.
 */
extern uint32 kg_select_keep(KgGraph *graph, const KgSelector *selector,
							 int64 *nodes, uint32 n);
/* Is there something of that kind? */
extern bool kg_select_reads(const KgSelector *selector);

/* Are the nodes that it selects found by their own rows, and so sure to be there? */
extern bool kg_select_sees(const KgSelector *selector);

/*
 * The nodes that a filter leaves by its alternatives, where each of them is
 * found by an index and they are no more than the limit; otherwise NULL.
 */
extern int64 *kg_select_few(const KgCatalog *catalog, const KgType *type,
							const KgFilter *filter, uint32 limit, uint32 *n);

#endif /* KG_SELECT_H */
