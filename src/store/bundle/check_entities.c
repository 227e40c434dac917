/*
 * bundle/check_entities.c
 *	  Checks of the entities of a payload: schema, ids, and references
 *	  within the payload.
 *
 * References to entities outside of the payload (in another bundle, or in a
 * merge) are checked when the rows are written.
 */
#include "postgres.h"

#include "base/json.h"
#include "base/progress.h"
#include "miscadmin.h"
#include "store/bundle/bundle.h"
#include "store/check/check.h"
#include "store/derived/extract.h"
#include "store/entity/item_names.h"
#include "store/bundle/payload_ids.h"
#include "store/reference/unique.h"
#include "utils/memutils.h"

/* Number of entities after which progress is reported. */
#define KG_CHECK_BATCH 1000

static const KgType *
type_of_set(KgApply *apply, const KgPayloadSet *set, int index)
{
	KgPayload *payload = apply->payload;
	const char **names = palloc((payload->ntypes + 1) * sizeof(char *));
	KgError *err;

	for (int i = 0; i < payload->ntypes; i++)
	{
		names[i] = payload->types[i].name;
		if (strcmp(names[i], set->type_name) == 0)
			return payload->types[i].parsed;
	}
	if (apply->options.merge)
	{
		const KgType *stored = kg_catalog_type_in(
			apply->before, payload->name, set->type_name);

		if (stored)
			return stored;
	}
	err = kg_error_new(KG_UNKNOWN_TYPE,
					   "entity type \"%s\" is not in the bundle's schemas",
					   set->type_name);
	kg_error_path(err, "/entities/%d/entity_type", index);
	kg_error_got_string(err, set->type_name);
	kg_error_expected(err, "an entity type in \"schemas\"");
	for (int i = 0; i < payload->ntypes; i++)
		kg_error_allow(err, names[i]);
	kg_error_did_you_mean(err,
						  kg_nearest(set->type_name, names, payload->ntypes));
	kg_error_report(&apply->errors, err);
	return NULL;
}

/*
 * Marks the properties of the payload's types that x-ref-field of this type
 * names.
 */
static void
mark_targets(KgPayload *payload, const KgType *type)
{
	for (int i = 0; i < type->nfields; i++)
	{
		const KgField *field = &type->fields[i];

		if (field->ref_field == NULL ||
			(field->ref_bundle &&
			 strcmp(field->ref_bundle, payload->name) != 0))
			continue;
		for (int j = 0; j < payload->ntypes; j++)
			if (payload->types[j].parsed &&
				strcmp(payload->types[j].name, field->ref_type) == 0)
				kg_type_mark_unique((KgType *) payload->types[j].parsed,
									field->ref_field);
	}
}

/*
 * Marks the properties of the payload's types that are unique after the apply.
 * The payload of a merge may contain entities of a type without the type's
 * schema. Their type is then the catalog's, which is not marked. If the payload
 * makes properties of such a type unique, they are checked after all rows are
 * written.
 */
static void
mark_unique(KgApply *apply)
{
	KgPayload *payload = apply->payload;

	for (int i = 0; i < payload->ntypes; i++)
		if (payload->types[i].parsed)
			mark_targets(payload, payload->types[i].parsed);
	for (int i = 0; i < apply->before->ntypes; i++)
	{
		const KgType *type = kg_type_of(&apply->before->types[i]);
		bool stays = apply->options.merge ||
					 strcmp(type->bundle, payload->name) != 0;

		for (int j = 0; j < payload->ntypes; j++)
			stays &= strcmp(type->bundle, payload->name) != 0 ||
					 strcmp(type->name, payload->types[j].name) != 0;
		if (stays)
			mark_targets(payload, type);
	}
}

typedef struct UniqueVisit
{
	KgApply *apply;
	const KgPayloadSet *set;
	const KgPayloadItem *item;
	const KgField *field;
	const Jsonb *data;
	KgItemNames *names;
	const char *path;
} UniqueVisit;

static void
visit_unique(const JsonbValue *value, void *arg)
{
	UniqueVisit *visit = arg;
	const KgPayloadItem *first;
	KgError *err;

	if (value->type != jbvString)
		return;
	first = kg_item_name_enter(
		visit->names, visit->field, kg_json_cstring(value), visit->item);
	if (first == visit->item)
		return;
	err = kg_unique_error(visit->set->type,
						  visit->field,
						  visit->item->id ? visit->item->id : "",
						  visit->data,
						  value,
						  first->id ? first->id : "",
						  visit->path);
	kg_error_report(&visit->apply->errors, err);
}

static void
check_item(KgApply *apply, KgPayloadSet *set, KgPayloadItem *item,
		   KgItemNames *names, MemoryContext scratch)
{
	MemoryContext old = MemoryContextSwitchTo(scratch);
	Jsonb *data = kg_payload_data(item);
	char *path = psprintf("/entities/%d/items/%d", item->set, item->index);
	char *id;

	/*
	 * The id and its errors are not allocated in the scratch context, because
	 * they outlive it.
	 */
	MemoryContextSwitchTo(old);
	id = kg_entity_id(set->type, data, path, &apply->errors);
	if (id != NULL)
	{
		item->id = id;
		if (kg_item_enter(set->ids, item) != item)
			KG_REPORT(&apply->errors,
					  KG_ALREADY_EXISTS,
					  .message = psprintf(
						  "id \"%s\" of type \"%s\" is in the bundle twice",
						  id,
						  set->type->name),
					  .type = set->type->name,
					  .id = id,
					  .path = path,
					  .keyword = "x-id-field",
					  .got_string = id,
					  .expected = "each id once");
	}
	(void) kg_entity_check(set->type, id, data, path, &apply->errors);
	kg_entity_check_scope(set->type, id, data, path, &apply->errors);
	for (int i = 0; set->type->has_unique && i < set->type->nfields; i++)
	{
		UniqueVisit visit = {
			apply, set, item, &set->type->fields[i], data, names, path};

		if (visit.field->unique)
			kg_field_visit(visit.field, &data->root, visit_unique, &visit);
	}
	MemoryContextReset(scratch);
}

/*
 * Returns whether the payload alone determines if the reference has a target.
 */
static bool
decided_here(const KgApply *apply, const KgField *field)
{
	const KgPayload *payload = apply->payload;

	if (apply->options.merge || !payload->has_entities)
		return false;
	if (field->ref_bundle && strcmp(field->ref_bundle, payload->name) != 0)
		return false;
	/* Entities of a type with an invalid schema were not read. */
	for (int i = 0; i < payload->ntypes; i++)
		if (strcmp(payload->types[i].name, field->ref_type) == 0)
			return payload->types[i].parsed != NULL &&
				   payload->types[i].parsed->binding == NULL;
	return false;
}

static bool
has_target(const KgApply *apply, const KgField *field, const char *value,
		   const KgItemNames *names)
{
	const KgType *type =
		kg_payload_type(apply->payload, field->ref_type)->parsed;
	const KgItemTable *items;

	if (field->ref_field && type->id_field &&
		strcmp(type->id_field->name, field->ref_field) != 0)
	{
		const KgField *target = kg_type_field(type, field->ref_field);

		return target && kg_item_name_find(names, target, value) != NULL;
	}
	items = kg_payload_ids(apply->payload, field->ref_type);
	return items && kg_item_find(items, value) != NULL;
}

static void
check_references(KgApply *apply, const KgPayloadSet *set,
				 const KgPayloadItem *item, KgItemNames *names)
{
	Jsonb *data = kg_payload_data(item);
	KgExtract extract;

	memset(&extract, 0, sizeof(extract));
	kg_extract_references(set->type, data, &extract);
	for (int i = 0; i < extract.nreferences; i++)
	{
		const KgField *field = extract.references[i].field;
		const char *value = extract.references[i].value;
		KgError *err;
		MemoryContext old;

		if (!decided_here(apply, field) ||
			has_target(apply, field, value, names))
			continue;
		old = MemoryContextSwitchTo(GetMemoryChunkContext(apply));
		err = kg_no_target_error(field, value, "entity");
		kg_error_entity(err, set->type->name, item->id);
		kg_error_path(err,
					  "/entities/%d/items/%d%s",
					  item->set,
					  item->index,
					  kg_extract_pointer(field, data, value));
		kg_error_report(&apply->errors, err);
		MemoryContextSwitchTo(old);
	}
}

static bool
has_references(const KgType *type)
{
	for (int i = 0; i < type->nfields; i++)
		if (type->fields[i].ref_type)
			return true;
	return false;
}

void
kg_bundle_check_entities(KgApply *apply)
{
	KgPayload *payload = apply->payload;
	KgItemNames *names = kg_item_names_make(1024);
	MemoryContext scratch = AllocSetContextCreate(
		CurrentMemoryContext, "kg_graph item", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = CurrentMemoryContext;
	KgWork work;

	mark_unique(apply);
	kg_payload_ids_make(payload);
	kg_work_begin(&work, "checking entities", kg_payload_nitems(payload));
	for (int i = 0; i < payload->nsets; i++)
	{
		KgPayloadSet *set = &payload->sets[i];

		CHECK_FOR_INTERRUPTS();
		set->type = type_of_set(apply, set, i);
		for (int j = 0; set->type && j < set->nitems; j++)
		{
			CHECK_FOR_INTERRUPTS();
			check_item(apply, set, &set->items[j], names, scratch);
			if ((j + 1) % KG_CHECK_BATCH == 0 || j + 1 == set->nitems)
				kg_work_done(&work, j % KG_CHECK_BATCH + 1);
		}
	}
	for (int i = 0; i < payload->nsets; i++)
	{
		KgPayloadSet *set = &payload->sets[i];

		if (set->type == NULL || !has_references(set->type))
			continue;
		for (int j = 0; j < set->nitems; j++)
		{
			CHECK_FOR_INTERRUPTS();
			MemoryContextSwitchTo(scratch);
			check_references(apply, set, &set->items[j], names);
			MemoryContextSwitchTo(old);
			MemoryContextReset(scratch);
		}
	}
	kg_item_names_free(names);
	MemoryContextDelete(scratch);
}
