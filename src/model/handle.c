/*
 * handle.c
 *	  Handles: texts that identify entities.
 */
#include "postgres.h"

#include "model/handle.h"

bool
kg_handle_split(const KgCatalog *catalog, const char *handle,
				const KgType **type, const char **id)
{
	const char *colon = strchr(handle, ':');

	if (colon == NULL)
		return false;
	*type = kg_catalog_type(catalog, pnstrdup(handle, colon - handle));
	*id = colon + 1;
	return *type != NULL;
}

char *
kg_handle_make(const KgType *type, const char *id)
{
	return psprintf("%s:%s", kg_type_handle(type), id);
}
