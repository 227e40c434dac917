/*
 * view_planner.h
 *	  Planner support for views: a filter on a column of a view may use
 *	  the keys of x-index properties.
 */
#ifndef KG_VIEW_PLANNER_H
#define KG_VIEW_PLANNER_H

#include "query/view/view_rows.h"
#include "nodes/nodes.h"
#include "nodes/pg_list.h"

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
	/* operator and value, KG_MAX_VIEW_TESTS times */
	KG_VIEW_TEST,
	KG_VIEW_NARGUMENTS = KG_VIEW_TEST + 4
} KgViewArgument;

/*
 * Reads arguments of kg_view_nodes().  Returns false if they are not constant.
 */
extern bool kg_view_filter(List *args, KgViewFilter *filter);

/*
 * Chooses from the conditions of a planned scan of a type's entities those
 * that keys of one property answer exactly. table is kg_entity, and relid its
 * index in the range table. Returns the arguments of kg_view_nodes() for the
 * chosen conditions, and sets *rest to the other conditions. Returns NIL if no
 * condition is chosen.
 */
extern List *kg_view_exact(Oid table, Index relid, const KgType *type,
						   List *conditions, List **rest);

#endif /* KG_VIEW_PLANNER_H */
