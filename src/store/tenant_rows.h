/*
 * tenant_rows.h
 *	  All rows of a tenant, of whatever table: as the owner, inside SPI.
 */
#ifndef KG_TENANT_ROWS_H
#define KG_TENANT_ROWS_H

#include "catalog/adjacency.h"
#include "utils/jsonb.h"

/*
 * Where the rows of tenant $1 are in tables whose keys it does not lead: the
 * numbers of its types and nodes say it.
 */
#define KG_KEYS_OF_TENANT \
	"type_no IN (SELECT type_no FROM @kg_entity_type WHERE tenant = $1)"
#define KG_HUBS_OF_TENANT                                             \
	"block >= (SELECT -max(node) FROM @kg_entity WHERE tenant = $1) " \
	"AND block <= (SELECT -min(node) FROM @kg_entity WHERE tenant = $1)"
#define KG_BLOCKS_OF_TENANT                                     \
	"block >= (SELECT (min(node) - 1) / " KG_BLOCK_TEXT " + 1 " \
	"FROM @kg_entity WHERE tenant = $1) AND block <= "          \
	"(SELECT (max(node) - 1) / " KG_BLOCK_TEXT " + 1 "          \
	"FROM @kg_entity WHERE tenant = $1)"

/*
 * Give them all to another name, which has a row of kg_tenant already.  Writers
 * of both are excluded, and both are worked on (catalog/tenant_state.h).
 */
extern void kg_tenant_give(Datum tenant, Datum name);

/* {bytes, entities, edges, by_table}, in the current context. */
extern Jsonb *kg_tenant_measure(Datum tenant);

#endif /* KG_TENANT_ROWS_H */
