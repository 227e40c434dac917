/*
 * tenant/rows.h
 *	  All rows of a tenant, in all tables. All functions run as the
 *	  extension's owner, inside SPI.
 */
#ifndef KG_TENANT_ROWS_H
#define KG_TENANT_ROWS_H

#include "model/adjacency.h"
#include "utils/jsonb.h"

/*
 * Conditions that select rows of tenant $1 in tables whose keys do not begin
 * with the tenant. They test the number of a type or a node of the tenant.
 */
#define KG_KEYS_OF_TENANT \
	"type_no IN (SELECT type_no FROM @kg_entity_type WHERE tenant = $1)"
#define KG_HUBS_OF_TENANT \
	"block >= -(" KG_LAST_NODE ") AND block <= -(" KG_FIRST_NODE ")"
#define KG_BLOCKS_OF_TENANT                                       \
	"block >= ((" KG_FIRST_NODE ") - 1) / " KG_BLOCK_TEXT " + 1 " \
	"AND block <= ((" KG_LAST_NODE ") - 1) / " KG_BLOCK_TEXT " + 1"

/*
 * Subselects for the lowest and the highest node of the tenant that has edges;
 * all packed nodes are in this range. They read the first and the last entry
 * of two indexes that begin with the tenant. The result is NULL if the tenant
 * has no edges.
 */
#define KG_END_NODE(which, end)                                              \
	"SELECT " which "((SELECT " end "(source) FROM @kg_edge WHERE tenant = " \
	"$1), (SELECT " end "(target) FROM @kg_edge WHERE tenant = $1))"
#define KG_FIRST_NODE KG_END_NODE("least", "min")
#define KG_LAST_NODE KG_END_NODE("greatest", "max")

/*
 * Transfers all rows of the tenant to another name, which must already have a
 * row in kg_tenant. The caller must have excluded writers of both names, and
 * have marked both names in model/tenant_state.h.
 */
extern void kg_tenant_give(Datum tenant, Datum name);

/* Returns {bytes, entities, edges, by_table}, in the current memory context. */
extern Jsonb *kg_tenant_measure(Datum tenant);

#endif /* KG_TENANT_ROWS_H */
