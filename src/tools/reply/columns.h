/*
 * columns.h
 *	  The arguments "columns", "edge_columns" and "ids_only": the properties
 *	  of nodes and edges that the reply of a graph tool shows.
 *
 *	  Without "columns", a type with x-summary-fields shows these properties
 *	  and its label. Any other type shows all properties. "edge.since" in
 *	  "columns" has the effect of "since" in "edge_columns", unless a type has
 *	  a path "edge.since".
 */
#ifndef KG_TOOLS_COLUMNS_H
#define KG_TOOLS_COLUMNS_H

#include "model/catalog.h"
#include "query/graph/nodes.h"
#include "tools/reply/shape.h"

typedef struct KgShownColumns
{
	bool ids_only;	   /* true: show handles instead of nodes */
	bool edges_chosen; /* true: the call named properties of edges */
	/* indexed by rank of the type - 1; NULL: show all properties */
	KgProjection **nodes;
	/*
	 * not NULL: the nodes of this graph show only their labels; the projection
	 * of a type is made when it is first needed
	 */
	const KgGraph *labels_of;
	/* indexed by relation in the catalog; NULL: show all properties */
	KgProjection **edges;
} KgShownColumns;

/*
 * Reads the arguments for one type, or for all types if type is NULL. If the
 * call has no edge_columns, "edges" says whether edges show their properties.
 * The key of parallel edges is always shown.
 */
extern void kg_columns_read(KgShownColumns *columns, const KgGraph *graph,
							const KgType *type, const KgInput *in, bool edges);

/*
 * Makes nodes show only their labels, for calls whose caller cannot choose
 * columns.
 */
extern void kg_columns_only_labels(KgShownColumns *columns,
								   const KgGraph *graph);

/*
 * kg_columns_show() returns whether any property of the type is shown.
 * kg_columns_derive() returns whether any computed property (x-derived) of the
 * type is shown.
 */
extern bool kg_columns_show(const KgShownColumns *columns, int rank);
extern bool kg_columns_derive(const KgShownColumns *columns, const KgType *type,
							  int rank);
/*
 * kg_columns_of_node() returns the shown part of a node's data, or NULL if
 * data is NULL. kg_columns_of_edge() returns the shown properties of an edge,
 * or NULL if none are shown.
 */
extern const Jsonb *kg_columns_of_node(const KgShownColumns *columns, int rank,
									   const Jsonb *data);
/*
 * Adds the values of paths through references to the data of nodes that
 * kg_columns_of_node() returned.
 */
extern void kg_columns_reach(const KgShownColumns *columns, KgGraph *graph,
							 KgRef **refs, uint32 n);
extern bool kg_columns_show_edge(const KgShownColumns *columns,
								 const KgCatalog *catalog,
								 const KgRelation *relation);
extern const Jsonb *kg_columns_of_edge(const KgShownColumns *columns,
									   const KgCatalog *catalog,
									   const KgRelation *relation,
									   const Jsonb *properties);

#endif /* KG_TOOLS_COLUMNS_H */
