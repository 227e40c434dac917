/*
 * view_planner.h
 *	  Planner support for views: a filter on a column of a view may use
 *	  the keys of x-index properties.
 */
#ifndef KG_VIEW_PLANNER_H
#define KG_VIEW_PLANNER_H

#include "nodes/nodes.h"

/*
 * Returns the support functions' answer to a planner request
 * (nodes/supportnodes.h) for kg_view_row(), kg_view_nodes() and
 * kg_entity_visible(), or NULL.
 */
extern Node *kg_view_support(Node *request);

/*
 * The positions of the arguments of kg_view_nodes() in the calls that the
 * support function builds.
 */
typedef enum KgViewArgument
{
	KG_VIEW_BUNDLE,
	KG_VIEW_TYPE,
	KG_VIEW_PROPERTY,
	KG_VIEW_TEST, /* operator and value, KG_MAX_VIEW_TESTS times */
	KG_VIEW_NARGUMENTS = KG_VIEW_TEST + 4
} KgViewArgument;

#endif /* KG_VIEW_PLANNER_H */
