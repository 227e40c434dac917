/*
 * handle.c
 *	  Handles: texts that identify entities.
 */
#include "postgres.h"

#include "base/json.h"
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

char *
kg_handle_read(const JsonbContainer *object)
{
	JsonbValue type;
	JsonbValue id;

	if (kg_json_get(object, "type", &type) == NULL || type.type != jbvString ||
		kg_json_get(object, "id", &id) == NULL || id.type != jbvString)
		return NULL;
	return psprintf("%s:%s", kg_json_cstring(&type), kg_json_cstring(&id));
}

char *
kg_handle_of_end(const JsonbContainer *edge, const char *end)
{
	JsonbValue value;

	return kg_json_get(edge, end, &value) != NULL
			   ? kg_handle_read(kg_json_container(&value))
			   : NULL;
}
