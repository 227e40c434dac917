/*
 * history_tool.h
 *	  The tools history_<type>: the stored changes of an entity.
 */
#ifndef KG_HISTORY_TOOL_H
#define KG_HISTORY_TOOL_H

#include "model/catalog.h"
#include "utils/array.h"

/*
 * Returns the history of a relation's edges, for kg_history(). The arguments
 * name the edge by "from" and "to", and by "key" if parallel edges have keys.
 */
extern Jsonb *kg_edge_history(const KgCatalog *catalog, const char *relation,
							  const Jsonb *arguments);

/*
 * Returns the changes of some types and relations after the position "since".
 * If "since" is empty, returns no changes, only the present position. If
 * "types" is empty, returns the changes of all types and relations with
 * history.
 */
extern Jsonb *kg_changes(const KgCatalog *catalog, const char *since,
						 ArrayType *types, const Jsonb *options);

extern Jsonb *kg_tool_history(const KgCatalog *catalog, const KgType *type,
							  const Jsonb *arguments);

#endif /* KG_HISTORY_TOOL_H */
