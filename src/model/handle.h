/*
 * handle.h
 *	  Handles of entities: "type:id", or "bundle/type:id" if several visible
 *	  bundles have the type.
 */
#ifndef KG_HANDLE_H
#define KG_HANDLE_H

#include "model/catalog.h"

/*
 * Splits a handle; *id points into it.  Returns false if it does not start
 * with a type's name and a colon; it may be a bare id then.
 */
extern bool kg_handle_split(const KgCatalog *catalog, const char *handle,
							const KgType **type, const char **id);

/* Returns the handle of an entity, in the current context. */
extern char *kg_handle_make(const KgType *type, const char *id);

#endif /* KG_HANDLE_H */
