/*
 * tenant_planner.h
 *	  How the planner gets to know that a row's tenant is looked at first.
 */
#ifndef KG_TENANT_PLANNER_H
#define KG_TENANT_PLANNER_H

#include "nodes/nodes.h"

/*
 * The support function of kg_own_tenant(): the answer to a request of
 * nodes/supportnodes.h, or NULL.
 */
extern Node *kg_own_tenant_support(Node *request);

#endif /* KG_TENANT_PLANNER_H */
