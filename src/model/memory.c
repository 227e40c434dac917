/*
 * memory.c
 *	  Lookup of the bundle "memory".
 */
#include "postgres.h"

#include "model/memory.h"

static bool
has_field(const KgType *type, const char *name, KgKind kind)
{
	for (int i = 0; i < type->nfields; i++)
		if (strcmp(type->fields[i].name, name) == 0)
			return type->fields[i].kind == kind && !type->fields[i].is_array;
	return false;
}

static bool
is_id(const KgType *type, const char *name)
{
	return type->id_field != NULL && strcmp(type->id_field->name, name) == 0;
}

static bool
have_form(const KgMemory *memory)
{
	return memory->entity != NULL && memory->observation != NULL &&
		   memory->relates != NULL && memory->observes != NULL &&
		   is_id(memory->entity, "name") && is_id(memory->observation, "id") &&
		   has_field(memory->entity, "entityType", KG_KIND_STRING) &&
		   has_field(memory->entity, KG_MEMORY_STUB, KG_KIND_BOOLEAN) &&
		   has_field(memory->observation, "content", KG_KIND_STRING) &&
		   has_field(memory->observation, "n", KG_KIND_INTEGER);
}

bool
kg_memory_find(const KgCatalog *catalog, KgMemory *memory)
{
	memset(memory, 0, sizeof(*memory));
	memory->catalog = catalog;
	memory->entity = kg_catalog_type_in(catalog, KG_MEMORY_BUNDLE, "entity");
	memory->observation = kg_catalog_type_in(
		catalog, KG_MEMORY_BUNDLE, "observation");
	for (int i = 0; i < catalog->nrelations; i++)
	{
		const KgRelation *relation = &catalog->relations[i];

		if (strcmp(relation->bundle, KG_MEMORY_BUNDLE) != 0)
			continue;
		if (relation->key != NULL && strcmp(relation->key, "relationType") == 0)
			memory->relates = relation;
		if (relation->derived &&
			strcmp(relation->variants[0].property, "entity") == 0)
			memory->observes = relation;
	}
	return have_form(memory);
}
