/*
 * graph_schemas.h
 *	  The published schemas of the graph tools.
 */
#ifndef KG_GRAPH_SCHEMAS_H
#define KG_GRAPH_SCHEMAS_H

#include "utils/jsonb.h"

/*
 * A schema from its template: ' stands for ", and <name> for a part that
 * depends on the tenant or the settings, or is used by several tools.
 */
extern Jsonb *kg_expand_schema(const char *template);

#endif /* KG_GRAPH_SCHEMAS_H */
