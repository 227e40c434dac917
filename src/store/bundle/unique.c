/*
 * bundle/unique.c
 *	  Changes of the set of properties that an x-ref-field names. The values of
 *	  such a property are unique.
 *
 * The type of such a property may belong to another bundle. Its writers are
 * locked out, as when its schema changes. If a property is newly named, rows
 * of kg_unique_key are written for the stored entities. No two of these
 * entities may have the same value. All functions run as the extension's
 * owner, inside SPI_connect().
 */
#include "postgres.h"

#include "base/extension.h"
#include "model/lock.h"
#include "store/bundle/bundle.h"
#include "store/reference/unique.h"

static bool
is_unique(const KgType *type, const char *name)
{
	const KgField *field = type ? kg_type_field(type, name) : NULL;

	return field && field->unique;
}

/*
 * Returns whether the schema of the type names properties of other types,
 * relations, or types of other bundles.
 */
static bool
has_names(const KgType *type, const char *bundle)
{
	for (int i = 0; type && i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];

		if (field->ref_field || field->derived_relation ||
			(field->ref_bundle && strcmp(field->ref_bundle, bundle) != 0))
			return true;
	}
	return false;
}

/*
 * Returns whether the types or relations of the bundle name other properties,
 * types or relations than before the apply. Also returns true if types or
 * relations that other bundles name may be deleted.
 */
static bool
changes_names(const KgApply *apply)
{
	const KgPayload *payload = apply->payload;

	if (kg_bundle_changes_relations(apply))
		return true;
	for (int i = 0; i < payload->ntypes; i++)
	{
		const KgPayloadType *type = &payload->types[i];

		if ((has_names(type->parsed, payload->name) ||
			 has_names(type->stored, payload->name)) &&
			(type->stored == NULL ||
			 strcmp(type->stored->schema_hash, type->hash) != 0))
			return true;
	}
	for (int i = 0; !apply->options.merge && i < apply->before->ntypes; i++)
	{
		const KgType *type = kg_type_of(&apply->before->types[i]);

		if (strcmp(type->bundle, payload->name) == 0 &&
			kg_payload_type(payload, type->name) == NULL)
			return true;
	}
	return false;
}

/*
 * Makes applies wait for each other if they change names of unique properties,
 * types or relations. A property must stay unique as long as a type of any
 * bundle names it. A type must exist as long as a type refers to it or a
 * relation ends at it. A relation must exist as long as a property counts it.
 * Without this lock, each of two sessions could rely on a row that the other
 * session deletes. After the lock is granted, changes that other sessions
 * committed before are read. This bundle itself is locked already.
 */
void
kg_bundle_lock_names(KgApply *apply)
{
	KgUserContext user;
	const KgCatalog *now;

	if (!changes_names(apply))
		return;
	kg_lock_names(apply->tenant);
	kg_become_owner(&user);
	now = kg_catalog_newest(apply->tenant);
	kg_restore_user(&user);
	if (now->generation == apply->before->generation)
		return;
	apply->before = now;
	kg_bundle_check_others(apply);
}

static bool
names(const KgType *type, const KgType *target, const char *field)
{
	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *ref = &type->fields[i];

		if (ref->ref_field && strcmp(ref->ref_field, field) == 0 &&
			strcmp(ref->ref_type, target->name) == 0 &&
			strcmp(ref->ref_bundle, target->bundle) == 0)
			return true;
	}
	return false;
}

/*
 * Returns whether the property was unique before the apply, by the previous
 * types of this bundle and the current types of other bundles.
 */
static bool
was_unique(const KgApply *apply, const KgType *type, const char *field)
{
	const char *own = apply->payload->name;

	for (int i = 0; i < apply->before->ntypes; i++)
		if (strcmp(apply->before->types[i].bundle, own) == 0 &&
			names(kg_type_of(&apply->before->types[i]), type, field))
			return true;
	for (int i = 0; i < apply->after->ntypes; i++)
		if (strcmp(apply->after->types[i].bundle, own) != 0 &&
			names(kg_type_of(&apply->after->types[i]), type, field))
			return true;
	return false;
}

bool
kg_bundle_gains_unique(const KgApply *apply, const KgType *type)
{
	const KgType *before;

	if (!type->has_unique)
		return false;
	before = kg_catalog_type_no(apply->before, type->type_no);
	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];
		const KgField *old = before ? kg_type_field(before, field->name) : NULL;

		if (field->unique &&
			!(old && old->indexed && was_unique(apply, type, field->name)))
			return true;
	}
	return false;
}

/*
 * Locks the types that gain a unique property. Waits for sessions that write
 * entities of these types with the old catalog.
 */
void
kg_bundle_lock_unique(KgApply *apply)
{
	for (int i = 0; i < apply->after->ntypes; i++)
		if (kg_bundle_gains_unique(apply, kg_type_of(&apply->after->types[i])))
			(void) kg_lock_type_exclusive(apply->after->types[i].type_no);
	apply->after = kg_catalog_newest(apply->tenant);
}

void
kg_bundle_clear_unique(const KgApply *apply, const KgType *type)
{
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].unique)
			kg_unique_clear(apply->tenant, type->type_no, type->fields[i].name);
}

/*
 * Deletes unique values of properties that types of the bundle named before
 * the apply and that no type names now.
 */
void
kg_bundle_forget_unique(KgApply *apply)
{
	const KgCatalog *now;

	CommandCounterIncrement();
	now = kg_catalog_newest(apply->tenant);
	for (int i = 0; i < apply->before->ntypes; i++)
	{
		const KgType *type = kg_type_of(&apply->before->types[i]);

		if (strcmp(type->bundle, apply->payload->name) != 0)
			continue;
		for (int j = 0; j < type->nfields; j++)
		{
			const KgField *ref = &type->fields[j];
			const KgType *target;

			if (ref->ref_field == NULL)
				continue;
			target = kg_catalog_type_in(
				apply->before, ref->ref_bundle, ref->ref_type);
			if (target == NULL ||
				is_unique(kg_catalog_type_no(now, target->type_no),
						  ref->ref_field))
				continue;
			(void) kg_lock_type_exclusive(target->type_no);
			kg_unique_clear(apply->tenant, target->type_no, ref->ref_field);
		}
	}
}
