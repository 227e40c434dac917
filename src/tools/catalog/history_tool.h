/*
 * history_tool.h
 *	  history_<type>: what was done to an entity.
 */
#ifndef KG_HISTORY_TOOL_H
#define KG_HISTORY_TOOL_H

#include "model/catalog.h"

/* The template of its arguments: id, limit, cursor, max_bytes; and of its reply. */
extern const char *kg_history_input_template(void);
extern const char *kg_history_output_template(void);

/*
 * kg_history() of the edges of a relation; the arguments have from, to and, of
 * one of parallel edges, key.
 */
extern Jsonb *kg_edge_history(const KgCatalog *catalog, const char *relation,
							  const Jsonb *arguments);

extern Jsonb *kg_tool_history(const KgCatalog *catalog, const KgType *type,
							  const Jsonb *arguments);

#endif /* KG_HISTORY_TOOL_H */
