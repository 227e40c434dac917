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

#endif /* KG_REBUILD_H */
