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
	const KgFilter *filter;	   /* the analysed filter, or NULL */
	struct KgRelated *related; /* or NULL */
	/*
	 * A chain of steps that the caller will walk from the nodes, or NULL. Nodes
	 * from which this chain leads nowhere may be left out, unless no node would
	 * remain.
	 */
	struct KgChain *follows;
	const char *path;	  /* JSON Pointer of the selector */
	const char *ids_path; /* JSON Pointer of the selector's ids */
	/* edges of the nodes will be counted: kg_graph.max_scan nodes suffice */
	bool few;
} KgSelector;

/*
 * Returns the visible nodes that a selector means, each once, unordered,
 * allocated in the graph's context. Raises KG_LIMIT_EXCEEDED if there are more
 * than kg_graph.max_visited.
 */
extern int64 *kg_select_nodes(KgGraph *graph, const KgSelector *selector,
							  uint32 *n);

/*
 * Reduces the nodes to those that pass the parts of a selector that no index
 * evaluates: "related" and filters of query/filter/scan.h. Returns the number
 * of the remaining nodes.
 */
extern uint32 kg_select_keep(KgGraph *graph, const KgSelector *selector,
							 int64 *nodes, uint32 n);
/*
 * Returns whether the selector has parts that no index evaluates, or edges of
 * its nodes will be counted (selector->few).
 */
extern bool kg_select_reads(const KgSelector *selector);

/*
 * Returns whether the selected nodes certainly exist, because they are found by
 * their rows in kg_entity, or because every entity is visible and derived rows
 * are not being written.
 */
extern bool kg_select_sees(KgGraph *graph, const KgSelector *selector);

/*
 * Adds the visible nodes that satisfy the filter, if indexes find them and
 * some condition of the filter has at most "most" rows in its index. Returns
 * whether it added them.
 */
extern bool kg_select_few(KgGraph *graph, const KgType *type,
						  const KgFilter *filter, uint32 most,
						  KgNodeSet *nodes);

#endif /* KG_SELECT_H */
