/*
 * columns.h
 *	  What a graph tool tells of the nodes and edges in its reply: the arguments
 *	  "columns", "edge_columns" and "ids_only".
 *
 *	  Without "columns" a type that declares x-summary-fields shows these and its
 *	  label, any other all that it has.
 */
#ifndef KG_TOOLS_COLUMNS_H
#define KG_TOOLS_COLUMNS_H

#include "model/catalog.h"
#include "query/graph/nodes.h"
#include "tools/reply/shape.h"

typedef struct KgShownColumns
{
	bool ids_only;		  /* handles in place of nodes */
	bool edges_chosen;	  /* edge_columns was sent */
	KgProjection **nodes; /* by rank - 1; NULL: all */
	KgProjection **edges; /* by place in the catalog; NULL: all */
} KgShownColumns;

/*
 * Read them: of one type, or NULL for all that there are.  edges says whether
 * edges show their properties where edge_columns was not sent; the one that
 * tells parallel edges apart is always shown.
 */
extern void kg_columns_read(KgShownColumns *columns, const KgGraph *graph,
							const KgType *type, const KgInput *in, bool edges);

/* Is any property of the type shown? Has a shown one to be computed? */
extern bool kg_columns_show(const KgShownColumns *columns, int rank);
extern bool kg_columns_derive(const KgShownColumns *columns, const KgType *type,
							  int rank);
/* What is shown of a node's data, of an edge's properties; NULL: nothing. */
extern const Jsonb *kg_columns_of_node(const KgShownColumns *columns, int rank,
									   const Jsonb *data);
extern bool kg_columns_show_edge(const KgShownColumns *columns,
								 const KgCatalog *catalog,
								 const KgRelation *relation);
extern const Jsonb *kg_columns_of_edge(const KgShownColumns *columns,
									   const KgCatalog *catalog,
									   const KgRelation *relation,
									   const Jsonb *properties);

#endif /* KG_TOOLS_COLUMNS_H */
