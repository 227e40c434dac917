/*
 * exposed.h
 *	  Operations that types and relations expose.
 */
#ifndef KG_EXPOSED_H
#define KG_EXPOSED_H

#include "model/catalog.h"

/*
 * Returns "relation" or "type": the name of the argument that names the
 * relation or type in the tools for the operation.
 */
extern const char *kg_exposed_member(int operation);

/*
 * Returns the tool of a type or relation for an operation. Raises KG_FORBIDDEN
 * if the type or relation does not expose the operation. path is the JSON
 * Pointer of the argument that names the type or relation, or NULL.
 */
extern const KgTool *kg_exposed_require(const KgCatalog *catalog,
										const char *name, int operation,
										const char *path);

#endif /* KG_EXPOSED_H */
