/*
 * view_planner.h
 *	  How the planner gets to know that a filter on a column of a view may ask
 *	  the keys of x-index properties.
 */
#ifndef KG_VIEW_PLANNER_H
#define KG_VIEW_PLANNER_H

#include "nodes/nodes.h"

/*
 * The support function of kg_view_row() and kg_view_nodes(): the answer to a
 * request of nodes/supportnodes.h, or NULL.
 */
extern Node *kg_view_support(Node *request);

/* The arguments of kg_view_nodes(), which this writes. */
typedef enum KgViewArgument
{
	KG_VIEW_BUNDLE,
	KG_VIEW_TYPE,
	KG_VIEW_PROPERTY,
	KG_VIEW_TEST, /* operator and value, KG_MAX_VIEW_TESTS times */
	KG_VIEW_NARGUMENTS = KG_VIEW_TEST + 4
} KgViewArgument;

#endif /* KG_VIEW_PLANNER_H */
