/*
 * rebuild.h
 *	  Derives all rows of a tenant anew from its entities.
 */
#ifndef KG_REBUILD_H
#define KG_REBUILD_H

#include "utils/jsonb.h"

/*
 * Derives the index keys, search terms and edges of the current role's tenant
 * anew. The role needs admin access. Returns the numbers of rows afterwards.
 * Raises an error for references without a target. Call inside SPI_connect().
 */
extern Jsonb *kg_rebuild(void);

/*
 * Derives the rows of any tenant anew, as kg_rebuild() does for the caller's
 * tenant. Runs as the extension's owner.
 */
extern void kg_rebuild_tenant(const char *tenant);

#endif /* KG_REBUILD_H */
