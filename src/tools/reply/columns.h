/*
 * columns.h
 *	  The arguments "columns", "edge_columns" and "ids_only": the properties
 *	  of nodes and edges that a graph tool's reply shows.
 *
 *	  Without "columns", a type with x-summary-fields shows these properties
 *	  and its label; any other type shows all properties. "edge.since" among
 *	  "columns" has the same effect as "since" among "edge_columns", unless a
 *	  type has such a path.
 */
#ifndef KG_TOOLS_COLUMNS_H
#define KG_TOOLS_COLUMNS_H

#include "model/catalog.h"
#include "query/graph/nodes.h"
#include "tools/reply/shape.h"

typedef struct KgShownColumns
{
	bool ids_only;		  /* handles instead of nodes */
	bool edges_chosen;	  /* properties of edges were named */
	KgProjection **nodes; /* indexed by rank - 1; NULL: all */
	KgProjection **edges; /* by index in the catalog; NULL: all */
} KgShownColumns;

/*
 * Reads the arguments for one type, or for all types if type is NULL. edges
 * says whether edges show properties if edge_columns is absent. The key of
 * parallel edges is always shown.
 */
extern void kg_columns_read(KgShownColumns *columns, const KgGraph *graph,
							const KgType *type, const KgInput *in, bool edges);

/* Makes nodes show only their labels; for callers that choose no columns. */
extern void kg_columns_only_labels(KgShownColumns *columns,
								   const KgGraph *graph);

/*
 * kg_columns_show() returns whether a property of the type is shown. The
 * second function returns whether a computed property (x-derived) is shown.
 */
extern bool kg_columns_show(const KgShownColumns *columns, int rank);
extern bool kg_columns_derive(const KgShownColumns *columns, const KgType *type,
							  int rank);
/*
 * Return the shown data of a node (NULL if data is NULL), and the shown
 * properties of an edge (NULL if none is shown).
 */
extern const Jsonb *kg_columns_of_node(const KgShownColumns *columns, int rank,
									   const Jsonb *data);
/*
 * Adds the values of paths through references to the shown data of nodes
 * (kg_columns_of_node()).
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
