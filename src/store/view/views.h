/*
 * views.h
 *	  Views of a tenant's types and relations, for readers that use SQL.
 *
 * The views belong to the caller, in a schema of the caller's. Each user that
 * reads them sees the rows that it may see. Each view calls kg_view_row(),
 * whose arguments name its type or relation and a hash of its definition. So
 * no other record is needed that could contradict the views: they can be
 * renamed and dumped.
 */
#ifndef KG_VIEWS_H
#define KG_VIEWS_H

#include "utils/jsonb.h"

/*
 * kg_views_create() makes the views of all types and relations in a schema, and
 * creates the schema if it does not exist. schema NULL means a schema with the
 * tenant's name. kg_views_refresh() updates the views of a schema. schema NULL
 * means each schema of the caller's that has views of the tenant. A view on
 * which another object depends is replaced only if it retains its columns;
 * otherwise it stays unchanged and is reported. Call both inside SPI_connect().
 */
extern Jsonb *kg_views_create(const char *schema, const Jsonb *options);
extern Jsonb *kg_views_refresh(const char *schema, const Jsonb *options);

#endif /* KG_VIEWS_H */
