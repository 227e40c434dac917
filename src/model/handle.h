/*
 * handle.h
 *	  Handles: texts that identify entities. The form is "type:id", or
 *	  "bundle/type:id" if several visible bundles have the type.
 */
#ifndef KG_HANDLE_H
#define KG_HANDLE_H

#include "model/catalog.h"

/*
 * Splits a handle into *type and *id, which points into handle. Returns false
 * if the handle does not begin with a type's name and a colon. It may then be a
 * bare id.
 */
extern bool kg_handle_split(const KgCatalog *catalog, const char *handle,
							const KgType **type, const char **id);

/* Returns the handle of an entity, in the current context. */
extern char *kg_handle_make(const KgType *type, const char *id);

/*
 * kg_handle_read() returns the handle of an entity that a reply names as an
 * object with the strings "type" and "id". kg_handle_of_end() reads the member
 * "from" or "to" of an edge. Both return NULL for any other value, and for
 * NULL.
 */
extern char *kg_handle_read(const JsonbContainer *object);
extern char *kg_handle_of_end(const JsonbContainer *edge, const char *end);

#endif /* KG_HANDLE_H */
