/*
 * views.h
 *	  Views of a tenant's types and relations, for readers that use SQL.
 *
 * The views belong to the caller and are in a schema of the caller. Each user
 * that reads them sees the rows that it may see. Each view calls
 * kg_view_row(), whose arguments name the view's type or relation and a hash
 * of its definition. So the views are recorded nowhere else, and they can be
 * renamed and dumped.
 */
#ifndef KG_VIEWS_H
#define KG_VIEWS_H

#include "utils/jsonb.h"

/*
 * kg_views_create() creates the views of all types and relations in a schema,
 * and creates the schema if it does not exist. If schema is NULL, the schema
 * has the tenant's name. kg_views_refresh() updates the views of a schema. If
 * schema is NULL, it updates every schema of the caller that has views of the
 * tenant. If another object depends on a view, the view is replaced only if it
 * retains its columns. Otherwise the view is not changed, and is reported.
 * Call both inside SPI_connect().
 */
extern Jsonb *kg_views_create(const char *schema, const Jsonb *options);
extern Jsonb *kg_views_refresh(const char *schema, const Jsonb *options);

#endif /* KG_VIEWS_H */
