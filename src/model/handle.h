/*
 * handle.h
 *	  Handles of entities: "type:id", or "bundle/type:id" where several bundles
 *	  in view have the type.
 */
#ifndef KG_HANDLE_H
#define KG_HANDLE_H

#include "model/catalog.h"

/*
 * Split a handle.  False where it does not start with the name of a type and a
 * colon: it may be a bare id then.  *id points into handle.
 */
extern bool kg_handle_split(const KgCatalog *catalog, const char *handle,
							const KgType **type, const char **id);

/* The handle of an entity, in the current context. */
extern char *kg_handle_make(const KgType *type, const char *id);

#endif /* KG_HANDLE_H */
