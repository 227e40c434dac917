/*
 * bundle_unique.c
 *	  What an apply changes in which properties an x-ref-field names.
 *
 * The type that such a property belongs to may be of another bundle; its
 * writers are locked out as they are when its schema changes.  What is newly
 * named gets the rows of the entities that are stored, and no two of them may
 * have the same value.  As the owner, inside SPI_connect().
 */
#include "postgres.h"

#include "base/spi.h"
#include "catalog/lock.h"
#include "store/bundle.h"
#include "store/unique.h"

static bool
is_unique(const KgType *type, const char *name)
{
	const KgField *field = type ? kg_type_field(type, name) : NULL;

	return field && field->unique;
}

bool
kg_bundle_gains_unique(const KgApply *apply, const KgType *type)
{
	const KgType *before;

	if (!type->has_unique)
		return false;
	before = kg_catalog_type_no(apply->before, type->type_no);
	for (int i = 0; before && i < type->nfields; i++)
		if (type->fields[i].unique && !is_unique(before, type->fields[i].name))
			return true;
	return false;
}

/* Those who write entities of the type by the old catalog are waited for. */
void
kg_bundle_lock_unique(KgApply *apply)
{
	for (int i = 0; i < apply->after->ntypes; i++)
		if (kg_bundle_gains_unique(apply, apply->after->types[i]))
			(void) kg_lock_type_exclusive(apply->after->types[i]->type_no);
	apply->after = kg_catalog_get(apply->tenant);
}

void
kg_bundle_clear_unique(const KgApply *apply, const KgType *type)
{
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].unique)
			kg_unique_clear(apply->tenant, type->type_no, type->fields[i].name);
}

void
kg_bundle_forget_unique(KgApply *apply)
{
	const KgCatalog *now;

	CommandCounterIncrement();
	now = kg_catalog_get(apply->tenant);
	for (int i = 0; i < apply->before->ntypes; i++)
	{
		const KgType *before = apply->before->types[i];
		const KgType *type = kg_catalog_type_no(now, before->type_no);

		for (int j = 0; before->has_unique && j < before->nfields; j++)
		{
			const char *name = before->fields[j].name;

			if (!before->fields[j].unique || is_unique(type, name))
				continue;
			(void) kg_lock_type_exclusive(before->type_no);
			kg_unique_clear(apply->tenant, before->type_no, name);
		}
	}
}
