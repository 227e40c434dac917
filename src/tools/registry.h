/*
 * registry.h
 *	  The fixed tools: one table a vocabulary.
 */
#ifndef KG_REGISTRY_H
#define KG_REGISTRY_H

#include "tools/dispatch.h"

/* The fixed tool of a name, or NULL. */
extern const KgFixedTool *kg_registry_find(const char *name);

/* Fixed tools by index, in the order of the tables; NULL past the last. */
extern const KgFixedTool *kg_registry_tool(int index);

#endif /* KG_REGISTRY_H */
