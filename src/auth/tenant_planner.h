/*
 * tenant_planner.h
 *	  Planner support: the condition on a row's tenant becomes the first
 *	  condition that is tested.
 */
#ifndef KG_TENANT_PLANNER_H
#define KG_TENANT_PLANNER_H

#include "nodes/nodes.h"

/*
 * Support function of kg_own_tenant().  Returns the answer to a request of
 * nodes/supportnodes.h, or NULL.
 */
extern Node *kg_own_tenant_support(Node *request);

#endif /* KG_TENANT_PLANNER_H */
