/*
 * tenant/rows.h
 *	  All rows of a tenant, of whatever table: as the owner, inside SPI.
 */
#ifndef KG_TENANT_ROWS_H
#define KG_TENANT_ROWS_H

#include "model/adjacency.h"
#include "utils/jsonb.h"

/*
 * Where the rows of tenant $1 are in tables whose keys it does not lead: the
 * numbers of its types and nodes say it.
 */
#define KG_KEYS_OF_TENANT \
	"type_no IN (SELECT type_no FROM @kg_entity_type WHERE tenant = $1)"
#define KG_HUBS_OF_TENANT \
	"block >= -(" KG_LAST_NODE ") AND block <= -(" KG_FIRST_NODE ")"
#define KG_BLOCKS_OF_TENANT                                       \
	"block >= ((" KG_FIRST_NODE ") - 1) / " KG_BLOCK_TEXT " + 1 " \
	"AND block <= ((" KG_LAST_NODE ") - 1) / " KG_BLOCK_TEXT " + 1"

/*
 * Of the nodes with edges, which are those that may be packed: the ends of two
 * indexes that the tenant leads.  NULL: there are none.
 */
#define KG_END_NODE(which, end)                                              \
	"SELECT " which "((SELECT " end "(source) FROM @kg_edge WHERE tenant = " \
	"$1), (SELECT " end "(target) FROM @kg_edge WHERE tenant = $1))"
#define KG_FIRST_NODE KG_END_NODE("least", "min")
#define KG_LAST_NODE KG_END_NODE("greatest", "max")

/*
 * Give them all to another name, which has a row of kg_tenant already.  Writers
 * of both are excluded, and both are worked on (model/tenant_state.h).
 */
extern void kg_tenant_give(Datum tenant, Datum name);

/* {bytes, entities, edges, by_table}, in the current context. */
extern Jsonb *kg_tenant_measure(Datum tenant);

#endif /* KG_TENANT_ROWS_H */
