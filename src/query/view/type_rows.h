/*
 * type_rows.h
 *	  Estimates of the entities of one type, for the planner.
 */
#ifndef KG_TYPE_ROWS_H
#define KG_TYPE_ROWS_H

#include "nodes/pathnodes.h"

/*
 * Returns the estimated number of entities of a type if the relation is
 * kg_entity, restricted to one tenant, bundle and entity type; otherwise 0.
 */
extern double kg_type_rows(PlannerInfo *root, RelOptInfo *rel);

/*
 * Installs the hook that gives the planner the number of distinct values of the
 * columns that are unique within a type.
 */
extern void kg_type_rows_init(void);

#endif /* KG_TYPE_ROWS_H */
