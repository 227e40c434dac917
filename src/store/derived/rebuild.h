/*
 * rebuild.h
 *	  Deriving everything of a tenant anew from its entities.
 */
#ifndef KG_REBUILD_H
#define KG_REBUILD_H

#include "utils/jsonb.h"

/*
 * Index keys, search terms and derived edges of the current role's tenant;
 * needs admin access.  Counts of what is there afterwards.  Raises references
 * that have no target.  Inside SPI_connect().
 */
extern Jsonb *kg_rebuild(void);

/* The same of any tenant, for the owner, who acts for itself. */
extern void kg_rebuild_tenant(const char *tenant);

#endif /* KG_REBUILD_H */
